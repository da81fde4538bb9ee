#!/usr/bin/python3
"""
The pages of the documentation's site: those of docs/, and the reference, made of what it describes.

    pages.py SOURCE OUT COMMAND    COMMAND: the gpuvoronoi program, whose --help is the command's reference

The C reference is the public headers, section by section; the Python one is the package's docstrings (needs numpy).
"""

import importlib
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import headers

# Where files outside docs/ are on the site, as docs/ and the root link them.
ELSEWHERE = {"README.md": "index.md", "LICENSE": "licence.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "SECURITY.md": "SECURITY.md",
             "packaging/README.md": "releases.md", "include/gpuvoronoi.h": "headers.md"}
COMMANDS = ["", "search", "merge", "qtm", "backends", "devices"]


def relinked(text, folder):
    """The same page with links that lead to pages of the site; `folder` is where it lies in the tree."""
    def link(match):
        target, _, anchor = match.group(1).partition("#")
        if not target or ":" in target:
            return match.group()
        parts = []
        for part in (f"{folder}/{target}" if folder else target).split("/"):
            parts = parts[:-1] if part == ".." else parts + [part]
        path = "/".join(parts)
        path = ELSEWHERE.get(path) or (path[len("docs/"):] if path.startswith("docs/") else target)
        return f"]({path}{'#' + anchor if anchor else ''})"

    # A list needs an empty line before it in MkDocs, which GitHub does not.
    text = re.sub(r"^([^\n|*\-\d ][^\n]*)\n(\* |- |1\. )", r"\1\n\n\2", text, flags=re.MULTILINE)
    return re.sub(r"\]\(([^)\s]+)\)", link, text)


def command_page(command):
    def said(name):
        return subprocess.run([command, *name.split(), "--help"], capture_output=True, text=True, check=True).stdout

    parts = ["# The command\n\nWhat `--help` says, of the same tables of options as the manual pages and the completion of shells.\n"]
    for name in COMMANDS:
        parts.append(f"\n## gpuvoronoi {name}".rstrip() + f"\n\n```text\n{said(name)}```\n")
    return "".join(parts)


def header_page(folder):
    parts = ["# The C headers\n"]
    for path in headers.paths(folder):
        parts.append(f"\n## {path.name}\n")
        for kind, text in headers.pieces(path):
            if kind == "section":
                parts.append(f"\n### {path.name}: {text}\n")
            elif kind == "text":
                # Columns of a comment stay columns.
                text = re.sub(r"(?m)^(?=(?:   |  - ))", "    ", text) if "   " in text else text
                parts.append(f"\n{text.replace('<', '&lt;')}\n")
            else:
                parts.append(f"\n```c\n{text}\n```\n")
    return "".join(parts)


def docstring(text):
    """numpydoc's sections as bold headings, parameters as a list, examples as code."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    lines, out, section = text.split("\n"), [], ""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}", line):
            continue
        if re.fullmatch(r"-{3,}", following):
            section = line
            out += ["", f"**{line}**", ""]
        elif section == "Examples":
            out.append(f"    {line}" if line else "")
        elif section in ("Parameters", "Attributes", "Returns", "Raises", "Yields") and line:
            name, colon, kind = line.partition(" : ")
            out.append(f"  {line.strip()}" if line.startswith(" ") else f"* `{name}`" + (f" — {kind}" if colon else ""))
        else:
            out.append(line)
    return "\n".join(out)


def described(name, thing, level):
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError):
        signature = ""
    return f"\n{'#' * level} {name}\n\n```python\n{name}{signature}\n```\n\n{docstring(inspect.getdoc(thing) or '')}\n"


def package_page(folder):
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    package = importlib.import_module("gpuvoronoi")
    parts = [f"# The Python package\n\n{docstring(inspect.getdoc(package))}\n"]
    for name in package.__all__:
        thing = getattr(package, name)
        if name.startswith("_"):
            continue
        if inspect.ismodule(thing):
            parts.append(f"\n## gpuvoronoi.{name}\n\n{docstring(inspect.getdoc(thing))}\n")
            inner = {n: t for n, t in vars(thing).items() if not n.startswith("_") and getattr(t, "__module__", "") == thing.__name__}
            parts += [described(f"{name}.{n}", t, 3) for n, t in inner.items() if callable(t)]
            continue
        parts.append(described(name, thing, 2))
        if inspect.isclass(thing):
            parts += [described(f"{name}.{n}", t, 3) for n, t in vars(thing).items() if inspect.isfunction(t) and not n.startswith("_")]
    return "".join(parts)


def main():
    source, out, command = map(pathlib.Path, sys.argv[1:4])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in sorted((source / "docs").glob("*.md")):
        (out / path.name).write_text(relinked(path.read_text(encoding="utf-8"), "docs"), encoding="utf-8")
    for name, page in ELSEWHERE.items():
        if page != "headers.md":
            text = (source / name).read_text(encoding="utf-8")
            text = f"# Licence\n\n{text}" if page == "licence.md" else relinked(text, str(pathlib.PurePosixPath(name).parent).strip("."))
            (out / page).write_text(text, encoding="utf-8")
    (out / "command.md").write_text(command_page(command.resolve()), encoding="utf-8")
    (out / "headers.md").write_text(header_page(source / "include"), encoding="utf-8")
    (out / "package.md").write_text(package_page(source / "python"), encoding="utf-8")
    for folder in ("images", "examples"):
        shutil.copytree(source / "docs" / folder, out / folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(source / "docs" / "voronoi.schema.json", out)


if __name__ == "__main__":
    main()
