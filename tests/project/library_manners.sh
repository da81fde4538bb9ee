#!/bin/bash
# Library code must not print, exit or abort: its objects may not even refer to the functions that do
# (writing to a file they opened is no printing: that takes neither stdout nor stderr).
# library_manners.sh ARCHIVE...
set -euo pipefail
rude='(__)?(v?printf|puts|putchar|perror|psignal)(_chk)?|stdout|stderr|exit|_exit|_Exit|quick_exit|abort'
status=0
for archive in "$@"; do
  # Code that only nvcc generates may refer to atexit, never to these.
  found=$(nm -A -u "$archive" | grep -E " U ($rude)(@|$)" || true)
  if [[ $found ]]; then
    echo "$found"
    status=1
  fi
done
exit $status
