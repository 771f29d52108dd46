"""Prints a matrix of 8000 rows with up to 40 nonzeros, each within a window of
columns that lies anywhere: renumbering gains a little."""

import random

ROWS, SLOTS = 8000, 40
source = random.Random(1)
cells = {(row + 1, (row * 7919 + source.randrange(ROWS // 8)) % ROWS + 1)
         for row in range(ROWS) for _ in range(SLOTS)}
print("%%MatrixMarket matrix coordinate pattern general")
print(ROWS, ROWS, len(cells))
for row, column in sorted(cells):
    print(row, column)
