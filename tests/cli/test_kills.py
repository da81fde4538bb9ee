"""
Killed runs: what is there afterwards is what was there before or all that is new, never a mixture that lasts, never half a file.
SIGKILL may leave temporary directories, and a set of files half moved: the next run for the same output finishes that.
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time

import numpy as np
import pytest

from conftest import COMMAND, globe
from test_moves import shim  # noqa: F401 (a fixture)

LONG = os.environ.get("GPUVORONOI_LONG") == "1"
SIZE = ["--metric", "great-circle", "--size", "200,100"]
# Sets of files, several of which are replaced: side files, another output, a container with another layer.
RUNS = {
    "files": ["--seeds", "s.csv", *SIZE, "--of", "ENVI", "--no-style", "--stats", "t.shp", "r.bin"],
    "outputs": ["--seeds", "s.csv", *SIZE, "--stats", "t.csv", "--distance", "d.tif", "r.tif"],
    "search": ["search", "--reference", "q.npy", "--distances", "d.npy", "o.npy"],
}
OUT = {"files": "r.bin", "outputs": "r.tif", "search": "o.npy"}


def listing(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


class Killed:
    """A folder with old outputs, what the new ones are, and runs in it that do not end by themselves."""

    def __init__(self, work, name):
        self.work, self.name, self.arguments = work, name, RUNS[name]
        lon, lat = globe(300, seed=5)
        work.csv("s.csv", lon, lat)
        np.save(work.path("q.npy"), np.random.default_rng(1).random((400, 2)))
        inputs = listing(work.directory)
        # Files of drivers hold the time: the new set is what a run makes, with its own names and sizes.
        assert work.run(*self.arguments).returncode == 0
        self.new = {name: len(data) for name, data in listing(work.directory).items() if name not in inputs}
        # A style that people have changed would stay.
        self.old = {name: b"<!-- made by gpuvoronoi --> old " + name.encode() for name in self.new}
        self.inputs = inputs
        self.restore()

    def restore(self):
        for path in list(self.work.directory.iterdir()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, data in {**self.inputs, **self.old}.items():
            self.work.path(name).write_bytes(data)

    def start(self, **environment):
        return subprocess.Popen([COMMAND, *self.arguments[:-1], "--overwrite", self.arguments[-1]], cwd=self.work.directory,
                                env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def which(self):
        """Old or new, or None for a mixture."""
        found = {name: data for name, data in listing(self.work.directory).items() if name not in self.inputs}
        if found == self.old:
            return "old"
        whole = {name: len(data) for name, data in found.items()} == self.new
        return "new" if whole and not any(data in self.old.values() for data in found.values()) else None

    def leftovers(self):
        return [p.name for p in self.work.directory.iterdir() if p.is_dir()]

    def finish(self):
        """Another run for the same output, which is refused: it changes nothing but what the dead one has left for that output, or
        for all if these were on their way into place. Gives the state; a whole run then takes away the rest."""
        done = self.work.run(*self.arguments)
        assert done.returncode == 1 and "exists" in done.stderr, done.stderr
        which = self.which()
        if self.leftovers():  # of another output: before the first move, or after the last
            assert which is not None
            assert self.start().wait(60) == 0 and self.which() == "new"
        assert self.leftovers() == []
        return which


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("name", RUNS)
def test_killed_at_each_move(work, shim, name, links):  # noqa: F811
    killed = Killed(work, name)
    seen = []
    for number in range(1, 40):
        for at in ("before", "after"):
            killed.restore()
            more = {} if links else {"MOVES_NO_LINKS": "1"}
            process = killed.start(**shim, MOVES_KILL=f"{number} {at}", **more)
            process.communicate(timeout=60)
            if process.returncode == 0:
                assert killed.which() == "new" and killed.leftovers() == []
                break
            assert process.returncode == -signal.SIGKILL
            assert killed.leftovers() != []
            seen.append(killed.which())
            assert killed.finish() == "new", (number, at)  # all were complete
        else:
            continue
        break
    assert number > 2 and None in seen  # or there was nothing to finish


def test_killed_at_random(work):
    generator = random.Random(7)
    names = list(RUNS)
    killed, count = None, {}
    for turn in range(1000 if LONG else 24):
        if turn % 8 == 0:
            for path in list(work.directory.iterdir()):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            killed = Killed(work, names[turn // 8 % len(names)])
            before = time.monotonic()
            killed.start().communicate(timeout=60)
            takes = time.monotonic() - before
        killed.restore()
        number = generator.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        process = killed.start()
        time.sleep(generator.uniform(0, 1.1 * takes))
        process.send_signal(number)
        _, error = process.communicate(timeout=30)
        which = killed.which()
        if number != signal.SIGKILL:
            # Refused before the process could listen, ended in time, or interrupted.
            assert process.returncode in (0, 128 + number, -number), error
            assert which == ("new" if process.returncode == 0 else "old") and killed.leftovers() == []
            assert error in ("", "gpuvoronoi: error: interrupted\n") or process.returncode == 0
        else:
            finished = killed.finish()
            assert finished in ("old", "new") and which in (None, finished, "old")
        count[number.name, which] = count.get((number.name, which), 0) + 1
    print(count)


def test_directories_of_the_living_and_of_others_stay(work):
    """Only what is locked by nobody, on this machine, is taken away."""
    killed = Killed(work, "outputs")
    host = re.sub(r"[^A-Za-z0-9]", "_", socket.gethostname())[:32] or "_"
    living, other, dead = (work.path(f".r.tmp-{name}-99999-0") for name in (host, host + "x", host))
    other.mkdir()
    dead.mkdir()
    (dead / "r.tif").write_text("half a file")
    assert work.run(*killed.arguments).returncode == 1 and not dead.exists() and other.exists()
    living.mkdir()
    held = subprocess.Popen(["flock", "--exclusive", living, "sleep", "60"])
    try:
        for _ in range(200):
            if subprocess.run(["flock", "--nonblock", living, "true"]).returncode != 0:
                break
            time.sleep(0.02)
        assert work.run(*killed.arguments).returncode == 1
        assert living.exists() and other.exists() and killed.which() == "old"
    finally:
        subprocess.run(["pkill", "-P", str(held.pid)])
        held.kill()
        held.wait()


def test_what_has_come_meanwhile_stays(work, shim):  # noqa: F811
    """Between the death and the next run somebody put a file of their own in a place that was still to be filled."""
    killed = Killed(work, "outputs")
    process = killed.start(**shim, MOVES_KILL="1 after")
    process.communicate(timeout=60)
    assert killed.which() is None
    still = [name for name, data in killed.old.items() if work.path(name).read_bytes() == data]
    work.path(still[0]).unlink()
    work.path(still[0]).write_text("mine now")
    killed.finish()
    assert work.path(still[0]).read_text() == "mine now"
    for name in still[1:]:
        assert work.path(name).read_bytes() != killed.old[name]
