#!/bin/bash
# Makes the documentation's site in OUT/html. Warnings are errors, and every link has to lead somewhere.
# build.sh SOURCE OUT COMMAND
set -euo pipefail
source=$1 out=$2 command=$3
command -v mkdocs >/dev/null || {
  echo "skipped: no MkDocs (apt-get install mkdocs)"
  exit 77
}
python=/usr/bin/python3 # another one on the PATH has no numpy
"$python" "$source/docs/site/pages.py" "$source" "$out/pages" "$command"
GPUVORONOI_PAGES=$out/pages mkdocs build --quiet --strict --clean -f "$source/docs/site/mkdocs.yml" -d "$out/html"
"$python" "$source/docs/site/check.py" "$out/html"
