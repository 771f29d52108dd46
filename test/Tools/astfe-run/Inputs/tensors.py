"""Writes tensors: scattered, with long fibers, far apart, of ranks 1, 5, 8."""
import random
import sys

random.seed(3)


def write(name, shape, points):
    with open(f"{sys.argv[1]}/{name}.tns", "w") as out:
        out.write("# extended FROSTT format\n")
        out.write(f"{len(shape)} {len(points)}\n")
        out.write(" ".join(map(str, shape)) + "\n")
        for point in points:
            out.write(" ".join(str(c + 1) for c in point))
            out.write(f" {random.uniform(-1, 1):.6f}\n")


def scattered(shape, count):
    points = set()
    while len(points) < count:
        points.add(tuple(random.randrange(extent) for extent in shape))
    return list(points)


write("three", (50, 60, 70), scattered((50, 60, 70), 5000))
write("fibers", (40, 30, 300),
      [(i, j, k) for i in range(0, 40, 3) for j in range(i % 5, 30, 5)
       for k in range((i + j) % 7, 300, 7)])
# Local coordinates of all widths, and rows without nonzeros.
write("far", (100000, 200, 300000), scattered((100000, 200, 300000), 3000))
write("none", (5, 6, 7), [])
write("one", (900,), scattered((900,), 100))
write("five", (9, 8, 7, 30, 5), scattered((9, 8, 7, 30, 5), 2000))
write("eight", (3, 4, 5, 3, 4, 5, 3, 40), scattered((3, 4, 5, 3, 4, 5, 3, 40), 2000))
