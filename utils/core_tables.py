"""Reads the lists of Core (*.def): macro calls as tuples of their arguments."""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parent.parent
CORE = SOURCE / "include/ASTFE/Core"


def without_comments(text):
    """Comments, directives and what they continue on are not entries."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)


def split(text):
    """The arguments of a call; strings beside each other are one."""
    arguments, depth, current = [], 0, ""
    for piece in re.findall(r'"(?:[^"\\]|\\.)*"|.', text, flags=re.DOTALL):
        depth += piece in "([{"
        depth -= piece in ")]}"
        if piece == "," and depth == 0:
            arguments.append(current)
            current = ""
        else:
            current += piece
    arguments.append(current)
    return [unquoted(argument.strip()) for argument in arguments]


def unquoted(argument):
    if not argument.startswith('"'):
        return " ".join(argument.split())
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', argument))


def entries(path):
    """[(macro, [argument...])] of a list, in order."""
    text = without_comments(pathlib.Path(path).read_text())
    found = []
    for match in re.finditer(r"\b(ASTFE_\w+)\(", text):
        end, depth, quoted = match.end(), 1, False
        while depth:
            if text[end] == '"' and text[end - 1] != "\\":
                quoted = not quoted
            if not quoted:
                depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        found.append((match.group(1), split(text[match.end():end - 1])))
    return found


class Constant:
    """A line of Target/Constants.def."""

    def __init__(self, macro, arguments, group):
        if macro == "ASTFE_CONSTANT_LIST":
            count = arguments.pop(1)
            self.values = arguments[6:]
            assert len(self.values) == int(count), arguments[1]
        else:
            self.values = arguments[6:]
        self.type, self.name, self.unit, self.source, self.reason, \
            self.decides = arguments[:6]
        self.group = group

    def text(self):
        return ", ".join(shown(value) for value in self.values)


def shown(value):
    """`int64_t(1) << 17` as 131072, `2e-6` as it is."""
    plain = re.sub(r"\bint64_t\((\w+)\)", r"\1", value)
    return str(eval(plain)) if "<<" in plain else plain  # pylint: disable=W0123


def constants():
    group, found = "", []
    lines = [line for name in ("Constants.def", "GPUConstants.def")
             for line in entries(CORE / "Target" / name)]
    for macro, arguments in lines:
        if macro == "ASTFE_CONSTANTS_OF":
            group = arguments[0]
        else:
            found.append(Constant(macro, arguments, group))
    return found
