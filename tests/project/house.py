#!/usr/bin/python3
"""
House rules on sizes and on who includes whom.

    house.py SOURCE [EXCEPTIONS]    EXCEPTIONS: house_exceptions.txt beside this file
    house.py SOURCE --list          prints what EXCEPTIONS would have to be for the tree as it is

* At most FOLDER_FILES files side by side in a folder of src, fewer if FOLDERS lists it.
* At most FILE_LINES lines a source file, FUNCTION_LINES lines a function. Of the public header, which is the manual too, lines of
  comments do not count; in Python, neither do the further lines of a call or list, which a formatter makes.
* Each folder of src is a room of ROOMS, or within one. Includes lead from a room to those of steps below it, never to one
  of the same step or above, and there is no circle among folders.
* At most as many lines of code, without comments and blank lines, in a folder as FOLDER_LINES has for it.
* No circle among the files of src, by includes and by calls: a file leads to the headers that it includes, and to the sources
  that define the functions that it calls.
* At most KIND_FILES files of src outside src/cells name a kind of cells (GV_GRID_LONLAT, GV_CELLS_OF_S2): others test the facts of
  src/cells/facts.h.
* At most DRIVER_FILES files of src/io, src/job and src/cli name a driver of src/io/format.c, which has the table of them.
* Memory of GDAL's (CPLFree, CSLDestroy) stays in the function that received it: no header of src names such a function, and none is
  called for a member. src/io/strings.h has lists that may be passed on.
* src/io/transaction knows paths only: none of its files but remote*.c includes a header of GDAL.
* Files that docs/architecture.md names exist.
* A static function's or kernel's name is defined in at most STATIC_FILES files of src and tools: it begins with the file's subject.
* A type's name is defined in one file of src and tools, except SAME_TYPES.

What breaks a rule today is listed in EXCEPTIONS with its size. The test fails when something else does, when one listed has
grown, and when one is no longer needed: the list only shrinks.
"""

import collections
import io
import pathlib
import re
import sys
import tokenize

FOLDER_FILES = 40
FOLDERS = {"src/voronoi": 25}
FILE_LINES = 700
FUNCTION_LINES = 100
STATIC_FILES = 2
SAME_TYPES = {
    "settings",  # of each command: named by the macros of src/job/option.h
    "vf_table",  # of each set of vector functions, of which a file is compiled with one
}
KIND_FILES = 10
DRIVER_FILES = 2
FOLDER_LINES = {"src/job/raster": 4500, "src/io/out": 5300}
ROOMS = [
    "core",
    "exact",
    "cells search",
    "geodesic",
    "features",
    "barriers",
    "cost",
    "voronoi",
    "indexes measure",
    "statistics",
    "diagram",
    "io",
    "mpi",
    "distributed",
    "job",
    "cli",
]

STEP = {room: step for step, rooms in enumerate(ROOMS) for room in rooms.split()}
SOURCES = ("docs", "include", "python", "src", "tests", "tools")
COMPILED = {".c", ".h", ".cu", ".cuh"}
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
STATIC = re.compile(
    r"^(?:template\s*<[^\n]*>\s*)?(?:static\b[^;{=()]*?|[^\s;{=()][^;{=()\n]*__(?:global|device)__[^;{=()]*?|__(?:global|device)__[^;{=()]*?)"
    r"\b(\w+)\s*\([^;{]*?\)\s*\{",
    re.MULTILINE,
)
TYPE = re.compile(
    r"^typedef (?:struct|enum|union)\b[^{;]*\{(?:[^{}]|\{[^{}]*\})*\} (\w+);", re.MULTILINE
)
ATTRIBUTE = re.compile(r"\b(?:__launch_bounds__|__attribute__)\s*\(+[^()]*\)+")
FUNCTION = re.compile(
    r"^(?!static\b|typedef\b|#)[A-Za-z_][^;{}()=\n]*?\b((?:gv|cli)_\w+)\s*\([^;{]*?\)\s*\{",
    re.MULTILINE,
)
CALL = re.compile(r"\b(?:gv|cli)_\w+\b(?=\s*\()")
KIND = re.compile(
    r"\bGV_GRID_(?:PLANE|LONLAT|PROJECTED|QTM|HEALPIX|POINTS|S2)\b|\bGV_CELLS_(?:PLANE|LONLAT|POINTS|OF_[A-Z0-9]+)\b"
)
WITHOUT_GDAL = re.compile(r"src/io/transaction/(?!remote)")
GDAL = re.compile(r"^\s*#\s*include\s+<(?:gdal|ogr|cpl)\w*\.h>", re.MULTILINE)
FREED = re.compile(r"\b(?:CPLFree|CSLDestroy|VSIFree)\b")
FREED_MEMBER = re.compile(r"\b(?:CPLFree|CSLDestroy|VSIFree)\([^;()]*(?:->|\.)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FORMATS = "src/io/format.c"
DRIVER = re.compile(r'\.driver = "([^"]+)"')
PAGE = "docs/architecture.md"
PLACEHOLDERS = {"src/X/y.c", "tests/X/y.c", "tests/X/test_y.py", "src/search/mine.c"}
NAMED = re.compile(r"`((?:[\w.]+/)*\w+\.(?:c|cpp|cu|cuh|h|md|py|txt))`")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def newlines_of(match):
    return "\n" * match.group().count("\n")


def without_comments(text):
    """The same lines without comments, strings and characters."""
    return NOT_CODE.sub(lambda match: "\n" * match.group().count("\n") or '""', text)


def functions(text):
    """Name and lines of each function: from the line in column 0 that begins its definition to its brace in column 0."""
    start, head, name, macro = 0, "", None, False
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        was_macro, macro = macro, line.endswith("\\") and (macro or line.startswith("#"))
        if was_macro or macro or line.startswith("#"):
            continue
        if name is not None:
            if line.startswith("}"):
                if not line.startswith("};"):  # a type
                    yield name, number - start + 1
                name, head = None, ""
            continue
        if re.match(r"[A-Za-z_]", line):
            start, head = number, ""
        head += line + " "
        if line.rstrip().endswith("{") and "=" not in head and re.match(r"[A-Za-z_]", head):
            called = re.findall(r"(\w+)\s*\(", re.sub(r"\b__\w+__\s*\(+[^()]*\)+", "", head))
            name = called[0] if called else None
        if line.rstrip().endswith((";", "}", "{")):
            head = ""


def statics(text):
    """Names of the static functions and kernels that a file defines in column 0."""
    return set(
        STATIC.findall(
            ATTRIBUTE.sub("", re.sub(r"^\s*#.*$", "", without_comments(text), flags=re.MULTILINE))
        )
    )


def types(text):
    """Names of the types that a file defines in column 0."""
    return set(TYPE.findall(without_comments(text))) - SAME_TYPES


def circles(arrows):
    """Sets of folders each of which leads to all others of its set."""
    reach = {}
    for start in arrows:
        seen, todo = set(), [start]
        while todo:
            for end in arrows.get(todo.pop(), ()):
                if end not in seen:
                    seen.add(end)
                    todo.append(end)
        reach[start] = seen
    return {
        tuple(sorted(b for b in reach if b in reach[a] and a in reach[b]))
        for a in reach
        if a in reach[a]
    }


def arrows_of_files(root, texts):
    """For each file of src, by its name, the files that it includes and those that define what it calls."""
    code = {name: without_comments(text) for name, text in texts.items()}
    defined = {
        function: name
        for name, text in code.items()
        if name.endswith((".c", ".cu"))
        for function in FUNCTION.findall(text)
    }
    arrows = collections.defaultdict(set)
    for name, text in texts.items():
        folder = pathlib.PurePosixPath(name).parent
        for target in INCLUDE.findall(text):
            arrows[name] |= {
                other for other in (f"src/{target}", (folder / target).as_posix()) if other in texts
            }
        if not name.endswith((".h", ".cuh")):
            arrows[name] |= {
                defined[called] for called in CALL.findall(code[name]) if called in defined
            }
        arrows[name].discard(name)
    return arrows


def lines_of_python(text):
    """Lines, without those that a formatter makes of the arguments of a call or the items of a list."""
    depth, within = 0, set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif depth and token.type == tokenize.NL:
            within.add(token.start[0] + 1)
    return text.count("\n") - len(within)


def lines_of(name, text):
    if name.endswith(".py"):
        return lines_of_python(text)
    if name.startswith(("include/", "tests/project/abi/")):
        text = re.sub(
            r"^[ \t]*/\*.*?\*/[ \t]*\n|/\*.*?\*/", "", text, flags=re.DOTALL | re.MULTILINE
        )
    return text.count("\n")


def missing_of_page(root):
    """Files that the page names and that do not exist."""
    page = root / PAGE
    named = set(NAMED.findall(page.read_text(encoding="utf-8"))) if page.is_file() else set()
    for name in sorted(named - PLACEHOLDERS):
        base = name.rpartition("/")[2]
        found = [
            path.as_posix() for top in (*SOURCES, "plugin") for path in (root / top).rglob(base)
        ]
        if not any(path.endswith(f"/{name}") for path in found) and not (root / name).is_file():
            yield f"{PAGE}: {name} does not exist"


def look(root):
    """Everything that breaks a rule, with its size, and complaints that no exception can cover."""
    found, complaints = {}, list(missing_of_page(root))
    files = sorted(path for top in SOURCES for path in (root / top).rglob("*") if path.is_file())
    files = [path for path in files if "__pycache__" not in path.parts]
    if not any(path.suffix in COMPILED for path in files):
        return {}, [f"no sources in {root}"]

    side_by_side = collections.Counter(path.parent.relative_to(root).as_posix() for path in files)
    for folder, count in side_by_side.items():
        if folder.split("/")[0] == "src" and count > FOLDERS.get(folder, FOLDER_FILES):
            found[f"folder {folder}"] = count

    arrows, defined, texts = collections.defaultdict(collections.Counter), collections.Counter(), {}
    types_of = collections.Counter()
    for path in files:
        if path.suffix not in COMPILED | {".py"}:
            continue
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        lines = lines_of(name, text)
        if lines > FILE_LINES:
            found[f"file {name}"] = lines
        if path.suffix not in COMPILED:
            continue
        for function, lines in functions(text):
            if lines > FUNCTION_LINES:
                key = f"function {name}:{function}"
                found[key] = max(lines, found.get(key, 0))
        if name.startswith(("src/", "tools/")):
            defined.update(statics(text))
            types_of.update(types(text))
        if name.startswith("src/"):
            texts[name] = text
            if WITHOUT_GDAL.match(name) and GDAL.search(text):
                found[f"gdal {name}"] = len(GDAL.findall(text))
            here = path.parent.relative_to(root / "src").as_posix()
            for target in INCLUDE.findall(text):
                if target.startswith("gpuvoronoi/"):
                    continue  # a public header
                there = pathlib.PurePosixPath(target).parent.as_posix()
                if there == "." and not (root / "src" / target).is_file():
                    there = here if (path.parent / target).is_file() else None
                if there not in (None, here):
                    arrows[here][there] += 1

    found.update(
        (f"static {name}", count) for name, count in defined.items() if count > STATIC_FILES
    )

    found.update((f"type {name}", count) for name, count in types_of.items() if count > 1)

    rooms = {folder.split("/")[1] for folder in side_by_side if folder.startswith("src/")}
    rooms |= {there.split("/")[0] for here in arrows.values() for there in here}
    for room in sorted(rooms - set(STEP)):
        complaints.append(
            f"src/{room} is no room of tests/project/house.py: give it a step in ROOMS"
        )
    for here, targets in arrows.items():
        for there, count in targets.items():
            a, b = here.split("/")[0], there.split("/")[0]
            if a != b and a in STEP and b in STEP and STEP[b] >= STEP[a]:
                found[f"upward {here} {there}"] = count
    for circle in circles(arrows):
        if len(circle) > 1:
            found["circle " + " ".join(circle)] = sum(
                arrows[a][b] for a in circle for b in circle if a != b
            )
    kinds = [
        name
        for name, text in texts.items()
        if not name.startswith("src/cells/") and KIND.search(without_comments(text))
    ]
    if len(kinds) > KIND_FILES:
        found["kinds src"] = len(kinds)
    drivers = re.compile(
        "|".join(f'"{re.escape(name)}"' for name in DRIVER.findall(texts.get(FORMATS, "")))
        or "(?!)"
    )
    named = [
        name
        for name, text in texts.items()
        if name.startswith(("src/io/", "src/job/", "src/cli/"))
        and name != FORMATS
        and drivers.search(COMMENT.sub("", text))
    ]
    if len(named) > DRIVER_FILES:
        found["drivers src"] = len(named)
    memory = [
        name
        for name, text in texts.items()
        if (FREED if name.endswith(".h") else FREED_MEMBER).search(text)
    ]
    if memory:
        found["memory src"] = len(memory)
    for folder, most in FOLDER_LINES.items():
        within = [text for name, text in texts.items() if name.startswith(folder + "/")]
        lines = sum(
            len(re.findall(r"^.*\S", COMMENT.sub(newlines_of, text), re.MULTILINE))
            for text in within
        )
        if lines > most:
            found[f"lines {folder}"] = lines
    for circle in circles(arrows_of_files(root, texts)):
        if len(circle) > 1:
            found["files " + " ".join(circle)] = len(circle)
    return found, complaints


SAYS = {
    "folder": f"files side by side, more than {FOLDER_FILES} ("
    + ", ".join(f"{k}: {v}" for k, v in FOLDERS.items())
    + ")",
    "file": f"lines, more than {FILE_LINES}",
    "function": f"lines, more than {FUNCTION_LINES}",
    "static": f"files that define a static function of this name, more than {STATIC_FILES}: begin it with the file's subject",
    "type": "files that define a type of this name: begin it with the file's subject",
    "lines": "lines of code, more than FOLDER_LINES of house.py allows",
    "upward": "includes from the first room to the second, which is not below it",
    "circle": "includes among folders that go round in a circle",
    "kinds": f"files outside src/cells that name kinds of cells, more than {KIND_FILES}: test the facts of src/cells/facts.h",
    "drivers": f"files of src/io, src/job and src/cli that name drivers, more than {DRIVER_FILES}: use a fact of src/io/format.h",
    "memory": "files that pass on memory of GDAL's: use src/io/strings.h, strdup or malloc",
    "gdal": "headers of GDAL in a file that knows paths only",
    "files": "files that include or call each other in a circle",
}


def read_exceptions(path):
    exceptions = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, size = line.rpartition(": ")
            exceptions[name] = int(size)
    return exceptions


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found, complaints = look(root)
    if sys.argv[2:] == ["--list"]:
        print(
            "# What breaks a rule of house.py, and its size. This list only shrinks; house.py SOURCE --list makes it."
        )
        for name in sorted(found):
            print(f"{name}: {found[name]}")
        return 0
    listed = read_exceptions(
        pathlib.Path(sys.argv[2])
        if sys.argv[2:]
        else pathlib.Path(__file__).with_name("house_exceptions.txt")
    )
    for name in sorted(found):
        if found[name] > listed.get(name, 0):
            grown = f"; house_exceptions.txt allows {listed[name]}" if name in listed else ""
            complaints.append(f"{name}: {found[name]} {SAYS[name.split()[0]]}{grown}")
    for name in sorted(set(listed) - set(found)):
        complaints.append(
            f"{name}: no exception is needed any more: take it out of house_exceptions.txt"
        )
    print("\n".join(complaints))
    return 1 if complaints else 0


sys.exit(main())
