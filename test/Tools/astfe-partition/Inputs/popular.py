"""Prints a matrix of 20000 rows with up to 3 nonzeros in 2000 columns, of which
the first are the most popular: rows hide what they share from each other, and
renumbering gains next to nothing."""

import random

ROWS, COLUMNS, SLOTS = 20000, 2000, 3
source = random.Random(1)
cells = {(row + 1, int(COLUMNS * source.random() ** 2) + 1)
         for row in range(ROWS) for _ in range(SLOTS)}
print("%%MatrixMarket matrix coordinate pattern general")
print(ROWS, COLUMNS, len(cells))
for row, column in sorted(cells):
    print(row, column)
