"""Assembles the PTX of every kernel variant and checks what ptxas says of it.

usage: ptxas_usage.py CHIP MAX_REGISTERS
Prints one line with the number of kernels; fails, naming the kernel, on spills,
a stack frame, more registers, local memory or calls of libdevice.
"""

import itertools
import re
import subprocess
import sys
import tempfile

LAYOUTS = [
    "view",
    "packed, columns = 8, classes = [row_segments, scattered, dense_tile]",
    "packed, columns = 16, classes = [row_segments, scattered]",
    "packed, columns = 32, classes = [row_segments, scattered, dense_tile]",
    "packed, columns = 32, classes = [row_segments, scattered, dense_tile], "
    "deterministic",
]


def module_text(element, layout, vector):
    """A function with one compute; `vector`: no dense columns."""
    space = "(n, i, j)" if vector else "(n, i, j, k)"
    tail = "" if vector else ", k"
    dense = f"tensor<?x{element}>" if vector else f"tensor<?x?x{element}>"
    sparse = f"tensor<?x?x{element}, #CSR>"
    pattern = "!astfe.blocked<?x?, #L>"
    argument = f"%A: {sparse}" if layout == "view" else f"%P: {pattern}"
    pack = f"%P = astfe.pack %A : {sparse} -> {pattern}"
    return f"""
#CSR = #sparse_tensor.encoding<{{
  map = (d0, d1) -> (d0 : dense, d1 : compressed)
}}>
#L = #astfe.layout<{layout}>
#n = affine_map<{space} -> (n)>
#b = affine_map<{space} -> (j{tail})>
#c = affine_map<{space} -> (i{tail})>
func.func @f({argument}, %v: tensor<?x{element}>, %B: {dense}, %C: {dense})
    -> {dense} {{
  {pack if layout == "view" else ""}
  %r = astfe.compute over %P : {pattern} maps [#n, #b, #c]
      ins(%v, %B : tensor<?x{element}>, {dense}) outs(%C : {dense}) {{
  ^bb0(%x: {element}, %y: {element}):
    %p = arith.mulf %x, %y : {element}
    astfe.yield "addf" %p : {element}
  }} -> {dense}
  return %r : {dense}
}}"""


def ptx_of(text, chip):
    features = "+ptx80" if chip == "sm_90" else "+ptx70"
    pipeline = (
        "builtin.module(convert-astfe-to-gpu,nvvm-attach-target{chip=" + chip +
        " features=" + features + " O=3},gpu.module(canonicalize,cse,"
        "lower-astfe-gpu-to-nvvm,convert-nvvm-to-llvm,canonicalize,cse,"
        "reconcile-unrealized-casts),gpu-module-to-binary{format=isa})")
    run = subprocess.run(["astfe-opt", "--pass-pipeline=" + pipeline],
                         input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    escaped = re.search(r'assembly = "(.*?)">', run.stdout, re.S).group(1)
    return re.sub(r"\\([0-9A-F]{2})",
                  lambda match: chr(int(match.group(1), 16)),
                  escaped).rstrip("\0")


def check(ptx, chip, max_registers, name):
    """The number of kernels in `ptx`, all within the limits."""
    for word in (".local", "__nv_"):
        if word in ptx:
            sys.exit(f"{name}: found {word}")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        run = subprocess.run(["ptxas", "-v", "-arch=" + chip, file.name, "-o",
                              "/dev/null"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{name}: {run.stderr}")
    kernels = re.findall(r"entry function '(\w+)'.*?(\d+) bytes stack frame, "
                         r"(\d+) bytes spill stores.*?Used (\d+) registers",
                         run.stderr, re.S)
    for kernel, stack, spills, registers in kernels:
        if int(stack) or int(spills) or int(registers) > max_registers:
            sys.exit(f"{name}: {kernel}: {stack} bytes of stack, {spills} of "
                     f"spills, {registers} registers")
    return len(kernels)


def main():
    chip, max_registers = sys.argv[1], int(sys.argv[2])
    count = 0
    for element, layout, vector in itertools.product(
            ("f32", "f64"), LAYOUTS, (False, True)):
        ptx = ptx_of(module_text(element, layout, vector), chip)
        count += check(ptx, chip, max_registers, f"{element}, {layout}")
    print(f"{chip}: {count} kernels")


main()
