#!/bin/bash
# The shared library exports the functions of the public headers and those of src/core that are GV_SHARED, all of them and nothing else.
# exports.sh HEADER LIBRARY [HEADER...]
set -euo pipefail
declared=$(sed -n 's/^GV_\(API\|SHARED\) .*[ *]\(gv_[a-z0-9_]*\)(.*/\2/p' "$1" "${@:3}" | sort -u)
exported=$(nm -D --defined-only "$2" | awk 'NF == 3 && $2 != "A" {sub(/@.*/, "", $3); print $3}' | sort -u)
[[ $(wc -l <<<"$declared") -gt 8 ]] || {
  echo "hardly a function found in $1"
  exit 1
}
diff <(echo "$declared") <(echo "$exported") || {
  echo "header (<) and library (>) differ"
  exit 1
}
# C libraries round these differently, and glibc before 2.29 lacks the newest of them: gv_power is ours.
rounded=$(nm -D --undefined-only "$2" | sed -n 's/^ *U \(\(pow\|exp\|exp2\|log\|log2\|log10\)f\{0,1\}\)\(@.*\)\{0,1\}$/\1/p')
[[ -z $rounded ]] || {
  echo "the library calls $(tr '\n' ' ' <<<"$rounded")of the C library"
  exit 1
}
