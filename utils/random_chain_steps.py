"""The steps of random chains over one sparse matrix, as text in linalg:
utils/random_chain_forms.py makes functions of them.

A chain makes values of the nonzeros (samples of dense rows, elementwise steps),
values of each row (sums, maxima), and rows of dense products. What is by rows
here is by columns where the matrix is stored by columns. Numbers stay in a range
where rounding is what the check takes it for: exponentials are of small numbers,
and what divides is positive.
"""

from random_chain_parts import (BINARY, HIGHEST, LOWEST, UNARY, WHOLE_UNARY, Body,
                                add, divide, draw_width, multiply)
from random_computations import HALVES, INTEGERS, generic


class Value:
    """What a step makes: at the nonzeros ("ij"), at the keys ("i", say), or in
    rows of the keys ("ix")."""

    def __init__(self, name, names, size, element, positive=False, plain=False):
        self.name, self.names, self.size = name, names, size
        self.element, self.positive = element, positive
        # Made by nothing that leaves entries out or adds some, so that a caller
        # can have it as a sparse tensor.
        self.plain = plain


class Steps:
    """Steps of a chain, by name, and the text of a function of them."""

    def __init__(self, rng, pattern):
        self.rng, self.pattern = rng, pattern
        # Of what is stored, of dense operands, and of all that is computed.
        self.element = self.dense_element = self.sums = pattern.element
        if self.element in HALVES and rng.random() < 0.4:
            self.sums = "f32"
        if self.element == "f32" and rng.random() < 0.3:
            self.dense_element = rng.choice(HALVES)
        self.key, self.other = "ji" if pattern.format == "CSC" else "ij"
        self.extents = dict(zip("ij", pattern.shape))
        self.unknown = set(rng.choice(("", "", "ij", "i", "j")))
        self.dense, self.lines, self.results = "", [], []
        self.arguments, self.made, self.rows = {}, 0, []
        self.stored = Value("%A", "ij", 9 if self.is_whole() else 1,
                            self.element)
        self.stored.plain = True
        self.cols = None

    def is_rounded(self):
        """Whether what is between steps is rounded to halves."""
        return self.sums in HALVES

    def is_whole(self):
        return self.element in INTEGERS

    def chance(self, share):
        return self.rng.random() < share

    # What text is made of.

    def type(self, names, element, sparse=False):
        extents = "".join("?x" if n in self.unknown else f"{self.extents[n]}x"
                          for n in names)
        return f"tensor<{extents}{element}{', #S' if sparse else ''}>"

    def name(self, prefix="v"):
        self.made += 1
        return f"%{prefix}{self.made}"

    def width(self):
        """A dense dimension: one that there is, or another."""
        if self.dense and (len(self.dense) > 2 or self.chance(0.6)):
            return self.rng.choice(self.dense)
        name = "dxz"[len(self.dense)]
        work = len(self.pattern.entries) + sum(self.pattern.shape)
        most = 3_000_000 // (work + 1) + 1
        self.extents[name] = draw_width(self.rng, min(300, most))
        self.dense += name
        # astfe-run has one number for the extents that nothing says.
        if self.chance(0.15) and self.cols in (None, self.extents[name]):
            self.unknown.add(name)
            self.cols = self.extents[name]
        return name

    def operand(self, names):
        """A dense argument, which can be one that there is, or what a product
        has made."""
        kind = self.type(names, self.dense_element)
        same = [v for v in self.arguments.values()
                if v[1] == names and v[2] == kind]
        same += [self.given(v) for v in self.rows if v.names == names]
        if same and self.chance(0.2):
            return self.rng.choice(same)
        name = self.name("a")
        self.arguments[name] = (name, names, kind)
        return self.arguments[name]

    def scalar(self):
        name = self.name("s")
        self.arguments[name] = (name, "", self.sums)
        return name

    def scalars(self):
        """Those that are whole, which astfe-run draws no numbers for."""
        return [v[0] for v in self.arguments.values()
                if not v[1] and v[2] in INTEGERS]

    def given(self, value):
        return (value.name, value.names,
                self.type(value.names, value.element, value.names == "ij"))

    def empty(self, names, sparse=False):
        name, kind = self.name("e"), self.type(names, self.sums, sparse)
        sizes = ", ".join(f"%size_{n}" for n in names if n in self.unknown)
        self.lines.append(f"{name} = tensor.empty({sizes}) : {kind}")
        return name, names, kind

    def filled(self, names, identity):
        into, _, kind = self.empty(names)
        start, name = self.name("k"), self.name("f")
        if self.is_whole():
            identity = identity.removesuffix(".0")
        self.lines += [f"{start} = arith.constant {identity} : {self.sums}",
                       f"{name} = linalg.fill ins({start} : {self.sums}) "
                       f"outs({into} : {kind}) -> {kind}"]
        return name, names, kind

    def generic(self, inputs, output, write):
        """write(body, values of the inputs, value of the output) says what is
        yielded."""
        name, body = self.name(), Body(self.sums)
        elements = [i[2][:-1].split(",")[0].split("x")[-1] for i in inputs]
        dims = [n for n in "ijdxz"
                if any(n in i[1] for i in (*inputs, output))]
        block = ", ".join([f"%x{k}: {e}" for k, e in enumerate(elements)]
                          + [f"%y: {self.sums}"])
        values = [body.widened(f"%x{k}", e) for k, e in enumerate(elements)]
        result = write(body, values, "%y")
        self.lines += generic(name, dims, inputs, output,
                              [f"^bb0({block}):", *body.lines,
                               f"linalg.yield {result} : {self.sums}"])
        return name

    def wrapped(self, body, operands, write):
        """What sparse_tensor has for ops that make something of nothing."""
        inner = Body(self.sums, body.name() + "_")
        names = [f"%u{k}" for k in range(len(operands))]
        result, name = write(inner, *names), body.name()
        block = ", ".join(f"{n}: {self.sums}" for n in names)
        region = " ".join([f"{{ ^bb0({block}):", *inner.lines,
                           f"sparse_tensor.yield {result} : {self.sums} }}"])
        types = ", ".join([self.sums] * len(operands))
        op, branches = (("unary", f"present = {region} absent = {{}}")
                        if len(operands) == 1 else
                        ("binary", f"overlap = {region} left = {{}} right = {{}}"))
        body.lines.append(f"{name} = sparse_tensor.{op} {', '.join(operands)} : "
                          f"{types} to {self.sums} {branches}")
        return name

    # Steps.

    def sample(self, of=None, kind=None):
        """Products of dense rows, or their squared distances."""
        of, d = of or self.stored, self.width()
        kind = kind or self.rng.choice(("multiply", "multiply", "pattern", "pattern",
                                "distance"))
        inputs = [self.given(of), self.operand("i" + d), self.operand("j" + d)]
        if self.chance(0.1):
            inputs.append(self.operand(d))

        def write(b, values, out):
            made = multiply(b, *values[1:3])
            if kind == "distance":
                apart = b.op("arith.subf", *values[1:3])
                made = multiply(b, apart, apart)
            for weight in values[3:]:
                made = multiply(b, made, weight)
            made = (self.wrapped(b, [values[0], made], lambda _, x, y: y)
                    if kind == "pattern" else multiply(b, values[0], made))
            return add(b, out, made)
        name = self.generic(inputs, self.empty("ij", True), write)
        size = self.extents[d] * (1.2 if kind == "distance" else 0.3)
        size *= 1 if kind == "pattern" else of.size
        return Value(name, "ij", size + 0.1, self.sums,
                     plain=of.plain and kind != "pattern")

    def limited(self, value, most):
        """The value, multiplied by a constant where it is larger."""
        if value.size <= most or self.is_whole():
            return value
        factor = 1.0
        while value.size * factor > most:
            factor /= 2
        name = self.generic([self.given(value)], self.empty("ij", True),
                            lambda b, v, _: multiply(b, v[0],
                                                     b.constant(factor)))
        return Value(name, "ij", value.size * factor, self.sums, value.positive,
                     value.plain)

    def unary(self, value, op=None):
        op = op or self.rng.choice(WHOLE_UNARY if self.is_whole()
                                   else tuple(UNARY))
        keeps, most, size, positive, write = UNARY[op]
        value = self.limited(value, 1 if self.is_rounded() else most)
        plain = keeps and self.chance(0.6)
        name = self.generic(
            [self.given(value)], self.empty("ij", True),
            lambda b, v, _: write(b, *v) if plain else self.wrapped(b, v, write))
        positive |= value.positive and op in ("scale", "more", "leaky", "root")
        return Value(name, "ij", size(value.size), self.sums, positive,
                     value.plain and plain)

    def binary(self, value, second, op=None, write=None):
        """`second` is a value, or a dense operand of elements up to 1."""
        op = op or self.rng.choice(tuple(BINARY))
        if not write:
            keeps, size, write = BINARY[op]
        else:
            keeps, size = op == "div", (lambda s, t: s)
        inner = isinstance(second, Value)
        most = 1 if self.is_rounded() else 1e3
        value = self.limited(value, most)
        if inner and second.names == "ij":
            second = self.limited(second, most)
        # Where both store the same, one wrapped or none is the same.
        both = inner and second.names == "ij" and op != "max"
        # Of rows without entries nothing is divided by nothing.
        plain = (keeps and op != "div" or both) and self.chance(0.6)
        name = self.generic(
            [self.given(value), self.given(second) if inner else second],
            self.empty("ij", True),
            lambda b, v, _: write(b, *v) if plain else self.wrapped(b, v, write))
        positive = inner and second.positive and value.positive and op != "sub"
        return Value(name, "ij", size(value.size, second.size if inner else 1),
                     self.sums, positive, value.plain and plain)

    def outer(self):
        """A dense operand that a nonzero reads an element of."""
        cells = self.extents["i"] * self.extents["j"]
        return self.operand(self.rng.choice(
            ("i", "j", "j", "ij" if cells < 20000 else "i")))

    def start(self, names, kind="sum", share=0.0):
        """What is added to: a share of sums are into an argument."""
        if (kind == "sum" and self.sums == self.dense_element
                and self.chance(share)):
            return self.operand(names)
        if kind != "sum" and self.chance(0.25):
            return self.filled(names, "1.0")
        return self.filled(names, {"sum": "0.0", "max": LOWEST[self.sums],
                                   "min": HIGHEST[self.sums]}[kind])

    def reduce(self, value, kind=None):
        """A value of each key, and sometimes of the others: sums, which can be
        weighted, or maxima."""
        kind = kind or self.rng.choice(("sum", "sum", "max", "min"))
        names = self.other if self.chance(0.08) else self.key
        inputs, size = [self.given(value)], value.size
        if kind == "sum":
            size *= self.pattern.longest + 1
        positive = value.positive
        if kind == "sum" and self.chance(0.2):
            inputs.append(self.operand(self.other))
            positive = False
        output = self.start(names, kind, 0.1)

        def write(b, values, out):
            if kind == "sum":
                made = values[0]
                for weight in values[1:]:
                    made = multiply(b, made, weight)
                return add(b, out, made)
            return self.combined(b, values[0], out, kind)
        name = self.generic(inputs, output, write)
        return Value(name, names, size, self.sums, positive)

    def total(self, values):
        """Sums by keys, from 0, of the values' products."""
        def write(b, given, out):
            made = given[0]
            for factor in given[1:]:
                made = multiply(b, made, factor)
            return add(b, out, made)
        name = self.generic([self.given(v) for v in values],
                            self.filled(self.key, "0.0"), write)
        size = self.pattern.longest + 1
        for value in values:
            size *= value.size
        return Value(name, self.key, size, self.sums,
                     all(v.positive for v in values))

    def combined(self, body, value, out, kind):
        """The least or largest of what is stored."""
        start = body.constant((LOWEST if kind == "max" else HIGHEST)[self.sums])
        name, inner = body.name(), Body(self.sums, "%w")
        result = inner.op(f"arith.{kind}imumf", "%u0", "%u1")
        body.lines.append(
            f"{name} = sparse_tensor.reduce {out}, {value}, {start} : "
            f"{self.sums} {{ ^bb0(%u0: {self.sums}, %u1: {self.sums}): "
            f"{' '.join(inner.lines)} sparse_tensor.yield {result} : "
            f"{self.sums} }}")
        return name

    def product(self, value, factors=(), divisor=None, kind="sum"):
        """A row of each key: sums of the nonzeros' values times dense rows, or
        the least or largest sums of both."""
        x = self.width()
        inputs = [self.given(value), self.operand(self.other + x)]
        inputs += [self.given(f) for f in factors]
        inputs += [self.given(divisor)] if divisor else []
        names = self.key + x
        output = self.start(names, kind, 0.25)

        def write(b, values, out):
            if kind != "sum":
                made = self.wrapped(b, values[:2], add)
                return self.combined(b, made, out, kind)
            made, rest = values[0], values[2:]
            if divisor:
                made = self.wrapped(b, [made, rest.pop()], divide)
            for factor in rest:
                made = multiply(b, made, factor)
            return add(b, out, multiply(b, made, values[1]))
        name = self.generic(inputs, output, write)
        return self.made_rows(Value(
            name, names, value.size * (self.pattern.longest + 1), self.sums))

    def made_rows(self, value):
        """Others may read rows where these are of numbers that are not large."""
        if value.size <= 30:
            self.rows.append(value)
        return value

    def epilogue(self, value, factors=()):
        """An elementwise op on rows, or on values of the keys."""
        inputs = [self.given(value), self.operand(value.names[-1])]
        inputs += [self.given(f) for f in factors]
        if self.chance(0.3):
            inputs.append(self.operand(self.rng.choice((self.key, value.names))))
        number = self.scalar() if self.chance(0.25) else None
        act = self.rng.choice(("relu", "leaky", "none"))

        def write(b, values, _):
            made = add(b, values[0], values[1])
            for factor in values[2:]:
                made = multiply(b, made, factor)
            if number:
                made = multiply(b, made, number)
            return made if act == "none" else UNARY[act][4](b, made)
        name = self.generic(inputs, self.empty(value.names), write)
        return self.made_rows(Value(name, value.names, value.size + 1,
                                    self.sums))

    def returns(self, value):
        if all(value.name != name for name, _ in self.results):
            self.results.append((value.name,
                                 self.type(value.names, value.element,
                                           value.names == "ij")))
