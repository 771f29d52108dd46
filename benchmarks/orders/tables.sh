#!/usr/bin/env bash
# The tables of docs/Performance.md, Orders: called by benchmarks/run.sh.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
$PREFIX "$BUILD/bin/ASTFEOrderVolumes" "$@"
echo
[ $# -eq 0 ] ||
  $PREFIX "$here/compare_orders.py" "$BUILD/bin/astfe-run" \
    ${QUICK:+--cols=32 --repeat=3} "$@"
