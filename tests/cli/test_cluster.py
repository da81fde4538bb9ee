"""The command under mpirun: the bytes of one process, whatever the number of ranks, and errors in one line."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, SUMMARY, build_shim
from launchers import ENVIRONMENT, LIMIT, launcher, start  # noqa: F401
from test_mesh import ugrid
from test_parts import CASES, LONG, SMALL, files, outputs_in, rows, seeds


def mpirun(work, launcher, n, *arguments, **options):
    return start(work.directory, launcher, n, *arguments, **options)


def told(done):
    """What the command says, without its summary, which it says once, and what the launcher says."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("gpuvoronoi: ")]
    kinds = [found[1] for found in map(SUMMARY.match, lines) if found]
    assert len(set(kinds)) == len(kinds), done.stderr
    return [line for line in lines if not SUMMARY.match(line)]


SAMPLE = {"all": (3,), "one tile high": (2,)}


def check_bytes(work, launcher, case, n, **options):
    question, outputs, out = CASES[case](work)
    for folder in ("one", "two"):
        work.path(folder).mkdir()
    one = work.ok(*question, *outputs_in("one", outputs), f"one/{out}")
    done = mpirun(
        work,
        launcher,
        n,
        *question,
        *outputs_in("two", outputs),
        f"two/{out}",
        "--threads",
        "1",
        **options,
    )
    assert done.returncode == 0, done.stderr
    assert told(done) == one.stderr.splitlines()
    a, b = files(work.path("one")), files(work.path("two"))
    assert sorted(a) == sorted(b)
    for name in a:
        if name.endswith(".gpkg"):
            assert rows(work.path("one") / name) == rows(work.path("two") / name)
        else:
            assert a[name] == b[name], name


@pytest.mark.parametrize(
    "case,n", [(c, n) for c in CASES for n in ((1, 2, 3, 4, 7) if LONG else SAMPLE.get(c, ()))]
)
def test_bytes_of_one_process(work, launcher, case, n):
    check_bytes(work, launcher, case, n)


@pytest.mark.parametrize("n", (1, 2, 3, 4, 7) if LONG else (2,))
def test_tables_and_meshes_alone(work, launcher, n):
    question = ["--seeds", seeds(work), "--level", "3", "--mesh", "m.nc", "--stats", "t.csv"]
    cells = ["--seeds", "seeds.csv", "--level", "2", "--cells", "c.csv"]
    work.ok(*question)
    work.ok(*cells)
    kept = {name: work.path(name).read_bytes() for name in ("t.csv", "c.csv")}
    mesh = ugrid(work.path("m.nc"))[0]
    assert mpirun(work, launcher, n, *question, "--overwrite").returncode == 0
    assert mpirun(work, launcher, n, *cells, "--overwrite").returncode == 0
    assert {name: work.path(name).read_bytes() for name in kept} == kept
    found = ugrid(work.path("m.nc"))[0]
    assert sorted(found) == sorted(mesh) and all(
        np.array_equal(found[name], mesh[name]) for name in mesh
    )


def fails(work, launcher, arguments, has, n=2):
    before = work.listing()
    done = mpirun(work, launcher, n, *arguments)
    lines = told(done)
    assert done.returncode != 0 and len(lines) == 1 and has in lines[0], done.stderr
    assert work.listing() == before


def test_errors_are_told_once(work, launcher):
    question = ["--seeds", seeds(work), *SMALL]
    work.path("old.tif").write_text("old")
    fails(work, launcher, [*question, "--wrong", "o.tif"], "unknown option --wrong")
    fails(work, launcher, [*question, "old.tif"], "old.tif exists; use --overwrite to replace it")
    fails(work, launcher, ["--seeds", "-", "o.tif"], "standard input: unsupported with mpirun")
    fails(work, launcher, [*question, "--part", "1/2", "o.tif"], "--part: unsupported with mpirun")
    # One rank alone: it is named, the others stop.
    question = [*question, "--backend", "serial", "--size", "4000,3900", "--overwrite", "old.tif"]
    fails(
        work,
        launcher,
        [*question, ":", "-n", "1", COMMAND, *question, "--mask", "nothing.tif"],
        "rank 2 of 3 on ",
    )


def test_the_first_says_what_is_wrong_however_late_it_comes(work, launcher):
    """The other ranks detect it first, but must not exit, because the launcher would then end rank 0."""
    work.write("late.sh", '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || sleep 2\nexec "$@"\n')
    for arguments, says in (
        (["--seeds", seeds(work), "--wrong", "o.tif"], "unknown option --wrong"),
        (["search", "--wrong"], "unknown option --wrong"),
    ):
        done = subprocess.run(
            [*launcher, "-n", "2", "sh", "late.sh", COMMAND, *arguments],
            cwd=work.directory,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env=ENVIRONMENT,
        )
        lines = told(done)
        assert done.returncode != 0 and len(lines) == 1 and says in lines[0], done.stderr


def test_other_commands_run_once(work, launcher):
    seeds(work)
    done = mpirun(
        work, launcher, 2, "search", "--reference", "seeds.csv", "--queries", "seeds.csv", "o.csv"
    )
    assert done.returncode == 0 and told(done) == [], done.stderr
    assert work.path("o.csv").exists()
    done = mpirun(work, launcher, 2, "--version")
    assert done.stdout.count("gpuvoronoi 1.") == 1 and done.stdout.count("mpirun: ") == 1
    done = mpirun(work, launcher, 2, "--seeds", "seeds.csv", *SMALL, "--dry-run", "o.tif")
    assert done.returncode == 0 and done.stderr.count("nothing was written") == 1


# ------------------------------------------------------------------------------------------------- ranks in trouble

TILES = [
    "--size",
    "1000,990",
    "--co",
    "BLOCKXSIZE=64",
    "--co",
    "BLOCKYSIZE=64",
    "--threads",
    "1",
]  # 16 x 16


def troubled(work, tmp_path_factory, launcher, act, *arguments, at=1, rank=1, ranks=2):
    """Some ranks, of which something happens to the second, or `rank`, when it writes for the at-th time (rank_shim.c)."""
    shim = build_shim(tmp_path_factory.mktemp("shim"), "rank")
    reached = tmp_path_factory.mktemp("reached") / "reached"
    settings = {
        "RANK_NUMBER": rank,
        "RANK_AT": at,
        "RANK_DO": act,
        "RANK_REACHED": reached,
        "LD_PRELOAD": shim["LD_PRELOAD"],
        "ASAN_OPTIONS": shim["ASAN_OPTIONS"],
    }
    command = [
        *launcher,
        "-n",
        str(ranks),
        "env",
        *[f"{name}={value}" for name, value in settings.items()],
        COMMAND,
        *map(str, arguments),
    ]
    return command, reached


def cleaned(work, question):
    """The next run removes what dead ranks have left, once they are dead, but for files that were being replaced, which it names: its
    test's time limit ends this."""
    while True:
        done = work.run(*question)
        assert done.returncode == 0
        left = [p for p in work.directory.iterdir() if ".tmp-" in p.name]
        kept = [p for p in left if list(p.glob(".gpuvoronoi-before/*"))]
        if left == kept:
            assert all(p.name in done.stderr for p in kept)
            return
        time.sleep(0.2)


def question_for(work):
    work.path("old.tif").write_text("old")
    return ["--seeds", seeds(work), *TILES, "--overwrite", "old.tif"]


@pytest.mark.parametrize("rank,at", [(0, 1), (1, 1), (1, 5)])
def test_a_rank_that_is_killed(work, tmp_path_factory, launcher, rank, at):
    """The old file is as it was, and what is left is cleaned by the next run for it."""
    question = question_for(work)
    command, reached = troubled(
        work, tmp_path_factory, launcher, "kill", *question, at=at, rank=rank
    )
    done = subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    assert done.returncode != 0 and reached.exists() and work.path("old.tif").read_text() == "old"
    cleaned(work, question)


def interrupted(work, command, begun, question, env):
    with subprocess.Popen(
        command,
        cwd=work.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    ) as ranks:
        while not begun() and ranks.poll() is None:
            time.sleep(0.05)
        assert ranks.poll() is None
        ranks.send_signal(signal.SIGINT)
        _, said = ranks.communicate(timeout=LIMIT)
    assert (
        work.path("old.tif").read_text() == "old"
    )  # the launcher's own status may be 0: MPICH's does not always wait to learn one
    assert [line for line in said.splitlines() if line.startswith("gpuvoronoi: ")] in (
        [],
        ["gpuvoronoi: error: interrupted"],
    )
    cleaned(work, question)


def test_a_launcher_that_is_interrupted(work, tmp_path_factory, launcher):
    question = question_for(work)
    command, reached = troubled(work, tmp_path_factory, launcher, "wait", *question)
    interrupted(work, command, reached.exists, question, ENVIRONMENT)


def each_rank_watched(work, tmp_path_factory, launcher, question, fail="", kill=""):
    """Two ranks, of which each notes what it hands to the disk (moves_shim.c); for the second that fails, the first is killed as it moves
    files."""
    shim = build_shim(tmp_path_factory.mktemp("shim"), "moves")
    logs = tmp_path_factory.mktemp("logs")
    (logs / "watched.sh").write_text(f"""
rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}
[ "$rank" = 0 ] && export MOVES_KILL='{kill}' || export MOVES_FAIL='{fail}'
MOVES_LOG={logs}/$rank LD_PRELOAD={shim["LD_PRELOAD"]} ASAN_OPTIONS={shim["ASAN_OPTIONS"]} exec "$@"
""")
    command = [*launcher, "-n", "2", "sh", logs / "watched.sh", COMMAND, *map(str, question)]
    done = subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    return done, [
        [
            line.split("\t")[1]
            for line in (logs / rank).read_text().splitlines()
            if line.startswith("fsync") and ".tmp-" in line
        ]
        if (logs / rank).exists()
        else []
        for rank in "01"
    ]


@pytest.mark.parametrize(
    "kill,left",
    [("1 before", b"old"), ("1 after", None), ("2 before", None), ("2 after", None)][
        0 if LONG else 3 :
    ],
)
def test_a_first_rank_that_is_killed_as_it_moves_files(
    work, tmp_path_factory, launcher, kill, left
):
    """The file is the old one or the whole new one. The first rename is that of the raster, the second that of its style."""
    question = question_for(work)
    work.ok(*question[:-1], "new.tif")
    done, _ = each_rank_watched(work, tmp_path_factory, launcher, question, kill=kill)
    assert done.returncode != 0 and work.path("old.tif").read_bytes() == (
        left or work.path("new.tif").read_bytes()
    )
    cleaned(work, question)
    assert work.path("old.tif").read_bytes() == work.path("new.tif").read_bytes()


@pytest.mark.parametrize("at", [1, 5])
def test_a_disk_that_is_full_for_one_rank(work, tmp_path_factory, launcher, at):
    question = question_for(work)
    before = work.listing()
    command, _ = troubled(work, tmp_path_factory, launcher, "full", *question, at=at)
    done = subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    lines = told(done)
    assert done.returncode != 0 and len(lines) == 1 and "rank 1 of 2 on " in lines[0], done.stderr
    assert "part2.tif: No space left on device" in lines[0]
    assert work.listing() == before and work.path("old.tif").read_text() == "old"


def start_troubled(work, command):
    return subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )


@pytest.mark.parametrize(
    "act,rank,says",
    [
        ("hide", 0, r"/old\.tif\.part2\.tif: written by rank 1 on \S+, but missing on rank 0; "),
        (
            "hide-all",
            1,
            r"rank 1 of 2 on \S+: \S+\.tmp-\S+: missing on this host, but rank 0 has it; ",
        ),
    ],
)
def test_hosts_without_a_shared_file_system(work, tmp_path_factory, launcher, act, rank, says):
    question = question_for(work)
    before = work.listing()
    done = start_troubled(
        work, troubled(work, tmp_path_factory, launcher, act, *question, rank=rank)[0]
    )
    lines = told(done)
    assert done.returncode != 0 and len(lines) == 1 and re.search(says, lines[0]), done.stderr
    assert lines[0].endswith("use a file system that all hosts share")
    assert work.listing() == before and work.path("old.tif").read_text() == "old"


def test_a_disk_that_is_too_small(work, launcher):
    """Twice the raster without compression, before anything is computed."""
    fails(
        work,
        launcher,
        ["--seeds", seeds(work), "--size", "2000000,2000000", "--co", "COMPRESS=NONE", "o.tif"],
        f"{work.directory}: too little disk space for the parts of all ranks and the merged raster (",
    )


@pytest.mark.skipif(not LONG, reason="takes long")
@pytest.mark.parametrize("number", range(20))
def test_ranks_that_are_killed_at_any_moment(work, launcher, number):
    """Whenever it is: the old file, or a whole new one, and the next run leaves nothing else."""
    random = np.random.default_rng(number)
    question = question_for(work)
    work.ok("--seeds", "seeds.csv", *TILES, "new.tif")
    work.write(
        "killed.sh",
        f"""
if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {random.integers(3)} ]; then
  me=$$
  (sleep {random.uniform(0, 2):.2f}; kill -9 $me 2>/dev/null) &
fi
exec "$@"
""",
    )
    command = [*launcher, "-n", "3", "sh", "killed.sh", COMMAND, *map(str, question)]
    subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    assert work.path("old.tif").read_bytes() in (b"old", work.path("new.tif").read_bytes())
    cleaned(work, question)
    assert work.path("old.tif").read_bytes() == work.path("new.tif").read_bytes()


# ---------------------------------------------------------------------------------------- what ranks share


def threads(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{") :])["backend"]["threads"]


def test_ranks_of_a_host_share_its_processors(work, launcher):
    """--threads are a rank's own; without it, a share of what one process has, one at least, or what the launcher binds a rank to."""
    raster = ["--seeds", seeds(work), *SMALL, "--overwrite", "--json", "--no-style", "o.tif"]
    search = ["search", "--reference", "seeds.csv", "-k", "2", "--overwrite", "--json", "o.csv"]
    free = [*launcher, "--bind-to" if launcher[0] == "mpirun.openmpi" else "-bind-to", "none"]
    for question in (raster, search):
        assert threads(mpirun(work, free, 3, *question, "--threads", "2")) == 2
        assert (
            threads(mpirun(work, free, 2, *question, env={**ENVIRONMENT, "OMP_NUM_THREADS": "4"}))
            == 2
        )
        assert (
            threads(mpirun(work, free, 2, *question, env={**ENVIRONMENT, "OMP_NUM_THREADS": "1"}))
            == 1
        )


def test_backend_and_formats_of_the_report(work, launcher):
    """The report is that of the computing, not of the merging."""
    done = mpirun(work, launcher, 2, "--seeds", seeds(work), *SMALL, "--json", "o.tif")
    said = json.loads(done.stdout[done.stdout.index("{") :])
    assert said["backend"]["name"] == "tile" and said["cells"]["count"] == 500 * 390


def test_one_process_alone_opens_no_mpi(work):
    """Neither without a launcher, nor where one has started just this process."""
    environment = {
        **os.environ,
        "LD_DEBUG": "files",
        "OMPI_COMM_WORLD_RANK": "0",
        "OMPI_COMM_WORLD_SIZE": "1",
        "SLURM_NTASKS": "4",
    }
    done = subprocess.run(
        [COMMAND, "--seeds", seeds(work), *SMALL, "o.tif"],
        cwd=work.directory,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0 and "libgpuvoronoi" in done.stderr and "libmpi" not in done.stderr
    assert "gpuvoronoi_mpi" not in done.stderr


def test_launchers_whose_mpi_is_not_there(work):
    """Processes that cannot find each other must not write one file."""
    links = [p for p in pathlib.Path(COMMAND).parent.rglob("libgpuvoronoi.so") if p.is_symlink()]
    if not links:
        pytest.skip("the library is no file of its own")
    lonely = work.path("lonely")
    lonely.mkdir()
    shutil.copy(links[0], lonely / os.readlink(links[0]))
    (lonely / "libgpuvoronoi_mpi_mpich.so").write_text("no library")
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2", "LD_LIBRARY_PATH": str(lonely)}
    work.fails(
        "--seeds",
        seeds(work),
        "o.tif",
        env=environment,
        has="launcher of MPICH: cannot open its module",
    )


@pytest.mark.parametrize("folder", ["", "gpuvoronoi"])
def test_launchers_that_are_not_there(work, folder):
    """The module lies beside the library, or in the folder for modules there."""
    modules = list(pathlib.Path(COMMAND).parent.rglob("libgpuvoronoi_mpi_mpich.so"))
    if not modules:
        pytest.skip("built without mpich")
    libraries = [p for p in modules[0].parent.glob("libgpuvoronoi.so.*") if p.is_symlink()]
    if not libraries:
        pytest.skip("the library is no file of its own")
    place = work.path("place") / folder
    place.mkdir(parents=True)
    shutil.copy(libraries[0], work.path("place") / libraries[0].name)
    shutil.copy(modules[0], place)
    environment = {
        **os.environ,
        "PMI_RANK": "0",
        "PMI_SIZE": "2",
        "LD_LIBRARY_PATH": str(work.path("place")),
    }
    work.fails(
        "--seeds",
        seeds(work),
        "o.tif",
        env=environment,
        has="MPICH: 1 rank, but its launcher has 2",
    )
