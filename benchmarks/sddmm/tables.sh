#!/usr/bin/env bash
# Sampled products against rivals; called by benchmarks/run.sh. Of the files
# only matrices (.mtx) are read.
set -euo pipefail
program=$BUILD/bin/bench-sddmm
options=()
[ -z "$QUICK" ] || options=(--nonzeros=100000)
matrices=""
for file in "$@"; do
  case $file in *.mtx) matrices=$matrices,$file ;; esac
done
for threads in 1 2; do
  printf '\n%s threads\n\n' "$threads"
  $PREFIX "$program" --threads="$threads" ${options[@]+"${options[@]}"} \
    ${matrices:+--matrix="${matrices#,}"}
done
