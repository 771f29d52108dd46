#!/usr/bin/env bash
# Usage: plugin-opt.sh MLIR-OPT PLUGIN ARGUMENT...
# A stock mlir-opt with ASTFE's plug-in. Plug-ins come too late to add flags of
# their own, so that --astfe-sparsifier="OPTIONS" becomes a --pass-pipeline.
opt=$1 plugin=$2
shift 2
arguments=()
for argument; do
  case $argument in
  --astfe-sparsifier=*)
    argument="--pass-pipeline=builtin.module(astfe-sparsifier{${argument#*=}})"
    ;;
  esac
  arguments+=("$argument")
done
exec "$opt" --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" \
  "${arguments[@]}"
