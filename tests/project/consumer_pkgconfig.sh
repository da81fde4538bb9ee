#!/bin/bash
# Builds tests/consumer against an install tree through pkg-config alone, and runs it; moves the tree and does so again.
# Also compiles the header as C++ and as strict C.
# consumer_pkgconfig.sh SOURCE INSTALL WORK COMPILER
set -euo pipefail
source=$1 install=$2 work=$3 compiler=$4
rm -rf "$work"
mkdir -p "$work"

check() {
  local tree=$1 pc libdir includedir words flags
  pc=$(find "$tree" -name gpuvoronoi.pc)
  [[ $pc ]] || {
    echo "no gpuvoronoi.pc in $tree"
    exit 1
  }
  export PKG_CONFIG_PATH=${pc%/*}
  libdir=$(realpath "$(pkg-config --variable=libdir gpuvoronoi)")
  includedir=$(realpath "$(pkg-config --variable=includedir gpuvoronoi)")
  # A tree that has moved may not lead back to where it was.
  [[ $libdir == "$(realpath "$tree")"/* && $includedir == "$(realpath "$tree")"/* ]] || {
    echo "$pc leads out of its tree: $libdir, $includedir"
    exit 1
  }
  words=$(pkg-config --cflags --libs gpuvoronoi)
  read -ra flags <<<"$words"
  "$compiler" -o "$work/consumer" "$source/tests/consumer/consumer.c" "${flags[@]}"
  LD_LIBRARY_PATH=$libdir "$work/consumer"
}

check "$install"
cp -a "$install" "$work/moved"
check "$work/moved"

header=$(find "$install" -name gpuvoronoi.h)
strict=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only)
"$compiler" -std=c99 -x c "${strict[@]}" "$header"
c++ -std=c++11 -x c++ "${strict[@]}" "$header"
