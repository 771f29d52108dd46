"""Shapes of programs: each makes a product somewhere and leaves its result."""

from .program import FORMATS, Program


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


def double(p, matrix):
    """2 * matrix, perhaps in place."""
    copy, s = p.new(), p.new()
    size = "(%n, %n)" if p.dynamic else "()"
    p.line(f"{copy} = tensor.empty{size} : {p.sparse}")
    p.line(f"{s} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> "
           "(i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = "
           f"[\"parallel\", \"parallel\"]}} ins({matrix} : {p.sparse}) "
           f"outs({copy} : {p.sparse}) {{")
    p.line("^bb0(%a: f64, %o: f64):")
    p.line("%q = arith.addf %a, %a : f64")
    p.line("linalg.yield %q : f64")
    p.line(f"}} -> {p.sparse}")
    return s


def sample(p, matrix, left, right):
    """matrix .* (left right^T), as another sparse matrix."""
    empty, result = p.new(), p.new()
    size = "(%n, %n)" if p.dynamic else "()"
    p.line(f"{empty} = tensor.empty{size} : {p.sparse}")
    maps = ", ".join(f"affine_map<(i, j, d) -> ({of})>"
                     for of in ("i, j", "i, d", "j, d", "i, j"))
    p.line(f"{result} = linalg.generic {{indexing_maps = [{maps}], "
           "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
           f"ins({matrix}, {left}, {right} : {p.sparse}, {p.dense}, {p.dense}) "
           f"outs({empty} : {p.sparse}) {{")
    p.line("^bb0(%a: f64, %x: f64, %y: f64, %o: f64):")
    p.line("%p = arith.mulf %x, %y : f64")
    p.line("%q = arith.mulf %a, %p : f64")
    p.line("%s = arith.addf %o, %q : f64")
    p.line("linalg.yield %s : f64")
    p.line(f"}} -> {p.sparse}")
    return result


def sampled(p):
    """A sampled product, and what reads it around and inside of a loop."""
    s = sample(p, "%A", "%B", "%C")
    first = p.product(s, "%B", p.zeros())
    return loop(p, lambda c: p.product(s, first, c))


def sampled_branch(p):
    """A sampled product that is read in a branch, scaled in the other."""
    s, result = sample(p, "%A", "%B", "%C"), p.new()
    p.line(f"{result} = scf.if %go -> ({p.dense}) {{")
    p.line(f"scf.yield {p.product(s, '%B', '%C')} : {p.dense}")
    p.line("} else {")
    p.line(f"scf.yield {p.product(double(p, s), '%B', '%C')} : {p.dense}")
    p.line("}")
    return result


def scaled(p):
    """The matrix is scaled, perhaps in place, between two products."""
    first = p.product("%A", "%B", p.zeros())
    second = p.product(double(p, "%A"), "%B", p.zeros())
    return add(p, add(p, first, second), p.product("%A", "%B", p.zeros()))


def sparse_result(p):
    """A function returns the scaled matrix."""
    outside, p.body = p.body, []
    result = double(p, "%A")
    body, p.body = "\n  ".join(p.body), outside
    p.functions.append(f"func.func private @double(%A: {p.sparse}, %n: index) "
                       f"-> {p.sparse} {{\n  {body}\n"
                       f"  return {result} : {p.sparse}\n}}")
    matrix = p.new()
    p.line(f"{matrix} = func.call @double(%A, %n) : ({p.sparse}, index) -> "
           f"{p.sparse}")
    return p.product(matrix, "%B", p.product("%A", "%B", p.zeros()))


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
    twice, recursion, materialized, scaled, sparse_result, constant,
    sampled, sampled_branch)}


def corpus(size, columns, rounds, formats=tuple(FORMATS)):
    for form in formats:
        for name, shape in SHAPES.items():
            for dynamic in (False, True):
                program = Program(name, form, dynamic, size, columns, rounds)
                program.result = shape(program)
                yield program
