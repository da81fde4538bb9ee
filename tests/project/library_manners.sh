#!/bin/bash
# Library code must not print, exit or abort: its objects may not even refer to the functions that do.
# library_manners.sh ARCHIVE...
set -euo pipefail
rude='(__)?(v?f?printf|puts|fputs|putchar|putc|fputc|perror|psignal|v?dprintf)(_chk)?|stdout|stderr|exit|_exit|_Exit|quick_exit|abort'
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
