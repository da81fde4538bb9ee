"""What reaches a terminal, and what the command does without one."""

import json
import os
import subprocess

import pytest

from conftest import COMMAND, globe

SIZE = ["--metric", "great-circle", "--size", "20,10"]
ESCAPES = ["\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x7f", "\x08\x08", "\u202e", "\u2066"]
FORBIDDEN = {
    chr(c)
    for c in [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
} - {"\n"}


@pytest.fixture
def seeds(work):
    work.csv("s.csv", *globe(30))
    return work


@pytest.mark.parametrize("escape", ESCAPES, ids=ascii)
def test_control_characters_of_files_and_arguments_are_replaced(seeds, escape):
    """In messages of this project and of GDAL, in the summary, and in JSON."""
    name = f"in{escape}put.csv"
    seeds.path(name).write_text("lon,lat\nx,y\n", encoding="utf-8")
    for arguments in (
        ["--seeds", f"gone{escape}.csv", *SIZE, "o.tif"],
        ["--seeds", name, *SIZE, "o.tif"],
        ["--seeds", "s.csv", *SIZE, "--where", f"a{escape}b = 1", "o.tif"],
        ["--seeds", "s.csv", *SIZE, f"--no{escape}option", "o.tif"],
        [
            "--seeds",
            "s.csv",
            *SIZE,
            "--crs",
            f'LOCAL_CS["a{escape}b",UNIT["metre",1]]',
            "--dry-run",
            f"o{escape}.tif",
        ],
    ):
        for more in [], ["--json"]:
            done = seeds.run(*arguments, *more)
            text = done.stdout + done.stderr
            assert text and not FORBIDDEN & set(text), ascii(text)
            if more:
                json.loads(done.stdout)


def test_bytes_that_are_not_utf8_are_replaced(seeds):
    done = subprocess.run(
        [COMMAND.encode(), b"--seeds", b"\x9b2J\x85\xe9.csv", b"o.tif"],
        cwd=seeds.directory,
        capture_output=True,
    )
    assert (
        done.returncode == 1
        and not {0x9B, 0x85, 0x1B} & set(done.stderr)
        and b"\xe9.csv" in done.stderr
    )


def test_names_in_other_scripts_stay(seeds):
    done = seeds.run("--seeds", "Orte-Übersicht-東京-🙂.csv", "o.tif")
    assert "Orte-Übersicht-東京-🙂.csv" in done.stderr


# ---------------------------------------------------------------------------------------------------------- closed files


def closed(work, files, *arguments):
    def close():
        for file in files:
            os.close(file)

    return subprocess.run(
        [COMMAND, *arguments],
        cwd=work.directory,
        preexec_fn=close,
        stdin=None,
        stdout=None,
        stderr=None,
        timeout=60,
    )


@pytest.mark.parametrize("files", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_standard_files_are_no_outputs(seeds, files):
    """An output that gets number 2 would have the messages in it."""
    arguments = ["--seeds", "s.csv", *SIZE, "--stats", "t.csv", "--progress", "--overwrite"]
    assert seeds.run(*arguments, "o.tif").returncode == 0
    expected = {name: seeds.path(name).read_bytes() for name in ("o.tif", "t.csv")}
    done = closed(seeds, files, *arguments, "o.tif")
    assert done.returncode == 0
    assert {name: seeds.path(name).read_bytes() for name in expected} == expected
    assert closed(seeds, files, "--seeds", "gone.csv", "p.tif").returncode == 1


def test_an_answer_into_a_closed_standard_output_is_an_error(seeds):
    assert closed(seeds, (1,), "backends").returncode == 1
    assert closed(seeds, (0,), "--seeds", "-", *SIZE, "o.tif").returncode == 1


# -------------------------------------------------------------------------------------------------------- standard input


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seeds", "-", *SIZE, "--memory", "1M", "o.tif"],
        ["search", "--reference", "-", "--memory", "1M", "o.npy"],
    ],
    ids=["grid", "search"],
)
def test_standard_input_has_a_limit(work, arguments):
    rows = ["lon,lat", *(f"{i % 300 / 2},{i // 300 / 8}" for i in range(150_000))]
    assert len("\n".join(rows[:75_000])) < 1 << 20 < len("\n".join(rows))
    assert work.run(*arguments, input="\n".join(rows[:75_000])).returncode == 0
    done = work.run(*arguments, input="\n".join(rows))
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "standard input" in done.stderr and "--memory" in done.stderr


def test_standard_input_without_end_is_an_error(work):
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [COMMAND, "--seeds", "-", *SIZE, "--memory", "8M", "o.tif"],
            cwd=work.directory,
            stdin=zeros,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1 and "--memory" in done.stderr
