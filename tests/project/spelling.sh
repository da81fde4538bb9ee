#!/bin/bash
# One spelling, that of the US, also in identifiers (codespell); file formats and other software have the names that stay.
# spelling.sh SOURCE
set -euo pipefail
cd "$1"
command -v codespell >/dev/null || {
  echo "skipped: no codespell"
  exit 77
}
names="semi_major_metre|Unit Type: metre|[\"'\`“<>,](neighbours?|neighbour_\w*|(kilo)?metres?)\b|, neighbours\b|\[\w*\"metre|HONOUR_|^.*corpus/.*$"
found=$(find CONTRIBUTING.md README.md SECURITY.md bootstrap cmake docs include packaging plugin python src tests tools \
  -path tests/project -prune -o -path tests/digests -prune -o -path tests/fuzz/corpus -prune -o -path packaging/wheels -prune -o -type f -regex \
  '.*\(CMakeLists.txt\|/bootstrap\|\.\(c\|cmake\|cpp\|cu\|cuh\|h\|hpp\|ini\|md\|py\|sh\|toml\|txt\|yaml\|yml\)\)' -print 2>/dev/null || true)
[[ $found ]] || {
  echo "no sources in $1"
  exit 1
}
mapfile -t files <<<"$found"
codespell --builtin en-GB_to_en-US --regex '[A-Za-z]+' --ignore-words-list cancelled,cancelling,cancels \
  --ignore-regex "$names" "${files[@]}" || exit 1
