"""Random computations over a sparse operand, as text: utils/random_plans.py runs
them.

    sparse = Sparse(rng, "f32")
    print(sparse.encoding() + module(sparse, [Computation(rng, sparse, 0)]))
"""

HALVES = ("f16", "bf16")
FLOATS = ("f32", "f64") + HALVES
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
COMPLEX = ("complex<f32>", "complex<f64>")
# What a type is summed up in, where that is another.
WIDER = {"i8": "i32"}
LEVELS = {
    "CSR": ("i : dense", "j : compressed"),
    "CSC": ("j : dense", "i : compressed"),
    "DCSR": ("i : compressed", "j : compressed"),
    "COO": ("i : compressed(nonunique)", "j : singleton"),
    "COO by columns": ("j : compressed(nonunique)", "i : singleton"),
    "COO in two arrays": ("i : compressed(nonunique)", "j : singleton(soa)"),
    "CSR, not in order": ("i : dense", "j : compressed(nonordered)"),
    "BSR": ("i floordiv 2 : dense", "j floordiv 3 : compressed",
            "i mod 2 : dense", "j mod 3 : dense"),
}
# Of these there is code where they are stored.
VIEWED = ("CSR", "CSC")


class Sparse:
    """A sparse tensor and how it is stored."""

    def __init__(self, rng, element):
        self.element = element
        self.rank = rng.choice((1, 2, 2, 2, 2, 3, 3, 4))
        most = {1: 400, 2: 80, 3: 24, 4: 12}[self.rank]
        self.shape = [rng.randint(1, most) for _ in range(self.rank)]
        # Rows, or columns, that are too long for a warp of a GPU.
        long = self.rank == 2 and rng.random() < 0.2
        if long:
            self.shape[rng.randrange(2)] = rng.randint(200, 2000)
        self.entries = self.draw(rng, long)
        self.widths = rng.choice(("", ", posWidth = 32, crdWidth = 32",
                                  ", posWidth = 64, crdWidth = 64",
                                  ", posWidth = 16, crdWidth = 16"))
        self.format = (rng.choice(tuple(LEVELS) + 3 * VIEWED) if self.rank == 2
                       else rng.choice(("CSF", "COO")))
        if self.format == "BSR":
            self.shape = [e + -e % b for e, b in zip(self.shape, (2, 3))]

    def draw(self, rng, long):
        """Coordinates: none, some, a full row or column, blocks; where they are
        `long` a few rows or columns that are nearly full besides."""
        points = set()
        mode = self.shape.index(max(self.shape))
        for _ in range(rng.choice((1, 1, 2, 3)) if long else 0):
            point = [rng.randrange(e) for e in self.shape]
            for point[mode] in range(self.shape[mode]):
                if rng.random() < 0.9:
                    points.add(tuple(point))
        style = rng.choice(("none", "few", "some", "some", "many", "row",
                            "blocks"))
        cells = 1
        for extent in self.shape:
            cells *= extent
        count = {"none": 0, "few": 3, "some": cells // 20 + 1,
                 "many": cells // 3, "row": cells // 40 + 1,
                 "blocks": 0}[style]
        for _ in range(min(count, 1500)):
            points.add(tuple(rng.randrange(e) for e in self.shape))
        if style == "row" and self.rank > 1:
            mode, at = rng.randrange(self.rank), rng.random()
            for c in range(self.shape[mode]):
                point = [int(at * e) for e in self.shape]
                point[mode] = c
                points.add(tuple(point))
        if style == "blocks" and self.rank > 1:
            for _ in range(4):
                corner = [rng.randrange(e) for e in self.shape]
                for i in range(8):
                    for j in range(8):
                        point = list(corner)
                        point[0], point[1] = point[0] + i, point[1] + j
                        if all(c < e for c, e in zip(point, self.shape)):
                            points.add(tuple(point))
        return sorted(points)

    def type(self):
        extents = "x".join(map(str, self.shape))
        return f"tensor<{extents}x{self.element}, #S>"

    def encoding(self):
        modes = "ijkl"[:self.rank]
        if self.rank == 2:
            levels = LEVELS[self.format]
        elif self.format == "CSF" or self.rank == 1:
            levels = [f"{m} : compressed" for m in modes]
        else:
            levels = [f"{modes[0]} : compressed(nonunique)"]
            levels += [f"{m} : singleton(nonunique)" for m in modes[1:-1]]
            levels.append(f"{modes[-1]} : singleton")
        return (f"#S = #sparse_tensor.encoding<{{map = ({', '.join(modes)}) -> "
                f"({', '.join(levels)}){self.widths}}}>\n")

    def value(self, rng):
        """What is stored at the next of the entries."""
        value = (rng.randint(-9, 9) if self.element in INTEGERS
                 else round(rng.uniform(-1, 1), 4))
        if self.element == "i1":
            value = rng.randint(0, 1)
        if self.element == "f16":
            value = rng.choice((-1, 1)) * round(rng.uniform(0.5, 1), 4)
        return value

    def write(self, path, rng):
        lines = []
        pairs = self.rank == 2 and self.element in COMPLEX
        if self.rank == 2:
            lines.append("%%MatrixMarket matrix coordinate "
                         f"{'complex' if pairs else 'real'} general")
            lines.append(f"{self.shape[0]} {self.shape[1]} {len(self.entries)}")
        else:
            lines += ["# extended FROSTT format",
                      f"{self.rank} {len(self.entries)}",
                      " ".join(map(str, self.shape))]
        for point in self.entries:
            line = " ".join(str(c + 1) for c in point) + f" {self.value(rng)}"
            if pairs:
                line += f" {round(rng.uniform(-1, 1), 4)}"
            lines.append(line)
        path.write_text("\n".join(lines) + "\n")


def generic(name, dims, inputs, output, body):
    """Lines of a linalg.generic; operands are (value, dimensions, type)."""
    affine = (lambda names: f"affine_map<({', '.join(dims)}) -> "
              f"({', '.join(names)})>")
    values, names, types = zip(*inputs)
    maps = ", ".join(affine(n) for n in (*names, output[1]))
    iterators = ", ".join('"parallel"' if d in output[1] else '"reduction"'
                          for d in dims)
    return [f"{name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}} ins({', '.join(values)} : "
            f"{', '.join(types)}) outs({output[0]} : {output[2]}) {{",
            *body, f"}} -> {output[2]}"]


def from_half_on(name, result):
    """Lines that make a number of at least 1/2 and below 1 of an f16, with its
    sign: products of such do not underflow, which the interpreter rounds at each
    step and kernels do not."""
    return [f"{name}b = arith.bitcast {name} : f16 to i16",
            f"{name}k = arith.constant 0x83FF : i16",
            f"{name}e = arith.constant 0x3800 : i16",
            f"{name}m = arith.andi {name}b, {name}k : i16",
            f"{name}o = arith.ori {name}m, {name}e : i16",
            f"{result} = arith.bitcast {name}o : i16 to f16"]


class Computation:
    """One linalg.generic over the sparse operand %A; its dense operands are
    arguments of the function, by name and type."""

    def __init__(self, rng, sparse, number):
        self.sparse, self.number = sparse, number
        self.result = WIDER.get(sparse.element, sparse.element)
        self.is_float = sparse.element in FLOATS
        self.is_complex = sparse.element in COMPLEX
        self.modes = "ijkl"[:sparse.rank]
        dense = rng.choice((0, 1, 1, 1, 2))
        self.dense = "rs"[:dense]
        self.extents = dict(zip(self.modes, sparse.shape))
        for name in self.dense:
            self.extents[name] = rng.choice((0, 1, 2, 3, 7, 8, 16, 19, 33, 64,
                                              70))
        self.output = self.draw_output(rng)
        self.draw_rest(rng)

    def draw_rest(self, rng):
        """Inputs, combiner and body."""
        self.inputs = [self.draw_map(rng) for _ in range(rng.choice((0, 1, 1, 2,
                                                                     2, 3)))]
        for name in self.dense:
            if name not in self.output and all(name not in i
                                               for i in self.inputs):
                self.inputs.append([rng.choice(self.modes), name])
        self.kind = rng.choice(("sum", "sum", "sum", "least", "largest"))
        if self.is_complex:
            self.kind = "sum"
        self.accumulates = rng.random() < 0.3
        self.subtracts = rng.random() < 0.15
        self.body = self.draw_body(rng)

    def draw_map(self, rng):
        names = list(self.modes + self.dense)
        return rng.sample(names, rng.randint(1, min(3, len(names))))

    def draw_output(self, rng):
        names = rng.sample(self.modes, rng.choice((1, 1, 1, min(
            2, len(self.modes)))))
        names += [name for name in self.dense if rng.random() < 0.85]
        if rng.random() < 0.2:
            rng.shuffle(names)
        return names

    def op(self, name):
        if self.is_complex:
            return f"complex.{name}"
        return f"arith.{name}{'f' if self.is_float else 'i'}"

    def draw_body(self, rng):
        """Lines, with %e as what is contributed beside the sparse entry %a."""
        lines, wide = [], {}
        names = ["%a"] + [f"%x{i}" for i in range(len(self.inputs))]
        for name in names:
            wide[name] = name
            if self.result != self.sparse.element:
                wide[name] = name + "w"
                lines.append(f"{name}w = arith.extsi {name} : "
                             f"{self.sparse.element} to {self.result}")
        for name in names[1:] if self.sparse.element == "f16" else []:
            wide[name] = name + "h"
            lines += from_half_on(name, wide[name])
        for name in names:
            if self.is_complex and rng.random() < 0.2:
                unary = rng.choice(("conj", "neg"))
                wide[name] = name + "u"
                lines.append(f"{name}u = complex.{unary} {name} : {self.result}")
        factor = None
        for i, name in enumerate(names[1:]):
            if factor is None:
                factor = wide[name]
                continue
            op = self.op(rng.choice(("mul", "mul", "add", "sub")))
            # What halves lose where numbers cancel is no fault.
            if self.sparse.element in HALVES:
                op = self.op("mul")
            lines.append(f"%f{i} = {op} {factor}, {wide[name]} : {self.result}")
            factor = f"%f{i}"
        if self.result in ("f32", "f64", "i32", "i64") and rng.random() < 0.2:
            number = self.draw_index(rng, lines)
            if factor:
                lines.append(f"%at = {self.op('mul')} {factor}, {number} : "
                             f"{self.result}")
                number = "%at"
            factor = number
        return lines, wide["%a"], factor

    def draw_index(self, rng, lines):
        """The index of a loop as a number."""
        loop = rng.randrange(len(self.modes + self.dense))
        whole = "i64" if self.result.endswith("64") else "i32"
        lines.append(f"%index = linalg.index {loop} : index")
        lines.append(f"%whole = arith.index_cast %index : index to {whole}")
        if not self.is_float:
            return "%whole"
        lines.append(f"%number = arith.sitofp %whole : {whole} to {self.result}")
        return "%number"

    def tensor(self, names, element):
        extents = "".join(f"{self.extents[name]}x" for name in names)
        return f"tensor<{extents}{element}>"

    def arguments(self):
        """{name: type} of what the function takes for it."""
        found = {}
        for i, names in enumerate(self.inputs):
            found[f"%c{self.number}x{i}"] = self.tensor(names,
                                                        self.sparse.element)
        if self.accumulates:
            found[f"%c{self.number}y"] = self.tensor(self.output, self.result)
        return found

    def result_type(self):
        return self.tensor(self.output, self.result)

    def is_empty(self):
        return any(self.extents[name] == 0 for name in self.output)

    def identity(self):
        if self.is_complex:
            part = "0.0 : " + self.result[-4:-1]
            return f"[{part}, {part}]"
        if self.kind == "sum":
            return "0.0" if self.is_float else "0"
        low = self.kind == "largest"
        if self.is_float:
            bits = {"f16": "7C00", "bf16": "7F80", "f32": "7F800000",
                    "f64": "7FF0000000000000"}[self.result]
            return "0x" + (bits.replace("7", "F", 1) if low else bits)
        limit = 1 << (int(self.result[1:]) - 1)
        return str(-limit if low else limit - 1)

    def start(self, name, out):
        """Lines that make `name`, a dense output, unless it is an argument."""
        n = self.number
        constant = "complex" if self.is_complex else "arith"
        lines = [f"%id{n} = {constant}.constant {self.identity()} : "
                 f"{self.result}"]
        if not self.accumulates:
            start = f"%id{n}"
            # A minimum or a maximum may begin with any number.
            if self.kind != "sum" and n % 3 == 0:
                start = f"%st{n}"
                number = f"{n % 2}.0" if self.is_float else n % 2
                lines.append(f"{start} = arith.constant {number} : "
                             f"{self.result}")
            lines.append(f"%c{n}e = tensor.empty() : {out}")
            lines.append(f"{name} = linalg.fill ins({start} : {self.result}) "
                         f"outs(%c{n}e : {out}) -> {out}")
        return lines

    def generic(self, name, output, out):
        """Lines that compute `name` from %A into `output` of the type `out`."""
        n, dims = self.number, self.modes + self.dense
        inputs = [("%A", self.modes, self.sparse.type())]
        for i, names in enumerate(self.inputs):
            inputs.append((f"%c{n}x{i}", names,
                           self.tensor(names, self.sparse.element)))
        block = ", ".join([f"%a: {self.sparse.element}"]
                          + [f"%x{i}: {self.sparse.element}"
                             for i in range(len(self.inputs))]
                          + [f"%y: {self.result}"])
        return generic(name, dims, inputs, (output, self.output, out),
                       [f"^bb0({block}):"] + self.contribution())

    def text(self):
        n, out = self.number, self.result_type()
        lines = self.start(f"%c{n}y", out)
        lines += self.generic(f"%r{n}", f"%c{n}y", out)
        return "  " + "\n  ".join(lines) + "\n"

    def contribution(self):
        lines, entry, factor = self.body
        t = self.result
        if self.kind == "sum":
            product = entry
            if factor:
                lines = lines + [f"%p = {self.op('mul')} {entry}, {factor} : {t}"]
                product = "%p"
            combine = self.op("sub" if self.subtracts else "add")
            return lines + [f"%s = {combine} %y, {product} : {t}",
                            f"linalg.yield %s : {t}"]
        op = ("arith.minimumf" if self.is_float else "arith.minsi")
        if self.kind == "largest":
            op = ("arith.maximumf" if self.is_float else "arith.maxsi")
        product = entry
        if factor:
            with_entry = self.op("mul" if t in HALVES else "add")
            lines = lines + [
                f"%p = sparse_tensor.binary {entry}, {factor} : {t}, {t} to {t} "
                f"overlap = {{ ^bb0(%u: {t}, %v: {t}): %w = {with_entry} %u, "
                f"%v : {t} sparse_tensor.yield %w : {t} }} left = {{}} "
                "right = {}"]
            product = "%p"
        else:
            lines = lines + [
                f"%p = sparse_tensor.unary {entry} : {t} to {t} present = {{ "
                f"^bb0(%u: {t}): sparse_tensor.yield %u : {t} }} absent = {{}}"]
            product = "%p"
        return lines + [
            f"%s = sparse_tensor.reduce {product}, %y, %id{self.number} : {t} {{ "
            f"^bb0(%u: {t}, %v: {t}): %w = {op} %u, %v : {t} "
            f"sparse_tensor.yield %w : {t} }}", f"linalg.yield %s : {t}"]


class Samples(Computation):
    """A sparse result, an element for each nonzero, which a second computation
    weighs and sums up: what is compared is dense."""

    def draw_output(self, rng):
        return list(self.modes)

    def draw_rest(self, rng):
        super().draw_rest(rng)
        self.kind, self.accumulates = "sum", False
        if rng.random() < 0.6:
            # Rows of two operands, as SDDMM has them.
            self.inputs = [[mode, *self.dense] for mode in self.modes]
        self.body = self.draw_body(rng)
        self.reader = [rng.choice(self.modes)]
        self.weights = rng.sample(self.modes, 1)

    def arguments(self):
        found = super().arguments()
        found[f"%c{self.number}w"] = self.tensor(self.weights, self.result)
        return found

    def result_type(self):
        return self.tensor(self.reader, self.result)

    def contribution(self):
        lines = super().contribution()
        # Nothing is summed up where there is no other dimension.
        return lines if self.dense else lines[:-2] + [
            f"linalg.yield {'%p' if self.body[2] else self.body[1]} : "
            f"{self.result}"]

    def text(self):
        n, out, t = self.number, self.result_type(), self.result
        extents = "x".join(map(str, self.sparse.shape))
        sparse = f"tensor<{extents}x{t}, #S>"
        lines = [f"%c{n}s = tensor.empty() : {sparse}"]
        lines += self.generic(f"%s{n}", f"%c{n}s", sparse)
        lines += self.start(f"%c{n}y", out)
        weights = (f"%c{n}w", self.weights, self.tensor(self.weights, t))
        lines += generic(
            f"%r{n}", self.modes, [(f"%s{n}", self.modes, sparse), weights],
            (f"%c{n}y", self.reader, out),
            [f"^bb0(%a: {t}, %w: {t}, %y: {t}):"]
            + (from_half_on("%w", "%wh") if t == "f16" else [])
            + [f"%p = {self.op('mul')} %a, %w{'h' if t == 'f16' else ''} : {t}",
             f"%s = {self.op('add')} %y, %p : {t}", f"linalg.yield %s : {t}"])
        return "  " + "\n  ".join(lines) + "\n"


def module(sparse, computations, name="run"):
    """One function that returns the results of all."""
    arguments = {"%A": sparse.type()}
    for computation in computations:
        arguments.update(computation.arguments())
    results = ", ".join(c.result_type() for c in computations)
    values = ", ".join(f"%r{c.number}" for c in computations)
    return (f"func.func @{name}("
            + ", ".join(f"{a}: {t}" for a, t in arguments.items())
            + f") -> ({results}) {{\n" + "".join(c.text() for c in computations)
            + f"  return {values} : {results}\n}}\n")
