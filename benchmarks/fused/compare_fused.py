#!/usr/bin/env python3
"""Sparse attention, forward: one kernel, our kernels one after the other, and
upstream's sparsifier.

The same linalg module (test/Tools/astfe-run/Inputs/attention.py) is compiled by
--astfe-to-cpu, by --astfe-to-cpu=fuse=false, and by upstream's --sparsifier, all of them
then by clang -O3 -march=native. Upstream runs on one thread: its passes do not
lower sparse results in parallel loops (MLIR 22.1). Results are checked against
float64, then the programs run in turn; what counts is the median.

The table has milliseconds, ratios, and a bound of the fused kernel (its
roofline): the bytes of K and V that it has to gather, 8 d a nonzero, over what
each thread loads in vectors from an array of the size of K and V.
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

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
MODULE = SOURCE / "test/Tools/astfe-run/Inputs/attention.py"
LLVM = pathlib.Path("/usr/lib/llvm-22/bin")
UPSTREAM = ("--sparsifier=enable-runtime-library=false vl=16 "
            "reassociate-fp-reductions=true enable-index-optimizations=true "
            "enable-x86vector=true")
ROUNDS, SECONDS = 21, 2.0


def run(*command, text=None):
    result = subprocess.run([str(c) for c in command], input=text, text=True,
                            capture_output=True)
    if result.returncode:
        sys.exit(f"{command[0]}: {result.stderr[:2000]}")
    return result.stdout


class Descriptor(ctypes.Structure):
    """A memref of rank 1 or 2."""

    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * 4)]


def memref(array):
    count = array.ndim
    sizes = list(array.shape) + [s // array.itemsize for s in array.strides]
    data = array.ctypes.data
    return Descriptor(data, data, 0, (ctypes.c_int64 * 4)(*sizes[:2 * count]))


def aligned(array):
    room = np.empty(array.nbytes + 64, np.uint8)
    begin = -room.ctypes.data % 64
    copy = room[begin:begin + array.nbytes].view(array.dtype)
    copy = copy.reshape(array.shape)
    copy[...] = array
    return copy


class Problem:
    def __init__(self, name, rows, positions, coordinates, dim, seed=1):
        generator = np.random.default_rng(seed)
        self.name, self.rows, self.dim = name, rows, dim
        self.positions = positions.astype(np.int32)
        self.coordinates = coordinates.astype(np.int32)
        self.values = aligned(generator.uniform(-1, 1, len(coordinates))
                              .astype(np.float32))
        self.operands = [aligned(generator.uniform(-1, 1, (rows, dim))
                                 .astype(np.float32)) for _ in range(3)]

    def want(self):
        """In float64, row by row, with the sum of |terms| that errors count by."""
        q, k, v = (x.astype(np.float64) for x in self.operands)
        out, size = np.zeros((self.rows, self.dim)), np.zeros((self.rows,
                                                               self.dim))
        for i in range(self.rows):
            at = slice(self.positions[i], self.positions[i + 1])
            j = self.coordinates[at]
            if len(j) == 0:
                continue
            s = self.values[at].astype(np.float64) + k[j] @ q[i] * 0.125
            p = np.exp(s - s.max())
            p /= p.sum()
            out[i], size[i] = p @ v[j], p @ abs(v[j])
        return out, size


class Program:
    """A compiled module; `run` computes, `result` is what it computed."""

    def __init__(self, name, library, problem, isOurs):
        self.name, self.problem = name, problem
        self.function = ctypes.CDLL(str(library))
        entry = "_mlir_ciface_attention" if isOurs else "_mlir_ciface_entry"
        self.entry = getattr(self.function, entry)
        self.entry.restype = None
        self.result = Descriptor()
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [ctypes.c_void_p]
        p = problem
        self.memrefs = [memref(a) for a in
                        (p.positions, p.coordinates, p.values, *p.operands)]
        references = [ctypes.byref(m) for m in self.memrefs]
        sizes = [ctypes.c_int64(p.rows)] * 2 if isOurs else []
        self.arguments = [ctypes.byref(self.result), *references[:3], *sizes,
                          *references[3:]]

    def run(self):
        self.entry(*self.arguments)

    def release(self):
        if self.result.allocated:
            self.free(self.result.allocated)

    def check(self, want, size):
        self.run()
        shape = want.shape
        data = (ctypes.c_float * (shape[0] * shape[1])).from_address(
            self.result.aligned + 4 * self.result.offset)
        got = np.frombuffer(data, np.float32).reshape(shape).astype(np.float64)
        error = np.max(abs(got - want) / np.maximum(size, 1e-30))
        self.release()
        if not error < 1e-5:
            sys.exit(f"{self.name}: expected an error below 1e-5 of the sum of "
                     f"|terms| but got {error:g}")

    def seconds(self):
        begin = time.perf_counter()
        self.run()
        taken = time.perf_counter() - begin
        self.release()
        return taken


def compile_library(folder, name, llvm_dialect):
    ir = run(LLVM / "mlir-translate", "--mlir-to-llvmir", text=llvm_dialect)
    path = folder / f"{name}.ll"
    path.write_text(ir)
    library = folder / f"lib{name}.so"
    run(LLVM / "clang", "-O3", "-march=native", "-mprefer-vector-width=512",
        "-fPIC", "-shared", "-Wno-override-module", path, "-o", library,
        f"-L{BUILD}/lib", "-lastfe_runtime", "-l:libomp.so.5", "-lm",
        f"-Wl,-rpath,{BUILD}/lib")
    return library


def wrapped(text, problem):
    """A function that makes a sparse tensor of the caller's arrays."""
    n, d = problem.rows, problem.dim
    dense = f"tensor<{n}x{d}xf32>"
    sparse = f"tensor<{n}x{n}xf32, #S>"
    return text.replace("func.func @attention", "func.func private @attention") + f"""
func.func @entry(%p: tensor<?xi32>, %c: tensor<?xi32>, %v: tensor<?xf32>, %Q: {dense},
                 %K: {dense}, %V: {dense}) -> {dense} attributes {{llvm.emit_c_interface}} {{
  %A = sparse_tensor.assemble (%p, %c), %v
    : (tensor<?xi32>, tensor<?xi32>), tensor<?xf32> to {sparse}
  %r = func.call @attention(%A, %Q, %K, %V) : ({sparse}, {dense}, {dense}, {dense}) -> {dense}
  return %r : {dense}
}}
"""


def programs(problem, folder):
    options = ["scale=0.125", f"dim={problem.dim}", "width=32"]
    python = sys.executable
    text = run(python, MODULE, "add", *options)
    n = problem.rows
    static = run(python, MODULE, "add", *options, f"rows={n}", f"columns={n}")
    made = []
    wide = "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()
    vectors = f"vector-bytes={64 if wide else 32}"
    for name, pipeline in (("fused", f"--astfe-to-cpu={vectors}"),
                           ("apart", f"--astfe-to-cpu=fuse=false {vectors}")):
        out = run(BUILD / "bin/astfe-opt", pipeline, text=text)
        made.append(Program(name, compile_library(folder, name, out), problem,
                            True))
    out = run(LLVM / "mlir-opt", UPSTREAM, text=wrapped(static, problem))
    made.append(Program("upstream", compile_library(folder, "upstream", out),
                        problem, False))
    return made


def uniform(name, rows, each, dim):
    generator = np.random.default_rng(7)
    columns = [np.sort(generator.choice(rows, each, replace=False))
               for _ in range(rows)]
    return Problem(name, rows, np.arange(rows + 1) * each,
                   np.concatenate(columns), dim)


def window(name, rows, each, dim):
    """What sliding windows attend to: neighbours, and a few global tokens."""
    columns, positions = [], [0]
    for i in range(rows):
        near = np.arange(max(0, i - each // 2), min(rows, i + each // 2))
        columns.append(np.union1d(near, np.arange(8)))
        positions.append(positions[-1] + len(columns[-1]))
    return Problem(name, rows, np.array(positions), np.concatenate(columns), dim)


def from_file(path, dim):
    import scipy.io
    matrix = scipy.io.mmread(path).tocsr()
    matrix.sort_indices()
    if matrix.shape[0] != matrix.shape[1]:
        sys.exit(f"{path}: expected a square matrix but got {matrix.shape}")
    return Problem(pathlib.Path(path).stem, matrix.shape[0], matrix.indptr,
                   matrix.indices, dim)


PROBE = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
/* Bytes a second that a thread loads from an array of so many. */
double loads(long bytes) {
  typedef float vector __attribute__((vector_size(32)));
  vector *a = aligned_alloc(64, bytes);
  memset(a, 0, bytes);
  const long rounds = (512L << 20) / bytes + 1;
  double begin = now();
  for (long r = 0; r < rounds; ++r)
    for (long i = 0; i + 4 <= bytes / 32; i += 4)
      __asm__ volatile("" : : "v"(a[i]), "v"(a[i + 1]), "v"(a[i + 2]),
                       "v"(a[i + 3]));
  double rate = (double)rounds * bytes / (now() - begin);
  free(a);
  return rate;
}
"""


def bandwidth(folder, size):
    """What the threads load from a set of the operands' size, each by itself."""
    source, library = folder / "probe.c", folder / "probe.so"
    source.write_text(PROBE)
    run(LLVM / "clang", "-O2", "-march=native", "-fPIC", "-shared", source,
        "-o", library)
    probe = ctypes.CDLL(str(library)).loads
    probe.restype = ctypes.c_double
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    return threads * probe(ctypes.c_long(max(size // 4096, 1) * 4096))


def measure(problem, folder):
    want, size = problem.want()
    all_programs = programs(problem, folder)
    for program in all_programs:
        program.check(want, size)
    taken = {program.name: [] for program in all_programs}
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        for program in all_programs:
            program.seconds()
            taken[program.name].append(program.seconds())
        if (time.perf_counter() - begin > SECONDS
                and len(taken["fused"]) >= 5):
            break
    median = {name: statistics.median(t) for name, t in taken.items()}
    nonzeros = len(problem.coordinates)
    gathered = 8 * problem.dim * nonzeros
    bound = gathered / bandwidth(folder, 8 * problem.dim * problem.rows)
    print(f"| {problem.name} | {nonzeros} | {problem.dim} "
          + "".join(f"| {median[p.name] * 1e3:.3f} " for p in all_programs)
          + f"| {median['apart'] / median['fused']:.2f} "
          f"| {median['upstream'] / median['fused']:.2f} | {bound * 1e3:.3f} "
          f"| {bound / median['fused']:.2f} |", flush=True)


def main():
    global BUILD
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("files", nargs="*", help="square matrices (.mtx)")
    arguments = parser.parse_args()
    BUILD = arguments.build.resolve()
    print("| pattern | nonzeros | d | fused, ms | apart | upstream "
          "| fused over apart | over upstream | bound, ms | of bound |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    scale = 4 if arguments.quick else 1
    cases = [(uniform, "uniform", 4096, 512), (window, "window", 4096, 512),
             (uniform, "short rows", 16384, 32),
             (uniform, "far rows", 131072, 32)]
    for make, name, rows, each in cases:
        if arguments.only not in name:
            continue
        for dim in (16, 64, 128):
            with tempfile.TemporaryDirectory() as folder:
                measure(make(name, rows // scale, each, dim),
                        pathlib.Path(folder))
    for path in arguments.files:
        with tempfile.TemporaryDirectory() as folder:
            measure(from_file(path, 64), pathlib.Path(folder))


main()
