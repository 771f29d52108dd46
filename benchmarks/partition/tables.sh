#!/usr/bin/env bash
# Core's speed; called by benchmarks/run.sh. The inputs are generated: files are
# not read.
set -euo pipefail
program=$BUILD/bin/ASTFEPartitionBenchmark
[ -x "$program" ] || {
  echo "ASTFEPartitionBenchmark was not built: libbenchmark-dev is missing"
  exit 0
}
options=(--benchmark_out="$OUT/partition.json.new" --benchmark_out_format=json)
[ -z "$QUICK" ] || options+=(--benchmark_min_time=0.05)
$PREFIX "$program" "${options[@]}"
mv "$OUT/partition.json.new" "$OUT/partition.json"
