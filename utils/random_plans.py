#!/usr/bin/env python3
"""Draws random computations over a sparse operand and compares what is compiled
for them with the interpreter.

A batch is one sparse tensor (rank, extents, format, entries, element type), a
storage, an order, a number of threads and a device, and some computations over it:
operands indexed by any of the modes and dense dimensions in any order, a body,
a combiner, and an output that is written or added to, or has an element for each
nonzero and is summed up by a second computation. Those that ASTFE takes are
run together by astfe-run FILE.mlir --check; of a batch that fails each is run
alone, and the modules that fail are kept.

    utils/random_plans.py --build build --count 2000 --seed 7

Exits with 1 if anything differs. With --seconds it stops early.
"""

import random
import re
import subprocess
import sys
import time

from random_computations import (COMPLEX, FLOATS, INTEGERS, VIEWED, Computation,
                                 Samples, Sparse, module)
from random_runs import options, parse, run_all, tool

PER_BATCH = 12
# LLVM's optimisations take most of a batch's time, and whether the code that we
# emit is right does not depend on them but where it promises what is not so
# (that pointers do not alias, say): one batch of so many has them.
OPTIMISED = 8
ORDERS = ("rows", "hilbert", "morton", "auto")
REORDERS = ("none", "labels", "rcm", "twins", "auto")
# Within so many runs any search of auto pays.
RUNS = 1 << 40


class Batch:
    """Computations over one sparse tensor, and how they are run."""

    def __init__(self, seed, devices, only=None):
        rng = random.Random(seed)
        self.level = 0 if seed % OPTIMISED else 3
        self.device = rng.choice(devices)
        elements = FLOATS + INTEGERS + COMPLEX
        if only:
            elements = [only]
        self.sparse = Sparse(rng, rng.choice(elements))
        self.storage = ("packed" if self.sparse.format not in VIEWED
                        else rng.choice(("view", "packed", "packed", "auto")))
        packs = self.storage != "view"
        self.order = rng.choice(ORDERS if packs else ("rows",))
        self.reorder = (rng.choice(REORDERS) if packs and self.sparse.rank == 2
                        else "none")
        self.threads = rng.choice((1, 2, 3))
        self.candidates = [
            (Samples if rng.random() < 0.25 else Computation)(rng, self.sparse, n)
            for n in range(PER_BATCH)]
        # Of many computations one has no form over a view, and all are packed.
        if self.storage == "auto":
            self.candidates = self.candidates[:2]

    def taken(self, opt):
        """The candidates that become computations of ASTFE, by one call."""
        text = self.sparse.encoding() + "".join(
            module(self.sparse, [c], f"f{c.number}") for c in self.candidates)
        target = "host" if self.device == "host" else "gpu"
        run = subprocess.run(
            [opt, "--linalg-fuse-elementwise-ops",
             f"--convert-linalg-to-astfe=target={target} "
             f"storage={'view' if self.storage == 'view' else 'packed'}"],
            input=text, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"astfe-opt: {run.stderr[:2000]}\n{text}")
        functions = re.split(r"(?=func\.func @f)", run.stdout)
        names = {int(re.match(r"func\.func @f(\d+)", f).group(1))
                 for f in functions if f.startswith("func.func")
                 and "astfe.compute" in f
                 # What is left to upstream has a sparse operand.
                 and not re.search(r"linalg\.generic .* ins\(.*[>, ]#", f)}
        return [c for c in self.candidates if c.number in names]

    def command(self, run, path, tensor):
        option = "--matrix" if self.sparse.rank == 2 else "--tensor"
        return [run, str(path), f"{option}=A={tensor}", "--check",
                f"--device={self.device}", f"--storage={self.storage}",
                f"--order={self.order}", f"--reorder={self.reorder}",
                f"--expected-runs={RUNS}", f"--threads={self.threads}",
                f"--opt-level={self.level}", "--repeat=1",
                "--kernel-cache=off"]

    def run(self, run, computations, folder, name):
        """None, or why these differ."""
        # What writes nothing launches nothing, which astfe-run refuses.
        if (self.device != "host"
                and all(c.is_empty() for c in computations)):
            return None
        path = folder / f"{name}.mlir"
        suffix = "mtx" if self.sparse.rank == 2 else "tns"
        tensor = folder / f"{name}.{suffix}"
        path.write_text(self.sparse.encoding()
                        + module(self.sparse, computations))
        self.sparse.write(tensor, random.Random(1))
        command = self.command(run, path, tensor)
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode == 0 and "check passed" in result.stdout:
            path.unlink()
            tensor.unlink()
            return None
        return " ".join(command) + "\n" + result.stdout + result.stderr


def try_batch(seed, arguments, folder):
    """How many plans a batch has, and why those that differ do."""
    run = tool(arguments, "astfe-run")
    batch = Batch(seed, arguments.devices.split(","), arguments.element)
    computations = batch.taken(tool(arguments, "astfe-opt"))
    if not computations or batch.run(run, computations, folder,
                                     f"b{seed}") is None:
        return len(computations), []
    alone = [batch.run(run, [c], folder, f"b{seed}c{c.number}")
             for c in computations]
    differ = [why for why in alone if why] or ["only together"]
    return len(computations), [f"batch {seed}: {why}" for why in differ]


def main():
    arguments = parse(options(__doc__, 200, "host,host,host,emulator",
                              "one of these for each batch; cuda is a GPU"))
    begin = time.time()
    ran, batches, failed = run_all(
        arguments, lambda seed, folder: try_batch(seed, arguments, folder))
    print(f"{ran} plans in {batches} batches, {failed} differ, "
          f"{time.time() - begin:.0f} s")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
