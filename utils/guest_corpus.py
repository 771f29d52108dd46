#!/usr/bin/env python3
"""Compiles and runs small programs around a sparse product, as a guest.

Every program goes through upstream's `--sparsifier` and through
`--astfe-sparsifier`, viewed and packed, and prints its result, which has to be
the same (numbers are small integers, so sums are exact).

  guest_corpus.py --build build                 checks the corpus
  guest_corpus.py --build build --table         writes the table of docs/Guest.md
  guest_corpus.py --build build --fuzz 300      random programs, from --seed
  guest_corpus.py --build build --keep DIR      keeps what differs

The corpus is formats x shapes of programs x static and dynamic sizes.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")
MARKS = "<!-- corpus: begin -->", "<!-- corpus: end -->"
SECONDS = 60  # a program takes a tenth of one

FORMATS = {
    "CSR": "(i, j) -> (i : dense, j : compressed)",
    "CSC": "(i, j) -> (j : dense, i : compressed)",
    "DCSR": "(i, j) -> (i : compressed, j : compressed)",
    "COO": "(i, j) -> (i : compressed(nonunique), j : singleton)",
}
WIDTHS = ", posWidth = 32, crdWidth = 32"


class Program:
    """The text of @f and of a @main that calls it."""

    def __init__(self, name, form, dynamic, size=24, columns=8, trips=1):
        self.name, self.form, self.dynamic = name, form, dynamic
        self.size, self.columns, self.trips = size, columns, trips
        self.functions, self.body, self.count = [], [], 0
        extent = "?" if dynamic else str(size)
        self.sparse = f"tensor<{extent}x{extent}xf64, #F>"
        self.dense = f"tensor<{extent}x{columns}xf64>"

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.body.append(text)

    def product(self, matrix, right, out):
        """out + matrix * right."""
        result = self.new()
        self.line(f"{result} = linalg.matmul ins({matrix}, {right} : "
                  f"{self.sparse}, {self.dense}) outs({out} : {self.dense}) "
                  f"-> {self.dense}")
        return result

    def empty(self):
        result = self.new()
        size = "(%n)" if self.dynamic else "()"
        self.line(f"{result} = tensor.empty{size} : {self.dense}")
        return result

    def zeros(self):
        empty, result = self.empty(), self.new()
        self.line(f"{result} = linalg.fill ins(%zero : f64) outs({empty} : "
                  f"{self.dense}) -> {self.dense}")
        return result

    def text(self):
        arguments = (f"%A: {self.sparse}, %A2: {self.sparse}, "
                     f"%B: {self.dense}, %C: {self.dense}, %n: index, "
                     "%go: i1")
        body = "\n  ".join(
            ["%zero = arith.constant 0.0 : f64",
             "%one = arith.constant 1.0 : f64",
             "%c0 = arith.constant 0 : index",
             "%c1 = arith.constant 1 : index",
             "%c2 = arith.constant 2 : index",
             "%c3 = arith.constant 3 : index"] + self.body)
        functions = "\n".join(self.functions)
        return f"""#F = #sparse_tensor.encoding<{{
  map = {FORMATS[self.form]}{WIDTHS}
}}>
{functions}
func.func @f({arguments}) -> {self.dense} {{
  {body}
  return {self.result} : {self.dense}
}}
{self.main()}"""

    def main(self):
        size, columns = self.size, self.columns
        full = f"tensor<{size}x{size}xf64>"
        block = f"tensor<{size}x{columns}xf64>"
        cast_matrix = (f"tensor.cast %d : {full} to tensor<?x?xf64>"
                       if self.dynamic else f"tensor.cast %d : {full} to {full}")
        unsparse = ("tensor<?x?xf64>" if self.dynamic else full)
        block_cast = (f"{block} to {self.dense}")
        return f"""
func.func private @rtclock() -> f64
func.func @matrix(%shift: index) -> {self.sparse} {{
  %zero = arith.constant 0.0 : f64
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %d = tensor.generate {{
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %c7 : index
    %b = arith.muli %j, %c5 : index
    %c = arith.addi %a, %b : index
    %e = arith.addi %c, %shift : index
    %r = arith.remui %e, %c11 : index
    %keep = arith.cmpi ult, %r, %c3 : index
    %s = arith.addi %i, %j : index
    %m = arith.remui %s, %c3 : index
    %k = arith.index_cast %m : index to i32
    %f = arith.sitofp %k : i32 to f64
    %v = arith.select %keep, %f, %zero : f64
    tensor.yield %v : f64
  }} : {full}
  %t = {cast_matrix}
  %A = sparse_tensor.convert %t : {unsparse} to {self.sparse}
  return %A : {self.sparse}
}}
func.func @block(%shift: index) -> {self.dense} {{
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %d = tensor.generate {{
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %c3 : index
    %b = arith.addi %a, %j : index
    %c = arith.addi %b, %shift : index
    %r = arith.remui %c, %c5 : index
    %k = arith.index_cast %r : index to i32
    %f = arith.sitofp %k : i32 to f64
    tensor.yield %f : f64
  }} : {block}
  %t = tensor.cast %d : {block_cast}
  return %t : {self.dense}
}}
func.func @show(%t: {self.dense}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %v = vector.transfer_read %t[%c0, %c0], %zero
    : {self.dense}, vector<{min(size, 24)}x{columns}xf64>
  vector.print %v : vector<{min(size, 24)}x{columns}xf64>
  return
}}
func.func @main() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant {size} : index
  %trips = arith.constant {self.trips} : index
  %go = arith.constant true
  %A = call @matrix(%c0) : (index) -> {self.sparse}
  %A2 = call @matrix(%c4) : (index) -> {self.sparse}
  %B = call @block(%c0) : (index) -> {self.dense}
  %C = call @block(%c1) : (index) -> {self.dense}
  %r = call @f(%A, %A2, %B, %C, %n, %go) : ({self.sparse}, {self.sparse},
    {self.dense}, {self.dense}, index, i1) -> {self.dense}
  call @show(%r) : ({self.dense}) -> ()
  call @show(%B) : ({self.dense}) -> ()
  %t0 = call @rtclock() : () -> f64
  scf.for %i = %c0 to %trips step %c1 {{
    %s = func.call @f(%A, %A2, %B, %C, %n, %go) : ({self.sparse},
      {self.sparse}, {self.dense}, {self.dense}, index, i1) -> {self.dense}
  }}
  %t1 = call @rtclock() : () -> f64
  %t = arith.subf %t1, %t0 : f64
  vector.print str "seconds "
  vector.print %t : f64
  return
}}
"""


#===-----------------------------------------------------------------------===#
# Shapes: each makes a product somewhere and leaves its result
#===-----------------------------------------------------------------------===#


def straight(p):
    return p.product("%A", "%B", "%C")


def fresh(p):
    return p.product("%A", "%B", p.zeros())


def out_of_place(p):
    first = p.product("%A", "%B", "%C")
    second = p.product("%A", "%C", p.zeros())
    return add(p, first, second)


def add(p, a, b):
    empty, result = p.empty(), p.new()
    p.line(f"{result} = linalg.add ins({a}, {b} : {p.dense}, {p.dense}) "
           f"outs({empty} : {p.dense}) -> {p.dense}")
    return result


def loop(p, body, init="%C", kind="for"):
    result, carried = p.new(), p.new()
    inner = f"%i{p.count}"
    if kind == "for":
        p.line(f"{result} = scf.for {inner} = %c0 to %c3 step %c1 "
               f"iter_args({carried} = {init}) -> ({p.dense}) {{")
        p.line(f"scf.yield {body(carried)} : {p.dense}")
        p.line("}")
        return result
    trip, more, next_trip = p.new(), p.new(), p.new()
    p.line(f"{result}:2 = scf.while ({carried}a = {init}, {trip}a = %c0) : "
           f"({p.dense}, index) -> ({p.dense}, index) {{")
    p.line(f"{more} = arith.cmpi ult, {trip}a, %c3 : index")
    p.line(f"scf.condition({more}) {carried}a, {trip}a : {p.dense}, index")
    p.line("} do {")
    p.line(f"^bb0({carried}: {p.dense}, {trip}: index):")
    value = body(carried)
    p.line(f"{next_trip} = arith.addi {trip}, %c1 : index")
    p.line(f"scf.yield {value}, {next_trip} : {p.dense}, index")
    p.line("}")
    return f"{result}#0"


def accumulate(p):
    return loop(p, lambda c: p.product("%A", "%B", c))


def power_body(p):
    def body(carried):
        value, result = p.product("%A", carried, p.zeros()), p.new()
        p.line(f"{result} = bufferization.materialize_in_destination {value} "
               f"in {carried} : ({p.dense}, {p.dense}) -> {p.dense}")
        return result
    return body


def power(p):
    return loop(p, power_body(p))


def while_loop(p):
    return loop(p, power_body(p), kind="while")


def branch(p):
    result = p.new()
    p.line(f"{result} = scf.if %go -> ({p.dense}) {{")
    p.line(f"scf.yield {p.product('%A', '%B', '%C')} : {p.dense}")
    p.line("} else {")
    p.line(f"scf.yield {p.product('%A2', '%B', '%C')} : {p.dense}")
    p.line("}")
    return result


def callee(p, visibility):
    name = f"@g{len(p.functions)}"
    private = "private " if visibility == "private" else ""
    p.functions.append(
        f"func.func {private}{name}(%A: {p.sparse}, %B: {p.dense}, "
        f"%C: {p.dense}) -> {p.dense} {{\n"
        f"  %r = linalg.matmul ins(%A, %B : {p.sparse}, {p.dense}) "
        f"outs(%C : {p.dense}) -> {p.dense}\n"
        f"  return %r : {p.dense}\n}}")
    return name


def call(p, visibility):
    name = callee(p, visibility)
    types = f"({p.sparse}, {p.dense}, {p.dense}) -> {p.dense}"
    first, second = p.new(), p.new()
    p.line(f"{first} = func.call {name}(%A, %B, %C) : {types}")
    p.line(f"{second} = func.call {name}(%A, {first}, %C) : {types}")
    return second


def private_call(p):
    return call(p, "private")


def public_call(p):
    return call(p, "public")


def forall(p):
    """Each thread multiplies and keeps a column."""
    result, shared = p.new(), p.new()
    rows = "%n" if p.dynamic else str(p.size)
    part = f"tensor<{'?' if p.dynamic else p.size}x4xf64>"
    offset, b, c, r = p.new(), p.new(), p.new(), p.new()
    p.line(f"{result} = scf.forall (%t) in (2) shared_outs({shared} = %C) -> "
           f"({p.dense}) {{")
    p.line(f"{offset} = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)")
    p.line(f"{b} = tensor.extract_slice %B[0, {offset}] [{rows}, 4] [1, 1] : "
           f"{p.dense} to {part}")
    p.line(f"{c} = tensor.extract_slice {shared}[0, {offset}] [{rows}, 4] "
           f"[1, 1] : {p.dense} to {part}")
    p.line(f"{r} = linalg.matmul ins(%A, {b} : {p.sparse}, {part}) "
           f"outs({c} : {part}) -> {part}")
    p.line("scf.forall.in_parallel {")
    p.line(f"tensor.parallel_insert_slice {r} into {shared}[0, {offset}] "
           f"[{rows}, 4] [1, 1] : {part} into {p.dense}")
    p.line("}")
    p.line("}")
    return result


def strided(p):
    """Every other column."""
    rows = "%n" if p.dynamic else str(p.size)
    part = f"tensor<{'?' if p.dynamic else p.size}x{p.columns // 2}xf64>"
    b, c, r, result = p.new(), p.new(), p.new(), p.new()
    window = f"[0, 0] [{rows}, {p.columns // 2}] [1, 2]"
    p.line(f"{b} = tensor.extract_slice %B{window} : {p.dense} to {part}")
    p.line(f"{c} = tensor.extract_slice %C{window} : {p.dense} to {part}")
    p.line(f"{r} = linalg.matmul ins(%A, {b} : {p.sparse}, {part}) "
           f"outs({c} : {part}) -> {part}")
    p.line(f"{result} = tensor.insert_slice {r} into %C{window} : {part} into "
           f"{p.dense}")
    return result


def rank_reduced(p):
    """A column as a vector."""
    rows = "%n" if p.dynamic else str(p.size)
    part = f"tensor<{'?' if p.dynamic else p.size}xf64>"
    b, c, r, result = p.new(), p.new(), p.new(), p.new()
    window = f"[0, 3] [{rows}, 1] [1, 1]"
    p.line(f"{b} = tensor.extract_slice %B{window} : {p.dense} to {part}")
    p.line(f"{c} = tensor.extract_slice %C{window} : {p.dense} to {part}")
    p.line(f"{r} = linalg.matvec ins(%A, {b} : {p.sparse}, {part}) "
           f"outs({c} : {part}) -> {part}")
    p.line(f"{result} = tensor.insert_slice {r} into %C{window} : {part} into "
           f"{p.dense}")
    return result


def two_matrices(p):
    return p.product("%A2", p.product("%A", "%B", p.zeros()), p.zeros())


def twice(p):
    return p.product("%A", p.product("%A", "%B", p.zeros()), p.zeros())


def recursion(p):
    """A result is the next operand, and what it was is read again."""
    first = p.product("%A", "%B", "%C")
    second = p.product("%A", first, first)
    return add(p, first, second)


def materialized(p):
    value, result = p.product("%A", "%B", p.zeros()), p.new()
    p.line(f"{result} = bufferization.materialize_in_destination {value} in "
           f"%C : ({p.dense}, {p.dense}) -> {p.dense}")
    return result


def scaled(p):
    """The matrix is scaled, perhaps in place, between two products."""
    first = p.product("%A", "%B", p.zeros())
    copy, s = p.new(), p.new()
    size = "(%n, %n)" if p.dynamic else "()"
    p.line(f"{copy} = tensor.empty{size} : {p.sparse}")
    p.line(f"{s} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> "
           "(i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = "
           f"[\"parallel\", \"parallel\"]}} ins(%A : {p.sparse}) outs({copy} : "
           f"{p.sparse}) {{")
    p.line("^bb0(%a: f64, %o: f64):")
    p.line("%q = arith.addf %a, %a : f64")
    p.line("linalg.yield %q : f64")
    p.line(f"}} -> {p.sparse}")
    second = p.product(s, "%B", p.zeros())
    return add(p, add(p, first, second), p.product("%A", "%B", p.zeros()))


def constant(p):
    """A matrix that the program contains."""
    a, r, part, result = p.new(), p.new(), p.new(), p.new()
    small = f"tensor<4x{p.size}xf64>"
    csr = f"tensor<4x{p.size}xf64, #F>"
    out = f"tensor<4x{p.columns}xf64>"
    right = p.new()
    p.line(f"{right} = tensor.cast %B : {p.dense} to "
           f"tensor<{p.size}x{p.columns}xf64>")
    p.line(f"{a}d = arith.constant sparse<[[0, 1], [1, 0], [3, 5]], "
           f"[1.0, 2.0, 3.0]> : {small}")
    p.line(f"{a} = sparse_tensor.convert {a}d : {small} to {csr}")
    window = f"[0, 0] [4, {p.columns}] [1, 1]"
    p.line(f"{part} = tensor.extract_slice %C{window} : {p.dense} to {out}")
    p.line(f"{r} = linalg.matmul ins({a}, {right} : {csr}, "
           f"tensor<{p.size}x{p.columns}xf64>) outs({part} : {out}) -> {out}")
    p.line(f"{result} = tensor.insert_slice {r} into %C{window} : {out} into "
           f"{p.dense}")
    return result


SHAPES = {f.__name__: f for f in (
    straight, fresh, out_of_place, accumulate, power, while_loop, branch,
    private_call, public_call, forall, strided, rank_reduced, two_matrices,
    twice, recursion, materialized, scaled, constant)}


def corpus(size, columns, trips):
    for form in FORMATS:
        for name, shape in SHAPES.items():
            for dynamic in (False, True):
                program = Program(name, form, dynamic, size, columns, trips)
                program.result = shape(program)
                yield program


#===-----------------------------------------------------------------------===#
# Random programs
#===-----------------------------------------------------------------------===#


def random_program(rng, number):
    p = Program(f"random{number}", rng.choice(["CSR", "CSR", "CSC", "COO"]),
                rng.random() < 0.5, rng.choice([5, 24, 33]),
                rng.choice([2, 8, 16, 20]))
    values = ["%B", "%C"]

    def matrix():
        return rng.choice(["%A", "%A2"])

    def step(depth, values):
        kind = rng.randrange(9)
        pick = lambda: rng.choice(values)
        if kind <= 2:
            return p.product(matrix(), pick(), pick())
        if kind == 3:
            return p.product(matrix(), pick(), p.zeros())
        if kind == 4:
            return add(p, pick(), pick())
        if kind == 5 and depth < 2:
            def body(carried):
                value, result = step(depth + 1, values + [carried]), p.new()
                p.line(f"{result} = bufferization.materialize_in_destination "
                       f"{value} in {carried} : ({p.dense}, {p.dense}) -> "
                       f"{p.dense}")
                return result
            return loop(p, body, pick(), rng.choice(["for", "while"]))
        if kind == 6 and depth < 2:
            result = p.new()
            p.line(f"{result} = scf.if %go -> ({p.dense}) {{")
            p.line(f"scf.yield {step(depth + 1, list(values))} : {p.dense}")
            p.line("} else {")
            p.line(f"scf.yield {step(depth + 1, list(values))} : {p.dense}")
            p.line("}")
            return result
        if kind == 7:
            name, result = callee(p, rng.choice(["private", "public"])), p.new()
            p.line(f"{result} = func.call {name}({matrix()}, {pick()}, "
                   f"{pick()}) : ({p.sparse}, {p.dense}, {p.dense}) -> "
                   f"{p.dense}")
            return result
        if kind == 8:
            value, result = pick(), p.new()
            p.line(f"{result} = bufferization.materialize_in_destination "
                   f"{value} in {p.empty()} : ({p.dense}, {p.dense}) -> "
                   f"{p.dense}")
            return result
        return p.product(matrix(), pick(), pick())

    for _ in range(rng.randint(1, 5)):
        values.append(step(0, values))
    p.result = values[-1]
    return p


#===-----------------------------------------------------------------------===#
# Running
#===-----------------------------------------------------------------------===#


class Compiler:
    """A pipeline, and what its results need to run."""

    def __init__(self, build, name, options):
        self.name = name
        pipeline = "sparsifier" if name == "upstream" else "astfe-sparsifier"
        opt = (LLVM / "bin" / "mlir-opt" if name == "upstream"
               else build / "bin" / "astfe-opt")
        self.opt = [opt, f"--{pipeline}=enable-runtime-library=false {options}"]
        self.libraries = [LLVM / "lib" / "libmlir_c_runner_utils.so"]
        if name == "packed":
            self.libraries.append(build / "lib" / "libastfe_runtime.so")

    def compile(self, text):
        """The code, or None and the first line of the refusal."""
        result = subprocess.run([str(a) for a in self.opt], input=text,
                                text=True, capture_output=True,
                                timeout=SECONDS)
        if result.returncode != 0:
            return None, (result.stderr.strip().splitlines() or ["?"])[0]
        return result.stdout, ""

    def run(self, code):
        """(what it prints, seconds), or None where it crashes."""
        command = [LLVM / "bin" / "mlir-runner", "-O3", "-e", "main",
                   "-entry-point-result=void"]
        command += [f"-shared-libs={library}" for library in self.libraries]
        result = subprocess.run([str(a) for a in command], input=code,
                                text=True, capture_output=True,
                                timeout=SECONDS)
        if result.returncode != 0:
            return None, 0.0
        printed, _, seconds = result.stdout.partition("seconds ")
        return printed, float(seconds)


def allocations(code):
    """Calls of malloc in the code of the program, without its main."""
    total = 0
    for name, body in re.findall(
            r"^  llvm\.func @(\w+)\(.*?\{\n(.*?)^  \}", code, re.M | re.S):
        if name not in ("main", "matrix", "block", "show"):
            total += body.count("llvm.call @malloc")
    return total


def measure(program, compilers):
    """Per compiler: (refusal, output, seconds, allocations)."""
    text, results = program.text(), {}
    for compiler in compilers:
        code, refusal = compiler.compile(text)
        if code is None:
            results[compiler.name] = (refusal, None, 0.0, 0)
            continue
        printed, seconds = compiler.run(code)
        results[compiler.name] = ("", printed, seconds, allocations(code))
    return results


def verdict(results, name):
    """Why `name` is worse than upstream; empty where it is not."""
    upstream, ours = results["upstream"], results[name]
    if upstream[0]:
        return ""
    if ours[0]:
        return "refused: " + ours[0]
    if ours[1] != upstream[1]:
        return "crashed" if ours[1] is None else "another result"
    if name == "view" and ours[3] > upstream[3]:
        return f"{ours[3]} allocations, upstream {upstream[3]}"
    return ""


def check(programs, compilers, keep):
    """Prints and counts what is worse than upstream."""
    passed = failed = refused = 0
    names = [c.name for c in compilers if c.name != "upstream"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, results in zip(programs, pool.map(
                lambda p: measure(p, compilers), programs)):
            refused += bool(results["upstream"][0])
            for name in names:
                why = verdict(results, name)
                passed, failed = passed + (not why), failed + bool(why)
                if not why:
                    continue
                sizes = "dynamic" if program.dynamic else "static"
                print(f"{program.name} {program.form} {sizes} {name}: {why}")
                if keep:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{program.name}-{program.form}-{sizes}.mlir"
                     ).write_text(program.text())
    print(f"{passed} passed, {failed} failed ({refused} programs refused by "
          "upstream)")
    return failed


def table(programs, compilers):
    """The rows of docs/Guest.md, one program at a time."""
    rows = ["| program | format | sizes | upstream | view | packed | "
            "allocations | time, view |", "|---|---|---|---|---|---|---|---|"]
    word = lambda result: "refused" if result[0] else (
        "crashes" if result[1] is None else "yes")
    for program in programs:
        results = measure(program, compilers)
        upstream, view = results["upstream"], results["view"]
        counts = " / ".join(str(results[c.name][3]) if not results[c.name][0]
                            else "-" for c in compilers)
        both = not upstream[0] and not view[0] and view[2] > 0
        rows.append(
            f"| {program.name} | {program.form} | "
            f"{'dynamic' if program.dynamic else 'static'} | {word(upstream)} "
            f"| {word(view)} | {word(results['packed'])} | {counts} | "
            f"{f'{view[2] / upstream[2]:.2f}' if both else '-'} |")
    return "\n".join(rows)


def write_table(rows):
    page = SOURCE / "docs" / "Guest.md"
    text = page.read_text()
    begin, end = (text.index(mark) for mark in MARKS)
    page.write_text(text[:begin + len(MARKS[0])] + "\n" + rows + "\n" +
                    text[end:])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="programs of this name")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    compilers = [Compiler(build, "upstream", ""), Compiler(build, "view", ""),
                 Compiler(build, "packed", "storage=packed")]
    if arguments.table:
        write_table(table(corpus(size=512, columns=32, trips=100), compilers))
        return 0
    if arguments.fuzz:
        rng = random.Random(arguments.seed)
        programs = [random_program(rng, i) for i in range(arguments.fuzz)]
    else:
        programs = [p for p in corpus(size=24, columns=8, trips=1)
                    if arguments.only in p.name]
    return 1 if check(programs, compilers, arguments.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
