#!/usr/bin/env python3
"""Tables and plots of bench-kernels' files.

  report.py [--plots DIR] [--details] [--least] FILE.tsv ...

Upstream is the faster of its two vector lengths, problem by problem, on threads
and serial; `by hand` is the faster of the experts' kernels. A ratio is
the other's time over ours: above 1 we are faster. `best` is the faster of our
two layouts. Set-up is everything before the first product; break-even is the
number of runs after which set-up and runs together beat upstream's. The roof is
the cost model's: every row of B from L1, or A, B and C streamed once, whichever
takes longer; nothing that works row by row is faster.
"""

import argparse
import csv
import math
import os
import statistics
import sys
from collections import defaultdict

OURS = ("astfe-packed", "astfe-view")
# A^T B has two: over a transposed copy, and from A's own rows.
EXPERTS = ("expert", "expert-scatter")
SERIAL = ("upstream-serial-vl0", "upstream-serial-vl16")
SETUP = ("choose", "profile", "partition", "pack", "compile", "tune", "convert")


def read(paths, time="median"):
    """{(matrix, type, columns): {contestant: row}}, later files win."""
    problems = defaultdict(dict)
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                for name in SETUP + ("median", "predicted", "roof"):
                    row[name] = float(row[name])
                row["median"] = float(row[time])
                key = (row["matrix"], row["type"], int(row["columns"]))
                problems[key][row["contestant"]] = row
    for rows in problems.values():
        fastest(rows, "upstream", ("upstream-vl0", "upstream-vl16"))
        fastest(rows, "upstream's serial code", SERIAL)
        fastest(rows, "best", OURS)
        fastest(rows, "by hand", EXPERTS)
    return problems


def fastest(rows, name, of):
    found = [rows[n] for n in of if n in rows]
    if found:
        rows[name] = min(found, key=lambda row: row["median"])


def ratio(rows, ours, other):
    if ours not in rows or other not in rows:
        return None
    return rows[other]["median"] / rows[ours]["median"]


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def cell(values):
    """gm, minimum and the share below 1."""
    if not values:
        return "-"
    below = sum(v < 1 for v in values) / len(values)
    return f"{mean(values):.2f} {min(values):.2f} {below:4.0%}"


def table(title, header, rows):
    print(f"\n{title}\n")
    widths = [max(len(str(r[i])) for r in [header] + rows) for i in range(len(header))]
    for number, row in enumerate([header] + rows):
        print("| " + " | ".join(str(x).ljust(w) for x, w in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")


def groups(problems):
    """[(type, columns, [rows])] in order."""
    found = defaultdict(list)
    for (_, kind, columns), rows in problems.items():
        found[kind, columns].append(rows)
    return [(k, c, found[k, c]) for k, c in sorted(found)]


def summary(problems, other):
    lines = []
    for kind, columns, members in groups(problems):
        line = [kind, columns, len(members)]
        for ours in OURS + ("best",):
            values = [ratio(rows, ours, other) for rows in members]
            line.append(cell([v for v in values if v]))
        lines.append(line)
    table(
        f"Over {other}: geometric mean, minimum, share below 1",
        ["type", "columns", "matrices", "packed", "view", "best"],
        lines,
    )


def peers(problems):
    names = [*EXPERTS, "onemkl", "eigen", "graphblas", "librsb"]
    names = [n for n in names if any(n in rows for rows in problems.values())]
    lines = []
    for kind, columns, members in groups(problems):
        line = [kind, columns]
        for name in ["best"] + names:
            values = [ratio(rows, name, "upstream") for rows in members]
            values = [v for v in values if v]
            line.append(f"{mean(values):.2f}" if values else "-")
        lines.append(line)
    table(
        "Everybody over upstream (1.00): geometric means",
        ["type", "columns", "astfe best"] + names,
        lines,
    )


def serial(problems):
    """Drop-in and upstream, one thread each: every problem, and the means."""
    found, widths = {}, set()
    for (matrix, kind, columns), rows in problems.items():
        value = ratio(rows, "drop-in", "upstream's serial code")
        if value:
            found.setdefault((matrix, kind), {})[columns] = value
            widths.add(columns)
    if not found:
        return
    widths = sorted(widths)
    lines = [
        [*key] + [f"{by[c]:.2f}" if c in by else "-" for c in widths]
        for key, by in found.items()
    ]
    for kind in sorted({kind for _, kind in found}):
        members = [by for (_, of), by in found.items() if of == kind]
        values = [[by[c] for by in members if c in by] for c in widths]
        lines.append(["mean, least, below 1", kind] + [cell(v) for v in values])
    table(
        "The drop-in over upstream's serial code, by columns",
        ["matrix", "type"] + [str(c) for c in widths],
        lines,
    )


def setup_of(row, compile_too):
    return sum(row[name] for name in SETUP if compile_too or name != "compile")


def break_even(rows, compile_too, name="astfe-packed"):
    ours, other = rows.get(name), rows.get("upstream")
    if not ours or not other:
        return None
    extra = setup_of(ours, compile_too)
    if compile_too:
        extra -= other["compile"]
    gain = other["median"] - ours["median"]
    return max(extra, 0) / gain if gain > 0 else math.inf


def runs(values):
    values = [v for v in values if v is not None]
    if not values:
        return "-"
    never = sum(v == math.inf for v in values)
    middle = statistics.median(values)
    text = "never" if middle == math.inf else f"{middle:.0f}"
    return f"{text} ({never} never)" if never else text


def setup(problems):
    lines = []
    for kind, columns, members in groups(problems):
        packed = [r["astfe-packed"] for r in members if "astfe-packed" in r]
        if not packed:
            continue
        steps = []
        for names in (("choose",), ("profile", "partition"), ("pack",), ("compile",)):
            values = [sum(r[n] for n in names) for r in packed]
            steps.append(f"{statistics.median(values) * 1e3:.2f}")
        ratios = [setup_of(r, False) / r["median"] for r in packed]
        lines.append(
            [kind, columns]
            + steps
            + [
                f"{statistics.median(ratios):.0f}",
                runs([break_even(rows, False) for rows in members]),
                runs([break_even(rows, True) for rows in members]),
                runs([break_even(rows, True, "astfe-view") for rows in members]),
            ]
        )
    table(
        "Set-up of packed storage, medians: ms, and the runs that pay it back; "
        "at last those of a view, which is compiled only",
        ["type", "columns", "choose order", "partition", "pack", "compile"]
        + ["without compile, in runs", "break-even", "with compile", "view"],
        lines,
    )


def copies(problems):
    """What the copy of A^T costs by hand, beside our own set-up."""
    lines = []
    for kind, columns, members in groups(problems):
        members = [r for r in members if r.get("expert", {}).get("convert")]
        members = [r for r in members if "astfe-packed" in r]
        if not members:
            continue
        line = [kind, columns]
        for name in ("expert", "astfe-packed"):
            spent = [setup_of(r[name], False) - r[name]["tune"] for r in members]
            runs_ = [s / r[name]["median"] for s, r in zip(spent, members)]
            line += [
                f"{statistics.median(spent) * 1e3:.2f}",
                f"{statistics.median(runs_):.0f}",
            ]
        lines.append(line)
    if lines:
        table(
            "Set-up without tuning and compilation, medians",
            ["type", "columns", "transposed copy by hand, ms", "in its runs"]
            + ["packed, ms", "in its runs"],
            lines,
        )


def model(problems):
    lines = []
    for kind, columns, members in groups(problems):
        line = [kind, columns]
        for ours in OURS:
            errors = sorted(
                abs(rows[ours]["predicted"] / rows[ours]["median"] - 1)
                for rows in members
                if ours in rows and rows[ours]["predicted"] > 0
            )
            if errors:
                ninth = errors[min(len(errors) - 1, len(errors) * 9 // 10)]
                line.append(f"{statistics.median(errors):.0%} {ninth:.0%}")
            else:
                line.append("-")
        lines.append(line)
    errors = [
        abs(rows[ours]["predicted"] / rows[ours]["median"] - 1)
        for rows in problems.values()
        for ours in OURS
        if ours in rows and rows[ours]["predicted"] > 0
    ]
    table(
        "Cost model: error of the predicted time, median and 90th percentile",
        ["type", "columns", "packed", "view"],
        lines,
    )
    if errors:
        print(f"\nAll: {statistics.median(errors):.0%} (median of {len(errors)})")


def over_roof(rows, name):
    """Measured time over the roof; None where one is not known."""
    if name not in rows or "best" not in rows or not rows["best"]["roof"]:
        return None
    return rows[name]["median"] / rows["best"]["roof"]


def roofline(problems):
    lines = []
    for kind, columns, members in groups(problems):
        line = [kind, columns]
        for name in ("best", "by hand", "upstream"):
            values = [over_roof(rows, name) for rows in members]
            values = [v for v in values if v]
            line.append(f"{mean(values):.2f} {max(values):.2f}" if values else "-")
        lines.append(line)
    table(
        "Measured time over the roof: geometric mean, maximum",
        ["type", "columns", "astfe best", "by hand", "upstream"],
        lines,
    )


def details(problems):
    lines = []
    for (matrix, kind, columns), rows in problems.items():
        line = [matrix, kind, columns]
        for other in ("upstream", "by hand"):
            for ours in OURS:
                value = ratio(rows, ours, other)
                line.append(f"{value:.2f}" if value else "-")
        best = rows.get("best")
        line.append(f"{best['median'] * 1e6:.1f}" if best else "-")
        line.append(f"{best['roof'] * 1e6:.1f}" if best else "-")
        for name in ("best", "by hand"):
            value = over_roof(rows, name)
            line.append(f"{value:.2f}" if value else "-")
        hand = rows.get("by hand", {})
        line.append(f"{hand.get('contestant', '-')}: {hand.get('choice', '-')}")
        lines.append(line)
    table(
        "Every problem",
        ["matrix", "type", "columns", "packed/upstream", "view/upstream"]
        + ["packed/by hand", "view/by hand", "best us", "roof us", "best/roof"]
        + ["by hand/roof", "what by hand"],
        lines,
    )


# --- plots -------------------------------------------------------------------

COLOURS = {"best": "#1b6ca8", "by hand": "#d1495b"}


def plot(path, title, columns, series):
    """Ratios over upstream, one strip of points for each number of columns."""
    width, height, left, top = 90 * len(columns) + 90, 340, 60, 40
    bottom = height - 40
    values = [v for by in series.values() for vs in by.values() for v in vs]
    high = max(1, math.ceil(math.log2(max(values + [2]))))
    low = min(-1, math.floor(math.log2(min(values + [0.5]))))

    def y(value):
        return bottom - (math.log2(value) - low) / (high - low) * (bottom - top)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="20" font-size="14">{title}</text>',
    ]
    for exponent in range(low, high + 1):
        at = y(2.0**exponent)
        colour = "#444" if exponent == 0 else "#ddd"
        out.append(
            f'<line x1="{left}" y1="{at:.1f}" x2="{width - 20}" y2="{at:.1f}" stroke="{colour}"/>'
            f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{2.0 ** exponent:g}</text>'
        )
    for i, count in enumerate(columns):
        middle = left + 45 + 90 * i
        out.append(f'<text x="{middle}" y="{bottom + 18}" text-anchor="middle">{count}</text>')
        for k, (name, by) in enumerate(series.items()):
            x, points = middle - 14 + 28 * k, by.get(count, [])
            for value in points:
                out.append(
                    f'<circle cx="{x}" cy="{y(value):.1f}" r="3.5" fill="{COLOURS[name]}" fill-opacity="0.5"/>'
                )
            if points:
                at = y(mean(points))
                out.append(
                    f'<line x1="{x - 11}" y1="{at:.1f}" x2="{x + 11}" y2="{at:.1f}" stroke="{COLOURS[name]}" stroke-width="3"/>'
                )
    for k, name in enumerate(series):
        label = {"best": "ASTFE", "by hand": "by hand"}[name]
        out.append(
            f'<circle cx="{left + 10 + 80 * k}" cy="{height - 8}" r="4" fill="{COLOURS[name]}"/>'
            f'<text x="{left + 18 + 80 * k}" y="{height - 4}">{label}</text>'
        )
    out.append("</svg>\n")
    with open(path + ".new", "w") as file:
        file.write("\n".join(out))
    os.replace(path + ".new", path)


def plots(problems, folder):
    os.makedirs(folder, exist_ok=True)
    for wanted in sorted({kind for _, kind, _ in problems}):
        series = {name: defaultdict(list) for name in COLOURS}
        for (_, kind, columns), rows in problems.items():
            for name in COLOURS:
                value = ratio(rows, name, "upstream")
                if kind == wanted and value:
                    series[name][columns].append(value)
        columns = sorted({c for by in series.values() for c in by})
        if columns:
            plot(
                os.path.join(folder, f"kernels-{wanted}.svg"),
                f"Speed over upstream's sparsifier, {wanted}, by columns of B",
                columns,
                series,
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--plots", metavar="DIR", help="write SVG files there")
    parser.add_argument("--details", action="store_true", help="a line for each problem")
    parser.add_argument("--least", action="store_true", help="times are the least samples, not medians")
    arguments = parser.parse_args()
    try:
        problems = read(arguments.files, "least" if arguments.least else "median")
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"report.py: error: expected files of bench-kernels but got {error}")
    if arguments.details:
        details(problems)
    summary(problems, "upstream")
    summary(problems, "by hand")
    peers(problems)
    serial(problems)
    roofline(problems)
    setup(problems)
    copies(problems)
    model(problems)
    if arguments.plots:
        plots(problems, arguments.plots)


if __name__ == "__main__":
    main()
