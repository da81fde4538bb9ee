"""Commands of the pages of docs/ run as they stand there, on small inputs of those names; rasters by --dry-run."""

import re
import shlex

import numpy as np
import pytest
from conftest import ROOT
from osgeo import gdal, ogr, osr

PAGES = "usage search features facility cost barriers diagram cells raster-seeds runs qtm cluster".split()
POINTS = (
    "cities shops stations airports hospitals us_hospitals villages wells ports ships homes houses seeds coast_points timezones "
    "ocean_cells"
).split()
LINES = "rivers roads barriers".split()
POLYGONS = "land country ne_50m_land".split()
RASTERS = (
    "population friction landcover landmask landmask_8640 zones water land gpw4_pop2020_1deg"
).split()
PROJECTED = "shops wells barriers rivers".split()  # where the pages have cells of 100 meters
DRIVERS = {"gpkg": "GPKG", "geojson": "GeoJSON", "shp": "ESRI Shapefile"}
FIELDS = {"name": ogr.OFTString, "country": ogr.OFTString, "temperature": ogr.OFTReal}
FIELDS.update(shop_no=ogr.OFTInteger, open=ogr.OFTInteger)


def system(code):
    made = osr.SpatialReference()
    made.ImportFromEPSG(code)
    made.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return made


def shapes(stem, projected):
    """Nine features side by side, as text."""
    x, y, step = (4321000, 3210000, 2000) if projected else (8.0, 48.0, 0.5)
    for i in range(9):
        a, b = x + step * (i % 3), y + step * (i // 3)
        if stem in POLYGONS:
            c, d = a + 0.6 * step, b + 0.6 * step
            yield f"POLYGON (({a} {b},{c} {b},{c} {d},{a} {d},{a} {b}))"
        elif stem in LINES:
            yield f"LINESTRING ({a + 0.2 * step} {b},{a + 0.7 * step} {b + 0.5 * step})"
        else:
            yield f"POINT ({a + 0.1 * step * (i % 2)} {b})"


def write_layer(path):
    projected = path.stem in PROJECTED and path.suffix == ".gpkg"
    rows = [ogr.CreateGeometryFromWkt(text) for text in shapes(path.stem, projected)]
    if path.suffix == ".csv":
        lines = [f"{8 + i % 3 / 2},{48 + i // 3 / 2},place {i},{i}" for i in range(9)]
        path.write_text("\n".join(["lon,lat,name,temperature", *lines]) + "\n")
        return
    made = ogr.GetDriverByName(DRIVERS[path.suffix[1:]]).CreateDataSource(str(path))
    layer = made.CreateLayer(path.stem, system(3035 if projected else 4326))
    for name, kind in FIELDS.items():
        layer.CreateField(ogr.FieldDefn(name, kind))
    for i, shape in enumerate(rows):
        feature = ogr.Feature(layer.GetLayerDefn())
        for field, kind in enumerate(FIELDS.values()):
            feature.SetField(field, f"text {i % 2}" if kind == ogr.OFTString else i % 5 + 1)
        feature.SetGeometry(shape)
        layer.CreateFeature(feature)


def write_raster(path):
    made = gdal.GetDriverByName("GTiff").Create(str(path), 40, 40, 1, gdal.GDT_Int16)
    x, y = (-100, 40) if path.stem.startswith("gpw4") else (7.5, 50)  # people of the United States
    made.SetGeoTransform((x, 0.1, 0, y, 0, -0.1))
    made.SetSpatialRef(system(4326))
    made.GetRasterBand(1).WriteArray(np.arange(1600).reshape(40, 40) % 91 + 1)


def write_inputs(work, words):
    """Those that the command names and that are not there."""
    output = False
    for i, word in enumerate(words):
        path = work.path(word.rpartition("/")[2])
        before = words[i - 1]
        output = before in (
            "--distance",
            "--stats",
            "--polygons",
            "--ways",
            "--cells",
            "--describe",
        )
        if path.exists() or output or i == len(words) - 1:
            continue
        if path.suffix == ".tif" and path.stem in RASTERS and before != "--sum":
            write_raster(path)
        elif path.suffix == ".tif" and "=" in word:
            write_raster(work.path(word.partition("=")[2]))
        elif path.suffix in (".gpkg", ".csv", ".geojson", ".shp") and path.stem in (
            *POINTS,
            *LINES,
            *POLYGONS,
        ):
            write_layer(path)


def commands(page):
    """Each command of the page's blocks, as a list of words."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            line = line[2:] if line.startswith("$ ") else line
            if not line.startswith("gpuvoronoi ") or "[options]" in line or "|" in line:
                continue
            words = shlex.split(line.partition(" <")[0], comments=True)
            if words[1] != "merge" and not (words[1] == "search" and words[3] == "R"):
                yield [re.sub(r"^(data|docs/\w+)/", "", word) for word in words[1:]]


@pytest.mark.parametrize("page", PAGES)
def test_commands(work, page):
    found = list(commands(page))
    assert found
    for words in found:
        write_inputs(work, words)
        is_raster = words[0].startswith("--") and page != "runs"
        done = work.run(*words, *(["--dry-run"] if is_raster else []))
        if "not supported by this build" in done.stderr:
            continue  # H3
        assert done.returncode == 0, (page, words, done.stderr)


def test_codes_of_the_mesh(work):
    """docs/qtm.md shows what these commands print."""
    text = (ROOT / "docs" / "qtm.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\$ gpuvoronoi (qtm [^|<\n]*)\n([\d ]+)$", text, re.MULTILINE)
    assert len(shown) == 2
    for words, printed in shown:
        assert work.run(*shlex.split(words)).stdout == printed + "\n"


def test_check_of_the_installation(work):
    """docs/install.md: its last block, of which `devices` fails without a GPU."""
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    block = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[-1]
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert [line[1] for line in lines] == ["--version", "backends", "devices"]
    for program, *arguments in lines:
        done = work.run(*arguments)
        assert program == "gpuvoronoi" and done.stdout or arguments == ["devices"]
        assert done.returncode in ((0, 1) if arguments == ["devices"] else (0,))


def test_what_builds_name_exists():
    """Presets, files, stages of images and options of the lines that install and build, which packages.sh, docker.py and wheels.py run."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    presets = (ROOT / "CMakePresets.json").read_text()
    named = set(re.findall(r"(?:cmake|ctest) --preset (\w+)", text))
    assert len(named) > 4 and all(f'"name": "{name}"' in presets for name in named), named
    files = set(
        re.findall(
            r"(?:packaging|tests|tools|plugin|python|data)/[\w/-]+\.(?:py|sh|txt|md|json|csv|cpp)\b",
            text,
        )
    )
    missing = [name for name in files if "/X/" not in name and not (ROOT / name).exists()]
    assert len(files) > 20 and not missing, missing
    image = (ROOT / "packaging" / "docker" / "Dockerfile").read_text()
    stages = set(re.findall(r"-f packaging/docker/Dockerfile --target (\w+)", text))
    assert stages == {"cpu", "cuda"} and all(f" AS {stage}\n" in image for stage in stages)
    builds = "".join(
        path.read_text()
        for path in [
            ROOT / "CMakeLists.txt",
            *ROOT.glob("*/CMakeLists.txt"),
            *ROOT.glob("cmake/*.cmake"),
        ]
    )
    builds += "".join(path.read_text() for path in ROOT.glob("*/*/CMakeLists.txt"))
    options = set(re.findall(r"-D(?:cmake\.define\.)?(GPUVORONOI_\w+)=", text))
    assert len(options) > 4 and all(option in builds for option in options), options
