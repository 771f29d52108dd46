#!/usr/bin/env bash
# Communication volumes against METIS; called by benchmarks/run.sh.
set -euo pipefail
$PREFIX "$BUILD/bin/ASTFEOrderVolumes" "$@"
