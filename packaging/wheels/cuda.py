#!/usr/bin/python3
"""
The add-on wheel gpuvoronoi-cudaN (N: the major version of CUDA), of what is committed: the module with the GPU backends, for Linux.

    cuda.py OUT [--cuda N] [--architectures LIST] [--work FOLDER]    LIST: as CMAKE_CUDA_ARCHITECTURES (default: all that the sources name)

It installs libgpuvoronoi_cuda.so beside the library of gpuvoronoi's own wheel of the same version, which opens it. CUDA's runtime is in the
module; cuBLAS, for the backend cuda-cublas only, is that of the wheel nvidia-cublas (extra `cublas`) or of the system. The platform tag is the
oldest that auditwheel allows. Needs GCC and, for the first run, a network. nvcc is the machine's; for `--cuda 12` toolkit.py downloads one.
"""

import argparse
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import build  # noqa: E402
import toolkit  # noqa: E402
from build import ROOT, release  # noqa: E402

METADATA = """Metadata-Version: 2.1
Name: gpuvoronoi-cuda{cuda}
Version: {version}
Summary: GPU backends of gpuvoronoi, for NVIDIA drivers of CUDA {cuda} and later
License: MIT
Requires-Python: >=3.10
Requires-Dist: gpuvoronoi=={version}
Provides-Extra: cublas
Requires-Dist: {cublas}; extra == "cublas"
License-File: LICENSE
"""
NOTICE = """
libgpuvoronoi_cuda.so of this wheel contains NVIDIA's CUDA runtime (libcudart_static.a), under NVIDIA's CUDA Toolkit End User License
Agreement (https://docs.nvidia.com/cuda/eula/).
"""


def cuda_version(wanted, work):
    """nvcc and its major version: the machine's, or one that is downloaded into the folder `work`."""
    if wanted == 12:
        return toolkit.make(work / "cuda12-toolkit", work / "downloads"), 12
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(nvcc).exists():
        sys.exit("cuda.py: missing nvcc; put it on the PATH, or use --cuda 12, which downloads it")
    found = int(re.search(r"release (\d+)\.", release.text_of(nvcc, "--version")).group(1))
    if wanted not in (None, found):
        sys.exit(
            f"cuda.py: --cuda {wanted}: {nvcc} is of CUDA {found}; put another nvcc on the PATH"
        )
    return nvcc, found


def compile_module(tree, folder, nvcc, cuda, architectures):
    """libgpuvoronoi_cuda.so. It looks for cuBLAS where NVIDIA's wheels have it, then where the system does."""
    places = "nvidia/cu13/lib" if cuda >= 13 else "nvidia/cublas/lib"
    prefix = f"-ffile-prefix-map={tree}=."
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CUDA_COMPILER": nvcc,
        "CMAKE_C_FLAGS": prefix,
        "CMAKE_CUDA_FLAGS": f"-Xcompiler={prefix}",
        "CMAKE_MODULE_LINKER_FLAGS": "-Wl,-s",
        "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
        "CMAKE_INSTALL_RPATH": f"$ORIGIN/../{places}",
        "GPUVORONOI_CUDA": "ON",
        "GPUVORONOI_BUILD_CLI": "OFF",
        "GPUVORONOI_BUILD_TESTS": "OFF",
        "GPUVORONOI_MPI": "OFF",
    }
    if architectures:
        options["CMAKE_CUDA_ARCHITECTURES"] = architectures
    for launcher in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CUDA_COMPILER_LAUNCHER"):
        if launcher in os.environ:
            options[launcher] = os.environ[launcher]
    release.run(
        "cmake",
        "-S",
        tree,
        "-B",
        folder,
        "-G",
        "Ninja",
        *(f"-D{key}={value}" for key, value in options.items()),
    )
    release.run("cmake", "--build", folder, "--target", "gpuvoronoi_cuda")
    (module,) = folder.rglob("libgpuvoronoi_cuda.so")
    return module


def pack(content, tag, bin_folder, out):
    """The wheel of a folder, with its RECORD."""
    (info,) = content.glob("*.dist-info")
    (info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: gpuvoronoi\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    )
    out.mkdir(parents=True, exist_ok=True)
    release.run(bin_folder / "python", "-m", "wheel", "pack", "--dest-dir", out, content)
    (made,) = out.glob(f"*-{tag}.whl")
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cuda", type=int, help="major version (default: the machine's nvcc's)")
    parser.add_argument("--architectures", default="")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "wheels")
    given = parser.parse_args()
    os.umask(0o022)
    os.environ.setdefault(
        "SOURCE_DATE_EPOCH", release.text_of("git", "-C", ROOT, "log", "-1", "--format=%ct")
    )
    nvcc, cuda = cuda_version(given.cuda, given.work.resolve())
    bin_folder = build.tools(given.work.resolve() / "tools")
    work = given.work.resolve() / f"cuda{cuda}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    release.run("tar", "-xf", release.source_archive(work, "gpuvoronoi"), "-C", work)
    tree = work / "gpuvoronoi"
    version = re.search(
        '#define GV_VERSION_STRING "(.*)"', (tree / "include/gpuvoronoi/gpuvoronoi.h").read_text()
    ).group(1)
    version = version.replace("-", "")  # as PEP 440 has it: 1.0.0rc1
    content, name = work / "content", f"gpuvoronoi_cuda{cuda}-{version}"
    info = content / f"{name}.dist-info"
    for folder in (content / "gpuvoronoi", info):
        folder.mkdir(parents=True)
    shutil.copy(
        compile_module(tree, work / "build", nvcc, cuda, given.architectures),
        content / "gpuvoronoi",
    )
    cublas = f"nvidia-cublas>={cuda},<{cuda + 1}" if cuda >= 13 else f"nvidia-cublas-cu{cuda}"
    (info / "METADATA").write_text(METADATA.format(cuda=cuda, version=version, cublas=cublas))
    (info / "LICENSE").write_text((tree / "LICENSE").read_text() + NOTICE)
    first = pack(content, f"linux_{os.uname().machine}", bin_folder, work / "first")
    said = release.text_of(bin_folder / "auditwheel", "show", first)
    tag = re.search(r'"(manylinux_\w+)"', said)
    if tag is None:
        sys.exit(f"cuda.py: auditwheel allows no tag:\n{said}")
    print(pack(content, tag.group(1), bin_folder, given.out.resolve()))


if __name__ == "__main__":
    main()
