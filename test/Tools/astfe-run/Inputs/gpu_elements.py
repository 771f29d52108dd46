"""Writes a matrix with a full row, and products of it by type: what is loaded, what it
is summed up in. NAME-one has one column; most is the largest sum of an entry and an
element."""

import pathlib
import random
import sys

TYPES = {"i32": ("i32", "i32", None), "i64": ("i64", "i64", None),
         "i8": ("i8", "i32", "extsi"), "i16": ("i16", "i32", "extsi"),
         "bf16": ("bf16", "f32", "extf"), "f16": ("f16", "f32", "extf"),
         "f32": ("f32", "f64", "extf"), "f64": ("f64", "f64", None),
         "most": ("i64", "i64", None)}


def program(name, columns):
    loaded, summed, convert = TYPES[name]
    dims, wide = ("i, j, r", "?x") if columns else ("i, j", "")
    dense = f"tensor<?x{wide}{loaded}>"
    output = f"tensor<?x{wide}{summed}>"
    maps = [f"affine_map<({dims}) -> ({m})>" for m in
            ("i, j", "j, r" if columns else "j", "i, r" if columns else "i")]
    kinds = ['"parallel"', '"reduction"'] + ['"parallel"'] * columns
    suffix = "f" if summed.startswith("f") else "i"
    a, b, body = "%a", "%b", ""
    if convert:
        body = "".join(f"    {n}w = arith.{convert} {n} : {loaded} to {summed}\n"
                       for n in (a, b))
        a, b = "%aw", "%bw"
    if name == "most":
        body += (f"    %p = sparse_tensor.binary {a}, {b} : i64, i64 to i64 overlap = {{\n"
                 "      ^bb0(%u: i64, %v: i64):\n        %w = arith.addi %u, %v : i64\n"
                 "        sparse_tensor.yield %w : i64\n      } left = {} right = {}\n"
                 "    %s = sparse_tensor.reduce %p, %o, %least : i64 {\n"
                 "      ^bb0(%u: i64, %v: i64):\n        %w = arith.maxsi %u, %v : i64\n"
                 "        sparse_tensor.yield %w : i64\n    }\n")
    else:
        body += (f"    %p = arith.mul{suffix} {a}, {b} : {summed}\n"
                 f"    %s = arith.add{suffix} %o, %p : {summed}\n")
    return f"""#CSR = #sparse_tensor.encoding<{{map = (i, j) -> (i : dense, j : compressed)}}>
func.func @f(%A: tensor<?x?x{loaded}, #CSR>, %B: {dense}, %C: {output}) -> {output} {{
  %least = arith.constant {-2**63} : i64
  %r = linalg.generic {{indexing_maps = [{", ".join(maps)}],
      iterator_types = [{", ".join(kinds)}]}}
      ins(%A, %B : tensor<?x?x{loaded}, #CSR>, {dense}) outs(%C : {output}) {{
  ^bb0(%a: {loaded}, %b: {loaded}, %o: {summed}):
{body}    linalg.yield %s : {summed}
  }} -> {output}
  return %r : {output}
}}
"""


folder = pathlib.Path(sys.argv[1])
for name in TYPES:
    (folder / f"{name}.mlir").write_text(program(name, True))
    (folder / f"{name}-one.mlir").write_text(program(name, False))
random.seed(5)
points = {(random.randrange(60), random.randrange(50)) for _ in range(500)}
points |= {(7, j) for j in range(50)}
lines = ["%%MatrixMarket matrix coordinate real general", f"60 50 {len(points)}"]
lines += [f"{i + 1} {j + 1} {random.randint(-5, 5)}" for i, j in sorted(points)]
(folder / "a.mtx").write_text("\n".join(lines) + "\n")
