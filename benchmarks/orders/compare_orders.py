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
# Where files hold several runs of a problem, the table has the least of all
# runs. The least of twelve is also the luckiest of twelve, which makes any
# choice look worse than it is: so the fastest of one run is compared with
# auto's choice by the times of another run, and both ways are counted.
#
#===------------------------------------------------------------------------===#

import csv
import math
import statistics
import sys
from collections import defaultdict

AUTO = "astfe-packed"


def read(paths):
    """{(matrix, type, columns): [{contestant: row} of each run]}, in the order
    of files."""
    problems = defaultdict(list)
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                key = (row["matrix"], row["type"], int(row["columns"]))
                name = row["contestant"]
                if not problems[key] or name in problems[key][-1]:
                    problems[key].append({})
                problems[key][-1][name] = row
    return {key: [run for run in runs if AUTO in run and "rows" in run]
            for key, runs in problems.items()}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def times_of(run):
    return {name: float(row["least"]) for name, row in run.items()
            if name != AUTO}


def in_another_run(runs):
    """What auto's choice loses to the fastest of a run in each other run."""
    lost = []
    for first in runs:
        times = times_of(first)
        best = min(times, key=times.get)
        for other in runs:
            if other is not first:
                again, pick = times_of(other), first[AUTO]["choice"]
                if pick in again and best in again:
                    lost.append(again[pick] / again[best])
    return lost


def compare(key, runs, details):
    """Prints one line; returns what auto and rows lose, and predictions over
    measured times."""
    auto, rows = runs[0][AUTO], runs[0]
    every = [times_of(run) for run in runs]
    times = {name: min(run[name] for run in every if name in run)
             for name in every[0]}
    best, pick = min(times, key=times.get), auto["choice"]
    matrix, kind, columns = key
    print(f"| {matrix} | {kind} | {columns} | {best} | {1e3 * times[best]:.3f} | "
          f"{pick} | {times[pick] / times[best]:.2f} | "
          f"{times['rows'] / times[best]:.2f} | "
          f"{1e3 * float(auto['choose']):.1f} |")
    predicted = {name: float(rows[name]["predicted"]) for name in times}
    if details:
        for name in times:
            print(f"    {name}: {1e6 * times[name]:.1f} us, predicted "
                  f"{1e6 * predicted[name]:.1f} us")
    return (times[pick] / times[best], times["rows"] / times[best],
            [predicted[name] / times[name] for name in times])


def main():
    details = "--details" in sys.argv[1:]
    problems = read(a for a in sys.argv[1:] if a != "--details")
    print("| matrix | type | columns | fastest | ms | auto | auto/fastest | "
          "rows/fastest | choice, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    lost = [compare(key, runs, details) for key, runs in problems.items()
            if runs]
    if lost:
        auto, rows, predicted = zip(*lost)
        within = sum(ratio <= 1.05 for ratio in auto)
        errors = [abs(ratio - 1) for ratios in predicted for ratio in ratios]
        print(f"\nauto within 5 %: {within} of {len(auto)}; geometric means: "
              f"auto {mean(auto):.3f}, rows {mean(rows):.3f}; error of all "
              f"predictions: {statistics.median(errors):.0%} (median)")
    again = [ratio for runs in problems.values()
             for ratio in in_another_run(runs)]
    if again:
        within = sum(ratio <= 1.05 for ratio in again)
        print(f"the fastest of one run, compared in another: auto within 5 % "
              f"{within} of {len(again)}; geometric mean {mean(again):.3f}")


if __name__ == "__main__":
    main()
