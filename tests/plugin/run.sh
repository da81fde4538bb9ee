#!/bin/bash
# run.sh TEST...: pytest with a private profile of QGIS. Exits with 77, a visible skip, where QGIS or pytest is missing.
set -euo pipefail

python=/usr/bin/python3 # another one on the PATH has no qgis
for module in qgis.core pytest numpy; do
  if ! "$python" -c "import $module" 2>/dev/null; then
    echo "skipped: no Python module $module (apt-get install qgis python3-qgis qgis-providers python3-pytest)"
    exit 77
  fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/run"
export XDG_RUNTIME_DIR=$work/run QGIS_CUSTOM_CONFIG_PATH=$work/profile HOME=$work TMPDIR=$work
export QT_QPA_PLATFORM=offscreen LIBGL_ALWAYS_SOFTWARE=1 LC_ALL=C.UTF-8 LANGUAGE=en
PYTHONPATH=$(dirname "$0")/.. "$python" -m pytest -q -rs -p no:cacheprovider -p visible_skips "$@"
