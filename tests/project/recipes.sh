#!/bin/bash
# conda-forge's recipe: without what its templates stand for, it is YAML with the parts that conda asks for.
# recipes.sh SOURCE
set -euo pipefail
/usr/bin/python3 -c 'import yaml' 2>/dev/null || {
  echo "skipped: no PyYAML"
  exit 77
}
sed '/^{%/d; s/{{ *compiler("\([a-z]*\)") *}}/\1/; s/{{ *stdlib("c") *}}/stdlib/; s/{{ *version *}}/1/' "$1/packaging/conda-forge/meta.yaml" |
  /usr/bin/python3 -c '
import sys, yaml
recipe = yaml.safe_load(sys.stdin)
assert set(recipe) == {"package", "source", "build", "requirements", "test", "about"}, set(recipe)
assert all(isinstance(line, str) for line in recipe["build"]["script"] + recipe["test"]["commands"])'
