"""Files that the plugin writes itself are complete, or the error is reported."""

import resource

import numpy as np
import pytest
from osgeo import gdal, ogr


@pytest.fixture
def full():
    """No file can be longer than 40,000 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("ending", ["gpkg", "geojson", "fgb", "csv"])
def test_layers(qgis, work, full, ending):
    from gpuvoronoi_processing.datasets import write_layer

    rows = ([["x" * 200], None, ogr.CreateGeometryFromWkt(f"POINT ({i} 0)")] for i in range(2000))
    with pytest.raises((OSError, RuntimeError)):
        fields = [("text", ogr.OFTString)]
        write_layer(work.path(f"out.{ending}"), "out", None, ogr.wkbPoint, fields, rows)


def test_rasters(qgis, work, full):
    from gpuvoronoi_processing.datasets import in_memory, write_raster

    values = np.random.default_rng(1).integers(0, 2**31, (300, 300), dtype=np.int32)
    made = in_memory(300, 300, (0, 1, 0, 0, 0, -1), None, 1, gdal.GDT_Int32)
    with pytest.raises((OSError, RuntimeError)):
        write_raster(work.path("out.tif"), made, [values], -1, "", "id of", None, [])
