#!/usr/bin/env bash
# One product through astfe-run's kernel, C and Python; called by
# benchmarks/run.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
options=()
[ -z "$QUICK" ] || options=(--quick)
$PREFIX "${PYTHON:-/usr/bin/python3}" "$here/compare_entries.py" \
  --build="$BUILD" ${options[@]+"${options[@]}"} "$@"
