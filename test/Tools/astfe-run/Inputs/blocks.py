"""Prints a matrix of 96 rows and 480 columns: eight full blocks of 12 x 12, and rows
that hold every second column of a window of 192."""

cells = {(12 * block + i + 1, 12 * block + j + 1)
         for block in range(8) for i in range(12) for j in range(12)}
cells |= {(row, 200 + (row % 3) + 2 * k) for row in range(1, 97)
          for k in range(96)}
print("%%MatrixMarket matrix coordinate real general")
print(96, 480, len(cells))
for row, column in sorted(cells):
    print(row, column, (row * 7 + column * 3) % 11 - 5.5)
