#!/usr/bin/env bash
# Sparse attention: one kernel, our kernels one after the other, upstream's
# sparsifier; called by benchmarks/run.sh. Of the files only square matrices (.mtx)
# are read.
set -euo pipefail
matrices=()
for file in "$@"; do
  case $file in *.mtx) matrices+=("$file") ;; esac
done
for threads in 1 2; do
  printf '\n%s threads\n\n' "$threads"
  OMP_NUM_THREADS=$threads $PREFIX python3 benchmarks/fused/compare_fused.py \
    --build "$BUILD" ${QUICK:+--quick} ${matrices[@]+"${matrices[@]}"}
done
