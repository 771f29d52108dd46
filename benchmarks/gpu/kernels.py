# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles ASTFE's GPU kernels to PTX and cubins, and asks ptxas about them.

A case is one gpu.module: an element type, a layout, the classes compiled in,
and whether there are dense columns. Its kernels are the variants that the
compiler makes of it: `tile128`, `tile128_wide`, ..., or `one_column`.
astfe-opt must be on PATH; ptxas is looked for on PATH, under CUDA_HOME and in
/usr/local/cuda.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Columns of dense operands that teams of lanes have.
TEAM_COLUMNS = {"f32": ("4", "8", "16", "32"), "f64": ("2", "4", "8", "16")}
SEGMENT_CLASSES = ("row_segments", "scattered", "dense_tile")


def fail(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: {text}")


def cuda_tool(name):
    """The path of a program of the CUDA toolkit, or None."""
    for root in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root and os.path.exists(os.path.join(root, "bin", name)):
            return os.path.join(root, "bin", name)
    return shutil.which(name)


def require(name):
    return cuda_tool(name) or fail(f"expected {name} on PATH or under "
                                   "CUDA_HOME but found none")


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        fail(f"{command[0]}: {result.stderr.strip()}")
    return result


@dataclasses.dataclass(frozen=True)
class Case:
    """One gpu.module."""
    element: str  # f32, f64, or one that is summed up in a wider one
    classes: tuple  # empty: a view
    dense: bool  # dense columns, or one column
    column_bits: int = 32
    deterministic: bool = False
    columns: str = "?"  # of dense operands; a few make kernels of teams
    samples: bool = False  # S = A .* (X Y^T), not C = A B
    overwrites: bool = False  # C = A B, not C += A B
    transposed: bool = False  # of a view: C = A^T B, by atomics

    @property
    def name(self):
        if self.samples:
            return ("samples_view", "samples", "samples_fused")[len(self.classes)]
        name = (*self.classes, "view")[0] if len(self.classes) < 2 else "fused"
        return (name + ("_transposed" if self.transposed else "") +
                ("_deterministic" if self.deterministic else "") +
                ("_overwrite" if self.overwrites else ""))

    @property
    def layout(self):
        if not self.classes:
            return "view"
        classes = set(self.classes) | {"scattered"}
        return (f"packed, columns = {self.column_bits}, "
                f"classes = [{', '.join(sorted(classes))}], target = gpu" +
                ("" if self.dense else ", column_tile = 0") +
                (", deterministic" if self.deterministic else ""))


def product_cases(overwrites):
    """Every class alone, all in one kernel, deterministic, and a view."""

    def case(*arguments, **fields):
        return Case(*arguments, overwrites=overwrites, **fields)

    for element in ("f32", "f64"):
        for dense in (True, False):
            for kind in SEGMENT_CLASSES:
                yield case(element, (kind,), dense)
            yield case(element, SEGMENT_CLASSES, dense)
            yield case(element, SEGMENT_CLASSES, dense, column_bits=8)
            yield case(element, SEGMENT_CLASSES, dense, column_bits=16)
            yield case(element, SEGMENT_CLASSES, dense, deterministic=True)
            yield case(element, (), dense)
        for columns in ("2", "4", "8", "16", "32")[element == "f32":]:
            yield case(element, SEGMENT_CLASSES, True, columns=columns)
            yield case(element, SEGMENT_CLASSES, True, deterministic=True,
                       columns=columns)
            yield case(element, (), True, columns=columns)
    for element in ("f16", "bf16", "i8", "i16"):
        for dense in (True, False):
            yield case(element, SEGMENT_CLASSES, dense, deterministic=True)
            yield case(element, (), dense)
            yield case(element, (), dense, transposed=True)


def all_cases():
    """C += A B, samples, and C = A B."""
    yield from product_cases(overwrites=False)
    for element in ("f32", "f64"):
        yield Case(element, ("row_segments",), True, samples=True)
        yield Case(element, ("row_segments", "scattered"), True, samples=True)
        yield Case(element, (), True, samples=True)
        yield Case(element, (), False, samples=True)
    yield from product_cases(overwrites=True)


def module_text(case):
    """A function with the case's one compute."""
    element = case.element
    kind = "i" if element.startswith("i") else "f"
    space = "(n, i, j, k)" if case.dense else "(n, i, j)"
    tail = ", k" if case.dense else ""
    row, column = "i", "j"
    dense = f"tensor<?x{case.columns + 'x' if case.dense else ''}{element}>"
    sparse = f"tensor<?x?x{element}, #CSR>"
    pattern = "!astfe.blocked<?x?, #L>"
    argument = f"%P: {pattern}" if case.classes else f"%A: {sparse}"
    pack = "" if case.classes else f"%P = astfe.pack %A : {sparse} -> {pattern}"
    named = ", ".join(case.classes or ("row_segments",))
    tile = f", column_tile = {128 if case.dense else 0}"
    maps, inputs, types = "#n, #b, #c", "%v, %B", f"tensor<?x{element}>, {dense}"
    output, result = "%C", dense
    overwrite = " overwrite" if case.overwrites else ""
    block, body = "", f"%p = arith.mul{kind} %x, %y : {element}"
    if case.samples:
        maps, inputs, types = "#n, #c, #b, #n", "%v, %C, %B", types + f", {dense}"
        output, result = "%v", f"tensor<?x{element}>"
        block = f", %z: {element}"
        body = (f"%q = arith.mulf %y, %z : {element}\n"
                f"    %p = arith.mulf %q, %x : {element}")
    return f"""
#CSR = #sparse_tensor.encoding<{{
  map = (d0, d1) -> (d0 : dense, d1 : compressed),
  posWidth = 32, crdWidth = 32
}}>
#L = #astfe.layout<{case.layout}>
#n = affine_map<{space} -> (n)>
#b = affine_map<{space} -> ({row if case.transposed else column}{tail})>
#c = affine_map<{space} -> ({column if case.transposed else row}{tail})>
func.func @f({argument}, %v: tensor<?x{element}>, %B: {dense}, %C: {dense})
    -> {result} {{
  {pack}
  %r = astfe.compute over %P : {pattern} maps [{maps}]
      ins({inputs} : {types}) outs({output} : {result}){overwrite} {{
  ^bb0(%x: {element}, %y: {element}{block}):
    {body}
    astfe.yield "add{kind}" %p : {element}
  }} kernel <[{named}]{tile}> -> {result}
  return %r : {result}
}}"""


def ptx_of(case, chip):
    """The PTX of a case's kernels, by the passes of --astfe-to-ptx."""
    features = "+ptx80" if chip == "sm_90" else "+ptx70"
    pipeline = (
        "builtin.module(convert-astfe-to-gpu,nvvm-attach-target{chip=" + chip +
        " features=" + features + " O=3},gpu.module(canonicalize,cse,"
        "lower-astfe-gpu-to-nvvm,convert-nvvm-to-llvm,canonicalize,cse,"
        "reconcile-unrealized-casts),gpu-module-to-binary{format=isa})")
    return ptx_in(run(["astfe-opt", "--pass-pipeline=" + pipeline],
                      input=module_text(case)))


def tensor_ptx(chip):
    """The PTX of MTTKRP over a tensor, which the model knows too."""
    example = pathlib.Path(__file__).parents[2] / "examples" / "mttkrp.mlir"
    options = f"chip={chip} storage=packed"
    return ptx_in(run(["astfe-opt", str(example), f"--astfe-to-ptx={options}"]))


def chain_ptx(chip):
    """The PTX of attention over a view, whose long rows are cut."""
    return ptx_in(chains(chip, "attention.mlir"))


def gradient_ptx(chip):
    """The PTX of both chains of its gradients."""
    return all_ptx_in(chains(chip, "attention-gradients.mlir"))


def chains(chip, name):
    example = pathlib.Path(__file__).parents[2] / "examples" / name
    options = f"chip={chip} device-operands=true long-rows=true"
    return run(["astfe-opt", str(example), f"--astfe-to-ptx={options}"])


def ptx_in(result):
    """The PTX of the first gpu.binary that astfe-opt has printed."""
    return all_ptx_in(result)[0]


def all_ptx_in(result):
    """The PTX of each gpu.binary that astfe-opt has printed."""
    return [
        re.sub(r"\\([0-9A-F]{2})", lambda match: chr(int(match.group(1), 16)),
               escaped).rstrip("\0")
        for escaped in re.findall(r'assembly = "(.*?)">', result.stdout, re.S)
    ]


@dataclasses.dataclass(frozen=True)
class Usage:
    """What ptxas says of one kernel."""
    kernel: str
    registers: int
    shared: int  # bytes
    stack: int  # bytes
    spills: int  # bytes, stores and loads


def assemble(ptx, chip, cubin):
    """Assembles PTX and returns the usage of its kernels."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        result = run([require("ptxas"), "-v", "-O3", f"-arch={chip}", file.name,
                      "-o", str(cubin)])
    return parse_usage(result.stderr)


def parse_usage(text):
    found = re.findall(
        r"entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill "
        r"stores, (\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)", text,
        re.S)
    result = []
    for kernel, stack, stores, loads, registers, rest in found:
        shared = re.search(r"(\d+) bytes smem", rest)
        result.append(Usage(kernel, int(registers),
                            int(shared.group(1)) if shared else 0, int(stack),
                            int(stores) + int(loads)))
    return result


def print_table(headers, rows):
    """Aligned columns: text to the left, numbers to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [headers] + texts)
              for i in range(len(headers))]

    def line(cells, values):
        return "  ".join(
            cell.ljust(width) if isinstance(value, str) else cell.rjust(width)
            for cell, value, width in zip(cells, values, widths)).rstrip()

    sample = rows[0] if rows else headers
    print(line(headers, sample))
    for cells, row in zip(texts, rows):
        print(line(cells, row))


def write_tsv(path, headers, rows):
    with open(path, "w", encoding="utf-8") as file:
        for row in [headers] + [list(row) for row in rows]:
            file.write("\t".join(str(cell) for cell in row) + "\n")
