"""Manual pages and completion are made of the tables of options: what --help says is there, and other programs understand it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import COMMAND

MADE = Path(COMMAND).parent / "manual"
PAGES = sorted(MADE.glob("*.1"))
LIBRARY = MADE / "gpuvoronoi.3"
HEADERS = Path(__file__).parents[2] / "include"
NAMES = ["", "backends", "devices", "merge", "qtm", "search"]


def page_of(name):
    return "gpuvoronoi" + ("-" + name.replace(" ", "-") if name else "")


def help_of(name):
    done = subprocess.run([COMMAND, *name.split(), "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def options_of(name):
    return re.findall(r"^  (--?[a-z-]+)(?: (\S+))?", help_of(name), flags=re.M)


def plain(page):
    """What a reader sees, in words."""
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-P", "cat", str(page)], capture_output=True, text=True, check=True,
                          env={**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"})
    assert done.stderr == ""
    return re.sub(r"\s+", " ", re.sub(".\b", "", done.stdout).replace("‐", "-"))


def test_every_command_has_its_page():
    assert {page.stem for page in PAGES} == {page_of(name) for name in NAMES}
    commands = re.search(r"gpuvoronoi merge \|.*", help_of("")).group().split("gpuvoronoi ")[1].split(" | ")
    assert {name.split()[0] for name in NAMES if name} == set(commands)


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
@pytest.mark.parametrize("name", NAMES)
def test_page_says_what_help_says(name):
    page, options = plain(MADE / f"{page_of(name)}.1"), options_of(name)
    assert options
    text = help_of(name).replace("Usage: ", "", 1).replace("\nExamples\n", "\nEXAMPLES\n")
    for line in text.splitlines():
        assert re.sub(r"\s+", " ", line).strip() in page, line


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc")
@pytest.mark.parametrize("page", [*PAGES, LIBRARY], ids=lambda page: page.name)
def test_lint(page):
    done = subprocess.run(["mandoc", "-Tlint", "-W", "warning", str(page)], capture_output=True, text=True)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
@pytest.mark.parametrize("header", sorted(HEADERS.glob("*.h")), ids=lambda header: header.name)
def test_library_page_says_what_the_header_says(header):
    """Each function, with its arguments, and each line of what is said of it."""
    page, text = plain(LIBRARY), header.read_text(encoding="utf-8")
    assert f"#include <{header.name}>" in page
    functions = re.findall(r"^GV_API ([^;]*;)", text, flags=re.M)
    assert functions or header.name in ("gpuvoronoi_features.h", "gpuvoronoi_mpi.h")  # structs; inline functions
    for function in functions:
        assert re.sub(r"\s+", " ", function) in page, function
    said = "/*" + text.partition("SPDX-License-Identifier: MIT\n")[2]
    comments = [line for comment in re.findall(r"^/\*.*?\*/$", said, flags=re.M | re.S) for line in comment.split("\n")]
    lines = [re.sub(r"\s+", " ", re.sub(r"^(/\*| \*(?!/))? *(- )?|\*/$|`", "", line)).strip() for line in comments]
    lines = [line for line in lines if line and not re.match(r"-{10}|Example:$|#", line)]
    assert len(lines) > 5 or header.name == "gpuvoronoi_features.h"
    page = page.replace("`", "")
    for line in lines:
        assert line in page, line


def complete(work, *words):
    script = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _gpuvoronoi; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", script, str(MADE / "completion.bash"), "gpuvoronoi", *words], capture_output=True, text=True,
                          cwd=work.directory)
    assert done.returncode == 0 and done.stderr == ""
    return [line for line in done.stdout.split("\n") if line]


@pytest.mark.parametrize("name", NAMES)
def test_bash_knows_all_options(work, name):
    assert complete(work, *name.split(), "-") == [option for option, _ in options_of(name)]


def test_bash_knows_values(work):
    work.write("seeds of mine.csv", "lon,lat\n1,2\n")
    assert complete(work, "--metric", "ge") == ["geodesic"]
    assert complete(work, "--seeds", "see") == ["seeds of mine.csv"]
    assert complete(work, "see") == ["seeds of mine.csv"]
    assert complete(work, "sea") == ["search"]
    assert complete(work, "search", "--backend", "k") == ["kdtree"]
    assert complete(work, "--max-distance", "") == []
    assert "GTiff" in complete(work, "--of", "GT")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_knows_the_same(work):
    """The specifications as zsh's own function gets them."""
    script = "_arguments() { shift; print -rl -- \"$@\" }; _describe() {}; _files() {}; words=(gpuvoronoi ${=1} -); CURRENT=$#words; . $2"
    for name in NAMES:
        done = subprocess.run(["zsh", "-f", "-c", script, "zsh", name, str(MADE / "completion.zsh")], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        found = re.findall(r"^\*?(--?[a-z-]+)\[[^\n]*\](?::|$)", done.stdout, flags=re.M)
        assert found == [option for option, _ in options_of(name)]
    assert "(geodesic great-circle euclidean manhattan chebyshev)" in (MADE / "completion.zsh").read_text()
