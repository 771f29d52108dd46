#!/usr/bin/env python3
"""Runs the commands that documents show, and compares what they print.

Of a document's fenced blocks

  console   lines that begin with "$ " are commands (a final backslash continues
            one), the lines below each are what it prints; "..." alone on a line
            stands for any lines, numbers stand for any numbers
  sh        commands, which must end with 0
  python    a program, which must end with 0
  c         a file, named by its first line: // NAME.c

and of its tables each `command` of an ASTFE tool in backquotes. All of a
document runs in one scratch folder that holds A.mtx, T.tns and FILE.mlir, with
the tools on PATH. Set-up, tests, pip and benchmarks are left out. Prints each
difference and "N commands, N failed"; exits with 1 if any failed.

    run_docs.py --bin build/bin README.md docs/Status.md
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT = 300  # seconds of one command

# Set-up, tests, installation and benchmarks: each has a test of its own.
LEFT_OUT = re.compile(r"^(scripts/|benchmarks/|\S*pip |python3 -m venv|sudo |"
                      r"apt-get |cmake |PRESET=|AREAS=|python3 benchmarks/)")
NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d,.]*(?:e[-+]?\d+)?")
TOOL = re.compile(r"`((?:build/bin/)?astfe-[a-z]+ [^`]*)`")


def blocks(text):
    """(language, lines) of each fenced block."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [(language, body.splitlines()) for language, body in found]


def console(lines):
    """(command, expected lines) of a console block."""
    steps, joined = [], None
    for line in lines:
        if joined is not None:
            joined += "\n" + line
        elif line.startswith("$ "):
            joined = line[2:]
        elif steps:
            steps[-1][1].append(line)
        if joined is not None and not joined.endswith("\\"):
            steps.append((joined, []))
            joined = None
    return steps


def table_commands(text):
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [command.replace("\\|", "|") for row in rows
            for command in TOOL.findall(row)]


def masked(line):
    """The line's words; numbers and the space between words are masked."""
    return " ".join(NUMBER.sub("N", line).split())


def matches(expected, printed):
    """Whether the printed lines are the expected ones, "..." for any."""
    expected = [masked(line) for line in expected if line.strip()]
    printed = [masked(line) for line in printed if line.strip()]
    # As a regular expression over lines that are joined.
    pattern = "".join("(?:.*\n)*?" if line in ("...", "# ...")
                      else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed))


class Runner:
    """Runs the steps of one document in its scratch folder."""

    def __init__(self, name, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.commands = self.failed = 0

    def run(self, command, expected=None):
        """`expected` None: any output will do."""
        if LEFT_OUT.match(command):
            return
        self.commands += 1
        try:
            done = subprocess.run(["bash", "-ec", command], cwd=self.folder,
                                  env=self.environment, text=True,
                                  stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            self.fail(command, f"no end after {TIMEOUT} s")
            return
        if done.returncode != 0:
            self.fail(command, f"exit {done.returncode}\n{done.stdout}")
        elif expected and not matches(expected, done.stdout.splitlines()):
            self.fail(command, "expected\n  " + "\n  ".join(expected) +
                      "\nbut got\n  " + "\n  ".join(done.stdout.splitlines()))

    def fail(self, command, why):
        self.failed += 1
        print(f"{self.name}: $ {command}\n{why}\n", flush=True)

    def block(self, language, lines):
        if language == "console":
            for command, expected in console(lines):
                self.run(command, expected)
        elif language == "sh":
            text = "\n".join(line.split("  #")[0].rstrip() for line in lines)
            for command in re.split(r"(?<!\\)\n", text):
                if command and not command.startswith("#"):
                    self.run(command)
        elif language == "python":
            path = self.folder / "example.py"
            path.write_text("\n".join(lines) + "\n")
            self.run(f"{sys.executable} example.py")
        elif language == "c" and lines and re.match(r"// \w+\.c$", lines[0]):
            (self.folder / lines[0][3:]).write_text("\n".join(lines) + "\n")


def prepare(folder, binaries):
    """What the documents' commands name."""
    inputs = SOURCE / "test" / "Docs" / "Inputs"
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    generate = SOURCE / "scripts" / "generate_matrix.py"
    subprocess.run([sys.executable, generate, folder / "A.mtx"], check=True,
                   stdout=subprocess.DEVNULL)
    for name, target in (("build", binaries.parent), ("scripts", "scripts"),
                         ("examples", "examples"), ("include", "include"),
                         ("python", "python")):
        (folder / name).symlink_to(SOURCE / target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    binaries = arguments.bin.resolve()
    environment = dict(
        os.environ, PATH=f"{binaries}{os.pathsep}{os.environ['PATH']}",
        PYTHONPATH=str(SOURCE / "python"),
        ASTFE_LIBRARY=str(binaries.parent / "lib" / "libASTFE.so"),
        PYTHONDONTWRITEBYTECODE="1")
    commands = failed = 0
    for document in arguments.documents:
        text = document.read_text()
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            prepare(folder, binaries)
            runner = Runner(document.name, folder, environment)
            for language, lines in blocks(text):
                runner.block(language, lines)
            for command in table_commands(text):
                runner.run(command)
            commands += runner.commands
            failed += runner.failed
    print(f"{commands} commands, {failed} failed")
    return 1 if failed or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
