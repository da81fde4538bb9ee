"""The command under mpirun: the bytes of one process, whatever the number of ranks, and errors in one line."""

import os
import pathlib
import shutil
import subprocess
import time

import pytest
from conftest import COMMAND, SUMMARY
from launchers import ENVIRONMENT, launcher, start  # noqa: F401
from test_parts import CASES, LONG, SMALL, files, outputs_in, rows, seeds

def mpirun(work, launcher, n, *arguments, **options):
    return start(work.directory, launcher, n, *arguments, **options)


def told(done):
    """What the command says, without its summary and what the launcher says."""
    return [line for line in done.stderr.splitlines() if line.startswith("gpuvoronoi: ") and not SUMMARY.match(line)]


SAMPLE = {"all": (3,), "one tile high": (2,)}


@pytest.mark.parametrize("case,n", [(c, n) for c in CASES for n in ((1, 2, 3, 4, 7) if LONG else SAMPLE.get(c, ()))])
def test_bytes_of_one_process(work, launcher, case, n):
    question, outputs, out = CASES[case](work)
    for folder in ("one", "two"):
        work.path(folder).mkdir()
    one = work.ok(*question, *outputs_in("one", outputs), f"one/{out}")
    done = mpirun(work, launcher, n, *question, *outputs_in("two", outputs), f"two/{out}", "--threads", "1")
    assert done.returncode == 0, done.stderr
    assert told(done) == one.stderr.splitlines()
    a, b = files(work.path("one")), files(work.path("two"))
    assert sorted(a) == sorted(b)
    for name in a:
        if name.endswith(".gpkg"):
            assert rows(work.path("one") / name) == rows(work.path("two") / name)
        else:
            assert a[name] == b[name], name


def test_tables_and_meshes_alone(work, launcher):
    question = ["--seeds", seeds(work), "--level", "3", "--mesh", "m.nc", "--stats", "t.csv"]
    work.ok(*question)
    kept = work.path("t.csv").read_bytes()
    assert mpirun(work, launcher, 2, *question, "--overwrite").returncode == 0
    assert work.path("t.csv").read_bytes() == kept
    assert mpirun(work, launcher, 2, "--seeds", "seeds.csv", "--level", "2", "--cells", "c.csv").returncode == 0
    assert len(work.path("c.csv").read_text().splitlines()) == 1 + 8 * 4 ** 2


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
    fails(work, launcher, [*question, "old.tif"], "old.tif exists; --overwrite replaces it")
    fails(work, launcher, ["--seeds", "-", "o.tif"], "all ranks read the inputs")
    fails(work, launcher, [*question, "--part", "1/2", "o.tif"], "--part is for processes that run by themselves")
    # One rank alone: it is named, the others stop.
    question = [*question, "--backend", "serial", "--size", "4000,3900", "--overwrite", "old.tif"]
    fails(work, launcher, [*question, ":", "-n", "1", COMMAND, *question, "--mask", "nothing.tif"], "rank 2 of 3 on ")


def test_other_commands_run_once(work, launcher):
    seeds(work)
    done = mpirun(work, launcher, 2, "search", "--reference", "seeds.csv", "--queries", "seeds.csv", "o.csv")
    assert done.returncode == 0 and told(done) == [], done.stderr
    assert work.path("o.csv").exists()
    done = mpirun(work, launcher, 2, "--version")
    assert done.stdout.count("gpuvoronoi 0.") == 1 and done.stdout.count("mpirun: ") == 1
    done = mpirun(work, launcher, 2, "--seeds", "seeds.csv", *SMALL, "--dry-run", "o.tif")
    assert done.returncode == 0 and done.stderr.count("nothing was written") == 1


def test_a_rank_that_is_killed(work, launcher):
    """The old file is as it was, and what is left is cleaned by the next run for it."""
    question = ["--seeds", seeds(work), *SMALL, "--overwrite", "old.tif"]
    work.path("old.tif").write_text("old")
    work.write("killed.sh", """
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then
  me=$$
  (until ls .old.tmp-*/.part*.tmp-* >/dev/null 2>&1; do sleep 0.1; done; kill -9 $me) &
fi
exec "$@"
""")
    slow = [*question, "--backend", "serial", "--size", "20000,19500"]
    command = [*launcher, "-n", "3", "sh", "killed.sh", COMMAND, *map(str, slow)]
    done = subprocess.run(command, cwd=work.directory, capture_output=True, text=True, timeout=240, env=ENVIRONMENT)
    assert done.returncode != 0
    assert work.path("old.tif").read_text() == "old"
    done = mpirun(work, launcher, 2, *question)
    assert done.returncode == 0, done.stderr
    while [p for p in work.directory.iterdir() if ".tmp-" in p.name]:  # a rank may be about to end yet: its test's time limit ends this
        time.sleep(0.5)
        work.run(*question)
    work.ok("--seeds", "seeds.csv", *SMALL, "new.tif")
    assert work.path("old.tif").read_bytes() == work.path("new.tif").read_bytes()


def test_one_process_alone_opens_no_mpi(work):
    """Neither without a launcher, nor where one has started just this process."""
    environment = {**os.environ, "LD_DEBUG": "files", "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1", "SLURM_NTASKS": "4"}
    done = subprocess.run([COMMAND, "--seeds", seeds(work), *SMALL, "o.tif"], cwd=work.directory, capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0 and "libgpuvoronoi" in done.stderr and "libmpi" not in done.stderr
    assert "gpuvoronoi_mpi" not in done.stderr


def test_launchers_whose_mpi_is_not_there(work):
    """Processes that cannot find each other must not write one file."""
    libraries = [p for p in pathlib.Path(COMMAND).parent.rglob("libgpuvoronoi.so.*") if not p.is_symlink()]
    if not libraries:
        pytest.skip("the library is no file of its own")
    lonely = work.path("lonely")
    lonely.mkdir()
    shutil.copy(libraries[0], lonely / ".".join(libraries[0].name.split(".")[:4]))
    (lonely / "libgpuvoronoi_mpi_mpich.so").write_text("no library")
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2", "LD_LIBRARY_PATH": str(lonely)}
    work.fails("--seeds", seeds(work), "o.tif", env=environment, has="started by a launcher of MPICH, whose module cannot be opened")


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
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2", "LD_LIBRARY_PATH": str(work.path("place"))}
    work.fails("--seeds", seeds(work), "o.tif", env=environment, has="MPICH knows of 1 rank, its launcher of 2")
