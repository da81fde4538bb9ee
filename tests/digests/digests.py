#!/usr/bin/env python3
"""Digests of answers, recorded once and checked ever after: no change of the code may change one.

    digests.py GPUVORONOI record FILE     runs every question once, by `tile`, and writes FILE; `check` then must agree
    digests.py GPUVORONOI check FILE      runs questions with every backend and instruction set that this machine has

    --backends all|cpu|cuda   which backends (default: all that can run here)
    --all, --sample N         all pairs of question and way, or one in N by a fixed rule (default: --all)
    --only REGEX              questions with a name that matches
    --jobs N                  runs side by side (default: one a processor)
    --against COMMAND         check: where an answer differs, ask this (older) command too and say in which part
    --files                   digests of the files as they are: only for the same version, GDAL, PROJ and libtiff

FILE holds a head of `# name value` and one line a question: its name, and the SHA-256 of what decode.py finds in its
outputs. Exit status: 0, 1 when something differs, 77 when nothing could be run. What this machine cannot run is counted.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
import decode
import inputs
import questions

SIMD = {
    "baseline": (),
    "avx2": ("avx2", "fma"),
    "avx512": ("avx512f", "avx512dq", "avx512vl", "avx512bw"),
}
WEIGHTED = ("auto", "tile", "cuda-tile", "serial", "openmp")  # the others refuse weights
LARGE = ("auto", "tile", "cuda-tile", "kdtree", "cuda-kdtree")  # the others take too long
TIMED = (
    ".gpkg",
    ".nc",
    ".hdr",
)  # their bytes hold the time, their own path, or depend on what else wrote them

Way = collections.namedtuple("Way", "backend simd")


class Refused(Exception):
    """The backend does not do this."""


# -------------------------------------------------------------------------------------------- what this machine has


def versions(command):
    """Of the command and of the libraries it is linked with."""
    found = {
        "gpuvoronoi": subprocess.run(
            [command, "--version"], capture_output=True, text=True
        ).stdout.split()[1]
    }
    linked = subprocess.run(["ldd", command], capture_output=True, text=True).stdout
    at = dict(re.findall(r"(lib\w+)\.so\S* => (\S+)", linked))

    def ask(library, function, *arguments):
        try:
            f = getattr(ctypes.CDLL(at[library]), function)
            f.restype = ctypes.c_char_p
            return f(*arguments).decode().split("\n")[0].split()[-1]
        except (KeyError, OSError, AttributeError):
            return "unknown"

    class ProjInfo(ctypes.Structure):
        _fields_ = (
            [("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int)]
            + [(n, ctypes.c_char_p) for n in ("release", "version", "searchpath")]
            + [("paths", ctypes.c_void_p), ("path_count", ctypes.c_size_t)]
        )

    try:
        info = ctypes.CDLL(at["libproj"]).proj_info
        info.restype = ProjInfo
        found["PROJ"] = info().version.decode()
    except (KeyError, OSError, AttributeError):
        found["PROJ"] = "unknown"
    return found | {
        "GDAL": ask("libgdal", "GDALVersionInfo", b"RELEASE_NAME"),
        "libtiff": ask("libtiff", "TIFFGetVersion"),
    }


def instruction_sets():
    try:
        flags = set(
            re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
            .group(1)
            .split()
        )
    except (OSError, AttributeError):
        flags = set()
    return [name for name, needed in SIMD.items() if flags.issuperset(needed)]


def backend_list(command):
    return json.loads(
        subprocess.run(
            [command, "backends", "--json"], capture_output=True, text=True, check=True
        ).stdout
    )


def has_gdal():
    try:
        from osgeo import gdal  # noqa: F401
    except ImportError:
        return False
    return True


def ways_of(question, backends, which):
    """All ways to answer a question, those this machine cannot run among them."""
    if not question.backends:
        return [] if which == "cuda" else [Way("", "baseline")]
    ways = []
    for backend in ["auto"] + [
        b["name"] for b in backends if question.grid or b["searches_points"]
    ]:
        if question.weighted and backend not in WEIGHTED or question.large and backend not in LARGE:
            continue
        if question.dimensions > 3 and backend.endswith("octree"):
            continue
        on_gpu = backend.startswith("cuda-")
        if which != "all" and on_gpu != (which == "cuda"):
            continue
        several = backend in ("tile", "openmp") or not question.grid and backend == "kdtree"
        ways += [Way(backend, simd) for simd in (SIMD if several else ["best"])]
    return ways


def draw(question, way, purpose, n):
    """A number below n for a run and a purpose: the fixed rule by which samples and numbers of threads are chosen."""
    return (
        int(
            hashlib.sha256(
                f"{purpose} {question.name} {way.backend} {way.simd}".encode()
            ).hexdigest()[:8],
            16,
        )
        % n
    )


# ----------------------------------------------------------------------------------------------------------- one run


class Runner:
    def __init__(self, command, folder, files):
        self.command, self.folder, self.files = command, folder, files
        self.count, self.lock = 0, threading.Lock()

    def run(self, question, way, command=None):
        """The parts of the answer as lines of text."""
        with self.lock:
            self.count += 1
            out = self.folder / f"run{self.count}"
        out.mkdir()
        try:
            return self.answer(question, way, out, command or self.command)
        finally:
            shutil.rmtree(out)

    def answer(self, question, way, out, command):
        arguments = [a.replace("OUT/", out.name + "/") for a in question.arguments]
        if question.backends:
            arguments += [
                "--backend",
                way.backend,
                "--threads",
                str(1 + draw(question, way, "threads", 4)),
            ]
        if question.grid and question.backends:
            arguments.append("--quiet")
        environment = dict(
            os.environ, PROJ_NETWORK="OFF", LC_ALL="C", OGR_CURRENT_DATE="2000-01-01T00:00:00.000Z"
        )
        environment.pop("GPUVORONOI_SIMD", None)
        if way.simd != "best":
            environment["GPUVORONOI_SIMD"] = way.simd
        given = open(self.folder / question.standard_input) if question.standard_input else None
        try:
            done = subprocess.run(
                [command, *arguments],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                stdin=given or subprocess.DEVNULL,
                timeout=600,
            )
        finally:
            if given:
                given.close()
        if done.returncode != 0:
            message = done.stderr.strip()[-300:]
            if (
                way.backend.startswith("cuda-")
                and f"backend: {way.backend} does not support" in message
            ):
                raise Refused(message)
            return [f"exit status {done.returncode}: {message}"]
        if question.outputs == ["stdout.txt"]:
            (out / "stdout.txt").write_text(done.stdout)
        return self.files_in(out) if self.files else self.answers_in(question, out)

    @staticmethod
    def files_in(out):
        return [
            f"{p.name} {decode.sha(p.read_bytes())}"
            for p in sorted(out.iterdir())
            if p.suffix not in TIMED
        ]

    @staticmethod
    def answers_in(question, out):
        lines = []
        for name in question.outputs:
            try:
                lines += [f"{name} {line}" for line in decode.decode(out / name)]
            except decode.NeedsGdal:
                raise
            except Exception as error:  # whatever is wrong with a file is its answer, and no answer that was recorded
                lines.append(f"{name} cannot be read: {error!r}")
        return lines


def broken(lines):
    """The lines that report a failure."""
    return [line for line in lines if line.startswith("exit status") or " cannot be read: " in line]


def digest(lines):
    return decode.sha("\n".join(lines).encode())


# ------------------------------------------------------------------------------------------------------ many of them


def read_digests(path):
    head, lines = {}, {}
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("# "):
            name, _, value = line[2:].partition(" ")
            head[name] = value
        else:
            name, _, value = line.rpartition(" ")
            lines[name] = value
    return head, lines


def in_turn(jobs, work, function):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, work)


def record(options, runner, here, asked):
    simd, names = here["simd"], [b["name"] for b in here["backends"] if b["available"]]

    def one(question):
        ways = [
            w
            for w in ways_of(question, here["backends"], "cpu")
            if (w.backend in names or w.backend in ("auto", "")) and w.simd in (*simd, "best")
        ]
        way = next(
            (w for w in ways if w.backend in ("tile", "kdtree") and w.simd in (simd[-1], "best")),
            ways[0],
        )
        try:
            return question, runner.run(question, way)
        except decode.NeedsGdal:
            sys.exit(f"digests: recording {question.name} needs GDAL's Python bindings")

    bad, lines = 0, []
    for question, answer in in_turn(options.jobs, asked, one):
        for line in broken(answer):
            bad += 1
            print(f"{question.name}: {line}", flush=True)
        lines.append(f"{question.name} {digest(answer)}\n")
    if bad:
        print(f"digests: {bad} failures: nothing is recorded")
        return 1
    head = "".join(f"# {name} {value}\n" for name, value in here["versions"].items())
    pathlib.Path(options.file).write_text(
        f"# kind {'files' if options.files else 'answers'}\n" + head + "".join(lines)
    )
    print(f"digests: {len(lines)} recorded")
    return 0


def check(options, runner, here, asked):
    head, expected = read_digests(options.file)
    if head["kind"] != ("files" if options.files else "answers"):
        sys.exit(f"digests: {options.file} holds digests of {head['kind']}")
    others = {
        n: v
        for n, v in here["versions"].items()
        if head.get(n) != v and (options.files or n != "gpuvoronoi")
    }
    for name, value in others.items():
        print(f"digests: {name} is {value} here and was {head.get(name)}")
    if options.files and others:
        print("digests: files are not compared across versions")
        return 77
    unknown = [q.name for q in asked if q.name not in expected]
    if unknown:
        sys.exit(
            f"digests: {len(unknown)} questions are not in {options.file}, the first is {unknown[0]}"
        )
    available = {b["name"] for b in here["backends"] if b["available"]} | {"auto", ""}
    left_out, work = collections.Counter(), []
    for question in asked:
        for way in ways_of(question, here["backends"], options.backends):
            if draw(question, way, "sample", options.sample) != 0:
                continue
            if question.projected and "PROJ" in others:
                left_out["another PROJ"] += 1
            elif way.backend not in available:
                left_out[f"no {way.backend}"] += 1
            elif way.simd not in (*here["simd"], "best"):
                left_out[f"no {way.simd}"] += 1
            else:
                work.append((question, way))

    def one(pair):
        question, way = pair
        try:
            return question, way, runner.run(question, way), None
        except decode.NeedsGdal:
            return question, way, None, "no Python bindings of GDAL"
        except Refused:
            return question, way, None, f"{way.backend} refuses"

    same, wrong = 0, collections.defaultdict(list)
    for question, way, lines, reason in in_turn(options.jobs, work, one):
        if reason:
            left_out[reason] += 1
        elif digest(lines) == expected[question.name]:
            same += 1
        else:
            wrong[question.name].append("/".join(way).strip("/"))
            print(f"DIFFERS {question.name} by {'/'.join(way)}", flush=True)
            if options.against:
                theirs = runner.run(question, way, options.against)
                print(
                    "\n".join(
                        ["    was " + line for line in theirs if line not in lines]
                        + ["    is  " + line for line in lines if line not in theirs]
                    ),
                    flush=True,
                )
            for line in broken(lines):
                print("    " + line)
    for reason, count in sorted(left_out.items()):
        print(f"digests: not run: {count} ({reason})")
    print(
        f"digests: {len({q.name for q, _ in work})} questions, {same} runs the same, "
        f"{sum(map(len, wrong.values()))} different in {len(wrong)} questions"
    )
    return 1 if wrong else 0 if same else 77


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", type=os.path.abspath)
    parser.add_argument("mode", choices=("record", "check"))
    parser.add_argument("file")
    parser.add_argument("--backends", choices=("all", "cpu", "cuda"), default="all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--all", dest="sample", action="store_const", const=1)
    parser.add_argument("--against", type=os.path.abspath)
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    asked = [q for q in questions.all_questions() if re.search(options.only, q.name)]
    here = {
        "backends": backend_list(options.command),
        "simd": instruction_sets(),
        "versions": versions(options.command),
    }
    with tempfile.TemporaryDirectory(prefix="gpuvoronoi-digests-") as folder:
        inputs.write_all(folder)
        runner = Runner(options.command, pathlib.Path(folder), options.files)
        return (record if options.mode == "record" else check)(options, runner, here, asked)


if __name__ == "__main__":
    sys.exit(main())
