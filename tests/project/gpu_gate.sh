#!/bin/bash
# The CUDA module's sources are those that tests/gpu/run-all has last passed with.
# gpu_gate.sh SOURCE [RESULT]    RESULT: tests/gpu/last-run.txt
set -euo pipefail
source=$1 result=${2:-$1/tests/gpu/last-run.txt}
[[ -f $result ]] || {
  echo "$result: missing; run tests/gpu/run-all BUILD on a machine with a GPU and commit it"
  exit 1
}
value() {
  sed -n "s/^$1: //p" "$result"
}
hash=$("$source/tests/gpu/run-all" --hash)
[[ $(value hash) == "$hash" ]] || {
  echo "$result: outdated: CUDA sources have changed since $(value date) ($hash); run tests/gpu/run-all BUILD on a machine with a GPU and commit it"
  exit 1
}
[[ $(value failed) == 0 && $(value passed) -gt 0 ]] || {
  echo "$result: tests failed ($(value failed)); correct them and run tests/gpu/run-all BUILD again"
  exit 1
}
echo "passed on $(value date): $(value passed) tests on $(value card)"
