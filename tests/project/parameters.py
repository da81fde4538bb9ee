#!/usr/bin/env python3
"""The comment of every public function has a @param for each of its parameters, and a @return.

parameters.py SOURCE
"""

import pathlib
import re
import sys

DECLARED = re.compile(
    r"/\*\*((?:(?!\*/).)*)\*/\s*(?:GV_API|static inline)\s+([^;{]*?)\b(gv_\w+)\(([^;{]*?)\)\s*[;{]",
    re.S,
)
ANY = re.compile(
    r"^(?:GV_API|static inline)\s+([^;{]*?)\b(gv_\w+)\(([^;{]*?)\)\s*[;{]", re.M | re.S
)


def names(parameters: str) -> list[str]:
    """Names of parameters; those of `void` and of pointers to functions are none."""
    return [
        re.search(r"(\w+)\s*(?:\[[^\]]*\])?$", one.strip())[1]
        for one in parameters.split(",")
        if one.strip() not in ("", "void")
    ]


def faults(text: str) -> list[str]:
    """What the comments of a header lack. gv_..._init have one parameter, which their struct describes."""
    documented = {
        name: (comment, result.strip(), parameters)
        for comment, result, name, parameters in DECLARED.findall(text)
    }
    found = []
    for result, name, parameters in ANY.findall(text):
        if name.endswith("_init") or name.startswith("gv_mpi_all"):
            continue
        if name not in documented:
            found.append(f"{name}: no comment")
            continue
        comment = documented[name][0]
        described = {
            one
            for group in re.findall(r"@param(?:\[[a-z,]+\])?\s+([\w,]+)", comment)
            for one in group.split(",")
        }
        missing = [one for one in names(parameters) if one not in described]
        unknown = sorted(described - set(names(parameters)))
        if missing:
            found.append(f"{name}: no @param of {', '.join(missing)}")
        if unknown:
            found.append(f"{name}: @param of {', '.join(unknown)}, which it does not have")
        if result.strip() != "void" and "@return" not in comment:
            found.append(f"{name}: no @return")
    return found


def main() -> int:
    lines, functions = [], 0
    for header in sorted((pathlib.Path(sys.argv[1]) / "include" / "gpuvoronoi").glob("*.h")):
        text = header.read_text()
        functions += len(ANY.findall(text))
        lines += [f"{header.name}: {one}" for one in faults(text)]
        # clang-format moves a member behind its type if its comment does not fit: put the comment before the member.
        lines += [
            f"{header.name}:{number}: a member's declaration is broken; put its comment on the lines before it"
            for number, line in enumerate(text.split("\n"), 1)
            if re.match(r"  (const )?\w+( \*| =)?$", line)
        ]
    if functions < 90:
        lines.append(f"only {functions} functions found in the headers")
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
