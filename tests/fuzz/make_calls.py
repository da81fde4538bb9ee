#!/usr/bin/env python3
"""Writes a call of every public function with arguments of fuzz_calls.c: the list of functions is that of the headers.

make_calls.py OUT HEADER ...
"""

import pathlib
import re
import sys

SCALARS = ("int", "int32_t", "int64_t", "uint64_t", "size_t", "double", "gv_qtm_id")

OPAQUE = {
    "gv_index",
    "gv_voronoi",
    "gv_statistics",
    "gv_raster_seeds",
    "gv_diagram",
    "gv_diagram_polygons",
    "gv_context",
    "gv_cost",
    "gv_barriers",
}


def made(declaration: str) -> str:
    """The kind of the object that a function creates here; "" for other parameters."""
    found = re.fullmatch(r"(\w+) \*\*\w+", declaration.strip())
    return found[1] if found and found[1] in OPAQUE - {"gv_context"} else ""


def argument(declaration: str) -> str:
    """Numbers of the input; NULL for objects; NULL or memory of zeros for structs and arrays."""
    declaration = re.sub(
        r"\[[^\]]*\]", "", re.sub(r"(\w+)\[[^\]]*\]$", r"*\1", declaration.strip())
    )
    kind = re.sub(r"\w+$", "", declaration).strip()
    if kind == "gv_context *":
        return "c->context"
    if "*" in kind:
        bare = kind.replace("const", "").replace("*", "").strip()
        stars = kind.count("*")
        if made(declaration):
            return "calls_array(c) != NULL ? &made : NULL"
        return "NULL" if bare in OPAQUE and stars == 1 else "calls_array(c)"
    if kind == "size_t":
        return "calls_size(c)"
    if kind == "double":
        return "calls_real(c)"
    if kind in SCALARS:
        return f"({kind})calls_integer(c, sizeof({kind}))"
    return f"({kind})calls_integer(c, sizeof(int))"  # an enumeration


def main(out: str, *headers: str) -> None:
    lines = []
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S)
        for result, name, parameters in re.findall(
            r"^GV_API\s+([^;(]*?)\b(gv_\w+)\(([^;]*)\);", text, flags=re.M
        ):
            given = (
                []
                if parameters.strip() == "void"
                else [argument(one) for one in parameters.split(",")]
            )
            if name == "gv_context_destroy":
                given = ["NULL"]
            if name == "gv_context_create":
                given = ["calls_array(c)", "NULL"]
            call = f"{name}({', '.join(given)})"
            check = (
                "calls_check(c, %s)"
                if result.strip() == "gv_status"
                else "(void)%s"
                if result.strip() != "void"
                else "%s"
            )
            kind = "".join(map(made, parameters.split(",")))
            before, after = (
                (f"  {kind} *made = NULL;\n", f"  {kind}_destroy(made);\n") if kind else ("", "")
            )
            lines.append(
                f"static void call_{name}(calls *c) {{\n{before}  (void)c;\n  {check % call};\n{after}}}\n"
            )
    names = re.findall(r"static void (call_\w+)", "\n".join(lines))
    lines.append(
        "static void (*const all_calls[])(calls *) = {\n"
        + "".join(f"    {name},\n" for name in names)
        + "};\n"
    )
    pathlib.Path(out).write_text("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
