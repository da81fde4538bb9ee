#!/bin/bash
# Python sources are as `ruff format` writes them and pass `ruff check`, by the version and settings of pyproject.toml.
# ruff.sh SOURCE
set -euo pipefail
cd "$1"
version=$(sed -n 's/.*"ruff==\([0-9.]*\)".*/\1/p' pyproject.toml)
[[ $(ruff --version 2>/dev/null) == "ruff $version" ]] || {
  echo "skipped: no ruff $version"
  exit 77
}
ruff format --no-cache --diff docs packaging plugin python tests tools
ruff check --no-cache docs packaging plugin python tests tools
