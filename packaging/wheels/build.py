#!/usr/bin/python3
"""
Wheels of the Python package for all systems, of what is committed, cross-compiled on Debian 12.

    build.py OUT [--only NAME,...] [--work FOLDER]    NAME: a row of TARGETS; FOLDER keeps downloads and tools (build/wheels)

A wheel holds the package and the library with PROJ's geodesics compiled in, and needs NumPy only. Two runs make the same bytes: tools and
downloads are pinned (requirements.txt, downloads.txt), times are the commit's (or SOURCE_DATE_EPOCH). Needs a network for the first run,
and Debian's gcc, gcc-aarch64-linux-gnu, gcc-mingw-w64-x86-64-posix; targets whose compiler is missing fail.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import sys
import urllib.error
import urllib.request
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import release  # noqa: E402
import sbom  # noqa: E402

MIRRORS = (
    "https://deb.debian.org/debian",
    "http://deb.debian.org/debian",
    "https://archive.debian.org/debian",
)
# name: platform tag, CMake's system and processor, compiler (a command, or zig and its target)
TARGETS = {
    "manylinux_x86_64": ("manylinux_2_17_x86_64", "Linux", "x86_64", "x86_64-linux-gnu-gcc"),
    "manylinux_aarch64": ("manylinux_2_17_aarch64", "Linux", "aarch64", "aarch64-linux-gnu-gcc"),
    "win_amd64": ("win_amd64", "Windows", "x86_64", "x86_64-w64-mingw32-gcc-posix"),
    "musllinux_x86_64": ("musllinux_1_2_x86_64", "Linux", "x86_64", "zig x86_64-linux-musl"),
    "macosx_arm64": ("macosx_11_0_arm64", "Darwin", "arm64", "zig aarch64-macos.11.0"),
    "macosx_x86_64": ("macosx_11_0_x86_64", "Darwin", "x86_64", "zig x86_64-macos.11.0"),
}
DEBIAN_PROCESSOR = {"x86_64": "amd64", "aarch64": "arm64"}
NOTICE = """The library of this wheel contains geodesic.c of PROJ 9.1.1, whose license follows.
"""
NOTICE_OPENMP = """This wheel also contains GCC's OpenMP library libgomp, under the GNU General Public License version 3 with the GCC
Runtime Library Exception version 3.1 (https://gcc.gnu.org/onlinedocs/libstdc++/manual/license.html){more}.
"""


def download_wheel(folder, name, digest):
    """A wheel of PyPI, `name` being NAME==VERSION. pip checks the digest."""
    for file in folder.glob(f"{name.replace('-', '_').replace('==', '-')}-*.whl"):
        if hashlib.sha256(file.read_bytes()).hexdigest() == digest:
            return
    release.run(
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--dest",
        folder,
        "-r",
        "/dev/stdin",
        input=f"{name} --hash=sha256:{digest}\n",
        text=True,
    )


def download(folder, names=HERE / "downloads.txt"):
    """All of a list, checked; what is there already is not downloaded again."""
    folder.mkdir(parents=True, exist_ok=True)
    for line in names.read_text().splitlines():
        if line.startswith("#"):
            continue
        digest, path = line.split()
        if "==" in path:
            download_wheel(folder, path, digest)
            continue
        file = folder / path.rsplit("/", 1)[1]
        if not file.exists():
            for mirror in MIRRORS:
                try:
                    with urllib.request.urlopen(f"{mirror}/{path}", timeout=60) as answer:
                        file.write_bytes(answer.read())
                    break
                except (urllib.error.URLError, OSError) as error:
                    print(f"{mirror}/{path}: {error}", file=sys.stderr)
            else:
                sys.exit(f"build.py: {path}: cannot download")
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            sys.exit(f"build.py: {file}: invalid SHA-256; remove the file")


def tools(folder):
    """The environment with what requirements.txt names; its folder of programs."""
    wanted = (HERE / "requirements.txt").read_text()
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        release.run(
            folder / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--only-binary=:all:",
            "--require-hashes",
            "-r",
            HERE / "requirements.txt",
        )
        stamp.write_text(wanted)
    return folder / "bin"


def sysroot(downloads, folder, processor):
    """Headers and libraries of Debian 11 for a processor. Links are made relative: the linker must not leave the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in sorted(downloads.glob(f"*_{DEBIAN_PROCESSOR[processor]}.deb")):
        release.run("dpkg-deb", "-x", package, folder)
    for path in folder.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = folder / os.readlink(path).lstrip("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))
    return folder


def zig_command(bin_folder, folder, name, arguments):
    """A compiler for CMake, which takes one word."""
    path = folder / f"zig-{name}"
    (zig,) = bin_folder.parent.glob("lib/python3*/site-packages/ziglang/zig")
    path.write_text(f'#!/bin/sh\nexec "{zig}" {arguments} "$@"\n')
    path.chmod(0o755)
    return path


def defines(name, tree, proj, bin_folder, work):
    """CMake's variables for a target, and the environment of its tools."""
    _, system, processor, compiler = TARGETS[name]
    flags = [f"-ffile-prefix-map={tree}=.", f"-ffile-prefix-map={proj}=proj"]
    link, given, environment = [], {}, {}
    if compiler.startswith("zig "):
        target = compiler.split()[1]
        given["CMAKE_C_COMPILER"] = zig_command(bin_folder, work, "cc", f"cc -target {target}")
        for tool in ("ar", "ranlib"):
            given[f"CMAKE_{tool.upper()}"] = zig_command(bin_folder, work, tool, tool)
        given["GPUVORONOI_OPENMP"] = "OFF"
        link.append("-Wl,-s")
        environment["ZIG_GLOBAL_CACHE_DIR"] = environment["ZIG_LOCAL_CACHE_DIR"] = str(
            work.parent / "zig-cache"
        )  # of C libraries, which zig builds
        if system == "Darwin":
            given["CMAKE_INSTALL_NAME_TOOL"] = (
                "/bin/true"  # CMake wants one; nothing is renamed: the linker has signed the file
            )
            given["CMAKE_BUILD_WITH_INSTALL_RPATH"] = "ON"
            given["CMAKE_OSX_SYSROOT"] = ""
    else:
        given["CMAKE_C_COMPILER"] = compiler
    if compiler.endswith("linux-gnu-gcc"):
        root = sysroot(work.parent / "downloads", work / "sysroot", processor)
        libraries = root / "usr" / "lib" / f"{processor}-linux-gnu"
        flags += [
            f"-B{libraries}",
            f"-L{root}/lib/{processor}-linux-gnu",
            f"-L{root}/usr/lib/gcc/{processor}-linux-gnu/10",
            f"-ffile-prefix-map={root}=/",
        ]
        given["CMAKE_SYSROOT"] = root
        link.append("-Wl,-s")
    if system == "Windows":
        link += ["-static", "-Wl,-s", "-Wl,--no-insert-timestamp"]
        given["OpenMP_gomp_LIBRARY"] = release.text_of(
            compiler, "-print-file-name=libgomp.a"
        )  # CMake finds that of a DLL first
    given.update(
        CMAKE_SYSTEM_NAME=system,
        CMAKE_SYSTEM_PROCESSOR=processor,
        CMAKE_C_FLAGS=" ".join(flags),
        CMAKE_SHARED_LINKER_FLAGS=" ".join(link),
        GPUVORONOI_PROJ_SOURCE=proj,
        GPUVORONOI_CUDA="OFF",
        GPUVORONOI_MPI="OFF",
    )
    if "CMAKE_C_COMPILER_LAUNCHER" in os.environ:
        given["CMAKE_C_COMPILER_LAUNCHER"] = os.environ["CMAKE_C_COMPILER_LAUNCHER"]
    return given, environment


def bundles_openmp(name):
    return TARGETS[name][3].endswith("gcc") or TARGETS[name][1] == "Windows"


def add_sbom(name, wheel):
    """What license_of_others names. That of MinGW is the compiler's own."""
    own, version = wheel.name.split("-")[:2]
    known = sbom.versions(HERE / "downloads.txt")
    windows = TARGETS[name][1] == "Windows"
    openmp = known["libgomp"] if bundles_openmp(name) else None
    more = []
    if windows:
        openmp = release.text_of(TARGETS[name][3], "-dumpfullversion")
        more = [("winpthreads", openmp, "MIT AND BSD-3-Clause")]
    sbom.add(wheel, sbom.document(own, version, known["proj"], openmp, more))


def license_of_others(name, tree, proj):
    text = NOTICE + "\n" + (proj / "COPYING").read_text()
    if bundles_openmp(name):
        more = (
            ", and mingw-w64's winpthreads, under the MIT license"
            if TARGETS[name][1] == "Windows"
            else ""
        )
        text += "\n" + NOTICE_OPENMP.format(more=more)
    (tree / "LICENSE.bundled").write_text(text)
    project = tree / "pyproject.toml"
    own, both = 'license-files = ["LICENSE"]', 'license-files = ["LICENSE", "LICENSE.bundled"]'
    described = project.read_text().replace(own, both)
    if both not in described:
        raise SystemExit(f"{project}: no line {own}")
    project.write_text(described)


def build(name, tree, proj, bin_folder, work, out):
    tag = TARGETS[name][0]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    given, environment = defines(name, tree, proj, bin_folder, work)
    license_of_others(name, tree, proj)
    own = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", **environment}
    repaired = "CMAKE_SYSROOT" in given
    settings = [f"--config-settings=cmake.define.{key}={value}" for key, value in given.items()]
    settings += [
        f"--config-settings=wheel.tags=py3-none-{f'linux_{TARGETS[name][2]}' if repaired else tag}",
        "--config-settings=install.strip=false",
        f"--config-settings=build-dir={work}/build",
    ]
    release.run(
        bin_folder / "python",
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-cache-dir",
        "--wheel-dir",
        work,
        *settings,
        tree,
        env=own,
    )
    (made,) = work.glob("*.whl")
    if repaired:
        # It puts OpenMP's library into the wheel, and finds the tag: a name is accepted for this machine's processor only.
        places = [
            f"{given['CMAKE_SYSROOT']}/{folder}/{TARGETS[name][2]}-linux-gnu"
            for folder in ("usr/lib", "lib")
        ]
        release.run(
            bin_folder / "auditwheel",
            "repair",
            "--plat",
            "auto",
            "--only-plat",
            "--ldpaths",
            ":".join(places),
            "--wheel-dir",
            work / "repaired",
            made,
            env=own,
        )
        (made,) = (work / "repaired").glob("*.whl")
        if tag not in made.name:
            sys.exit(f"build.py: {made.name}: expected the tag {tag}")
    add_sbom(name, made)
    shutil.copy(made, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(TARGETS), help=",".join(TARGETS))
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "wheels")
    given = parser.parse_args()
    names = given.only.split(",")
    if not set(names) <= set(TARGETS):
        parser.error(f"--only {given.only}: expected {','.join(TARGETS)}")
    if not (ROOT / ".git").exists():
        sys.exit("build.py: not a git checkout")
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", release.text_of("git", "log", "-1", "--format=%ct"))
    out, work = given.out.resolve(), given.work.resolve()
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    download(work / "downloads")
    bin_folder = tools(work / "tools")
    shutil.rmtree(work / "source", ignore_errors=True)
    (work / "source").mkdir()
    for archive in (
        release.source_archive(work / "source", "gpuvoronoi"),
        *(work / "downloads").glob("proj_*.tar.gz"),
    ):
        release.run("tar", "-xf", archive, "-C", work / "source")
    (proj,) = (work / "source").glob("proj-*")
    for name in names:
        build(name, work / "source" / "gpuvoronoi", proj, bin_folder, work / name, out)
    for path in sorted(out.glob("*.whl")):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")


if __name__ == "__main__":
    main()
