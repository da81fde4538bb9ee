"""Standard output: a result that cannot be written is an error, progress without a reader is not."""

import os
import subprocess

import numpy as np
import pytest

from conftest import COMMAND, SUMMARY, globe

ANSWERS = [
    ["--help"],
    ["--version"],
    ["search", "--help"],
    ["qtm", "--help"],
    ["backends"],
    ["backends", "--json"],
    ["backends", "--matrix"],
    ["backends", "--help"],
    ["devices"],
    ["devices", "--json"],
    ["qtm", "info", "11"],
    ["qtm", "encode", "--level", "3", "7", "50"],
]


def names(arguments):
    return " ".join(arguments)


@pytest.fixture
def gone():
    """The end of a pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def run(work, arguments, output):
    """Popen gives the child the signals as a shell does: SIGPIPE ends it."""
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=work.directory,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return done.returncode, "".join(
        line for line in done.stderr.splitlines(keepends=True) if not SUMMARY.match(line)
    )


@pytest.mark.parametrize("arguments", ANSWERS, ids=names)
def test_answers_that_cannot_be_written(work, arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        status, error = run(work, arguments, full)
    assert status == 1
    assert error == "gpuvoronoi: error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("arguments", ANSWERS, ids=names)
def test_answers_that_nobody_reads(work, gone, arguments):
    """As of a program that SIGPIPE ends, in a shell's eyes; without a word, as head and the like want no more on purpose."""
    assert run(work, arguments, gone) == (141, "")


def test_lines_that_nobody_reads(work, gone):
    """Lines are not read to the end."""
    lines = subprocess.Popen(["yes", "7 50"], stdout=subprocess.PIPE)
    done = subprocess.run(
        [COMMAND, "qtm", "encode", "--level", "3"],
        stdin=lines.stdout,
        stdout=gone,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    lines.stdout.close()
    lines.wait()
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("options", [[], ["--overwrite"]])
def test_progress_that_nobody_reads(work, gone, options):
    """The run goes on."""
    work.csv("s.csv", *globe(50))
    np.save(work.path("r.npy"), np.arange(40.0).reshape(20, 2))
    if options:
        work.write("out.tif", "old")
        work.write("o.npy", "old")
    for arguments in (
        ["--seeds", "s.csv", "--size", "700,700", "--progress", *options, "out.tif"],
        ["search", "--reference", "r.npy", "--progress", *options, "o.npy"],
    ):
        done = subprocess.run(
            [COMMAND, *arguments],
            cwd=work.directory,
            stdout=subprocess.PIPE,
            stderr=gone,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (0, b"")
    assert work.read("out.tif").shape == (700, 700)
    assert np.load(work.path("o.npy")).shape == (20, 1)
    work.no_leftovers()


def test_progress_that_cannot_be_written(work):
    work.csv("s.csv", *globe(50))
    with open("/dev/full", "w", encoding="utf-8") as full:
        arguments = [COMMAND, "--seeds", "s.csv", "--size", "700,700", "--progress", "out.tif"]
        assert (
            subprocess.run(
                arguments, cwd=work.directory, stdout=subprocess.PIPE, stderr=full, timeout=60
            ).returncode
            == 0
        )
    work.no_leftovers()


def test_errors_that_nobody_reads(work, gone):
    done = subprocess.run(
        [COMMAND, "--seeds", "missing.csv", "out.tif"],
        cwd=work.directory,
        stdout=gone,
        stderr=gone,
        timeout=60,
    )
    assert done.returncode == 1
