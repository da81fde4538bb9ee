#!/usr/bin/python3
"""
Each source file has a test where one looks for it.

    mirror.py SOURCE [TABLE]    TABLE: tests/covered_by.txt

src/X/y.c has tests/X/y.c or tests/X/test_y.py; .cpp and .cu files likewise. Every other source file has one row in TABLE:

    # why the files below have no test of their own
    src/X/y.c: tests/A/b.c tests/C/test_d.py

The check fails for a file with neither or with both, and for rows with a missing file or test.
"""

import pathlib
import re
import sys

SUFFIXES = {".c", ".cpp", ".cu"}


def own_test(root, name):
    path = root / "tests" / pathlib.PurePosixPath(name).relative_to("src")
    return any(place.is_file() for place in (path, path.with_name(f"test_{path.stem}.py")))


def read_table(path):
    """Pairs of a file and its tests, in order, and complaints about lines."""
    rows, complaints, reason = [], [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif not line:
            reason = ""
        elif (found := re.fullmatch(r"(src/\S+): (tests/\S+(?: tests/\S+)*)", line)) is None:
            complaints.append(
                f"{path.name}:{number}: invalid row; expected 'src/FILE: tests/FILE ...'"
            )
        else:
            rows.append((found[1], found[2].split()))
            if not reason:
                complaints.append(
                    f"{path.name}:{number}: missing reason; write it in a '#' line above"
                )
    return rows, complaints


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = pathlib.Path(sys.argv[2]) if sys.argv[2:] else root / "tests" / "covered_by.txt"
    sources = {
        path.relative_to(root).as_posix()
        for path in (root / "src").rglob("*")
        if path.suffix in SUFFIXES
    }
    rows, complaints = read_table(table)
    if not sources:
        complaints.append(f"{root}: no sources found")
    seen = set()
    for name, tests in rows:
        if name in seen:
            complaints.append(f"{name}: two rows in {table.name}; remove one")
        seen.add(name)
        if name not in sources:
            complaints.append(f"{name}: missing file with a row in {table.name}; remove the row")
        elif own_test(root, name):
            complaints.append(f"{name}: has a test of its own; remove its row from {table.name}")
        complaints += [
            f"{name}: missing test {test}; correct its row in {table.name}"
            for test in tests
            if not (root / test).is_file()
        ]
    for name in sorted(sources - seen):
        if not own_test(root, name):
            complaints.append(
                f"{name}: missing test; add {name.replace('src/', 'tests/', 1)}, or a row in {table.name}"
            )
    print("\n".join(complaints))
    return 1 if complaints else 0


sys.exit(main())
