#!/usr/bin/env python3
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails for kernels that can be emitted whose registers the model does not know.

    utils/known_registers.py [--opt build/bin/astfe-opt]

astfe-opt lowers the computations of docs/Coverage.md, over views whose long rows
are cut and over packed storage, and attention as one kernel. Each kernel's name has
to be in lib/Emulator/Registers.def, which benchmarks/gpu/ptxas_table.py writes.
"""

import argparse
import re
import subprocess
import sys

import gen_coverage

FORMATS = ("CSR", "CSC", "CSF")
# What occurs in one direction only, or of one type, differs in names.
TYPES = ("f32", "f64", "bf16", "i8", "i1", "complex<f32>")
VECTOR_SAMPLES = gen_coverage.Computation(
    "SDDMM of vectors", "", "ij", ["i", "j"], "ij", gen_coverage.MATRICES,
    gen_coverage.FLOATS)
STAGES = ("convert-linalg-to-astfe{{target=gpu {1}}},"
          "astfe-partition{{storage={0} order=rows}},astfe-refine,astfe-fuse,"
          "astfe-select-kernels{{chip=sm_90}},"
          "convert-astfe-to-gpu{{long-rows device-operands}}")


def run(opt, *arguments, module=None):
    done = subprocess.run([opt, *arguments], input=module, text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"known_registers: {opt} failed\n{done.stderr[-3000:]}")
    return done.stdout


def stem(kernel):
    """Parts of a chain that come again have a number behind their name."""
    return re.sub(r"^((combine_chain|pieces)(_by1)?)_\d+$", r"\1", kernel)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opt", default=str(
        gen_coverage.SOURCE / "build" / "bin" / "astfe-opt"))
    arguments = parser.parse_args()
    functions = []
    for computation in (*gen_coverage.COMPUTATIONS, VECTOR_SAMPLES):
        for form in filter(computation.formats.get, FORMATS):
            for types in filter(None, map(computation.types.get, TYPES)):
                functions.append(gen_coverage.function(
                    f"f{len(functions)}", computation, computation.formats[form],
                    types))
    kernels = set()
    for storage, option in (("view", ""), ("packed", "storage=packed")):
        text = run(arguments.opt, "-", "--pass-pipeline=builtin.module("
                   f"{STAGES.format(storage, option)})", module="".join(functions))
        kernels.update(re.findall(r"gpu\.func @(\w+)", text))
    chain = run(arguments.opt, gen_coverage.SOURCE / "examples" / "attention.mlir",
                "--astfe-to-ptx=chip=sm_90 device-operands=true long-rows=true")
    kernels.update(re.findall(r"\.entry (\w+)", chain))
    table = (gen_coverage.SOURCE / "lib" / "Emulator" / "Registers.def").read_text()
    known = set(re.findall(r'ASTFE_REGISTERS\("(\w+)"', table))
    missing = sorted({stem(kernel) for kernel in kernels} - known)
    if missing or not kernels:
        sys.exit("known_registers: expected registers of every kernel but got none "
                 f"of {', '.join(missing)}; run benchmarks/gpu/ptxas_table.py")
    print(f"{len(kernels)} kernels")


if __name__ == "__main__":
    main()
