"""Prints the sparse operand of a layer.

    networks.py convolution    sites of a point cloud, 3 x 3 offsets (.tns)
    networks.py experts        tokens, of which each has two of 16 experts (.mtx)
"""

import random
import sys

rng = random.Random(5)
if sys.argv[1] == "convolution":
    sites = sorted(rng.sample([(x, y) for x in range(40) for y in range(40)], 300))
    number = {site: i for i, site in enumerate(sites)}
    for o, (x, y) in enumerate(sites):
        for k in range(9):
            i = number.get((x + k // 3 - 1, y + k % 3 - 1))
            if i is not None:
                print(o + 1, k + 1, i + 1, 1)
else:
    tokens, experts = 200, 16
    print("%%MatrixMarket matrix coordinate real general")
    print(tokens, experts, 2 * tokens)
    for token in range(tokens):
        for expert in sorted(rng.sample(range(experts), 2)):
            print(token + 1, expert + 1, round(rng.uniform(0.1, 1), 3))
