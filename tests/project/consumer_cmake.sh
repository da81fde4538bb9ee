#!/bin/bash
# Builds tests/consumer against an install tree through find_package, and runs it.
# consumer_cmake.sh SOURCE INSTALL WORK COMPILER
set -euo pipefail
source=$1 install=$2 work=$3 compiler=$4
rm -rf "$work"
cmake -S "$source/tests/consumer" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$install" -DCMAKE_C_COMPILER="$compiler"
grep -q "^gpuvoronoi_DIR:PATH=$install/" "$work/CMakeCache.txt" || {
  echo "found another gpuvoronoi than that in $install: $(grep '^gpuvoronoi_DIR' "$work/CMakeCache.txt")"
  exit 1
}
cmake --build "$work"
"$work/consumer"
"$work/device_table"
