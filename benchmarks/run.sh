#!/usr/bin/env bash
# Measures everything and prints the tables of docs/Performance.md.
#
#   benchmarks/run.sh [--quick] [FILE.mtx ...]
#
# Installs what is missing of Debian's packages (the peers are optional: what
# cannot be installed is left out), builds the release preset with benchmarks in
# build-release/, and runs the tables.sh of each area over the files and the
# generated matrices. Results are in build-release/benchmarks-out/AREA.{txt,tsv}
# and *.svg; an area that is cancelled or fails leaves its last results.
#
#   AREAS="kernels gpu"   only these of kernels, entries, threads, partition, orders,
#                         mttkrp, ttm, sddmm, ablation, attention, fused, gpu
#   JOBS=N                compile jobs (default: the number of processors)
#   PREFIX="taskset -c 0" a command to run every measurement under
#
# An area's tables.sh is called with the files, and BUILD, OUT, QUICK (1 or
# empty) and PREFIX in its environment. It prints tables, and writes under OUT
# by renaming only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

export QUICK="" PREFIX=${PREFIX:-}
files=()
declare -A named # matrices are told apart by their names in the tables
for argument in "$@"; do
  case $argument in
    --quick) QUICK=1 ;;
    -*)
      echo "run.sh: error: expected --quick or files but got '$argument'" >&2
      exit 1
      ;;
    *)
      [ -r "$argument" ] || {
        echo "run.sh: error: cannot read '$argument'" >&2
        exit 1
      }
      name=$(basename "$argument")
      [ -z "${named[$name]:-}" ] || {
        echo "run.sh: error: expected files of different names but got" \
          "'${named[$name]}' and '$argument'" >&2
        exit 1
      }
      named[$name]=$argument
      files+=("$(realpath "$argument")")
      ;;
  esac
done
cd "$root"

export BUILD=$root/build-release OUT=$root/build-release/benchmarks-out
log=$(mktemp -d)
trap 'rm -rf "$log" "$OUT"/*.new' EXIT
trap 'exit 130' INT TERM
scripts/install.sh
scripts/install.sh --optional libeigen3-dev libgraphblas-dev librsb-dev \
  libmetis-dev libscotch-dev

{ cmake --preset release -B "$BUILD" -DASTFE_BENCHMARKS=ON &&
  cmake --build "$BUILD" -j "${JOBS:-$(nproc)}"; } >"$log/build" 2>&1 || {
  tail -n 30 "$log/build" >&2
  echo "run.sh: error: could not build" >&2
  exit 1
}
mkdir -p "$OUT"

failed=0
for area in ${AREAS:-kernels entries threads partition orders mttkrp ttm sddmm ablation attention fused gpu}; do
  script=benchmarks/$area/tables.sh
  [ -x "$script" ] || continue
  echo "=== $area"
  if "$script" ${files[@]+"${files[@]}"} 2>&1 | tee "$OUT/$area.txt.new"; then
    mv "$OUT/$area.txt.new" "$OUT/$area.txt"
  else
    rm -f "$OUT/$area.txt.new"
    echo "run.sh: error: the tables of $area failed" >&2
    failed=1
  fi
done
exit $failed
