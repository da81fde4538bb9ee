#!/usr/bin/python3
"""
docs/r.md: its blocks run as they stand there, in R with terra and sf, and have results that the command confirms.

    r_page.py SOURCE WORK COMMAND DRIVERS    DRIVERS: the folder of the GDAL driver

Exits with 77, a visible skip, where R, terra or sf is missing.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

CHECK = """
out <- list(farthest = farthest[1, 1], zone = as.character(at$zone), meters = at$meters, joined = joined$reference_name,
            rank = joined$rank, largest = largest$name[1], sum = sum(served$people_sum))
text <- function(v) if (is.character(v)) paste0('"', v, '"') else format(v, digits = 15)
cat(paste0('{', paste0('"', names(out), '": [', sapply(out, function(v) paste(text(v), collapse = ', ')), ']', collapse = ', '), '}'), '\\n')
"""

# Sums of exactextractr over the regions' polygons: of a raster with the cells of the grid, and of one with cells that regions share.
SUMS = """
suppressMessages({library(terra); library(sf); library(exactextractr)})
set.seed(1)
people <- rast(nrows = 180, ncols = 360, vals = round(runif(64800, 0, 1000)))
writeRaster(people, "random.tif")
for (res in c("1", "0.5")) {
  system2("gpuvoronoi", c("--quiet", "--overwrite", "--seeds", "timezones.csv", "--id", "name", "--res", res,
                          "--sum", "people=random.tif", "--stats", "sums.csv", "--polygons", "regions.gpkg"))
  served <- read.csv("sums.csv")
  regions <- st_read("regions.gpkg", quiet = TRUE)
  ours <- served$people_sum[match(regions$value, served$value)]
  theirs <- exact_extract(people, regions, "sum", progress = FALSE)
  cat(max(abs(ours - theirs) / ours), abs(sum(ours) / sum(values(people)) - 1), "\\n")
}
"""


def check_sums(work, environment):
    """Equal where no cell is shared; a shared one is divided by its area, there in degrees."""
    done = subprocess.run(
        ["Rscript", "-e", SUMS], cwd=work, env=environment, capture_output=True, text=True
    )
    if "there is no package called" in done.stderr:
        print("sums not compared: no exactextractr for R (package r-cran-exactextractr)")
        return
    assert done.returncode == 0, done.stderr[-2000:]
    same, shared = (
        [float(word) for word in line.split()] for line in done.stdout.splitlines()[-2:]
    )
    assert max(same) < 1e-12, same
    assert 1e-6 < shared[0] < 0.02 and shared[1] < 1e-12, shared
    print("largest difference to exactextractr", same[0], "with shared cells", shared[0])


def main():
    source, work, command, drivers = (pathlib.Path(one).resolve() for one in sys.argv[1:5])
    if shutil.which("Rscript") is None:
        print("skipped: no R (package r-base-core)")
        sys.exit(77)
    found = subprocess.run(
        [
            "Rscript",
            "-e",
            "suppressWarnings(stopifnot(requireNamespace('terra'), requireNamespace('sf')))",
        ],
        capture_output=True,
    )
    if found.returncode != 0:
        print("skipped: no terra or sf for R (packages r-cran-terra, r-cran-sf)")
        sys.exit(77)
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source / "data", work)
    page = (source / "docs" / "r.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```r\n(.*?)^```", page, flags=re.M | re.S)
    assert len(blocks) == 3, len(blocks)
    (work / "page.R").write_text("\n".join(blocks) + CHECK)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "GDAL_DRIVER_PATH": str(drivers),
    }
    done = subprocess.run(
        ["Rscript", "page.R"],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    made = json.loads(done.stdout.splitlines()[-1])

    def run(*arguments):
        subprocess.run([command, *arguments], cwd=work, env=environment, check=True)

    ships = "ship,lon,lat\na,4.9,52.4\nb,177.4,-17.8\n"
    (work / "places.csv").write_text(ships)
    run(
        *"search --quiet --reference timezones.csv --keep name --queries places.csv -k 3 own.csv".split()
    )
    with open(work / "own.csv", newline="") as file:
        assert made["joined"] == [row["reference_name"] for row in csv.DictReader(file)]
    assert made["rank"] == [1, 2, 3, 1, 2, 3]
    assert abs(made["sum"][0] - 180 * 360) < 1e-6
    with open(work / "served.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert made["largest"] == [max(rows, key=lambda row: float(row["area_km2"]))["name"]]
    # The raster of the driver is that of the command.
    run(*"--quiet --seeds timezones.csv --res 0.5 --distance meters.tif zones.tif".split())
    from osgeo import gdal

    gdal.UseExceptions()
    meters = gdal.Open(str(work / "meters.tif")).ReadAsArray()
    for value, (lon, lat) in zip(made["meters"], ((4.9, 52.4), (177.4, -17.8))):
        assert abs(meters[int((90 - lat) * 2), int((lon + 180) * 2)] - value) <= 0.01
    assert made["zone"] == made["joined"][::3], made["zone"]
    print(made)
    check_sums(work, environment)


if __name__ == "__main__":
    main()
