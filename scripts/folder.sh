#!/usr/bin/env bash
# The build folder of a preset of CMakePresets.json: folder.sh [PRESET]
case ${1:-dev} in
  dev | release) echo build ;;
  asan) echo build-asan ;;
  runtime) echo build-runtime ;;
  tsan) echo build-tsan ;;
  *)
    echo "expected the preset dev, release, asan, runtime or tsan but got '$1'" >&2
    exit 1
    ;;
esac
