#!/usr/bin/env python3
"""Runs every test of a built tree and sums the results.

GoogleTest programs in BUILD/unittests, ctest's other checks, lit, the Python
package, upstream's own tests where they can be fetched (upstream_suite.py), the
runtime-only configuration and the thread sanitizer's. Prints each failure as it is found,
then the time that each part took beside its budget, and ends with the line
"N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

import upstream_suite

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"
# The programs whose threads meet.
THREADED = ["ASTFECoreOrderTests", "ASTFEProductTests", "ASTFERuntimeABITests"]
TIMEOUT = 1500  # seconds; the slowest program takes a tenth under ASan
# Seconds that each part may take on two cores, builds of its own included, so
# that the whole stays under 30 minutes. A part beyond its own is named, not
# failed: the pace of machines differs by two times.
BUDGETS = {"GoogleTest": 300, "ctest": 120, "lit": 600, "python": 120,
           "upstream's suite": 300, "runtime-only": 120,
           "thread sanitizer": 120}


class Tally:
    """Counts of one run."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, name, passed, failed, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped",
              flush=True)


class Clock:
    """The time of each part, beside its budget."""

    def __init__(self):
        self.seconds = {}

    def part(self, name, action, *arguments):
        begin = time.monotonic()
        action(*arguments)
        self.seconds[name] = time.monotonic() - begin

    def report(self):
        for name, seconds in self.seconds.items():
            budget = BUDGETS[name]
            beyond = ", beyond its budget" if seconds > budget else ""
            print(f"{name}: {seconds:.0f} s of {budget} s{beyond}")
        print(f"all parts: {sum(self.seconds.values()):.0f} s of "
              f"{sum(BUDGETS.values())} s")


def run(command, stderr=subprocess.STDOUT, **options):
    """The finished process; one that hangs is stopped and has failed."""
    command = [str(c) for c in command]
    try:
        return subprocess.run(command, text=True, stdout=subprocess.PIPE,
                              stderr=stderr, timeout=TIMEOUT, **options)
    except subprocess.TimeoutExpired as expired:
        text = (expired.stdout or b"").decode(errors="replace")
        return subprocess.CompletedProcess(
            command, 1, f"{text}\n{command[0]}: no end after {TIMEOUT} s")


def count_junit(path):
    """(passed, failed, skipped) of a JUnit file that lit or GoogleTest wrote."""
    passed = failed = skipped = 0
    for case in ET.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" in kinds or case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def unit_tests(build):
    """The programs that ctest knows as GoogleTest programs."""
    listing = run(["ctest", "--test-dir", build, "-L", "unittest",
                   "--show-only=json-v1"], stderr=subprocess.DEVNULL)
    tests = json.loads(listing.stdout)["tests"]
    return [test["command"][0] for test in tests if "command" in test]


def google_tests(build, tally, scratch):
    programs = unit_tests(build)
    if not programs:
        tally.add("GoogleTest: no programs", 0, 1)

    def run_one(program):
        name = pathlib.Path(program).name
        report = scratch / (name + ".xml")
        return name, report, run([program, f"--gtest_output=xml:{report}",
                                  "--gtest_brief=1"], env=environment(name))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run_one, programs))
    for name, report, result in results:
        passed, failed, skipped = (count_junit(report) if report.exists()
                                   else (0, 1, 0))
        if result.returncode != 0:
            failed = max(failed, 1)
            print(result.stdout)
        tally.add(name, passed, failed, skipped)


def other_ctests(build, tally, name="ctest", labels=("-LE", "unittest")):
    result = run(["ctest", "--test-dir", build, *labels, "--output-on-failure",
                  "--parallel", os.cpu_count() or 1], env=environment("capi"))
    match = re.search(r"(\d+) tests failed out of (\d+)", result.stdout)
    total = int(match.group(2)) if match else 0
    failed = int(match.group(1)) if match else 1
    if result.returncode != 0 or total == 0:
        failed = max(failed, 1)
        print(result.stdout)
    tally.add(name, total - failed if total else 0, failed)


def lit(build, tally, scratch):
    report = scratch / "lit.xml"
    result = run([LIT, "-sv", f"--xunit-xml-output={report}", "-j",
                  os.cpu_count() or 1, build / "test"],
                 env=environment("lit"))
    if not report.exists():
        print(result.stdout)
        tally.add("lit", 0, 1)
        return
    passed, failed, skipped = count_junit(report)
    if failed or result.returncode != 0:
        print(result.stdout)
        failed = max(failed, 1)
    tally.add("lit", passed, failed, skipped)


def upstream(build, tally, scratch):
    """Upstream's own tests, where its sources can be had."""
    for kind in ("tool", "plugin"):
        report = scratch / f"upstream-{kind}.xml"
        try:
            result = upstream_suite.run_suite(
                build, kind, [f"--xunit-xml-output={report}"])
        except upstream_suite.Unavailable as why:
            print(f"upstream's suite is skipped: {why}")
            tally.add("upstream's suite", 0, 0, 1)
            return
        passed, failed, skipped = (count_junit(report) if report.exists()
                                   else (0, 1, 0))
        if failed or result.returncode != 0:
            print(result.stdout)
            failed = max(failed, 1)
        tally.add(f"upstream's suite, {kind}", passed, failed, skipped)
    tally.add("upstream's suite, left alone",
              *upstream_suite.compare_left_alone(build))


def python(build, tally):
    tests = SOURCE / "python" / "tests"
    if not tests.is_dir():
        return
    environment = dict(os.environ, PYTHONPATH=str(SOURCE / "python"),
                       ASTFE_LIBRARY=str(build / "lib" / "libASTFE.so"),
                       PYTHONDONTWRITEBYTECODE="1")
    interpreter = os.environ.get("PYTHON", "/usr/bin/python3")
    result = run([interpreter, "-m", "unittest", "discover", "-s", tests],
                 env=environment)
    ran = re.search(r"Ran (\d+) tests?", result.stdout)
    total = int(ran.group(1)) if ran else 0
    bad = sum(int(n) for n in
              re.findall(r"(?:failures|errors)=(\d+)", result.stdout))
    skips = re.search(r"skipped=(\d+)", result.stdout)
    skipped = int(skips.group(1)) if skips else 0
    if result.returncode != 0:
        bad = max(bad, 1)
        print(result.stdout)
    tally.add("python", max(total - bad - skipped, 0), bad, skipped)


def runtime_only(tally):
    """Core, Runtime and launchers build alone and link no LLVM library."""
    build = SOURCE / "build-runtime-dev"
    # Compiled as the whole was: most of it is in the compiler's cache already.
    for command in (["cmake", "--preset", "runtime-dev"],
                    ["cmake", "--build", "--preset", "runtime-dev"]):
        result = run(command, cwd=SOURCE)
        if result.returncode != 0:
            print(result.stdout)
            tally.add("runtime-only", 0, 1)
            return
    bad = 0
    tools = sorted((build / "bin").glob("astfe-*"))
    for tool in tools:
        needed = run(["ldd", tool]).stdout
        if re.search(r"libLLVM|libMLIR", needed):
            print(f"{tool.name} links an LLVM library:\n{needed}")
            bad += 1
    tally.add("runtime-only", len(tools) - bad, bad or int(not tools))
    other_ctests(build, tally, "runtime-only ctest", labels=())


def thread_sanitizer(tally):
    """What threads share: the pool, the runtime and matrices, under TSan."""
    name = "thread sanitizer"
    if not list(pathlib.Path("/usr/lib/llvm-22/lib/clang").glob(
            "*/lib/linux/libclang_rt.tsan-*.a")):
        print(f"{name} is skipped: libclang-rt-22-dev is not installed")
        tally.add(name, 0, 0, 1)
        return
    for command in (["cmake", "--preset", "tsan"],
                    ["cmake", "--build", "--preset", "tsan", "--target",
                     *THREADED]):
        result = run(command, cwd=SOURCE)
        if result.returncode != 0:
            print(result.stdout)
            tally.add(name, 0, 1)
            return
    other_ctests(SOURCE / "build-tsan", tally, name,
                 labels=("-R", "|".join(THREADED)))


def sanitizer_options(name):
    """What AddressSanitizer must not check in a program, and why.

    User poisoning: LLVM's allocators poison their slabs in code that is built
    with the sanitizer and never unpoison them in Debian's libMLIR, which is not.
    The emulator's own tests need it: it clears the shadow of stacks that fibers
    leave by a fault.
    Leaks in programs with OpenMP: LeakSanitizer crashes on its threads' stacks.
    Stacks for signals: LLVM gives a thread that writes a file one of its own,
    which the sanitizer would unmap as if it were the one it made.
    """
    options = ["use_sigaltstack=0"]
    if not re.search("Emulator", name):
        options.append("allow_user_poisoning=0")
    if re.search("HostKernel|GPU|capi|lit", name):
        options.append("detect_leaks=0")
    return {"ASAN_OPTIONS": ":".join(options)}


def environment(name):
    """The environment of a program; options that it sets itself are kept."""
    return {**sanitizer_options(name), **os.environ}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--preset", default="dev")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    tally = Tally()
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        clock.part("GoogleTest", google_tests, build, tally, scratch)
        clock.part("ctest", other_ctests, build, tally)
        clock.part("lit", lit, build, tally, scratch)
        if arguments.preset != "asan":  # Its library cannot enter plain Python.
            clock.part("python", python, build, tally)
            clock.part("upstream's suite", upstream, build, tally, scratch)
            clock.part("runtime-only", runtime_only, tally)
            clock.part("thread sanitizer", thread_sanitizer, tally)
    clock.report()
    print(f"{tally.passed} passed, {tally.failed} failed, "
          f"{tally.skipped} skipped")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
