#!/usr/bin/env python3
"""Draws random chains over one sparse matrix (attention, graph attention, sampled
products, their gradients, layers with bias and activation, and any steps), and
compares what is compiled for them with float64.

A case is `astfe-run attention` with a width, heads, a type, a mask and perhaps
gradients, or a function in linalg of several steps, which becomes one kernel
(astfe.fused) where the steps allow it. It runs on each of the devices, on the
host with two numbers of threads, which may change no bit. What fails, crashes or
is refused is printed, and its files are kept.

    utils/random_chains.py --build build --count 2000 --seed 7

Exits with 1 if anything differs. With --seconds it stops early.
"""

import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

from random_chain_forms import Chain
from random_chain_parts import Pattern, draw_width
from random_computations import FLOATS, VIEWED
from random_runs import options, parse, run_all, tool


def has_avx2():
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    return cpuinfo.exists() and " avx2 " in cpuinfo.read_text()


# Nonzeros times dimensions, of more of which an emulator takes seconds.
MOST_WORK = 1_500_000
# LLVM's optimisations take most of a case's time: one of so many has them.
OPTIMISED = 4
# Narrow vectors, and processors without instructions for bf16, are others.
CPUS = ("native", "native", "x86-64", "x86-64-v3" if has_avx2() else "x86-64")
# What only a host computes: scores of another type than the matrix has.
LEFT_TO_HOST = ("but it is left to the host: the output is sparse, and not of the "
                "pattern of the sparse operand")


class Tally:
    """How many runs there were, and of what; threads add to it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}

    def add(self, what, count=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + count

    def __getitem__(self, what):
        return self.counts.get(what, 0)


class Attention:
    """A run of astfe-run attention."""

    storage = "view"

    def __init__(self, rng, element):
        self.pattern = Pattern(rng, element, by_rows=True)
        self.mask = rng.choice(("pattern", "multiply", "add"))
        if self.mask == "add":
            self.pattern.hidden = rng.choice((0.0, 0.2, 0.9))
        self.backward = rng.random() < 0.5
        nonzeros = len(self.pattern.entries) + sum(self.pattern.shape)
        nonzeros *= 3 if self.backward else 1
        self.heads = rng.choice((1, 1, 1, 2, 2, 3, 5))
        self.dim = draw_width(rng, MOST_WORK // nonzeros + 1)
        if self.heads * self.dim * nonzeros > MOST_WORK:
            self.heads = 1
        self.seed = rng.randrange(1000)

    def write(self, folder, name):
        matrix = folder / f"{name}.mtx"
        self.pattern.write(matrix, random.Random(self.seed))
        return [matrix]

    def command(self, run, files, level):
        return [run, "attention", f"--matrix={files[0]}", f"--dim={self.dim}",
                f"--heads={self.heads}", f"--mask={self.mask}",
                f"--type={self.pattern.element}", f"--seed={self.seed}",
                *(["--backward"] if self.backward else [])]


class Module:
    """A function in linalg. What is packed is cut for a number of threads, so that
    only views have the same bits for each."""

    def __init__(self, rng, element, form=None):
        self.pattern = Pattern(rng, element)
        self.chain = Chain(rng, self.pattern, form)
        # Other formats have code where they are packed only.
        self.storage = rng.choice(("view", "view", "packed", "auto")
                                  if self.pattern.format in VIEWED
                                  else ("packed",))
        self.seed = rng.randrange(1000)

    def write(self, folder, name):
        path, matrix = folder / f"{name}.mlir", folder / f"{name}.mtx"
        path.write_text(self.pattern.encoding() + self.chain.module())
        self.pattern.write(matrix, random.Random(self.seed))
        return [path, matrix]

    def command(self, run, files, level):
        cols = self.chain.cols
        return [run, str(files[0]), f"--matrix=A={files[1]}",
                f"--storage={self.storage}", f"--opt-level={level}",
                f"--seed={self.seed}", *([f"--cols={cols}"] if cols else []),
                *(f"--scalar={name[1:]}=3" for name in self.chain.scalars())]


class Case:
    def __init__(self, seed, arguments):
        rng = random.Random(seed)
        is_module = rng.random() < {"attention": 0.0, "modules": 1.0}.get(
            arguments.only, 0.65)
        element = arguments.element or rng.choice(
            FLOATS + ("f32", "f32") + (("i32", "i64") if is_module else ()))
        self.run = (Module(rng, element, arguments.form) if is_module
                    else Attention(rng, element))
        self.level = 0 if seed % OPTIMISED else 3
        self.cpu = rng.choice(CPUS)
        self.chip = rng.choice(("", "", "--chip=sm_80", "--chip=sm_70"))
        self.threads = rng.sample((1, 2, 3, 5), 2)

    def commands(self, arguments, files):
        for device in arguments.devices.split(","):
            for threads in self.threads if device == "host" else self.threads[:1]:
                yield device, [
                    *self.run.command(tool(arguments, "astfe-run"), files,
                                      self.level),
                    f"--device={device}", f"--threads={threads}", "--repeat=1",
                    "--check", "--kernel-cache=off", f"--cpu={self.cpu}",
                    *([self.chip] if self.chip and device == "emulator" else [])]


def is_one_kernel(stages):
    """Whether what was selected for the target has a chain."""
    selected = stages / "03-selected.mlir"
    return selected.exists() and "astfe.fused" in selected.read_text()


def try_case(seed, arguments, folder, tally):
    """One, and why it is wrong."""
    case = Case(seed, arguments)
    files = case.run.write(folder, f"c{seed}")
    stages = folder / f"c{seed}-stages"
    why, sum_of = {}, None
    for device, command in case.commands(arguments, files):
        dump = ([f"--dump-ir={stages}"] if isinstance(case.run, Module) else [])
        try:
            result = subprocess.run(command + dump, capture_output=True,
                                    text=True, timeout=300)
        except subprocess.TimeoutExpired:
            why["time"] = " ".join(command) + "\ntakes more than 300 s\n"
            continue
        tally.add(device)
        if not dump or is_one_kernel(stages):
            tally.add("one kernel")
        text = " ".join(command) + "\n" + result.stdout + result.stderr
        if device != "host" and LEFT_TO_HOST in result.stderr:
            tally.add("left")
        elif result.returncode or "check passed" not in result.stdout:
            why.setdefault(result.stderr, text)
        elif "the check says nothing" in result.stdout:
            tally.add("unchecked")
        found = re.search(r"sum (\S+),", result.stdout)
        if device == "host" and found and case.run.storage == "view":
            sum_of = sum_of or found[1]
            if sum_of != found[1]:
                why["sum"] = f"{text}by other threads the sum is {sum_of}\n"
    shutil.rmtree(stages, ignore_errors=True)
    for file in files if not why else []:
        file.unlink()
    return 1, [f"case {seed}: {text}" for text in why.values()]


def main():
    parser = options(__doc__, 200, "host,emulator",
                     "each case runs on all of these; cuda is a GPU")
    parser.add_argument("--only", choices=("attention", "modules"))
    parser.add_argument("--form", choices=sorted(set(Chain.FORMS)),
                        help="of modules, instead of any")
    arguments = parse(parser)
    begin, tally = time.time(), Tally()
    ran, _, failed = run_all(arguments, lambda seed, folder: try_case(
        seed, arguments, folder, tally))
    runs = sum(tally[d] for d in arguments.devices.split(","))
    print(f"{ran} chains in {runs} runs, {tally['one kernel']} of them as one "
          f"kernel, {tally['unchecked']} with elements that the check says "
          f"nothing of, {tally['left']} that only a host computes, {failed} "
          f"differ, {time.time() - begin:.0f} s")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
