#!/usr/bin/python3
"""
debian/ agrees with the tree: symbols are the headers' functions, every package has files and a description of its own, tests are
there, and ./bootstrap installs what building needs and can start its scripts.

    debian.py SOURCE
"""

import os
import pathlib
import re
import sys


def paragraphs(text):
    for paragraph in re.split(r"\n\n+", text.strip()):
        fields, name = {}, None
        for line in paragraph.splitlines():
            if line.startswith(" "):
                fields[name] += "\n" + line
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        yield fields


def complaints(root):
    folder = root / "debian"
    source, *packages = paragraphs((folder / "control").read_text(encoding="utf-8"))
    names = [package["Package"] for package in packages]

    (symbols,) = folder.glob("*.symbols")
    listed = set(
        re.findall(r"^ (gv_\w+)@GPUVORONOI_1 ", symbols.read_text(encoding="utf-8"), re.MULTILINE)
    )
    declared = {
        name
        for header in (root / "include" / "gpuvoronoi").glob("*.h")
        for name in re.findall(
            r"^GV_API [^;(]*?\b(gv_\w+)\(", header.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    for name in sorted(listed ^ declared):
        yield f"{symbols.name}: {name} is {'no function of the headers' if name in listed else 'missing'}"

    with_files = {
        path.name.rpartition(".")[0]
        for ending in ("install", "docs", "examples", "symbols")
        for path in folder.glob(f"*.{ending}")
    }
    for name in sorted(with_files ^ set(names)):
        yield f"{name}: {'no such package in control' if name in with_files else 'no files'}"
    for package in packages:
        if len(package["Description"].splitlines()) < 3:
            yield f"{package['Package']}: hardly a description"

    for test in paragraphs((folder / "tests" / "control").read_text(encoding="utf-8")):
        if not os.access(folder / "tests" / test["Tests"], os.X_OK):
            yield f"debian/tests/{test['Tests']}: no program"
        for name in re.split(r",\s*", test["Depends"]):
            if "gpuvoronoi" in name and name not in names:
                yield f"debian/tests/control: {name} is no package of this source"

    bootstrap = (root / "bootstrap").read_text(encoding="utf-8")
    lists = re.findall(
        r"^(?:BUILD|QUICK|TEST|LONG)_PACKAGES=\((.*?)\)", bootstrap, re.MULTILINE | re.DOTALL
    )
    installed = set(" ".join(lists).split())
    for name in re.split(r",\s*", f"{source['Build-Depends']}, {source['Build-Depends-Indep']}"):
        bare = re.sub(r"^debhelper-compat.*", "debhelper", name).replace(
            "dh-sequence-python3", "dh-python"
        )
        if "<" not in bare and bare not in installed:
            yield f"bootstrap: {bare}, which debian/control needs, is in no list"
    for script in re.findall(r"^ *(tests/\S+) ", bootstrap, re.MULTILINE):
        if not os.access(root / script, os.X_OK):
            yield f"bootstrap: {script} is started as a program, which it is not"


found = list(complaints(pathlib.Path(sys.argv[1])))
print("\n".join(found) or "debian/ is consistent")
sys.exit(1 if found else 0)
