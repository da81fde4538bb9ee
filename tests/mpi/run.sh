#!/bin/bash
# Starts a program by 1, 2 and 3 processes, which each are told how many they are. run.sh PROGRAM LAUNCHER [OPTION...]
set -euo pipefail
program=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v "$1" >/dev/null || {
  echo "skipped: no $1"
  exit 77
}
said=$("$@" -n 2 true 2>&1) || {
  echo "skipped: $1 starts nothing here: $said"
  exit 77
}
for processes in 1 2 3; do
  "$@" -n "$processes" "$program" "$processes"
done
