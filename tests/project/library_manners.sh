#!/bin/bash
# Library code must not print, exit or abort: its objects may not even refer to the functions that do
# (writing to a file they opened is no printing: that takes neither stdout nor stderr), nor to those that set what belongs to
# the whole process.
# library_manners.sh ARCHIVE...
set -euo pipefail
rude='(__)?(v?printf|v?dprintf|puts|putchar|putchar_unlocked|perror|psignal|psiginfo|v?syslog)(_chk)?|stdout|stderr'
rude+='|v?(err|warn)x?|error|error_at_line|exit|_exit|_Exit|quick_exit|abort|raise|__assert_fail|__assert_perror_fail'
rude+='|isatty|signal|sigaction|sigprocmask|pthread_sigmask|setlocale|setenv|putenv|chdir|umask'
rude+='|GDALTermProgress|GDALAllRegister|GDALSetCacheMax(64)?|CPLSetErrorHandler(Ex)?|CPLSetConfigOption'
status=0
for archive in "$@"; do
  # Code that only nvcc generates may refer to atexit, never to these.
  needed=$(nm -A -u "$archive")
  grep -q ' U ' <<<"$needed" || {
    echo "$archive: no objects that need anything: not a library of ours"
    exit 1
  }
  found=$(grep -E " U ($rude)(@|$)" <<<"$needed" || true)
  if [[ $found ]]; then
    echo "library code prints, exits, aborts or sets what belongs to the process:"
    echo "$found"
    status=1
  fi
done
exit $status
