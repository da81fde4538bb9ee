#!/bin/bash
# Two releases of one commit are the same bytes, whatever the time zone, the mode of new files and the folder.
# release.sh SOURCE WORK [PART,...]    parts that are left out (packaging/release.py)
set -euo pipefail
source=$(realpath "$1") work=$(realpath -m "$2") without=${3:-}
[[ -e $source/.git ]] || {
  echo "skipped: no git checkout"
  exit 77
}
rm -rf "$work"
mkdir -p "$work/other"
python3 "$source/packaging/release.py" "$work/one" --without "$without"
(umask 077 && cd / && TMPDIR=$work/other TZ=Pacific/Apia LC_ALL=C.UTF-8 python3 "$source/packaging/release.py" "$work/two" --without "$without")
diff -r "$work/one" "$work/two"
(cd "$work/one" && sha256sum -c SHA256SUMS)

parts=(tar.gz zip)
[[ ,$without, == *,wheel,* ]] || parts+=(whl)
[[ ,$without, == *,debian,* ]] || parts+=(deb)
for part in "${parts[@]}"; do
  ls "$work"/one/*."$part" >/dev/null || exit 1
done
# What is in the archive is what is committed.
diff <(tar -tf "$work"/one/gpuvoronoi-*.tar.gz | grep -v '/$' | cut -d/ -f2- | sort) <(git -C "$source" ls-tree -r --name-only HEAD | sort)
echo "two releases, the same bytes: ${parts[*]}"
