"""Loading, structs, errors, interruption, threads and forks."""

import ctypes
import inspect
import pathlib
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT, check_interrupted, python

import gpuvoronoi
from gpuvoronoi import _c, _library

C_NAMES = {
    cls: "gv_" + "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    for name, cls in inspect.getmembers(_c, inspect.isclass)
    if issubclass(cls, ctypes.Structure) and cls not in (_c.Structure, ctypes.Structure)
}


def test_the_binding_is_written_from_the_headers():
    pytest.importorskip("pycparser")
    done = subprocess.run(
        [sys.executable, str(ROOT / "python" / "make_binding.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_structs_are_laid_out_as_in_the_header(tmp_path):
    compiler = next(
        (
            c
            for c in ("cc", "gcc")
            if subprocess.run(["which", c], capture_output=True).returncode == 0
        ),
        None,
    )
    if compiler is None:
        pytest.skip("no C compiler")
    lines = []
    for cls, name in C_NAMES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in cls._fields_:
            lines.append(
                f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
            )
    source = tmp_path / "layout.c"
    source.write_text(
        '#include <stdio.h>\n#define GV_EXPERIMENTAL\n#include "gpuvoronoi/geometries.h"\n#include "gpuvoronoi/experimental.h"\n#include "gpuvoronoi/raster_seeds.h"\n#include "gpuvoronoi/diagram.h"\n#include "gpuvoronoi/crs.h"\n#include "gpuvoronoi/arrow.h"\n#include "gpuvoronoi/weights.h"\n#include "gpuvoronoi/cost.h"\n#include "gpuvoronoi/barriers.h"\nint main(void) {\n'
        + "\n".join(lines)
        + "\nreturn 0;\n}\n"
    )
    subprocess.run(
        [compiler, f"-I{ROOT}/include", str(source), "-o", str(tmp_path / "layout")], check=True
    )
    said = dict(
        line.split(" ", 1)
        for line in subprocess.run(
            [str(tmp_path / "layout")], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    )
    assert len(C_NAMES) >= 15
    for cls, name in C_NAMES.items():
        assert int(said[name]) == ctypes.sizeof(cls), name
        for field, *_ in cls._fields_:
            ours = getattr(cls, field)
            assert said[f"{name}.{field}"] == f"{ours.offset} {ours.size}", f"{name}.{field}"


def test_a_missing_library_says_what_to_do():
    done = python(
        "import gpuvoronoi; gpuvoronoi.KDTree([[1.0]])",
        GPUVORONOI_LIBRARY="/nowhere/libgpuvoronoi.so",
    )
    assert "ImportError: the gpuvoronoi library cannot be loaded" in done.stderr
    assert "pip install" in done.stderr and "GPUVORONOI_LIBRARY" in done.stderr


def test_a_library_that_is_another():
    done = python("import gpuvoronoi; gpuvoronoi.KDTree([[1.0]])", GPUVORONOI_LIBRARY="libm.so.6")
    assert "ImportError: libm.so.6: not a gpuvoronoi library" in done.stderr


def test_a_library_of_the_system():
    """Where there is none beside the package, the one that the dynamic linker finds by its SONAME."""
    if pathlib.Path(gpuvoronoi.__file__).with_name("libgpuvoronoi.so").exists():
        pytest.skip("the package has its own")
    folder = pathlib.Path(_library.path()).resolve().parent
    done = python(
        "import gpuvoronoi; gpuvoronoi.KDTree([[1.0]])",
        GPUVORONOI_LIBRARY="",
        LD_LIBRARY_PATH=str(folder),
    )
    assert done.returncode == 0, done.stderr


def test_the_package_has_the_library_s_version():
    assert _library.library().gv_version().decode() == gpuvoronoi.__version__


def test_import_starts_no_thread_and_imports_numpy_only():
    done = python(
        """
import sys, threading
import gpuvoronoi
assert threading.active_count() == 1
assert not {"scipy", "xarray", "pandas", "pyproj", "dask", "tqdm", "cupy"} & set(sys.modules)
assert gpuvoronoi._library._loaded is None
"""
    )
    assert done.returncode == 0, done.stderr
    done = python("""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy
before = len(os.listdir("/proc/self/task"))
import gpuvoronoi
assert len(os.listdir("/proc/self/task")) == before
""")
    assert done.returncode == 0, done.stderr


def test_main_tells_versions_backends_devices():
    done = subprocess.run(
        [sys.executable, "-m", "gpuvoronoi"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(
        f"gpuvoronoi {gpuvoronoi.__version__}, library {gpuvoronoi.__version__}"
    )
    for word in ("backends\n", "kdtree", "cuda-tile", "devices\n"):
        assert word in done.stdout


@pytest.mark.parametrize(
    "status, kind",
    [
        (1, ValueError),
        (2, MemoryError),
        (3, ValueError),
        (4, ValueError),
        (5, RuntimeError),
        (6, RuntimeError),
        (7, RuntimeError),
        (8, OSError),
        (9, RuntimeError),
        (10, RuntimeError),
    ],
)
def test_each_status_has_its_exception(status, kind):
    error = _library.exception(status, "it went wrong", "x")
    assert type(error) is kind and "it went wrong" in str(error)
    assert str(error).startswith("x: ") == (status in (1, 4))


def test_unknown_and_absent_backends():
    with pytest.raises(ValueError, match=r"^backend: unknown name \(nonsense\)"):
        gpuvoronoi.KDTree([[1.0]], backend="nonsense")
    with pytest.raises(TypeError, match="backend"):
        gpuvoronoi.KDTree([[1.0]], backend=3)
    with pytest.raises(ValueError, match="device"):
        gpuvoronoi.KDTree([[1.0]], device=-7)
    with pytest.raises(TypeError, match="device"):
        gpuvoronoi.KDTree([[1.0]], device="gpu")


@pytest.mark.parametrize("workers, backend", [(1, "serial"), (-1, "openmp")])
def test_ctrl_c_stops_a_long_call(workers, backend):
    check_interrupted(
        f"tree, queries = gpuvoronoi.KDTree(random.random((100_000, 24)), backend='{backend}'), random.random((400_000, 24))",
        f"tree.query(queries, workers={workers})",
    )


@pytest.mark.parametrize(
    "module, package, call",
    [
        ("xarray", "xarray", lambda: gpuvoronoi.regrid(None, None)),
        ("pandas", "pandas", lambda: gpuvoronoi.statistics(([0.0], [0.0]), shape=(2, 2))),
        ("geopandas", "geopandas", lambda: gpuvoronoi.diagram(([0.0, 1.0], [0.0, 1.0]))),
        ("pyarrow", "pyarrow", lambda: gpuvoronoi.to_parquet(None, "file")),
        ("tqdm.auto", "tqdm", lambda: gpuvoronoi.KDTree([[0.0]]).query([[0.0]], progress=True)),
    ],
)
def test_missing_packages_are_named(module, package, call, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"needs {package}: `pip install {package}`"):
        call()


@pytest.mark.parametrize(
    "tree",
    [
        gpuvoronoi.KDTree([[0.0, 1.0]]),
        gpuvoronoi.GlobeTree([0.0], [1.0]),
        gpuvoronoi.FeatureTree([{"type": "Point", "coordinates": (0.0, 1.0)}]),
    ],
    ids=lambda tree: type(tree).__name__,
)
def test_attributes_of_trees_are_fixed(tree):
    for name in ("n", "metric"):
        with pytest.raises(AttributeError, match=f"{type(tree).__name__}.{name} cannot be set"):
            setattr(tree, name, 3)
    tree.note = "own attributes can be added"
    assert tree.n == 1 and pickle.loads(pickle.dumps(tree)).n == 1


def test_masks_of_the_data_are_refused():
    with pytest.raises(ValueError, match="that of the data, as pykdtree's mask has it"):
        gpuvoronoi.KDTree([[0.0], [1.0]]).query([[0.0]], mask=[True, False])


def test_ctrl_c_stops_a_single_query():
    parallels = "{'type': 'MultiLineString', 'coordinates': [[(i, UP), (i + 1e4, 1e4 + UP)] for i in range(20_000)]}"
    lower, upper = (parallels.replace("UP", up) for up in ("0.0", "0.5"))
    check_interrupted(
        f"tree, above = gpuvoronoi.FeatureTree([{lower}], 'euclidean'), [{upper}]",
        "tree.query_features(above)",
    )


def test_the_gil_is_released():
    tree = gpuvoronoi.KDTree(np.random.default_rng(1).random((3000, 8)), backend="serial")
    queries = np.random.default_rng(2).random((20_000, 8))
    ticks, done = [0], threading.Event()

    def count():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    tree.query(queries)
    done.set()
    counter.join()
    assert ticks[0] > 5


def test_threads_share_a_tree(random):
    tree = gpuvoronoi.KDTree(random.random((2000, 3)))
    queries = random.random((8, 500, 3))
    expected = tree.query(queries, k=3)
    found = [None] * 8

    def ask(i):
        found[i] = tree.query(queries[i], k=3, workers=2)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(8):
        assert np.array_equal(found[i][0], expected[0][i]) and np.array_equal(
            found[i][1], expected[1][i]
        )


@pytest.mark.parametrize("before", ["", "tree.query(queries, workers=2)"])
def test_fork_before_or_after_a_call(before):
    done = python(
        f"""
import os, numpy as np, gpuvoronoi
tree = gpuvoronoi.KDTree(np.random.default_rng(1).random((50_000, 3)))
queries = np.random.default_rng(2).random((20_000, 3))
{before}
child = os.fork()
d, i = tree.query(queries, workers=2)
e, j = gpuvoronoi.KDTree(tree.data, backend="openmp").query(queries[:500], workers=2)
assert (d[:500] == e).all() and (i[:500] == j).all()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_progress_is_told_and_its_errors_are_raised(random):
    tree, queries = gpuvoronoi.KDTree(random.random((5000, 3))), random.random((50_000, 3))
    told = []
    tree.query(queries, progress=told.append)
    assert told and told == sorted(told) and 0 <= told[0] and told[-1] <= 1

    def refuse(fraction):
        raise ZeroDivisionError("no more")

    with pytest.raises(ZeroDivisionError, match="no more"):
        tree.query(queries, progress=refuse)
    with pytest.raises(TypeError, match="progress"):
        tree.query(queries, progress=3)


def test_bar_by_tqdm(random, capsys):
    pytest.importorskip("tqdm")
    gpuvoronoi.KDTree(random.random((500, 3))).query(random.random((5000, 3)), progress=True)
    assert "gpuvoronoi" in capsys.readouterr().err
