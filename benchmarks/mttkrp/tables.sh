#!/usr/bin/env bash
# MTTKRP over bricks and over CSF, and what the steps of the graph bring; called
# by benchmarks/run.sh. Of the files only tensors (.tns) are read.
set -euo pipefail
program=$BUILD/bin/bench-mttkrp
options=()
[ -z "$QUICK" ] || options=(--nonzeros=200000)
for threads in 1 2; do
  for ablation in "" --ablation; do
    printf '\n%s threads\n\n' "$threads"
    for file in "" "$@"; do
      case $file in
        "" | *.tns) ;;
        *) continue ;;
      esac
      $PREFIX "$program" --threads="$threads" $ablation \
        ${file:+--tensor="$file"} ${options[@]+"${options[@]}"}
    done
  done
done
