#!/usr/bin/env bash
# What the steps of the graph bring, and products beside upstream's; called by
# benchmarks/run.sh.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
options=(--build "$BUILD")
[ -z "$QUICK" ] || options+=(--rounds=1 --repeat=5)
for computation in spmm sddmm transposed min-plus ttv ttm mttkrp; do
  $PREFIX "$here/ablation.py" "${options[@]}" --steps="$computation" "$@"
  echo
done
$PREFIX "$here/ablation.py" "${options[@]}" --peers "$@"
for inner in 32 64 128; do
  echo
  $PREFIX "$here/ablation.py" "${options[@]}" --orders="$inner" "$@"
done
for columns in 32 128; do
  echo
  $PREFIX "$here/ablation.py" "${options[@]}" --types="$columns" "$@"
done
