"""The table of docs/Guest.md."""

import itertools

from .run import measure

MARKS = "<!-- corpus: begin -->", "<!-- corpus: end -->"


HEADER = ["| program | format | upstream | view | packed | allocations, static "
          "| dynamic | time, static | dynamic |", "|" + "---|" * 9]
PAIRS = 8  # processes of each compiler, in turn


def word(result):
    """Whether a program compiled and ran."""
    if result[0]:
        return "refused"
    return "crashes" if result[1] is None else "yes"


def counts(results, compilers):
    return " / ".join("-" if results[c.name][0] else str(results[c.name][2])
                      for c in compilers)


def ratio(program, upstream, view):
    """View's least time by upstream's. Where the code is the same, nobody is
    faster."""
    text = program.text()
    theirs, ours = (c.compile(text)[0] for c in (upstream, view))
    if theirs is None or ours is None:
        return "-"
    if theirs == ours:
        return "same code"
    seconds = [[], []]
    for _ in range(PAIRS):
        for k, (compiler, code) in enumerate(((upstream, theirs),
                                              (view, ours))):
            printed, time = compiler.run_now(code)
            if printed is None or time <= 0:
                return "-"
            seconds[k].append(time)
    return f"{min(seconds[1]) / min(seconds[0]):.2f}"


def row(pair, compilers):
    """What each compiler makes of a program in static and dynamic sizes; nothing
    else may run meanwhile."""
    results = [measure(program, compilers) for program in pair]
    cells = [pair[0].name, pair[0].form]
    for compiler in compilers:
        words = [word(of[compiler.name]) for of in results]
        cells.append(", ".join(dict.fromkeys(words)))
    cells += [counts(of, compilers) for of in results]
    cells += [ratio(program, *compilers[:2]) for program in pair]
    return f"| {' | '.join(cells)} |"


def write_table(page, programs, compilers):
    """Rows of these programs replace theirs in the page, or come last."""
    text = page.read_text()
    begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    rows = {}
    for line in text[begin:end].splitlines():
        if line.startswith("| ") and line not in HEADER:
            rows[tuple(line.split(" ")[1:4:2])] = line
    for key, pair in itertools.groupby(programs, lambda p: (p.name, p.form)):
        rows[key] = row(sorted(pair, key=lambda p: p.dynamic), compilers)
    page.write_text(text[:begin] + "\n" +
                    "\n".join([*HEADER, *rows.values()]) + "\n" + text[end:])
