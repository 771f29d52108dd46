# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers, shared memory, stack and spills of every GPU kernel.

usage: ptxas_table.py [--chip sm_90]... [--tsv FILE] [--most-registers N]
                      [--registers FILE]

One row per class, type, tile and chip, as `ptxas -v` reports it. With
--most-registers it fails, naming the kernel, on more registers, on any spill,
stack frame or local memory, and on calls of libdevice. --registers writes the
table that the emulator's model takes occupancy from.
"""

import argparse
import itertools
import pathlib
import re
import shutil

import kernels
import tensors

DEF_HEADER = """\
//===- Registers.def - registers of the kernels ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a thread, as ptxas says for sm_90: benchmarks/gpu/ptxas_table.py
// --chip sm_90 --registers lib/Emulator/Registers.def. Where several modules
// have a kernel of one name, the most.
//
//===----------------------------------------------------------------------===//

"""


def rows_of(case, chip):
    source = tensors if isinstance(case, tensors.TensorCase) else kernels
    ptx = source.ptx_of(case, chip)
    local = [word for word in (".local", "__nv_") if word in ptx]
    for usage in kernels.assemble(ptx, chip, "/dev/null"):
        yield (chip, case.name, case.element, case.column_bits, usage.kernel,
               usage.registers, usage.shared, usage.stack, usage.spills), local


def check(row, local, most_registers):
    name = " ".join(str(cell) for cell in row[:5])
    registers, _, stack, spills = row[5:]
    if local:
        kernels.fail(f"{name}: expected no {' and no '.join(local)}")
    if stack or spills:
        kernels.fail(f"{name}: expected no stack and no spills but got {stack} "
                     f"and {spills} bytes")
    if registers > most_registers:
        kernels.fail(f"{name}: expected at most {most_registers} registers but "
                     f"got {registers}")


def rival_rows():
    """The rivals' kernels, compiled by clang as the benchmark compiles them."""
    source = pathlib.Path(__file__).parent / "rivals" / "rivals.cu"
    clang = shutil.which("clang++-22") or kernels.fail(
        "expected clang++-22 on PATH but found none")
    ptx = kernels.run([
        clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90",
        "-nocudainc", "-nocudalib", "-O3", "-std=c++17", "-Xclang",
        "-target-feature", "-Xclang", "+ptx80", "-S", str(source), "-o", "-"
    ]).stdout
    return kernels.assemble(ptx, "sm_90", "/dev/null")


def write_registers(path, rows):
    """The most registers of each kernel name on sm_90, for the model."""
    most = {}
    for row in rows:
        if row[0] == "sm_90":
            most[row[4]] = max(most.get(row[4], 0), row[5])
    modules = [kernels.chain_ptx("sm_90"), *kernels.gradient_ptx("sm_90")]
    others = [kernels.assemble(ptx, "sm_90", "/dev/null") for ptx in modules]
    for usage in sum(others, rival_rows()):
        # Parts of a chain that come again have a number behind their name.
        name = re.sub(r"^((combine_chain|pieces)(_by1)?)_\d+$", r"\1", usage.kernel)
        most[name] = max(most.get(name, 0), usage.registers)
    with open(path, "w") as file:
        file.write(DEF_HEADER)
        for kernel in sorted(most):
            file.write(f'ASTFE_REGISTERS("{kernel}", {most[kernel]})\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", action="append")
    parser.add_argument("--tsv")
    parser.add_argument("--most-registers", type=int)
    parser.add_argument("--registers")
    options = parser.parse_args()
    headers = ["chip", "class", "type", "bits", "kernel", "registers", "shared",
               "stack", "spills"]
    rows = []
    for chip in options.chip or ["sm_80", "sm_90"]:
        for case in itertools.chain(kernels.all_cases(), tensors.all_cases()):
            for row, local in rows_of(case, chip):
                if options.most_registers:
                    check(row, local, options.most_registers)
                rows.append(row)
    kernels.print_table(headers, rows)
    if options.tsv:
        kernels.write_tsv(options.tsv, headers, rows)
    if options.registers:
        write_registers(options.registers, rows)
    print(f"{len(rows)} kernels")


main()
