#!/usr/bin/env bash
# GPU kernels without a GPU: what ptxas says of them, inner loops against nvcc's,
# the simulated schedule, and a race against rivals by the model; called by benchmarks/run.sh. With a GPU see
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
# schedule NAME OPTIONS...
schedule() {
  local tsv=$OUT/$1.tsv
  shift
  $PREFIX "$BUILD/bin/astfe-bench-schedule" --tsv="$tsv.new" "$@"
  mv "$tsv.new" "$tsv"
}
nonzeros=200000
[ -z "$QUICK" ] || nonzeros=50000
schedule schedule --nonzeros=$nonzeros
[ $# -eq 0 ] || schedule schedule-files "$@"

# By the model of an H200, not measured.
if [ -x "$BUILD/bin/astfe-bench-rivals" ]; then
  nonzeros=100000
  [ -z "$QUICK" ] || nonzeros=20000
  "$BUILD/bin/astfe-bench-rivals" --nonzeros=$nonzeros --tsv="$OUT/rivals.tsv.new"
  mv "$OUT/rivals.tsv.new" "$OUT/rivals.tsv"
fi
