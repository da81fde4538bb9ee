#!/usr/bin/python3
"""
A folder with CUDA 12's compiler for x86-64 Linux, of pinned downloads (downloads_cuda12.txt): for cuda.py, or for use as CUDA_HOME.

    toolkit.py FOLDER [--downloads FOLDER]

nvcc is of CUDA 12.4, whose machine code runs with all drivers of CUDA 12. The wheels of PyPI hold headers, but neither nvcc nor cicc; those are
from Debian 13's package. The static runtime is of CUDA 12.9: runtimes accept objects of older compilers of the same major version.
"""

import argparse
import pathlib
import shutil
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import build  # noqa: E402
from build import release  # noqa: E402

LIST = HERE / "downloads_cuda12.txt"
PROGRAMS = ("__nvcc_device_query", "bin2c", "cudafe++", "fatbinary", "nvlink", "ptxas")
PROFILE = """TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(CICC_PATH):$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib"
"""
# name and version of a wheel, folder in it, folder of the toolkit
PARTS = (
    ("nvcc_cu12-12.4.131", "cuda_nvcc/include", "include"),
    ("runtime_cu12-12.4.127", "cuda_runtime/include", "include"),
    ("cccl_cu12-12.9.27", "cuda_cccl/include", "include"),
    ("runtime_cu12-12.9.79", "cuda_runtime/lib", "lib"),
)
LEFT_OUT = (
    "__init__.py",
    "libcudadevrt.a",
)  # nvlink refuses the latter's newer code; it is for kernels that start kernels


def make(folder, downloads):
    """The toolkit in `folder`, unless it is there; its nvcc."""
    nvcc, stamp = folder / "bin" / "nvcc", folder / LIST.name
    if stamp.exists() and stamp.read_text() == LIST.read_text():
        return nvcc
    shutil.rmtree(folder, ignore_errors=True)
    build.download(downloads, LIST)
    (package,) = downloads.glob("nvidia-cuda-toolkit_*.deb")
    unpacked = folder / "unpacked"
    unpacked.mkdir(parents=True)
    release.run("dpkg-deb", "-x", package, unpacked)
    own = unpacked / "usr" / "lib" / "nvidia-cuda-toolkit"
    shutil.copytree(own / "bin" / "crt", folder / "bin" / "crt")
    shutil.copytree(own / "libdevice", folder / "nvvm" / "libdevice")
    (folder / "nvvm" / "bin").mkdir()
    shutil.move(own / "bin" / "cicc", folder / "nvvm" / "bin")
    shutil.move(own / "bin" / "nvcc", folder / "bin")
    for name in PROGRAMS:
        shutil.move(unpacked / "usr" / "bin" / name, folder / "bin")
    (folder / "bin" / "nvcc.profile").write_text(PROFILE)
    shutil.rmtree(unpacked)
    for name, source, target in PARTS:
        (wheel,) = downloads.glob(f"nvidia_cuda_{name}-*.whl")
        with zipfile.ZipFile(wheel) as packed:
            for entry in packed.namelist():
                if entry.startswith(f"nvidia/{source}/") and not entry.endswith(("/", *LEFT_OUT)):
                    path = folder / target / entry.removeprefix(f"nvidia/{source}/")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(packed.read(entry))
    (folder / "lib" / "libcudart.so").symlink_to("libcudart.so.12")  # CMake looks for it
    stamp.write_text(LIST.read_text())
    return nvcc


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument(
        "--downloads", type=pathlib.Path, default=build.ROOT / "build" / "wheels" / "downloads"
    )
    given = parser.parse_args()
    print(release.text_of(make(given.folder.resolve(), given.downloads.resolve()), "--version"))


if __name__ == "__main__":
    main()
