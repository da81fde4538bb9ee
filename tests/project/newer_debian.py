#!/usr/bin/python3
"""
Tests of this project in a newer release of Debian, in a userland that debootstrap makes: other GDAL, QGIS, Qt, Python and compilers.

    newer_debian.py SOURCE WORK SUITE SUBJECT    SUITE: trixie, sid; SUBJECT: a row of SUBJECTS

Builds what the tests need there and runs them one at a time. None may be skipped. The subject "python" has its packages from PyPI, in
the versions of the lists in tests/peers. A visible skip (77) without debootstrap, root, a network or a git checkout.
"""

import pathlib
import shutil
import subprocess
import sys

import userlands
from userlands import run

SOURCE, WORK, SUITE, SUBJECT = (
    pathlib.Path(sys.argv[1]).resolve(),
    pathlib.Path(sys.argv[2]).resolve(),
    sys.argv[3],
    sys.argv[4],
)
BUILD = (
    "gcc",
    "g++",
    "cmake",
    "ninja-build",
    "pkg-config",
    "libgdal-dev",
    "libproj-dev",
    "libtiff-dev",
    "libcmocka-dev",
    "python3-pytest",
    "python3-numpy",
    "python3-scipy",
    "python3-gdal",
    "gdal-bin",
    "proj-bin",
    "proj-data",
    "tzdata",
)
# Of PyPI, in a virtual environment that has Debian's osgeo, too.
PYPI = (
    "numpy==2.5.*",
    "scipy==1.18.1",
    "scikit-learn==1.9.1",
    "xarray==2026.9.*",
    "pyresample==1.35.0",
    "xdggs==0.7.*",
    "zarr",
    "pandas",
    "geopandas",
    "pyproj",
    "dask[array]",
    "pyarrow",
    "polars",
    "duckdb",
    "h3",
    "netCDF4",
    "pytest",
    "hypothesis",
)
# Packages, targets and tests.
SUBJECTS = {
    "driver": (
        (),
        ("gdal_VORONOI", "gpuvoronoi_cli", "forked_command"),
        "^driver_(algorithm|changes|errors|facts|pixels|threads)$",
    ),
    "python": (
        ("python3-venv",),
        ("gpuvoronoi", "gpuvoronoi_cli", "forked_command"),
        "^(python_(any_cells|arrow|arrow_tables|cells|costs|documents|duckdb|geopandas|joins|kdtree|library|parquet"
        "|rasters|sklearn|values|weights|zarr)|cli_zarr|peers_.*)$",
    ),
    "plugin": (
        (
            "libh3-dev",
            "python3-geopandas",
            "qgis",
            "python3-qgis",
            "qgis-providers",
            "qttools5-dev-tools",
            "xvfb",
            "xauth",
            "imagemagick",
        ),
        ("gdal_VORONOI", "gpuvoronoi_cli", "gpuvoronoi", "qgis-plugin"),
        "^plugin_",
    ),
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def copy_sources(folder):
    """The files that git knows, as they are in the working tree."""
    listed = run(
        "git",
        "-C",
        SOURCE,
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        stdout=subprocess.PIPE,
    ).stdout
    names = sorted(
        {name for name in listed.split(b"\0") if name and (SOURCE / name.decode()).is_file()}
    )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    archive = run(
        "tar",
        "-c",
        "-C",
        SOURCE,
        "--null",
        "-T",
        "-",
        input=b"\0".join(names),
        stdout=subprocess.PIPE,
    ).stdout
    run("tar", "-x", "-C", folder, input=archive)


def make_environment(root):
    """PyPI's packages; the option by which CMake takes that Python."""
    names = " ".join(f"'{name}'" for name in PYPI)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc" / "ssl" / "certs")
    try:
        userlands.within(
            root,
            "test -d /venv || python3 -m venv /venv\n"
            f"/venv/bin/python3 -m pip --cert /etc/ssl/certs/ca-certificates.crt -q install {names}\n"
            "mkdir -p /osgeo && ln -sfn /usr/lib/python3/dist-packages/osgeo /osgeo/osgeo\n"
            "echo /osgeo >$(/venv/bin/python3 -c 'import site; print(site.getsitepackages()[0])')/osgeo.pth",
        )
    except subprocess.CalledProcessError:
        skip("PyPI's packages cannot be installed: no network?")
    return "-DGPUVORONOI_PYTHON=/venv/bin/python3"


def main():
    if not (SOURCE / ".git").exists():
        skip("no git checkout")
    WORK.mkdir(parents=True, exist_ok=True)
    packages, targets, tests = SUBJECTS[SUBJECT]
    try:
        root = userlands.make(WORK / SUITE, SUITE, packages=BUILD + packages)
    except userlands.Missing as why:
        skip(why)
    copy_sources(root / "source")
    python = make_environment(root) if SUBJECT == "python" else ""
    userlands.within(
        root,
        "cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUVORONOI_CUDA=OFF -DGPUVORONOI_MPI=OFF "
        f"-DGPUVORONOI_BASELINE_ONLY=ON {python} >/configured.log || {{ tail /configured.log; exit 1; }}\n"
        f"cmake --build /build --target {' '.join(targets)} >/built.log 2>&1 || {{ tail -n 30 /built.log; exit 1; }}",
    )
    userlands.within(
        root,
        "gdalinfo --version; dpkg-query -W -f '${Package} ${Version}\\n' qgis gcc cmake python3 2>/dev/null || true",
    )
    said = userlands.within(
        root,
        f"ctest --test-dir /build -C long --output-on-failure -R '{tests}' 2>&1 || echo FAILED",
        "/build",
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    print(said)
    if "FAILED\n" in said or "No tests were found" in said or "100% tests passed" not in said:
        sys.exit(f"newer_debian.py: tests fail in {SUITE}")
    if "Skipped" in said:
        sys.exit(f"newer_debian.py: tests are skipped in {SUITE}")


if __name__ == "__main__":
    main()
