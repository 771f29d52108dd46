"""Prints sparse attention in linalg, or a matrix to run it on.

    attention.py MASK [scale=S] [dim=D] [type=T] [width=W] [rows=N columns=M]
    attention.py matrix KIND

MASK says what the scores get of the pattern's values: multiply, add, or pattern
(nothing). D may be ?. KIND is
  random    rows of 0 to 40 entries, one of them empty in each ten
  masked    0 and -inf, among them rows of -inf alone
  far       1e4 once in a row, -1e4 elsewhere
  dense     one full row among short ones
"""

import sys


def matrix(kind):
    rows, columns = 61, 90
    entries = []
    for i in range(rows):
        length = 0 if i % 10 == 3 else (i * 7) % 41
        if kind == "dense":
            length = columns if i == 17 else i % 3
        for k in range(length):
            value = (i * 5 + k * 3) % 13 / 4 - 1.5
            if kind == "masked":
                value = "-inf" if i % 4 == 1 or (i + k) % 3 == 0 else 0.0
            if kind == "far":
                value = 1e4 if k == length // 2 else -1e4
            entries.append((i + 1, (i * 11 + k * 2) % columns + 1
                            if length < 45 else k + 1, value))
    print("%%MatrixMarket matrix coordinate real general")
    print(rows, columns, len(set(e[:2] for e in entries)))
    for (i, j), value in sorted({e[:2]: e[2] for e in entries}.items()):
        print(i, j, value)


MODULE = """\
#S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                              posWidth = @W, crdWidth = @W}>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
!M = tensor<@Nx@Mx@T, #S>
!Q = tensor<@Nx@Dx@T>
!K = tensor<@Mx@Dx@T>
!R = tensor<@Nx@T>
func.func @attention(%A: !M, %Q: !Q, %K: !K, %V: !K) -> !Q {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : @T
  %lowest = arith.constant 0x@LOWEST : @T
  %factor = arith.constant @FACTOR : @T
  %n = tensor.dim %A, %c0 : !M
  %m = tensor.dim %A, %c1 : !M
  %d = tensor.dim %Q, %c1 : !Q
  %none = tensor.empty(@NONE) : !M
  %s0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, d)>,
                       affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %Q, %K : !M, !Q, !K) outs(%none : !M) {
  ^bb0(%a: @T, %q: @T, %k: @T, %out: @T):
    %p = arith.mulf %q, %k : @T
@SAMPLE    %r = arith.addf %out, %t : @T
    linalg.yield %r : @T
  } -> !M
@SCORES  %rows = tensor.empty(@ROWS) : !R
  %m1 = linalg.fill ins(%lowest : @T) outs(%rows : !R) -> !R
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%s : !M) outs(%m1 : !R) {
  ^bb0(%a: @T, %out: @T):
    %r = sparse_tensor.reduce %out, %a, %lowest : @T {
    ^bb0(%x: @T, %y: @T):
      %z = arith.maximumf %x, %y : @T
      sparse_tensor.yield %z : @T
    }
    linalg.yield %r : @T
  } -> !R
  %e0 = tensor.empty(@NONE) : !M
  %e = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : !M, !R) outs(%e0 : !M) {
  ^bb0(%a: @T, %b: @T, %out: @T):
    %r = sparse_tensor.binary %a, %b : @T, @T to @T
      overlap = {
      ^bb0(%x: @T, %y: @T):
        %u = arith.subf %x, %y : @T
        %z = math.exp %u : @T
        sparse_tensor.yield %z : @T
      }
      left = {}
      right = {}
    linalg.yield %r : @T
  } -> !M
  %l0 = tensor.empty(@ROWS) : !R
  %l1 = linalg.fill ins(%zero : @T) outs(%l0 : !R) -> !R
  %l = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%e : !M) outs(%l1 : !R) {
  ^bb0(%a: @T, %out: @T):
    %r = arith.addf %out, %a : @T
    linalg.yield %r : @T
  } -> !R
  %p0 = tensor.empty(@NONE) : !M
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%e, %l : !M, !R) outs(%p0 : !M) {
  ^bb0(%a: @T, %b: @T, %out: @T):
    %r = sparse_tensor.binary %a, %b : @T, @T to @T
      overlap = {
      ^bb0(%x: @T, %y: @T):
        %z = arith.divf %x, %y : @T
        sparse_tensor.yield %z : @T
      }
      left = {}
      right = {}
    linalg.yield %r : @T
  } -> !M
  %o0 = tensor.empty(@OUTPUT) : !Q
  %o1 = linalg.fill ins(%zero : @T) outs(%o0 : !Q) -> !Q
  %o = linalg.generic {
      indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (j, x)>,
                       affine_map<(i, j, x) -> (i, x)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p, %V : !M, !K) outs(%o1 : !Q) {
  ^bb0(%a: @T, %b: @T, %out: @T):
    %t = arith.mulf %a, %b : @T
    %r = arith.addf %out, %t : @T
    linalg.yield %r : @T
  } -> !Q
  return %o : !Q
}
"""

MULTIPLIED = "    %t = arith.mulf %a, %p : @T\n"
SAMPLED = """\
    %t = sparse_tensor.binary %a, %p : @T, @T to @T
      overlap = {
      ^bb0(%x: @T, %y: @T):
        sparse_tensor.yield %y : @T
      }
      left = {}
      right = {}
"""
STEP = """\
  %@FROM_empty = tensor.empty(@NONE) : !M
  %@TO = linalg.generic {indexing_maps = [@MAPS], iterator_types = ["parallel", "parallel"]}
      ins(@INPUTS) outs(%@FROM_empty : !M) {
  ^bb0(@ARGUMENTS, %out: @T):
    %r = @BODY : @T
    linalg.yield %r : @T
  } -> !M
"""


def step(source, target, maps, inputs, arguments, body):
    text = STEP
    for key, value in {"FROM": source, "TO": target, "MAPS": maps,
                       "INPUTS": inputs, "ARGUMENTS": arguments,
                       "BODY": body}.items():
        text = text.replace("@" + key, value)
    return text


def module(mask, options):
    scale = options.get("scale")
    names = ["s0", "s1", "s2"]
    at, scores = 0, ""
    if scale:
        scores += step("s0", "s1", "#ij, #ij", "%s0 : !M", "%a: @T",
                       "arith.mulf %a, %factor")
        at = 1
    if mask == "add":
        scores += step(names[at], names[at + 1], "#ij, #ij, #ij",
                       f"%{names[at]}, %A : !M, !M", "%a: @T, %b: @T",
                       "arith.addf %a, %b")
        at += 1
    element = options.get("type", "f32")
    rows, columns = options.get("rows", "?"), options.get("columns", "?")
    inner = options.get("dim", "64")
    dynamic = lambda *sizes: ", ".join(v for v, s in sizes if s == "?")
    text = MODULE.replace("@SCORES", scores.replace("%s0_empty", "%none_0"))
    text = text.replace("%s :", f"%{names[at]} :").replace(
        "%s,", f"%{names[at]},")
    for key, value in {
            "SAMPLE": MULTIPLIED if mask == "multiply" else SAMPLED,
            "LOWEST": {"bf16": "FF80", "f32": "FF800000",
                       "f64": "FFF0000000000000"}[element],
            "FACTOR": scale or "1.0",
            "NONE": dynamic(("%n", rows), ("%m", columns)),
            "ROWS": dynamic(("%n", rows)),
            "OUTPUT": dynamic(("%n", rows), ("%d", inner)),
            "D": inner, "N": rows, "M": columns,
            "W": options.get("width", "0"), "T": element}.items():
        text = text.replace("@" + key, value)
    print(text, end="")


if sys.argv[1] == "matrix":
    matrix(sys.argv[2])
else:
    module(sys.argv[1], dict(a.split("=") for a in sys.argv[2:]))
