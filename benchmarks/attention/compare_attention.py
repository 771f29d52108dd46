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
   booleans, and against FlexAttention where torch compiles it for the processor
   (a minute). The density at which both take as long is interpolated. Then what
   another mask takes, and whether FlexAttention has gradients there.

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


# Arrays that the rivals allocate in each run stay mapped: the C library would
# give large ones back, and separate kernels would take up to three times as long.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 33)}


def run(build, matrix, heads, dim, repeat, *options):
    """What astfe-run prints as JSON."""
    command = [str(build / "bin" / "astfe-run"), "attention", "--matrix", matrix,
               "--heads", str(heads), "--dim", str(dim), "--repeat", str(repeat),
               "--device=host", "--check", "--json", *options]
    return json.loads(subprocess.run(command, check=True, text=True,
                                     capture_output=True,
                                     env=dict(os.environ, **KEPT)).stdout)


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


class Flex:
    """FlexAttention with a mask that changes, compiled once for each shape."""

    def __init__(self, torch, size):
        from torch.nn.attention.flex_attention import (create_block_mask,
                                                       flex_attention)
        self.mask = mask = torch.zeros((size, size), dtype=torch.bool)
        self.compiled = torch.compile(flex_attention, dynamic=False)
        self.block_mask = lambda: create_block_mask(
            lambda b, h, i, j: mask[i, j], None, None, size, size, device="cpu")
        self.block_mask()

    def set(self, mask):
        """Seconds of another mask."""
        self.mask.copy_(mask)
        begin = time.perf_counter()
        self.blocks = self.block_mask()
        return time.perf_counter() - begin

    def __call__(self, *operands):
        return self.compiled(*operands, block_mask=self.blocks)


def made_flex(torch, size):
    """None where torch does not have it."""
    try:
        return Flex(torch, size)
    except ImportError:
        return None


def flex_gradients(torch, flex, dense):
    """Whether gradients flow through it, as text."""
    try:
        operands = [a.clone().requires_grad_() for a in dense]
        flex(*operands).sum().backward()
        return "works"
    except Exception as error:  # Of whatever kind the compiler raises.
        return f"fails ({type(error).__name__})"


class Densities:
    """Random masks of one size, ours against torch's."""

    def __init__(self, repeat, size):
        self.repeat, self.size = repeat, size
        import torch
        self.rng = np.random.default_rng(1)
        self.flex = made_flex(torch, size)

    def measure(self, heads, dim, density):
        """Seconds of ours, of the dense one and of FlexAttention, then of another
        mask, ours and FlexAttention's; what is not there is infinite."""
        import astfe
        import scipy.sparse
        import torch
        size = self.size
        q, k, v = (self.rng.uniform(-1, 1, (size, heads, dim)).astype("float32")
                   for _ in range(3))
        # (head, row, dim), which is what torch takes, in its own layout.
        self.dense = [torch.from_numpy(np.ascontiguousarray(
            a.transpose(1, 0, 2)))[None] for a in (q, k, v)]
        mask = self.rng.random((size, size)) < density
        mask[:, 0] = True  # No row is empty: dense attention has no number.
        matrix = scipy.sparse.csr_matrix(mask.astype("float32"))
        begin = time.perf_counter()
        ours = astfe.Attention(matrix, heads, dim, dtype=np.float32)
        made = time.perf_counter() - begin
        boolean = torch.from_numpy(mask)
        flex_made = self.flex.set(boolean) if self.flex else math.inf

        def sparse():
            return ours.forward(q, k, v)[0]

        def theirs():
            with torch.no_grad():
                return torch.nn.functional.scaled_dot_product_attention(
                    *self.dense, attn_mask=boolean)

        def flexible():
            with torch.no_grad():
                return self.flex(*self.dense)

        functions = [sparse, theirs] + ([flexible] if self.flex else [])
        for other in functions[1:]:
            error = np.abs(sparse()
                           - other()[0].numpy().transpose(1, 0, 2)).max()
            if not error < 1e-5:
                sys.exit(f"compare_attention.py: error: results differ by {error}")
        seconds = in_turn(functions, self.repeat)
        return (seconds + [math.inf])[:3], (made, flex_made)


def table_of_densities(repeat, size=2048):
    import astfe
    import torch
    torch.set_num_threads(astfe.threads())
    densities = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
    print(f"\nPyTorch {torch.__version__}, {astfe.threads()} threads, {size} rows; its "
          "time over ours, above 1 where ours is less\n")
    print("| heads x dim | PyTorch's | " + " | ".join(f"{d:g}" for d in densities)
          + " | as fast at |\n|" + "---|" * (len(densities) + 3))
    table = Densities(repeat, size)
    for heads, dim in ((8, 16), (8, 64), (4, 128)):
        measured = [table.measure(heads, dim, d) for d in densities]
        for rival, name in ((1, "dense"), (2, "FlexAttention")):
            ratios = [seconds[rival] / seconds[0] for seconds, _ in measured]
            if not math.isfinite(ratios[0]):
                continue
            where = crossing(densities, ratios)
            print(f"| {heads} x {dim} | {name} | "
                  + " | ".join(f"{r:.2f}" for r in ratios)
                  + f" | {'-' if where is None else f'{where:.3f}'} |", flush=True)
    made = [[1e3 * setup[side] for _, setup in measured] for side in (0, 1)]
    print(f"\nAnother mask: {min(made[0]):.1f} to {max(made[0]):.1f} ms; "
          f"FlexAttention's blocks {min(made[1]):.1f} to {max(made[1]):.1f} ms.")
    if table.flex:
        print("FlexAttention's gradients on the processor: "
              f"{flex_gradients(torch, table.flex, table.dense)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--only-torch", action="store_true",
                        help="the second table alone")
    parser.add_argument("--rows", type=int, default=4096,
                        help="of the generated patterns")
    parser.add_argument("files", nargs="*", help="patterns (.mtx)")
    arguments = parser.parse_args()
    if not arguments.only_torch:
        with tempfile.TemporaryDirectory() as folder:
            made = [write_pattern(folder, *each)
                    for each in patterns(arguments.rows)]
            table_of_files(arguments.build, made + arguments.files,
                           arguments.repeat)
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
