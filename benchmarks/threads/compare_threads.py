#!/usr/bin/env python3
"""Products beside other people's threads; prints the tables of
docs/Performance.md.

    compare_threads.py [--build BUILD] [--rounds N] FILE.mtx ...

1. Our SpMV in a process that has libgomp or libomp and runs a region of it
   before each product, loaded before our first product or after it, against a
   process that has neither.
2. SpMV while another process is busy on one core, against SciPy in the same
   moments.
3. A product with a matrix of 3 x 3 beyond NumPy's, and `import astfe` beyond
   `import numpy`.

Each line of table 1 is the median of several processes, which take turns.
Needs NumPy, SciPy and at least two cores.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUSY = """
import os, sys
if len(sys.argv) > 1:
    os.sched_setaffinity(0, {int(sys.argv[1])})
while True:
    pass
"""


def load(path):
    """The matrix as SciPy's and as ours, with its operands."""
    import astfe
    import numpy as np
    import scipy.io
    import scipy.sparse
    matrix = scipy.sparse.csr_matrix(scipy.io.mmread(path).astype("float32"))
    return (matrix, astfe.Matrix(matrix, columns=1),
            np.ones(matrix.shape[1], "float32"),
            np.empty(matrix.shape[0], "float32"))


def gomp_region(threads):
    """A region of libgomp whose threads look at a string of no bytes."""
    library = ctypes.CDLL("libgomp.so.1")
    body = ctypes.CDLL(None).strlen
    text = ctypes.create_string_buffer(8)
    return lambda: library.GOMP_parallel(body, text, threads, 0)


def omp_region(threads):
    """The same of libomp; a body's first argument is a thread's number."""
    library = ctypes.CDLL("libomp.so.5")
    body = ctypes.CDLL(None).strlen
    place = (ctypes.c_int32 * 4)(0, 2, 0, 0)
    source = ctypes.create_string_buffer(b";compare_threads;region;0;0;;")

    class Location(ctypes.Structure):
        _fields_ = [("flags", ctypes.c_int32 * 4), ("source", ctypes.c_char_p)]
    location = Location(place, ctypes.cast(source, ctypes.c_char_p))

    def region():
        number = library["__kmpc_global_thread_num"](ctypes.byref(location))
        library["__kmpc_push_num_threads"](ctypes.byref(location), number,
                                           threads)
        library["__kmpc_fork_call"](ctypes.byref(location), 0, body)
    return region


REGIONS = {"libgomp": gomp_region, "libomp": omp_region}


def time_product(path, name, first):
    """Seconds of a product, each right behind a region of `name`."""
    threads = len(os.sched_getaffinity(0))
    region = REGIONS[name](threads) if name and first else lambda: None
    region()
    _, ours, x, y = load(path)
    ours.multiply(x, out=y)
    if name and not first:
        region = REGIONS[name](threads)
    times = []
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:
        region()
        begin = time.perf_counter()
        ours.multiply(x, out=y)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def sample(product, seconds=2e-3):
    """Seconds of one run of some in a row."""
    begin, runs = time.perf_counter(), 0
    while True:
        product()
        runs += 1
        taken = time.perf_counter() - begin
        if taken >= seconds:
            return taken / runs


def time_beside(path, rounds=200):
    """Medians of ours and SciPy's, in turn."""
    theirs, ours, x, y = load(path)
    times = [], []
    for _ in range(rounds):
        times[0].append(sample(lambda: ours.multiply(x, out=y)))
        times[1].append(sample(lambda: theirs @ x))
    return [statistics.median(t) for t in times]


def time_small():
    """Seconds of a product of 3 x 3 by NumPy, and by us."""
    import astfe
    import numpy as np
    a = np.eye(3, dtype="float32")
    ours = astfe.Matrix((np.arange(4), np.arange(3), np.ones(3, "float32"),
                         (3, 3)))
    x, y = np.ones(3, "float32"), np.empty(3, "float32")
    ours.multiply(x, out=y)
    products = (lambda: np.matmul(a, x, out=y),
                lambda: ours.multiply(x, out=y))
    times = [[sample(p) for p in products] for _ in range(100)]
    return [statistics.median(column) for column in zip(*times)]


def ask(arguments, *question):
    """The answer of a process of its own."""
    environment = dict(
        os.environ, PYTHONPATH=str(SOURCE / "python"),
        ASTFE_LIBRARY=str(arguments.build / "lib" / "libASTFE.so"))
    result = subprocess.run(
        [sys.executable, __file__, "--ask", json.dumps(question)],
        env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)


def answer(question):
    what, *rest = question
    functions = {"product": time_product, "beside": time_beside,
                 "small": time_small}
    print(json.dumps(functions[what](*rest)))


def print_pools(arguments):
    print("| SpMV, us | alone | libgomp first | libgomp after | libomp first | "
          "libomp after | worst |\n|---|---|---|---|---|---|---|")
    cases = [(None, True), ("libgomp", True), ("libgomp", False),
             ("libomp", True), ("libomp", False)]
    for path in arguments.files:
        rounds = [[ask(arguments, "product", path, *case) for case in cases]
                  for _ in range(arguments.rounds)]
        times = [statistics.median(column) for column in zip(*rounds)]
        cells = " | ".join(f"{1e6 * t:.1f}" for t in times)
        worst = max(times[1:]) / times[0]
        print(f"| {pathlib.Path(path).stem} | {cells} | {worst:.2f} |",
              flush=True)


def print_busy(arguments):
    print("\n| SpMV, us | machine | ours | SciPy | ours / SciPy |\n"
          "|---|---|---|---|---|")
    cores = sorted(os.sched_getaffinity(0))
    for path in arguments.files:
        for name, options in (("quiet", None), ("last core busy", [cores[-1]]),
                              ("a busy process", [])):
            busy = None
            if options is not None:
                busy = subprocess.Popen([sys.executable, "-c", BUSY,
                                         *map(str, options)])
                time.sleep(0.3)
            try:
                ours, theirs = ask(arguments, "beside", path)
            finally:
                if busy:
                    busy.kill()
                    busy.wait()
            print(f"| {pathlib.Path(path).stem} | {name} | {1e6 * ours:.1f} | "
                  f"{1e6 * theirs:.1f} | {ours / theirs:.2f} |", flush=True)


def print_small(arguments):
    numpy, ours = ask(arguments, "small")
    print(f"\n3 x 3: NumPy {1e6 * numpy:.2f} us, ours {1e6 * ours:.2f} us")
    times = {"numpy": [], "astfe": []}
    for _ in range(9):
        for name, taken in times.items():
            begin = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", f"import {name}"], check=True,
                env=dict(os.environ, PYTHONPATH=str(SOURCE / "python")))
            taken.append(time.perf_counter() - begin)
    numpy, ours = (1e3 * statistics.median(t) for t in times.values())
    print(f"import: numpy {numpy:.0f} ms, astfe {ours:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ask", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    if arguments.ask:
        return answer(arguments.ask)
    print_pools(arguments)
    print_busy(arguments)
    print_small(arguments)


if __name__ == "__main__":
    main()
