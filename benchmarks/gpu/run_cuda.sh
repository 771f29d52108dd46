#!/bin/sh
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: run_cuda.sh BUILD CHIP MATRIX.mtx...
#
# Times the compiled kernels on a GPU of that CHIP (sm_90) against cuSPARSE's
# best algorithm and dense cuBLAS: C += A B with 1, 32, 64, 128 and 256 columns,
# f32. BUILD is a build folder with astfe-run (cmake --preset release). Prints one
# line a case; fails, and says so, where there is no device. Needs nvcc (on PATH,
# under CUDA_HOME or /usr/local/cuda). The order is astfe-run's own choice, whose
# weights are a host's.
set -eu
if [ $# -lt 3 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 1
fi
build=$1
chip=$2
shift 2
source=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$source/../.." && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc=$(command -v nvcc) || nvcc=$cuda/bin/nvcc
"$nvcc" -O3 -std=c++17 -arch="$chip" \
  -DLLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1 \
  -I"$root/include" -isystem "${LLVM_INCLUDE:-/usr/lib/llvm-22/include}" \
  "$source/Peers.cu" "$build/lib/libASTFERuntime.a" \
  "$build/lib/libASTFECore.a" -lcusparse -lcublas -ldl -lpthread \
  -o "$work/astfe-bench-peers"

"$work/astfe-bench-peers" # names the device, or fails without one

for matrix in "$@"; do
  for columns in 1 32 64 128 256; do
    kernel=spmm
    cols="--cols $columns"
    if [ "$columns" = 1 ]; then
      kernel=spmv
      cols=
    fi
    # shellcheck disable=SC2086
    "$build/bin/astfe-run" $kernel --matrix "$matrix" $cols --device=host \
      --duplicates=sum --repeat 1 --chip="$chip" --emit-ptx="$work/k.ptx" \
      --emit-packed="$work/a.packed" >"$work/log"
    "$work/astfe-bench-peers" --matrix="$matrix" --columns="$columns" \
      --kernel="$work/k.ptx.json" --packed="$work/a.packed"
  done
done
