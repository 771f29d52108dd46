#!/usr/bin/env bash
# GPU kernels without a GPU: what ptxas says of them, inner loops against nvcc's,
# and the simulated schedule; called by benchmarks/run.sh. With a GPU see
# run_cuda.sh.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$BUILD/bin:$PATH
cuda=${CUDA_HOME:-/usr/local/cuda}/bin
has() { command -v "$1" >/dev/null || [ -x "$cuda/$1" ]; }

if has ptxas; then
  python3 "$folder/ptxas_table.py" --tsv "$OUT/ptxas.tsv.new"
  mv "$OUT/ptxas.tsv.new" "$OUT/ptxas.tsv"
else
  echo "no ptxas: no table of registers"
fi
if has ptxas && has nvcc && has nvdisasm; then
  python3 "$folder/inner_loops.py" --tsv "$OUT/inner-loops.tsv.new"
  mv "$OUT/inner-loops.tsv.new" "$OUT/inner-loops.tsv"
else
  echo "no ptxas, nvcc or nvdisasm: no inner loops"
fi
options=(--tsv="$OUT/schedule.tsv.new")
[ -z "$QUICK" ] || options+=(--nonzeros=50000)
$PREFIX "$BUILD/bin/astfe-bench-schedule" "${options[@]}" "$@"
mv "$OUT/schedule.tsv.new" "$OUT/schedule.tsv"
