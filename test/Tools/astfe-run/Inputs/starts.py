"""Programs whose outputs are filled with another number than the identity of what
combines them, a matrix and a tensor, into a folder: starts.py FOLDER."""

import pathlib
import random
import sys

FOLDER = pathlib.Path(sys.argv[1])
# Element, how pairs are joined, how these are combined, and the start: reached by
# some rows and not by others.
CASES = {"min-plus": ("f32", "addf", "minimumf", "1.5"),
         "max-plus": ("f64", "addf", "maxnumf", "-1.5"),
         "max-times": ("bf16", "mulf", "maximumf", "0.5"),
         "least": ("i32", "addi", "minsi", "3"),
         "largest": ("i8", "addi", "maxui", "7"),
         "or-and": ("i8", "andi", "ori", "5"),
         "and-or": ("i16", "ori", "andi", "12")}
CSR = ("#S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), "
       "posWidth = 32, crdWidth = 32}>\n")
CSF = ("#S = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, "
       "j : compressed, k : compressed), posWidth = 32, crdWidth = 32}>\n")


def program(encoding, maps, iterators, types, case):
    element, join, combine, start = case
    space = ", ".join("ikjl"[:len(iterators)])
    maps = ", ".join(f"affine_map<({space}) -> ({m})>" for m in maps)
    iterators = ", ".join(f'"{i}"' for i in iterators)
    a, b, c = (t.replace("T", element) for t in types)
    return encoding + f"""
func.func @f(%A: tensor<{a}, #S>, %B: tensor<{b}>, %C: tensor<{c}>) -> tensor<{c}> {{
  %start = arith.constant {start} : {element}
  %F = linalg.fill ins(%start : {element}) outs(%C : tensor<{c}>) -> tensor<{c}>
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins(%A, %B : tensor<{a}, #S>, tensor<{b}>) outs(%F : tensor<{c}>) {{
  ^bb0(%a: {element}, %b: {element}, %c: {element}):
    %s = sparse_tensor.binary %a, %b : {element}, {element} to {element}
      overlap = {{
      ^bb0(%u: {element}, %v: {element}):
        %t = arith.{join} %u, %v : {element}
        sparse_tensor.yield %t : {element}
      }}
      left = {{}}
      right = {{}}
    %n = sparse_tensor.reduce %c, %s, %start : {element} {{
      ^bb0(%u: {element}, %v: {element}):
        %t = arith.{combine} %u, %v : {element}
        sparse_tensor.yield %t : {element}
    }}
    linalg.yield %n : {element}
  }} -> tensor<{c}>
  return %r : tensor<{c}>
}}
"""


def write_programs():
    parallel, reduction = "parallel", "reduction"
    for name, case in CASES.items():
        write = lambda kind, text: (FOLDER / f"{name}-{kind}.mlir").write_text(text)
        write("vector", program(CSR, ["i, k", "k", "i"], [parallel, reduction],
                                ["?x?xT", "?xT", "?xT"], case))
        write("columns", program(CSR, ["i, k", "k, j", "i, j"],
                                 [parallel, reduction, parallel],
                                 ["?x?xT", "?x19xT", "?x19xT"], case))
        write("transposed", program(CSR, ["k, i", "k, j", "i, j"],
                                    [parallel, reduction, parallel],
                                    ["?x?xT", "?x8xT", "?x8xT"], case))
        write("tensor", program(CSF, ["i, k, j", "k, l", "i, l"],
                                [parallel, reduction, reduction, parallel],
                                ["?x?x?xT", "?x8xT", "?x8xT"], case))


    # The parts of complex numbers, on hosts.
    (FOLDER / "parts.mlir").write_text(program(
        CSR, ["i, k", "k, j", "i, j"], [parallel, reduction, parallel],
        ["?x?xcomplex<f32>", "?x8xcomplex<f32>", "?x8xT"],
        CASES["min-plus"]).replace("""%t = arith.addf %u, %v : f32
        sparse_tensor.yield %t : f32""", """%p = complex.mul %u, %v : complex<f32>
        %t = complex.re %p : complex<f32>
        sparse_tensor.yield %t : f32""")
        .replace("%a: f32, %b: f32", "%a: complex<f32>, %b: complex<f32>")
        .replace("%a, %b : f32, f32 to f32", "%a, %b : complex<f32>, complex<f32> to f32")
        .replace("""overlap = {
      ^bb0(%u: f32, %v: f32):""", """overlap = {
      ^bb0(%u: complex<f32>, %v: complex<f32>):"""))


def write_operands():
    draw = random.Random(3)
    rows, columns = 90, 70
    # A row that all workers share, and rows without nonzeros.
    cells = {(7, j) for j in range(columns)}
    cells |= {(draw.randrange(0, rows, 2), draw.randrange(columns))
              for _ in range(500)}
    lines = [f"{i + 1} {j + 1} {draw.randint(-4, 4)}" for i, j in sorted(cells)]
    (FOLDER / "a.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n"
        f"{rows} {columns} {len(lines)}\n" + "\n".join(lines) + "\n")
    cells = {(draw.randrange(1, 31), draw.randrange(1, 23), draw.randrange(1, 19))
             for _ in range(400)}
    (FOLDER / "t.tns").write_text(
        "".join(f"{i} {j} {k} {draw.randint(-4, 4)}\n" for i, j, k in sorted(cells)))


FOLDER.mkdir(parents=True, exist_ok=True)
write_programs()
write_operands()
