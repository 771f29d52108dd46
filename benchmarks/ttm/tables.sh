#!/usr/bin/env bash
# Tensors times vectors and matrices against rivals; called by
# benchmarks/run.sh. Of the files only tensors (.tns) are read.
set -euo pipefail
program=$BUILD/bin/bench-ttm
options=()
[ -z "$QUICK" ] || options=(--nonzeros=200000)
for threads in 1 2; do
  printf '\n%s threads\n\n' "$threads"
  for file in "" "$@"; do
    case $file in
      "" | *.tns) ;;
      *) continue ;;
    esac
    $PREFIX "$program" --threads="$threads" ${file:+--tensor="$file"} \
      ${options[@]+"${options[@]}"}
  done
done
