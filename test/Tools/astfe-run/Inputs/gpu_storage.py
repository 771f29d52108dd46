#!/usr/bin/env python3
"""Writes into a folder a matrix of even rows, one with a row that is longer than
the others, and one with a row that keeps a warp of a GPU for long."""

import pathlib
import sys


def write(path, lengths, columns=256):
    entries = [(i, n * columns // length) for i, length in enumerate(lengths)
               for n in range(length)]
    lines = ["%%MatrixMarket matrix coordinate real general",
             f"{len(lengths)} {columns} {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {(i + j) % 7 - 3}" for i, j in entries]
    path.write_text("\n".join(lines) + "\n")


folder = pathlib.Path(sys.argv[1])
write(folder / "even.mtx", [5 + i % 3 for i in range(300)])
write(folder / "longer.mtx", [200 if i == 17 else 5 for i in range(300)])
write(folder / "hub.mtx", [1500 if i == 17 else 5 for i in range(300)], 2000)
