"""Arrays in every format against brute force and scipy's k-d tree."""

import os
import struct

import numpy as np
import pytest
from conftest import brute
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

BACKENDS = ["serial", "openmp", "kdtree", "octree", "auto"]


def points(n, dim, seed, dtype=np.float64):
    return np.random.default_rng(seed).random((n, dim)).astype(dtype)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("metric", ["l2", "l1", "linf"])
def test_metrics_and_backends(runner, backend, metric):
    reference, queries = np.round(points(700, 3, 1), 2), np.round(points(150, 3, 2), 2)
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    got = runner.search(
        "--reference", r, "--queries", q, "-k", 7, "--metric", metric, "--backend", backend
    )
    expected = brute(reference, queries, 7, metric)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


@pytest.mark.parametrize("backend", ["serial", "openmp", "auto"])
def test_products(runner, backend):
    reference, queries = np.round(points(600, 3, 11), 1) - 0.5, np.round(points(80, 3, 12), 1) - 0.5
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    products = np.stack([sum(x * y for x, y in zip(one, reference.T)) for one in queries])
    expected = np.argsort(-products, axis=1, kind="stable")[:, :9]
    indices, distances = runner.search(
        "--reference", r, "--queries", q, "-k", 9, "--metric", "inner-product", "--backend", backend
    )
    np.testing.assert_array_equal(distances, -np.take_along_axis(products, expected, 1))
    np.testing.assert_array_equal(indices, expected)
    indices, distances = runner.search(
        "--reference", r, "--queries", q, "-k", 9, "--metric", "cosine", "--backend", backend
    )
    np.testing.assert_allclose(
        distances, np.sort(cdist(queries, reference, "cosine"), axis=1)[:, :9], atol=1e-15
    )


@pytest.mark.parametrize("backend", ["serial", "openmp", "kdtree", "octree"])
@pytest.mark.parametrize("p", ["1", "1.5", "2", "3", "inf"])
def test_powers_and_periodic_boxes(runner, backend, p):
    reference, queries = points(500, 3, 21), points(80, 3, 22) * 3 - 1
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    for box, lengths in ((None, None), ("1", [1, 1, 1]), ("1.5,0,1", [1.5, 0, 1])):
        theirs = cKDTree(reference, boxsize=lengths).query(queries, k=5, p=float(p))
        options = () if box is None else ("--box-size", box)
        indices, distances = runner.search(
            "--reference", r, "--queries", q, "-k", 5, "--p", p, *options, "--backend", backend
        )
        np.testing.assert_array_equal(indices, theirs[1])
        np.testing.assert_allclose(distances, theirs[0], rtol=1e-12)


def test_bad_powers_and_boxes(runner):
    r, q, o = (
        runner.save("r.npy", points(50, 3, 21)),
        runner.save("q.npy", points(5, 3, 22)),
        runner.path("o.npy"),
    )
    layer = runner.text("places.csv", "id,lon,lat\n1,0.5,1\n2,3,4\n")
    for status, words, options in [
        (2, "--p: invalid power (0.5)", ("--p", 0.5)),
        (2, "--p: invalid power (x)", ("--p", "x")),
        (2, "--metric and --p: unsupported together", ("--p", 3, "--metric", "l1")),
        (2, "--box-size: invalid lengths (1,,2)", ("--box-size", "1,,2")),
        (2, "--box-size: invalid lengths (-1)", ("--box-size=-1",)),
        (2, "--box-size: invalid lengths (inf)", ("--box-size", "inf")),
        (1, "--box-size: 2 lengths, but", ("--box-size", "1,1")),
        (1, "outside the periodic box", ("--box-size", "0.5")),
    ]:
        assert words in runner.run("--reference", r, "--queries", q, *options, o, status=status)
    assert "--box-size: unsupported on the globe" in runner.run(
        "--reference", layer, "--box-size", "360", runner.path("o.csv"), status=1
    )


def test_products_elsewhere(runner):
    r = runner.save("r.npy", points(20, 3, 13))
    layer = runner.text("places.csv", "id,x,y\n1,0.5,1\n2,3,4\n")
    assert "search by products" in runner.run(
        "--reference",
        r,
        "-k",
        1,
        "--metric",
        "cosine",
        "--backend",
        "kdtree",
        runner.path("o.npy"),
        status=1,
    )
    assert "searches by radius" in runner.run(
        "--reference",
        r,
        "--radius",
        1,
        "--metric",
        "inner-product",
        "--offsets",
        runner.path("f.npy"),
        runner.path("o.npy"),
        status=1,
    )
    assert "unsupported for layers" in runner.run(
        "--reference",
        layer,
        "--x",
        "x",
        "--y",
        "y",
        "-k",
        1,
        "--metric",
        "cosine",
        runner.path("o.csv"),
        status=1,
    )


@pytest.mark.parametrize("k,dim", [(1, 2), (20, 3), (5, 16)])
def test_scipy(runner, k, dim):
    reference, queries = points(20000, dim, 3), points(3000, dim, 4)
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", k)
    expected_distances, expected = cKDTree(reference).query(queries, k=[*range(1, k + 1)])
    np.testing.assert_allclose(distances, expected_distances, rtol=1e-14)
    np.testing.assert_array_equal(indices, expected)


@pytest.mark.parametrize(
    "dtype", ["<f4", ">f4", "<f8", ">f8", "|i1", "|u1", "<i2", ">u2", "<i4", ">i8", "<u8", "|b1"]
)
def test_types(runner, dtype):
    reference = (points(300, 4, 5) * 100 - (50 if np.dtype(dtype).kind in "if" else 0)).astype(
        dtype
    )
    r = runner.save("r.npy", reference)
    indices, distances = runner.search("--reference", r, "-k", 3)
    expected = brute(reference, reference, 3, exclude_self=True)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_one_dimension_and_versions(runner):
    reference = points(50, 1, 6)[:, 0]
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(runner.path("r.npy"), "wb") as f:
            np.lib.format.write_array(f, reference, version=version)
        indices, _ = runner.search("--reference", runner.path("r.npy"))
        np.testing.assert_array_equal(
            indices, brute(reference[:, None], reference[:, None], 1, exclude_self=True)[0]
        )


def test_vecs(runner):
    reference, queries = points(400, 12, 7, np.float32), (points(60, 12, 8) * 3).astype(np.uint8)
    with open(runner.path("r.fvecs"), "wb") as f:
        for row in reference:
            f.write(struct.pack("<i", 12) + row.tobytes())
    with open(runner.path("q.bvecs"), "wb") as f:
        for row in queries:
            f.write(struct.pack("<i", 12) + row.tobytes())
    got = runner.search(
        "--reference", runner.path("r.fvecs"), "--queries", runner.path("q.bvecs"), "-k", 4
    )
    expected = brute(reference, queries, 4)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


def test_text(runner):
    reference = points(100, 3, 9)
    expected = brute(reference, reference, 2, exclude_self=True)
    body = "\n".join(",".join(repr(float(x)) for x in row) for row in reference)
    for name, text in [
        ("plain.csv", body),
        ("header.csv", "a,b,c\n" + body + "\n"),
        ("bom.csv", "\ufeffa,b,c\r\n" + body.replace("\n", "\r\n") + "\r\n"),
        ("bom_no_header.csv", "\ufeff" + body),
        ("semicolon.txt", body.replace(",", ";")),
        ("blank.txt", "# numbers\n\n" + body.replace(",", "  ")),
        ("tab.tsv", body.replace(",", "\t")),
        ("bar.txt", body.replace(",", " | ")),
        ("comma_blank.txt", body.replace(",", ", ")),
        ("decimal_commas.csv", "x;y;z\n" + body.replace(",", ";").replace(".", ",")),
        (
            "quoted_decimal_commas.csv",
            "\ufeffx;y;z\r\n"
            + "\r\n".join(
                ";".join(f'"{float(x)!r}"'.replace(".", ",") for x in row) for row in reference
            ),
        ),
        ("heading_with_commas.csv", '"x, east";"y, north";z\n' + body.replace(",", ";")),
        ("quoted.csv", "\n".join(",".join(f'"{float(x)!r}"' for x in row) for row in reference)),
    ]:
        got = runner.search("--reference", runner.text(name, text), "-k", 2)
        np.testing.assert_array_equal(got[0], expected[0], err_msg=name)
        np.testing.assert_array_equal(got[1], expected[1], err_msg=name)


def test_text_output(runner):
    reference, queries = points(30, 2, 10), points(5, 2, 11)
    out = runner.path("out.csv")
    runner.run(
        "--reference",
        runner.save("r.npy", reference),
        "--queries",
        runner.save("q.npy", queries),
        "-k",
        3,
        "--max-distance",
        0.1,
        out,
    )
    lines = open(out).read().strip().split("\n")
    assert lines[0] == "query_row,rank,row,distance"
    expected = brute(reference, queries, 3, max_distance=0.1)
    rows = [line.split(",") for line in lines[1:]]
    assert len(rows) == 15
    for n, (query, rank, index, distance) in enumerate(rows):
        assert (int(query), int(rank)) == (n // 3, n % 3 + 1)
        assert int(index) == expected[0][n // 3, n % 3]
        assert float(distance) == expected[1][n // 3, n % 3]


def test_many_batches(runner):
    """More queries than fit into one batch (64 MiB), so that rows are counted through."""
    reference = points(50, 300, 12, np.float32)
    queries = np.tile(points(700, 300, 13, np.float32), (60, 1))
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    indices, _ = runner.search("--reference", r, "--queries", q)
    np.testing.assert_array_equal(indices, np.tile(brute(reference, queries[:700], 1)[0], (60, 1)))


def test_real_sets(runner):
    default = os.path.join(os.path.dirname(__file__), "../../../../shared/data")
    folder = os.environ.get("GPUVORONOI_TEST_DATA", default)
    if not os.path.isdir(folder):
        pytest.skip("the real data sets are not here")
    digits = os.path.join(folder, "highd/digits_64d.csv")
    values = np.loadtxt(digits, delimiter=",", skiprows=1)
    got = runner.search("--reference", digits, "-k", 10)
    expected = brute(values, values, 10, exclude_self=True)
    np.testing.assert_array_equal(got[0], expected[0])
    sift = os.path.join(folder, "highd/sift_128d_u8.npy")
    values = np.load(sift)
    got = runner.search("--reference", sift, "-k", 10)
    expected = brute(values, values[:300], 10, exclude_self=True)
    np.testing.assert_array_equal(got[0][:300], expected[0])
    np.testing.assert_array_equal(got[1][:300], expected[1])
