#!/usr/bin/env python3
"""Writes a matrix of even rows, and one with a long row, into a folder."""

import pathlib
import sys


def write(path, lengths):
    entries = [(i, n * 256 // length) for i, length in enumerate(lengths)
               for n in range(length)]
    lines = ["%%MatrixMarket matrix coordinate real general",
             f"{len(lengths)} 256 {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {(i + j) % 7 - 3}" for i, j in entries]
    path.write_text("\n".join(lines) + "\n")


folder = pathlib.Path(sys.argv[1])
write(folder / "even.mtx", [5 + i % 3 for i in range(300)])
write(folder / "hub.mtx", [200 if i == 17 else 5 for i in range(300)])
