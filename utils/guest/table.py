"""The table of docs/Guest.md."""

from .run import measure

MARKS = "<!-- corpus: begin -->", "<!-- corpus: end -->"


HEADER = ["| program | format | sizes | upstream | view | packed | "
          "allocations | time, view |", "|---|---|---|---|---|---|---|---|"]


def word(result):
    """Whether a program compiled and ran."""
    if result[0]:
        return "refused"
    return "crashes" if result[1] is None else "yes"


def ratio(program, upstream, view):
    """View's time by upstream's. Where the code is the same, nobody is faster."""
    text = program.text()
    theirs, ours = (c.compile(text)[0] for c in (upstream, view))
    if theirs is None or ours is None:
        return "-"
    if theirs == ours:
        return "same code"
    seconds = []
    for compiler, code in ((upstream, theirs), (view, ours)):
        printed, time = compiler.run_now(code)
        if printed is None or time <= 0:
            return "-"
        seconds.append(time)
    return f"{seconds[1] / seconds[0]:.2f}"


def row(program, compilers):
    """What each compiler makes of a program; nothing else may run meanwhile."""
    results = measure(program, compilers)
    counts = " / ".join("-" if results[c.name][0] else str(results[c.name][3])
                        for c in compilers)
    return (f"| {program.name} | {program.form} | "
            f"{'dynamic' if program.dynamic else 'static'} | "
            f"{word(results['upstream'])} | {word(results['view'])} | "
            f"{word(results['packed'])} | {counts} | "
            f"{ratio(program, compilers[0], compilers[1])} |")


def write_table(page, programs, compilers):
    """Rows of these programs replace theirs in the page, or come last."""
    text = page.read_text()
    begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    old = [line for line in text[begin:end].splitlines()
           if line.startswith("| ") and line not in HEADER]
    new = [row(program, compilers) for program in programs]
    key = lambda line: line.split("|")[1:4]
    made = [key(line) for line in new]
    rows = [line for line in old if key(line) not in made] + new
    page.write_text(text[:begin] + "\n" + "\n".join(HEADER + rows) + "\n" +
                    text[end:])
