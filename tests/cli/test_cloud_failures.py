"""Outputs in cloud storage when something fails: no object is cut or lost, none is left, and what stays is reported."""

import os
import signal
import subprocess
import time

import pytest

from conftest import COMMAND, build_shim, globe
from object_store import Store

RUN = ["--seeds", "s.csv", "--size", "1200,600", "--co", "COMPRESS=NONE", "--no-style"]
OLD = b"old contents " * 1000


@pytest.fixture
def cloud(work, monkeypatch):
    work.store = Store()
    for name, value in work.store.environment().items():
        monkeypatch.setenv(name, value)
    work.csv("s.csv", *globe(30, seed=3))
    yield work
    work.store.shutdown()
    work.store.server_close()


@pytest.mark.parametrize("fault", ["read 1", "read 2", "read 3", "memory 1"])
@pytest.mark.parametrize("old", [{"/b/o.tif": OLD}, {}], ids=["replaced", "new"])
def test_temporary_files_that_cannot_be_read(cloud, tmp_path_factory, fault, old):
    """GDAL completes an object when its handle is closed: it must not, for one that is cut."""
    cloud.store.objects.update(old)
    shim = {**build_shim(tmp_path_factory.mktemp("shim"), "copying"), "COPYING_FAILS": fault}
    done = cloud.run(
        *RUN, "--overwrite", "/vsis3/b/o.tif", env={**shim, **cloud.store.environment()}
    )
    if done.returncode == 1:
        assert cloud.store.objects == old and (
            "cannot read its temporary file" in done.stderr or fault == "memory 1"
        )
    else:  # the allocation was another one
        assert fault == "memory 1" and len(cloud.store.objects["/b/o.tif"]) > 1200 * 600 * 4
    assert cloud.store.uploads == {}


@pytest.mark.parametrize(
    "name", ["/vsis3/b/./s.csv", "/vsis3/b/d/../s.csv", "/vsis3/b/sub/../../other/o.csv"]
)
def test_dots_in_names_of_outputs(cloud, name):
    cloud.store.objects["/b/s.csv"] = before = cloud.path("s.csv").read_bytes()
    cloud.fails(
        "--seeds",
        "/vsis3/b/s.csv",
        "--size",
        "16,8",
        "--overwrite",
        "--stats",
        name,
        has=[name, "unsupported name"],
    )
    assert cloud.store.objects == {"/b/s.csv": before}


@pytest.mark.parametrize(
    "name",
    ["/vsis3/b/./s.csv", "/vsis3/b/d/../s.csv", "/vsis3/x/../b/s.csv", "/vsis3_streaming/b/s.csv"],
)
def test_other_names_of_inputs(cloud, name):
    cloud.store.objects["/b/s.csv"] = before = cloud.path("s.csv").read_bytes()
    cloud.fails(
        "--seeds", name, "--size", "16,8", "--overwrite", "--stats", "/vsis3/b/s.csv", has="input"
    )
    assert cloud.store.objects == {"/b/s.csv": before}


@pytest.mark.parametrize("old", [{}, {"/b/o.tif": OLD, "/b/d.tif": OLD}], ids=["new", "replaced"])
@pytest.mark.parametrize("held", ["/b/o.tif", "/b/d.tif"])
def test_interrupted_while_it_is_copied(cloud, held, old):
    """The transfer ends as the server lets it; new objects are removed, and one line says that the run was interrupted."""
    cloud.store.objects.update(old)
    run = None

    def slow(request):
        if request.command == "PUT" and request.path.startswith(held):
            run.send_signal(signal.SIGINT)
            time.sleep(2.5)  # more than a run has to end by itself
        return False

    cloud.store.answers.append(slow)
    run = subprocess.Popen(
        [COMMAND, "--quiet", *RUN, "--overwrite", "--distance", "/vsis3/b/d.tif", "/vsis3/b/o.tif"],
        cwd=cloud.directory,
        stderr=subprocess.PIPE,
        text=True,
    )
    error = run.communicate(timeout=60)[1]
    objects = cloud.store.objects
    assert run.returncode == 0 or "interrupted" in error and len(error.splitlines()) == 1, error
    if old == {}:
        assert run.returncode == 130 and objects == {}
    else:
        assert (
            run.returncode == 0
            or objects["/b/o.tif"] == OLD
            and "1 objects of cloud storage were replaced" in error
        )
        assert all(data == OLD or len(data) > 1200 * 600 * 4 for data in objects.values())
    assert cloud.store.uploads == {} and [p.name for p in cloud.directory.iterdir()] == ["s.csv"]


def test_side_files_that_cannot_be_removed(cloud):
    """All is in place then: a warning, not an error."""
    cloud.store.objects.update({"/b/o.tif": OLD, "/b/o.tif.aux.xml": OLD})

    def refuse(request):
        if request.command == "DELETE":
            request.reply(403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
        return request.command == "DELETE"

    cloud.store.answers.append(refuse)
    done = cloud.run(*RUN, "--overwrite", "/vsis3/b/o.tif")
    assert (
        done.returncode == 0
        and "warning: /vsis3/b/o.tif.aux.xml: " in done.stderr
        and "cannot be removed" in done.stderr
    )
    # New objects of a failed run that cannot be removed are named.
    cloud.store.objects.clear()
    cloud.store.answers.append(
        lambda request: (
            request.command == "PUT"
            and request.path.startswith("/b/d.tif")
            and request.reply(403, b"<Error><Code>AccessDenied</Code></Error>") is None
        )
    )
    done = cloud.run(
        *RUN, "--distance", "/vsis3/b/d.tif", "--stats", "/vsis3/b/t.csv", "/vsis3/b/o.tif"
    )
    assert done.returncode == 1 and "cannot be removed: /vsis3/b/t.csv" in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["/b/o.tif.aux.xml", "/b/o.tif.ovr", "/b/o.tif.msk"])
def test_side_files_that_are_inputs(cloud, name):
    """An input is not removed, although its name is that of a side file of a replaced output."""
    cloud.raster("like.tif", (0, 1, 0, 10, 0, -1), (16, 8), 4326)
    before = {"/b/o.tif": OLD, name: cloud.path("like.tif").read_bytes()}
    cloud.store.objects.update(before)
    cloud.fails(
        "--seeds",
        "s.csv",
        "--like",
        "/vsis3" + name,
        "--overwrite",
        "/vsis3/b/o.tif",
        has=[name, "a file of an input"],
    )
    assert cloud.store.objects == before


def test_files_that_belong_to_two_outputs(cloud):
    """t.shp and t.dbf are files of one data set."""
    cloud.fails(
        "--seeds",
        "s.csv",
        "--size",
        "16,8",
        "--polygons",
        "/vsis3/b/t.shp",
        "--stats",
        "/vsis3/b/t.dbf",
        "o.tif",
        has=["t.shp", "another output"],
    )
    assert cloud.store.objects == {}


def test_old_side_files_of_new_outputs(cloud):
    """They would describe another raster: removed without --overwrite too, as on a disk."""
    cloud.store.objects["/b/o.tif.aux.xml"] = OLD
    cloud.write("o.tif.aux.xml", OLD.decode())
    for place in "", "/vsis3/b/":
        cloud.ok("--seeds", "s.csv", "--size", "16,8", "--no-style", place + "o.tif")
    assert list(cloud.store.objects) == ["/b/o.tif"] and sorted(
        p.name for p in cloud.directory.iterdir()
    ) == ["o.tif", "s.csv"]


def test_runs_for_the_same_objects_take_turns(cloud):
    """The second begins while the first copies: all objects are of one run."""
    cloud.csv("other.csv", *globe(30, seed=4))
    outputs = [
        "--size",
        "60,30",
        "--no-style",
        "--overwrite",
        "--distance",
        "/vsis3/b/d.tif",
        "/vsis3/b/o.tif",
    ]
    second = []

    def start(request):
        if request.command == "PUT" and not second:
            second.append(
                subprocess.Popen(
                    [COMMAND, "--quiet", "--seeds", "other.csv", *outputs], cwd=cloud.directory
                )
            )
            try:
                second[0].wait(timeout=3)
            except subprocess.TimeoutExpired:
                pass  # it waits
        return False

    cloud.store.answers.append(start)
    cloud.ok("--seeds", "s.csv", *outputs)
    assert second[0].wait(timeout=60) == 0
    cloud.ok("--seeds", "other.csv", *(name.removeprefix("/vsis3/b/") for name in outputs))
    for name in "d.tif", "o.tif":
        assert cloud.store.objects["/b/" + name] == cloud.path(name).read_bytes()


def test_texts_of_the_server(cloud):
    """They are shown without control characters and secrets."""
    text = b"<Error><Code>Odd</Code><Message>\x1b[31mno&#10;way password=hunter22 at all</Message></Error>"
    cloud.store.answers.append(
        lambda request: request.command in ("GET", "HEAD") and request.reply(403, text) is None
    )
    for debug in {}, {"CPL_DEBUG": "ON"}:
        done = cloud.run(*RUN, "/vsis3/b/o.tif", env={**os.environ, **debug})
        assert (
            done.returncode == 1 and "\x1b" not in done.stderr and "hunter22" not in done.stderr
        ), done.stderr


def test_objects_that_others_make_meanwhile(cloud):
    """Without --overwrite an object that was not there at the start is not replaced at the end."""
    cloud.raster("people.tif", (-180, 0.3, 0, 90, 0, -0.3), (1200, 600), 4326)
    people = cloud.path("people.tif").read_bytes()
    assert len(people) > 1 << 19  # more than what is read to open it
    cloud.store.objects["/b/people.tif"] = people
    reads = []

    def make(request):
        if request.command == "GET" and request.path.startswith("/b/people.tif"):
            reads.append(request.headers.get("Range"))
            if len(reads) == 3:
                cloud.store.objects["/b/o.tif"] = OLD
        return False

    cloud.store.answers.append(make)
    cloud.fails(
        *RUN,
        "--sum",
        "people=/vsis3/b/people.tif",
        "--stats",
        "/vsis3/b/t.csv",
        "/vsis3/b/o.tif",
        has=["/vsis3/b/o.tif", "exists"],
    )
    assert len(reads) > 3, reads
    assert cloud.store.objects == {"/b/people.tif": people, "/b/o.tif": OLD}
