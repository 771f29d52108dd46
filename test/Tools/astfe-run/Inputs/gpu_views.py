#!/usr/bin/env python3
"""Writes a matrix and programs over it for gpu-views.test into a folder."""

import pathlib
import random
import sys

LEVELS = {"CSR": "i : dense, j : compressed", "CSC": "j : dense, i : compressed"}


def write_matrix(path):
    rng = random.Random(5)
    points = {(rng.randrange(90), rng.randrange(70)) for _ in range(600)}
    points |= {(7, j) for j in range(70)} | {(i, 11) for i in range(90)}
    lines = ["%%MatrixMarket matrix coordinate real general",
             f"90 70 {len(points)}"]
    lines += [f"{i + 1} {j + 1} {rng.randint(-9, 9)}" for i, j in sorted(points)]
    path.write_text("\n".join(lines) + "\n")


def write_none(path):
    path.write_text("%%MatrixMarket matrix coordinate real general\n90 70 0\n")


def columns(of):
    return f"affine_map<(i, j) -> ({of})>"


def program(storage, t, operands, output, result, extents, body, added):
    """operands: letters of each dense input; output: letters, or ij for samples."""
    loops = "".join(dict.fromkeys("ij" + "".join(operands) + output))
    affine = [f"affine_map<({', '.join(loops)}) -> ({', '.join(m)})>"
              for m in ["ij"] + operands + [output]]
    kinds = ", ".join(f'"{"parallel" if d in output else "reduction"}"'
                      for d in loops)
    dense = lambda letters: "".join(f"{extents.get(d, '?')}x" for d in letters)
    sparse = f"tensor<?x?x{t}, #S>"
    inputs = [f"tensor<{dense(m)}{t}>" for m in operands]
    out = sparse if output == "ij" else f"tensor<{dense(output)}{result}>"
    names = [f"%x{i}" for i in range(len(operands))]
    kind = "i" if result.startswith("i") else "f"
    arguments = [f"%A: {sparse}"] + [f"{n}: {s}" for n, s in zip(names, inputs)]
    if output == "ij":
        start = (f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                 f"  %m = tensor.dim %A, %c0 : {sparse}\n"
                 f"  %n = tensor.dim %A, %c1 : {sparse}\n"
                 f"  %C = tensor.empty(%m, %n) : {out}\n")
    else:
        arguments.append(f"%D: {out}")
        zero = "0" if kind == "i" else "0.0"
        start = "" if added else (
            f"  %zero = arith.constant {zero} : {result}\n"
            f"  %C = linalg.fill ins(%zero : {result}) outs(%D : {out}) -> {out}\n")
    # Sparse results are not compared: samples are summed up by their columns.
    total = f"tensor<?x{t}>"
    end = f"  return %r : {out}\n}}\n"
    if output == "ij":
        kinds_of_sum = '"reduction", "parallel"'
        start += (f"  %zero = arith.constant 0.0 : {t}\n"
                  f"  %e = tensor.empty(%n) : {total}\n  %f = linalg.fill "
                  f"ins(%zero : {t}) outs(%e : {total}) -> {total}\n")
        end = (f"  %s = linalg.generic {{indexing_maps = [{columns('i, j')}, "
               f"{columns('j')}],\n"
               f"      iterator_types = [{kinds_of_sum}]}}\n"
               f"      ins(%r : {out}) outs(%f : {total}) {{\n"
               f"  ^bb0(%a: {t}, %c: {t}):\n    %t = arith.addf %c, %a : {t}\n"
               f"    linalg.yield %t : {t}\n  }} -> {total}\n"
               f"  return %s : {total}\n}}\n")
    block = ", ".join([f"%a: {t}"] + [f"%b{i}: {t}" for i in range(len(operands))]
                      + [f"%c: {result}"])
    return (f"#S = #sparse_tensor.encoding<{{map = (i, j) -> ({LEVELS[storage]})}}>\n"
            f"func.func @f({', '.join(arguments)}) -> "
            f"{total if output == 'ij' else out} {{\n{start}"
            f"  %r = linalg.generic {{indexing_maps = [{', '.join(affine)}],\n"
            f"      iterator_types = [{kinds}]}}\n"
            f"      ins(%A, {', '.join(names)} : {sparse}, {', '.join(inputs)})\n"
            f"      outs({'%D' if added else '%C'} : {out}) {{\n  ^bb0({block}):\n"
            + body.format(t=t, k=kind)
            + f"    linalg.yield %s : {result}\n  }} -> {out}\n" + end)


PRODUCT = ("    %p = arith.mul{k} %a, %b0 : {t}\n"
           "    %s = arith.add{k} %c, %p : {t}\n")
LEAST = """    %id = arith.constant -1 : {t}
    %p = sparse_tensor.binary %a, %b0 : {t}, {t} to {t} overlap = {{
    ^bb0(%u: {t}, %v: {t}):
      %w = arith.xori %u, %v : {t}
      sparse_tensor.yield %w : {t}
    }} left = {{}} right = {{}}
    %s = sparse_tensor.reduce %p, %c, %id : {t} {{
    ^bb0(%u: {t}, %v: {t}):
      %w = arith.minui %u, %v : {t}
      sparse_tensor.yield %w : {t}
    }}
"""
SAMPLE = ("    %p = arith.mulf %b0, %b1 : {t}\n    %q = arith.mulf %p, %a : {t}\n"
          "    %s = arith.addf %c, %q : {t}\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    write_matrix(folder / "a.mtx")
    write_none(folder / "none.mtx")
    for storage in LEVELS:
        for t in ("f32", "f64", "i64", "bf16", "f16", "i8", "i16"):
            for what, operand, output in (("rows", "j", "i"), ("columns", "i", "j")):
                for dense in ("", "r"):
                    name = f"{what}-{storage}-{t}{'-dense' if dense else ''}.mlir"
                    (folder / name).write_text(
                        program(storage, t, [operand + dense], output + dense, t, {},
                                PRODUCT, added=False))
        for t in ("f32", "f64"):
            (folder / f"samples-{storage}-{t}.mlir").write_text(
                program(storage, t, ["ir", "jr"], "ij", t, {"r": 37}, SAMPLE,
                        added=False))
    (folder / "added-CSC-f32-dense.mlir").write_text(
        program("CSC", "f32", ["jr"], "ir", "f32", {}, PRODUCT, added=True))
    for t in ("f16", "i8"):
        (folder / f"added-CSC-{t}-dense.mlir").write_text(
            program("CSC", t, ["jr"], "ir", t, {}, PRODUCT, added=True))
    (folder / "least-CSC-i16-dense.mlir").write_text(
        program("CSC", "i16", ["jr"], "ir", "i16", {}, LEAST, added=True))
    (folder / "pairs.mlir").write_text(
        program("CSR", "f32", ["jrs"], "irs", "f32", {"s": 8}, PRODUCT, added=False))


main()
