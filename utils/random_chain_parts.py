"""What random chains are made of: a sparse matrix, and ops on the values of its
nonzeros."""

import collections

from random_computations import INTEGERS, Sparse

LOWEST = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000",
          "f64": "0xFFF0000000000000", "i32": str(-2**31), "i64": str(-2**63)}
HIGHEST = {"f16": "0x7C00", "bf16": "0x7F80", "f32": "0x7F800000",
           "f64": "0x7FF0000000000000", "i32": str(2**31 - 1),
           "i64": str(2**63 - 1)}
# Beside these widths a kernel takes another vector, tile or row of lanes.
EDGES = (32, 64, 96, 128, 129, 160, 192, 256)


def draw_width(rng, most=300):
    """A dense extent: odd, or beside an edge, or any."""
    kind = rng.random()
    if kind < 0.4:
        width = rng.choice(EDGES) + rng.choice((-2, -1, 0, 0, 1, 2))
    elif kind < 0.6:
        width = rng.choice((1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24))
    else:
        width = rng.randrange(1, 301, 2 if kind < 0.85 else 1)
    while width > most:
        width = max(1, width // 2)
    return width


class Pattern(Sparse):
    """A matrix by rows or by columns, a few of which can be long enough to be
    cut between a GPU's warps."""

    KINDS = ("some", "some", "some", "some", "few", "long", "long", "longs",
             "longs", "many", "none", "one", "first", "all", "huge")
    FORMATS = ("CSR",) * 12 + ("CSC",) * 6 + ("DCSR", "COO")

    def __init__(self, rng, element, by_rows=False):
        self.element, self.rank = element, 2
        self.format = "CSR" if by_rows else rng.choice(self.FORMATS)
        self.hidden = 0.0  # the share of entries that an added mask hides
        rows, others, points = self.draw_rows(rng)
        least = max(len(points), rows, others).bit_length()
        self.widths = rng.choice(["", ""] + [
            f", posWidth = {bits}, crdWidth = {bits}"
            for bits in (8, 16, 32, 64) if bits >= least])
        lengths = collections.Counter(row for row, _ in points)
        self.longest = max([0, *lengths.values()])
        swap = self.format == "CSC"
        self.shape = [others, rows] if swap else [rows, others]
        self.entries = sorted((b, a) if swap else (a, b) for a, b in points)

    def draw_rows(self, rng):
        """Rows, columns and entries, of what the matrix is stored by."""
        kind = rng.choice(self.KINDS)
        rows, others = rng.randint(1, 70), rng.randint(1, 90)
        if kind in ("long", "longs"):
            rows, others = rng.randint(1, 24), rng.randint(300, 4000)
        if kind == "huge":
            # Long enough to be cut between a host's threads.
            rows, others = rng.randint(1, 4), rng.randint(17000, 30000)
        if kind == "many":
            rows = rng.randint(1000, 6000)
        if kind == "one":
            others = 1
        if kind == "all":
            rows, others = rng.randint(1, 12), rng.randint(1, 60)
        cells = rows * others
        count = {"some": cells // rng.choice((3, 6, 20)) + 1, "few": 4,
                 "long": 2 * rows, "longs": 8 * rows, "many": rows,
                 "one": rows // 2, "huge": 100}.get(kind, 0)
        points = {(rng.randrange(rows), rng.randrange(others))
                  for _ in range(count)}
        if kind == "all":
            points = {(r, c) for r in range(rows) for c in range(others)}
        if kind == "first":
            points = {(0, c) for c in range(others)}
        for _ in range({"long": 1, "longs": 3, "huge": 1}.get(kind, 0)):
            row, share = rng.randrange(rows), rng.choice((1.0, 0.99, 0.5))
            points |= {(row, c) for c in range(others) if rng.random() < share}
        # Some rows have no entries.
        empty = {r for r in range(rows) if rng.random() < 0.1}
        if kind in ("some", "longs"):
            points = {p for p in points if p[0] not in empty}
        return rows, others, points

    def value(self, rng):
        if rng.random() < self.hidden:
            return "-inf"
        if self.element in INTEGERS:
            return rng.randint(-9, 9)
        return round(rng.uniform(-1, 1), 4) or 0.5


# The ops of integers, by those of floats.
WHOLE = {"arith.addf": "arith.addi", "arith.subf": "arith.subi",
         "arith.mulf": "arith.muli", "arith.maximumf": "arith.maxsi",
         "arith.minimumf": "arith.minsi"}


class Body:
    """Lines of a region that computes with one type."""

    def __init__(self, element, prefix="%t"):
        self.element, self.lines, self.made = element, [], 0
        self.prefix = prefix

    def name(self):
        self.made += 1
        return f"{self.prefix}{self.made}"

    def op(self, op, *operands):
        if self.element in INTEGERS:
            op = WHOLE.get(op, op)
        name = self.name()
        self.lines.append(f"{name} = {op} {', '.join(operands)} : {self.element}")
        return name

    def constant(self, number):
        """What is no integer is 3 where integers are computed with."""
        if self.element in INTEGERS and isinstance(number, float):
            number = int(number) if number == int(number) else 3
        return self.op("arith.constant", str(number))

    def select(self, x, yes, no):
        """`yes` where x is positive."""
        zero, name = self.constant(0.0), self.name()
        compare = ("cmpi sgt" if self.element in INTEGERS else "cmpf ogt")
        self.lines.append(f"{name} = arith.{compare}, {x}, {zero} : "
                          f"{self.element}")
        return self.op("arith.select", name, yes, no)

    def widened(self, name, element):
        if element == self.element:
            return name
        wide = self.name()
        self.lines.append(f"{wide} = arith.extf {name} : {element} to "
                          f"{self.element}")
        return wide


def add(b, x, y):
    return b.op("arith.addf", x, y)


def multiply(b, x, y):
    return b.op("arith.mulf", x, y)


def divide(b, x, y):
    return b.op("arith.divf", x, y)


def sigmoid(b, x):
    low = b.op("math.exp", b.op("arith.negf", x))
    return divide(b, b.constant(1.0), add(b, b.constant(1.0), low))


def root(b, x):
    return b.op("math.sqrt", add(b, b.constant(1.0), multiply(b, x, x)))


# Of a value of a nonzero: whether upstream's sparsifier takes it as an op that
# makes nothing of nothing, how large the argument may be, how large the result is
# then, whether that is positive, and the op.
UNARY = {
    "scale": (True, 1e9, lambda s: s / 2, False,
              lambda b, x: multiply(b, x, b.constant(0.5))),
    "negate": (True, 1e9, lambda s: s, False,
               lambda b, x: b.op("arith.negf", x)),
    "leaky": (False, 1e9, lambda s: s, False,
              lambda b, x: b.select(x, x, multiply(b, x, b.constant(0.25)))),
    "relu": (False, 1e9, lambda s: s, False,
             lambda b, x: b.op("arith.maximumf", x, b.constant(0.0))),
    "square": (True, 8, lambda s: s * s, False, lambda b, x: multiply(b, x, x)),
    "magnitude": (True, 1e9, lambda s: s, False,
                  lambda b, x: b.op("math.absf", x)),
    "exp": (False, 5, lambda s: 2.72 ** s, True,
            lambda b, x: b.op("math.exp", x)),
    "sigmoid": (False, 5, lambda s: 1, True, sigmoid),
    "root": (False, 1e3, lambda s: s + 1, True, root),
    "tanh": (False, 1e2, lambda s: 3, True,
             lambda b, x: add(b, b.op("math.tanh", x), b.constant(2.0))),
    "more": (False, 1e9, lambda s: s + 1, False,
             lambda b, x: add(b, x, b.constant(1.0))),
}
# Those that integers have, too.
WHOLE_UNARY = ("scale", "leaky", "relu", "square", "more")
# Of two values: whether nothing in the first becomes nothing.
BINARY = {
    "mul": (True, lambda s, t: s * t, multiply),
    "add": (False, lambda s, t: s + t, add),
    "sub": (False, lambda s, t: s + t,
            lambda b, x, y: b.op("arith.subf", x, y)),
    "max": (False, max, lambda b, x, y: b.op("arith.maximumf", x, y)),
}
