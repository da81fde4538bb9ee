#!/usr/bin/python3
"""
Many commands in one directory: one after another, and eight processes at once with the same outputs and with others. Every output
is right, byte for byte that of the first run, and nothing is left: no temporary file, here or in TMPDIR.

    commands.py COMMAND --runs 2000 --at-once 50 [--plant leftover|answer]

Runs: how many one after another; at once: how often each of the eight runs. --plant is for the check of this check.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PROCESSES = 8

# Outputs stand where {} is put before their names. Expected status, arguments, outputs.
GRID = ["--seeds", "s.csv", "--size", "90,45", "--quiet"]
KINDS = [
    (0, [*GRID, "{}a.tif"], ["a.tif"]),
    (
        0,
        [*GRID, "--metric", "great-circle", "-k", "2", "--distance", "{}bd.tif", "{}b.tif"],
        ["b.tif", "bd.tif"],
    ),
    (
        0,
        [*GRID, "--stats", "{}c.csv", "--azimuth", "{}ca.tif", "{}c.tif"],
        ["c.tif", "c.csv", "ca.tif"],
    ),
    (0, [*GRID, "--mask", "m.geojson", "--max-distance", "3000km", "{}d.tif"], ["d.tif"]),
    (0, [*GRID, "--of", "COG", "{}e.tif"], ["e.tif"]),
    (0, [*GRID, "--metric", "great-circle", "--threads", "3", "-k", "3", "{}f.tif"], ["f.tif"]),
    (0, [*GRID, "--level", "4", "--stats", "{}g.csv", "{}g.tif"], ["g.tif", "g.csv"]),
    (
        0,
        [
            "search",
            "--reference",
            "s.csv",
            "-k",
            "3",
            "--quiet",
            "--distances",
            "{}hd.npy",
            "{}h.npy",
        ],
        ["h.npy", "hd.npy"],
    ),
    (
        0,
        ["--seeds", "s.csv", "--polygons", "{}i.geojson", "--size", "30,15", "--quiet", "{}i.tif"],
        ["i.tif", "i.geojson"],
    ),
    (1, ["--seeds", "nowhere.csv", "--size", "90,45", "{}x.tif"], []),
    (1, [*GRID, "--distance", "nowhere/d.tif", "{}x.tif"], []),
    (2, [*GRID, "--frob", "{}x.tif"], []),
]


class Failure(Exception):
    pass


class Soak:
    def __init__(self, command, folder):
        self.command = command
        self.folder = folder
        self.temporary = folder.parent / "tmp"
        self.environment = {**os.environ, "TMPDIR": str(self.temporary), "PROJ_NETWORK": "OFF"}
        self.temporary.mkdir()
        folder.mkdir()
        draw = random.Random(1)
        rows = [f"{draw.uniform(-180, 180)!r},{draw.uniform(-85, 85)!r}" for _ in range(40)]
        (folder / "s.csv").write_text("lon,lat\n" + "\n".join(rows) + "\n")
        (folder / "m.geojson").write_text(
            '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": '
            '{"type": "Polygon", "coordinates": [[[-60, -50], [80, -40], [90, 60], [-70, 50], [-60, -50]]]}}]}'
        )
        self.inputs = self.files()
        self.expected = {}

    def files(self):
        return {p.name: p.read_bytes() for p in self.folder.iterdir()}

    def run(self, kind, prefix):
        """One command; gives its outputs' bytes."""
        status, arguments, outputs = KINDS[kind]
        arguments = [a.format(prefix) for a in arguments]
        done = subprocess.run(
            [self.command, *arguments, "--overwrite"][: None if status != 2 else -1],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        line = done.stderr.splitlines()
        if done.returncode != status or len(line) != (status != 0):
            raise Failure(f"{arguments}: status {done.returncode}, not {status}: {done.stderr}")
        return {name: (self.folder / (prefix + name)).read_bytes() for name in outputs}

    def check(self, kind, found):
        for name, content in found.items():
            if content != self.expected.setdefault((kind, name), content):
                raise Failure(f"{name} is not what it was at first")

    def check_nothing_left(self, outputs):
        side = {
            name
            for output in outputs
            for name in (output + ".aux.xml", output.rsplit(".", 1)[0] + ".qml")
        }
        expected = {*self.inputs, *outputs, *side}
        left = set(self.files()) - expected
        left |= {p.name for p in self.temporary.iterdir()}
        if left:
            raise Failure(f"left behind: {sorted(left)[:5]}")
        if any(
            (self.folder / name).read_bytes() != content for name, content in self.inputs.items()
        ):
            raise Failure("an input was changed")

    def in_turn(self, runs):
        made = set()
        for i in range(runs):
            kind = i % len(KINDS)
            found = self.run(kind, "")
            made |= set(found)
            self.check(kind, found)
            if i % 100 == 0 or i == runs - 1:
                self.check_nothing_left(made)
        print(f"{runs} commands in turn: all outputs right, nothing left", flush=True)

    def at_once(self, times):
        """Each process: the same outputs as all others, then some of its own."""
        for name in self.files():
            if name not in self.inputs:
                (self.folder / name).unlink()
        # Of several that make a file where none was, one succeeds and the others fail: here all find one to replace.
        for kind, (status, _, _) in enumerate(KINDS):
            if status == 0:
                self.check(kind, self.run(kind, "same-"))

        def process(number):
            for i in range(times):
                for kind, prefix in (
                    (0 if i % 2 == 0 else i // 2 % len(KINDS), "same-"),
                    (i % len(KINDS), f"own{number}-"),
                ):
                    self.check(kind, self.run(kind, prefix))

        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            for done in [pool.submit(process, number) for number in range(PROCESSES)]:
                done.result()
        names = [name for _, _, outputs in KINDS for name in outputs]
        prefixes = ["same-", *(f"own{number}-" for number in range(PROCESSES))]
        self.check_nothing_left({prefix + name for prefix in prefixes for name in names})
        print(
            f"{PROCESSES} processes at once, {2 * times} commands each: all outputs right, nothing left",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--plant", choices=["leftover", "answer"])
    options = parser.parse_args()
    base = pathlib.Path(tempfile.mkdtemp(prefix="gpuvoronoi-soak-"))
    try:
        soak = Soak(os.path.abspath(options.command), base / "work")
        if options.plant == "leftover":
            (soak.folder / ".a.tif.tmp-1").write_text("")
        if options.plant == "answer":
            soak.expected[0, "a.tif"] = b"another"
        soak.in_turn(options.runs)
        soak.at_once(options.at_once)
    except Failure as failure:
        print(f"soak: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(base)
    return 0


sys.exit(main())
