#!/usr/bin/env python3
"""Writes a Matrix Market file: a 5-point mesh whose nodes are shuffled, plus a
few heavy rows. The same file for the same arguments, with the standard library
alone.

    generate_matrix.py OUT.mtx [SIDE] [SEED]
"""

import random
import sys


def mesh(side, seed):
    """Entries (row, column) of the mesh's pattern, and of the heavy rows."""
    rng = random.Random(seed)
    node = list(range(side * side))
    rng.shuffle(node)
    entries = set()
    for y in range(side):
        for x in range(side):
            here = y * side + x
            entries.add((node[here], node[here]))
            for there in ((here + 1) if x + 1 < side else None,
                          (here + side) if y + 1 < side else None):
                if there is not None:
                    entries.add((node[here], node[there]))
                    entries.add((node[there], node[here]))
    for row in rng.sample(range(side * side), 4):
        entries.update((row, rng.randrange(side * side))
                       for _ in range(8 * side))
    return sorted(entries)


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    entries = mesh(side, seed)
    rng = random.Random(seed + 1)
    with open(sys.argv[1], "w") as out:
        print("%%MatrixMarket matrix coordinate real general", file=out)
        print(side * side, side * side, len(entries), file=out)
        for row, column in entries:
            print(row + 1, column + 1, f"{rng.uniform(-1, 1):.6f}", file=out)


if __name__ == "__main__":
    main()
