#!/usr/bin/env bash
# The build folder of a preset of CMakePresets.json: folder.sh [PRESET]
case ${1:-dev} in
  dev | release) echo build ;;
  asan) echo build-asan ;;
  runtime) echo build-runtime ;;
  *)
    echo "expected the preset dev, release, asan or runtime but got '$1'" >&2
    exit 1
    ;;
esac
