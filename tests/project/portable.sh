#!/bin/bash
# Of the library without CUDA, only core/machine.c calls what POSIX has and Windows has not; pthreads are everywhere.
# portable.sh SOURCE
set -euo pipefail
cd "$1/src"
found=$(grep -rnE --exclude-dir=cuda --exclude-dir=gpu '^ *# *include <(arpa|dirent|dlfcn|fcntl|glob|grp|net|netdb|poll|pwd|sched|signal|spawn|strings|sys|syslog|termios|unistd)' \
  core exact cells search geodesic features voronoi measure statistics | grep -v '^core/machine\.c:' || true)
[[ $found == "" ]] || {
  echo "headers of POSIX in the library (core/machine.h has what is needed of them):"
  echo "$found"
  exit 1
}
found=$(grep -rnE --exclude-dir=cuda --exclude-dir=gpu '\<pthread_atfork\>' core exact cells search geodesic features voronoi measure statistics | grep -v '^core/machine\.c:' || true)
[[ $found == "" ]] || {
  echo "forks are core/machine.c's: $found"
  exit 1
}
