#!/usr/bin/env python3
"""Writes a tensor of three modes (.tns) whose nonzeros crowd in a corner: row
i of a mode is about u^3 of its extent, for u anywhere from 0 to 1. The same file
for the same arguments, with the standard library alone.

    generate_tensor.py OUT.tns [NONZEROS] [SEED]
"""

import random
import sys

EXTENT = 2000


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    entries = sorted({tuple(1 + int(EXTENT * rng.random() ** 3)
                            for _ in range(3)) for _ in range(count)})
    with open(sys.argv[1], "w") as out:
        for i, j, k in entries:
            print(i, j, k, f"{rng.uniform(-1, 1):.6f}", file=out)


if __name__ == "__main__":
    main()
