"""What Python users expect of a package: signatures, representations, an accessor, clear messages about what is not there."""

import inspect
import subprocess
import sys
import typing

import numpy as np
import pytest
from conftest import LONG

import gpuvoronoi
from gpuvoronoi import _options, rasters
from gpuvoronoi.costs import CostRequest
from gpuvoronoi.rasters import RasterRequest

PUBLIC = [
    gpuvoronoi.allocation,
    gpuvoronoi.proximity,
    gpuvoronoi.direction,
    gpuvoronoi.voronoi,
    gpuvoronoi.nearest_value,
    gpuvoronoi.statistics,
]
GRID = {"shape": (20, 30), "extent": (0, 0, 30, 20), "metric": "euclidean"}


def shared(request=RasterRequest):
    return {
        name: one
        for name, one in inspect.signature(request.__init__).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }


@pytest.mark.parametrize(
    "options, request_class",
    [(_options.RasterOptions, RasterRequest), (_options.CostOptions, CostRequest)],
)
def test_options_are_those_of_the_functions(options, request_class):
    assert set(options.__annotations__) == set(shared(request_class))
    for name, one in shared(request_class).items():
        hint = options.__annotations__[name]
        assert (
            hint.__forward_arg__ if isinstance(hint, typing.ForwardRef) else hint
        ) == one.annotation, name


@pytest.mark.parametrize("function", PUBLIC)
def test_signatures_name_all_arguments(function):
    parameters = inspect.signature(function).parameters
    assert set(shared()) < set(parameters)
    assert not any(one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in parameters.values())
    with pytest.raises(TypeError, match="unexpected keyword argument 'shap'"):
        function(
            ([1.0], [1.0]), *(["x"] if function is gpuvoronoi.nearest_value else []), shap=(2, 2)
        )


@pytest.mark.skipif(not LONG, reason="in the long tier")
def test_type_checkers_know_the_arguments(tmp_path):
    version = pytest.importorskip("mypy.version").__version__.split(".")
    pytest.importorskip("typing_extensions")
    if (int(version[0]), int(version[1])) < (1, 7):
        pytest.skip("this mypy does not know Unpack of keyword arguments")
    (tmp_path / "good.py").write_text(
        "import gpuvoronoi\ngpuvoronoi.allocation(([1.0], [1.0]), shape=(2, 2), k=2, workers=1)\n"
    )
    (tmp_path / "bad.py").write_text(
        "import gpuvoronoi\ngpuvoronoi.allocation(([1.0], [1.0]), shap=(2, 2))\ngpuvoronoi.proximity(([1.0], [1.0]), k='2')\n"
    )
    found = {}
    for name in ("good", "bad"):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--follow-imports=silent",
                "--cache-dir",
                str(tmp_path / "cache"),
                f"{name}.py",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        found[name] = done.stdout
    assert "Success" in found["good"], found["good"]
    assert "shap" in found["bad"] and found["bad"].count("error:") == 2, found["bad"]


def test_trees_show_themselves():
    trees = [
        gpuvoronoi.KDTree(np.eye(3)),
        gpuvoronoi.GlobeTree([1.0, 2.0], [3.0, 4.0]),
        gpuvoronoi.FeatureTree([{"type": "Point", "coordinates": [1.0, 2.0]}]),
    ]
    for tree, count in zip(trees, (3, 2, 1)):
        assert len(tree) == count
        assert repr(tree).startswith(type(tree).__name__ + f"(n={count}, ")


@pytest.mark.parametrize("name", ["tree", "size", "indices"])
def test_nodes_of_trees_are_not_there(name):
    with pytest.raises(
        AttributeError, match=f"gpuvoronoi.KDTree has no {name}: its nodes are not accessible; len"
    ):
        getattr(gpuvoronoi.KDTree(np.eye(2)), name)
    assert gpuvoronoi.KDTree(np.eye(2), 12).leafsize == 12


def frame(random, n=12):
    geopandas = pytest.importorskip("geopandas")
    x, y = random.uniform(0, 30, n), random.uniform(0, 20, n)
    return geopandas.GeoDataFrame(
        {"name": [f"place {i}" for i in range(n)], "beds": np.arange(n) * 10},
        geometry=geopandas.points_from_xy(x, y),
        index=np.arange(n) + 100,
    )


def test_statistics_with_text_and_attributes(random):
    table = frame(random)
    plain = gpuvoronoi.statistics(table, **GRID)
    for ids in ("name", table["name"].to_numpy(), table["name"].tolist()):
        assert (
            gpuvoronoi.statistics(table, ids=ids, **GRID)["id"].tolist() == table["name"].tolist()
        )
    kept = gpuvoronoi.statistics(table, keep=True, **GRID)
    assert (
        list(kept)[:3] == ["name", "beds", "cells"]
        and kept["beds"].tolist() == table["beds"].tolist()
    )
    assert (
        kept["beds"].dtype == table["beds"].dtype
        and kept["cells"].equals(plain["cells"])
        and kept.index.equals(table.index)
    )
    assert list(gpuvoronoi.statistics(table, keep="beds", **GRID))[:2] == ["beds", "cells"]
    holes = table.copy()
    holes.loc[103, holes.geometry.name] = None
    some = gpuvoronoi.statistics(holes, keep=["beds"], ids="name", skip_invalid=True, **GRID)
    assert (
        some["beds"].tolist() == [b for b in table["beds"] if b != 30]
        and "place 3" not in some["id"].tolist()
    )


@pytest.mark.parametrize(
    "keep, words",
    [
        ("nothing", "the seeds have no column 'nothing'"),
        (["geometry"], "no column 'geometry'"),
        ("cells", "a column 'cells' of its own"),
    ],
)
def test_bad_columns(random, keep, words):
    table = frame(random).assign(cells=1)
    with pytest.raises(ValueError, match=f"keep: .*{words}"):
        gpuvoronoi.statistics(table, keep=keep, **GRID)
    with pytest.raises(ValueError, match="keep: the seeds have no columns"):
        gpuvoronoi.statistics(([1.0], [1.0]), keep=True, **GRID)
    with pytest.raises(ValueError, match="ids must have one value for each of 12 seeds"):
        gpuvoronoi.statistics(table, ids=["a"], **GRID)


def test_accessor(random):
    xarray = pytest.importorskip("xarray")
    import gpuvoronoi.xarray

    raster = xarray.DataArray(
        random.integers(0, 2, (20, 30)) * random.integers(0, 9, (20, 30)),
        dims=("y", "x"),
        coords={"y": np.arange(20)[::-1] + 0.5, "x": np.arange(30) + 0.5},
    )
    seeds = (random.uniform(0, 30, 9), random.uniform(0, 20, 9))
    for name in ("allocation", "proximity", "direction"):
        function = getattr(gpuvoronoi, name)
        assert getattr(raster.gpuvoronoi, name)(metric="euclidean").identical(
            function(raster, metric="euclidean")
        )
        assert getattr(raster.gpuvoronoi, name)(seeds, metric="euclidean").identical(
            function(seeds, like=raster, metric="euclidean")
        )
        assert set(shared()) < set(inspect.signature(getattr(raster.gpuvoronoi, name)).parameters)
    whole = raster.to_dataset(name="a")
    assert whole.gpuvoronoi.voronoi(seeds, metric="euclidean", variables="proximity").identical(
        gpuvoronoi.voronoi(seeds, like=whole, metric="euclidean", variables="proximity")
    )
    assert raster.gpuvoronoi.voronoi(metric="euclidean").identical(
        gpuvoronoi.voronoi(raster, metric="euclidean")
    )
    values = np.arange(9.0)
    assert raster.gpuvoronoi.nearest_value(seeds, values, metric="euclidean").identical(
        gpuvoronoi.nearest_value(seeds, values, like=raster, metric="euclidean")
    )
    if pytest.importorskip("pandas"):
        assert raster.gpuvoronoi.statistics(
            seeds, metric="euclidean", ids=list("abcdefghi")
        ).equals(
            gpuvoronoi.statistics(seeds, like=raster, metric="euclidean", ids=list("abcdefghi"))
        )
    globe = raster.rename(y="lat", x="lon")
    assert globe.gpuvoronoi.regrid(([3.2], [4.4])).identical(
        gpuvoronoi.regrid(globe, ([3.2], [4.4]))
    )
    assert whole.gpuvoronoi.proximity(metric="euclidean").identical(
        gpuvoronoi.proximity(whole, metric="euclidean")
    )
    with pytest.raises(TypeError, match="like is the object of the accessor"):
        raster.gpuvoronoi.proximity(seeds, like=raster)


def test_the_accessor_is_registered_by_its_module_alone():
    pytest.importorskip("xarray")
    code = "import sys, gpuvoronoi; assert 'xarray' not in sys.modules; import gpuvoronoi.xarray, xarray; xarray.DataArray([1]).gpuvoronoi"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert rasters.NAMES == ("allocation", "proximity", "direction")


@pytest.mark.parametrize("function", PUBLIC)
def test_unknown_arguments_name_the_function(function):
    with pytest.raises(
        TypeError, match=rf"^{function.__name__}\(\) got an unexpected keyword argument 'foo'"
    ):
        function(
            *(([0.0], [0.0]), [1.0])[: 2 if function is gpuvoronoi.nearest_value else 1],
            foo=1,
            **GRID,
        )


def test_modules_that_need_other_packages_are_found():
    pytest.importorskip("pyarrow")
    code = "import gpuvoronoi; gpuvoronoi.arrow.search_batches; gpuvoronoi.what"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip().endswith(
        "AttributeError: module 'gpuvoronoi' has no attribute 'what'"
    )


@pytest.mark.parametrize(
    "call,said",
    [
        (
            lambda: gpuvoronoi.allocation(([0.0], [0.0]), cells="healpix:3,ring,ring"),
            "cells must be",
        ),
        (
            lambda: gpuvoronoi.GlobeTree([0.0], [0.0], ellipsoid=(6378137.0, 0.9)),
            "flattening must be from",
        ),
        (
            lambda: gpuvoronoi.proximity(
                np.ones((2, 2)), target_values=[np.nan], metric="euclidean"
            ),
            r"target_values: unsupported value .nan",
        ),
        (lambda: gpuvoronoi.GlobeTree([0.0], [0.0]).query(0.0, 90.0000025), "latitude 90.0000025"),
    ],
)
def test_values_that_cannot_be_meant(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_features_of_geojson():
    place = {"type": "Point", "coordinates": (1.0, 2.0)}
    tree = gpuvoronoi.FeatureTree(
        [{"type": "Feature", "properties": {}, "geometry": one} for one in (None, place)]
    )
    assert tree.query(1.0, 2.0) == (0.0, 1)


@pytest.mark.parametrize(
    "name", ["allocation", "proximity", "direction", "voronoi", "statistics", "nearest_value"]
)
def test_editors_complete_arguments(name):
    """By jedi, which Jupyter, Spyder and language servers use."""
    jedi = pytest.importorskip("jedi")
    line = f"gpuvoronoi.{name}((1, 2), sh"
    assert "shape=" in [
        one.name for one in jedi.Script("import gpuvoronoi\n" + line).complete(2, len(line))
    ]


def test_results_have_types():
    """Trees, costs and diagrams: what they return is not left to the reader of the text."""
    functions = [gpuvoronoi.diagram, gpuvoronoi.barrier_ways, gpuvoronoi.cost_allocation]
    functions += [gpuvoronoi.cost_distance, gpuvoronoi.cost_ways]
    for tree in (gpuvoronoi.KDTree, gpuvoronoi.GlobeTree, gpuvoronoi.FeatureTree):
        functions += [
            made
            for name, made in vars(tree).items()
            if inspect.isfunction(made) and not name.startswith("_")
        ]
    assert len(functions) > 15
    untyped = [
        f.__qualname__ for f in functions if f.__annotations__.get("return") in (None, "Any")
    ]
    assert untyped == []
