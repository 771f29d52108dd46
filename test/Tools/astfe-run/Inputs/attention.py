"""Prints sparse attention in linalg, or a matrix to run it on.

    attention.py MASK [scale=S] [dim=D] [type=T] [sums=U] [width=W]
                 [rows=N columns=M]
    attention.py matrix KIND

MASK says what the scores get of the pattern's values: multiply, add, or pattern
(nothing). D may be ?. Operands are of type T; what is between them and the
result, and that, of type U. KIND is
  random    rows of 0 to 40 entries, one of them empty in each ten
  masked    0 and -inf, among them rows of -inf alone
  far       1e4 once in a row, -1e4 elsewhere
  huge      1e9 and -1e9 and numbers between them
  dense     one full row among short ones
  wide      40000 columns, whose numbers take 16 bits
  few       200 columns, and 0 to 5 entries in a row
"""

import re
import sys


def matrix(kind):
    rows, columns = 61, 90
    wide = {"wide": 40000, "few": 200}
    entries = []
    for i in range(rows):
        length = 0 if i % 10 == 3 else (i * 7) % 41
        if kind == "dense":
            length = columns if i == 17 else i % 3
        if kind == "few":
            length = i % 6
        for k in range(length):
            value = (i * 5 + k * 3) % 13 / 4 - 1.5
            if kind == "masked":
                value = "-inf" if i % 4 == 1 or (i + k) % 3 == 0 else 0.0
            if kind == "far":
                value = 1e4 if k == length // 2 else -1e4
            if kind == "huge":
                value *= 5e8
            column = (i * 11 + k * 2) % columns if length < 45 else k
            if kind in wide:
                column = (i * 11 + k * 977) % wide[kind]
            entries.append((i + 1, column + 1, value))
    print("%%MatrixMarket matrix coordinate real general")
    print(rows, wide.get(kind, columns), len(set(e[:2] for e in entries)))
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
!S = tensor<@Nx@Mx@U, #S>
!R = tensor<@Nx@U>
!O = tensor<@Nx@Dx@U>
func.func @attention(%A: !M, %Q: !Q, %K: !K, %V: !K) -> !O {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : @U
  %lowest = arith.constant 0x@LOWEST : @U
  %factor = arith.constant @FACTOR : @U
  %n = tensor.dim %A, %c0 : !M
  %m = tensor.dim %A, %c1 : !M
  %d = tensor.dim %Q, %c1 : !Q
  %none = tensor.empty(@NONE) : !S
  %s0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, d)>,
                       affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %Q, %K : !M, !Q, !K) outs(%none : !S) {
  ^bb0(%a: @T, %q: @T, %k: @T, %out: @U):
    %p = arith.mulf %q, %k : @U
@SAMPLE    %r = arith.addf %out, %t : @U
    linalg.yield %r : @U
  } -> !S
@SCORES  %rows = tensor.empty(@ROWS) : !R
  %m1 = linalg.fill ins(%lowest : @U) outs(%rows : !R) -> !R
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%s : !S) outs(%m1 : !R) {
  ^bb0(%a: @U, %out: @U):
    %r = sparse_tensor.reduce %out, %a, %lowest : @U {
    ^bb0(%x: @U, %y: @U):
      %z = arith.maximumf %x, %y : @U
      sparse_tensor.yield %z : @U
    }
    linalg.yield %r : @U
  } -> !R
  %e0 = tensor.empty(@NONE) : !S
  %e = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : !S, !R) outs(%e0 : !S) {
  ^bb0(%a: @U, %b: @U, %out: @U):
    %r = sparse_tensor.binary %a, %b : @U, @U to @U
      overlap = {
      ^bb0(%x: @U, %y: @U):
        %u = arith.subf %x, %y : @U
        %z = math.exp %u : @U
        sparse_tensor.yield %z : @U
      }
      left = {}
      right = {}
    linalg.yield %r : @U
  } -> !S
  %l0 = tensor.empty(@ROWS) : !R
  %l1 = linalg.fill ins(%zero : @U) outs(%l0 : !R) -> !R
  %l = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%e : !S) outs(%l1 : !R) {
  ^bb0(%a: @U, %out: @U):
    %r = arith.addf %out, %a : @U
    linalg.yield %r : @U
  } -> !R
  %p0 = tensor.empty(@NONE) : !S
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%e, %l : !S, !R) outs(%p0 : !S) {
  ^bb0(%a: @U, %b: @U, %out: @U):
    %r = sparse_tensor.binary %a, %b : @U, @U to @U
      overlap = {
      ^bb0(%x: @U, %y: @U):
        %z = arith.divf %x, %y : @U
        sparse_tensor.yield %z : @U
      }
      left = {}
      right = {}
    linalg.yield %r : @U
  } -> !S
  %o0 = tensor.empty(@OUTPUT) : !O
  %o1 = linalg.fill ins(%zero : @U) outs(%o0 : !O) -> !O
  %o = linalg.generic {
      indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (j, x)>,
                       affine_map<(i, j, x) -> (i, x)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p, %V : !S, !K) outs(%o1 : !O) {
  ^bb0(%a: @U, %b: @T, %out: @U):
    %t = arith.mulf %a, %b : @U
    %r = arith.addf %out, %t : @U
    linalg.yield %r : @U
  } -> !O
  return %o : !O
}
"""

MULTIPLIED = "    %t = arith.mulf %a, %p : @U\n"
SAMPLED = """\
    %t = sparse_tensor.binary %a, %p : @U, @U to @U
      overlap = {
      ^bb0(%x: @U, %y: @U):
        sparse_tensor.yield %y : @U
      }
      left = {}
      right = {}
"""
STEP = """\
  %@FROM_empty = tensor.empty(@NONE) : !S
  %@TO = linalg.generic {indexing_maps = [@MAPS], iterator_types = ["parallel", "parallel"]}
      ins(@INPUTS) outs(%@FROM_empty : !S) {
  ^bb0(@ARGUMENTS, %out: @U):
    %r = @BODY : @U
    linalg.yield %r : @U
  } -> !S
"""


def step(source, target, maps, inputs, arguments, body):
    text = STEP
    for key, value in {"FROM": source, "TO": target, "MAPS": maps,
                       "INPUTS": inputs, "ARGUMENTS": arguments,
                       "BODY": body}.items():
        text = text.replace("@" + key, value)
    return text


def widened(text, element, sums):
    """Bodies on operands of `element` compute with `sums`."""
    if element == sums:
        return text
    lines = []
    for line in text.splitlines(keepends=True):
        names = re.findall(rf"(%\w+): {element}\b", line)
        if "^bb0" in line:
            line = re.sub(rf"(%\w+): {element}\b", rf"\1_h: {element}", line)
        lines.append(line)
        if "^bb0" in line:
            lines += [f"    {name} = arith.extf {name}_h : {element} to {sums}\n"
                      for name in names]
    return "".join(lines)


def module(mask, options):
    scale = options.get("scale")
    names = ["s0", "s1", "s2"]
    at, scores = 0, ""
    if scale:
        scores += step("s0", "s1", "#ij, #ij", "%s0 : !S", "%a: @U",
                       "arith.mulf %a, %factor")
        at = 1
    if mask == "add":
        scores += step(names[at], names[at + 1], "#ij, #ij, #ij",
                       f"%{names[at]}, %A : !S, !M", "%a: @U, %b: @T",
                       "arith.addf %a, %b")
        at += 1
    element = options.get("type", "f32")
    sums = options.get("sums", element)
    rows, columns = options.get("rows", "?"), options.get("columns", "?")
    inner = options.get("dim", "64")
    dynamic = lambda *sizes: ", ".join(v for v, s in sizes if s == "?")
    text = MODULE.replace("@SCORES", scores.replace("%s0_empty", "%none_0"))
    text = text.replace("%s :", f"%{names[at]} :").replace(
        "%s,", f"%{names[at]},")
    for key, value in {
            "SAMPLE": MULTIPLIED if mask == "multiply" else SAMPLED,
            "LOWEST": {"f16": "FC00", "bf16": "FF80", "f32": "FF800000",
                       "f64": "FFF0000000000000"}[sums],
            "FACTOR": scale or "1.0",
            "NONE": dynamic(("%n", rows), ("%m", columns)),
            "ROWS": dynamic(("%n", rows)),
            "OUTPUT": dynamic(("%n", rows), ("%d", inner)),
            "D": inner, "N": rows, "M": columns,
            "W": options.get("width", "0"), "T": element,
            "U": sums}.items():
        text = text.replace("@" + key, value)
    print(widened(text, element, sums), end="")


if sys.argv[1] == "matrix":
    matrix(sys.argv[2])
else:
    module(sys.argv[1], dict(a.split("=") for a in sys.argv[2:]))
