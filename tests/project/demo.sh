#!/bin/bash
# What `./bootstrap demo` does after building, smaller: seeds to raster to picture.
# demo.sh PROGRAM DATA WORK
set -euo pipefail
program=$1 data=$2 work=$3
python=/usr/bin/python3
"$python" -c 'import numpy, osgeo' || {
  echo "skipped: no python3-gdal"
  exit 77
}
rm -rf "$work"
mkdir -p "$work"
"$program" --seeds "$data/timezones.csv" --size 720,360 "$work/world.tif"
"$python" "$data/draw_map.py" "$work/world.tif" "$data/timezones.csv" "$data/land.geojson" "$work/world.png" 360
made=$(ls "$work")
[[ $made == $'world.png\nworld.tif\nworld.tif.aux.xml' ]] || {
  echo "made other files than raster, its names and colors, and picture:" $made
  exit 1
}
"$python" - "$work/world.tif" "$work/world.png" <<'END'
import sys
import numpy
from osgeo import gdal

raster, picture = (gdal.Open(name) for name in sys.argv[1:])
assert (picture.RasterXSize, picture.RasterYSize, picture.RasterCount) == (360, 180, 3)
values = raster.ReadAsArray()
assert len(numpy.unique(values)) > 380, "of 418 places nearly all have a cell of half a degree"
colors = picture.ReadAsArray().reshape(3, -1)
assert len(numpy.unique(colors, axis=1).T) > 1000
END
