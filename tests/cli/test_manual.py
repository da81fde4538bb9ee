"""Manual pages are what --help-all prints, by help2man: the options of it are theirs, and other programs read them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import COMMAND

MADE = Path(COMMAND).parent / "manual"
NAMES = ["", "backends", "devices", "diagram", "merge", "qtm", "search", "weights"]

pytestmark = pytest.mark.skipif(not MADE.exists(), reason="there is no help2man")


def page_of(name):
    return MADE / f"gpuvoronoi{'-' + name if name else ''}.1"


def help_of(name):
    return subprocess.run(
        [COMMAND, *name.split(), "--help-all"], capture_output=True, text=True, check=True
    ).stdout


def plain(page):
    """What a reader sees, in words."""
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-P", "cat", str(page)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"},
    )
    assert done.stderr == ""
    return re.sub(r"\s+", " ", re.sub(".\b", "", done.stdout).replace("‐", "-"))


def test_every_command_has_its_page():
    assert all(page_of(name).exists() for name in NAMES)
    commands = (
        re.search(r"gpuvoronoi diagram \|.*", help_of(""))
        .group()
        .split("gpuvoronoi ")[1]
        .split(" | ")
    )
    assert set(NAMES) - {""} == set(commands) - {"bench"}


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
@pytest.mark.parametrize("name", NAMES)
def test_page_says_what_help_says(name):
    page = plain(page_of(name))
    assert f"NAME {page_of(name).stem} - " in page
    lines = help_of(name).replace("Usage: ", "", 1).replace("Examples\n", "").splitlines()
    assert any(line.startswith("  --") for line in lines)
    for line in lines:
        assert re.sub(r"\s+", " ", line).strip().rstrip(":") in page, line


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc")
@pytest.mark.parametrize("name", NAMES)
def test_lint(name):
    done = subprocess.run(
        ["mandoc", "-Tlint", "-W", "error", str(page_of(name))], capture_output=True, text=True
    )
    assert done.stdout == ""
