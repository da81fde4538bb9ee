#!/usr/bin/python3
"""
A release, of what is committed: source archive, QGIS plugin, wheel, Debian packages, checksums.

    release.py OUT [--without plugin,wheel,debian]    OUT: a folder, made anew

Two runs make the same bytes: times are the commit's (or SOURCE_DATE_EPOCH), names are in order, all is built from the unpacked
archive. The wheel needs scikit-build-core (or a network for pip to get it), the packages debhelper and what debian/control names.
"""

import argparse
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = ("plugin", "wheel", "debian")


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def text_of(*command):
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def source_archive(out, name):
    tar = run(
        "git",
        "archive",
        "--format=tar",
        f"--prefix={name}/",
        "HEAD",
        cwd=ROOT,
        stdout=subprocess.PIPE,
    ).stdout
    path = out / f"{name}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(tar)
    return path


def plugin(tree, out, work):
    run(
        "cmake",
        "-S",
        tree,
        "-B",
        work / "plugin",
        "-DGPUVORONOI_BUILD_TESTS=OFF",
        "-DGPUVORONOI_CUDA=OFF",
        "-DGPUVORONOI_MPI=OFF",
    )
    run("cmake", "--build", work / "plugin", "--target", "qgis-plugin")
    for path in (work / "plugin" / "plugin").glob("*.zip"):
        shutil.copy(path, out)


def wheel(tree, out):
    try:
        import scikit_build_core  # noqa: F401

        isolation = ["--no-build-isolation"]
    except ImportError:
        isolation = []
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *isolation,
        "--no-deps",
        "--no-cache-dir",
        "-w",
        out,
        tree,
        env={**os.environ, "CMAKE_ARGS": "-DGPUVORONOI_CUDA=OFF"},
    )


def debian(tree, out, work):
    run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=tree)
    for deb in sorted(work.glob("*.deb")):
        shutil.copy(deb, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--without", default="", help=",".join(PARTS))
    given = parser.parse_args()
    without = set(filter(None, given.without.split(",")))
    if not without <= set(PARTS):
        parser.error(f"--without {given.without}: {','.join(PARTS)}")
    if not (ROOT / ".git").exists():
        sys.exit("release.py: a release is made of a git checkout")
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", text_of("git", "log", "-1", "--format=%ct"))
    out = given.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    version = text_of(sys.executable, str(ROOT / "packaging" / "version.py"))
    name = f"gpuvoronoi-{version}"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run("tar", "-xf", source_archive(out, name), "-C", work)
        tree = work / name
        run(sys.executable, tree / "packaging" / "version.py", "--check")
        if "plugin" not in without:
            plugin(tree, out, work)
        if "wheel" not in without:
            wheel(tree, out)
        if "debian" not in without:
            debian(tree, out, work)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(out.iterdir())
    ]
    (out / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


if __name__ == "__main__":
    main()
