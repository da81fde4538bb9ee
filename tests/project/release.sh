#!/bin/bash
# A release of what is committed has all its parts; its source archive is what is committed, and the same bytes whatever the time zone, the
# mode of new files and the folder.
# release.sh SOURCE WORK [PART,...]    parts that are left out (packaging/release.py)
set -euo pipefail
source=$(realpath "$1") work=$(realpath -m "$2") without=${3:-}
[[ -e $source/.git ]] || {
  echo "skipped: no git checkout"
  exit 77
}
rm -rf "$work"
mkdir -p "$work/other"
python3 "$source/packaging/release.py" "$work/release" --without "$without"
(cd "$work/release" && sha256sum -c SHA256SUMS)

parts=(tar.gz)
[[ ,$without, == *,plugin,* ]] || parts+=(zip)
[[ ,$without, == *,wheel,* ]] || parts+=(whl)
[[ ,$without, == *,debian,* ]] || parts+=(deb)
for part in "${parts[@]}"; do
  ls "$work"/release/*."$part" >/dev/null || exit 1
done
diff <(tar -tf "$work"/release/gpuvoronoi-*.tar.gz | grep -v '/$' | cut -d/ -f2- | sort) <(git -C "$source" ls-tree -r --name-only HEAD | sort)
(umask 077 && cd / && TMPDIR=$work/other TZ=Pacific/Apia LC_ALL=C.UTF-8 python3 "$source/packaging/release.py" "$work/again" --without plugin,wheel,debian)
cmp "$work"/release/gpuvoronoi-*.tar.gz "$work"/again/gpuvoronoi-*.tar.gz
echo "a release: ${parts[*]}"
