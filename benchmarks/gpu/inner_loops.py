# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares inner loops with those of CUDA C++ kernels by nvcc -O3 (twins.cu).

usage: inner_loops.py [--chip sm_90]... [--tsv FILE] [--at-most RATIO]

An inner loop is the body of a backward branch that multiplies and holds no
other such loop; where a kernel has several, the one with most multiplications
counts: remainders are shorter. Instructions are counted in PTX and in machine
code (nvdisasm), per nonzero that the loop takes, which the loads of read-only
global memory tell: one for each row of the dense operand (one for four nonzeros
of a dense tile, two where lanes have two doubles); with one column, also the
nonzero's column and value, and its row where it is scattered; with few columns,
which teams of lanes have, its column and value too; of MTTKRP, two coordinates,
two rows of factors and the value; of samples, which
take a part of two or four nonzeros at once, one for that of X's row too.

Worked example, tile128 of row segments on sm_90: 4 nonzeros an iteration, so 4
LDG.E.128.CONSTANT and 16 FFMA; 2 LDS.128 that fetch what the warp keeps of the
nonzeros, 4 IMAD.WIDE, and what counts and branches.

With --at-most it fails where machine code is longer than RATIO times the
twin's.
"""

import argparse
import collections
import math
import pathlib
import re
import tempfile

import kernels

KINDS = ("fma", "read-only", "load", "shuffle", "integer", "other")
PTX_KINDS = {
    "read-only": ("ld.global.nc",),
    "fma": ("fma.", "mul.f", "mul.rn.f"),
    "load": ("ld.",),
    "shuffle": ("shfl.",),
    "integer": ("add.", "sub.", "mul.", "mad.", "shl.", "shr.", "and.", "or.",
                "xor.", "min.", "max.", "cvt.", "setp.", "selp.", "lop3.",
                "not."),
}
SASS_KINDS = {
    "read-only": (),
    "fma": ("FFMA", "DFMA", "FMUL", "DMUL"),
    "load": ("LD",),
    "shuffle": ("SHFL",),
    "integer": ("IMAD", "UIMAD", "IADD", "UIADD", "VIADD", "LEA", "ULEA", "LOP3",
                "ULOP3", "SHF", "USHF", "ISETP", "UISETP", "IMNMX", "VIMNMX",
                "SEL", "USEL", "MOV", "UMOV", "PLOP3", "R2UR"),
}


def count(instructions, kinds):
    result = collections.Counter()
    for name in instructions:
        kind = next((kind for kind, prefixes in kinds.items()
                     if name.startswith(prefixes)), "other")
        if name.startswith("LDG") and ".CONSTANT" in name:
            kind = "read-only"
        result[kind] += 1
    return result


def inner_loop(lines, kinds):
    """Counts of the innermost loop with most multiply-adds.

    `lines` are ("label", name), ("jump", name, target) or ("", name).
    """
    place = {line[1]: i for i, line in enumerate(lines) if line[0] == "label"}
    loops = [(place[line[2]], i) for i, line in enumerate(lines)
             if line[0] == "jump" and place.get(line[2], i + 1) <= i]
    best = collections.Counter()
    counted = []
    for begin, end in loops:
        body = [line[1] for line in lines[begin:end + 1] if line[0] != "label"]
        counts = count(body, kinds)
        if counts["fma"]:
            counted.append((begin, end, counts))
    for begin, end, counts in counted:
        holds = any(begin <= b and e <= end and (b, e) != (begin, end)
                    for b, e, _ in counted)
        better = counts["fma"] > best["fma"] or (
            counts["fma"] == best["fma"] and counts.total() < best.total())
        if not holds and (not best or better):
            best = counts
    return best


def ptx_lines(text):
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        label = re.match(r"(\$\w+):", line)
        name = re.match(r"(?:@!?%\w+\s+)?([a-z][\w.:]*)\s*(.*?);", line)
        if label:
            yield "label", label.group(1)
        elif name and name.group(1).startswith("bra"):
            yield "jump", name.group(1), name.group(2).strip()
        elif name:
            yield "", name.group(1)


def ptx_kernels(text):
    """Kernel name -> its lines."""
    parts = re.split(r"\.entry\s+(\w+)\(", text)
    return {name: list(ptx_lines(body))
            for name, body in zip(parts[1::2], parts[2::2])}


def sass_lines(text):
    for line in text.splitlines():
        label = re.match(r"\s*(\.L_\w+):", line)
        if label:
            yield "label", label.group(1)
            continue
        found = re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)"
                         r"\s*(.*?);", line)
        if not found:
            continue
        name, operands = found.groups()
        target = re.search(r"`\((\.L_\w+)\)", operands)
        if name.startswith("BRA") and target:
            yield "jump", name, target.group(1)
        else:
            yield "", name


def sass_kernels(cubin):
    text = kernels.run([kernels.require("nvdisasm"), "-c", str(cubin)]).stdout
    parts = re.split(r"\n\.text\.(\w+):\n", text)
    return {name: list(sass_lines(body))
            for name, body in zip(parts[1::2], parts[2::2])}


def loops_of(ptx, cubin):
    """Kernel name -> counts in PTX and in machine code."""
    machine = sass_kernels(cubin)
    return {name: (inner_loop(lines, PTX_KINDS),
                   inner_loop(machine[name], SASS_KINDS))
            for name, lines in ptx_kernels(ptx).items()}


def compile_twins(chip, folder):
    source = pathlib.Path(__file__).with_name("twins.cu")
    ptx, cubin = folder / "twins.ptx", folder / "twins.cubin"
    nvcc = kernels.require("nvcc")
    kernels.run([nvcc, "-O3", f"-arch={chip}", "-ptx", str(source), "-o",
                 str(ptx)])
    kernels.assemble(ptx.read_text(), chip, cubin)
    return loops_of(ptx.read_text(), cubin)


def cases():
    """Classes alone, and rows of a packed pattern or of a view by teams."""
    for case in kernels.all_cases():
        if len(case.classes) == 1 and (case.dense or case.name != "dense_tile"):
            yield case
    for element in ("f32", "f64"):
        for columns in kernels.TEAM_COLUMNS[element]:
            for classes in (("row_segments",), ()):
                yield kernels.Case(element, classes, True, columns=columns)
        yield kernels.Case(element, (), False)


def compile_ours(chip, folder):
    """CLASS_TYPE_TILE -> counts."""
    result = {}
    for case in cases():
        ptx, cubin = kernels.ptx_of(case, chip), folder / "ours.cubin"
        kernels.assemble(ptx, chip, cubin)
        for kernel, counts in loops_of(ptx, cubin).items():
            result[f"{case.name}_{case.element}_{kernel}"] = counts
    ptx, cubin = kernels.tensor_ptx(chip), folder / "ours.cubin"
    kernels.assemble(ptx, chip, cubin)
    for kernel, counts in loops_of(ptx, cubin).items():
        result[f"mttkrp_f32_{kernel}"] = counts
    return result


# tile32 is a whole warp's, of a column for each lane.
TEAMS = r"row_segments_f\d+_tile(2|4|8|16|32_teams)"


def nonzeros(name, counts):
    """Nonzeros (of a lane, with one column) that one iteration takes."""
    loads = counts["read-only"]
    if name.startswith("dense_tile"):
        return loads * (2 if name.endswith("f64_tile64") else 4)
    if name.startswith("mttkrp"):
        # Two coordinates and rows of factors, and the value.
        return loads / 5
    if name.startswith("samples"):
        # A part of X's row beside one of each nonzero's row of Y.
        together = 4 if name.endswith(("f32_samples64", "f32_samples32")) else 2
        return loads * together / (together + 1)
    if name.endswith("one_column"):
        return loads / (4 if name.startswith("scattered") else 3)
    if name.endswith("_rows") or re.fullmatch(TEAMS, name):
        return loads / 3
    return loads


def row(chip, name, ours, twin):
    def per_nonzero(counts, kind=None):
        total = counts[kind] if kind else counts.total()
        return total / nonzeros(name, counts)

    ptx = per_nonzero(ours[0]), per_nonzero(twin[0])
    machine = per_nonzero(ours[1]), per_nonzero(twin[1])
    cells = [chip, name]
    for pair in (ptx, machine):
        cells += [f"{pair[0]:.2f}", f"{pair[1]:.2f}", f"{pair[0] / pair[1]:.2f}"]
    for kind in KINDS:
        cells.append(f"{per_nonzero(ours[1], kind):.2f}/"
                     f"{per_nonzero(twin[1], kind):.2f}")
    return cells, machine[0] / machine[1]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", action="append")
    parser.add_argument("--tsv")
    parser.add_argument("--at-most", type=float)
    options = parser.parse_args()
    headers = ["chip", "kernel", "PTX", "nvcc", "ratio", "SASS", "nvcc", "ratio",
               *KINDS]
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for chip in options.chip or ["sm_80", "sm_90"]:
            twins = compile_twins(chip, folder)
            ours = compile_ours(chip, folder)
            for kernel, twin in twins.items():
                cells, ratio = row(chip, kernel, ours[kernel], twin)
                rows.append(cells)
                ratios.append(ratio)
                if options.at_most and ratio > options.at_most:
                    kernels.fail(f"{chip} {kernel}: expected an inner loop of at "
                                 f"most {options.at_most} times nvcc's but got "
                                 f"{ratio:.3f}")
    print("instructions of the inner loop per nonzero and lane; by kind: SASS, "
          "ours/nvcc's")
    kernels.print_table(headers, rows)
    print(f"SASS, ours over nvcc's: geometric mean {geometric_mean(ratios):.3f},"
          f" worst {max(ratios):.3f}")
    if options.tsv:
        kernels.write_tsv(options.tsv, headers, rows)


main()
