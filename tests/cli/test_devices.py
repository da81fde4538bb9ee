"""gpuvoronoi devices: works on every machine and says why there is nothing to list."""

import json
import subprocess

from conftest import COMMAND


def devices(*arguments):
    return subprocess.run([COMMAND, "devices", *arguments], capture_output=True, text=True, timeout=120)


def test_both_forms_agree():
    plain, listed = devices(), devices("--json")
    assert (plain.returncode, plain.stderr, listed.returncode, listed.stderr) == (0, "", 0, "")
    answer = json.loads(listed.stdout)
    if answer["devices"]:
        assert answer["reason"] == ""
        assert len(plain.stdout.splitlines()) == len(answer["devices"])
        for number, device in enumerate(answer["devices"]):
            assert device["number"] == number and device["name"] and device["memory_bytes"] > 0
            assert device["usable"] == (device["reason"] == "")
            assert device["name"] in plain.stdout
    else:
        assert answer["reason"]
        assert plain.stdout == f"no CUDA device: {answer['reason']}\n"


def test_usage():
    done = devices("x")
    assert done.returncode == 2 and "x" in done.stderr and done.stderr.count("\n") == 1
    assert devices("--frob").returncode == 2
    assert devices("--help").stdout.startswith("Usage: gpuvoronoi devices")
