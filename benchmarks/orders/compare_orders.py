#!/usr/bin/env python3
#===- compare_orders.py - what auto picks, and what is fastest --------------===#
#
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: compare_orders.py ASTFE_RUN [--cols=32,128] [--repeat=N] FILE.mtx...
#
# Runs SpMM under every order and reordering and prints, for each matrix and
# number of columns, the fastest, what auto picked and what it lost, and what
# rows as they are would lose; then how many picks are within 5 % and the
# geometric means. Times are the least of N runs: of twelve programs one after
# the other, the medians would compare the machine's moods.
#
#===------------------------------------------------------------------------===#

import json
import math
import os
import subprocess
import sys

ORDERS = ("rows", "morton", "hilbert", "panels")
REORDERS = ("none", "labels", "rcm")


def run(tool, matrix, columns, repeat, order, reorder):
    command = [tool, "spmm", "--matrix", matrix, "--cols", str(columns),
               "--device=host", "--json", "--check",
               "--duplicates=sum",
               "--repeat", str(repeat), "--order", order,
               "--reorder", reorder]
    return json.loads(subprocess.run(command, check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def name(order, reorder):
    return order if reorder == "none" else f"{order} after {reorder}"


def compare(tool, matrix, columns, repeat):
    """Prints one line; returns what auto and rows lose."""
    times = {}
    for reorder in REORDERS:
        for order in ORDERS:
            result = run(tool, matrix, columns, repeat, order, reorder)
            times[name(order, reorder)] = result["seconds"]["run_min"]
    auto = run(tool, matrix, columns, 1, "auto", "auto")
    pick = name(auto["order"], auto["reorder"])
    best = min(times, key=times.get)
    label = os.path.splitext(os.path.basename(matrix))[0]
    print(f"| {label} | {columns} | {best} | {1e3 * times[best]:.3f} | {pick} | "
          f"{times[pick] / times[best]:.2f} | "
          f"{times['rows'] / times[best]:.2f} |", flush=True)
    return times[pick] / times[best], times["rows"] / times[best]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    tool, columns, repeat, files = sys.argv[1], (32, 128), 9, []
    for argument in sys.argv[2:]:
        if argument.startswith("--cols="):
            columns = tuple(int(n) for n in argument[7:].split(","))
        elif argument.startswith("--repeat="):
            repeat = int(argument[9:])
        else:
            files.append(argument)
    print("| matrix | columns | fastest | ms | auto | auto/fastest | "
          "rows/fastest |")
    print("|---|---|---|---|---|---|---|")
    lost = [compare(tool, file, n, repeat) for file in files for n in columns]
    if lost:
        auto, rows = zip(*lost)
        within = sum(ratio <= 1.05 for ratio in auto)
        print(f"\nauto within 5 %: {within} of {len(auto)}; geometric means: "
              f"auto {mean(auto):.3f}, rows {mean(rows):.3f}")


if __name__ == "__main__":
    main()
