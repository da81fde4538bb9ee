#!/usr/bin/env python3
"""The programs on docs/api.md are those of docs/examples, which are compiled and run; its lines of calls, README's and those of docs/qtm.md
compile.

api_page.py SOURCE CC
"""

import pathlib
import re
import subprocess
import sys

NAMES = """
void calls(const double *reference, int64_t n, const double *queries, int64_t m, int dim, int k, int64_t *indices, double *distances,
           const double *lon, const double *lat, const double *query_lon, const double *query_lat, double *meters,
           const double *geotransform, int64_t width, int64_t height, int32_t *labels) {
"""

MESH = """
#include <gpuvoronoi/cells.h>
void calls(gv_context *context, gv_points seeds, gv_voronoi_options options, gv_voronoi *voronoi, int32_t *out, double *lon, double *lat) {
"""


def refused(source: str, compiler: str, name: str) -> str:
    """What the compiler says of a page's only block of calls."""
    text = (pathlib.Path(source) / name).read_text()
    blocks = re.findall(r"^```c\n(.*?)^```", text, re.M | re.S)
    (block,) = [one for one in blocks if "int main" not in one]
    include, _, calls = block.partition("\n\n")
    start = f"{include}\n{NAMES}"
    if not include.startswith("#include"):
        start, calls = MESH, block.replace(" ...\n", " return;\n")
    options = ["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I", f"{source}/include"]
    done = subprocess.run(
        [compiler, *options, "-x", "c", "-"],
        input=f"{start}{calls}}}\n",
        capture_output=True,
        text=True,
    )
    return done.stderr


def main(source: str, compiler: str) -> int:
    docs = pathlib.Path(source) / "docs"
    page, missing = (docs / "api.md").read_text(), []
    for name in ("grid.c", "coast.c"):
        program = (docs / "examples" / name).read_text()
        if f"```c\n{program[program.index('#include') :]}```\n" not in page:
            missing.append(
                f"docs/api.md: the program of docs/examples/{name} is missing or differs"
            )
    for name in ("README.md", "docs/api.md", "docs/qtm.md"):
        if said := refused(source, compiler, name):
            missing.append(f"{name}: its calls do not compile\n{said}")
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
