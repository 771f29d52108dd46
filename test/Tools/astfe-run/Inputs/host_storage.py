#!/usr/bin/env python3
"""Writes into a folder two matrices of a few nonzeros, one of short rows anywhere,
one whose rows share their columns by four, and one of far more rows than columns."""

import pathlib
import random
import sys


def write(path, rows, columns_of, columns=None):
    entries = [(i, j) for i in range(rows) for j in sorted(set(columns_of(i)))]
    lines = ["%%MatrixMarket matrix coordinate real general",
             f"{rows} {columns or rows} {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {(i + j) % 7 - 3}" for i, j in entries]
    path.write_text("\n".join(lines) + "\n")


folder, draw = pathlib.Path(sys.argv[1]), random.Random(7)
write(folder / "tiny.mtx", 40, lambda i: (i, i * 7 % 40))
write(folder / "other.mtx", 50, lambda i: (i, i * 3 % 50, 7))
write(folder / "short.mtx", 2000, lambda i: draw.sample(range(2000), 4))
write(folder / "twins.mtx", 2000, lambda i: [(i // 4 * 5 + n * 13) % 2000
                                             for n in range(4)])
write(folder / "tall.mtx", 200000, lambda i: draw.sample(range(1500), 2), 1500)
