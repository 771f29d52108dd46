#!/usr/bin/env python3
"""Compiles and runs small programs around a sparse product, as a guest.

Every program goes through upstream's `--sparsifier` and through
`--astfe-sparsifier`, viewed, packed and as the run time chooses between both,
and prints its result, which has to be the same (numbers are small integers, so
sums are exact).

  guest_corpus.py --build build                 checks the corpus
  guest_corpus.py --build build --table         writes the table of docs/Guest.md
  guest_corpus.py --build build --table --formats CSR   only those rows of it
  guest_corpus.py --build build --prepare --codes DIR   compiles and checks what
                                              --table with --codes DIR only runs
  guest_corpus.py --build build --fuzz 300      random programs, from --seed
  guest_corpus.py --build build --library       with upstream's runtime library
  guest_corpus.py --build build --keep DIR      keeps what differs

The corpus is formats x shapes of programs x static and dynamic sizes.
"""

import argparse
import pathlib
import random
import sys
import tempfile

from guest.fuzz import random_program
from guest.program import FORMATS
from guest.run import Compiler, check
from guest.shapes import corpus
from guest.table import write_table

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--library", action="store_true",
                        help="enable-runtime-library, which is the default")
    parser.add_argument("--codes", type=pathlib.Path,
                        help="keeps code and results here")
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="+", choices=list(FORMATS),
                        default=list(FORMATS))
    parser.add_argument("--only", default="", help="programs of this name")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if arguments.fuzz:
        rng = random.Random(arguments.seed)
        programs = [random_program(rng, i) for i in range(arguments.fuzz)]
    else:
        timed = arguments.table or arguments.prepare
        size, columns, rounds = (512, 32, 3) if timed else (24, 8, 0)
        programs = [p for p in corpus(size, columns, rounds, arguments.formats)
                    if arguments.only in p.name]
    with tempfile.TemporaryDirectory() as temporary:
        codes = arguments.codes or pathlib.Path(temporary)
        codes.mkdir(parents=True, exist_ok=True)
        compilers = [Compiler(build, name, options, codes.resolve(),
                              arguments.library)
                     for name, options in (("upstream", ""), ("view", ""),
                                           ("packed", "storage=packed"))]
        if arguments.table:
            write_table(SOURCE / "docs" / "Guest.md", programs, compilers)
            return 0
        compilers.append(Compiler(build, "chosen", "storage=auto",
                                  codes.resolve(), arguments.library))
        return 1 if check(programs, compilers, arguments.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
