#!/usr/bin/env bash
# The tables of docs/Performance.md, Orders: called by benchmarks/run.sh. One run
# for each matrix, so that PREFIX may be a command with a time limit.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
$PREFIX "$BUILD/bin/ASTFEOrderVolumes" "$@"
echo
program=$BUILD/bin/bench-kernels
[ -x "$program" ] || {
  echo "bench-kernels was not built: libomp-dev is missing"
  exit 0
}
mkdir -p "$OUT/orders"
options=(--orders --types=f32 --expected-runs=1000000)
if [ -n "$QUICK" ]; then
  options+=(--columns=32 --rounds=3 --nonzeros=100000)
else
  options+=(--columns=1,32,128 --rounds=9 --nonzeros=500000)
fi
tables=()
for file in "$@"; do
  tables+=("$OUT/orders/$(basename "$file" .mtx).tsv")
  $PREFIX "$program" "${options[@]}" --classes=none --matrix="$file" \
    --tsv="${tables[-1]}" >/dev/null
done
for class in uniform rmat mesh pruned75 pruned90 block-diagonal \
  permuted-blocks power-law; do
  tables+=("$OUT/orders/$class.tsv")
  $PREFIX "$program" "${options[@]}" --classes="$class" \
    --tsv="${tables[-1]}" >/dev/null
done
"$here/compare_orders.py" "${tables[@]}"
