"""How lit runs upstream's sparse CPU integration tests with another compiler.

Copied as lit.cfg.py beside them by utils/upstream_suite.py. Parameters:

  src      the `mlir` folder of LLVM's sources
  llvm     where LLVM is installed
  out      a folder for output
  opt      the command in place of `mlir-opt`
  pipeline the pipeline in place of `sparsifier`
"""

import os

import lit.formats

parameters = lit_config.params
source, llvm = parameters["src"], parameters["llvm"]

config.name = "upstream"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = parameters["out"]
LIB = os.path.join(llvm, "lib")
config.substitutions += [
    ("%mlir_src_dir", source),
    ("%mlir_c_runner_utils", os.path.join(LIB, "libmlir_c_runner_utils.so")),
    ("%mlir_runner_utils", os.path.join(LIB, "libmlir_runner_utils.so")),
    ("%mlir_float16_utils", os.path.join(LIB, "libmlir_float16_utils.so")),
    ("%mlir_lib_dir", LIB),
    ("mlir-cpu-runner", "timeout 60 mlir-runner"),
    (r"--sparsifier\b", "--" + parameters["pipeline"]),
    (r"\bmlir-opt\b", parameters["opt"]),
]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(llvm, "bin"), os.environ["PATH"]])
config.environment["LD_LIBRARY_PATH"] = LIB
