#!/usr/bin/python3
"""
The version: include/gpuvoronoi/gpuvoronoi.h has it, CMake and pyproject.toml read it there, and what cannot read a header has copies.

    version.py           prints it
    version.py --check   fails where a copy differs
    version.py --set V   writes it into the header and its copies, and says what is left to do by hand
    --root FOLDER        of another tree
"""

import argparse
import pathlib
import re
import sys

HEADER = "include/gpuvoronoi/gpuvoronoi.h"
# Where else it stands, as a pattern around it; @ is the version.
COPIES = [
    (HEADER, r'#define GV_VERSION_STRING "@"'),
    ("CITATION.cff", r"^version: @$"),
    ("python/gpuvoronoi/_library.py", r'^__version__ = "@"$'),
    ("plugin/qgis/gpuvoronoi_processing/metadata.txt", r"^version=@$"),
    ("packaging/conda-forge/recipe.yaml", r'^  version: "@"$'),
    ("docs/runs.md", r'^  "gpuvoronoi": "@",$'),
    ("docs/qgis.md", r"gpuvoronoi-qgis-@\.zip"),
    ("tests/plugin/test_python.py", r"gpuvoronoi-@-\*\.whl"),
    ("tests/plugin/test_program.py", r"version @\.[ \"]"),
    ("tests/plugin/test_running.py", r'versionInfo\(\) == "@"'),
    ("tests/plugin/test_process.py", r'\["version"\] == "@"'),
]
NUMBER = r"(\d+\.\d+\.\d+(?:-?rc\d+)?)"


def header_numbers(root):
    text = (root / HEADER).read_text(encoding="utf-8")
    numbers = ".".join(
        re.search(rf"^#define GV_VERSION_{part} +(\d+)$", text, re.MULTILINE).group(1)
        for part in ("MAJOR", "MINOR", "PATCH")
    )
    return numbers + re.search(
        r'^#define GV_VERSION_STRING "[\d.]*(-rc\d+|)"', text, re.MULTILINE
    ).group(1)


def as_in(name, version):
    """A version as a copy has it: without a hyphen in recipes of conda and names of wheels."""
    return version.replace("-", "") if name.endswith((".yaml", "test_python.py")) else version


def differing(root, version):
    """What does not have that version, a line each."""
    for name, pattern in COPIES:
        found = re.findall(
            pattern.replace("@", NUMBER), (root / name).read_text(encoding="utf-8"), re.MULTILINE
        )
        if not found or set(found) != {as_in(name, version)}:
            yield f"{name}: {', '.join(found) or 'no version'}"
    soname = version.split(".")[0]
    if f"\nPackage: libgpuvoronoi{soname}\n" not in (root / "debian" / "control").read_text(
        encoding="utf-8"
    ):
        yield f"debian/control: no package libgpuvoronoi{soname}"
    first = (root / "debian" / "changelog").read_text(encoding="utf-8").splitlines()[0]
    if not first.startswith(f"gpuvoronoi ({version.replace('-', '~')}-"):
        yield f"debian/changelog: {first}"
    heading = re.search(
        r"^## (.*)$", (root / "docs" / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    ).group(1)
    if not heading.startswith(f"[{version}] - "):
        yield f"docs/CHANGELOG.md: {heading}"


def put(root, version):
    for name, pattern in COPIES:
        around = re.compile("(" + pattern.replace("@", rf"){NUMBER[1:-1]}(") + ")", re.MULTILINE)
        path = root / name
        path.write_text(
            around.sub(
                lambda match: match.group(1) + as_in(name, version) + match.group(2),
                path.read_text(encoding="utf-8"),
            ),
            encoding="utf-8",
        )
    text = (root / HEADER).read_text(encoding="utf-8")
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.partition("-")[0].split(".")):
        text = re.sub(
            rf"^(#define GV_VERSION_{part} +)\d+$", rf"\g<1>{number}", text, flags=re.MULTILINE
        )
    (root / HEADER).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--set", metavar="V")
    parser.add_argument(
        "--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1]
    )
    given = parser.parse_args()
    if given.set:
        if not re.fullmatch(NUMBER, given.set):
            sys.exit(
                f"{given.set} is no version: three numbers with dots, and -rc1 for a candidate"
            )
        put(given.root, given.set)
    version = header_numbers(given.root)
    print(version)
    if given.check or given.set:
        wrong = list(differing(given.root, version))
        if wrong:
            sys.exit("\n".join(f"not version {version}: {line}" for line in wrong))


if __name__ == "__main__":
    main()
