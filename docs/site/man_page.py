#!/usr/bin/python3
"""
The manual page gpuvoronoi(3), in the man macros of groff and mandoc: the public headers' own text.

    man_page.py INCLUDE    INCLUDE: the folder of the headers. The page goes to the standard output.
"""

import pathlib
import re
import sys

import headers

LICENCE = "SPDX-License-Identifier: MIT\n"
ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti"}


def escaped(line):
    """Text as it is: nothing in it means anything to roff."""
    return ("\\&" if line[:1] in (".", "'") else "") + "".join(ESCAPES.get(letter, letter) for letter in line)


def as_it_stands(text):
    return [".nf", *map(escaped, text.split("\n")), ".fi"]


def filled(line):
    """A line of running text, with its `names` slanted."""
    words = re.sub(r" +", " ", line.strip())
    return re.sub(r"`([^`]+)`", r"\\fI\1\\fR", escaped(words)).replace("`", "\\(ga")


def paragraph(text):
    """Lines that are set in are tables, but for items and for what goes on from an item or from `name:   …` above it."""
    out, table, goes_on = [], [], False
    for line in [*text.split("\n"), ""]:
        item = re.match(r" {1,3}- (.*)", line)
        set_in = line.startswith("  ") and not item and not (goes_on and re.match(r" {4}", line))
        if set_in:
            table.append(line)
            continue
        if table:
            out += as_it_stands("\n".join(table))
            table = []
        if item:
            out += [".IP \\(bu 2", filled(item.group(1))]
        elif line:
            # What is said of each argument, and of errors, begins a line.
            out += [".br"] * bool(out and re.match(r"\w+(, \w+)*: ", line)) + [filled(line)]
        goes_on = bool(item) or goes_on and line.startswith("    ") or re.match(r"\w+: {2,}", line) is not None
    return out


def running(text):
    out = []
    for part in re.split(r"\n\n+", text.strip()):
        out += [".PP"] * (not part.startswith("  - ")) + paragraph(part)
    return out


def declarations(code):
    """Without what only compilers want, apart by empty lines."""
    code = re.sub(r"^static inline ([^;{]*) {\n.*?^}$", lambda match: match.group(1).replace("\n" + 14 * " ", "\n") + ";", code,
                  flags=re.MULTILINE | re.DOTALL)
    code = re.sub(r"^GV_API (.*?;)$", lambda match: match.group(1).replace("\n       ", "\n"), code, flags=re.MULTILINE | re.DOTALL)
    parts = re.split(r"\n\n+", re.sub(r" +\\\n", r" \\\n", code).strip("\n"))
    return [part for part in parts if not re.match(r"#(include|if)|extern|}$", part)]


def section(path):
    """What a comment tells of stands before it."""
    pieces = list(headers.pieces(path))
    text = pieces.pop(0)[1].partition(LICENCE)[2]
    out = [f'.SH "{path.name.upper()}"'] + (running(text) if text.strip() and path.name != "gpuvoronoi.h" else [])
    waiting = ""
    for kind, text in [*pieces, ("section", "")]:
        if kind == "code":
            first, *others = declarations(text) or [""]
            if first:
                out += [".PP", *as_it_stands(first), *([".RS 4", *running(waiting), ".RE"] if waiting else [])]
                waiting = ""
            for other in others:
                out += [".PP", *as_it_stands(other)]
            continue
        out += running(waiting) if waiting else []
        waiting = text if kind == "text" else ""
        if kind == "section" and text:
            out.append(f".SS {escaped(text[0].upper() + text[1:])}")
        elif kind == "example":
            out += [".PP", "Example:", ".RS 4", *as_it_stands(text), ".RE"]
    return out


def main():
    folder = pathlib.Path(sys.argv[1])
    main_header = (folder / "gpuvoronoi.h").read_text(encoding="utf-8")
    version = re.search(r'^#define GV_VERSION_STRING "(.*)"', main_header, re.MULTILINE).group(1)
    title, _, conventions = next(headers.pieces(folder / "gpuvoronoi.h"))[1].partition(LICENCE)
    name, _, summary = title.strip().rstrip(".").partition(" - ")
    out = ['.\\" Made from the text of the headers.', f'.TH GPUVORONOI 3 "" "gpuvoronoi {version}" "Library functions"',
           ".SH NAME", f"{name} \\- {escaped(summary)}", ".SH SYNOPSIS",
           *as_it_stands("\n".join([*(f"#include <{path.name}>" for path in headers.paths(folder)), "",
                                    "cc program.c $(pkg-config --cflags --libs gpuvoronoi)"])),
           ".SH DESCRIPTION", *running(conventions)[1:]]
    for path in headers.paths(folder):
        out += section(path)
    out += [".SH SEE ALSO", "\\fBgpuvoronoi\\fR(1), \\fBpkg\\-config\\fR(1)"]
    sys.stdout.reconfigure(encoding="utf-8")
    print(re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", "\n".join(out), flags=re.MULTILINE))


if __name__ == "__main__":
    main()
