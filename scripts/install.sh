#!/usr/bin/env bash
# Installs what is missing of Debian's packages; nothing where all are there.
#
#   scripts/install.sh [PACKAGE ...]           what ASTFE needs, and these
#   scripts/install.sh --optional PACKAGE ...  only these, those that can be had
set -euo pipefail

needed=(
  g++ cmake ninja-build ccache git
  clang-22 lld-22 liblld-22-dev llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libomp-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev
  python3 python3-numpy python3-scipy python3-pip
  python3-setuptools python3-wheel python3-venv
)
optional=""
if [ "${1:-}" = --optional ]; then
  optional=1
  needed=()
  shift
fi

missing=()
for package in ${needed[@]+"${needed[@]}"} "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
echo "install: ${missing[*]}"

as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# install PACKAGE...
install() {
  $as_root apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1
}

updated=1
$as_root apt-get update -qq >"$log" 2>&1 || updated=""
if [ -n "$optional" ]; then
  for package in "${missing[@]}"; do
    install "$package" || echo "install: without $package"
  done
elif [ -z "$updated" ] || ! install "${missing[@]}"; then
  tail -n 20 "$log" >&2
  echo "install: could not install: ${missing[*]}" >&2
  exit 1
fi
