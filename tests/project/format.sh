#!/bin/bash
# C and CUDA sources are as .clang-format says (version 14, Debian 12's: others break lines differently).
# format.sh SOURCE
set -euo pipefail
cd "$1"
formatter=$(command -v clang-format-14 || command -v clang-format || true)
[[ $formatter && $("$formatter" --version) == *"version 14."* ]] || {
  echo "skipped: no clang-format 14"
  exit 77
}
found=$(find docs include src tests tools -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
[[ $found ]] || {
  echo "no sources in $1"
  exit 1
}
mapfile -t files <<<"$found"
"$formatter" --dry-run -Werror "${files[@]}"
