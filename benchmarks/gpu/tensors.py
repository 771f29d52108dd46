# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MTTKRP of several ranks, types and widths: what the kernels of tensors are
assembled from, to see their registers."""

import dataclasses

import kernels

MODES = "ijklmnop"


@dataclasses.dataclass(frozen=True)
class TensorCase:
    element: str
    rank: int
    columns: int
    # As ptxas_table.py has them.
    column_bits: int = 16

    @property
    def name(self):
        return f"mttkrp{self.rank}_{self.columns}"


def all_cases():
    """Every tile of columns once, and ranks that have more to load."""
    for columns in (1, 2, 4, 8, 16, 32, 64, 128):
        yield TensorCase("f32", 3, columns)
    for columns in (2, 4, 8, 16, 32, 64):
        yield TensorCase("f64", 3, columns)
    for rank in (4, 5):
        yield TensorCase("f32", rank, 32)
        yield TensorCase("f64", rank, 32)
    for element in ("f16", "i8"):
        for rank in (3, 4, 5):
            yield TensorCase(element, rank, 32)


def module_text(case):
    """M(i,r) += T(i,j,...) B0(j,r) ... of a case."""
    modes, element = MODES[:case.rank], case.element
    summed = {"i8": "i32"}.get(element, element)
    kind = "i" if element.startswith("i") else "f"
    space = f"({', '.join(modes)}, r)"
    pattern = f"tensor<{'?x' * case.rank}{element}, #CSF>"
    factor, result = (f"tensor<?x{case.columns}x{kind}>"
                      for kind in (element, summed))
    factors = [f"%B{mode}" for mode in modes[1:]]
    maps = [", ".join(modes)] + [f"{mode}, r" for mode in modes[1:] + "i"]
    body, product = [], "%t"

    def widened(value):
        if element == summed:
            return value
        body.append(f"{value}_w = arith.extsi {value} : {element} to {summed}")
        return value + "_w"

    product = widened("%t")
    for mode in modes[1:]:
        other = widened(f"%b{mode}")
        body.append(f"%p{mode} = arith.mul{kind} {product}, {other} : {summed}")
        product = f"%p{mode}"
    levels = ", ".join(f"{mode} : compressed" for mode in modes)
    lines = "\n    ".join(body)
    return f"""
#CSF = #sparse_tensor.encoding<{{ map = ({', '.join(modes)}) -> ({levels}) }}>
func.func @mttkrp(%T: {pattern},
                  {', '.join(f'{name}: {factor}' for name in factors)},
                  %M: {result}) -> {result} {{
  %0 = linalg.generic {{
      indexing_maps = [{', '.join(f'affine_map<{space} -> ({place})>'
                                  for place in maps)}],
      iterator_types = ["parallel", {'"reduction", ' * (case.rank - 1)}"parallel"]}}
      ins(%T, {', '.join(factors)} : {pattern}, {', '.join([factor] * len(factors))})
      outs(%M : {result}) {{
  ^bb0(%t: {element}, {', '.join(f'%b{mode}: {element}' for mode in modes[1:])}, %m: {summed}):
    {lines}
    %s = arith.add{kind} %m, {product} : {summed}
    linalg.yield %s : {summed}
  }} -> {result}
  return %0 : {result}
}}
"""


def ptx_of(case, chip):
    """With operands in the device's memory, which may begin between vectors."""
    options = f"chip={chip} storage=packed device-operands=true"
    return kernels.ptx_in(kernels.run(
        ["astfe-opt", "-", f"--astfe-to-ptx={options}"], input=module_text(case)))
