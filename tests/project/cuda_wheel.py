#!/usr/bin/python3
"""
The add-on wheel of packaging/wheels/cuda.py, for one kind of GPU: what it holds, exports and needs; the library of gpuvoronoi's own wheel
opens its module, and computes with it where there is a GPU.

    cuda_wheel.py SOURCE WORK

Exits with 77, a visible skip, where nvcc or a network are missing.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

SOURCE, WORK = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HERE = SOURCE / "tests" / "project"
sys.path[:0] = [str(SOURCE / "packaging" / "wheels"), str(HERE)]
sys.dont_write_bytecode = True
import build  # noqa: E402
from userlands import run  # noqa: E402

NEEDED = r"lib(c|m|stdc\+\+|gcc_s|dl|pthread|rt)\.so\.\d+|ld-linux-.*"
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


def build_wheel(script, *options):
    out = WORK / "out" / script
    shutil.rmtree(out, ignore_errors=True)
    run(sys.executable, SOURCE / "packaging" / "wheels" / f"{script}.py", out, "--work", WORK, *options)
    made, = out.glob("*.whl")
    return made


def check_contents(wheel, folder):
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
        names = packed.namelist()
    info = names[-1].split("/")[0]
    module = "gpuvoronoi/libgpuvoronoi_cuda.so"
    need(set(names) == {module, *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "LICENSE", "RECORD"))}, f"unexpected files: {names}")
    need(str(WORK).encode() not in (folder / module).read_bytes(), f"{module} holds a path of this machine")
    facts = json.loads(run(WORK / "tools" / "bin" / "python", HERE / "library_facts.py", folder / module, stdout=subprocess.PIPE, text=True).stdout)
    need([name for name in facts["exports"] if not name.startswith("_")] == ["gv_cuda_module_offer"], f"exports: {facts['exports']}")
    need(facts["needs"] and all(re.fullmatch(NEEDED, name) for name in facts["needs"]), f"needs: {facts['needs']}")


def main():
    if shutil.which("nvcc") is None and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        print("skipped: no nvcc")
        return 77
    try:
        build.download(WORK / "downloads")
        build.tools(WORK / "tools")
    except (SystemExit, subprocess.CalledProcessError) as error:
        print(f"skipped: no network: {error}")
        return 77
    folder = WORK / "try" / "cuda"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    addon, wheel = build_wheel("cuda", "--architectures", "90-real"), build_wheel("build", "--only", "manylinux_x86_64")
    check_contents(addon, folder / "wheel")
    run("/usr/bin/python3", "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"

    def backends():
        return run(python, "-m", "gpuvoronoi", stdout=subprocess.PIPE, text=True, cwd="/").stdout

    run(python, "-m", "pip", "install", "--quiet", wheel)
    need(MISSING in backends(), "the library finds a module before there is one")
    run(python, "-m", "pip", "install", "--quiet", addon)
    said = backends()
    need(MISSING not in said and "CUDA module:" not in said, f"the library does not open the module: {said}")
    if re.search(r"^  \d+: .*GiB$", said, re.M):
        run(python, "-c", ANSWERS, cwd="/")
    else:
        print("no GPU: the module was opened, nothing computed")
    run(python, "-m", "pip", "uninstall", "--quiet", "-y", addon.name.split("-")[0])
    need(MISSING in backends(), "the module is left after its wheel was removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
