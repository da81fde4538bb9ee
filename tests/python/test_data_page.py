"""docs/data.md: its blocks run as they stand there, and have the results that the page states."""

import re
import shutil

import numpy as np
import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of data/."""
    for file in (ROOT / "data").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(section, *packages):
    """The names that the section's blocks make, one after the other."""
    for package in packages:
        pytest.importorskip(package)
    made = {}
    for code in re.findall(r"^```python\n(.*?)^```", SECTIONS[section], flags=re.M | re.S):
        exec(compile(code, section, "exec"), made)
    return made


def test_arrow_tables(folder):
    made = run("Arrow tables", "polars")
    assert made["nearest"]["reference"].to_list()[::3] == ["Europe/Amsterdam", "Pacific/Fiji"]
    assert made["joined"]["name"].to_list() == ["Europe/Amsterdam", "Pacific/Fiji"]
    assert (made["within"]["distance"] <= 1e6).all() and made["within"]["ship"].n_unique() == 2


def test_duckdb_and_polars(folder):
    made = run("DuckDB and Polars in bounded memory", "duckdb", "polars")
    import polars

    found = polars.read_parquet("found.parquet")
    assert sum(trips for _, trips, _ in made["counts"]) > 0 and found["distance"].max() <= 500_000
    assert found.columns == ["i", "lon", "lat", "reference", "rank", "distance"]
    expected = found.filter(polars.col("reference") == "Europe/Lisbon")
    assert made["in_lisbon"].drop("distance").equals(expected.drop("distance"))


def test_sql(folder):
    made = run("SQL", "duckdb", "pyarrow")
    names = [name for _, name, _, _ in made["three"]]
    assert names[0] == "Europe/Amsterdam" and [rank for _, _, rank, _ in made["three"]] == [1, 2, 3]
    assert [name for (name,) in made["near"]][: len(names)] == names[: len(made["near"])]


def test_weight_files(folder):
    import gpuvoronoi

    made = run("Weight files", "xarray", "scipy.sparse", "netCDF4")
    expected = gpuvoronoi.regrid(made["field"].rename("t"), "healpix:5").values
    assert np.array_equal(made["values"], expected)
    assert made["back"].sizes["n_s"] == 4 * 72 * 144 and (folder / "weights.nc").exists()
