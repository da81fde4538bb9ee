#!/bin/bash
# The Debian packages of a release: looked at by lintian, installed as an older version, upgraded, tried (debian/tests), removed and
# purged. The installing happens on a copy of this machine's files, in a namespace, that is gone afterwards.
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

failed=()
mapfile -t packages < <(for deb in "$root"/tmp/debs/*.deb; do dpkg-deb -f "$deb" Package; done)

# expect_versions SUFFIX: all are installed, with versions that end with it.
expect_versions() {
  local package state
  for package in "${packages[@]}"; do
    state=$(within dpkg-query -W -f '${db:Status-Abbrev}${Version}' "$package") || state=missing
    [[ $state == "ii ${versions[$package]}$1" ]] || failed+=("$package: $state instead of version ${versions[$package]}$1")
  done
}

# An older version: the same packages with another number, which the packages of a release require of each other, and a file more.
declare -A versions
mkdir "$root/tmp/older"
for deb in "$root"/tmp/debs/*.deb; do
  package=$(dpkg-deb -f "$deb" Package)
  versions[$package]=$(dpkg-deb -f "$deb" Version)
  tree=$work/older
  dpkg-deb -R "$deb" "$tree"
  sed -i "s/^Version: .*/&~older/; s/(= ${versions[$package]})/(= ${versions[$package]}~older)/g" "$tree/DEBIAN/control"
  mkdir -p "$tree/usr/share/$package"
  echo older >"$tree/usr/share/$package/of-the-older-version"
  dpkg-deb --root-owner-group -b "$tree" "$root/tmp/older" >/dev/null
  rm -r "$tree"
done
within sh -c 'dpkg -i /tmp/older/*.deb'
expect_versions '~older'
within sh -c 'dpkg -i /tmp/debs/*.deb'
expect_versions ''
for package in "${packages[@]}"; do
  [[ ! -e $root/usr/share/$package/of-the-older-version ]] || failed+=("$package: keeps a file of the older version")
done

mapfile -t tests < <(sed -n 's/^Tests: //p' "$root/tmp/tree/debian/tests/control")
((${#tests[@]} > 0)) || failed+=("debian/tests has none")
for test in "${tests[@]}"; do
  echo "== debian/tests/$test"
  within mkdir -m 700 /tmp/scratch
  within sh -c "cd /tmp/tree && AUTOPKGTEST_TMP=/tmp/scratch debian/tests/$test" || failed+=("$test")
  within rm -rf /tmp/scratch
done
within dpkg --remove "${packages[@]}"
for package in "${packages[@]}"; do
  [[ ! -e $root/usr/share/doc/$package ]] || failed+=("$package: its documentation is there after its removal")
done
within dpkg --purge "${packages[@]}"
for package in "${packages[@]}"; do
  state=$(within dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) || state='un '
  [[ $state == 'un ' ]] || failed+=("$package: state $state after it was purged")
done

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
echo "installed, upgraded, tried, removed and purged: ${#packages[@]} packages"
