#!/usr/bin/env bash
# Builds what travels to a machine with a GPU, a driver and nothing else: kernels
# and the host code around them, compiled ahead of time, programs that check and
# time them, and run.sh, the one command there (docs/GPU.md). No GPU is needed
# here. Ends with an error above 24 MiB, or where the check fails on the emulator.
#
#   scripts/gpu_bundle.sh OUT [--few]
#
# --few takes one case of each storage, type and shape, for one chip. BUILD names
# a built folder with astfe-opt (default: the preset release, which is built),
# PROGRAMS one with astfe-gpu-check and astfe-gpu-bench (default: the preset
# runtime, likewise), BITCODE one that keeps what the emulator runs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
most=$((24 * 1024 * 1024))
# Symbols of a newer C library would be missing on an older machine.
glibc=2.35

fail() {
  echo "gpu_bundle: error: $1" >&2
  exit 1
}
[ $# -ge 1 ] || fail "expected a folder to write but got none"
out=$1
few=${2:-}
[ -z "$few" ] || [ "$few" = --few ] || fail "expected --few but got '$few'"
[ ! -e "$out" ] || fail "expected a folder that is not there but got '$out'"

build=${BUILD:-}
if [ -z "$build" ]; then
  (cd "$root" && scripts/setup.sh release)
  build=$root/$(cd "$root" && scripts/folder.sh release)
fi
programs=${PROGRAMS:-}
if [ -z "$programs" ]; then
  (cd "$root" && cmake --preset runtime >/dev/null &&
    cmake --build --preset runtime)
  programs=$root/$("$root/scripts/folder.sh" runtime)/bin
fi

mkdir -p "$out"
bitcode=${BITCODE:-}
if [ -z "$bitcode" ]; then
  bitcode=$(mktemp -d)
  trap 'rm -rf "$bitcode"' EXIT
fi
cases() {
  local folder=$1
  shift
  "$root/utils/gpu_cases.py" "$build" "$out/cases/$folder" $few "$@"
}
cases sm_90 --chip=sm_90 --bitcode="$bitcode"
if [ -z "$few" ]; then
  cases sm_80 --chip=sm_80
  cuda=${CUDA_HOME:-/usr/local/cuda}
  if command -v ptxas >/dev/null || [ -x "$cuda/bin/ptxas" ]; then
    cases sm_90-cubin --chip=sm_90 --format=binary
  else
    echo "no ptxas: no cubins"
  fi
fi

for program in astfe-gpu-check astfe-gpu-bench; do
  strip -o "$out/$program" "$programs/$program"
  newest=$(objdump -T "$out/$program" | grep -o 'GLIBC_[0-9.]*' |
    sed 's/GLIBC_//' | sort -V | tail -1)
  [ "$(printf '%s\n' "$newest" "$glibc" | sort -V | tail -1)" = "$glibc" ] ||
    fail "expected $program to need glibc $glibc at most but got $newest"
done
cp "$root/benchmarks/gpu/bundle/run.sh" "$out/run.sh"

bytes=$(du -sb "$out" | cut -f1)
[ "$bytes" -le "$most" ] || fail "expected at most $most bytes but got $bytes"
echo "$out: $bytes bytes, $(find "$out/cases" -name '*.so' | wc -l) programs"

# The same programs, with the driver's stand-in and the emulator behind it.
standin=$build/unittests/libASTFEEmulatedCuda.so
if [ ! -f "$standin" ]; then
  echo "no $standin: not checked on the emulator"
  exit 0
fi
ASTFE_LIBCUDA=$standin ASTFE_FAKE_CUDA_BITCODE=$bitcode \
  "$out/astfe-gpu-check" --cases="$out/cases/sm_90" --repeat=3
