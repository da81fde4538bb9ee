#!/usr/bin/env python3
"""What programs compiled against an older header rely on: where the fields of public structs lie, and what constants are.

    abi.py HEADER FOLDER WORK CC [--record] [OTHER_HEADER ...]

HEADER has the version; the others lie beside it. FOLDER holds the interface of the last release: abi.txt, a line a field, constant and
function, and the headers themselves, in gpuvoronoi/; the test abi_programs runs the library with their examples. Fields may be added at
the end of a struct that begins with struct_size, constants and functions anywhere; whatever else differs is an error until the version's
minor number is raised (--record writes the folder anew). Sizes are those of 64-bit machines.
"""

import pathlib
import re
import shutil
import subprocess
import sys


def probe(text):
    """Lines of C that print what the header declares."""
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    for found in re.finditer(r"typedef struct (\w+) \{(.*?)\} \1;", bare, flags=re.S):
        name, body = found.groups()
        yield f'printf("struct {name} {"grows" if "size_t struct_size" in body else "fixed"}: %zu\\n", sizeof({name}));'
        for declaration in body.split(";"):
            for part in declaration.split(","):
                field = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part)
                if field and part.strip():
                    f = field[1]
                    yield (f'printf("{name}.{f}: %zu %zu\\n", offsetof({name}, {f}), sizeof((({name} *)0)->{f}));')
    for body in re.findall(r"typedef enum \w+ \{(.*?)\}", bare, flags=re.S):
        for constant in re.findall(r"(GV_\w+)\s*=", body):
            yield f'printf("{constant}: %d\\n", (int){constant});'
    for constant in re.findall(r"^#define (GV_(?!VERSION|API)\w+)\s+\(?-?\d+\)?\s*$", bare, flags=re.M):
        yield f'printf("{constant}: %d\\n", (int){constant});'
    for declared in re.findall(r"^GV_API\s+([^;]*\));", bare, flags=re.M) + re.findall(r"^static inline\s+([^;{]*\)) \{", bare, flags=re.M):
        yield f'puts("{" ".join(declared.split())}");'


def lines(headers, work, compiler):
    work.mkdir(parents=True, exist_ok=True)
    probes = [line for header in headers for line in probe(header.read_text())]
    code = "\n".join(["#define GV_EXPERIMENTAL", *(f"#include <{header.parent.name}/{header.name}>" for header in headers if "<mpi.h>" not in header.read_text()), "#include <stddef.h>", "#include <stdio.h>",
                      "int main(void) {", *probes, "return 0;", "}"])
    (work / "abi.c").write_text(code + "\n")
    subprocess.run([compiler, "-std=c11", f"-I{headers[0].parent.parent}", "-o", work / "abi", work / "abi.c"], check=True)
    return subprocess.run([work / "abi"], capture_output=True, text=True, check=True).stdout.splitlines()


def differences(old, new):
    """What breaks a program that was compiled when things were as in `old`."""
    now = set(new)
    growing = {line.split()[1] for line in old if line.startswith("struct ") and " grows: " in line}
    for line in old:
        if line in now or line.startswith("struct ") and line.split()[1] in growing:
            continue
        yield line
    for line in new:
        struct = line.split(".")[0]
        if re.match(r"\w+\.\w+: ", line) and line not in old and struct not in growing and any(
                o.startswith(struct + ".") for o in old):
            yield "new in a struct of fixed size: " + line


def main(header, folder, work, compiler, *options):
    headers = [pathlib.Path(h) for h in (header, *options) if h != "--record"]
    new, folder = lines(headers, pathlib.Path(work), compiler), pathlib.Path(folder)
    record = folder / "abi.txt"
    version = re.search(r'GV_VERSION_STRING "(\d+\.\d+)', pathlib.Path(header).read_text())[1]
    if "--record" in options:
        (folder / "gpuvoronoi").mkdir(parents=True, exist_ok=True)
        record.write_text("\n".join([f"version {version}", *new]) + "\n")
        for path in headers:
            shutil.copy(path, folder / "gpuvoronoi" / path.name)
        return 0
    first, *old = record.read_text().splitlines()
    if len(old) < 10:
        print(f"hardly anything recorded in {record}")
        return 1
    if first != f"version {version}":
        print(f"recorded for {first}, the header says {version}: record it anew")
        return 1
    broken = list(differences(old, new))
    for line in broken:
        print(f"changed or gone: {line}")
    return len(broken) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
