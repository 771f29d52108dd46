#!/usr/bin/env python3
"""Checks that nothing spells a list of Core, or a constant of its rules, again.

Orders, reorderings, classes, formats, elements, storages and targets are lists
(*.def) from which enumerations, names and messages are made. In C++ a text that
names two or more of a list one after the other is a copy of it, which the next
line of the list makes wrong: only descriptions of options may, as the whole list,
and so may Python. Numbers that a rule of Core depends on stand in
Target/Constants.def and nowhere else. Prints each breach and exits with 1 if there
is one.
"""

import re
import sys

from core_tables import CORE, SOURCE, entries

# Where a list is, which macro has its lines, and which argument is the name.
LISTS = {
    "orders": ("Order/Orders.def", "ASTFE_ORDER", 1),
    "reorderings": ("Reorder/Reorders.def", "ASTFE_REORDER", 1),
    "classes": ("Kernel/Classes.def", "ASTFE_(GPU_)?CLASS", 1),
    "storages": ("Kernel/Storages.def", "ASTFE_STORAGE", 1),
    "targets": ("Kernel/Storages.def", "ASTFE_PACK_TARGET", 1),
    "semirings": ("Kernel/Semirings.def", "ASTFE_SEMIRING", 1),
    "elements": ("Support/Elements.def", "ASTFE_(HOST_)?ELEMENT", 1),
    "levels": ("Tensor/Levels.def", "ASTFE_LEVEL", 1),
    "formats": ("Tensor/Formats.def", "ASTFE_FORMAT", 1),
}
FOLDERS = ("include", "lib", "tools", "python/astfe")
STRING = re.compile(r'R"\w*\((?:.|\n)*?\)\w*"|"(?:[^"\\\n]|\\.)*"')
DESCRIPTION = re.compile(r"(desc\(|Option<|\*this,)[^;]*$")

# Names of something else.
OTHERS = {"lib/Transforms/CheckElements.cpp"}  # elements of upstream's library

# Rooms whose rules have no numbers of their own, and constants there that decide
# about nothing but how work is shared, how much is read at a time, or what a
# table can hold.
RULES = ("lib/Core/Bricks", "lib/Core/Cost", "lib/Core/Graph", "lib/Core/Pack",
         "lib/Core/Plan/Choose.cpp", "lib/Core/Plan/HiddenReuse.cpp",
         "lib/Core/Reorder", "include/ASTFE/Core/Bricks",
         "include/ASTFE/Core/Cost", "include/ASTFE/Core/Graph",
         "include/ASTFE/Core/Kernel", "include/ASTFE/Core/Pack",
         "include/ASTFE/Core/Reorder", "include/ASTFE/Core/Target/Machine.h",
         "lib/Conversion/ASTFEToSCF", "lib/Conversion/ASTFEToGPU")
FREE = {"kNone", "kOut", "kMost", "kMostPieces", "kMostSpans", "kPiece", "kFew",
        "kTask", "kStride", "kKept", "kVersion", "kByteOrder", "kMostGridY",
        "kMostBlocks", "kMostFillBlocks", "kMostGPUSpanSlots", "kWidestBrick",
        "kNarrowBrick", "kNoHubs", "kAutoHubs", "kSegmentClasses", "kAhead",
        "Version", "Levels", "Caches", "Far", "kSecondCache", "kShuffleBytes",
        "kVectorsApart"}
CONSTANT = re.compile(r"constexpr\s+(?:static\s+)?[\w:]+\s+((?:\w+\s*=[^;]*))",
                      re.MULTILINE)


def names_of(path, macro, index):
    return [arguments[index] for found, arguments in entries(CORE / path)
            if re.fullmatch(macro, found)]


def code(path):
    """The text with comments blanked, line by line."""
    text = path.read_text()
    mark = r"#[^\n]*" if path.suffix == ".py" else r"//[^\n]*"
    pattern = re.compile(STRING.pattern + "|" + mark)
    return pattern.sub(
        lambda m: m.group(0) if m.group(0)[0] in "R\"" else "", text)


def texts(path):
    """(line, before, text) of each literal; those side by side are one."""
    source = code(path)
    found, end = [], None
    for match in STRING.finditer(source):
        inside = match.group(0)[1:-1]
        if end is not None and not source[end:match.start()].strip():
            line, before, text = found.pop()
            found.append((line, before, text + inside))
        else:
            line = source.count("\n", 0, match.start()) + 1
            before = source[max(0, match.start() - 300):match.start()]
            found.append((line, before, inside))
        end = match.end()
    return found


def spelled(names, text):
    """The runs of names in a text: [[name...]...] of two or more."""
    name = "|".join(re.escape(n) for n in names)
    run = re.compile(rf"(?<![\w-])(?:{name})(?:(?:,? or |, |\|)(?:{name}))+"
                     r"(?![\w-])")
    return [re.findall(name, match.group(0)) for match in run.finditer(text)]


def listed(names, source):
    """The same of literals with commas between them: [(line, names)...]."""
    name = "|".join(f'"{re.escape(n)}"' for n in names)
    run = re.compile(rf"(?:{name})(?:\s*,\s*(?:{name}))+")
    return [(source.count("\n", 0, match.start()) + 1,
             re.findall(r'"([^"]*)"', match.group(0)))
            for match in run.finditer(source)]


def check_tuples(path, lists):
    """Tuples of a Python file that begin with a list's first name have all."""
    found = []
    for match in re.finditer(r"= \(((?:\s*\"\w+\",?)+)\s*\)", path.read_text()):
        own = re.findall(r'"(\w+)"', match.group(1))
        for key, names in lists.items():
            if own[0] == names[0] and own[:len(names)] != names:
                found.append(f"{path.relative_to(SOURCE)}: expected the whole "
                             f"list of {key} but got '{', '.join(own)}'")
    return found


def check_lists():
    found = []
    lists = {key: names_of(*where) for key, where in LISTS.items()}
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".td", ".py"):
                continue
            for key, names in lists.items():
                for line, run in listed(names, code(path)):
                    # Python's tuples are whole; its prose names what it likes.
                    if path.suffix != ".py":
                        found.append(f"{path.relative_to(SOURCE)}:{line}: "
                                     f"expected no list of {key} but got "
                                     f"'{', '.join(run)}'")
            if path.suffix == ".py":
                found += check_tuples(path, lists)
                continue
            if path.relative_to(SOURCE).as_posix() in OTHERS:
                continue
            for line, before, text in texts(path):
                for key, names in lists.items():
                    # A message may be about two formats of several.
                    runs = [run for run in spelled(names, text)
                            if key != "formats" or len(run) > 2]
                    allowed = (path.suffix == ".td"
                               or DESCRIPTION.search(before))
                    for run in runs:
                        if allowed and run == names:
                            continue
                        found.append(
                            f"{path.relative_to(SOURCE)}:{line}: expected "
                            f"{'the whole list' if allowed else 'no list'} of "
                            f"{key} but got '{', '.join(run)}'")
    return found


def check_constants():
    found = []
    paths = [path for rule in RULES for path in
             ([SOURCE / rule] if rule.endswith((".cpp", ".h"))
              else sorted((SOURCE / rule).rglob("*")))]
    for path in paths:
        if path.suffix not in (".cpp", ".h") or not path.exists():
            continue
        text = code(path)
        for match in CONSTANT.finditer(text):
            for name, value in re.findall(r"(\w+)\s*=\s*([^,;]*)",
                                          match.group(1)):
                is_number = re.search(r"(?<![\w.])\d", value)
                if is_number and name not in FREE and "rules::" not in value:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{path.relative_to(SOURCE)}:{line}: expected "
                                 f"'{name}' in Target/Constants.def but got it "
                                 "here")
        for match in re.finditer(r"(?<![\w.])\d*\.\d+(?:e-?\d+)?\b|"
                                 r"(?<![\w.])\d+e-\d+\b", text):
            if float(match.group(0)) in (0, 0.5, 1):
                continue
            if text.rfind('"', 0, match.start()) > text.rfind(
                    "\n", 0, match.start()):
                continue
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(SOURCE)}:{line}: expected a name "
                         f"of Target/Constants.def but got {match.group(0)}")
    return found


def main():
    found = check_lists() + check_constants()
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
