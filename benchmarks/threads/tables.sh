#!/usr/bin/env bash
# Products beside other people's threads; called by benchmarks/run.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
options=()
[ -z "$QUICK" ] || options=(--rounds 1)
$PREFIX "${PYTHON:-/usr/bin/python3}" "$here/compare_threads.py" \
  --build "$BUILD" ${options[@]+"${options[@]}"} "$@"
