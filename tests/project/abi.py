#!/usr/bin/env python3
"""What programs compiled against an older header rely on, by libabigail: functions, layouts of structs, constants of enumerations.

    abi.py HEADER FOLDER WORK CC [--record] [OTHER_HEADER ...]

HEADER has the version; the others lie beside it. FOLDER holds the interface of the last release: abi.xml (abidw, of a library that has
the functions of the headers without their code), constants.txt, and the headers themselves, in gpuvoronoi/; the test abi_programs runs
the library with their examples. Functions, constants and, at the end of a struct that begins with struct_size, fields may be added;
whatever else differs is an error until the version's major number is raised (--record writes the folder anew).
"""

import pathlib
import re
import shutil
import subprocess
import sys

# Fields at the end of structs that begin with their size: programs of older headers pass a smaller size.
GROWING = "[suppress_type]\n  type_kind = struct\n  name_regexp = ^({names})$\n  has_data_member_inserted_at = end\n"


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def stub(headers):
    """A C file that defines the functions of headers, which do nothing."""
    lines = [
        "#define GV_EXPERIMENTAL",
        *(f"#include <{path.parent.name}/{path.name}>" for path in headers),
    ]
    for path in headers:
        for result, declared in re.findall(
            r"^GV_API\s+([^;(]*?)(\bgv_\w+\([^;]*\));",
            without_comments(path.read_text()),
            flags=re.M,
        ):
            zero = "" if result.strip() == "void" else "return 0;"
            lines.append(f"GV_API {result}{' '.join(declared.split())} {{ {zero} }}")
    return "\n".join(lines) + "\n"


def constants(headers):
    """What debugging information of a library lacks, or abidiff passes by in structs that may grow, a line each: numbers of macros,
    constants of enumerations, fields as they are declared, inline functions."""
    lines = []
    for path in headers:
        bare = without_comments(path.read_text())
        lines += [
            f"{name}: {number}"
            for name, number in re.findall(
                r"^#define (GV_(?!VERSION|API)\w+)\s+\(?(-?\d+)\)?\s*$", bare, flags=re.M
            )
        ]
        lines += [
            f"{name}: {number}"
            for body in re.findall(r"typedef enum \w+ \{(.*?)\}", bare, flags=re.S)
            for name, number in re.findall(r"(GV_\w+)\s*=\s*(-?\d+)", body)
        ]
        lines += [
            f"{name}: {' '.join(field.split())}"
            for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", bare, flags=re.S)
            for field in body.split(";")
            if field.strip()
        ]
        lines += [
            " ".join(declared.split())
            for declared in re.findall(r"^static inline\s+([^;{]*\)) \{", bare, flags=re.M)
        ]
    return lines


def growing(headers):
    return [
        name
        for path in headers
        for name in re.findall(
            r"typedef struct (\w+) \{\s*size_t struct_size;", without_comments(path.read_text())
        )
    ]


def library_of(headers, work, compiler):
    work.mkdir(parents=True, exist_ok=True)
    (work / "stub.c").write_text(stub(headers))
    subprocess.run(
        [
            compiler,
            "-std=c11",
            "-w",
            "-g",
            "-O0",
            "-shared",
            "-fPIC",
            f"-I{headers[0].parent.parent}",
            "-o",
            work / "libstub.so",
            work / "stub.c",
        ],
        check=True,
    )
    return work / "libstub.so"


def main(header, folder, work, compiler, *options):
    headers = [pathlib.Path(name) for name in (header, *options) if name != "--record"]
    folder, work = pathlib.Path(folder), pathlib.Path(work)
    if shutil.which("abidw") is None or shutil.which("abidiff") is None:
        print("skipped: no abidw and abidiff (Debian package abigail-tools)")
        return 77
    library, macros = library_of(headers, work, compiler), constants(headers)
    major = re.search(r'GV_VERSION_STRING "(\d+)', headers[0].read_text())[1]
    recorded = folder / "constants.txt"
    if "--record" in options:
        shutil.rmtree(folder / "gpuvoronoi", ignore_errors=True)
        (folder / "gpuvoronoi").mkdir(parents=True)
        subprocess.run(
            [
                "abidw",
                "--no-corpus-path",
                "--no-comp-dir-path",
                "--no-show-locs",
                "--out-file",
                folder / "abi.xml",
                library,
            ],
            check=True,
        )
        recorded.write_text("\n".join([f"version {major}", *macros]) + "\n")
        for path in headers:
            shutil.copy(path, folder / "gpuvoronoi" / path.name)
        return 0
    first, *old = recorded.read_text().splitlines()
    if len(old) < 3 or (folder / "abi.xml").read_text().count("<function-decl ") < 9:
        print(f"hardly anything recorded in {folder}")
        return 1
    if first != f"version {major}":
        print(f"recorded for {first}, the header says {major}: record it anew")
        return 1
    wrong = sorted(set(old) - set(macros))
    for line in wrong:
        print(f"changed or gone: {line}")
    names = growing(sorted((folder / "gpuvoronoi").glob("*.h")))
    (work / "growing.ini").write_text(GROWING.format(names="|".join(names)))
    done = subprocess.run(
        [
            "abidiff",
            "--suppressions",
            work / "growing.ini",
            "--no-added-syms",
            "--no-show-locs",
            folder / "abi.xml",
            library,
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return int(bool(wrong) or done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
