#!/usr/bin/python3
"""The plugin peers.py itself: on a suite of three tests and lists that are right, too short, too long, and of other texts."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUITE = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("no fixture today")

@pytest.mark.parametrize("number", [1, 2])
def test_passes(number):
    pass

def test_fails():
    raise ValueError("this is missing")

def test_has_no_fixture(broken):
    pass
"""
RIGHT = "versions 1\n# why\ntest_fails: is missing\ntest_has_*: no fixture today\n"
CASES = {
    "right": (RIGHT, 0),
    "a failure that is not listed": (RIGHT.replace("test_fails: is missing\n", ""), 1),
    "one that is listed and passes": (RIGHT + "test_passes[2]: anything\n", 1),
    "one that fails otherwise": (RIGHT.replace("is missing", "is there"), 1),
    "a fixture that fails otherwise": (RIGHT.replace("today", "ever"), 1),
    "a row about no test": (RIGHT + "test_gone: anything\n", 1),
    "a row of another version": (
        RIGHT.replace("versions 1", "versions 1 2") + "only 2\n# why\ntest_gone: anything\n",
        0,
    ),
    "a failure that is listed for another version": (
        RIGHT.replace("versions 1", "versions 1 2").replace(
            "test_fails", "only 2\n# why\ntest_fails"
        ),
        1,
    ),
    "a version that is not named": (RIGHT + "only 3\n# why\ntest_gone: anything\n", 4),
    "another version": (RIGHT.replace("versions 1", "versions 2"), 77),
}


def main():
    bad = 0
    for name, (text, expected) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            (work / "expected").mkdir()
            (work / "expected" / "suite.txt").write_text(text)
            (work / "adapters.py").write_text('ADAPTERS = {"suite": lambda: "1"}\n')
            (work / "test_suite.py").write_text(SUITE)
            shutil.copy(HERE / "peers.py", work)
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pytest",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                    "-p",
                    "peers",
                    "--peer",
                    "suite",
                    "test_suite.py",
                ],
                cwd=work,
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
                text=True,
            )
            if done.returncode != expected:
                print(f"{name}: {done.returncode}, not {expected}\n{done.stdout}{done.stderr}")
                bad += 1
    return 1 if bad else 0


sys.exit(main())
