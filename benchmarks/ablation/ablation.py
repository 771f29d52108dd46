#!/usr/bin/env python3
"""What the steps of the graph bring, and products beside upstream's.

    ablation.py --build build --steps sddmm FILE.mtx ...
    ablation.py --build build --peers FILE...

--steps prints, for a computation (spmm, sddmm, mttkrp) and each file, the time and
the modelled bytes of rows that are cut evenly, one share a thread; the same shares
along Hilbert's curve; these refined; a fine graph that is fused; that after a
reordering; and what auto picks. --peers prints SDDMM, A^T B, MTTKRP and min-plus
beside upstream's sparsifier, which runs in turn in the same process. --types
prints our own SpMM by type. Matrices and tensors of each class are made beside the
files.

A time is the least median of --rounds processes, whose turns go round.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NEVER = 1 << 40  # --min: nothing is refined


def steps(suffix, nonzeros, threads):
    """[(name, options of astfe-run)...]; each adds a step to the one before.
    Tensors are not renumbered."""
    leaf = f"--leaf={max(1, nonzeros // threads)}"
    never = f"--min={NEVER}"
    plain = [] if suffix == "tns" else ["--reorder=none"]
    found = [("rows cut evenly", ["--order=rows", leaf, never] + plain),
             ("+ order", ["--order=hilbert", leaf, never] + plain),
             ("+ refine", ["--order=hilbert", leaf] + plain),
             ("+ fuse", ["--order=hilbert"] + plain),
             ("+ reorder", ["--order=hilbert", "--reorder=auto"]),
             ("auto", [])]
    return [step for step in found if plain or step[0] != "+ reorder"]


def computations():
    """{name: (the suffix of its files, [subcommand, options...])}"""
    return {"spmm": ("mtx", ["spmm", "--cols=128"]),
            "sddmm": ("mtx", ["sddmm", "--inner=128"]),
            "mttkrp": ("tns", ["mttkrp", "--rank=32"])}


def peers():
    """[(name, suffix, subcommand and options)...]"""
    return [("SDDMM 64", "mtx", ["sddmm", "--inner=64"]),
            ("A^T B 32", "mtx", ["spmm", "--cols=32", "--transpose"]),
            ("A^T B 128", "mtx", ["spmm", "--cols=128", "--transpose"]),
            ("min-plus 1", "mtx", ["spmv", "--semiring=min-plus"]),
            ("min-plus 32", "mtx", ["spmm", "--cols=32", "--semiring=min-plus"]),
            ] + [(f"MTTKRP {mode}", "tns", ["mttkrp", "--rank=32",
                                            f"--mode={mode}"])
                 for mode in range(3)]


class Runner:
    def __init__(self, build, threads, repeat):
        self.command = [str(pathlib.Path(build) / "bin" / "astfe-run")]
        self.options = [f"--threads={threads}", f"--repeat={repeat}",
                        "--device=host", "--json"]

    def run(self, computation, file, *more):
        option = "--tensor" if file.suffix == ".tns" else "--matrix"
        command = (self.command + computation + [f"{option}={file}"]
                   + self.options + list(more))
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{' '.join(command)}: {run.stderr}")
        return json.loads(run.stdout)


def write_matrix(path, rows, columns, i, j):
    keys = np.unique(i.astype(np.int64) * columns + j)
    values = np.random.default_rng(1).uniform(-1, 1, len(keys))
    with open(path, "w") as out:
        out.write("%%MatrixMarket matrix coordinate real general\n"
                  f"{rows} {columns} {len(keys)}\n")
        np.savetxt(out, np.column_stack((keys // columns + 1,
                                         keys % columns + 1, values)),
                   fmt="%d %d %.5f")
    return path


def made_matrices(folder):
    rng = np.random.default_rng(7)
    side = 260
    n = side * side
    at = np.arange(n)
    x, y = at % side, at // side
    i, j = [], []
    for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
        inside = ((0 <= x + dx) & (x + dx < side) & (0 <= y + dy)
                  & (y + dy < side))
        i.append(at[inside])
        j.append((at + dx + side * dy)[inside])
    i, j = np.concatenate(i), np.concatenate(j)
    yield write_matrix(folder / "mesh.mtx", n, n, i, j)
    order = rng.permutation(n)
    yield write_matrix(folder / "permuted-mesh.mtx", n, n, order[i], order[j])
    blocks, size = 128, 48
    b = np.repeat(np.arange(blocks), size * size)
    inner = np.tile(np.arange(size * size), blocks)
    order = rng.permutation(blocks * size)
    yield write_matrix(folder / "permuted-blocks.mtx", blocks * size,
                       blocks * size, order[b * size + inner // size],
                       order[b * size + inner % size])
    pruned = rng.random((1536, 1536)) < 0.12
    yield write_matrix(folder / "pruned.mtx", 1536, 1536, *np.nonzero(pruned))
    n, count = 30000, 300000
    weights = 1 / np.arange(1, n + 1) ** 0.8
    weights /= weights.sum()
    draw = [rng.permutation(n)[rng.choice(n, count, p=weights)]
            for _ in range(2)]
    yield write_matrix(folder / "power-law.mtx", n, n, *draw)


def made_tensors(folder):
    rng = np.random.default_rng(9)
    shape = np.array((4000, 3000, 5000))
    centres = rng.integers(0, shape, (120, 3))
    points = centres[rng.integers(0, 120, 300000)] + rng.normal(
        0, 25, (300000, 3)).astype(np.int64)
    points = np.unique(np.clip(points, 0, shape - 1), axis=0)
    rng.shuffle(points)
    path = folder / "clusters.tns"
    np.savetxt(path, np.column_stack((points + 1, np.ones(len(points)))),
               fmt="%d %d %d %.1f")
    yield path


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def step_table(runner, name, files, rounds, threads):
    suffix, computation = computations()[name]
    names = [step for step, _ in steps(suffix, 1, 1)]
    print_row([f"{name}, ms (MB)"] + names)
    print("|---" * (len(names) + 1) + "|")
    for file in files:
        if file.suffix != "." + suffix:
            continue
        modes = range(3) if suffix == "tns" else (None,)
        for mode in modes:
            more = [] if mode is None else [f"--mode={mode}"]
            first = runner.run(computation, file, *more, "--repeat=1")
            found = {step: [] for step in names}
            for _ in range(rounds):
                for step, options in steps(suffix, first["nnz"],
                                           threads):
                    found[step].append(runner.run(computation, file, *more,
                                                  *options))
            cells = [file.stem if mode is None else f"{file.stem}, mode {mode}"]
            for step in names:
                time = min(r["seconds"]["run_median"] for r in found[step])
                bytes_ = found[step][0]["traffic_bytes"]
                cells.append(f"{1e3 * time:.3f}"
                             + (f" ({1e-6 * bytes_:.1f})" if bytes_ else ""))
            print_row(cells)


def peer_table(runner, files, rounds):
    print_row(["product", "file", "ours, ms", "upstream, ms", "times as fast"])
    print("|---|---|---|---|---|")
    for name, suffix, computation in peers():
        for file in files:
            if file.suffix != "." + suffix:
                continue
            runs = [runner.run(computation, file, "--compare=upstream")
                    for _ in range(rounds)]
            ours, theirs = (min(r["seconds"][of] for r in runs)
                            for of in ("run_median", "upstream_median"))
            print_row([name, file.stem, f"{1e3 * ours:.3f}",
                       f"{1e3 * theirs:.3f}", f"{theirs / ours:.2f}"])


def type_table(runner, files, rounds, columns):
    """Our own products by type."""
    types = ("f32", "f64", "f16", "bf16")
    print_row([f"SpMM {columns}, ms"] + list(types) + ["bf16 over f32"])
    print("|---" * (len(types) + 2) + "|")
    for file in files:
        if file.suffix != ".mtx":
            continue
        found = {t: [] for t in types}
        for _ in range(rounds):
            for t in types:
                run = runner.run(["spmm", f"--cols={columns}", f"--type={t}"],
                                 file)
                found[t].append(run["seconds"]["run_median"])
        best = {t: min(times) for t, times in found.items()}
        print_row([file.stem] + [f"{1e3 * best[t]:.3f}" for t in types]
                  + [f"{best['f32'] / best['bf16']:.2f}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--steps", choices=sorted(computations()))
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--types", type=int, metavar="COLUMNS")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--no-made", action="store_true",
                        help="only the files")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    runner = Runner(arguments.build, arguments.threads, arguments.repeat)
    with tempfile.TemporaryDirectory() as folder:
        files = list(arguments.files)
        if not arguments.no_made:
            files += made_matrices(pathlib.Path(folder))
            files += made_tensors(pathlib.Path(folder))
        if arguments.steps:
            step_table(runner, arguments.steps, files, arguments.rounds,
                       arguments.threads)
        if arguments.peers:
            peer_table(runner, files, arguments.rounds)
        if arguments.types:
            type_table(runner, files, arguments.rounds, arguments.types)


if __name__ == "__main__":
    main()
