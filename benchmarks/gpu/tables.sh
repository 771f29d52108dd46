#!/usr/bin/env bash
# GPU kernels without a GPU: what ptxas says of them, inner loops against nvcc's,
# the simulated schedule, and a race against rivals by the model; called by benchmarks/run.sh. With a GPU see
# astfe-bench-device.
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

# By the model of an H200, not measured: the race (docs/GPU.md) with rows as they
# come, with what pays within a million runs, and all reordered; the files; and
# what was predicted by hand (docs/Performance.md).
rivals=$BUILD/bin/astfe-bench-rivals
[ -x "$rivals" ] || exit 0
# race NAME OPTIONS...
race() {
  local tsv=$OUT/$1.tsv
  shift
  "$rivals" --tsv="$tsv.new" "$@"
  mv "$tsv.new" "$tsv"
}
nonzeros=100000
[ -z "$QUICK" ] || nonzeros=20000
race rivals --nonzeros=$nonzeros
race rivals-runs --nonzeros=$nonzeros --alone --expected-runs=1000000
race rivals-labels --nonzeros=$nonzeros --alone --reorder=labels
files=("${@/#/--matrix=}")
if [ $# -gt 0 ]; then
  race rivals-files "${files[@]}"
  race rivals-files-labels "${files[@]}" --alone --reorder=labels
fi
[ -z "$QUICK" ] || exit 0
# A product of 4e6 nonzeros and 128 columns takes 4 GB and two minutes of a core.
predict() { race "predicted-$1-$3" --class="$1" --nonzeros="$2" --columns="$3"; }
predict rmat 4000000 128
predict uniform 4000000 128
predict mesh 2500000 128
predict pruned75 1048576 512
for columns in 1 8 32; do
  predict rmat 1000000 $columns
  predict rmat 100000 $columns
done
