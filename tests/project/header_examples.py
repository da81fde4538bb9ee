#!/usr/bin/env python3
"""The examples in the public header and those beside it compile as C and as C++, without a warning, and do what they say.

    header_examples.py HEADER WORK LIBRARY CC [CXX]

An example is the indented text below a line " * Example:" of a comment. Each becomes the body of a function of its own that has a
`gv_context *context` and returns 0 if all is well; the program runs them all. Every group of functions (between two lines of
"/* ----- name */") that declares one has an example.
"""

import pathlib
import re
import subprocess
import sys


def groups(header):
    """Names of the groups that declare functions, and the text of each."""
    parts = re.split(r"^/\* -{10,} (.+) \*/$", header, flags=re.M)
    return [(name, text) for name, text in zip(parts[1::2], parts[2::2]) if re.search(r"^GV_API", text, flags=re.M)]


def examples(text):
    for found in re.finditer(r"^ \* Example:\n((?: \*(?:     .*)?\n)+)", text, flags=re.M):
        yield "\n".join(line[7:] for line in found[1].rstrip("\n").split("\n"))


def main(header, work, library, *compilers):
    header, work = pathlib.Path(header), pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    beside = sorted(header.parent.glob("gpuvoronoi_*.h"))
    found = [(name, list(examples(text))) for path in (header, *beside) for name, text in groups(path.read_text())]
    bare = [name for name, pieces in found if not pieces]
    if bare or len(found) < 5:
        print(f"no example in the groups: {', '.join(bare)} (of {len(found)})")
        return 1
    program, calls = [*(f"#include <{path.name}>" for path in (header, *beside)), "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"], []
    for name, pieces in found:
        for code in pieces:
            function = f"example_{len(calls)}"
            program += [f"/* {name} */", f"static int {function}(gv_context *context) {{", "(void)context;", code, "return 0;", "}"]
            calls.append(f'if ({function}(context) != 0) {{ printf("failed: {name}: %s\\n", gv_context_message(context)); bad = 1; }}')
    program += ["int main(void) {", "gv_context *context = NULL; int bad = 0;", "if (gv_context_create(NULL, &context) != GV_OK) return 1;",
                *calls, "gv_context_destroy(context);", "return bad;", "}"]
    folder = str(pathlib.Path(library).parent)
    for compiler, name, flags in zip(compilers, ("examples.c", "examples.cpp"), (("-std=c11",), ("-std=c++17", "-Wno-missing-field-initializers"))):
        (work / name).write_text("\n".join(program) + "\n")
        subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{header.parent}", "-o", work / f"{name}.out",
                        work / name, library, f"-Wl,-rpath,{folder}", "-lm"], check=True)
        if subprocess.run([work / f"{name}.out"]).returncode != 0:
            return 1
    print(f"{len(calls)} examples of {len(found)} groups")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
