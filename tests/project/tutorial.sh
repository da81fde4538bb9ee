#!/bin/bash
# The commands of docs/tutorial.md, as they stand there, and what they make.
# tutorial.sh SOURCE COMMAND WORK
set -euo pipefail
source=$1 command=$2 work=$3
command -v gdal_translate >/dev/null || {
  echo "skipped: no programs of GDAL (apt-get install gdal-bin)"
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
grep -q '62 of 418 seeds have no cell' said
grep -q 'STATISTICS_MAXIMUM=19[67]' said
head -c 4 map.pdf | grep -q %PDF
diff <(sed -n '/^```text$/,/^```$/{/^```/!p}' "$source/docs/tutorial.md") <(head -3 timezones.csv)
