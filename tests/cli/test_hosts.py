"""Ranks on hosts of their own (network namespaces, tests/mpi/hosts.sh): the files of one process, and what a host that fails leaves."""

import collections
import pathlib
import subprocess

import pytest
from launchers import ENVIRONMENT, LIMIT, launcher, start, tried  # noqa: F401
from conftest import COMMAND
from test_cluster import TILES, check_bytes, threads, told, troubled
from test_parts import CASES, LONG, seeds

pytestmark = pytest.mark.skipif(not LONG, reason="takes long")
HOSTS = pathlib.Path(__file__).resolve().parents[1] / "mpi" / "hosts.sh"
REACHES = {
    "mpirun.openmpi": ("--mca", "plm_rsh_agent", "@AGENT@", "--host"),
    "mpiexec.mpich": ("-launcher", "ssh", "-launcher-exec", "@AGENT@", "-hosts"),
}


@pytest.fixture
def hosts(launcher):  # noqa: F811
    """Starts so many ranks by turns on so many hosts."""

    def on(count):
        names = ",".join(f"node{i + 1}:4" for i in range(count))
        return [str(HOSTS), str(count), *launcher, *REACHES[launcher[0]], names]

    def all_there(done):
        return done.returncode == 77 or collections.Counter(done.stdout.split()) == {
            "node1": 4,
            "node2": 4,
        }

    first = tried([*on(2), "-n", "8", "hostname"], all_there)
    if first.returncode == 77:
        pytest.skip(f"no namespaces here: {' '.join(first.stderr.split())[:200]}")
    assert all_there(first), first.stderr
    return on


@pytest.mark.parametrize(
    "case,count", [(c, n) for c in CASES for n in ((2, 3) if LONG else (2,) if c == "all" else ())]
)
def test_bytes_of_one_process(work, hosts, case, count):
    check_bytes(work, hosts(count), case, 4 * count)


def test_hosts_share_their_own_processors(work, hosts):
    """Four ranks of a host; an error names the host of its rank."""
    question = ["--seeds", seeds(work), *TILES[:-2], "--overwrite"]
    done = start(
        work.directory,
        hosts(2),
        8,
        *question,
        "--json",
        "o.tif",
        env={**ENVIRONMENT, "OMP_NUM_THREADS": "8"},
    )
    assert threads(done) == 2
    work.ok(*question, "one.tif")
    assert work.path("one.tif").read_bytes() == work.path("o.tif").read_bytes()
    work.write(
        "lost.sh", '[ "$(hostname)" = node1 ] || set -- "$@" --mask nothing.tif\nexec "$@"\n'
    )
    command = [*hosts(2), "-n", "8", "sh", "lost.sh", COMMAND, *map(str, question), "o.tif"]
    done = subprocess.run(
        command, cwd=work.directory, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    lines = told(done)
    assert done.returncode != 0 and len(lines) == 1 and "of 8 on node2: " in lines[0], done.stderr


def test_a_reference_set_on_several_hosts(work, hosts):
    question = ["search", "--reference", seeds(work), "--queries", "seeds.csv", "-k", "3"]
    work.ok(*question, "one.csv")
    done = start(work.directory, hosts(2), 5, *question, "--shard-reference", "two.csv")
    assert done.returncode == 0 and told(done) == [], done.stderr
    assert work.path("one.csv").read_bytes() == work.path("two.csv").read_bytes()


def test_a_rank_that_is_killed_far_away(work, tmp_path_factory, hosts):
    """Leftovers belong to a host: only that host can check whether the process is alive, so the next run there removes them. The launcher
    leaves the others no time to remove what they share."""
    work.path("old.tif").write_text("old")
    question = ["--seeds", seeds(work), *TILES, "--overwrite", "old.tif"]
    command, reached = troubled(
        work, tmp_path_factory, hosts(2), "kill", *question, rank=4, ranks=8
    )
    done = subprocess.run(
        command,
        cwd=work.directory,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env={**ENVIRONMENT, "OMPI_MCA_odls_base_sigkill_timeout": "0"},
    )
    assert done.returncode != 0 and reached.exists() and work.path("old.tif").read_text() == "old"
    left = [p.name for p in work.directory.iterdir() if ".tmp-" in p.name]
    assert (
        work.run(*question).returncode == 0
        and left == [p.name for p in work.directory.iterdir() if ".tmp-" in p.name] != []
    )
    done = start(work.directory, hosts(2), 8, *question)
    assert done.returncode == 0, done.stderr
    work.no_leftovers()
