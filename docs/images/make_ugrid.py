#!/usr/bin/env python3
"""Draw docs/images/ugrid.png: a mesh of triangles as QGIS shows it, the globe and Europe. Needs python3-gdal and, for
the drawing, QGIS with its Python (qgis, python3-qgis, qgis-providers).

    python3 make_ugrid.py GPUVORONOI SEEDS.csv ugrid.png
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
from osgeo import gdal

from make_globes import with_palette

gdal.UseExceptions()

LEVEL = 6
DRAW = pathlib.Path(__file__).resolve().parents[2] / "tests" / "cli" / "draw_in_qgis.py"
VIEWS = [
    ("EPSG:8857", [-17.3e6, -8.5e6, 17.3e6, 8.5e6], [680, 334], False),
    ("EPSG:4326", [-12, 34, 38, 68], [400, 334], True),
]
GAP = 10


def table_of(path):
    raster = gdal.Open(str(path))  # must outlive its table
    table = raster.GetRasterBand(1).GetDefaultRAT()
    columns = [
        table.GetColOfUsage(u)
        for u in (gdal.GFU_MinMax, gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)
    ]
    value, *rgb = [table.ReadAsArray(c).tolist() for c in columns]
    return {str(v): color for v, *color in zip(value, *rgb)}


def main(program, seeds, target):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        mesh, raster, job = directory / "mesh.nc", directory / "mesh.tif", directory / "job.json"
        subprocess.run(
            [program, "--seeds", seeds, "--level", str(LEVEL), "--mesh", mesh, raster, "--quiet"],
            check=True,
        )
        pictures = []
        for crs, extent, size, edges in VIEWS:
            png = directory / "view.png"
            job.write_text(
                json.dumps(
                    {
                        "mesh": str(mesh),
                        "dataset": "seed",
                        "colors": table_of(raster),
                        "size": size,
                        "extent": extent,
                        "crs": crs,
                        "png": str(png),
                        "edges": edges,
                    }
                )
            )
            subprocess.run(
                [sys.executable, DRAW, job],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            pictures.append(gdal.Open(str(png)).ReadAsArray()[:3].transpose(1, 2, 0))
            pictures.append(numpy.full((size[1], GAP, 3), 255, numpy.uint8))
    sheet = numpy.concatenate(pictures[:-1], axis=1)
    gdal.GetDriverByName("PNG").CreateCopy(target, with_palette(sheet, 96), options=["ZLEVEL=9"])
    pathlib.Path(target + ".aux.xml").unlink(missing_ok=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
