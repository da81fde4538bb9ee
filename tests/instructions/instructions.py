#!/usr/bin/python3
"""How many instructions ten fixed jobs take: a change of more than 3 % is an error until it is recorded.

    instructions.py check  GPUVORONOI COMPILER WORK [JOB ...]    compares with counts.txt
    instructions.py record GPUVORONOI COMPILER WORK [JOB ...]    writes counts.txt; say in the commit why they changed

COMPILER: name and version, for which counts.txt has rows of its own. Without rows for it the check is skipped (exit status 77).

Each job is a run of the command in valgrind's callgrind: one thread, GPUVORONOI_SIMD=avx2. What counts are the instructions of the command, of
libgpuvoronoi and of PROJ, so neither the start of the process nor GDAL's drivers. Counts have no noise to speak of: the time of the day, other
processes and the processor do not matter.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "digests"))
import inputs  # the same bytes on every machine

COUNTS = HERE / "counts.txt"
ROOM = 0.03
COUNTED = ("gpuvoronoi", "libgpuvoronoi.so", "libproj.so")
PLANE, GLOBE = (0.0, 0.0, 1000.0, 800.0), (-180.0, -85.0, 180.0, 85.0)

JOBS = {
    "plane": "--seeds plane.csv --extent 0,0,1000,800 --size 2500,2000 OUT.tif",
    "plane-tied": "--seeds lattice.csv --extent 0,0,1000,800 --size 1250,1000 -k 4 OUT.tif",
    "weighted": "--seeds plane.csv --extent 0,0,1000,800 --size 500,400 --weighting multiplicative --weight-field w OUT.tif",
    "globe": "--seeds globe.csv --size 2000,1000 OUT.tif",
    "globe-distances": "--seeds globe.csv --size 800,400 --distance OUT-d.tif --azimuth OUT-a.tif OUT.tif",
    "map-sums": "--seeds globe.csv --crs ESRI:54009 --extent=-18040096,-9020048,18040096,9020048 --size 240,120 --metric great-circle "
    "--stats OUT.csv --sum people.tif",
    "polygons": "--seeds boxes.geojson --size 400,200 --distance OUT-d.tif OUT.tif",
    "raster-seeds": "--seeds-raster patches.tif --extent=-180,-90,0,90 --size 200,200 --distance OUT-d.tif OUT.tif",
    "mesh": "--seeds globe.csv --level 8 --size 1024,512 OUT.tif",
    "search": "search --backend kdtree --reference points.npy --queries queries.npy -k 8 OUT.npy",
}


def write_inputs():
    seeds = inputs.uniform(1, 3000, PLANE)
    random = inputs.Random(2)
    text = "".join(f"{x!r},{y!r},{random.number(0.5, 2.0)!r}\n" for x, y in seeds)
    pathlib.Path("plane.csv").write_text("x,y,w\n" + text)
    pathlib.Path("lattice.csv").write_text(
        "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in inputs.lattice(PLANE, 20.0))
    )
    pathlib.Path("globe.csv").write_text(
        "lon,lat\n" + "".join(f"{x!r},{y!r}\n" for x, y in inputs.uniform(3, 3000, GLOBE))
    )
    boxes = ",".join(
        '{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[%s]}}'
        % inputs.ring((x, y, x + random.number(0.5, 9.0), y + random.number(0.5, 4.0)))
        for x, y in inputs.uniform(4, 150, (-180.0, -80.0, 170.0, 80.0))
    )
    pathlib.Path("boxes.geojson").write_text('{"type":"FeatureCollection","features":[%s]}' % boxes)
    inputs.write_tiff(
        pathlib.Path("people.tif"),
        180,
        90,
        (-180.0, 2.0, 0.0, 90.0, 0.0, -2.0),
        inputs.counts(5, 180 * 90, "f", None),
        "f",
        4326,
    )
    inputs.write_tiff(
        pathlib.Path("patches.tif"),
        360,
        180,
        (-180.0, 1.0, 0.0, 90.0, 0.0, -1.0),
        inputs.patches(6, 360, 180, 4),
        "B",
        4326,
    )
    for name, number, seed in (("points", 20000, 7), ("queries", 20000, 8)):
        random = inputs.Random(seed)
        rows = [[random.number(0.0, 1.0) for _ in range(3)] for _ in range(number)]
        inputs.write_array(pathlib.Path(f"{name}.npy"), rows, "d")


def counted(path):
    """The instructions of the objects that count, from callgrind's file: a line of numbers each, but those that follow a call's."""
    names, current, of_call, total = {}, "", False, 0
    for line in path.read_text().splitlines():
        if of_call:
            of_call = False
        elif line.startswith(("ob=", "cob=")):
            kind, _, text = line.partition("=")
            number, _, name = text.partition(" ")
            names.setdefault(number, name)
            if kind == "ob":
                current = names[number]
        elif line.startswith("calls="):
            of_call = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            name = pathlib.PurePath(current).name
            total += (
                int(line.split()[1])
                if any(name == part or name.startswith(part + ".") for part in COUNTED)
                else 0
            )
    return total


def count(command, job):
    arguments = [word.replace("OUT", f"out-{job}") for word in JOBS[job].split()]
    if "--backend" not in arguments:
        arguments += ["--backend", "tile"]
    out = pathlib.Path(f"{job}.callgrind")
    environment = {
        **os.environ,
        "GPUVORONOI_SIMD": "avx2",
        "PROJ_NETWORK": "OFF",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            "--quiet",
            command,
            *arguments,
            "--threads",
            "1",
            "--overwrite",
        ],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"instructions: {job}: {done.stderr}")
    return counted(out)


def read_counts():
    rows = [
        line.split()
        for line in COUNTS.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    unknown = [" ".join(row) for row in rows if row[1] not in JOBS]
    if unknown:
        sys.exit(
            f"instructions: {COUNTS.name}: unknown jobs ({'; '.join(unknown)}); remove the rows"
        )
    return {(compiler, job): int(number) for compiler, job, number in rows}


def write_counts(counts):
    rows = [
        f"{compiler} {job} {number}"
        for (compiler, job), number in sorted(
            counts.items(), key=lambda row: (row[0][0], list(JOBS).index(row[0][1]))
        )
    ]
    COUNTS.write_text(
        "# Instructions of the jobs of instructions.py, which records them: compiler, job, number.\n"
        + "\n".join(rows)
        + "\n"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mode", choices=("check", "record"))
    parser.add_argument("command", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("compiler")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind (apt-get install valgrind)")
        return 77
    counts = read_counts() if COUNTS.exists() else {}
    if options.mode == "check" and not any(compiler == options.compiler for compiler, _ in counts):
        print(f"skipped: no counts of {options.compiler}; record them")
        return 77
    options.work.mkdir(parents=True, exist_ok=True)
    os.chdir(options.work)
    write_inputs()
    bad = 0
    for job in options.jobs or JOBS:
        now, before = count(options.command, job), counts.get((options.compiler, job))
        change = now / before - 1 if before else None
        wrong = options.mode == "check" and (change is None or abs(change) > ROOM)
        print(
            f"{job:16} {now:14,} "
            + ("not recorded" if change is None else f"{before:14,} {change:+7.2%}")
            + ("  <-- more than 3 %" if wrong else ""),
            flush=True,
        )
        bad += wrong
        counts[options.compiler, job] = now
    if options.mode == "record":
        write_counts(counts)
    if bad:
        print(
            f"instructions: {bad} jobs have changed; if that is meant: {' '.join([sys.argv[0], 'record', *sys.argv[2:]])}"
        )
    return 1 if bad else 0


sys.exit(main())
