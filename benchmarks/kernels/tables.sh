#!/usr/bin/env bash
# SpMV and SpMM against their peers; called by benchmarks/run.sh. One run for
# each matrix, type and width, so that PREFIX may be a command with a time limit,
# and so that those done survive a cancelled run: they are kept while the files
# are newer than the program.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$BUILD/bin/bench-kernels
[ -x "$program" ] || {
  echo "bench-kernels was not built: libomp-dev is missing"
  exit 0
}
mkdir -p "$OUT/kernels"

# measure NAME OPTIONS...: what was measured with the same prefix and options is
# kept while it is newer than the program and the matrix.
measure() {
  local key option kept=1
  key=$(printf '%s\0' "$PREFIX" "$@" | cksum | cut -d' ' -f1)
  local tsv=$OUT/kernels/$1-$key.tsv
  shift
  tables+=("$tsv")
  [ "$tsv" -nt "$program" ] || kept=""
  for option in "$@"; do
    case $option in
      --matrix=*) [ "$tsv" -nt "${option#*=}" ] || kept="" ;;
    esac
  done
  [ -n "$kept" ] || $PREFIX "$program" "$@" --tsv="$tsv"
}

files=()
for file in "$@"; do
  case $file in *.mtx) files+=("$file") ;; esac
done
set -- ${files[@]+"${files[@]}"}

tables=()
if [ -n "$QUICK" ]; then
  measure quick --quick
  for file in "$@"; do
    measure "quick-$(basename "$file" .mtx)" --quick --classes=none \
      --matrix="$file"
  done
else
  classes=(uniform rmat mesh pruned75 pruned90 block-diagonal permuted-blocks
           power-law arrow heavy-row)
  for type in f32 f64; do
    for columns in 1,4,8,16,32 100,128 512; do
      options=(--types="$type" --columns="$columns" --nonzeros=500000)
      for file in "$@"; do
        measure "$(basename "$file" .mtx)-$type-$columns" "${options[@]}" \
          --matrix="$file"
      done
      for class in "${classes[@]}"; do
        measure "$class-$type-$columns" "${options[@]}" --classes="$class"
      done
    done
  done
fi
"$here/report.py" --details --plots "$OUT" "${tables[@]}"

# C = A^T B from A's arrays.
tables=()
options=(--transpose --types=f32 --columns=1,32,128)
[ -n "$QUICK" ] && options+=(--quick) || options+=(--nonzeros=500000)
for file in "$@"; do
  measure "transposed-$(basename "$file" .mtx)" "${options[@]}" --classes=none \
    --matrix="$file"
done
measure transposed "${options[@]}" --classes=all
printf '\nC = A^T B\n'
"$here/report.py" --details "${tables[@]}"
