#!/bin/sh
# Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: run.sh RESULTS SECONDS
#
# The one command on a machine with a GPU: says what the machine is, checks all
# that was compiled ahead of time, and, where that passes, lets CUDA's sanitizer
# look at it (where there is one) and times it. Writes files to RESULTS and ends
# after about SECONDS. The last line is the checks': "N passed, N failed".
set -u
if [ $# -ne 2 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 1
fi
case $2 in
'' | 0* | *[!0-9]*)
  echo "run.sh: expected a number of seconds above 0 but got '$2'" >&2
  exit 1
  ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
results=$1
seconds=$2
mkdir -p "$results" || exit 1
begin=$(date +%s)
left() { echo $((seconds - $(date +%s) + begin)); }
has() { command -v "$1" >/dev/null 2>&1; }

# 1. The machine.
{
  date
  uname -srm
  ldd --version 2>&1 | head -1
  if has nvidia-smi; then
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm,clocks.mem,compute_mode,mig.mode.current --format=csv
  else
    echo "no nvidia-smi"
  fi
  for tool in nvcc ptxas compute-sanitizer ncu; do
    has "$tool" && echo "$tool: $(command -v "$tool")" || echo "no $tool"
  done
} >"$results/machine.txt" 2>&1
cat "$results/machine.txt"

# 2. The check: PTX, then cubins, then PTX for an older chip, each where the
# device takes it. The large operands once, unless ASTFE_NO_LARGE is set.
passed=0
failed=0
main= # the first folder that the device takes
large=--large
[ -z "${ASTFE_NO_LARGE:-}" ] || large=
for cases in sm_90 sm_90-cubin sm_80; do
  [ -d "$here/cases/$cases" ] && [ "$failed" -eq 0 ] || continue
  limit=$(left)
  if [ "$limit" -le 0 ]; then
    echo "no time for $cases"
    continue
  fi
  file=$results/check-$cases.txt
  # shellcheck disable=SC2086
  timeout "$limit" "$here/astfe-gpu-check" --cases="$here/cases/$cases" $large \
    >"$file" 2>&1
  status=$?
  cat "$file"
  grep -q "^skipped $here/cases/$cases:" "$file" && continue
  large=
  main=${main:-$here/cases/$cases}
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$file" | tail -1)
  if [ -z "$line" ]; then
    echo "FAILED $cases: expected an end but got status $status"
    line="0 passed, 1 failed"
  fi
  passed=$((passed + ${line%% passed*}))
  rest=${line#* passed, }
  failed=$((failed + ${rest%% failed}))
done
if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
  echo "FAILED: expected a check but the device took none, or there was no time"
  failed=1
fi

# 3. CUDA's own checks, of one case of each storage, while there is time.
if [ "$failed" -eq 0 ] && has compute-sanitizer; then
  for tool in memcheck synccheck initcheck; do
    # Most of the time is for what comes after.
    limit=$((seconds / 8))
    [ "$(left)" -gt $((limit * 2)) ] || break
    echo "compute-sanitizer --tool $tool"
    timeout "$limit" compute-sanitizer --tool "$tool" --error-exitcode 3 \
      "$here/astfe-gpu-check" --cases="$main" --repeat=2 \
      --without-errors >"$results/$tool.txt" 2>&1
    status=$?
    tail -3 "$results/$tool.txt"
    if [ "$status" -eq 124 ]; then
      echo "$tool: out of time"
    elif [ "$status" -eq 0 ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
fi

# 4. Times, important matrices first, beside CUDA's libraries where they are; and
# counters of the kernels, where there is a profiler that may read them.
if [ "$failed" -eq 0 ] && [ "$(left)" -gt 10 ]; then
  "$here/astfe-gpu-bench" --cases="$main" \
    --seconds=$(($(left) * 3 / 4)) ${ASTFE_SHRINK:+--shrink=$ASTFE_SHRINK} \
    >"$results/times.tsv" 2>&1 || failed=$((failed + 1))
  cat "$results/times.tsv"
fi
if [ "$failed" -eq 0 ] && [ "$(left)" -gt 20 ] && has ncu; then
  timeout "$(left)" ncu --csv --launch-count 40 --metrics \
lts__t_sectors.sum,dram__bytes.sum,smsp__inst_issued.sum,\
l1tex__t_sector_hit_rate.pct,sm__warps_active.avg.pct_of_peak_sustained_active \
    "$here/astfe-gpu-bench" --cases="$main" --seconds=1 \
    >"$results/counters.csv" 2>&1 || echo "no counters; see counters.csv"
fi

[ "$failed" -eq 0 ] || echo "stopped at what failed; see $results"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
