#!/usr/bin/env python3
"""Writes the ctypes binding, python/gpuvoronoi/_c.py, from the public headers: structs with their defaults, constants, functions.

make_binding.py [--check]     (--check: only says whether the file is as the headers are; needs pycparser and a C compiler)
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

from pycparser import c_ast, c_parser

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "gpuvoronoi" / "_c.py"
HEADERS = (
    "gpuvoronoi/gpuvoronoi.h",
    "gpuvoronoi/geometries.h",
    "gpuvoronoi/raster_seeds.h",
    "gpuvoronoi/diagram.h",
    "gpuvoronoi/cells.h",
    "gpuvoronoi/crs.h",
    "gpuvoronoi/arrow.h",
    "gpuvoronoi/weights.h",
    "gpuvoronoi/cost.h",
    "gpuvoronoi/barriers.h",
    "gpuvoronoi/experimental.h",
)
LIMITS = ROOT / "src" / "core" / "limits.h"  # what gv_limits reports
COLUMNS = ROOT / "src" / "statistics" / "columns.h"  # of tables
# What the headers need of the system's.
STUBS = {
    "stddef.h": "#define NULL 0\ntypedef unsigned long size_t;\n",
    "stdint.h": "".join(
        f"typedef int {name};\n" for name in ("int64_t", "uint64_t", "int32_t", "uint8_t")
    ),
    "math.h": "#define INFINITY gv_infinity\n",
}
SCALARS = {
    "int": "c_int",
    "double": "c_double",
    "float": "c_float",
    "size_t": "c_size_t",
    "int64_t": "c_int64",
    "int32_t": "c_int32",
    "uint64_t": "c_uint64",
    "uint8_t": "c_uint8",
    "gv_qtm_id": "c_int64",
    "char": "c_char",
}

HEAD = '''"""The library's C interface: its structs with their defaults, its constants, its functions' types.

Written by python/make_binding.py from the headers in include/gpuvoronoi: do not edit.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from math import inf
from typing import Any, ClassVar

HANDLE = c_void_p  # contexts, indexes, ... and every pointer: ctypes takes byref(), an address or None


class Structure(ctypes.Structure):
    """A struct that begins with its own size and has the defaults of its gv_..._init."""

    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, **values: Any) -> None:
        super().__init__(ctypes.sizeof(self), **{**self.defaults, **values})

'''


def parse() -> c_ast.FileAST:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in STUBS.items():
            (pathlib.Path(folder) / name).write_text(text)
        source = "#define GV_EXPERIMENTAL\n" + "".join(f'#include "{name}"\n' for name in HEADERS)
        done = subprocess.run(
            [
                "cc",
                "-E",
                "-P",
                "-nostdinc",
                "-D__attribute__(x)=",
                f"-I{folder}",
                f"-I{ROOT / 'include'}",
                "-x",
                "c",
                "-",
            ],
            input=source,
            capture_output=True,
            text=True,
            check=True,
        )
    return c_parser.CParser().parse(done.stdout)


def camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.removeprefix("gv_").split("_"))


class Binding:
    def __init__(self) -> None:
        self.enums: dict[str, dict[str, int]] = {}
        self.structs: dict[str, c_ast.Struct] = {}
        self.callbacks: dict[str, c_ast.FuncDecl] = {}
        self.defaults: dict[str, list[str]] = {}
        self.functions: dict[str, c_ast.FuncDecl] = {}
        for node in parse().ext:
            if isinstance(node, c_ast.Typedef):
                self.add_type(node.name, node.type)
            elif isinstance(node, c_ast.FuncDef) and node.decl.name.endswith("_init"):
                initial = node.body.block_items[0].init
                self.defaults[node.decl.name.removesuffix("_init")] = [
                    self.value(one) for one in initial.exprs
                ]
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
                self.functions[node.name] = node.type

    def add_type(self, name: str, kind: c_ast.Node) -> None:
        if isinstance(kind, c_ast.PtrDecl) and isinstance(kind.type, c_ast.FuncDecl):
            self.callbacks[name] = kind.type
        elif isinstance(kind.type, c_ast.Enum):
            self.enums[name] = {
                one.name: int(one.value.value) for one in kind.type.values.enumerators
            }
        elif isinstance(kind.type, c_ast.Struct) and kind.type.decls is not None:
            self.structs[name] = kind.type

    def value(self, node: c_ast.Node) -> str:
        """A default, as Python has it."""
        if isinstance(node, c_ast.InitList):
            return "(" + ", ".join(self.value(one) for one in node.exprs) + ")"
        if isinstance(node, c_ast.UnaryOp):
            return "size" if node.op == "sizeof" else node.op + self.value(node.expr)
        if isinstance(node, c_ast.ID):
            if node.name == "gv_infinity":
                return "inf"
            return str(
                next(values[node.name] for values in self.enums.values() if node.name in values)
            )
        return "0" if node.value == "0" else str(node.value)

    def ctype(self, node: c_ast.Node, field: bool = False) -> str:
        if isinstance(node, c_ast.ArrayDecl):
            return f"{self.ctype(node.type)} * {node.dim.value}" if field else "HANDLE"
        if isinstance(node, c_ast.PtrDecl):
            names = getattr(getattr(node.type, "type", None), "names", None)
            return (
                "c_char_p"
                if names == ["char"] and "const" in node.type.quals
                else "c_void_p"
                if field
                else "HANDLE"
            )
        name = node.type.names[0]
        if name == "void":
            return "None"
        if name in self.enums:
            return "c_int"
        return (
            {"gv_progress_fn": "Progress", "gv_inverse_fn": "Inverse"}.get(name, "c_void_p")
            if name in self.callbacks
            else SCALARS[name]
        )

    def text(self) -> str:
        lines = [HEAD]
        for name, values in self.enums.items():
            prefix = "GV_ERROR_" if name == "gv_status" else "GV_"
            lines.append(
                "".join(
                    f"{one.removeprefix(prefix).removeprefix('GV_')} = {value}\n"
                    for one, value in values.items()
                )
            )
        names = {
            name: tuple(
                one.removeprefix("GV_").lower().replace("_", "-") for one in self.enums[name]
            )
            for name in ("gv_metric", "gv_weighting", "gv_dtype")
        }
        lines.append(
            f"POINT_METRICS = {names['gv_metric']!r}\nMETRICS = POINT_METRICS[:COSINE]\nGLOBE_METRICS = METRICS[GREAT_CIRCLE:]\nWEIGHTINGS = {names['gv_weighting']!r}\n"
            f"DTYPES = {names['gv_dtype']!r}\n".replace("'", '"')
        )
        lines.append("".join(f"{name} = {value}\n" for name, value in self.macros()))
        lines.append(f"STATISTICS_COLUMNS = ({self.columns()})\n")
        lines.append(
            "Progress = CFUNCTYPE(c_int, c_double, c_void_p)\n"
            "Inverse = CFUNCTYPE(c_int, POINTER(c_double), POINTER(c_double), c_int64, c_void_p)\n"
        )
        for name, struct in self.structs.items():
            lines.append("\n" + self.struct_text(name, struct))
        lines.append(
            "\n# Each function: what it returns, and its arguments.\nFUNCTIONS: dict[str, tuple[Any, list[Any]]] = {\n"
            + "".join(
                f'    "{name}": ({self.ctype(kind.type)}, [{", ".join(self.ctype(one.type) for one in self.arguments(kind))}]),\n'
                for name, kind in self.functions.items()
            )
            + "}\n"
        )
        return "\n".join(lines)

    @staticmethod
    def arguments(kind: c_ast.FuncDecl) -> list[c_ast.Decl]:
        given = [] if kind.args is None else kind.args.params
        return [
            one
            for one in given
            if not (isinstance(one.type, c_ast.TypeDecl) and one.type.type.names == ["void"])
        ]

    def struct_text(self, name: str, struct: c_ast.Struct) -> str:
        fields = [(one.name, self.ctype(one.type, field=True)) for one in struct.decls]
        values = dict(zip((field for field, _ in fields), self.defaults.get(name, [])))
        given = ", ".join(
            f'"{field}": {value}'
            for field, value in values.items()
            if value not in ("size", "0", "0.0", '""', "(0, 0, 0, 0, 0, 0)")
        )
        lines = textwrap.wrap(
            "_fields_ = ["
            + ", ".join(f'("{field}",~{kind})'.replace(" * ", "~*~") for field, kind in fields)
            + "]",
            100,
            subsequent_indent=" " * 12,
        )
        text = f"class {camel(name)}(Structure):\n" + "".join(
            f"    {line}\n" for line in lines
        ).replace("~", " ")
        return text + (f"    defaults = {{{given}}}\n" if given else "")

    @staticmethod
    def columns() -> str:
        found = re.search(r"GV_STATISTICS_COLUMN_NAMES[\s\\]*\{([^}]*)\}", COLUMNS.read_text())
        if found is None:
            raise ValueError(f"{COLUMNS}: missing names")
        return found[1].strip()

    @staticmethod
    def macros() -> list[tuple[str, int]]:
        text = "".join((ROOT / "include" / header).read_text() for header in HEADERS)
        found = re.findall(
            r"^#define GV_((?:QTM|HEALPIX|S2)_\w+)\s+\(?(-?\d+)\)?", text, flags=re.M
        )
        found += re.findall(
            r"^  GV_((?:VORONOI_)?MAX_\w+) = (\d+),?(?: +/\*.*)?$", LIMITS.read_text(), flags=re.M
        )
        return [(name, int(value)) for name, value in found]


def main(check: bool) -> int:
    text = Binding().text()
    if not check:
        TARGET.write_text(text)
        return 0
    if TARGET.read_text() == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is not as the headers are: run python/make_binding.py")
    return 1


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
