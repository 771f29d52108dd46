"""How lit runs ASTFE's tests.

Programs come from the build's bin/ and from LLVM's tools. Features that a test
may require:

  ptxas         CUDA's assembler (on PATH, under CUDA_HOME or /usr/local/cuda)
  ptxas-CHIP    it knows the chip: ptxas-sm_90
  nvcc          CUDA's compiler, likewise
  nvdisasm      CUDA's disassembler, likewise
  cuda-device   a GPU that the CUDA driver can open
  python-numpy  %python has NumPy
  astfe-TOOL    astfe-run, astfe-partition, ... was built
  asan          the programs are built with AddressSanitizer
  emulator      kernels run on the emulator, as without -Ddevice=cuda

`lit -Ddevice=cuda build/test --filter=Tools/astfe-run` runs on a GPU what runs on
the emulator otherwise, without what its model predicts.
"""

import ctypes
import os
import re
import shutil
import subprocess

import lit.formats

config.name = "ASTFE"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c", ".py"]
config.excludes = ["CMakeLists.txt", "Inputs", "Install", "Upstream", "lit.cfg.py",
                   "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.astfe_build_dir, "test")

BIN = os.path.join(config.astfe_build_dir, "bin")
LIB = os.path.join(config.astfe_build_dir, "lib")


def cuda_home():
    """The CUDA toolkit, or None."""
    for root in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root and os.path.exists(os.path.join(root, "bin", "ptxas")):
            return root
    ptxas = shutil.which("ptxas")
    return os.path.dirname(os.path.dirname(ptxas)) if ptxas else None


def ptxas_chips(cuda):
    """The chips that CUDA's assembler names in its help."""
    text = subprocess.run([os.path.join(cuda, "bin", "ptxas"), "--help"],
                          capture_output=True, text=True).stdout
    return set(re.findall(r"'(sm_\w+)'", text))


def has_cuda_device():
    """True where the driver opens and finds a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0)


def has_numpy():
    return subprocess.run([config.python, "-c", "import numpy"],
                          stderr=subprocess.DEVNULL).returncode == 0


path = [BIN, config.llvm_tools_dir]
cuda = cuda_home()
if cuda:
    config.available_features.add("ptxas")
    config.available_features |= {f"ptxas-{chip}" for chip in ptxas_chips(cuda)}
    path.append(os.path.join(cuda, "bin"))
    config.environment["CUDA_HOME"] = cuda
for tool in ("nvcc", "nvdisasm"):
    if shutil.which(tool, path=os.pathsep.join(path + os.get_exec_path())):
        config.available_features.add(tool)
if has_cuda_device():
    config.available_features.add("cuda-device")
if config.sanitize == "ON":
    config.available_features.add("asan")
if has_numpy():
    config.available_features.add("python-numpy")
for tool in os.listdir(BIN) if os.path.isdir(BIN) else []:
    config.available_features.add(tool)

config.environment["PATH"] = os.pathsep.join(
    path + [config.environment.get("PATH", "")])
# A test says so itself where it wants many threads, or kept kernels.
config.environment["OMP_NUM_THREADS"] = "2"
config.environment["ASTFE_KERNEL_CACHE"] = "off"

device = lit_config.params.get("device", "emulator")
if device not in ("emulator", "cuda"):
    lit_config.fatal(f"-Ddevice: expected emulator or cuda but got '{device}'")
if device == "emulator":
    config.available_features.add("emulator")
else:
    config.substitutions += [
        (r"--model=h200 --check \| FileCheck %s.*", "--check"),
        ("--device=emulator", f"--device={device}"),
    ]
config.substitutions += [
    ("%python", config.python),
    ("%cc", config.c_compiler),
    ("%astfe_source", config.astfe_source_dir),
    ("%astfe_lib", LIB),
    ("%llvm_lib", config.llvm_library_dir),
]
