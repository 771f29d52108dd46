#!/usr/bin/env python3
#===- fit_constants.py - the constants of the rules, found again ------------===#
#
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: fit_constants.py [--bench FILE] [--from FILE] [option of bench-cost]...
#
# Runs bench-cost, which measures this machine, fits the weights of the cost model
# on products of generated matrices, and times the steps of order=auto. Prints
# every constant of include/ASTFE/Core/Target/Constants.def: the value, what was
# found here beside it where it is measured or fitted, and where all others are
# from. Nothing is changed: decisions at compile time are the same on all machines.
# --from reads what bench-cost printed before.
#
#===------------------------------------------------------------------------===#

import argparse
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "utils"))

import core_tables  # noqa: E402  pylint: disable=C0413


def measured(arguments, options):
    if arguments.read:
        return json.loads(pathlib.Path(arguments.read).read_text())
    result = subprocess.run([arguments.bench, *options], check=True, text=True,
                            stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def shown(found):
    values = found if isinstance(found, list) else [found]
    return ", ".join(f"{value:.3g}" for value in values)


def rows(constants, found):
    """[(name, value, found, source)...]; found is '' where nothing is."""
    for constant in constants:
        own = found.get(constant.name)
        source = constant.source.lower()
        if own is None and source in ("measured", "fitted"):
            source += ", not here"
        if constant.reason and own is None:
            source += ": " + constant.reason
        yield (constant.name, f"{constant.text()} {constant.unit}",
               "" if own is None else shown(own), source)


def main():
    parser = argparse.ArgumentParser(
        description="prints the constants of the rules beside what this machine "
        "says; other options are bench-cost's")
    parser.add_argument("--bench", default=SOURCE / "build/bin/bench-cost")
    parser.add_argument("--from", dest="read", metavar="FILE")
    arguments, options = parser.parse_known_args()
    result = measured(arguments, options)
    before, after = result["error"]
    print(f"{result['products']} products on {result['threads']} threads: median "
          f"error {100 * before:.0f} % with the table's weights and this "
          f"machine's numbers, {100 * after:.0f} % with fitted ones\n")
    print("| constant | value | here | source |\n|---|---|---|---|")
    known = core_tables.constants()
    for row in rows(known, result["constants"]):
        print(f"| `{row[0]}` | {' | '.join(row[1:])} |")
    missing = set(result["constants"]) - {c.name for c in known}
    if missing:
        sys.exit(f"expected constants of the table but got {sorted(missing)}")


if __name__ == "__main__":
    main()
