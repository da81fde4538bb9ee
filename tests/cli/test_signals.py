"""Interrupted runs leave nothing; killed ones leave nothing that looks finished."""

import shutil
import signal
import subprocess
import time

import pytest
from forked_command import wait_for_signals

from conftest import COMMAND, build_shim, globe, sanitized

BIG = ["--size", "40000,20000", "--metric", "great-circle", "--backend", "serial"]


def start(work, *options):
    lon, lat = globe(2000)
    work.csv("s.csv", lon, lat)
    process = subprocess.Popen(
        [COMMAND, "--seeds", "s.csv", *BIG, *options, "out.tif"],
        cwd=work.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(400):
        if list(work.directory.glob(".*tmp-*/*")):
            break
        time.sleep(0.02)
    time.sleep(0.2)
    assert process.poll() is None
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("options", [[], ["--co", "COMPRESS=NONE"], ["--of", "COG"]])
def test_interrupt(work, number, options):
    work.write("out.tif", "something precious")
    process = start(work, "--overwrite", *options)
    before = time.monotonic()
    process.send_signal(number)
    out, error = process.communicate(timeout=30)
    assert time.monotonic() - before < 10
    assert process.returncode == 128 + number
    assert out == "" and error in ("", "gpuvoronoi: error: interrupted\n")
    assert sorted(p.name for p in work.directory.iterdir()) == ["out.tif", "s.csv"]
    assert work.path("out.tif").read_text() == "something precious"


THREAD = """#include <pthread.h>
#include <unistd.h>
static void *wait_for_ever(void *none) { for (;;) pause(); return none; }
__attribute__((constructor)) static void begin(void) { pthread_t made; pthread_create(&made, 0, wait_for_ever, 0); }
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_threads_that_libraries_start_before_main(work, number, monkeypatch):
    """As those of OpenBLAS, which GDAL may bring along: they do not block signals, and one of them may get this."""
    if sanitized():
        pytest.skip("a sanitizer must be the first library")
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    work.write("thread.c", THREAD)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-pthread", "-o", "thread.so", "thread.c"],
        cwd=work.directory,
        check=True,
    )
    monkeypatch.setenv("LD_PRELOAD", str(work.path("thread.so")))
    process = start(work)
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 128 + number and error in ("", "gpuvoronoi: error: interrupted\n")
    assert not [p.name for p in work.directory.iterdir() if "tmp-" in p.name or p.name == "out.tif"]


def test_interrupt_while_gdal_closes_a_file(work):
    """The index of a GeoPackage or a FlatGeobuf file is made when it is closed: GDAL cannot be interrupted there."""
    work.csv("p.csv", [1.0] * 1400, [2.0] * 1400)
    least = 99.0
    for wait in (4.0, 3.0, 5.0):
        process = subprocess.Popen(
            [COMMAND, "search", "--quiet", "--reference", "p.csv", "--radius", "1km", "o.gpkg"],
            cwd=work.directory,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for_signals(process)
        time.sleep(wait)
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
        assert (process.returncode, error) == (130, "gpuvoronoi: error: interrupted\n")
        least = min(least, time.monotonic() - before)
        assert [p.name for p in work.directory.iterdir()] == ["p.csv"]
    assert least < 1.7


def test_impatient_user(work):
    process = start(work)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode in (130, 143)
    assert sorted(p.name for p in work.directory.iterdir()) == ["s.csv"]


def test_kill(work):
    process = start(work)
    process.kill()
    process.communicate(timeout=30)
    assert not work.path("out.tif").exists()
    assert [p for p in work.directory.glob("*.tif")] == []
    assert (
        work.run("--seeds", "s.csv", "--size", "20,10", "out.tif").returncode == 0
    )  # leftovers do not disturb other runs


def test_interrupt_while_copying(work):
    """COG: the copying, not only the computing, stops."""
    work.csv("s.csv", *globe(50))
    process = subprocess.Popen(
        [
            COMMAND,
            "--seeds",
            "s.csv",
            "--size",
            "12000,6000",
            "--of",
            "COG",
            "--co",
            "COMPRESS=LZMA",
            "out.tif",
        ],
        cwd=work.directory,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(2000):
        if list(work.directory.glob(".*tmp-*/out.tif*")):
            break
        time.sleep(0.01)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert sorted(p.name for p in work.directory.iterdir()) == ["s.csv"]


@pytest.mark.parametrize("json", [[], ["--json"]], ids=["lines", "json"])
@pytest.mark.parametrize(
    "arguments",
    [["--seeds", "-", "--size", "20,10", "out.tif"], ["search", "--reference", "-", "out.npy"]],
    ids=["grid", "search"],
)
def test_interrupt_while_waiting_for_input(work, arguments, json):
    """The pipe's writer writes nothing, or not everything."""
    for begun in b"", b"lon,lat\n1,2\n":
        process = subprocess.Popen(
            [COMMAND, *arguments, *json],
            cwd=work.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdin.write(begun)
        process.stdin.flush()
        wait_for_signals(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        process.stdin.close()
        out, error = process.stdout.read().decode(), process.stderr.read().decode()
        said, silent = (
            (out, error) if json else (error, out)
        )  # nothing where the machine was too busy for two seconds
        assert silent == "" and (said == "" or "interrupted" in said)
        assert list(work.directory.iterdir()) == []


def test_describing_waits_for_no_input(work):
    process = subprocess.Popen(
        [COMMAND, "--seeds", "-", "--size", "20,10", "--describe", "d.json", "out.tif"],
        cwd=work.directory,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.wait(timeout=60) == 0
    process.stdin.close()
    assert [p.name for p in work.directory.iterdir()] == ["d.json"] and process.stderr.read() == b""


def test_an_error_is_the_only_line_of_a_run_that_is_ended_while_it_leaves(work):
    """As mpirun ends ranks that have printed their error."""
    lon, lat = globe(3)
    work.csv("s.csv", lon, lat)
    work.write("out.tif", "something precious")
    process = subprocess.Popen(
        [COMMAND, "--seeds", "s.csv", "out.tif"],
        cwd=work.directory,
        stderr=subprocess.PIPE,
        text=True,
        env=build_shim(work.directory, "leaving"),
    )
    line = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert line == "gpuvoronoi: error: output out.tif exists; use --overwrite to replace it\n"
    assert process.communicate(timeout=30)[1] == "" and process.returncode != 0
