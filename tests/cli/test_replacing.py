"""Where outputs end up, and what they may take the place of."""

import os

import pytest

from conftest import globe

LON, LAT = globe(40, seed=4)
SIZE = ["--metric", "great-circle", "--size", "20,10"]
LONGEST = 1900


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


# ----------------------------------------------------------------------------------------------------- long names


def long_path(work, length, name):
    """Directories within each other, so that the path of `name` in the innermost has so many bytes."""
    path = str(work.directory)
    while (left := length - len(path) - len(name) - 2) > 0:
        path += "/" + "d" * (min(200, left) - (left == 201))
    path += "/" + name
    assert len(path) == length, (len(path), length)
    # makedirs, from where the working directory's limits play no part
    at = os.open("/", os.O_RDONLY)
    for part in path.split("/")[1:-1]:
        try:
            os.mkdir(part, dir_fd=at)
        except FileExistsError:
            pass
        inner = os.open(part, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    return path


@pytest.mark.parametrize("name,options", [("out.tif", []), ("out.tif", ["--of", "ENVI"]), ("out.asc", []),
                                          ("t.csv", ["--stats"]), ("t.shp", ["--polygons"])])
def test_long_paths_are_written_to_or_refused(seeds, name, options):
    """GDAL's functions for names have 2,048 bytes; what was too long became a name in the current directory."""
    seeds.write(name, "something precious")
    before = seeds.listing()
    for length in 1000, LONGEST, LONGEST + 1, 2030, 2047, 2048, 2060, 3000:
        path = long_path(seeds, length, name)
        output = [*options, path, "r.tif"] if options and options[0] in ("--stats", "--polygons") else [*options, path]
        if length <= LONGEST:
            assert seeds.run("--seeds", "s.csv", *SIZE, *output).returncode == 0
            assert os.path.exists(path)
            again = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert again.returncode == 1 and "exists; --overwrite replaces it" in again.stderr
            assert [n for n in os.listdir(os.path.dirname(path)) if ".tmp-" in n] == []
        else:
            done = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert done.returncode == 1 and f"has {length} bytes" in done.stderr, done.stderr
            assert len(done.stderr.splitlines()) == 1
            assert not os.path.exists(path)
        for made in "r.tif", "r.tif.aux.xml":
            seeds.path(made).unlink(missing_ok=True)
        assert {n: b for n, b in seeds.listing().items() if not n.startswith("d")} == before


def test_names_as_long_as_a_file_system_has(seeds):
    name = "ü" * 100 + "n" * 51 + ".tif"
    assert len(name.encode()) == 255
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", name)
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", "--overwrite", name)
    assert seeds.open(name).ReadAsArray().shape == (10, 20)
    seeds.fails("--seeds", "s.csv", *SIZE, "--no-style", "n" + name, has="ame too long")
    # Side files have longer names: the raster is written, and what is missing is said.
    done = seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", name)
    assert "aux.xml" in done.stderr or "auxiliary" in done.stderr
