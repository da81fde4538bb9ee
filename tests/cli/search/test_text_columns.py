"""Which columns of text are coordinates: not ids, those that are chosen, and the same through a name and through the standard input."""

import os
import pathlib
import signal
import subprocess
import threading

import numpy as np
import pytest

from conftest import COMMAND, brute
from forked_command import wait_for_signals

POINTS = np.random.default_rng(43).random((30, 3)) * 50
QUERIES = POINTS[::3] + 0.01


def rows(array, ids=None, names=None, separator=",", heading=None):
    lines = [] if heading is None else [heading]
    for i, row in enumerate(array):
        before = [] if ids is None else [str(ids[i])]
        lines.append(
            separator.join(
                before + [repr(float(x)) for x in row] + ([] if names is None else [names[i]])
            )
        )
    return "\n".join(lines) + "\n"


def search(runner, *arguments, stdin=None):
    """Result and the lines about how the files were understood."""
    out, distances = runner.path("o.npy"), runner.path("d.npy")
    done = subprocess.run(
        [COMMAND, "search", *map(str, arguments), "--distances", distances, "--overwrite", out],
        capture_output=True,
        text=True,
        timeout=240,
        input=stdin,
    )
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "note: " in line or "warning: " in line]
    return (np.load(out), np.load(distances)), told


def check(got, reference=POINTS, queries=QUERIES, k=2):
    expected = brute(reference, queries, k)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


IDS = np.arange(1000, 1000 + 37 * 30, 37)[::-1]  # far apart: as a coordinate an id decides


@pytest.mark.parametrize(
    "heading,shown",
    [
        ("id,a,b,c", "id"),
        ("FID,a,b,c", "FID"),
        ("ogc_fid,a,b,c", "ogc_fid"),
        ("index,a,b,c", "index"),
        (" Index ,a,b,c", "Index"),
        ("gid,a,b,c", "gid"),
        ("OBJECTID,a,b,c", "OBJECTID"),
        (",a,b,c", "(no name)"),
        ('"",a,b,c', "(no name)"),
        ('"","a","b","c"', "(no name)"),
        ("Unnamed: 0,a,b,c", "Unnamed: 0"),
        ('"id","a","b","c"', "id"),
        (",0,1,2", "(no name)"),
        ('"a","b","c"', "(no name)"),  # R's write.table: one heading less than columns
    ],
)
def test_ids_are_no_coordinates(runner, heading, shown):
    name = runner.text("r.csv", rows(POINTS, IDS, heading=heading))
    got, told = search(
        runner, "--reference", name, "--queries", runner.save("q.npy", QUERIES), "-k", 2
    )
    check(got)
    assert told == [
        f"gpuvoronoi: note: {name}: columns {shown} are taken as ids, not as coordinates; choose columns with --columns"
    ]


@pytest.mark.parametrize("separator", [";", "\t", "|", " "])
def test_separators(runner, separator):
    heading = separator.join(["id", "a", "b", "c"])
    got, told = search(
        runner,
        "--reference",
        runner.text("r.txt", rows(POINTS, IDS, separator=separator, heading=heading)),
        "--queries",
        runner.save("q.npy", QUERIES),
        "-k",
        2,
    )
    check(got)
    assert len(told) == 1


def test_ids_may_be_text_with_anything(runner):
    ids = [f'"station {i}, ""west"""' for i in range(30)]
    name = runner.text("r.csv", rows(POINTS, ids, heading="id,a,b,c"))
    check(
        search(runner, "--reference", name, "--queries", runner.save("q.npy", QUERIES), "-k", 2)[0]
    )


def test_several_ids_and_none_else(runner):
    text = "fid,id,a,b,index\n" + "".join(
        f"{i},{7 * i},{x!r},{y!r},{i}\n" for i, (x, y) in enumerate(POINTS[:, :2].tolist())
    )
    got, told = search(
        runner,
        "--reference",
        runner.text("r.csv", text),
        "--queries",
        runner.save("q.npy", QUERIES[:, :2]),
        "-k",
        2,
    )
    check(got, POINTS[:, :2], QUERIES[:, :2])
    assert "columns fid, id, index are" in told[0]
    line = runner.run(
        "--reference", runner.text("i.csv", "id,index\n1,2\n3,4\n"), runner.path("x.npy"), status=1
    )
    assert line.endswith(
        "i.csv: missing coordinates; all columns are ids; choose columns with --columns"
    )


def test_other_columns_stay(runner):
    """Names that only begin or end as ids do."""
    got, told = search(
        runner,
        "--reference",
        runner.text("r.csv", rows(POINTS, heading="idx,grid,index2")),
        "--queries",
        runner.save("q.npy", QUERIES),
        "-k",
        2,
    )
    check(got)
    assert not told


def test_columns_by_name_and_number(runner):
    name = runner.text(
        "r.csv", rows(POINTS, IDS, [f"n{i}" for i in range(30)], heading="id,a,b,c,name")
    )
    q = runner.text("q.csv", rows(QUERIES, range(10), heading="fid,u,v,w"))
    for columns, query_columns, order in [
        ("c,a", "w,u", [2, 0]),
        ("A,B,C", "2,3,4", [0, 1, 2]),
        ("3", "v", [1]),
        ("b,id", None, None),
    ]:
        if order is None:  # an id that is chosen is a coordinate
            got, told = search(runner, "--reference", name, "--columns", columns, "-k", 2)
            expected = brute(
                np.column_stack([POINTS[:, 1], IDS]),
                np.column_stack([POINTS[:, 1], IDS]),
                2,
                exclude_self=True,
            )
            np.testing.assert_array_equal(got[0], expected[0])
            continue
        got, told = search(
            runner,
            "--reference",
            name,
            "--columns",
            columns,
            "--queries",
            q,
            "--query-columns",
            query_columns,
            "-k",
            2,
        )
        check(got, POINTS[:, order], QUERIES[:, order])
        assert not told


@pytest.mark.parametrize(
    "arguments,text",
    [
        (["--columns", "a,nope"], "--columns: {}/r.csv: unknown column (nope); it has 3: a,b,c"),
        (["--columns", "4"], "--columns: {}/r.csv: unknown column (4); it has 3: a,b,c"),
        (["--columns", "a,,b"], "--columns: {}/r.csv: unknown column (); it has 3: a,b,c"),
        (["--columns", "a,1"], "--columns: column '1' is given twice"),
    ],
)
def test_columns_that_are_not_there(runner, arguments, text):
    line = runner.run(
        "--reference",
        runner.text("r.csv", rows(POINTS, heading="a,b,c")),
        *arguments,
        runner.path("x.npy"),
        status=1,
    )
    assert line == "gpuvoronoi: error: " + text.format(runner.folder)


def test_columns_are_about_text(runner):
    for name in (
        runner.save("r.npy", POINTS),
        runner.text("g.geojson", '{"type": "FeatureCollection", "features": []}'),
    ):
        line = runner.run("--reference", name, "--columns", "a", runner.path("x.npy"), status=1)
        assert line.endswith(
            f"{name}: --columns and --header are for text that is read as an array"
        )


def test_headings_of_numbers(runner):
    """pandas writes 0,1,2 where columns have no names."""
    name, q = runner.text("r.csv", rows(POINTS, heading="0,1,2")), runner.save("q.npy", QUERIES)
    got, told = search(runner, "--reference", name, "--queries", q, "-k", 2)
    check(got, np.vstack([[0, 1, 2], POINTS]))
    assert told == [
        f"gpuvoronoi: warning: {name}: the first line (0,1,2) is read as a point; use --header yes if it is a header"
    ]
    got, told = search(runner, "--reference", name, "--queries", q, "-k", 2, "--header", "yes")
    check(got)
    assert not told
    got, told = search(runner, "--reference", name, "--queries", q, "-k", 2, "--header", "no")
    check(got, np.vstack([[0, 1, 2], POINTS]))
    assert not told
    got, _ = search(
        runner,
        "--reference",
        name,
        "--header",
        "yes",
        "--columns",
        "2,0",
        "--queries",
        runner.save("q2.npy", np.ascontiguousarray(QUERIES[:, [2, 0]])),
        "-k",
        2,
    )
    check(got, POINTS[:, [2, 0]], QUERIES[:, [2, 0]])  # names come before numbers
    line = runner.run(
        "--reference",
        runner.text("h.csv", "a,b\n1,2\n"),
        "--header",
        "no",
        runner.path("x.npy"),
        status=1,
    )
    assert line.endswith("line 1: field 1 is not a number: 'a'")


def test_points_are_not_warned_of(runner):
    for first in ("1,2", "0.0,1.5,3", "5,3,4", "0,2,4", "0"):
        _, told = search(runner, "--reference", runner.text("r.csv", first + "\n" + first + "\n"))
        assert not told, first


@pytest.mark.parametrize(
    "text",
    [
        rows(POINTS[:, :2], IDS, heading="id,x,y"),
        rows(POINTS[:, :2], heading="a,b"),
        rows(POINTS),
        rows(POINTS, separator=";"),
        rows(POINTS[:, :2], IDS, heading="id,lon,lat"),
        "# of a gauge\n" + rows(POINTS, heading="a,b,c"),
    ],
)
def test_the_same_by_name_and_by_standard_input(runner, text):
    name = runner.text("r.csv", text)
    by_name, told = search(runner, "--reference", name, "-k", 3)
    by_stream, told_of_stream = search(runner, "--reference", "-", "-k", 3, stdin=text)
    np.testing.assert_array_equal(by_name[0], by_stream[0])
    np.testing.assert_array_equal(by_name[1], by_stream[1])
    assert len(told) == len(told_of_stream)
    assert search(runner, "--reference", name, "--queries", "-", stdin=text)[0][0][
        :, 0
    ].tolist() == list(range(30))


def test_pipes(runner):
    """Two named pipes, as of a shell's <(...), are read once each; without a writer a signal ends the command."""
    names = [runner.path(name) for name in ("reference", "queries")]
    contents = [rows(POINTS).encode(), pathlib.Path(runner.save("q.npy", QUERIES)).read_bytes()]
    for name in names:
        os.mkfifo(name)
    writers = [
        threading.Thread(target=pathlib.Path(name).write_bytes, args=[content])
        for name, content in zip(names, contents)
    ]
    for writer in writers:
        writer.start()
    got, _ = search(runner, "--reference", names[0], "--queries", names[1], "-k", 2)
    check(got, POINTS)
    for writer in writers:
        writer.join()
    waiting = subprocess.Popen(
        [COMMAND, "search", "--reference", names[0], "--quiet", runner.path("other.npy")],
        stderr=subprocess.PIPE,
    )
    wait_for_signals(waiting)
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(240) == 130 and not os.path.exists(runner.path("other.npy"))
