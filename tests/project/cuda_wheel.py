#!/usr/bin/python3
"""
The add-on wheels of packaging/wheels/cuda.py, of CUDA 12 and of the machine's nvcc, for one kind of GPU: what they hold, export and need; the
library of gpuvoronoi's own wheel opens their module. It computes with it where there is a GPU; elsewhere it gives the reason in one line.

    cuda_wheel.py SOURCE WORK [WHEEL --contents]    WHEEL: looks only into this one

Exits with 77, a visible skip, without a network.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

SOURCE, WORK = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HERE = SOURCE / "tests" / "project"
sys.path[:0] = [str(SOURCE / "packaging" / "wheels"), str(SOURCE / "packaging"), str(HERE)]
sys.dont_write_bytecode = True
import build  # noqa: E402
import toolkit  # noqa: E402
import version  # noqa: E402
from userlands import run  # noqa: E402

NEEDED = r"lib(c|m|stdc\+\+|gcc_s|dl|pthread|rt)\.so\.\d+|ld-linux-.*"
CUBLAS = {
    12: b"$ORIGIN/../nvidia/cublas/lib\0",
    13: b"$ORIGIN/../nvidia/cu13/lib\0",
}  # where NVIDIA's wheels have it
NOT_HERE = re.compile(r"^  cuda-\S+ +not here (\(\w\)) ")  # and the mark of its reason below
NO_GPU = re.compile(
    r"no NVIDIA driver is installed on this machine|no CUDA device found .*|the NVIDIA driver is too old: .*"
)
MISSING = "the CUDA module libgpuvoronoi_cuda.so is not installed"
ANSWERS = """
import numpy as np, gpuvoronoi
points = np.random.default_rng(7).random((20000, 3))
for backend in ("cuda-kdtree", "cuda-register"):
    found, expected = (gpuvoronoi.KDTree(points, backend=name).query(points[:500], 5) for name in (backend, "serial"))
    assert all((a == b).all() for a, b in zip(found, expected)), backend
"""


def need(condition, what):
    if not condition:
        sys.exit(f"cuda_wheel.py: {what}")


def build_wheel(script, name, *options):
    out = WORK / "out" / name
    shutil.rmtree(out, ignore_errors=True)
    run(
        sys.executable,
        SOURCE / "packaging" / "wheels" / f"{script}.py",
        out,
        "--work",
        WORK,
        *options,
    )
    (made,) = out.glob("*.whl")
    return made


def check_contents(wheel, folder):
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
        names = packed.namelist()
    info, module = names[-1].split("/")[0], "gpuvoronoi/libgpuvoronoi_cuda.so"
    name = re.fullmatch(
        rf"gpuvoronoi_cuda(\d+)-{version.NUMBER}-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name
    )
    need(name, f"{wheel.name}: unexpected name")
    need(
        set(names)
        == {module, *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "LICENSE", "RECORD"))},
        f"unexpected files: {names}",
    )
    data = (folder / module).read_bytes()
    need(str(WORK).encode() not in data, f"{module} holds a path of this machine")
    need(
        CUBLAS[int(name.group(1))] in data,
        f"{module} looks for cuBLAS in another place than {CUBLAS[int(name.group(1))]}",
    )
    facts = json.loads(
        run(
            WORK / "tools" / "bin" / "python",
            HERE / "library_facts.py",
            folder / module,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    )
    need(
        [name for name in facts["exports"] if not name.startswith("_")] == ["gv_cuda_module_offer"],
        f"exports: {facts['exports']}",
    )
    need(
        facts["needs"] and all(re.fullmatch(NEEDED, name) for name in facts["needs"]),
        f"needs: {facts['needs']}",
    )


def try_addon(addon, python, folder):
    """Installs the wheel beside gpuvoronoi's own, and takes it out again."""

    def backends():
        return run(python, "-m", "gpuvoronoi", stdout=subprocess.PIPE, text=True, cwd="/").stdout

    check_contents(addon, folder)
    need(MISSING in backends(), "the library finds a module before there is one")
    run(python, "-m", "pip", "install", "--quiet", addon)
    said = backends()
    print(said)
    need(
        MISSING not in said and "CUDA module:" not in said,
        f"the library does not open the module: {said}",
    )
    if re.search(r"^  \d+: .*GiB$", said, re.M):
        run(python, "-c", ANSWERS, cwd="/")
    else:
        print("no GPU: the module was opened, nothing computed")
        lines = [line for line in said.splitlines() if line.startswith("  cuda-")]
        marks = {found.group(1) for found in map(NOT_HERE.match, lines) if found}
        need(lines and len(marks) == 1 and all(map(NOT_HERE.match, lines)), f"unclear: {lines}")
        reason = re.search(rf"^  {re.escape(marks.pop())} (.*)$", said, re.M)
        need(reason and NO_GPU.fullmatch(reason.group(1)), f"no reason, or an unclear one: {said}")
    run(python, "-m", "pip", "uninstall", "--quiet", "-y", addon.name.split("-")[0])
    need(MISSING in backends(), "the module is left after its wheel was removed")


def machine_has_nvcc():
    return shutil.which("nvcc") is not None or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()


def main():
    if "--contents" in sys.argv:
        check_contents(pathlib.Path(sys.argv[3]), WORK / "try" / "contents")
        return 0
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    try:
        build.download(WORK / "downloads")
        build.download(WORK / "downloads", toolkit.LIST)
        build.tools(WORK / "tools")
    except (SystemExit, subprocess.CalledProcessError) as error:
        print(f"skipped: no network: {error}")
        return 77
    folder = WORK / "try" / "cuda"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    addons = [build_wheel("cuda", "cuda12", "--cuda", "12", "--architectures", "90-real")]
    if machine_has_nvcc():
        addons.append(build_wheel("cuda", "cuda", "--architectures", "90-real"))
    run("/usr/bin/python3", "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        build_wheel("build", "build", "--only", "manylinux_x86_64"),
    )
    for addon in addons:
        try_addon(addon, python, folder / addon.name.split("-")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
