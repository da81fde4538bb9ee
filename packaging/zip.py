#!/usr/bin/python3
"""
A zip of a folder that is the same bytes whoever makes it, when and where: names in order, one time, one mode.

    zip.py OUT FOLDER    SOURCE_DATE_EPOCH: the files' time; else that of 1980, the first there is
"""

import os
import pathlib
import sys
import time
import zipfile


def main():
    out, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    seconds = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)
    files = sorted(
        (path for path in folder.rglob("*") if path.is_file()),
        key=lambda path: path.relative_to(folder).as_posix(),
    )
    if not files:
        sys.exit(f"{folder} has no files")
    with zipfile.ZipFile(out, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(
                f"{folder.name}/{path.relative_to(folder).as_posix()}", time.gmtime(seconds)[:6]
            )
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                3,
                0o100644 << 16,
            )
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    main()
