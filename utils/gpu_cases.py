#!/usr/bin/env python3
"""Compiles the products, and attention, that travel to a machine with a GPU.

For each case: the host code and its kernels as a shared object NAME.so, and the
kernels alone as NAME.ptx; and cases.json, which says of each what it computes,
and of its kernels the arguments and what ptxas finds (where there is one).

    utils/gpu_cases.py BUILD FOLDER --chip=sm_90 [--format=binary] [--few]
                       [--bitcode=FOLDER]

BUILD has bin/astfe-opt. With --bitcode, that folder gets NAME.ptx and NAME.bc of
every case: what the driver's stand-in with the emulator reads. --format=binary
puts cubins into the shared objects, made by ptxas. --few takes one case of each
storage and type.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = os.environ.get("LLVM_TOOLS", "/usr/lib/llvm-22/bin")
ALL = ("row_segments", "scattered", "dense_tile")


class Case:
    """What one product is compiled for."""

    def text(self):
        return view_text(self) if self.view else packed_text(self)

    def __init__(self, name, element, vector=False, bits=16, classes=ALL,
                 deterministic=False, overwrite=True, host=False, view=False,
                 columns=0, long_rows=False):
        self.name = name
        self.element = element
        self.vector = vector
        self.bits = bits
        self.classes = classes
        self.deterministic = deterministic
        self.overwrite = overwrite
        self.host = host
        self.view = view
        self.columns = columns  # 0: any number
        self.long_rows = long_rows  # a view's, which are cut

    def json(self):
        result = {"name": self.name, "library": self.name + ".so",
                  "storage": "view" if self.view else "packed",
                  "type": self.element, "vector": self.vector,
                  "columns": self.columns,
                  "overwrite": self.overwrite, "host_operands": self.host}
        if self.view:
            result.update(long_rows=self.long_rows)
        else:
            result.update(column_bits=self.bits, classes=list(self.classes),
                          deterministic=self.deterministic)
        return result


class Attention:
    """The example's chain: one fused kernel over a view."""

    host = False
    view = True

    def __init__(self, element):
        self.name = f"attention_{element}"
        self.element = element

    def text(self):
        text = (ROOT / "examples" / "attention.mlir").read_text()
        text = text.replace("compressed) }", "compressed), posWidth = 32, "
                            "crdWidth = 32 }")
        text = text.replace("@attention", f"@{self.name}")
        if self.element == "f64":
            text = text.replace("f32", "f64").replace("0xFF800000",
                                                      "0xFFF0000000000000")
        return text

    def json(self):
        return {"name": self.name, "library": self.name + ".so",
                "computation": "attention", "storage": "view",
                "type": self.element, "vector": False, "columns": 64,
                "overwrite": False, "host_operands": False}


def cases(few):
    """All products, or one of each storage, type and shape; attention."""
    result = []
    for element in ("f32", "f64"):
        for vector in (False, True):
            shape = f"{element}_{'spmv' if vector else 'spmm'}"
            result.append(Case(f"view_{shape}", element, vector, view=True))
            if not few or element == "f32":
                result.append(Case(f"cut_view_{shape}", element, vector,
                                   view=True, long_rows=True))
            # Large operands are checked with columns of 32 bits.
            few_bits = (16, 32) if shape == "f32_spmm" else (16,)
            for bits in few_bits if few else (8, 16, 32):
                result.append(Case(f"packed{bits}_{shape}", element, vector, bits))
                result.append(Case(f"deterministic{bits}_{shape}", element,
                                   vector, bits, deterministic=True))
            if few:
                continue
            result.append(Case(f"added_{shape}", element, vector,
                               overwrite=False))
            result.append(Case(f"added_deterministic_{shape}", element, vector,
                               overwrite=False, deterministic=True))
            result.append(Case(f"scattered_{shape}", element, vector,
                               classes=("scattered",)))
            result.append(Case(f"tiles_{shape}", element, vector,
                               classes=("scattered", "dense_tile")))
            result.append(Case(f"added_view_{shape}", element, vector,
                               view=True, overwrite=False))
    # Few columns, which teams of lanes have.
    for columns in (8,) if few else (4, 8, 16, 32):
        result.append(Case(f"columns{columns}_f32_spmm", "f32", columns=columns))
    if not few:
        result.append(Case("view_columns8_f32_spmm", "f32", view=True, columns=8))
        result.append(Case("cut_view_columns8_f32_spmm", "f32", view=True,
                           columns=8, overwrite=False, long_rows=True))
        result.append(Case("deterministic_columns4_f64_spmm", "f64", columns=4,
                           deterministic=True))
    result.append(Case("copied_f32_spmm", "f32", host=True))
    if not few:
        result.append(Case("copied_deterministic_f64_spmm", "f64", host=True,
                           deterministic=True))
    result.extend(Attention(element) for element in ("f32", "f64"))
    return result


def packed_text(case):
    dims = "(n, i, k)" if case.vector else "(n, i, k, j)"
    dense = "" if case.vector else ", j"
    extent = "?" if case.vector else f"?x{case.columns or '?'}"
    tile = ", column_tile = 0" if case.vector else ""
    flag = ", deterministic" if case.deterministic else ""
    classes = ", ".join(case.classes)
    matrix, values = f"memref<{extent}x{case.element}>", f"memref<?x{case.element}>"
    return f"""
#n = affine_map<{dims} -> (n)>
#b = affine_map<{dims} -> (k{dense})>
#c = affine_map<{dims} -> (i{dense})>
#layout = #astfe.layout<packed, columns = {case.bits}, classes = [{classes}], target = gpu{tile}{flag}>
func.func @{case.name}(%P: !astfe.blocked<?x?, #layout>, %v: {values},
                       %B: {matrix}, %C: {matrix})
    attributes {{llvm.emit_c_interface}} {{
  astfe.compute over %P : !astfe.blocked<?x?, #layout> maps [#n, #b, #c]
      ins(%v, %B : {values}, {matrix}) outs(%C : {matrix})
      {"overwrite" if case.overwrite else ""} {{
  ^bb0(%x: {case.element}, %y: {case.element}):
    %p = arith.mulf %x, %y : {case.element}
    astfe.yield "addf" %p : {case.element}
  }}
  return
}}
"""


def view_text(case):
    extent = "?" if case.vector else f"?x{case.columns or '?'}"
    dense = f"tensor<{extent}x{case.element}>"
    sparse = f"tensor<?x?x{case.element}, #CSR>"
    op = "matvec" if case.vector else "matmul"
    undefined = " {astfe.undefined}" if case.overwrite else ""
    return f"""
#CSR = #sparse_tensor.encoding<{{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }}>
func.func @{case.name}(%A: {sparse}, %B: {dense},
                       %C: {dense}{undefined}) -> {dense} {{
  %r = linalg.{op} ins(%A, %B : {sparse}, {dense}) outs(%C : {dense}) -> {dense}
  return %r : {dense}
}}
"""


def run(*command, stdin=None):
    done = subprocess.run([str(c) for c in command], input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode()}")
    return done.stdout


class Compiler:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(arguments.folder)
        self.ptxas = shutil.which("ptxas") or shutil.which(
            "ptxas", path=os.path.join(
                os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"))

    def lower(self, case, output, form):
        """The module in the LLVM dialect; its image and kernel files in output."""
        source = output / "case.mlir"
        source.write_text(case.text())
        options = [f"chip={self.arguments.chip}", f"format={form}", "host=true"]
        if case.view:
            options.append("storage=view")
        if not case.host:
            options.append("device-operands=true")
        if getattr(case, "long_rows", False):
            options.append("long-rows=true")
        run(pathlib.Path(self.arguments.build) / "bin" / "astfe-opt", source,
            f"--astfe-to-ptx={' '.join(options)}",
            f"--astfe-emit-kernels=directory={output}",
            "-o", output / "host.mlir")
        return output / "host.mlir"

    def link(self, host, library):
        text = run(f"{LLVM}/mlir-translate", "--mlir-to-llvmir", host)
        code = host.parent / "host.o"
        run(f"{LLVM}/llc", "-O2", "-filetype=obj", "-relocation-model=pic",
            "-o", code, stdin=text)
        run(f"{LLVM}/ld.lld", "-shared", "-o", library, code)

    def kernels(self, output):
        """What the kernel files say, by kernel."""
        result = {}
        for file in sorted(output.glob("*.json")):
            kernel = json.loads(file.read_text())
            result[kernel["entry"]] = {"arguments": kernel["arguments"]}
        return result

    def registers(self, ptx, kernels):
        """Registers and spills, where there is a ptxas for the chip."""
        if not self.ptxas:
            return
        with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
            done = subprocess.run(
                [self.ptxas, f"-arch={self.arguments.chip}", "-v", ptx, "-o",
                 cubin.name], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{ptx}: {done.stderr}")
        found = re.findall(
            r"entry function '(\w+)'.*?(\d+) bytes spill stores.*?"
            r"Used (\d+) registers", done.stderr, re.S)
        for name, spills, registers in found:
            kernels.setdefault(name, {}).update(registers=int(registers),
                                                spill_bytes=int(spills))

    def compile(self, case):
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch)
            host = self.lower(case, output, self.arguments.format)
            self.link(host, self.folder / (case.name + ".so"))
            entry = case.json()
            entry["chip"] = self.arguments.chip
            entry["kernels"] = self.kernels(output)
            for ptx in output.glob("*.ptx"):
                kept = self.folder / (case.name + ".ptx")
                shutil.copy(ptx, kept)
                entry["ptx"] = kept.name
                entry["sha256"] = hashlib.sha256(kept.read_bytes()).hexdigest()
                self.registers(kept, entry["kernels"])
        if self.arguments.bitcode:
            self.pair(case)
        return entry

    def pair(self, case):
        """The same kernels as bitcode, beside their PTX."""
        into = pathlib.Path(self.arguments.bitcode)
        with tempfile.TemporaryDirectory() as scratch:
            self.lower(case, pathlib.Path(scratch), "llvm")
            for bitcode in pathlib.Path(scratch).glob("*.bc"):
                shutil.copy(bitcode, into / (case.name + ".bc"))
        shutil.copy(self.folder / (case.name + ".ptx"), into)


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--format", default="isa", choices=("isa", "binary"))
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--bitcode")
    arguments = parser.parse_args()
    for folder in filter(None, (arguments.folder, arguments.bitcode)):
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    compiler = Compiler(arguments)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            made = list(pool.map(compiler.compile, cases(arguments.few)))
        except RuntimeError as error:
            sys.exit(f"gpu_cases: error: {error}")
    manifest = {"commit": commit(), "chip": arguments.chip,
                "format": arguments.format, "cases": made}
    text = json.dumps(manifest, indent=1) + "\n"
    (pathlib.Path(arguments.folder) / "cases.json").write_text(text)


if __name__ == "__main__":
    main()
