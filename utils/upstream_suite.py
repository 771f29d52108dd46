#!/usr/bin/env python3
"""Runs upstream's sparse CPU integration tests with ASTFE in place of upstream.

The tests are not part of ASTFE. They come from Debian's source package, through
apt with folders of its own, so that nothing of the system changes and no root is
needed, and stay in $ASTFE_UPSTREAM_SUITE (default ~/.cache/astfe/upstream). Each
test runs with all option variants of its RUN lines.

  upstream_suite.py --build build                 astfe-opt --astfe-sparsifier
  upstream_suite.py --build build --plugin        the plug-in in a stock mlir-opt
  upstream_suite.py --build build --upstream      mlir-opt --sparsifier
  upstream_suite.py --build build --left-alone    compares code instead: tests of
      which ASTFE takes nothing must get upstream's, line by line

Where the sources cannot be had, the last line says why and the exit status is 77.
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
LLVM = pathlib.Path("/usr/lib/llvm-22")
PACKAGE = "llvm-toolchain-19"
SUITE = "mlir/test/Integration/Dialect/SparseTensor/CPU"
SKIPPED = 77
LEFT_ALONE_OPTIONS = ("enable-runtime-library=true",
                      "enable-runtime-library=false vl=2")
FETCH_SECONDS = 150  # a tenth of it where the mirror is near


class Unavailable(Exception):
    """Why the tests cannot be had here."""


def cache():
    return pathlib.Path(os.environ.get(
        "ASTFE_UPSTREAM_SUITE",
        pathlib.Path.home() / ".cache" / "astfe" / "upstream"))


def source_entries():
    """The system's package sources, as entries for source packages."""
    entries = {".list": "", ".sources": ""}
    files = [pathlib.Path("/etc/apt/sources.list")]
    files += sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))
    for file in files:
        if file.suffix not in entries or not file.is_file():
            continue
        text = file.read_text()
        if file.suffix == ".list":
            text = re.sub(r"^deb\s", "deb-src ", text, flags=re.M)
        else:
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M)
        entries[file.suffix] += text + "\n"
    return entries


def apt_options(folder):
    """Options by which apt keeps to `folder`."""
    parts = folder / "parts"
    for path in (parts, folder / "state" / "lists" / "partial",
                 folder / "cache" / "archives" / "partial"):
        path.mkdir(parents=True)
    for suffix, text in source_entries().items():
        (parts / ("source" + suffix)).write_text(text)
    options = {"Dir::Etc::SourceList": "/dev/null",
               "Dir::Etc::SourceParts": parts,
               "Dir::State": folder / "state",
               "Dir::State::status": "/var/lib/dpkg/status",
               "Dir::Cache": folder / "cache",
               "APT::Sandbox::User": ""}
    return [part for name, value in options.items()
            for part in ("-o", f"{name}={value}")]


def run_step(command, folder, what):
    try:
        result = subprocess.run([str(c) for c in command], cwd=folder,
                                stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT,
                                timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{what} took over {FETCH_SECONDS} s") from None
    if result.returncode != 0:
        lines = result.stdout.strip().splitlines() or [""]
        raise Unavailable(f"{what} failed: {lines[-1]}")


def fetch(destination):
    """Puts the tests at `destination`, an `mlir` folder."""
    if not shutil.which("apt-get"):
        raise Unavailable("there is no apt-get")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        options = apt_options(folder)
        run_step(["apt-get", *options, "-q", "update"], folder,
                 "apt-get update")
        run_step(["apt-get", *options, "-q", "source", "--download-only",
                  PACKAGE], folder, f"apt-get source {PACKAGE}")
        archives = list(folder.glob(f"{PACKAGE}_*.orig.tar.xz"))
        if len(archives) != 1:
            raise Unavailable(f"no sources of {PACKAGE} among those of apt")
        run_step(["tar", "xJf", archives[0], "--wildcards",
                  "*/mlir/test/Integration/*"], folder, "tar")
        found = list(folder.glob("llvm-toolchain-*/mlir"))
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(found[0], destination, dirs_exist_ok=True)


def suite_folder():
    """The folder of the tests, fetched where they are not here yet."""
    mlir = cache() / "mlir"
    suite = cache() / SUITE
    if not any(suite.glob("*.mlir")):
        fetch(mlir)
    # Upstream's own asks for its build's site configuration.
    (suite / "lit.local.cfg").unlink(missing_ok=True)
    shutil.copyfile(SOURCE / "test" / "Upstream" / "suite.cfg.py",
                    suite / "lit.cfg.py")
    return suite


def compiler(build, kind):
    """(the command in place of mlir-opt, the pipeline in place of sparsifier)."""
    stock = LLVM / "bin" / "mlir-opt"
    if kind == "upstream":
        return stock, "sparsifier"
    if kind == "plugin":
        return (f"{SOURCE}/test/Upstream/plugin-opt.sh {stock} "
                f"{build / 'lib' / 'ASTFEPlugin.so'}", "astfe-sparsifier")
    return build / "bin" / "astfe-opt", "astfe-sparsifier"


def run_suite(build, kind, extra=()):
    """The finished lit, with more arguments; raises Unavailable."""
    suite = suite_folder()
    opt, pipeline = compiler(build, kind)
    with tempfile.TemporaryDirectory() as out:
        return subprocess.run(
            [LLVM / "bin" / "lit", "-sv", "-j", str(os.cpu_count() or 1),
             "--param", f"src={cache() / 'mlir'}", "--param", f"llvm={LLVM}",
             "--param", f"out={out}", "--param", f"opt={opt}",
             "--param", f"pipeline={pipeline}", *extra, suite],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


#===-----------------------------------------------------------------------===#
# Programs that are left alone
#===-----------------------------------------------------------------------===#


def takes_nothing(opt, test):
    """Whether ASTFE leaves every op of the test to upstream."""
    raised = subprocess.run(
        [opt, test, "--linalg-generalize-named-ops",
         "--linalg-fuse-elementwise-ops", "--convert-linalg-to-astfe"],
        text=True, stdout=subprocess.PIPE, check=True).stdout
    return "astfe." not in raised


def code_lines(opt, test, pipeline, options):
    """The lines of the code, sorted, as upstream orders globals by address; of
    a program that is refused with these options, that it is."""
    result = subprocess.run([opt, test, f"--{pipeline}={options}"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        return ["refused"]
    code = result.stdout
    return sorted(re.sub(r"@__constant_\w+", "@constant", code).splitlines())


def compare_left_alone(build):
    """(programs with upstream's code, programs with another)."""
    opt = build / "bin" / "astfe-opt"
    same, other = 0, 0
    for test in sorted(suite_folder().glob("*.mlir")):
        if not takes_nothing(opt, test):
            continue
        for options in LEFT_ALONE_OPTIONS:
            if (code_lines(opt, test, "sparsifier", options) ==
                    code_lines(opt, test, "astfe-sparsifier", options)):
                same += 1
            else:
                other += 1
                print(f"{test.name} with {options}: expected upstream's code")
    return same, other


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--plugin", dest="kind", action="store_const",
                       const="plugin", default="tool")
    kinds.add_argument("--upstream", dest="kind", action="store_const",
                       const="upstream")
    kinds.add_argument("--left-alone", dest="kind", action="store_const",
                       const="left-alone")
    arguments = parser.parse_args()
    try:
        if arguments.kind == "left-alone":
            same, other = compare_left_alone(arguments.build.resolve())
            print(f"{same} passed, {other} failed")
            return 1 if other else 0
        result = run_suite(arguments.build.resolve(), arguments.kind)
    except Unavailable as why:
        print(f"upstream's suite is skipped: {why}")
        return SKIPPED
    print(result.stdout)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
