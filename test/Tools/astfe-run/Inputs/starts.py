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


def write_chain():
    """Rows times the largest of their nonzeros and 3, one kernel for both."""
    (FOLDER / "chain.mlir").write_text(CSR + """
#A = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
func.func @f(%A: tensor<?x?xi32, #S>, %x: tensor<?xi32>, %y: tensor<?xi32>)
    -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %start = arith.constant 3 : i32
  %n = tensor.dim %A, %c0 : tensor<?x?xi32, #S>
  %e = tensor.empty(%n) : tensor<?xi32>
  %f = linalg.fill ins(%start : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %m = linalg.generic {indexing_maps = [#A, #r],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xi32, #S>) outs(%f : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %t = sparse_tensor.reduce %o, %a, %start : i32 {
      ^bb0(%u: i32, %v: i32):
        %w = arith.maxsi %u, %v : i32
        sparse_tensor.yield %w : i32
    }
    linalg.yield %t : i32
  } -> tensor<?xi32>
  %z = linalg.fill ins(%zero : i32) outs(%y : tensor<?xi32>) -> tensor<?xi32>
  %r = linalg.generic {indexing_maps = [#A, #r, #c, #r],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %m, %x : tensor<?x?xi32, #S>, tensor<?xi32>, tensor<?xi32>)
      outs(%z : tensor<?xi32>) {
  ^bb0(%a: i32, %k: i32, %b: i32, %o: i32):
    %p = arith.muli %a, %k : i32
    %q = arith.muli %p, %b : i32
    %s = arith.addi %o, %q : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
""")


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
write_chain()
write_operands()
