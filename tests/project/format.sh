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
find include src tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort | xargs "$formatter" --dry-run -Werror
