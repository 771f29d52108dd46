#!/usr/bin/env python3
"""Checks that no two files define a type of the same name in one namespace.

Two such types break the rule of one definition even where no file sees both:
the linker keeps one copy of std::vector<T>::push_back for the two, which then
writes elements of the wrong size. No compiler warns of it, and only
AddressSanitizer sees it, where the two sizes differ. Types in unnamed
namespaces may share a name.

Prints each name with its files and exits with 1 if there is one.
"""

import collections
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
ROOTS = ("include/ASTFE", "lib", "tools")
NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\s*([\w:]*)\s*\{")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:struct|class)\s+(\w+)"
                  r"\s*(?:final\s*)?(?::[^:]|\{|$)")


def types_in(path):
    """The qualified names of the types that `path` defines in named
    namespaces. Relies on clang-format: one definition begins a line, and a
    namespace's contents are not indented."""
    scopes = []  # (depth of braces outside, name) of each open namespace
    depth = 0
    for line in path.read_text().splitlines():
        code = line.split("//")[0]
        opened = NAMESPACE.match(code)
        if opened:
            scopes.append((depth, opened.group(1)))
        named = TYPE.match(code)
        if named and depth == len(scopes) and all(name for _, name in scopes):
            yield "::".join([name for _, name in scopes] + [named.group(1)])
        depth += code.count("{") - code.count("}")
        while scopes and depth <= scopes[-1][0]:
            scopes.pop()


def main():
    files = collections.defaultdict(list)
    for root in ROOTS:
        for path in sorted((SOURCE / root).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name in types_in(path):
                    files[name].append(str(path.relative_to(SOURCE)))
    twice = {name: where for name, where in files.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name}: expected one definition but got {', '.join(where)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
