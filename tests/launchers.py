"""The launchers of MPI that tests start the command with."""

import os
import pathlib
import shutil
import subprocess

import pytest

COMMAND = os.environ["GPUVORONOI_COMMAND"]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}
LIMIT = 900  # seconds of one run, which may share its machine with much else
# Open MPI requires two variables before it starts as root.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def tried(command, good):
    """A first run. On a busy machine MPICH's launcher may lose one that ends at once, and asserts so: it is tried again."""
    for _ in range(3):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
        )
        if good(done):
            break
    return done


@pytest.fixture(params=list(LAUNCHERS))
def launcher(request):
    if not list(pathlib.Path(COMMAND).parent.rglob(f"libgpuvoronoi_mpi_{request.param}.so")):
        pytest.skip(f"built without {request.param}")
    if shutil.which(LAUNCHERS[request.param][0]) is None:
        pytest.skip(f"no {LAUNCHERS[request.param][0]}")
    started = tried(
        [*LAUNCHERS[request.param], "-n", "2", "true"], lambda done: done.returncode == 0
    )
    if started.returncode != 0:
        pytest.skip(
            f"{request.param} starts nothing here: {' '.join(started.stderr.split())[:200]}"
        )
    return LAUNCHERS[request.param]


def start(folder, launcher, n, *arguments, **options):
    """The command by so many ranks."""
    command = [*launcher, "-n", str(n), COMMAND, *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        **{"env": ENVIRONMENT, **options},
    )
