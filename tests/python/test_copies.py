"""Every class of the package: an instance is pickled, copied and sent to another process as a whole, or refuses with a TypeError."""

import copy
import ctypes
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import gpuvoronoi
from gpuvoronoi import (
    _arrow_c,
    _arrow_columns,
    _arrow_points,
    _barriers,
    _c,
    _cells,
    _crs,
    _device_arrays,
    _device_rasters,
    _field,
    _geometries,
    _grid,
    _library,
    _options,
    _pairing,
    _places,
    _radius,
    _search,
    _seeds,
    costs,
    grids,
    features,
    globe_trees,
    rasters,
    spatial,
    tables,
    trees,
)

LINE = {"type": "LineString", "coordinates": [(0.0, 0.0), (1.0, 1.0)]}
SQUARE = {"type": "Polygon", "coordinates": [[(4.0, 0.0), (5.0, 0.0), (5.0, 1.0), (4.0, 0.0)]]}
LON, LAT = np.array([0.0, 10.0, 20.0]), np.array([0.0, 5.0, -5.0])


def request():
    return rasters.RasterRequest((LON, LAT), shape=(6, 12))


def field():
    return _field.Field(request().plan)


def parts():
    made = _geometries._Parts()
    made.add(LINE, 0)
    return made


# An instance of each class, and what must be the same of a copy.
MADE = {
    trees.KDTree: (
        lambda: trees.KDTree(np.c_[LON, LAT], 5, metric="manhattan"),
        lambda t: (t.query([[1.0, 2.0]]), t.metric, t.leafsize),
    ),
    globe_trees.GlobeTree: (lambda: globe_trees.GlobeTree(LON, LAT), lambda t: t.query(1.0, 2.0)),
    gpuvoronoi.GlobeTreeAdapter: (
        lambda: gpuvoronoi.GlobeTreeAdapter(np.c_[LON, LAT]),
        lambda t: t.query(np.array([[1.0, 2.0]])),
    ),
    spatial.Voronoi: (
        lambda: spatial.Voronoi(np.c_[LON, LAT]),
        lambda v: (v.vertices, v.regions, v.ridge_dict),
    ),
    spatial.SphericalVoronoi: (
        lambda: spatial.SphericalVoronoi(np.vstack([np.eye(3), -np.eye(3)])),
        lambda v: (v.vertices, v.regions, v.calculate_areas()),
    ),
    features.FeatureTree: (
        lambda: features.FeatureTree([LINE, None, SQUARE] * 100, metric="euclidean"),
        lambda t: (t.query(1.0, 0.0), t.query(4.9, 0.5), t.n),
    ),
    _geometries.Arrays: (lambda: parts().arrays(), tuple),
    _geometries._Parts: (parts, lambda p: (p.part, p.ring, p.vertex, p.kind)),
    rasters.RasterRequest: (request, lambda q: (q.plan.columns, q.plan.rows, q.plan.x)),
    _field.Plan: (lambda: request().plan, lambda p: (p.columns, p.rows, p.x)),
    _field.Window: (lambda: _field.Window(0, 1, 0, 1), tuple)
    if not hasattr(_field.Window, "__dataclass_fields__")
    else (lambda: request().plan.window, lambda w: w),
    _crs.Operation: (
        lambda: _crs.Operation(_crs.parse("EPSG:4326", "crs"), _crs.parse("EPSG:3857", "crs")),
        lambda o: (o.definition, o.inverse),
    ),
}
REFUSES = {
    _library.Context: _library.Context,
    _library.Handle: lambda: globe_trees.GlobeTree(LON, LAT)._index,
    _library._Contexts: _library._Contexts,
    _device_arrays.DeviceArray: lambda: _device_arrays.DeviceArray(None, 4096, (1, 2), 0, None),
    _field.Field: field,
    _cells.Cells: lambda: (
        rasters.RasterRequest(
            np.eye(3), target_values=[1], extent=(0, 0, 3, 3), metric="euclidean"
        ).cells
    ),
    tables._Table: lambda: tables._Table(field(), [], False),
}
# Plain data of the modules above, or helpers of one call that no caller can reach.
PLAIN = {
    _arrow_c._Pass,
    _arrow_columns.Column,
    _arrow_columns.Field,
    _arrow_points.Where,
    _search.Fixed,
    _search.SupportsArray,
    _cells.Raster,
    _barriers.Solved,
    costs.CostRequest,
    costs._Result,
    grids.Cells,
    _device_rasters.Own,
    _device_rasters.Spans,
    _crs.Inverse,
    _field.Results,
    _field.Features,
    _field.Names,
    _grid.Grid,
    _grid.Irregular,
    _library.Bar,
    _library.Stop,
    _pairing.Pairing,
    _pairing.Search,
    _options.CellOptions,
    _options.CostOptions,
    _options.Labeled,
    _options.LabeledSet,
    _options.RasterOptions,
    _places.Cells,
    _places.NoPlaces,
    _places.Places,
    _radius.Queries,
    _radius.Found,
    _seeds.Seeds,
}


def classes():
    for info in pkgutil.iter_modules(gpuvoronoi.__path__):
        # Modules that need other packages: test_sklearn.py copies its estimator; the others have no state of their own,
        # or that of a connection. Of an installed package also the library.
        others = ("__main__", "arrow", "duckdb", "sklearn", "xarray")
        if info.name in others or info.name.startswith("lib"):
            continue
        module = importlib.import_module(f"gpuvoronoi.{info.name}")
        for _, found in inspect.getmembers(module, inspect.isclass):
            if found.__module__ == module.__name__:
                yield found


def same(one, other):
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))
    return bool(np.all(one == other))


def spawned(made):
    """The copy that another process gets, as it sends it back."""
    code = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps(pickle.loads(sys.stdin.buffer.read())))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(made), capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return pickle.loads(done.stdout)


WAYS = {
    "pickle": lambda made: pickle.loads(pickle.dumps(made)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "spawn": spawned,
}


def test_every_class_is_looked_at():
    structures = {found for found in classes() if issubclass(found, ctypes.Structure)}
    assert set(classes()) - structures == set(MADE) | set(REFUSES) | PLAIN
    assert structures


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_copies_answer_as_the_original_does(kind, way):
    make, answer = MADE[kind]
    made = make()
    expected = answer(made)
    copied = WAYS[way](made)
    del made
    for _ in range(20):  # memory of an object that is gone would be used again
        make()
    assert type(copied) is kind and same(answer(copied), expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", REFUSES, ids=lambda kind: kind.__name__)
def test_what_belongs_to_the_process_refuses(kind, way):
    made = REFUSES[kind]()
    with pytest.raises(TypeError):
        WAYS[way](made)


@pytest.mark.parametrize(
    "kind",
    [found for found in classes() if issubclass(found, ctypes.Structure)],
    ids=lambda kind: kind.__name__,
)
def test_structures_with_addresses_refuse(kind):
    addresses = any(
        issubclass(type_, (ctypes.c_void_p, ctypes.c_char_p, ctypes._CFuncPtr))
        for _, type_ in getattr(kind, "_fields_", ())
    )
    if not addresses:
        return
    for way in pickle.dumps, copy.copy, copy.deepcopy:
        with pytest.raises((TypeError, ValueError)):
            way(kind())


def test_a_subclass_of_a_tree_stays_one():
    class Own(features.FeatureTree):
        pass

    assert type(copy.copy(Own([LINE]))) is Own
    assert copy.copy(Own([])).n == 0


def test_a_fork_can_use_and_copy_a_tree():
    code = """
import os, pickle, gpuvoronoi
tree = gpuvoronoi.FeatureTree([{"type": "Point", "coordinates": (1.0, 2.0)}] * 100)
child = os.fork()
if child == 0:
    assert tree.query(1.0, 2.0)[0] == 0.0 and pickle.loads(pickle.dumps(tree)).query(1.0, 2.0)[0] == 0.0
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_joblib_sends_a_tree():
    joblib = pytest.importorskip("joblib")
    tree = features.FeatureTree([LINE], metric="euclidean")
    found = joblib.Parallel(2)(joblib.delayed(tree.query)(x, 0.0) for x in (0.0, 1.0))
    assert same(found, [tree.query(0.0, 0.0), tree.query(1.0, 0.0)])


def test_structure_of_the_header_is_not_sent():
    with pytest.raises((TypeError, ValueError)):
        pickle.dumps(_c.Points(x=4096, y=4096, count=1))
