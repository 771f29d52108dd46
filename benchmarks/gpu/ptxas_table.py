# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers, shared memory, stack and spills of every GPU kernel.

usage: ptxas_table.py [--chip sm_90]... [--tsv FILE] [--most-registers N]

One row per class, type, tile and chip, as `ptxas -v` reports it. With
--most-registers it fails, naming the kernel, on more registers, on any spill,
stack frame or local memory, and on calls of libdevice.
"""

import argparse

import kernels


def rows_of(case, chip):
    ptx = kernels.ptx_of(case, chip)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", action="append")
    parser.add_argument("--tsv")
    parser.add_argument("--most-registers", type=int)
    options = parser.parse_args()
    headers = ["chip", "class", "type", "bits", "kernel", "registers", "shared",
               "stack", "spills"]
    rows = []
    for chip in options.chip or ["sm_80", "sm_90"]:
        for case in kernels.all_cases():
            for row, local in rows_of(case, chip):
                if options.most_registers:
                    check(row, local, options.most_registers)
                rows.append(row)
    kernels.print_table(headers, rows)
    if options.tsv:
        kernels.write_tsv(options.tsv, headers, rows)
    print(f"{len(rows)} kernels")


main()
