#!/bin/bash
# Recipes of other package managers: their syntax, and that they are for this version.
# recipes.sh SOURCE
set -euo pipefail
cd "$1/packaging"
version=$(/usr/bin/python3 version.py)
for recipe in conda-forge/meta.yaml homebrew/gpuvoronoi.rb osgeo4w/package.sh; do
  grep -qwF -e "$version" "$recipe" || {
    echo "packaging/$recipe is not for version $version"
    exit 1
  }
done
bash -n osgeo4w/package.sh
# Without what conda's templates stand for, it is YAML.
if /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
  sed '/^{%/d; s/{{ *compiler("\([a-z]*\)") *}}/\1/; s/{{ *stdlib("c") *}}/stdlib/; s/{{ *version *}}/1/' conda-forge/meta.yaml |
    /usr/bin/python3 -c '
import sys, yaml
recipe = yaml.safe_load(sys.stdin)
assert set(recipe) == {"package", "source", "build", "requirements", "test", "about"}, set(recipe)
assert all(isinstance(line, str) for line in recipe["build"]["script"] + recipe["test"]["commands"])'
fi
if command -v ruby >/dev/null; then
  ruby -c homebrew/gpuvoronoi.rb
else
  echo "not looked at without ruby: homebrew/gpuvoronoi.rb"
fi
