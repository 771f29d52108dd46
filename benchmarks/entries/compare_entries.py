#!/usr/bin/env python3
"""One product through astfe-run's kernel, the C API and Python, in turn.

The same matrices and operands. The kernel runs in a process of its own
(bench-entries), C and Python in this one; whose turn it is not, sleeps. A sample
is a product that is not timed and as many in a row as take a millisecond; A B C A
B C ..., and what counts is the median. Where arrays happen to lie changes what a
product takes: each problem is set up several times, the kernel in a process of
its own each time, the others beside the arrays of the time before. What else the
machine does lasts longer than a set-up and meets all three: what counts of C and
Python is the median of what each set-up says by its own kernel's time. Every
result is checked against float64 first. The table has the kernel's microseconds
(median, least and largest of its set-ups), and by C and Python the part of 1.05
times its time and of a call on a 3 x 3 matrix which they take: above 1 is too
slow, and the exit status is 1.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sparse

CLASSES = ("uniform", "rmat", "mesh", "pruned75", "pruned90", "block-diagonal",
           "permuted-blocks", "power-law")
SAMPLE, BUDGET, ROUNDS, LEAST_ROUNDS = 1e-3, 1.0, 41, 9
PLACEMENTS = 5
ALLOWED = 1.05


class Kernel:
    """The process that runs astfe-run's program."""

    def __init__(self, build):
        self.process = subprocess.Popen(
            [build / "bin" / "bench-entries"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        said = self.process.stdout.readline().strip()
        if not said or said.startswith("error"):
            sys.exit(f"{line}: {said or 'bench-entries ended'}")
        return said


def aligned(shape, dtype):
    """Memory that begins at a cache line, as the kernel's operands do."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    room = np.empty(size + 64, np.uint8)
    begin = -room.ctypes.data % 64
    return room[begin:begin + size].view(dtype).reshape(shape)


class Problem:
    """A product, and three ways to compute it: seconds of `runs` runs."""

    def __init__(self, kernel, time_c, astfe, matrix, columns, dtype):
        self.process, self.time_c, self.name = kernel, time_c, matrix
        self.columns = columns
        kind = "f64" if dtype == np.float64 else "f32"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arrays"
            rows, width, nonzeros = map(int, kernel.ask(
                f"open {matrix} {columns} {kind} {path}").split())
            data = path.read_bytes()
        begin = 0

        def take(count, of):
            nonlocal begin
            array = np.frombuffer(data, of, count, begin)
            begin += array.nbytes
            return array

        positions, coordinates = take(rows + 1, np.int32), take(nonzeros,
                                                                np.int32)
        values = take(nonzeros, dtype)
        tail = (columns,) if columns > 1 else ()
        self.dense = aligned((width,) + tail, dtype)
        self.dense[...] = take(width * columns, dtype).reshape(
            self.dense.shape)
        self.out = aligned((rows,) + tail, dtype)
        csr = (positions, coordinates, values, (rows, width))
        self.matrix = astfe.Matrix(csr, columns=columns)
        self.check(csr)

    def kernel(self, runs):
        return float(self.process.ask(f"run {runs}")) * 1e-9

    def c(self, runs):
        return self.time_c(self.matrix._handle, self.columns,
                           self.dense.ctypes.data, self.out.ctypes.data, runs)

    def python(self, runs):
        multiply, dense, out = self.matrix.multiply, self.dense, self.out
        multiply(dense, out=out)
        begin = time.perf_counter()
        for _ in range(runs):
            multiply(dense, out=out)
        return (time.perf_counter() - begin) / runs

    def ways(self):
        return self.kernel, self.c, self.python

    def check(self, csr):
        """What C and Python compute, against float64 with the bound of a dot
        product of k terms, (k + 2) u of the sum of |terms|."""
        positions, coordinates, values, shape = csr
        wide = sparse.csr_matrix((values.astype(np.float64), coordinates,
                                  positions), shape)
        dense = self.dense.astype(np.float64)
        bound = np.diff(positions).reshape((-1,) + (1,) * (dense.ndim - 1)) + 2
        bound = bound * (np.finfo(self.out.dtype).eps / 2) * (
            abs(wide) @ abs(dense))
        want = wide @ dense
        for way in (self.c, self.python):
            self.out.fill(np.nan)  # is overwritten
            if way(1) < 0 or not (abs(self.out - want) <= bound).all():
                sys.exit(f"{self.name}, {self.columns} columns, "
                         f"{way.__name__}: differs from float64")

    def time(self, budget):
        """The median seconds of each way."""
        runs = [max(1, int(SAMPLE / max(way(1), 1e-9))) for way in self.ways()]
        samples = [[] for _ in runs]
        begin = time.perf_counter()
        for done in range(ROUNDS):
            if done >= LEAST_ROUNDS and time.perf_counter() - begin > budget:
                break
            for way, count, kept in zip(self.ways(), runs, samples):
                kept.append(way(count))
        return [statistics.median(kept) for kept in samples]


def measure(build, placements, budget, *problem):
    """The seconds of each way in each set-up."""
    times, kept = [], []  # Arrays that stay keep their place from the next ones.
    for _ in range(placements):
        with Kernel(build) as kernel:
            kept.append(Problem(kernel, *problem))
            times.append(kept[-1].time(budget / placements))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--columns", default="1,32,128,512")
    parser.add_argument("--classes", default=",".join(CLASSES),
                        help="of generated matrices; none: files only")
    parser.add_argument("--placements", type=int, default=PLACEMENTS,
                        help="times that each problem is set up")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    os.environ.setdefault("ASTFE_LIBRARY",
                          str(arguments.build / "lib" / "libASTFE.so"))
    sys.path.insert(0, str(root / "python"))
    import astfe
    time_c = ctypes.CDLL(str(arguments.build / "lib" / "ASTFEEntries.so")
                         ).entriesTimeC
    time_c.restype = ctypes.c_double
    time_c.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p,
                       ctypes.c_void_p, ctypes.c_int64]
    classes = [] if arguments.classes == "none" else arguments.classes.split(",")
    columns = [int(number) for number in arguments.columns.split(",")]
    if arguments.quick:
        classes, columns = classes[:2], columns[:2]
    budget = 0.2 if arguments.quick else BUDGET

    def times(name, width):
        return measure(arguments.build, arguments.placements, budget, time_c,
                       astfe, name, width, np.float32)

    calls = [statistics.median(way) for way in zip(*times("3x3", 1))]
    print("a call on a 3 x 3 matrix: " + ", ".join(
        f"{name} {seconds * 1e6:.2f} us" for name, seconds in
        zip(("kernel", "C", "Python"), calls)))
    print(f"threads: {astfe.threads()}\n\n| matrix | columns | kernel, us | "
          "set-ups, us | C | Python |\n|---|---|---|---|---|---|")
    worst = [0, 0]
    for name in arguments.files + classes:
        for width in columns:
            setups = times(name, width)
            alone = [kernel * 1e6 for kernel, *_ in setups]
            parts = [statistics.median(setup[way] / (ALLOWED * setup[0] + call)
                                       for setup in setups)
                     for way, call in enumerate(calls[1:], 1)]
            worst = [max(pair) for pair in zip(worst, parts)]
            print(f"| {pathlib.Path(name).stem} | {width} |"
                  f" {statistics.median(alone):.1f} |"
                  f" {min(alone):.1f} to {max(alone):.1f} |"
                  f" {parts[0]:.2f} | {parts[1]:.2f} |", flush=True)
    print(f"\nlargest: C {worst[0]:.2f}, Python {worst[1]:.2f}")
    return int(max(worst) > 1)


if __name__ == "__main__":
    sys.exit(main())
