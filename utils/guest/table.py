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


def row(program, compilers):
    """What each compiler makes of a program; nothing else may run meanwhile."""
    results = measure(program, compilers)
    upstream, view = results["upstream"], results["view"]
    counts = " / ".join("-" if results[c.name][0] else str(results[c.name][3])
                        for c in compilers)
    both = not upstream[0] and not view[0] and view[2] > 0
    return (f"| {program.name} | {program.form} | "
            f"{'dynamic' if program.dynamic else 'static'} | {word(upstream)} "
            f"| {word(view)} | {word(results['packed'])} | {counts} | "
            f"{f'{view[2] / upstream[2]:.2f}' if both else '-'} |")


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
