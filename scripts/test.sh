#!/usr/bin/env bash
# Sets up as demo.sh does, then runs every test: GoogleTest, lit, Python, the
# layering, and the runtime-only build. The last line is the sum:
# "N passed, N failed, N skipped". Exits non-zero if anything failed.
#
#   scripts/test.sh            the whole
#   PRESET=asan scripts/test.sh    the same under AddressSanitizer and UBSan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${PRESET:-dev}
build=$(scripts/folder.sh "$preset")
if [ "$preset" = runtime ] || [ "$preset" = tsan ]; then
  echo "test: expected PRESET=dev, release or asan, which build more;" \
    "dev and release test the runtime-only and the tsan build too" >&2
  exit 1
fi
scripts/setup.sh "$preset"
exec "${PYTHON:-/usr/bin/python3}" utils/run_tests.py --build "$build" \
  --preset "$preset"
