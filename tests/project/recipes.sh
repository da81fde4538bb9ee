#!/bin/bash
# conda-forge's recipe is YAML with the parts that conda-forge requires; conda_recipe.py renders and builds it.
# recipes.sh SOURCE
set -euo pipefail
/usr/bin/python3 -c 'import yaml' 2>/dev/null || {
  echo "skipped: no PyYAML"
  exit 77
}
/usr/bin/python3 - "$1/packaging/conda-forge/recipe.yaml" <<'END'
import sys, yaml
recipe = yaml.safe_load(open(sys.argv[1]))
assert list(recipe) == ["schema_version", "context", "package", "source", "build", "requirements", "tests", "about", "extra"], list(recipe)
assert all(isinstance(line, str) for line in recipe["build"]["script"] + recipe["tests"][1]["script"])
END
