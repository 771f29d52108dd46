"""Prints a matrix of 96 rows and 480 columns: six full blocks of 16 x 16 and, with the
argument `windows`, rows that hold every second column of a window of 192."""

import sys

cells = {(16 * block + i + 1, 16 * block + j + 1)
         for block in range(6) for i in range(16) for j in range(16)}
if sys.argv[1:] == ["windows"]:
    cells |= {(row, 200 + (row % 3) + 2 * k) for row in range(1, 97)
              for k in range(96)}
print("%%MatrixMarket matrix coordinate real general")
print(96, 480, len(cells))
for row, column in sorted(cells):
    print(row, column, (row * 7 + column * 3) % 11 - 5.5)
