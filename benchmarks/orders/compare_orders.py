#!/usr/bin/env python3
#===- compare_orders.py - what auto picks, and what is fastest --------------===#
#
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: compare_orders.py [--details] FILE.tsv...
#
# Reads what `bench-kernels --orders` measured: packed products under every
# order and reordering, in turn in one process. Prints, for each matrix and
# number of columns, the fastest, what auto picked and what it lost (the measured
# time of that arrangement over the fastest), what rows as they are would lose,
# and how long the choice took; then how many picks are within 5 %, and the
# geometric means. --details adds measured and predicted time of each. Times are
# the least of all samples: whatever disturbs one of twelve contestants for some
# samples would decide between equals.
#
#===------------------------------------------------------------------------===#

import csv
import math
import statistics
import sys
from collections import defaultdict

AUTO = "astfe-packed"


def read(paths):
    """{(matrix, type, columns): {contestant: row}}, in the order of files."""
    problems = defaultdict(dict)
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                key = (row["matrix"], row["type"], int(row["columns"]))
                problems[key][row["contestant"]] = row
    return problems


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def compare(key, rows, details):
    """Prints one line; returns what auto and rows lose, and predictions over
    measured times."""
    auto = rows.pop(AUTO)
    times = {name: float(row["least"]) for name, row in rows.items()}
    best, pick = min(times, key=times.get), auto["choice"]
    matrix, kind, columns = key
    print(f"| {matrix} | {kind} | {columns} | {best} | {1e3 * times[best]:.3f} | "
          f"{pick} | {times[pick] / times[best]:.2f} | "
          f"{times['rows'] / times[best]:.2f} | "
          f"{1e3 * float(auto['choose']):.1f} |")
    if details:
        for name, row in rows.items():
            print(f"    {name}: {1e6 * times[name]:.1f} us, predicted "
                  f"{1e6 * float(row['predicted']):.1f} us")
    return (times[pick] / times[best], times["rows"] / times[best],
            [float(row["predicted"]) / times[name]
             for name, row in rows.items()])


def main():
    details = "--details" in sys.argv[1:]
    problems = read(a for a in sys.argv[1:] if a != "--details")
    print("| matrix | type | columns | fastest | ms | auto | auto/fastest | "
          "rows/fastest | choice, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    lost = [compare(key, rows, details) for key, rows in problems.items()
            if AUTO in rows and "rows" in rows]
    if lost:
        auto, rows, predicted = zip(*lost)
        within = sum(ratio <= 1.05 for ratio in auto)
        errors = [abs(ratio - 1) for ratios in predicted for ratio in ratios]
        print(f"\nauto within 5 %: {within} of {len(auto)}; geometric means: "
              f"auto {mean(auto):.3f}, rows {mean(rows):.3f}; error of all "
              f"predictions: {statistics.median(errors):.0%} (median)")


if __name__ == "__main__":
    main()
