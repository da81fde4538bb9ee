#!/bin/bash
# Makes the documentation's site in OUT/html. Warnings are errors, and every link has to lead somewhere.
# build.sh SOURCE OUT
set -euo pipefail
source=$(realpath "$1") out=$(realpath -m "$2")
command -v mkdocs >/dev/null && /usr/bin/python3 -c 'import black, mkdocstrings_handlers.python' 2>/dev/null || {
  echo "skipped: no MkDocs, or not with mkdocstrings (apt-get install mkdocs mkdocstrings-python-handlers black)"
  exit 77
}
rm -rf "$out/pages"
mkdir -p "$out/pages"
(cd "$source" && cp -r --parents README.md LICENSE CONTRIBUTING.md SECURITY.md packaging/README.md packaging/addresses.txt include docs/*.md docs/*.json docs/images docs/examples "$out/pages")
cp "$source/docs/site/python-reference.md" "$out/pages/docs"
export GPUVORONOI_PAGES=$out/pages GPUVORONOI_PYTHON=$out/python
rm -rf "$out/python"
/usr/bin/python3 "$source/docs/site/python_sources.py" "$source/python" "$out/python"
GPUVORONOI_REPOSITORY=$(sed -n 's/^repository=//p' "$source/packaging/addresses.txt")
export GPUVORONOI_REPOSITORY
cd "$out" # away from builds: the reference would be read from a file gpuvoronoi of the current folder
mkdocs build --quiet --strict --clean -f "$source/docs/site/mkdocs.yml" -d "$out/html"
/usr/bin/python3 "$source/docs/site/check.py" "$out/html" "$out/python"
