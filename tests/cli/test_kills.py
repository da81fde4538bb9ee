"""
Killed runs: every file is what it was before or complete and new. SIGKILL between two renames may leave some new files beside some old
ones; the old ones that were replaced are then in a temporary directory, which the next run for the same output names in a warning. What
else such a run leaves the next one removes, and nothing that it has not made itself.
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
from test_moves import BACKUPS, SYSTEMS, shim  # noqa: F401 (shim is a fixture)

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
        self.new = {
            name: len(data) for name, data in listing(work.directory).items() if name not in inputs
        }
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
        return subprocess.Popen(
            [COMMAND, *self.arguments[:-1], "--overwrite", self.arguments[-1]],
            cwd=self.work.directory,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def which(self):
        """Old or new, or None for a mixture. Each file is complete."""
        found = {
            name: data
            for name, data in listing(self.work.directory).items()
            if name not in self.inputs
        }
        for name, data in found.items():
            assert data == self.old[name] or len(data) == self.new[name], name
        states = {
            "old" if found.get(name) == data else "new" if name in found else "none"
            for name, data in self.old.items()
        }
        return states.pop() if len(states) == 1 else None

    def leftovers(self):
        return [p.name for p in self.work.directory.iterdir() if p.is_dir()]

    def backups(self):
        """The files that were being replaced, by name."""
        return {p.name: p.read_bytes() for p in self.work.directory.glob(f".*.tmp-*/{BACKUPS}/*")}

    def nothing_is_lost(self):
        """Each old file is in its place, or among the backups, or all are new."""
        which, backups = self.which(), self.backups()
        for name, data in self.old.items():
            place = self.work.path(name)
            kept = place.exists() and place.read_bytes() == data or data in backups.values()
            assert kept or which == "new", name
        return which

    def finish(self):
        """A run for the same outputs: all are new, and of what the dead one has left only old files stay, each of them named."""
        backups = self.backups()
        process = self.start()
        _, error = process.communicate(timeout=60)
        assert process.returncode == 0 and self.which() == "new", error
        assert self.backups() == backups
        for name in self.leftovers():
            assert f"{name}/{BACKUPS}" in error and list(self.work.path(name).rglob("*"))
        assert (self.leftovers() == []) == (backups == {})


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", RUNS)
def test_killed_at_each_rename(work, shim, name, system):  # noqa: F811
    killed = Killed(work, name)
    seen = []
    for number in range(1, 40):
        for at in ("before", "after"):
            killed.restore()
            process = killed.start(**shim, MOVES_KILL=f"{number} {at}", **SYSTEMS[system])
            process.communicate(timeout=60)
            if process.returncode == 0:
                assert killed.which() == "new" and killed.leftovers() == []
                break
            assert process.returncode == -signal.SIGKILL
            assert killed.leftovers() != []
            seen.append(killed.nothing_is_lost())
            killed.finish()
        else:
            continue
        break
    assert number > 2 and None in seen  # or there was nothing between two renames


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
        which = killed.nothing_is_lost()
        if number != signal.SIGKILL:
            # Refused before the process could listen, ended in time, or interrupted.
            assert process.returncode in (0, 128 + number, -number), error
            assert (
                which == ("new" if process.returncode == 0 else "old") and killed.leftovers() == []
            )
            assert error in ("", "gpuvoronoi: error: interrupted\n") or process.returncode == 0
        else:
            killed.finish()
        count[number.name, which] = count.get((number.name, which), 0) + 1
    print(count)


# ---------------------------------------------------------------------------------------------------------- what others made


def prefix_of(stem):
    return f".{stem}.tmp-" + (re.sub(r"[^A-Za-z0-9]", "_", socket.gethostname())[:32] or "_") + "-"


def test_leftovers_are_removed_by_name_owner_mode_and_lock(work):
    """Only what a run of this user on this machine has made and holds no more."""
    killed = Killed(work, "outputs")
    digits = "0123456789abcdef" * 2
    names = {
        "dead": prefix_of("r") + digits,
        "living": prefix_of("r") + digits[::-1],
        "host": prefix_of("r")[:-1] + "x-" + digits,
        "short": prefix_of("r") + "1-0",
        "letters": prefix_of("r") + digits.upper(),
        "open": prefix_of("r") + "1" * 32,
        "unlocked": prefix_of("r") + "2" * 32,
        "linked": prefix_of("r") + "3" * 32,
    }
    for kind, name in names.items():
        folder = work.path(name)
        folder.mkdir(mode=0o755 if kind == "open" else 0o700)
        (folder / "r.tif").write_text("half a file")
        if kind == "linked":
            (folder / ".gpuvoronoi-lock").symlink_to(work.path("s.csv"))
        elif kind != "unlocked":
            (folder / ".gpuvoronoi-lock").write_text("")
    held = subprocess.Popen(
        ["flock", "--exclusive", work.path(names["living"]) / ".gpuvoronoi-lock", "sleep", "60"]
    )
    try:
        for _ in range(200):
            if (
                subprocess.run(
                    ["flock", "--nonblock", work.path(names["living"]) / ".gpuvoronoi-lock", "true"]
                ).returncode
                != 0
            ):
                break
            time.sleep(0.02)
        assert killed.start().wait(60) == 0
        assert sorted(killed.leftovers()) == sorted(
            name for kind, name in names.items() if kind != "dead"
        )
    finally:
        subprocess.run(["pkill", "-P", str(held.pid)])
        held.kill()
        held.wait()


@pytest.mark.parametrize(
    "arguments", [[], ["--dry-run"], ["--describe", "d.json"]], ids=["run", "dry", "describe"]
)
def test_planted_directories_do_nothing(work, arguments):
    """A directory like a dead run's, with a journal as runs once left it, with links, from an archive or of another user."""
    home, out = work.path("home"), work.path("out")
    (home / "documents").mkdir(parents=True)
    out.mkdir()
    for path in home / "documents" / "thesis.txt", home / "single":
        path.write_text("precious")
    work.csv("out/s.csv", *globe(20))
    for number, name in enumerate(
        [prefix_of("o") + "1-0", prefix_of("o") + "0" * 32, prefix_of("d") + "0" * 32]
    ):
        planted = out / name
        planted.mkdir(mode=0o700)
        (planted / "key").write_text("a stranger's")
        (planted / ".gpuvoronoi-lock").write_text("")
        (planted / "documents").symlink_to(home / "documents")
        (planted / "inner").mkdir()
        (planted / "inner" / "link").symlink_to(home)
        facts = (home / "single").lstat()
        identity = f"{facts.st_dev} {facts.st_ino} {facts.st_size} {facts.st_mtime_ns // 10**9}.{facts.st_mtime_ns % 10**9:09d}"
        moves = [
            "gpuvoronoi moves 1",
            "directory",
            str(home / "documents"),
            "move",
            str(planted / "key"),
            str(home / "planted"),
            "",
            "move",
            "",
            str(home / "single"),
            identity,
            "end",
        ]
        (planted / ".moves").write_bytes(b"".join(text.encode() + b"\0" for text in moves))
    before, there = listing_of(home), sorted(p.name for p in out.iterdir())
    done = work.run(
        "--seeds",
        "out/s.csv",
        "--size",
        "16,8",
        *[f"out/{a}" if a == "d.json" else a for a in arguments],
        "out/o.tif",
    )
    assert done.returncode == 0, done.stderr
    assert listing_of(home) == before
    if arguments == ["--dry-run"]:
        assert sorted(p.name for p in out.iterdir()) == there


def listing_of(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
        for p in folder.rglob("*")
    }


def test_directories_of_other_users_stay(work):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    killed = Killed(work, "outputs")
    planted = work.path(prefix_of("r") + "0" * 32)
    planted.mkdir(mode=0o700)
    (planted / ".gpuvoronoi-lock").write_text("")
    for path in planted, planted / ".gpuvoronoi-lock":
        os.chown(path, 65534, 65534)
    assert killed.start().wait(60) == 0
    assert killed.leftovers() == [planted.name]


def test_a_temporary_directory_is_swapped_for_a_link(work, shim):  # noqa: F811
    """By a user who may write to the directory of the output: what the link leads to is not touched."""
    work.csv("s.csv", *globe(2000))
    victim = work.path("victim")
    victim.mkdir()
    (victim / "precious").write_text("precious")
    work.path("shared").mkdir()
    command = [
        COMMAND,
        "--seeds",
        "s.csv",
        "--size",
        "9000,4500",
        "--metric",
        "great-circle",
        "--backend",
        "serial",
        "shared/o.tif",
    ]
    process = subprocess.Popen(
        command, cwd=work.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (made := list(work.path("shared").glob(".*.tmp-*/o.tif"))):
        assert process.poll() is None
        time.sleep(0.02)
    made[0].parent.rename(work.path("shared") / "moved")
    made[0].parent.symlink_to(victim)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert listing_of(victim) == {"precious": b"precious"}
    assert not any(path.name == "o.tif" for path in work.path("shared").rglob("*"))


def test_a_side_file_replaces_no_file_behind_a_link(work):
    """A stranger's link where a side file goes: the link is replaced, what it leads to stays."""
    work.csv("s.csv", *globe(20), name=[f"n{i}" for i in range(20)])
    for name in "o.tif.aux.xml", "o.qml", "o.tif.ovr":
        work.write("target-" + name, "precious")
        work.path(name).symlink_to("target-" + name)
    work.ok("--seeds", "s.csv", "--size", "16,8", "--overwrite", "o.tif")
    for name in "o.tif.aux.xml", "o.qml", "o.tif.ovr":
        assert work.path("target-" + name).read_text() == "precious"
    assert not work.path("o.tif.aux.xml").is_symlink()


def test_files_of_others_in_a_leftover_stay(work):
    """What the run has made is removed; a file that was put there later stays, and so does the directory."""
    work.csv("s.csv", *globe(30, seed=2))
    folder = work.path(
        ".r.tmp-" + re.sub("[^A-Za-z0-9]", "_", socket.gethostname())[:32] + "-" + "0" * 32
    )
    folder.mkdir(mode=0o700)
    for name in (
        ".gpuvoronoi-lock",
        ".gpuvoronoi-source.tif",
        "r.tif",
        "r_temp.fgb",
        "notes.txt",
        "pictures",
    ):
        (folder / name).write_text("contents") if name != "pictures" else (folder / name).mkdir()
    others = ["r.of-another-user"] if os.geteuid() == 0 else []
    for name in others:
        (folder / name).write_text("contents")
        os.chown(folder / name, 65534, 65534)
    (folder / "pictures/one.png").write_text("contents")
    work.run("--seeds", "s.csv", *SIZE, "r.tif")
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*")) == [
        ".gpuvoronoi-lock",
        "notes.txt",
        "pictures",
        "pictures/one.png",
        *others,
    ]
    shutil.rmtree(folder / "pictures")
    for name in ["notes.txt", *others]:
        (folder / name).unlink()
    work.ok("--seeds", "s.csv", *SIZE, "--overwrite", "r.tif")
