# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers, stack and spills of the GPU kernels of chains.

usage: chains.py [--chip sm_90]... [--chain forward]... [--type f32]...
                 [--mask add]... [--dim 64]... [--heads 2]...
                 [--most-registers N]

One row per chain of sparse attention (forward; gradients by rows and by
columns), mask, type, head dimension and number of heads (all of several have
one kernel, the same for any number), as `ptxas -v` reports it. The chains
are those that `astfe-run attention` runs. With --most-registers it fails,
naming the kernel, on more registers, on any spill, stack frame or local memory,
on calls of libdevice, and where a chain is not one kernel.
"""

import argparse
import itertools
import pathlib
import tempfile

import kernels

MATRIX = """%%MatrixMarket matrix coordinate real general
3 4 4
1 1 1.0
1 3 2.0
2 4 0.5
3 2 -1.0
"""
CHAINS = ("forward", "rows", "columns")
MASKS = ("pattern", "multiply", "add")


def chains_of(folder, wanted, mask, element, dim, heads):
    """(name, module) of each wanted chain, as astfe-run makes them."""
    matrix = folder / "matrix.mtx"
    matrix.write_text(MATRIX)
    out = folder / f"{mask}-{element}-{dim}-{heads}"
    kernels.run(["astfe-run", "attention", "--matrix", str(matrix), f"--heads={heads}",
                 f"--dim={dim}", f"--mask={mask}", f"--type={element}",
                 "--backward", "--repeat=1", "--device=emulator",
                 f"--dump-ir={out}"])
    for number, name in enumerate(CHAINS):
        if name not in wanted:
            continue
        yield name, out / f"chain{number}-00-input.mlir"


def ptx_of(path, chip):
    result = kernels.run(["astfe-opt", str(path),
                          f"--astfe-to-ptx=chip={chip}"])
    found = kernels.all_ptx_in(result)
    if len(found) != 1:
        kernels.fail(f"{path}: expected one kernel but got {len(found)}")
    return found[0]


def check(name, ptx, usage, most_registers):
    for word in (".local", "__nv_"):
        if word in ptx:
            kernels.fail(f"{name}: expected no {word}")
    if usage.stack or usage.spills:
        kernels.fail(f"{name}: expected no stack and no spills but got "
                     f"{usage.stack} and {usage.spills} bytes")
    if usage.registers > most_registers:
        kernels.fail(f"{name}: expected at most {most_registers} registers but "
                     f"got {usage.registers}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", action="append")
    parser.add_argument("--chain", action="append", choices=CHAINS)
    parser.add_argument("--type", action="append", 
                        choices=("bf16", "f16", "f32", "f64"))
    parser.add_argument("--mask", action="append", choices=MASKS)
    parser.add_argument("--dim", action="append", type=int)
    parser.add_argument("--heads", action="append", type=int)
    parser.add_argument("--most-registers", type=int)
    options = parser.parse_args()
    rows = []
    cases = itertools.product(options.type or ("f32", "f64"),
                              options.dim or (16, 32, 48, 64, 128, 256),
                              options.heads or (1, 2), options.mask or MASKS)
    chips = options.chip or ("sm_80", "sm_90")
    with tempfile.TemporaryDirectory() as scratch:
        for element, dim, heads, mask in cases:
            for name, path in chains_of(pathlib.Path(scratch),
                                        options.chain or CHAINS, mask, element,
                                        dim, heads):
                for chip in chips:
                    ptx = ptx_of(path, chip)
                    for usage in kernels.assemble(ptx, chip, "/dev/null"):
                        row = (chip, name, usage.kernel, mask, element, dim,
                               heads)
                        if options.most_registers:
                            check(" ".join(map(str, row)), ptx, usage,
                                  options.most_registers)
                        rows.append(row + (usage.registers, usage.shared,
                                           usage.stack, usage.spills))
    kernels.print_table(["chip", "chain", "kernel", "mask", "type", "dim",
                         "heads", "registers", "shared", "stack", "spills"], rows)
    print(f"{len(rows)} kernels")


main()
