#!/usr/bin/env python3
"""Writes docs/Coverage.md: computations x element types x formats x targets.

Each cell is one function, which astfe-opt is asked to raise and to lower; the table
says what its remarks say: vectors, scalars (in parallel), one by one, or left to
upstream. With --check the page has to be up to date; --print writes the functions
of one type, for tests that run them.
"""

import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs" / "Coverage.md"

# name: (sparse, dense, output) element
FLOATS = {t: (t, t, t) for t in ("f16", "bf16", "f32", "f64")}
INTEGERS = {t: (t, t, t) for t in ("i8", "i16", "i32", "i64")}
MIXED = {"i8 to i32": ("i8", "i8", "i32"), "bf16 to f32": ("bf16", "bf16", "f32"),
         "f32 x bf16": ("f32", "bf16", "f32")}
COMPLEX = {f"complex<{t}>": (f"complex<{t}>",) * 3 for t in ("f32", "f64")}
NUMBERS = {**FLOATS, **INTEGERS, **MIXED, **COMPLEX}
UNIFORM = {**FLOATS, **INTEGERS, **COMPLEX}

MATRICES = {"CSR": "map = (i, j) -> (i : dense, j : compressed)",
            "CSC": "map = (i, j) -> (j : dense, i : compressed)",
            "DCSR": "map = (i, j) -> (i : compressed, j : compressed)",
            "COO": "map = (i, j) -> (i : compressed(nonunique), j : singleton)",
            "BSR": "map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, "
                   "i mod 2 : dense, j mod 3 : dense)"}
TENSORS = {
    "CSF": "map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)",
    "CSF, dense first": "map = (i, j, k) -> (k : dense, i : compressed, j : compressed)",
    "COO": "map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), "
           "k : singleton)"}
VECTOR = {"compressed": "map = (i) -> (i : compressed)"}


def of_rank(rank):
    """The formats of tensors with more modes."""
    modes = "ijklm"[:rank]
    return {form: f"map = ({', '.join(modes)}) -> (" + ", ".join(
                f"{d} : {kind(d)}" for d in modes) + ")"
            for form, kind in {
                "CSF": lambda d: "compressed",
                "COO": lambda d: "compressed(nonunique)" if d == "i" else
                       "singleton" if d == modes[-1] else "singleton(nonunique)"}.items()}


class Computation:
    """A linalg.generic of one sparse operand: dimensions of the operands, as letters,
    the dense ones' extents, the op of two factors, and how contributions are combined
    (by nothing where an output has the pattern of the sparse operand)."""

    def __init__(self, name, text, sparse, dense, output, formats, types,
                 product="mul", combiner="add", stored=False, index="", sparse_op=""):
        self.name, self.text, self.formats, self.types = name, text, formats, types
        self.sparse, self.dense, self.output = sparse, dense, output
        self.product, self.combiner, self.stored = product, combiner, stored
        self.index = index  # loops whose indices are factors too
        self.sparse_op = sparse_op  # what sparse_tensor does with the stored value

    def isSampled(self):
        """The output has the pattern of the sparse operand."""
        return self.output == self.sparse

    def loops(self):
        order = self.sparse + "".join(self.dense) + self.output
        return "".join(dict.fromkeys(order))


def suffix(op, element):
    """The op for an element: arith.addf, arith.maxsi, complex.add."""
    if element in COMPLEX:
        return "complex." + op
    if element.startswith(("f", "bf")):
        return "arith." + {"max": "maximumf", "min": "minimumf"}.get(op, op + "f")
    return "arith." + {"max": "maxsi", "min": "minsi"}.get(op, op + "i")


def shape(dims, element, extents="r"):
    """Dimensions of letters from r on are dense, and 32 wide."""
    return "tensor<" + "".join("32x" if d >= "r" else "?x" for d in dims) + element


def convert(name, value, source, target):
    """The line that makes a `target` of a value, and its name."""
    if source == target:
        return "", value
    kind = ("extsi" if source.startswith("i") and target.startswith("i") else
            "sitofp" if source.startswith("i") else "extf")
    return f"    {name} = arith.{kind} {value} : {source} to {target}\n", name


def stored_value(c, value, element):
    """What an op of sparse_tensor makes of the stored value, and its name."""
    if not c.sparse_op:
        return "", value
    if c.sparse_op == "unary":
        return (f"    %w = sparse_tensor.unary {value} : {element} to {element}\n"
                f"      present = {{\n      ^bb0(%u: {element}):\n"
                f"        %t = {suffix('mul', element)} %u, %u : {element}\n"
                f"        sparse_tensor.yield %t : {element}\n      }}\n"
                "      absent = {}\n"), "%w"
    floats = element.startswith(("f", "bf"))
    zero, compare = ("0.0", "cmpf ogt") if floats else ("0", "cmpi sgt")
    return (f"    %w = sparse_tensor.select {value} : {element} {{\n"
            f"      ^bb0(%u: {element}):\n"
            f"        %z = arith.constant {zero} : {element}\n"
            f"        %t = arith.{compare}, %u, %z : {element}\n"
            "        sparse_tensor.yield %t : i1\n    }\n"), "%w"


def body(c, sparse, dense, output):
    """The body of the op, from the factors' elements to the output's."""
    text, factor = convert("%s", "%a", sparse, output)
    line, factor = stored_value(c, factor, output)
    text += line
    n = 0
    for i in range(len(c.dense)):
        line, other = convert(f"%e{i}", f"%d{i}", dense, output)
        text += line
        op = suffix(c.product, output)
        if c.stored:
            text += (f"    %p{n} = sparse_tensor.binary {factor}, {other} : {output}, "
                     f"{output} to {output}\n      overlap = {{\n      ^bb0(%u: {output}, "
                     f"%v: {output}):\n        %t = {op} %u, %v : {output}\n"
                     f"        sparse_tensor.yield %t : {output}\n      }}\n"
                     "      left = {}\n      right = {}\n")
        else:
            text += f"    %p{n} = {op} {factor}, {other} : {output}\n"
        factor = f"%p{n}"
        n += 1
    for loop in c.index:
        text += (f"    %at = linalg.index {c.loops().index(loop)} : index\n"
                 f"    %whole = arith.index_cast %at : index to i32\n"
                 f"    %number = arith.sitofp %whole : i32 to {output}\n"
                 f"    %p{n} = arith.mulf {factor}, %number : {output}\n")
        factor = f"%p{n}"
        n += 1
    if not c.combiner:
        return text + f"    linalg.yield {factor} : {output}\n"
    op = suffix(c.combiner, output)
    if c.stored:
        return text + (f"    %q = sparse_tensor.reduce {factor}, %o, %id : {output} {{\n"
                       f"      ^bb0(%u: {output}, %v: {output}):\n"
                       f"        %t = {op} %u, %v : {output}\n"
                       f"        sparse_tensor.yield %t : {output}\n    }}\n"
                       f"    linalg.yield %q : {output}\n")
    return text + (f"    %q = {op} %o, {factor} : {output}\n"
                   f"    linalg.yield %q : {output}\n")


def identity(combiner, element):
    """What a minimum or a maximum ignores."""
    least = combiner == "max"
    bits = int(element.strip("bfi"))
    if element.startswith("i"):
        return -(1 << bits - 1) if least else (1 << bits - 1) - 1
    return {"f16": ("0x7C00", "0xFC00"), "bf16": ("0x7F80", "0xFF80"),
            "f32": ("0x7F800000", "0xFF800000"),
            "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}[element][least]


def function(name, c, encoding, types):
    """One module's function: the computation for a format and elements."""
    sparse, dense, output = types
    loops = c.loops()
    affine = "affine_map<(" + ", ".join(loops) + ") -> ({})>"
    maps = [c.sparse, *c.dense, c.output]
    iterators = ", ".join('"parallel"' if d in c.output else '"reduction"' for d in loops)
    ins = [shape(c.sparse, sparse) + f", #sparse_tensor.encoding<{{{encoding}}}>>"]
    ins += [shape(d, dense) + ">" for d in c.dense]
    out = ins[0] if c.isSampled() else shape(c.output, output) + ">"
    names = ["%A"] + [f"%X{i}" for i in range(len(c.dense))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, ins))
    text = f"func.func @{name}({arguments}" + (
        ")" if c.isSampled() else f", %C: {out})") + f" -> {out} {{\n"
    if c.isSampled():
        text += "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        text += f"  %m = tensor.dim %A, %c0 : {ins[0]}\n  %n = tensor.dim %A, %c1 : {ins[0]}\n"
        text += f"  %C = tensor.empty(%m, %n) : {out}\n"
    if c.stored:
        text += f"  %id = arith.constant {identity(c.combiner, output)} : {output}\n"
    text += ("  %r = linalg.generic {indexing_maps = [" +
             ", ".join(affine.format(", ".join(m)) for m in maps) +
             f"], iterator_types = [{iterators}]}}\n    ins(" + ", ".join(names) + " : " +
             ", ".join(ins) + f") outs(%C : {out}) {{\n")
    block = [f"%a: {sparse}"] + [f"%d{i}: {dense}" for i in range(len(c.dense))]
    text += f"  ^bb0({', '.join(block)}, %o: {output}):\n" + body(c, sparse, dense, output)
    return text + f"  }} -> {out}\n  return %r : {out}\n}}\n"


COMPUTATIONS = [
    Computation("SpMV", "`y_i += a_ij x_j`", "ij", ["j"], "i", MATRICES, NUMBERS),
    Computation("SpMM", "`C_ir += a_ij B_jr`", "ij", ["jr"], "ir", MATRICES, NUMBERS),
    Computation("SpMV with coordinates", "`y_i += a_ij j x_j`", "ij", ["j"], "i", MATRICES,
                FLOATS, index="j"),
    Computation("SpMM, two dense dimensions", "`C_irs += a_ij B_jrs`", "ij", ["jrs"], "irs",
                MATRICES, NUMBERS),
    Computation("SpMM, batches", "`C_ris += a_ij B_rjs`", "ij", ["rjs"], "ris", MATRICES,
                NUMBERS),
    Computation("A^T B", "`C_jr += a_ij B_ir`", "ij", ["ir"], "jr", MATRICES, NUMBERS),
    Computation("A^T x", "`y_j += a_ij x_i`", "ij", ["i"], "j", MATRICES, NUMBERS),
    Computation("SDDMM", "`s_ij = a_ij X_ir Y_jr` summed over r", "ij", ["ir", "jr"], "ij",
                MATRICES, {**FLOATS, **COMPLEX}),
    Computation("dense x sparse", "`C_rj += B_ri a_ij`", "ij", ["ri"], "rj", MATRICES, NUMBERS),
    Computation("scaling by rows", "`s_ij = a_ij x_i`", "ij", ["i"], "ij", MATRICES, UNIFORM,
                combiner=""),
    Computation("scaling by columns", "`s_ij = a_ij x_j`", "ij", ["j"], "ij", MATRICES, UNIFORM,
                combiner=""),
    Computation("scaling by a matrix", "`s_ij = a_ij D_ij`", "ij", ["ij"], "ij", MATRICES,
                UNIFORM, combiner=""),
    Computation("row sums", "`y_i += a_ij`", "ij", [], "i", MATRICES, NUMBERS),
    Computation("column sums", "`y_j += a_ij`", "ij", [], "j", MATRICES, NUMBERS),
    Computation("sum of everything", "`s += a_ij`", "ij", [], "", MATRICES, NUMBERS),
    Computation("sums over a dense dimension", "`y_i += a_ij B_jr`", "ij", ["jr"], "i", MATRICES,
                NUMBERS),
    Computation("sums of rows", "`c_r += a_ij B_ir`", "ij", ["ir"], "r", MATRICES, NUMBERS),
    Computation("unary", "`y_i += f(a_ij)` of stored entries", "ij", [], "i", MATRICES,
                {**FLOATS, **INTEGERS}, sparse_op="unary"),
    Computation("select", "`y_i += a_ij` where it is greater than 0", "ij", [], "i", MATRICES,
                {**FLOATS, **INTEGERS}, sparse_op="select"),
    Computation("experts", "`Y_is += a_ij X_ir W_jrs`", "ij", ["ir", "jrs"], "is", MATRICES,
                NUMBERS),
    Computation("min-plus", "`y_i = min(y_i, a_ij + x_j)` of stored entries", "ij", ["j"], "i",
                MATRICES, {**FLOATS, **INTEGERS}, "add", "min", stored=True),
    Computation("min-plus, columns", "`C_ir = min(C_ir, a_ij + B_jr)`", "ij", ["jr"], "ir",
                MATRICES, {**FLOATS, **INTEGERS}, "add", "min", stored=True),
    Computation("max-plus, columns", "`C_ir = max(C_ir, a_ij + B_jr)`", "ij", ["jr"], "ir",
                MATRICES, {**FLOATS, **INTEGERS}, "add", "max", stored=True),
    Computation("max-times, columns", "`C_ir = max(C_ir, a_ij B_jr)` of stored entries", "ij",
                ["jr"], "ir", MATRICES, {**FLOATS, **INTEGERS}, "mul", "max", stored=True),
    Computation("or-and", "`y_i = y_i or (a_ij and x_j)`", "ij", ["j"], "i", MATRICES,
                {"i1": ("i1",) * 3, **INTEGERS}, "and", "or"),
    Computation("or-and, columns", "`C_ir = C_ir or (a_ij and B_jr)`", "ij", ["jr"], "ir",
                MATRICES, {"i1": ("i1",) * 3, **INTEGERS}, "and", "or"),
    Computation("MTTKRP, mode 0", "`M_ir += t_ijk B_jr C_kr`", "ijk", ["jr", "kr"], "ir",
                TENSORS, NUMBERS),
    Computation("MTTKRP, mode 1", "`M_jr += t_ijk A_ir C_kr`", "ijk", ["ir", "kr"], "jr",
                TENSORS, NUMBERS),
    Computation("MTTKRP, mode 2", "`M_kr += t_ijk A_ir B_jr`", "ijk", ["ir", "jr"], "kr",
                TENSORS, NUMBERS),
    Computation("MTTKRP, rank 4", "`M_kr += t_ijkl A_ir B_jr D_lr`", "ijkl", ["ir", "jr", "lr"],
                "kr", of_rank(4), NUMBERS),
    Computation("MTTKRP, rank 5", "`M_ir += t_ijklm B_jr C_kr D_lr E_mr`", "ijklm",
                ["jr", "kr", "lr", "mr"], "ir", of_rank(5), NUMBERS),
    Computation("TTV", "`Y_ij += t_ijk x_k`", "ijk", ["k"], "ij", TENSORS, NUMBERS),
    Computation("TTM", "`Y_ijr += t_ijk U_kr`", "ijk", ["kr"], "ijr", TENSORS, NUMBERS),
    Computation("TTMc", "`Y_irs += t_ijk U_jr V_ks`", "ijk", ["jr", "ks"], "irs", TENSORS,
                NUMBERS),
    Computation("TTMc, rank 4", "`Y_irst += t_ijkl U_jr V_ks W_lt`", "ijkl", ["jr", "ks", "lt"],
                "irst", of_rank(4), NUMBERS),
    Computation("sparse convolution", "`O_is += t_ijk X_kr W_jrs`", "ijk", ["kr", "jrs"], "is",
                TENSORS, NUMBERS),
    Computation("sum of a tensor", "`s += t_ijk`", "ijk", [], "", TENSORS, NUMBERS),
    Computation("inner product", "`s += t_ijk x_i y_j z_k`", "ijk", ["i", "j", "k"], "", TENSORS,
                NUMBERS),
    Computation("max-times, mode 0", "`M_ir = max(M_ir, t_ijk B_jr C_kr)`", "ijk",
                ["jr", "kr"], "ir", TENSORS, {**FLOATS, **INTEGERS}, "mul", "max", stored=True),
    Computation("outer product", "`C_ir += a_i b_r`", "i", ["r"], "ir", VECTOR, NUMBERS),
    Computation("sum of a vector", "`s += a_i`", "i", [], "", VECTOR, NUMBERS),
]

# target: (title, passes)
AFTER = ("astfe-partition{{storage={0} order={1}}},astfe-refine,astfe-fuse,"
         "astfe-select-kernels,convert-astfe-to-scf")
TARGETS = {
    "host view": "convert-linalg-to-astfe," + AFTER.format("view", "rows"),
    "host packed": "convert-linalg-to-astfe{storage=packed}," +
                   AFTER.format("packed", "hilbert"),
    "GPU view": "convert-linalg-to-astfe{target=gpu}",
    "GPU packed": "convert-linalg-to-astfe{target=gpu storage=packed}",
}
REMARK = re.compile(r"remark: \[(Passed|Missed)\] ([\w-]+) \| .*?Function=(\w+) \|(.*)")
KINDS = {"vectors": "vectors", "scalars": "scalars", "scalar-loop": "one by one"}


def remarks(opt, passes, module):
    """{function: how it runs, or why it is left}."""
    done = subprocess.run(
        [opt, "-", f"--pass-pipeline=builtin.module({passes})", "--remarks-filter=.*",
         "--remark-policy=all", "-o", "/dev/null"], input=module, text=True,
        capture_output=True)
    if done.returncode != 0:
        sys.exit(f"gen_coverage: {opt} failed\n{done.stderr[-3000:]}")
    result = {}
    for _, name, function_name, rest in REMARK.findall(done.stderr):
        if name == "kept":
            reason = re.search(r'Reason="(.*?)"', rest)
            result.setdefault(function_name,
                              "left: " + general(reason.group(1) if reason else rest))
        elif name == "raised":
            result.setdefault(function_name, "vectors")
        elif name in KINDS:
            result[function_name] = KINDS[name]
    return result


def general(reason):
    """A reason without what it got, which differs from cell to cell."""
    reason = re.sub(r" but got ('\w+'|affine_map<.*>)$", "", reason)
    return re.sub(r" of type '\w+'", " of one type", reason)


def cell(found, types, footnotes, left):
    """What runs how, for all types of a computation in one format; `left` says who does
    what is left."""
    ways = {}
    for t in types:
        ways.setdefault(found[t], []).append(t)
    parts = []
    # What most types do comes first, without a list.
    for way, which in sorted(ways.items(), key=lambda item: -len(item[1])):
        text = way
        if way.startswith("left: "):
            if way not in footnotes:
                footnotes.append(way)
            text = f"{left} [{footnotes.index(way) + 1}]"
        parts.append(f"{text}: {', '.join(which)}" if parts else text)
    return "; ".join(parts)


def page(opt):
    """The text of the page."""
    functions, names = [], {}
    for c in COMPUTATIONS:
        for form, encoding in c.formats.items():
            for t, types in c.types.items():
                name = f"f{len(functions)}"
                names[c.name, form, t] = name
                functions.append(function(name, c, encoding, types))
    module = "".join(functions)
    found = {target: remarks(opt, passes, module) for target, passes in TARGETS.items()}
    footnotes, rows = [], []
    for c in COMPUTATIONS:
        for form in c.formats:
            cells = [cell({t: found[target].get(names[c.name, form, t], "left: no remark")
                           for t in c.types}, c.types, footnotes,
                          "none" if target.startswith("GPU") else "upstream")
                     for target in TARGETS]
            first = list(c.formats)[0] == form
            rows.append([c.name if first else "", c.text if first else "", form, *cells])
    lines = ["# Coverage", "",
             "What is raised from `linalg` and how it runs, by `utils/gen_coverage.py`, which asks",
             "the compiler; a test keeps the page true. *vectors* are parallel too; *scalars* are",
             "in parallel, one point at a time. What is left to upstream on a host, and is an error",
             "for a GPU (*none*), has a reason below. *View* is the caller's own storage. Without a",
             "list all other types of the row are meant: f16, bf16, f32, f64, i8 to i64, i8 with",
             "sums in i32, bf16 with sums in f32, f32 times bf16, and complex numbers of f32 and",
             "f64, which the built-in products call c64 and c128 (of semirings, unary and select",
             "the real ones of one type, of or-and i1 too, of scaling those of one type, of SDDMM",
             "floats and complex numbers, with coordinates floats). Dense dimensions have 32",
             "elements here; others run likewise.", "",
             "| computation | | format | " + " | ".join(TARGETS) + " |",
             "|---" * (3 + len(TARGETS)) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += [""] + [f"{i + 1}. {note[len('left: '):]}" for i, note in enumerate(footnotes)]
    return "\n".join(lines) + "\n"


def print_functions(wanted):
    """The functions of one type, named after their rows."""
    for c in COMPUTATIONS:
        for form, encoding in c.formats.items():
            name = re.sub(r"\W+", "_", f"{c.name} {form}").lower()
            types = c.types[wanted if wanted in c.types else "i32"]
            print(function(name, c, encoding, types))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opt", default=str(SOURCE / "build" / "bin" / "astfe-opt"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", metavar="TYPE",
                        help="write the functions of that type, or of i32 where a "
                             "computation has none")
    arguments = parser.parse_args()
    if arguments.print:
        print_functions(arguments.print)
        return
    text = page(arguments.opt)
    if not arguments.check:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("gen_coverage: docs/Coverage.md is not what the compiler does; run "
                 "utils/gen_coverage.py")


if __name__ == "__main__":
    main()
