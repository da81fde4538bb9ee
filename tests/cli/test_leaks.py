"""
The command gives back all memory that nothing leads to any more, whether it succeeds or fails. In a build with the address
sanitizer that looks; in an ordinary one the leak sanitizer is loaded before the command.
"""

import os
import pathlib
import subprocess

import pytest

from conftest import COMMAND, globe

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAKED = 23  # the sanitizers' status


def environment(program):
    content = pathlib.Path(program).read_bytes()
    here = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
    if b"__tsan_init" in content:
        pytest.skip("the thread sanitizer has no room for another one")
    if b"__asan_init" not in content:
        try:
            library = subprocess.run(
                ["gcc", "-print-file-name=liblsan.so"], capture_output=True, text=True
            ).stdout.strip()
        except FileNotFoundError:
            pytest.skip("no gcc that knows where the leak sanitizer is")
        if not os.path.isabs(library):
            pytest.skip("no leak sanitizer (package libgcc-12-dev)")
        here["LD_PRELOAD"] = library
    here["LSAN_OPTIONS"] = f"exitcode={LEAKED}:suppressions={ROOT / 'tests' / 'lsan.supp'}"
    return here


def test_a_leak_is_found(tmp_path):
    """Without this the others would show nothing."""
    (tmp_path / "leaky.c").write_text(
        "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(99); p = NULL; return p != NULL; }\n"
    )
    try:
        subprocess.run(["gcc", "-o", tmp_path / "leaky", tmp_path / "leaky.c"], check=True)
    except FileNotFoundError:
        pytest.skip("no gcc")
    done = subprocess.run(
        [tmp_path / "leaky"], env=environment(tmp_path / "leaky"), capture_output=True, text=True
    )
    assert done.returncode == LEAKED and "99 byte(s) leaked" in done.stderr, done.stderr


GRID = ["--seeds", "s.csv", "--size", "60,30"]


@pytest.mark.parametrize(
    "status, arguments",
    [
        (0, [*GRID, "out.tif"]),
        (0, [*GRID, "--of", "COG", "--distance", "d.tif", "--stats", "t.csv", "out.tif"]),
        (0, [*GRID, "--stats", "t.gpkg", "out.tif"]),
        (0, [*GRID, "-k", "3", "--metric", "great-circle", "out.tif"]),
        (0, ["--seeds", "s.csv", "--level", "3", "--cells", "c.gpkg", "out.tif"]),
        (0, ["search", "--reference", "s.csv", "-k", "3", "out.npy"]),
        (0, ["backends", "--matrix"]),
        (0, ["devices", "--json"]),
        (0, ["qtm", "--help"]),
        (0, ["--help"]),
        (1, ["--seeds", "nowhere.csv", "--size", "60,30", "out.tif"]),
        (1, ["--seeds", "bad.csv", "--size", "60,30", "out.tif"]),
        (1, [*GRID, "--backend", "nothing", "out.tif"]),
        (1, [*GRID, "--stats", "nowhere/t.csv", "out.tif"]),
        (1, [*GRID, "nowhere/out.tif"]),
        (2, [*GRID, "--frob", "out.tif"]),
    ],
    ids=lambda value: " ".join(value[-3:]) if isinstance(value, list) else str(value),
)
def test_nothing_leaks(work, status, arguments):
    work.csv("s.csv", *globe(40))
    work.write("bad.csv", "lon,lat\n0,0\n1,nan\n")
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=work.directory,
        env=environment(COMMAND),
        capture_output=True,
        text=True,
    )
    assert "LeakSanitizer" not in done.stderr, done.stderr
    assert done.returncode == status, done.stderr
