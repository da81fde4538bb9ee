#!/bin/bash
# The generated seed sets in data/ are what their generators make.
# data.sh DATA
set -euo pipefail
cd "$1"
python=/usr/bin/python3
[[ -x $python ]] || python=python3
for set in sphere:sphere_1000 plane:plane_500; do
  "$python" make_generated_seeds.py "${set%:*}" | cmp - "${set#*:}.csv"
done
