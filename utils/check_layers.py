#!/usr/bin/env python3
"""Checks that the layers of ASTFE point one way.

Each file under include/ASTFE/LAYER and lib/LAYER may include only what LAYERS
allows, and each file of Core only what its room allows (ROOMS);
docs/Architecture.md says why. With --nm and libraries, also checks
that those libraries need no symbol of LLVM or MLIR. Prints each breach and
exits with 1 if there is one.
"""

import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')

# Headers of LLVM that need no symbol of its libraries.
HEADER_ONLY = re.compile(
    r"llvm/(ADT/(ArrayRef|StringRef|STLExtras|STLFunctionalExtras|bit|"
    r"iterator_range)|Support/(MathExtras|Compiler|Endian))\.h")
ABI = "Runtime/ABI.h"

# Layer: what it may include of ASTFE (layers, or single headers), and of what
# else. Every layer may include itself.
LAYERS = {
    "Core": ([], "header-only"),
    "Runtime": (["Core"], "header-only"),
    "Product": (["Core", "Runtime"], "header-only"),
    "Emulator": (["Core", ABI, "Runtime/Device.h"], "llvm"),
    "Dialect": (["Core", ABI], "mlir"),
    "Analysis": (["Core", "Dialect"], "mlir"),
    "Transforms": (["Core", "Dialect", "Analysis"], "mlir"),
    "Conversion": (["Core", "Dialect", "Analysis", ABI], "mlir"),
    "Pipelines": (["Core", "Dialect", "Analysis", "Transforms", "Conversion"],
                  "mlir"),
    "InitAll": (["Dialect", "Transforms", "Conversion", "Pipelines"], "mlir"),
    "Execution": (["Core", "Dialect", "Analysis", "Transforms", "Conversion",
                   "Pipelines", "Runtime", "Emulator", "InitAll"], "mlir"),
    "Compiler": (["Core", "Dialect", "Analysis", "Transforms", "Conversion",
                  "Pipelines", "Runtime", "Execution", "InitAll", "Product"],
                 "mlir"),
    "CAPI": (["Core", "Runtime", "Product"], "header-only"),
    "Support": ([], "mlir"),
}

# The rooms of Core, one subject each. A room may include itself and those that
# it names.
ROOMS = {
    "Support": [],
    "Order": ["Support"],
    "Tensor": ["Support", "Order"],
    "Reorder": ["Support", "Order", "Tensor", "Target"],
    "Profile": ["Support", "Order", "Tensor", "Target"],
    "Graph": ["Support", "Order", "Tensor", "Profile", "Target"],
    "Target": ["Support"],
    "Kernel": ["Support", "Target"],
    "Pack": ["Support", "Order", "Tensor", "Graph", "Target", "Kernel"],
    "Bricks": ["Support", "Order", "Tensor", "Graph", "Target"],
    "Cost": ["Support", "Tensor", "Graph", "Target", "Kernel", "Pack"],
    "Plan": ["Support", "Tensor", "Reorder", "Profile", "Graph", "Target",
             "Pack", "Cost"],
}


def layer_of(path):
    """"Core" for include/ASTFE/Core/Order/Order.h and lib/Core/Order/Order.cpp."""
    parts = path.relative_to(SOURCE).parts
    name = parts[2] if parts[0] == "include" else parts[1]
    return name.split(".")[0]


def room_of(path):
    """"Order" for include/ASTFE/Core/Order/Order.h, None outside of Core."""
    parts = path.relative_to(SOURCE).parts
    inside = parts[3:] if parts[0] == "include" else parts[2:]
    in_core = layer_of(path) == "Core" and len(inside) > 1
    return inside[0] if in_core else None


def room_breach(room, header):
    """What is wrong with `header` in a file of a room of Core, or None."""
    inside = header.removeprefix("ASTFE/Core/")
    other = inside.split("/")[0]
    if "/" not in inside or other not in ROOMS or other == room \
            or other in ROOMS[room]:
        return None
    return f"Core/{other} from Core/{room}"


def breach(layer, header):
    """What is wrong with `header` in a file of `layer`, or None."""
    allowed, outside = LAYERS[layer]
    if header.startswith("../"):
        return "a path that climbs"
    if header.startswith("ASTFE/"):
        inside = header[len("ASTFE/"):]
        other = inside.split("/")[0].split(".")[0]
        if other == layer or other in allowed or inside in allowed:
            return None
        return f"{other} from {layer}"
    if header.startswith(("mlir/", "mlir-c/")) and outside != "mlir":
        return f"MLIR from {layer}"
    if header.startswith(("llvm/", "llvm-c/")) and outside == "header-only" \
            and not HEADER_ONLY.fullmatch(header):
        return f"LLVM's libraries from {layer}"
    return None


def check_includes():
    """Every include that the rules forbid, as text."""
    found = []
    for root in ("include/ASTFE", "lib"):
        for path in sorted((SOURCE / root).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".td", ".c", ".def"):
                continue
            layer = layer_of(path)
            name = path.relative_to(SOURCE)
            if layer not in LAYERS:
                found.append(f"{name}: expected a known layer but got {layer}")
                continue
            room = room_of(path)
            if layer == "Core" and room not in ROOMS:
                found.append(f"{name}: expected a known room but got {room}")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and breach(layer, match.group(1))
                if match and room and not wrong:
                    wrong = room_breach(room, match.group(1))
                if wrong:
                    found.append(f"{name}:{number}: {wrong}: {match.group(1)}")
    return found


def check_symbols(nm, libraries):
    """Undefined symbols of LLVM or MLIR in `libraries`, as text."""
    found = []
    for library in libraries:
        listing = subprocess.run([nm, "--undefined-only", "--demangle",
                                  library], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        for line in sorted(set(listing.splitlines())):
            if re.search(r"\bU (llvm|mlir)::", line):
                found.append(f"{pathlib.Path(library).name}: needs "
                             f"{line.split('U ', 1)[1]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("libraries", nargs="*")
    arguments = parser.parse_args()
    found = check_includes()
    found += check_symbols(arguments.nm, arguments.libraries)
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
