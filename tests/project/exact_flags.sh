#!/bin/bash
# Every file is compiled without contraction and without flags that let the compiler change results; kernels whose bits are the
# same everywhere have no fused multiply-add.
# exact_flags.sh COMPILE_COMMANDS
set -euo pipefail
commands=$(grep '"command"' "$1") || {
  echo "no commands in $1"
  exit 1
}
loose='-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-fno-signed-zeros|-fexcess-precision=fast|-ffp-model=|-use_fast_math|-march=native|-mtune=native|-ffp-contract=(fast|on)|-fmad=true|-ftz=true|-prec-(div|sqrt)=false'
status=0

# refuse WHAT COMMANDS: there may be none. (`!` before a command would not stop a script, whatever the command finds.)
refuse() {
  [[ $2 ]] || return 0
  echo "$1:"
  echo "$2"
  status=1
}

refuse "compiled with flags that change results" "$(grep -E -e "$loose" <<<"$commands" || true)"
refuse "compiled without -ffp-contract=off" "$(grep -v -e '-ffp-contract=off' <<<"$commands" || true)"
refuse "CUDA compiled without -fmad=false" "$(grep -E '\.cu( |")' <<<"$commands" | grep -v -e '-fmad=false' || true)"

# Of those kernels that have no loose product and sum (vd_fma_loose): what the compiler made of operators on vectors.
while read -r object; do
  object=$(cd "$(dirname "$1")" && readlink -f "$object")
  refuse "fused in $object" "$(objdump -d --no-show-raw-insn "$object" | grep -m 3 -E '\bvfn?m(add|sub)' || true)"
done < <(grep -E -e '-mfma .*/(globe|measure|series|box_tree)_kernels?\.c' <<<"$commands" | sed -E 's/.* -o ([^ "]+).*/\1/')
exit $status
