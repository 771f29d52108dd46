#!/usr/bin/env bash
# Installs what ASTFE needs from Debian's packages and builds it. Sourced by
# demo.sh and test.sh; runs alone as well.
#
#   scripts/setup.sh [PRESET]     dev (default), release, asan, tsan or runtime
#
# Nothing is installed where everything is there already. JOBS sets the number
# of compile jobs (default: the number of processors).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-dev}
build=$(scripts/folder.sh "$preset")
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
extra=()
case $preset in
  asan | tsan) extra+=(libclang-rt-22-dev) ;;
esac
scripts/install.sh ${extra[@]+"${extra[@]}"}

# ccache: the precompiled header must not defeat it.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
cmake --preset "$preset" >"$log/configure" 2>&1 || {
  cat "$log/configure" >&2
  echo "setup: configuring failed" >&2
  exit 1
}
cmake --build "$build" -j "${JOBS:-$(nproc)}"
