"""Compiles programs by each pipeline, runs them and compares."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import threading

LLVM = pathlib.Path("/usr/lib/llvm-22")
SECONDS = 60  # of processor time; a program takes a tenth of one


def start(command, text=""):
    """Runs a tool on `text`. One that does not end fails, however busy the
    machine is: processor time counts, and ten times as much by the clock."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, input=text, text=True, preexec_fn=limit,
                              capture_output=True, timeout=10 * SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", "timed out")


class Compiler:
    """A pipeline, and what its results are linked with. Code, programs and
    what they print are kept in `folder`, by what they were made of."""

    def __init__(self, build, name, options, folder, library=False):
        self.name, self.folder = name, folder
        pipeline = "sparsifier" if name == "upstream" else "astfe-sparsifier"
        opt = (LLVM / "bin" / "mlir-opt" if name == "upstream"
               else build / "bin" / "astfe-opt")
        self.opt = [opt, f"--{pipeline}=enable-runtime-library="
                         f"{str(library).lower()} {options}"]
        self.libraries = [LLVM / "lib" / "libmlir_c_runner_utils.so"]
        if name in ("packed", "chosen"):
            self.libraries.append(build / "lib" / "libastfe_runtime.so")
        # A compiler that was built anew makes other code.
        self.stamp = opt.stat().st_mtime_ns

    def path(self, *words):
        key = hashlib.sha256("\0".join(map(str, words)).encode()).hexdigest()
        return self.folder / key

    def kept(self, words, make):
        """What make() returned the last time that it was asked the same."""
        path = self.path(*words)
        if not path.exists():
            new = path.with_suffix(f".{threading.get_ident()}")
            new.write_text(json.dumps(make()))
            new.replace(path)
        return json.loads(path.read_text())

    def compile(self, text):
        """The code, or None and the first line of the refusal."""
        return self.kept(["code", self.stamp, *self.opt, text],
                         lambda: self.compile_now(text))

    def compile_now(self, text):
        result = start(self.opt, text)
        if result.returncode != 0:
            return None, (result.stderr.strip().splitlines() or ["?"])[0]
        return result.stdout, ""

    def link(self, code):
        """The program of the code, or None where it does not link."""
        program = self.path("program", *self.libraries, code)
        if program.exists():
            return program
        ir = start([LLVM / "bin" / "mlir-translate", "--mlir-to-llvmir"], code)
        new = program.with_suffix(f".{threading.get_ident()}")
        command = [LLVM / "bin" / "clang", "-x", "ir", "-O3", "-march=native",
                   "-fuse-ld=lld",
                   "-Wno-override-module", "-", "-x", "none", "-o", new, "-lm",
                   *self.libraries]
        command += [f"-Wl,-rpath,{library.parent}" for library in self.libraries]
        linked = ir.returncode == 0 and start(command, ir.stdout)
        if not linked or linked.returncode != 0:
            return None
        return new.replace(program)

    def run(self, code):
        """What it prints, or None where it crashes."""
        return self.kept(["run", *self.libraries, code],
                         lambda: self.run_now(code)[:1])[0]

    def run_now(self, code):
        """(what it prints, seconds)"""
        program = self.link(code)
        result = program and start([program])
        if not result or result.returncode != 0:
            return None, 0.0
        printed, _, seconds = result.stdout.partition("seconds ")
        return printed, float(seconds)


def allocations(code):
    """Calls of malloc, and of the runtime library's, in the code of the program,
    without its main."""
    total = 0
    for name, body in re.findall(
            r"^  llvm\.func @(\w+)\(.*?\{\n(.*?)^  \}", code, re.M | re.S):
        if name not in ("main", "matrix", "block", "show"):
            total += len(re.findall(r"llvm.call @(malloc|newSparseTensor)\b",
                                    body))
    return total


def measure(program, compilers):
    """Per compiler: (refusal, output, allocations)."""
    text, results = program.text(), {}
    for compiler in compilers:
        code, refusal = compiler.compile(text)
        results[compiler.name] = ((refusal, None, 0) if code is None else
                                  ("", compiler.run(code), allocations(code)))
    return results


def verdict(results, name):
    """Why `name` is worse than upstream; empty where it is not."""
    upstream, ours = results["upstream"], results[name]
    if upstream[0]:
        return ""
    if ours[0]:
        return "refused: " + ours[0]
    if ours[1] != upstream[1]:
        return "crashed" if ours[1] is None else "another result"
    if name == "view" and ours[2] > upstream[2]:
        return f"{ours[2]} allocations, upstream {upstream[2]}"
    return ""


def check(programs, compilers, keep):
    """Prints and counts what is worse than upstream."""
    passed = failed = refused = 0
    names = [c.name for c in compilers if c.name != "upstream"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, results in zip(programs, pool.map(
                lambda p: measure(p, compilers), programs)):
            refused += bool(results["upstream"][0])
            for name in names:
                why = verdict(results, name)
                passed, failed = passed + (not why), failed + bool(why)
                if not why:
                    continue
                sizes = "dynamic" if program.dynamic else "static"
                print(f"{program.name} {program.form} {sizes} {name}: {why}",
                      flush=True)
                if keep:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{program.name}-{program.form}-{sizes}.mlir"
                     ).write_text(program.text())
    print(f"{passed} passed, {failed} failed ({refused} programs refused by "
          "upstream)")
    return failed
