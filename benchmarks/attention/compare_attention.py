#!/usr/bin/env python3
"""Sparse attention against its peers; prints the tables of docs/Performance.md.

    compare_attention.py [--build BUILD] [--repeat N] [--rows N] FILE.mtx ...

1. astfe-run attention on generated patterns and those of the files, checked
   against float64: forward, against the same chain in linalg through upstream's
   sparsifier with the faster of two vector lengths and against our kernels one
   after the other, whose results are checked as well; and forward with gradients,
   against our kernels likewise.
2. Where PyTorch is installed: random masks of 2048 x 2048 by their density,
   against scaled_dot_product_attention with the mask as a dense matrix of
   booleans, and against FlexAttention where torch compiles it for the processor.
   The density at which both take as long is interpolated.

Needs NumPy, and SciPy for the second table. All sides run on as many threads.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SHAPES = ((1, 16), (1, 64), (1, 128), (4, 64))


def run(build, matrix, heads, dim, repeat, *options):
    """What astfe-run prints as JSON."""
    command = [str(build / "bin" / "astfe-run"), "attention", "--matrix", matrix,
               "--heads", str(heads), "--dim", str(dim), "--repeat", str(repeat),
               "--device=host", "--check", "--json", *options]
    return json.loads(subprocess.run(command, check=True, text=True,
                                     capture_output=True).stdout)


def patterns(rows):
    """Columns of each row: random ones, and what sliding windows attend to, which
    are neighbours and a few global tokens."""
    generator = np.random.default_rng(7)
    yield "uniform", [np.sort(generator.choice(rows, rows // 8, replace=False))
                      for _ in range(rows)]
    near = rows // 32
    yield "window", [np.union1d(np.arange(max(0, i - near), min(rows, i + near)),
                                np.arange(8)) for i in range(rows)]


def write_pattern(folder, name, columns):
    """A file of the pattern, whose path is returned."""
    path = pathlib.Path(folder) / f"{name}.mtx"
    with open(path, "w") as out:
        out.write("%%MatrixMarket matrix coordinate pattern general\n"
                  f"{len(columns)} {len(columns)} {sum(map(len, columns))}\n")
        for i, row in enumerate(columns):
            out.write("".join(f"{i + 1} {j + 1}\n" for j in row))
    return str(path)


def over(seconds, rival):
    """How many times as long the rival takes."""
    return seconds[rival] / seconds["run_median"]


def table_of_files(build, files, repeat):
    print("| pattern | nonzeros | heads x dim | forward, ms | over upstream | "
          "over separate | with gradients, ms | over separate |\n"
          "|---|---|---|---|---|---|---|---|")
    for matrix in files:
        for heads, dim in SHAPES:
            against, apart, both = (
                run(build, matrix, heads, dim, repeat, *options)
                for options in (("--compare=upstream",), ("--compare=unfused",),
                                ("--compare=unfused", "--backward")))
            forward, gradients = apart["seconds"], both["seconds"]
            print(f"| {pathlib.Path(matrix).stem} | {apart['nnz']} | "
                  f"{heads} x {dim} | {1e3 * forward['run_median']:.2f} | "
                  f"{over(against['seconds'], 'upstream_median'):.2f} | "
                  f"{over(forward, 'unfused_median'):.2f} | "
                  f"{1e3 * gradients['run_median']:.2f} | "
                  f"{over(gradients, 'unfused_median'):.2f} |", flush=True)


def in_turn(functions, repeat):
    """Median seconds of each, after a warm-up, A B A B."""
    times = [[] for _ in functions]
    for i in range(repeat + 1):
        for function, taken in zip(functions, times):
            begin = time.perf_counter()
            function()
            if i:
                taken.append(time.perf_counter() - begin)
    return [statistics.median(taken) for taken in times]


def crossing(densities, ratios):
    """Where the ratio passes 1, on logarithmic axes; None: nowhere."""
    points = list(zip(densities, ratios))
    for (d0, r0), (d1, r1) in zip(points, points[1:]):
        if (r0 - 1) * (r1 - 1) <= 0 and r0 != r1:
            share = math.log(r0) / (math.log(r0) - math.log(r1))
            return d0 * (d1 / d0) ** share
    return None


def table_of_densities(repeat, size=2048):
    import astfe
    import numpy as np
    import scipy.sparse
    import torch
    torch.set_num_threads(astfe.threads())
    densities = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
    print(f"\nPyTorch {torch.__version__}, {astfe.threads()} threads; dense over "
          "sparse time, above 1 where sparse is faster\n")
    print("| heads x dim | " + " | ".join(f"{d:g}" for d in densities)
          + " | as fast at |\n|" + "---|" * (len(densities) + 2))
    rng = np.random.default_rng(1)
    for heads, dim in ((8, 16), (8, 64), (4, 128)):
        q, k, v = (rng.uniform(-1, 1, (size, heads, dim)).astype("float32")
                   for _ in range(3))
        # (head, row, dim), which is what torch takes, in its own layout.
        dense = [torch.from_numpy(np.ascontiguousarray(a.transpose(1, 0, 2)))[None]
                 for a in (q, k, v)]
        ratios = []
        for density in densities:
            mask = rng.random((size, size)) < density
            mask[:, 0] = True  # No row is empty: dense attention has no number.
            ours = astfe.Attention(
                scipy.sparse.csr_matrix(mask.astype("float32")), heads, dim,
                dtype=np.float32)
            boolean = torch.from_numpy(mask)

            def sparse():
                return ours.forward(q, k, v)[0]

            def theirs():
                with torch.no_grad():
                    return torch.nn.functional.scaled_dot_product_attention(
                        *dense, attn_mask=boolean)

            error = np.abs(sparse()
                           - theirs()[0].numpy().transpose(1, 0, 2)).max()
            if not error < 1e-5:
                sys.exit(f"compare_attention.py: error: results differ by {error}")
            ours_seconds, theirs_seconds = in_turn((sparse, theirs), repeat)
            ratios.append(theirs_seconds / ours_seconds)
        where = crossing(densities, ratios)
        print(f"| {heads} x {dim} | " + " | ".join(f"{r:.2f}" for r in ratios)
              + f" | {'-' if where is None else f'{where:.3f}'} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--rows", type=int, default=4096,
                        help="of the generated patterns")
    parser.add_argument("files", nargs="*", help="patterns (.mtx)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = [write_pattern(folder, *each) for each in patterns(arguments.rows)]
        table_of_files(arguments.build, made + arguments.files, arguments.repeat)
    os.environ.setdefault("ASTFE_LIBRARY",
                          str(arguments.build / "lib" / "libASTFE.so"))
    sys.path.insert(0, str(SOURCE / "python"))
    try:
        import torch  # noqa: F401 (optional: a large package)
    except ImportError:
        print("\nPyTorch is not installed: no table of densities")
        return
    table_of_densities(arguments.repeat)


if __name__ == "__main__":
    main()
