#!/usr/bin/env python3
"""The examples in the public header and those beside it compile as C and as C++, without a warning, and do what they say.

    header_examples.py [--mpi PACKAGE] HEADER WORK LIBRARY CC [CXX]

An example is the text between @code and @endcode of a comment. Each becomes the body of a function of its own that has a
`gv_context *context` and returns 0 if all is well (but a paragraph that begins with "static gv_status", which is a function); the program runs
them all. Every group of functions (between two lines of
"/* ----- name */") that declares one has an example. Headers that need <mpi.h> are left to a run with --mpi, which looks at nothing else:
PACKAGE is an MPI's name for pkg-config.
"""

import pathlib
import re
import subprocess
import sys


def groups(header):
    """Names of the groups that declare functions, and the text of each."""
    parts = re.split(r"^/\* -{10,} (.+) \*/$", header, flags=re.M)
    return [
        (name, text)
        for name, text in zip(parts[1::2], parts[2::2])
        if re.search(r"^(GV_API|static inline)", text, flags=re.M)
    ]


def examples(text):
    for found in re.finditer(r"^ \* @code\n(.*?)^ \* @endcode\n", text, flags=re.M | re.S):
        yield "\n".join(line[3:] for line in found[1].rstrip("\n").split("\n"))


def headers_of(header, mpi=False):
    """The public headers beside a header, itself first: those that need <mpi.h>, or the others."""
    return [
        path
        for path in (header, *sorted(set(header.parent.glob("*.h")) - {header}))
        if ("<mpi.h>" in path.read_text()) == mpi
    ]


def program_of(headers, begin="", end=""):
    """A program that runs the examples of headers, their number, and groups with their examples."""
    found = [
        (name, list(examples(text))) for path in headers for name, text in groups(path.read_text())
    ]
    folder = headers[0].parent
    program, calls = (
        [
            "#define GV_EXPERIMENTAL",
            *(f"#include <{folder.name}/{path.name}>" for path in headers),
            "#include <stdio.h>",
            "#include <stdlib.h>",
            "#include <string.h>",
        ],
        [],
    )
    for name, pieces in found:
        for code in pieces:
            function = f"example_{len(calls)}"
            paragraphs = code.split("\n\n")
            own = [text for text in paragraphs if text.startswith("static gv_status")]
            body = [text for text in paragraphs if text not in own]
            program += [
                f"/* {name} */",
                *own,
                f"static int {function}(gv_context *context) {{",
                "(void)context;",
                *body,
                "return 0;",
                "}",
            ]
            calls.append(
                f'if ({function}(context) != 0) {{ printf("failed: {name}: %s\\n", gv_context_message(context)); bad = 1; }}'
            )
    program += [
        "int main(void) {",
        "gv_context *context = NULL; int bad = 0;",
        begin,
        "if (gv_context_create(NULL, &context) != GV_OK) return 1;",
        *calls,
        "gv_context_destroy(context);",
        end,
        "return bad;",
        "}",
    ]
    return "\n".join(program) + "\n", len(calls), found


def main(header, work, library, *compilers, mpi=None):
    header, work = pathlib.Path(header), pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    headers = headers_of(header, mpi is not None)
    flags_of_mpi, begin, end = [], "", ""
    if mpi is not None:
        asked = subprocess.run(
            ["pkg-config", "--cflags", "--libs", mpi], capture_output=True, text=True
        )
        if asked.returncode != 0:
            print(f"skipped: {', '.join(path.name for path in headers)}: no {mpi}")
            return 77
        flags_of_mpi, begin, end = (
            asked.stdout.split(),
            "if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;",
            "MPI_Finalize();",
        )
        # What its headers do is not ours to mend; their C++ is another library's.
        flags_of_mpi = [
            flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag
            for flag in flags_of_mpi
        ]
        flags_of_mpi += ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    program, calls, found = program_of(headers, begin, end)
    bare = [name for name, pieces in found if not pieces]
    if bare or len(found) < (3 if mpi else 5):
        print(f"no example in the groups: {', '.join(bare)} (of {len(found)})")
        return 1
    beside = str(pathlib.Path(library).parent)
    for compiler, name, flags in zip(
        compilers,
        ("examples.c", "examples.cpp"),
        (("-std=c11",), ("-std=c++17", "-Wno-missing-field-initializers")),
    ):
        (work / name).write_text(program)
        subprocess.run(
            [
                compiler,
                *flags,
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                f"-I{header.parent.parent}",
                "-o",
                work / f"{name}.out",
                work / name,
                library,
                f"-Wl,-rpath,{beside}",
                *flags_of_mpi,
                "-lm",
            ],
            check=True,
        )
        if subprocess.run([work / f"{name}.out"]).returncode != 0:
            return 1
    print(f"{calls} examples of {len(found)} groups")
    return 0


if __name__ == "__main__":
    sys.exit(
        main(*sys.argv[3:], mpi=sys.argv[2]) if sys.argv[1] == "--mpi" else main(*sys.argv[1:])
    )
