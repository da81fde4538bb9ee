#!/usr/bin/python3
"""
A wheel of packaging/wheels/build.py, built and tried as far as this machine can: what it holds, what it exports and needs, its answers.

    wheels.py SOURCE WORK TARGET [WHEEL [--contents]]    TARGET: a row of build.py's TARGETS; WHEEL: a file instead of a build;
                                                         --contents: what it holds, without trying it

Exits with 77, a visible skip, where compiler or network are missing. A step that lacks its tool (Wine, qemu-aarch64, debootstrap and
root, musl's loader) is named as skipped; the others are done, and the exit is 77 then too.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

SOURCE, WORK, TARGET = (
    pathlib.Path(sys.argv[1]).resolve(),
    pathlib.Path(sys.argv[2]).resolve(),
    sys.argv[3],
)
HERE = SOURCE / "tests" / "project"
sys.path[:0] = [str(SOURCE / "packaging" / "wheels"), str(HERE)]
sys.dont_write_bytecode = True
import build  # noqa: E402
import header_examples  # noqa: E402
import userlands  # noqa: E402
from userlands import run  # noqa: E402

HEADER = SOURCE / "include" / "gpuvoronoi" / "gpuvoronoi.h"
TAG, SYSTEM, PROCESSOR, COMPILER = build.TARGETS[TARGET]
LIBRARY = {
    "Linux": "libgpuvoronoi.so",
    "Windows": "gpuvoronoi.dll",
    "Darwin": "libgpuvoronoi.dylib",
}[SYSTEM]
NEEDED = {
    "Linux": r"lib(m|c|pthread|dl)\.so(\.\d)?|ld-linux-.*|libgomp-[0-9a-f]+\.so\.1.*",
    "Windows": r"(?i)(KERNEL32|msvcrt)\.dll",
    "Darwin": r"/usr/lib/libSystem\.B\.dylib",
}[SYSTEM]
skipped = []


class Wrong(Exception):
    pass


def skip(what):
    print(f"skipped: {what}")
    skipped.append(what)


def need(condition, what):
    if not condition:
        raise Wrong(what)


def build_wheel():
    compiler = COMPILER.split()[0]
    if compiler != "zig" and shutil.which(compiler) is None:
        print(f"skipped: no {compiler}")
        sys.exit(77)
    try:
        build.download(WORK / "downloads")
        build.tools(WORK / "tools")
    except (SystemExit, subprocess.CalledProcessError) as error:
        print(f"skipped: no network: {error}")
        sys.exit(77)
    out = WORK / "out" / TARGET
    shutil.rmtree(out, ignore_errors=True)
    run(
        sys.executable,
        SOURCE / "packaging" / "wheels" / "build.py",
        out,
        "--only",
        TARGET,
        "--work",
        WORK,
    )
    (made,) = out.glob("*.whl")
    return made


def check_files(wheel, folder):
    """Names, digests, no path of this machine; the package's own library and, of others, only OpenMP's."""
    need(TAG in wheel.name.split("-py3-none-")[1], f"{wheel.name}: expected the tag {TAG}")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
        names = packed.namelist()
    (record,) = folder.glob("*.dist-info/RECORD")
    for line in record.read_text().splitlines():
        name, digest, size = line.rsplit(",", 2)
        if digest:
            data = (folder / name).read_bytes()
            need(
                digest
                == "sha256="
                + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                and len(data) == int(size),
                f"RECORD: {name} differs",
            )
            need(
                str(build.ROOT).encode() not in data and str(WORK).encode() not in data,
                f"{name}: holds a path of this machine",
            )
    need(
        not any(word in name for name in names for word in (".h", "tests/", "__pycache__"))
        and any("LICENSE.bundled" in name for name in names),
        f"unexpected files, or no LICENSE.bundled: {names}",
    )
    bills = list(folder.glob("*.dist-info/sboms/*.cdx.json"))
    need(len(bills) == 1, f"bills: {bills}")
    bill = bills[0]
    made = json.loads(bill.read_text())
    parts = {one["name"]: one["version"] for one in made["components"]}
    expected = {"PROJ (geodesic.c)"} | ({"libgomp"} if build.bundles_openmp(TARGET) else set())
    need(
        made["bomFormat"] == "CycloneDX"
        and set(parts) - {"winpthreads"} == expected
        and all(parts.values()),
        f"{bill.name}: unexpected components: {parts}",
    )
    sources = {path.name for path in (SOURCE / "python" / "gpuvoronoi").glob("*.py")}
    need(
        sources == {path.name for path in (folder / "gpuvoronoi").glob("*.py")},
        "the package's modules differ from the sources'",
    )
    libraries = [name for name in names if re.search(r"\.(so|dll|dylib)\b", name)]
    own = f"gpuvoronoi/{LIBRARY}"
    need(
        own in libraries and all(name == own or "libgomp-" in name for name in libraries),
        f"libraries: {libraries}",
    )
    return folder / own


def check_library(library):
    """It exports the public functions and those of src that are GV_SHARED, and needs the system only. macOS: lowest version, signature."""
    facts = json.loads(
        run(
            WORK / "tools" / "bin" / "python",
            HERE / "library_facts.py",
            library,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    )
    declared = {
        name
        for path in header_examples.headers_of(HEADER)
        for name in re.findall(r"^GV_API .*?[ *](gv_\w+)\(", path.read_text(), re.M)
    }
    shared = {
        name
        for path in (SOURCE / "src").rglob("*.h")
        for name in re.findall(r"^GV_SHARED .*?[ *](gv_\w+)\(", path.read_text(), re.M)
    }
    exported = {
        name for name in facts["exports"] if not name.startswith("_")
    }  # those are the linker's
    need(
        len(declared) > 60 and declared <= exported,
        f"{library.name} does not export {sorted(declared - exported)}",
    )
    need(
        exported <= declared | shared,
        f"{library.name} exports {sorted(exported - declared - shared)[:20]}",
    )
    need(
        facts["needs"] and all(re.fullmatch(NEEDED, name) for name in facts["needs"]),
        f"{library.name} needs {facts['needs']}",
    )
    if SYSTEM == "Darwin":
        need(
            facts["minimum"][:2] == [11, 0]
            and facts["processor"] == {"arm64": "ARM64", "x86_64": "X86_64"}[PROCESSOR],
            f"{library.name}: {facts}",
        )
        need(facts["signed"] or PROCESSOR != "arm64", f"{library.name} is not signed")


def programs(folder):
    """The examples of the headers, and tests/project/functions.c: together they call every public function."""
    text, _, _ = header_examples.program_of(header_examples.headers_of(HEADER))
    others = (HERE / "functions.c").read_text()
    for path in header_examples.headers_of(HEADER):
        for name in re.findall(
            r"^(?:GV_API|static inline) .*?[ *](gv_\w+)\(", path.read_text(), re.M
        ):
            need(re.search(rf"\b{name}\(", text + others), f"no program calls {name}")
    (folder / "examples.c").write_text(text)
    return [folder / "examples.c", HERE / "functions.c"]


def run_programs(library, folder, compiler, runner, *flags):
    environment = {
        **os.environ,
        "WINEPREFIX": str(folder / "wine"),
        "HOME": str(folder),
        "WINEDEBUG": "-all",
        "OMP_NUM_THREADS": "3",
        "ZIG_GLOBAL_CACHE_DIR": str(WORK / "zig-cache"),
        "ZIG_LOCAL_CACHE_DIR": str(WORK / "zig-cache"),
    }
    for source in programs(folder):
        program = library.parent / (source.stem + ".exe")
        run(
            *compiler,
            "-std=gnu11",
            "-O1",
            "-ffp-contract=off",
            "-DNDEBUG",
            *flags,
            f"-I{SOURCE}/include",
            "-o",
            program,
            source,
            library,
            "-lm",
            env=environment,
        )
        said = subprocess.run(
            [str(word) for word in (*runner, program)],
            cwd=library.parent,
            env=environment,
            stdout=subprocess.PIPE,
            timeout=900,
        )
        need(
            said.returncode == 0,
            f"{source.name}: status {said.returncode}: {said.stdout.decode(errors='replace').strip().splitlines()[-1:]}",
        )
    print(f"every public function, called by programs for {TARGET}")


def install_and_ask(wheel, python, *more, environment):
    run(python, "-m", "pip", "install", "--quiet", wheel, *more, env=environment)
    run(python, HERE / "wheel_answers.py", env=environment, cwd="/")


def packages_for(folder, python, platform, *names):
    """NumPy for another Python, by pip of this one."""
    run(
        WORK / "tools" / "bin" / "python",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary=:all:",
        "--python-version",
        python,
        "--platform",
        platform,
        "-d",
        folder,
        *names,
    )


def userland(architecture, *more):
    """Debian 11 with Python and without compilers; None where it cannot be made. Kept from run to run."""
    packages = "python3,python3-venv" if architecture == "amd64" else "python3"
    try:
        return userlands.make(
            WORK / f"debian11-{architecture}",
            "bullseye",
            *more,
            f"--arch={architecture}",
            f"--include={packages}",
        )
    except userlands.Missing as why:
        skip(f"no userland of Debian 11: {why}")
        return None


def try_manylinux_x86_64(wheel, library, folder):
    show = run(
        WORK / "tools" / "bin" / "auditwheel", "show", wheel, stdout=subprocess.PIPE, text=True
    ).stdout
    need(f'"{TAG}"' in show, show)
    run_programs(library, folder, ["gcc"], [], f"-Wl,-rpath,{library.parent}")
    run("/usr/bin/python3", "-m", "venv", folder / "venv")
    # Nothing but the environment's own programs: no compiler.
    install_and_ask(
        wheel,
        folder / "venv" / "bin" / "python",
        "scikit-learn",
        environment={"PATH": str(folder / "venv" / "bin")},
    )
    root = userland("amd64")
    if root is None:
        return
    need(not (root / "usr/bin/gcc").exists(), "the userland has a compiler")
    shutil.rmtree(root / "try", ignore_errors=True)
    (root / "try").mkdir()
    packages_for(root / "try", "3.9", "manylinux2014_x86_64", "numpy")
    for path in (wheel, HERE / "wheel_answers.py"):
        shutil.copy(path, root / "try")
    run(
        "chroot",
        root,
        "sh",
        "-ec",
        "python3 -m venv /try/venv; /try/venv/bin/pip install --quiet --no-index --find-links /try --ignore-requires-python gpuvoronoi;"  # Python 3.9
        "cd /; /try/venv/bin/python /try/wheel_answers.py",
    )


def try_manylinux_aarch64(wheel, library, folder):
    show = run(
        WORK / "tools" / "bin" / "auditwheel", "show", wheel, stdout=subprocess.PIPE, text=True
    ).stdout
    need(f'"{TAG}"' in show, show)
    if shutil.which("qemu-aarch64") is None:
        skip("no qemu-aarch64 (package qemu-user)")
        return
    run_programs(
        library,
        folder,
        [COMPILER],
        ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        f"-Wl,-rpath,{library.parent}",
    )
    root = userland("arm64", "--foreign")
    if root is None:
        return
    for package in root.glob("var/cache/apt/archives/*.deb"):
        run("dpkg-deb", "-x", package, root)
        package.unlink()
    packages_for(folder / "packages", "3.9", "manylinux2014_aarch64", "numpy")
    for path in (*(folder / "packages").glob("*.whl"), wheel):
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder / "site")
    run(
        "qemu-aarch64",
        "-L",
        root,
        root / "usr/bin/python3.9",
        HERE / "wheel_answers.py",
        env={
            "PYTHONHOME": str(root / "usr"),
            "PYTHONPATH": str(folder / "site"),
            "OPENBLAS_NUM_THREADS": "1",
        },
        cwd="/",
    )


def try_win_amd64(wheel, library, folder):
    wine = next(
        (name for name in ("wine64", "wine", "/usr/lib/wine/wine64") if shutil.which(name)), None
    )
    if wine is None:
        skip("no Wine (package wine64)")
    else:
        run_programs(library, folder, [COMPILER], [wine], "-static", "-D__USE_MINGW_ANSI_STDIO=1")
    if len(sys.argv) == 4:
        build_again(wheel)


def build_again(wheel):
    """The same bytes from another folder, in another time zone."""
    again = WORK / "again"
    for path in (again, WORK / "out" / "again"):
        shutil.rmtree(path, ignore_errors=True)
    again.mkdir()
    for name in ("downloads", "tools"):
        (again / name).symlink_to(WORK / name)
    run(
        sys.executable,
        SOURCE / "packaging" / "wheels" / "build.py",
        WORK / "out" / "again",
        "--only",
        TARGET,
        "--work",
        again,
        env={**os.environ, "TZ": "Pacific/Apia"},
    )
    need(
        (WORK / "out" / "again" / wheel.name).read_bytes() == wheel.read_bytes(),
        "a second build, in another folder, differs",
    )


def try_musllinux_x86_64(wheel, library, folder):
    loader = pathlib.Path("/lib/ld-musl-x86_64.so.1")
    if not loader.exists():
        skip("no musl (package musl)")
        return
    zig = [
        WORK / "tools" / "bin" / "python",
        "-m",
        "ziglang",
        "cc",
        "-target",
        "x86_64-linux-musl",
        "-dynamic",
    ]
    run_programs(
        library,
        folder,
        zig,
        [loader, "--library-path", library.parent],
        f"-Wl,-rpath,{library.parent}",
    )


def main():
    folder = WORK / "try" / TARGET
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        wheel = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else build_wheel()
        library = check_files(wheel, folder / "wheel")
        check_library(library)
        attempt = globals().get(f"try_{TARGET}")
        if sys.argv[5:] == ["--contents"]:
            return 0
        if attempt is None:
            print(f"{TARGET}: contents checked; nothing here can run it")
        else:
            attempt(wheel, library, folder)
    except Wrong as error:
        sys.exit(f"wheels.py: {TARGET}: {error}")
    print(f"{TARGET}: {wheel.name}")
    return 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
