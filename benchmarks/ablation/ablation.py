#!/usr/bin/env python3
"""What the steps of the graph bring, and products beside upstream's.

    ablation.py --build build --steps sddmm FILE.mtx ...
    ablation.py --build build --peers FILE...
    ablation.py --build build --orders 128 FILE.mtx ...
    ablation.py --make FOLDER        # then: --no-made FOLDER/FILE...

--steps prints, for a computation of COMPUTATIONS and each file, the time, the
modelled bytes and the set-up (order, profile, graph and tables) of rows that are
cut evenly, one share a thread; the same shares along Hilbert's curve; these
refined; a fine graph that is fused; that after a reordering; rows whose fine
graph is refined and fused; and what auto picks. Each step is checked against
float64. --peers prints products beside upstream's sparsifier, which runs in turn
in the same process. --orders prints samples by each order, as they are and after
labels, beside what auto picks where MANY_RUNS pay for its search. --types prints our own SpMM by type. Matrices and tensors of
each class are made beside the files, or written to a folder by --make.

A time is the least median of --rounds processes, whose turns go round; a set-up
is the least of them. Of tensors, results beyond MOST_BYTES are left out.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NEVER = 1 << 40  # --min: nothing is refined
BRICK = 1 << 16  # nonzeros, at most
MOST_BYTES = 1 << 28
MANY_RUNS = 10000

# Name: the suffix of its files, subcommand and options, and the dense columns.
COMPUTATIONS = {
    "spmm": ("mtx", ["spmm", "--cols=128"], 128),
    "sddmm": ("mtx", ["sddmm", "--inner=128"], 128),
    "transposed": ("mtx", ["spmm", "--cols=128", "--transpose"], 128),
    "min-plus": ("mtx", ["spmm", "--cols=32", "--semiring=min-plus"], 32),
    "ttv": ("tns", ["ttv"], 1),
    "ttm": ("tns", ["ttm", "--cols=32"], 32),
    "mttkrp": ("tns", ["mttkrp", "--rank=32"], 32),
}


def steps(suffix, nonzeros, threads):
    """[(name, options of astfe-run)...]; each adds a step to the one before, up
    to rows again."""
    leaf = f"--leaf={max(1, nonzeros // threads)}"
    never = f"--min={NEVER}"
    packed = ["--storage=packed"]
    plain = ["--reorder=none"] + packed
    found = [("rows cut evenly", ["--order=rows", leaf, never] + plain),
             ("+ order", ["--order=hilbert", leaf, never] + plain),
             ("+ refine", ["--order=hilbert", leaf] + plain)]
    if suffix == "tns":
        fine = ["--order=hilbert", f"--leaf={BRICK}"]
        return found + [("+ fuse", fine), ("auto", [])]
    return found + [("+ fuse", ["--order=hilbert"] + plain),
                    ("+ reorder", ["--order=hilbert", "--reorder=auto"] + packed),
                    ("rows + refine + fuse", ["--order=rows"] + plain),
                    ("auto", [])]


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
        # astfe-run takes an option once.
        given = {text.split("=")[0] for text in more}
        command = (self.command + computation + [f"{option}={file}"]
                   + [text for text in self.options
                      if text.split("=")[0] not in given] + list(more))
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{' '.join(command)}: {run.stderr or run.stdout}")
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


def write_tensor(path, points, extent):
    keys = np.unique((points[0] * extent + points[1]) * extent + points[2])
    np.random.default_rng(1).shuffle(keys)
    np.savetxt(path, np.column_stack((
        keys // extent ** 2 + 1, keys // extent % extent + 1,
        keys % extent + 1, np.ones(len(keys), dtype=np.int64))), fmt="%d")
    return path


def made_tensors(folder):
    """Two factors of 32 columns fill 1 MiB from 4096 rows each on, and 32 MiB
    from 131,072 on: the last two clusters are larger than L2, and all of the
    second larger than L3. A matrix of 4000 x 4000 has 64 MB."""
    rng = np.random.default_rng(9)
    for name, extent, clusters, side, count in (
            ("clusters-1000", 1000, 64, 125, 1000000),
            ("clusters-4000", 4000, 64, 500, 1000000),
            ("clusters-beyond-L2", 32768, 8, 8192, 1000000),
            ("clusters-beyond-L3", 524288, 4, 32768, 2000000)):
        corners = rng.integers(0, extent - side, (3, clusters))
        yield write_tensor(folder / f"{name}.tns",
                           corners[:, rng.integers(0, clusters, count)]
                           + rng.integers(0, side, (3, count)), extent)
    extent = 50000
    rows = (extent * rng.random((3, 1000000)) ** 3).astype(np.int64)
    yield write_tensor(folder / "power-law.tns", np.stack(
        [rng.permutation(extent)[mode] for mode in rows]), extent)


def made_files(folder):
    return list(made_matrices(folder)) + list(made_tensors(folder))


def result_bytes(name, shape, mode):
    """Of a tensor's product in f32."""
    columns = COMPUTATIONS[name][2]
    if name == "mttkrp":
        return 4 * columns * int(shape[mode])
    return 4 * columns * int(np.prod(np.delete(shape, mode)))


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def problems(runner, name, files):
    """[(title, file, options)...]: a tensor has one for each mode."""
    suffix = COMPUTATIONS[name][0]
    for file in files:
        if file.suffix != "." + suffix:
            continue
        if suffix == "mtx":
            yield file.stem, file, []
            continue
        shape = runner.run(["mttkrp", "--rank=1"], file,
                           "--repeat=1")["extents"]
        for mode in range(3):
            if result_bytes(name, shape, mode) <= MOST_BYTES:
                yield f"{file.stem}, mode {mode}", file, [f"--mode={mode}"]


def set_up(run):
    return sum(run["seconds"][of]
               for of in ("order", "profile", "partition", "pack"))


def step_table(runner, name, files, rounds, threads):
    suffix, computation, _ = COMPUTATIONS[name]
    names = [step for step, _ in steps(suffix, 1, 1)]
    print_row([f"{name}, ms (MB, set-up ms)"] + names)
    print("|---" * (len(names) + 1) + "|")
    for title, file, more in problems(runner, name, files):
        nonzeros = runner.run(computation, file, *more, "--repeat=1")["nnz"]
        found = {step: [] for step in names}
        for turn in range(rounds):
            for step, options in steps(suffix, nonzeros, threads):
                check = ["--check"] if turn == 0 else []
                found[step].append(runner.run(computation, file, *more,
                                              *options, *check))
        cells = [title]
        for step in names:
            time = min(r["seconds"]["run_median"] for r in found[step])
            bytes_ = found[step][0]["traffic_bytes"]
            cost = min(set_up(r) for r in found[step])
            cells.append(f"{1e3 * time:.3f} ({1e-6 * bytes_:.1f}, "
                         f"{1e3 * cost:.0f})")
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


def order_table(runner, files, rounds, inner):
    """Samples, whose order is not a product's (docs/Algorithms/Cost.md)."""
    orders = [(order, reorder) for reorder in ("none", "labels")
              for order in ("rows", "morton", "hilbert")]
    names = [order + (" after labels" if reorder == "labels" else "")
             for order, reorder in orders]
    print_row([f"SDDMM {inner}, ms"] + names + ["auto", "over the fastest"])
    print("|---" * (len(names) + 3) + "|")
    for file in files:
        if file.suffix != ".mtx":
            continue
        found = [[] for _ in range(len(orders) + 1)]
        for _ in range(rounds):
            for at, (order, reorder) in enumerate(orders + [("auto", "auto")]):
                found[at].append(runner.run(
                    ["sddmm", f"--inner={inner}"], file, f"--order={order}",
                    f"--reorder={reorder}", f"--expected-runs={MANY_RUNS}"))
        best = [min(run["seconds"]["run_median"] for run in runs)
                for runs in found]
        picked = found[-1][0]
        print_row([file.stem] + [f"{1e3 * time:.3f}" for time in best]
                  + [f"{picked['order']} {picked['reorder']}",
                     f"{best[-1] / min(best[:-1]):.2f}"])


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
    parser.add_argument("--steps", choices=COMPUTATIONS)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--types", type=int, metavar="COLUMNS")
    parser.add_argument("--orders", type=int, metavar="INNER")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--no-made", action="store_true",
                        help="only the files")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--make", type=pathlib.Path, metavar="FOLDER",
                        help="only write the files of each class")
    arguments = parser.parse_args()
    if arguments.make:
        made_files(arguments.make)
        return
    runner = Runner(arguments.build, arguments.threads, arguments.repeat)
    with tempfile.TemporaryDirectory() as folder:
        files = list(arguments.files)
        if not arguments.no_made:
            files += made_files(pathlib.Path(folder))
        if arguments.steps:
            step_table(runner, arguments.steps, files, arguments.rounds,
                       arguments.threads)
        if arguments.peers:
            peer_table(runner, files, arguments.rounds)
        if arguments.orders:
            order_table(runner, files, arguments.rounds, arguments.orders)
        if arguments.types:
            type_table(runner, files, arguments.rounds, arguments.types)


if __name__ == "__main__":
    main()
