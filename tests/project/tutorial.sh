#!/bin/bash
# The commands of docs/tutorial.md, as they stand there, and what they make.
# tutorial.sh SOURCE COMMAND WORK
set -euo pipefail
source=$1 command=$2 work=$3
command -v gdal_translate >/dev/null || {
  echo "skipped: no programs of GDAL (apt-get install gdal-bin)"
  exit 77
}
/usr/bin/python3 -c 'import osgeo.gdal, pyproj' 2>/dev/null || {
  echo "skipped: no osgeo or pyproj (apt-get install python3-gdal python3-pyproj)"
  exit 77
}
rm -rf "$work"
mkdir -p "$work/bin"
ln -s "$command" "$work/bin/gpuvoronoi"
ln -s /usr/bin/python3 "$work/bin/python3"
cp "$source"/data/{timezones.csv,land.geojson,draw_map.py} "$work"
cd "$work"
sed -n '/^```sh$/,/^```$/{/^```/!p}' "$source/docs/tutorial.md" >commands.sh
PATH=$work/bin:$PATH bash -euxo pipefail commands.sh 2>&1 | tee said
# What the text says.
grep -q 'cells: 2332800, 0 without a seed' said
grep -q 'seeds without a cell: 62 of 418' said
grep -q 'STATISTICS_MAXIMUM=19[67]' said
head -c 4 map.pdf | grep -q %PDF
diff <(sed -n '/^```text$/,/^```$/{/^```/!p}' "$source/docs/tutorial.md") <(head -3 timezones.csv)
# Some cells against PROJ's geodesics to all places, the table against sums over all cells.
/usr/bin/python3 - <<'PYTHON'
import csv
import numpy as np
from osgeo import gdal
from pyproj import Geod

gdal.UseExceptions()
places = list(csv.DictReader(open("timezones.csv", encoding="utf-8")))
lon, lat = (np.array([float(place[name]) for place in places]) for name in ("lon", "lat"))
nearest, land, distance = (gdal.Open(f"{name}.tif").ReadAsArray() for name in ("nearest", "land", "distance"))
random = np.random.default_rng(1)
rows, columns = random.integers(0, 1080, 500), random.integers(0, 2160, 500)
y, x = 90 - (rows + 0.5) / 6, (columns + 0.5) / 6 - 180
away = np.array([Geod(ellps="WGS84").inv(np.full_like(lon, x[i]), np.full_like(lat, y[i]), lon, lat)[2] for i in range(500)])
assert (nearest[rows, columns] == away.argmin(axis=1) + 1).all()
on_land = distance[rows, columns] >= 0
assert 100 < on_land.sum() < 250
assert (land[rows, columns][on_land] == nearest[rows, columns][on_land]).all()
np.testing.assert_allclose(distance[rows, columns][on_land], away.min(axis=1)[on_land], rtol=1e-6)
served = list(csv.DictReader(open("served.csv", encoding="utf-8")))
assert len(served) == 418 and sum(int(row["cells"]) for row in served) == (distance >= 0).sum()
for row in served:
    assert int(row["cells"]) == (land == int(row["value"])).sum(), row
    if int(row["cells"]) > 0:
        assert abs(float(row["distance_max"]) - distance[land == int(row["value"])].max()) < 1, row
largest = sorted(served, key=lambda row: -float(row["area_km2"] or 0))[:3]
printed = open("said", encoding="utf-8").read().split("name,km2\n")[1].splitlines()[:3]
assert printed == [f"{row['name']},{float(row['area_km2']):.0f}" for row in largest], printed
PYTHON
