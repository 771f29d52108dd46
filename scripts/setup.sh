#!/usr/bin/env bash
# Installs what ASTFE needs from Debian's packages and builds it. Sourced by
# demo.sh and test.sh; runs alone as well.
#
#   scripts/setup.sh [PRESET]     dev (default), release, asan or runtime
#
# Nothing is installed where everything is there already. JOBS sets the number
# of compile jobs (default: the number of processors).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-dev}
build=$(scripts/folder.sh "$preset")
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
packages=(
  g++ cmake ninja-build ccache git
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libomp-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev
  python3 python3-numpy python3-scipy python3-pip
  python3-setuptools python3-wheel
)
[ "$preset" != asan ] || packages+=(libclang-rt-22-dev)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  export DEBIAN_FRONTEND=noninteractive
  if ! { $as_root apt-get update -qq &&
         $as_root apt-get install -y -qq --no-install-recommends \
           "${missing[@]}"; } >"$log/install" 2>&1; then
    tail -n 20 "$log/install" >&2
    echo "setup: could not install: ${missing[*]}" >&2
    exit 1
  fi
fi

# ccache: the precompiled header must not defeat it.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
cmake --preset "$preset" >"$log/configure" 2>&1 || {
  cat "$log/configure" >&2
  echo "setup: configuring failed" >&2
  exit 1
}
cmake --build "$build" -j "${JOBS:-$(nproc)}"
