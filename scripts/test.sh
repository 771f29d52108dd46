#!/usr/bin/env bash
# Sets up as demo.sh does, then runs every test: GoogleTest, lit, Python, the
# layering, and the runtime-only build. The last line is the sum:
# "N passed, N failed, N skipped". Exits non-zero if anything failed.
#
#   scripts/test.sh            the whole
#   PRESET=asan scripts/test.sh   the same under AddressSanitizer and UBSan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${PRESET:-dev}
scripts/setup.sh "$preset"
build=build
[ "$preset" = asan ] && build=build-asan
exec "${PYTHON:-/usr/bin/python3}" utils/run_tests.py --build "$build" --preset "$preset"
