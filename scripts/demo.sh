#!/usr/bin/env bash
# From a bare machine to checked products: sets up, then runs SpMM on a matrix and
# MTTKRP on a generated tensor.
#
#   scripts/demo.sh [FILE.mtx]     default: a generated mesh with heavy rows
#
# Leaves the graph, the IR of every stage and the kernel's PTX in build/demo.
# COLUMNS_N sets the dense columns (default 128).
set -euo pipefail
matrix=${1:-}
[ -z "$matrix" ] || matrix=$(realpath -e -- "$matrix")
cd "$(dirname "$0")/.."
build=$(scripts/folder.sh "${PRESET:-dev}")
scripts/setup.sh "${PRESET:-dev}"
bin=$build/bin
out=$build/demo
columns=${COLUMNS_N:-128}
rm -rf "$out"
mkdir -p "$out"
if [ -z "$matrix" ]; then
  matrix=$out/mesh.mtx
  python3 scripts/generate_matrix.py "$matrix"
fi

step() { printf '\n== %s\n' "$1"; }

step "The partition graph, step by step"
$bin/astfe-partition --matrix "$matrix" --workers 64 \
  --graph-json "$out/graph.json"

step "SpMM on this processor, beside upstream's sparsifier"
$bin/astfe-run spmm --matrix "$matrix" --cols "$columns" --device=host \
  --check --compare=upstream --dump-ir="$out/ir"

step "MTTKRP of a crowded tensor: one block, refined into bricks"
python3 scripts/generate_tensor.py "$out/crowded.tns"
$bin/astfe-run mttkrp --tensor "$out/crowded.tns" --device=host --check \
  --compare=upstream

step "The GPU kernel on the emulator (races, bounds and divergence checked)"
$bin/astfe-run spmm --matrix "$matrix" --cols "$columns" --device=emulator \
  --check --repeat 1

for chip in sm_80 sm_90; do
  step "PTX for $chip"
  $bin/astfe-run spmm --matrix "$matrix" --cols "$columns" --device=host \
    --repeat 1 --chip=$chip --emit-ptx="$out/spmm.$chip.ptx" >/dev/null
  grep -E '^\.(target|visible \.entry)' "$out/spmm.$chip.ptx"
  if command -v ptxas >/dev/null; then
    ptxas -v -arch=$chip "$out/spmm.$chip.ptx" -o /dev/null 2>&1 |
      grep -E 'registers|spill' | sed 's/^ptxas info *: *//'
  fi
done

# A GPU that the driver can open; then a failure is a failure.
if python3 - <<'PROBE' 2>/dev/null
import ctypes, sys
driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
sys.exit(driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
         or count.value == 0)
PROBE
then
  step "SpMM on the GPU"
  $bin/astfe-run spmm --matrix "$matrix" --cols "$columns" --device=cuda --check
fi

step "On disk"
ls "$out" "$out/ir"
