#!/bin/bash
# The Debian packages of a release: looked at by lintian, installed, tried (debian/tests) and removed. The installing happens on a
# copy of this machine's files, in a namespace, that is gone afterwards.
# packages.sh RELEASE WORK
set -euo pipefail
if [[ ${1:-} != --inside ]]; then
  release=$(readlink -f "$1")
  command -v lintian >/dev/null || {
    echo "skipped: no lintian (apt-get install lintian)"
    exit 77
  }
  # They are not on their way into Debian, where somebody would have asked for them.
  lintian --allow-root --fail-on error,warning --profile debian --suppress-tags initial-upload-closes-no-bugs "$release"/*.deb
  own=(--map-root-user)
  (($(id -u) == 0)) && own=()
  unshare --mount "${own[@]}" --fork --pid --kill-child true || {
    echo "skipped: no namespaces for users here"
    exit 77
  }
  rm -rf "$2"
  mkdir -p "$2"
  exec unshare --mount "${own[@]}" --fork --pid --kill-child bash "$0" --inside "$release" "$(readlink -f "$2")"
fi

release=$2 work=$3
mount -t tmpfs tmpfs "$work"
mkdir "$work"/{upper,work,root}
root=$work/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root" || {
  echo "skipped: no overlays of file systems here"
  exit 77
}
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root/tmp/debs" "$root/tmp/tree"
cp "$release"/*.deb "$root/tmp/debs"
tar -xf "$release"/gpuvoronoi-*.tar.gz --strip-components 1 -C "$root/tmp/tree"

within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

within sh -c 'dpkg -i /tmp/debs/*.deb'
failed=()
mapfile -t tests < <(sed -n 's/^Tests: //p' "$root/tmp/tree/debian/tests/control")
((${#tests[@]} > 0)) || failed+=("debian/tests has none")
for test in "${tests[@]}"; do
  echo "== debian/tests/$test"
  within mkdir -m 700 /tmp/scratch
  within sh -c "cd /tmp/tree && AUTOPKGTEST_TMP=/tmp/scratch debian/tests/$test" || failed+=("$test")
  within rm -rf /tmp/scratch
done
within sh -c 'dpkg --purge $(for deb in /tmp/debs/*.deb; do dpkg-deb -f $deb Package; done)'

# What is there now and was not before, but for what package managers keep about themselves and QGIS compiles of its own plugins.
cd "$work/upper"
while IFS= read -r left; do
  [[ -e /$left || -L /$left ]] || failed+=("left behind: /$left")
done < <(find . -mindepth 1 \( -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o \
  -path './usr/share/qgis/python/plugins/processing*' \) -prune -o -mindepth 1 ! -type c -printf '%P\n')
((${#failed[@]} == 0)) || {
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
}
echo "installed, tried and removed"
