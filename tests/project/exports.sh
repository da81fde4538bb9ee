#!/bin/bash
# The shared library exports the functions of the public header, all of them and nothing else.
# exports.sh HEADER LIBRARY
set -euo pipefail
declared=$(sed -n 's/^GV_API .*[ *]\(gv_[a-z0-9_]*\)(.*/\1/p' "$1" | sort -u)
exported=$(nm -D --defined-only "$2" | awk '$2 ~ /[A-Z]/ {sub(/@.*/, "", $3); print $3}' | sort -u)
[[ $(wc -l <<<"$declared") -gt 8 ]]
diff <(echo "$declared") <(echo "$exported") || {
  echo "header (<) and library (>) differ"
  exit 1
}
