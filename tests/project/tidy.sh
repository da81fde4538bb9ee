#!/bin/bash
# clang-tidy with the checks of .clang-tidy over all C files of src and of gpuvoronoi-bench, one at a time on each processor: no findings. Slow, hence the long
# tier's. Kernels are looked at in one set of vector instructions.
# tidy.sh BUILD [FILE...]: only those files; BUILD has compile_commands.json.
set -euo pipefail
build=$1
shift
command -v clang-tidy-14 >/dev/null || {
  echo "skipped: no clang-tidy-14"
  exit 77
}
cd "$(dirname "$(readlink -f "$0")")/../.."
files=("$@")
((${#files[@]})) || mapfile -t files < <(find src tools -name '*.c' ! -name '*_windows.c' ! -name 'gpu_*' | sort)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# One command a file, without GCC's own options.
python3 - "$build/compile_commands.json" "$work/compile_commands.json" <<'END'
import json
import sys

once = {}
for command in json.load(open(sys.argv[1])):
    once.setdefault(command["file"], command)
json.dump(list(once.values()), open(sys.argv[2], "w"))
END
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-14 -p "$work" --config-file=.clang-tidy --quiet --warnings-as-errors='*' 2>"$work/stderr" || {
  grep -v 'warnings\? generated\.$\|warnings\? treated as errors\?$' "$work/stderr" >&2
  exit 1
}
echo "${#files[@]} files: no findings"
