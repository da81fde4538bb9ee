#!/bin/bash
# Makes the documentation's site in OUT/html. Warnings are errors, and every link has to lead somewhere.
# build.sh SOURCE OUT
set -euo pipefail
source=$(realpath "$1") out=$(realpath -m "$2")
command -v mkdocs >/dev/null || {
  echo "skipped: no MkDocs (apt-get install mkdocs)"
  exit 77
}
rm -rf "$out/pages"
mkdir -p "$out/pages"
(cd "$source" && cp -r --parents README.md LICENSE CONTRIBUTING.md SECURITY.md packaging/README.md packaging/addresses.txt include docs/*.md docs/*.json docs/images docs/examples "$out/pages")
GPUVORONOI_PAGES=$out/pages mkdocs build --quiet --strict --clean -f "$source/docs/site/mkdocs.yml" -d "$out/html"
python3 "$source/docs/site/check.py" "$out/html"
