#!/usr/bin/env bash
# Sparse attention; called by benchmarks/run.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
options=()
[ -z "$QUICK" ] || options=(--repeat 3 --rows 1024)
$PREFIX "${PYTHON:-/usr/bin/python3}" "$here/compare_attention.py" \
  --build "$BUILD" ${options[@]+"${options[@]}"} "$@"
