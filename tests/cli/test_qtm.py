"""gpuvoronoi qtm: golden lines, agreement between its subcommands, and what bad input gets."""

import math
import random
import subprocess

import pytest

from conftest import COMMAND


def qtm(*arguments, text=None):
    done = subprocess.run(
        [COMMAND, "qtm", *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def lines(*arguments, text=None):
    status, output, error = qtm(*arguments, text=text)
    assert (status, error) == (0, "")
    return output.splitlines()


def fails(*arguments, status=1, has="", text=None):
    code, output, error = qtm(*arguments, text=text)
    assert code == status, error
    assert error.startswith("gpuvoronoi: error: ") and error.count("\n") == 1
    assert has in error, error
    return output


def test_golden():
    assert lines("encode", "--level", 18, 8 + 32 / 60 + 52 / 3600, 47 + 24 / 60 + 18 / 3600) == [
        "1133013130312011310"
    ]
    assert lines("encode", "--level=0", -70.5, -33.4) == ["8"]
    assert lines("encode", -180, "-.5", "--level", 1) == ["72"]
    assert lines("decode", "1", "7") == [
        "45.000000000000 35.264389682755",
        "-135.000000000000 -35.264389682755",
    ]
    assert lines("neighbors", "1") == ["5 2 4"]
    assert lines("neighbors", "10") == ["11 12 13"]


def test_info():
    info = dict(line.split(": ", 1) for line in lines("info", "10"))
    assert (
        info["id"] == "10"
        and info["level"] == "1"
        and info["octant"] == "1"
        and info["number"] == "0"
    )
    assert (
        info["parent"] == "1"
        and info["children"] == "100 101 102 103"
        and info["neighbors"] == "11 12 13"
    )
    corners = {tuple(map(float, info[f"corner {i}"].split())) for i in (1, 2, 3)}
    assert corners == {(0, 45), (45, 0), (90, 45)}
    assert lines("info", "--integer", info["integer"])[0] == "id: 10"
    total = sum(
        float(line.split()[1])
        for line in lines("info", *(f"{o}{c}" for o in range(1, 9) for c in range(4)))
        if line.startswith("area: ")
    )
    assert total == pytest.approx(4 * math.pi * 6371.0087714150598**2, rel=1e-8)
    assert not any(line.startswith("parent") for line in lines("info", "5"))
    assert not any(line.startswith("children") for line in lines("info", "5" + "2" * 29))


def test_streams_round_trip():
    source = random.Random(1)
    places = [(source.uniform(-180, 180), source.uniform(-90, 90)) for _ in range(5000)]
    for level in (0, 9, 29):
        ids = lines("encode", "--level", level, text="".join(f"{x!r} {y!r}\n" for x, y in places))
        assert len(ids) == len(places) and all(len(i) == level + 1 for i in ids)
        centers = lines("decode", text="\n".join(ids))
        assert lines("encode", "--level", level, text="\n".join(centers)) == ids
        integers = lines(
            "encode",
            "--level",
            level,
            "--integer",
            text="".join(f"{x!r},{y!r}\n" for x, y in places),
        )
        assert lines("decode", "--integer", text="\n".join(integers)) == centers
        near = [line.split() for line in lines("neighbors", text="\n".join(ids))]
        back = lines("neighbors", text="\n".join(cell for three in near for cell in three))
        for i, line in enumerate(back):
            assert ids[i // 3] in line.split()


def test_separators():
    assert lines("encode", "--level", 0, text="1 2\n1,2\n1, 2\r\n\t1\t2 \n1 2") == ["1"] * 5
    assert lines("encode", "--level", 3, text="") == []


@pytest.mark.parametrize(
    "arguments,has",
    [
        ([], "missing qtm subcommand"),
        (["frob"], "frob"),
        (["encode"], "--level"),
        (["encode", "1", "2"], "--level"),
        (["encode", "--level", "30", "1", "2"], "30"),
        (["encode", "--level", "-1", "1", "2"], "-1"),
        (["encode", "--level", "3.5", "1", "2"], "3.5"),
        (["encode", "--level", "3", "1"], "LON LAT"),
        (["encode", "--level", "3", "1", "2", "3"], "LON LAT"),
        (["decode", "--level", "3", "1"], "--level"),
        (["decode", "--frob"], "--frob"),
    ],
)
def test_usage(arguments, has):
    assert fails(*arguments, status=2, has=has) == ""


@pytest.mark.parametrize(
    "longitude,latitude,has",
    [
        ("1", "91", "91"),
        ("1", "-90.0000001", "-90.0000001"),
        ("x", "1", "x"),
        ("1", "nan", "nan"),
        ("inf", "1", "inf"),
        ("1", "", "latitude"),
        ("1e999", "1", "1e999"),
        ("12W", "1", "12W"),
    ],
)
def test_bad_places(longitude, latitude, has):
    assert fails("encode", "--level", 3, longitude, latitude, has=has) == ""


@pytest.mark.parametrize(
    "identifier", ["0", "9", "14", "1x", "", "1" + "0" * 30, "1.5", "+1", "-1"]
)
def test_bad_ids(identifier):
    for subcommand in ("decode", "neighbors", "info"):
        assert fails(subcommand, identifier, has=f"({identifier})") == ""


@pytest.mark.parametrize(
    "identifier", ["0", "-5", "1", "9223372036854775807", "99999999999999999999", "x", ""]
)
def test_bad_integers(identifier):
    assert fails("info", "--integer", identifier, has=f"({identifier})") == ""


def test_bad_lines_name_their_number():
    assert fails("encode", "--level", 0, text="1 2\n3 4\n5\n6 7\n", has="line 3: ") == "1\n1\n"
    assert fails("encode", "--level", 0, text="1 2\n\n", has="line 2: ") == "1\n"
    assert fails("decode", text="1\n2 3\n", has="line 2: ").count("\n") == 1
    fails("encode", "--level", 0, text="1 2 3\n", has="line 1: ")


def test_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [COMMAND, "qtm", "decode", "1"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1 and "standard output" in done.stderr
