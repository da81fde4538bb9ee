#!/bin/bash
# Every file is compiled without contraction and without flags that let the compiler change results.
# exact_flags.sh COMPILE_COMMANDS
set -euo pipefail
commands=$(grep '"command"' "$1")
[[ -n $commands ]]
loose='-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-use_fast_math|--use_fast_math|-march=native|-mtune=native|-ffp-contract=(fast|on)|-fmad=true|-ftz=true|-prec-(div|sqrt)=false'
! grep -E -e "$loose" <<<"$commands"
! grep -v -e '-ffp-contract=off' <<<"$commands"
! grep -E '\.cu( |")' <<<"$commands" | grep -v -e '-fmad=false'
