"""Checks of packages, wheels, images and versions, on planted faults (checks_check.py)."""

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

from checks_tools import SOURCE, WORK, bad, compiled, good, write

sys.path[:0] = [str(SOURCE / "packaging" / "wheels"), str(SOURCE / "packaging")]
import sbom  # noqa: E402
import version as version_script  # noqa: E402


def debian():
    tree = WORK / "tree"
    for name in ("debian", "include"):
        shutil.copytree(SOURCE / name, tree / name)
    for name in ("bootstrap", "tests/line_coverage.py", "tests/fuzz/run-all"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, tree / name)
    good("as it is", "debian.py", tree)
    for name, old, new, says in (
        (
            "include/gpuvoronoi/experimental.h",
            "GV_API ",
            "GV_API int gv_new(int x);\nGV_API ",
            "gv_new is missing",
        ),
        (
            "debian/libgpuvoronoi1.symbols",
            " gv_version@GPUVORONOI",
            " gv_old@GPUVORONOI",
            "gv_old is no function of the headers",
        ),
        (
            "debian/control",
            "Package: gdal-plugin-voronoi",
            "Package: gdal-plugin",
            "gdal-plugin: no files",
        ),
        (
            "debian/control",
            "libproj-dev,",
            "libproj-dev,\n               libnew-dev,",
            "libnew-dev, which debian/control needs",
        ),
        (
            "debian/tests/control",
            "Tests: driver",
            "Tests: drivers",
            "debian/tests/drivers: no program",
        ),
        (
            "debian/tests/control",
            "python3-gpuvoronoi",
            "python-gpuvoronoi",
            "python-gpuvoronoi is no package",
        ),
        (
            "bootstrap",
            "bash tests/project/release.sh",
            "tests/project/release.sh",
            "tests/project/release.sh is started",
        ),
    ):
        was = (tree / name).read_text(encoding="utf-8")
        assert old in was, (name, old)
        write(tree / name, was.replace(old, new, 1))
        bad(says, says, "debian.py", tree)
        write(tree / name, was)


def portable():
    tree = WORK / "tree"
    for room in (
        "core",
        "exact",
        "cells",
        "search",
        "geodesic",
        "features",
        "voronoi",
        "measure",
        "statistics",
    ):
        write(tree / "src" / room / "a.c", "#include <pthread.h>\n#include <math.h>\n")
    write(
        tree / "src/core/machine.c",
        "#include <dlfcn.h>\n#include <unistd.h>\nint x = pthread_atfork(a, b, c);\n",
    )
    write(tree / "src/search/cuda/a.cu", "#include <dlfcn.h>\n")
    good("as it is to be", "portable.sh", tree)
    for code, says in (
        ("#include <unistd.h>\n", "voronoi/a.c:1"),
        ("#  include <sys/mman.h>\n", "voronoi/a.c:1"),
        ("int y = pthread_atfork(a, b, c);\n", "voronoi/a.c:1"),
    ):
        write(tree / "src/voronoi/a.c", code)
        bad(code.strip(), says, "portable.sh", tree)


def docker():
    debian = "debian:12@sha256:" + 64 * "0"

    def file(*lines):
        return ["docker.py", SOURCE, WORK / "work", write("Dockerfile", "\n".join(lines) + "\n")]

    bad("a base without a digest", "debian:12 has no digest", *file("FROM debian:12"))
    bad(
        "an image without a digest that is copied from",
        "nvidia/cuda:1 has no digest",
        *file(f"FROM {debian}", "COPY --from=nvidia/cuda:1 /a /b"),
    )
    bad(
        "a command that runs as root",
        "runs as root",
        *file(f"FROM {debian}", "USER 1000", 'ENTRYPOINT ["gpuvoronoi"]', "USER root"),
    )
    bad("another base", "unknown base image alpine", *file("FROM alpine"))
    bad(
        "an instruction that the check does not know",
        "unknown instruction HEALTHCHECK",
        *file(f"FROM {debian}", "HEALTHCHECK NONE"),
    )
    if shutil.which("debootstrap") is None or os.geteuid() != 0 or not (SOURCE / ".git").exists():
        print("skipped: debootstrap, root and a git checkout are needed")
        sys.exit(77)
    # A base that holds almost nothing, in place of debootstrap's.
    for name in ("made", "tools/gcc"):
        write(WORK / "work" / "debian-12" / name, "")

    bad("a step that fails", "non-zero exit status", *file(f"FROM {debian}", "RUN false"))
    bad(
        "an image without the command",
        "lacks gpuvoronoi",
        *file(f"FROM {debian}", "WORKDIR /data", "USER 1000", 'ENTRYPOINT ["gpuvoronoi"]'),
    )
    bad(
        "a stage that is not there",
        "unknown stage other",
        *file(f"FROM {debian} AS one"),
        "--target",
        "other",
    )
    bad(
        "an image with a compiler",
        "has gcc",
        *file(
            "# comment",
            f"FROM {debian} AS one",
            f"FROM {debian}",
            "COPY --from=one /tools /usr/bin",
        ),
    )
    bad(
        "an image with CUDA's compiler",
        "has cuda",
        *file(f"FROM {debian} AS one", "WORKDIR /usr/local/cuda", "FROM one AS cuda"),
    )


def wheels():
    """A wheel for Windows with a library that has all functions; they do nothing."""
    compiler, tools = (
        "x86_64-w64-mingw32-gcc-posix",
        pathlib.Path(os.environ.get("GPUVORONOI_WHEELS", SOURCE / "build" / "wheels")),
    )
    if shutil.which(compiler) is None or not (tools / "tools" / "bin" / "python").exists():
        print(f"skipped: no {compiler}, or no wheel has been built in {tools}")
        sys.exit(77)
    (WORK / "tools").symlink_to(tools / "tools")
    bill = "g.dist-info/sboms/g.cdx.json"
    headers = [path.read_text() for path in sorted((SOURCE / "include" / "gpuvoronoi").glob("*.h"))]
    names = sorted(
        {name for text in headers for name in re.findall(r"^GV_API .*?[ *](gv_\w+)\(", text, re.M)}
    )

    def wheel(
        functions=names,
        tag="win_amd64",
        change=lambda files: None,
        later=lambda files: None,
        **more,
    ):
        code = write(
            "library.c",
            "".join(
                f"__declspec(dllexport) int {name}(void) {{ return 0; }}\n" for name in functions
            )
            + more.get("code", ""),
        )
        subprocess.run(
            [
                compiler,
                "-shared",
                "-static",
                "-s",
                "-o",
                WORK / "library.dll",
                code,
                *more.get("link", ()),
            ],
            check=True,
        )
        files = {
            f"gpuvoronoi/{path.name}": path.read_bytes()
            for path in sorted((SOURCE / "python" / "gpuvoronoi").glob("*.py"))
        }
        files.update(
            {
                "gpuvoronoi/gpuvoronoi.dll": (WORK / "library.dll").read_bytes(),
                "g.dist-info/licenses/LICENSE.bundled": b"text",
                bill: json.dumps(sbom.document("g", "1", "9.1.1", "12")).encode(),
            }
        )
        change(files)
        record = "".join(
            f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
            for name, data in files.items()
        )
        later(files)
        path = WORK / f"gpuvoronoi-1-py3-none-{tag}.whl"
        with zipfile.ZipFile(path, "w") as packed:
            for name, data in {**files, "g.dist-info/RECORD": record.encode()}.items():
                packed.writestr(name, data)
        return ["wheels.py", SOURCE, WORK, "win_amd64", path, "--contents"]

    good("as it is to be", *wheel())
    bad("another tag", "expected the tag win_amd64", *wheel(tag="linux_x86_64"))
    bad(
        "a changed module",
        "RECORD: gpuvoronoi/qtm.py differs",
        *wheel(later=lambda files: files.update({"gpuvoronoi/qtm.py": b"0"})),
    )
    bad(
        "a module too few",
        "modules differ",
        *wheel(change=lambda files: files.pop("gpuvoronoi/qtm.py")),
    )
    bad(
        "a library of others",
        "libraries:",
        *wheel(change=lambda files: files.update({"gpuvoronoi/other.dll": b"0"})),
    )
    bad(
        "no licenses of others",
        "no LICENSE.bundled",
        *wheel(change=lambda files: files.pop("g.dist-info/licenses/LICENSE.bundled")),
    )
    bad("no bill of materials", "bills:", *wheel(change=lambda files: files.pop(bill)))
    bad(
        "a bill without OpenMP",
        "unexpected components",
        *wheel(
            change=lambda files: files.update(
                {bill: json.dumps(sbom.document("g", "1", "9.1.1")).encode()}
            )
        ),
    )
    bad(
        "a function too few",
        "does not export ['gv_knn']",
        *wheel(functions=[name for name in names if name != "gv_knn"]),
    )
    bad("a function too many", "exports ['secret']", *wheel(functions=[*names, "secret"]))
    bad(
        "a library that is not there",
        "needs [",
        *wheel(
            code="int omp_get_max_threads(void); int f(void) { return omp_get_max_threads(); }\n",
            link=[
                subprocess.run(
                    [compiler, "-print-file-name=libgomp.dll.a"], capture_output=True, text=True
                ).stdout.strip()
            ],
        ),
    )
    bad(
        "a path of this machine",
        "holds a path of this machine",
        *wheel(code=f'const char *where(void) {{ return "{SOURCE}"; }}\n'),
    )


def cuda_wheel():
    """A wheel with a module that has the function of the CUDA module, which does nothing."""
    tools = pathlib.Path(os.environ.get("GPUVORONOI_WHEELS", SOURCE / "build" / "wheels"))
    if not (tools / "tools" / "bin" / "python").exists():
        print(f"skipped: no wheel has been built in {tools}")
        sys.exit(77)
    (WORK / "tools").symlink_to(tools / "tools")

    def wheel(
        code="int gv_cuda_module_offer(void) { return 0; }",
        tag="manylinux_2_34_x86_64",
        place="$ORIGIN/../nvidia/cublas/lib",
        more=(),
        link=(),
    ):
        module = compiled(
            "module",
            code,
            "-shared",
            "-fPIC",
            "-s",
            "-Wl,--no-as-needed",
            f"-Wl,-rpath,{place}",
            *link,
        )
        path = WORK / f"gpuvoronoi_cuda12-1.0.0rc1-py3-none-{tag}.whl"
        with zipfile.ZipFile(path, "w") as packed:
            packed.write(module, "gpuvoronoi/libgpuvoronoi_cuda.so")
            for name in (
                *more,
                *(f"g.dist-info/{name}" for name in ("LICENSE", "METADATA", "WHEEL", "RECORD")),
            ):
                packed.writestr(name, "")
        return ["cuda_wheel.py", SOURCE, WORK, path, "--contents"]

    good("as it is to be", *wheel())
    bad("a tag that no index takes", "unexpected name", *wheel(tag="linux_x86_64"))
    bad("a file too many", "unexpected files", *wheel(more=["gpuvoronoi/libcudart.so.12"]))
    bad("another function", "exports: ['other']", *wheel("int other(void) { return 0; }"))
    bad(
        "the place of CUDA 13's cuBLAS",
        "looks for cuBLAS in another place",
        *wheel(place="$ORIGIN/../nvidia/cu13/lib"),
    )
    bad(
        "a path of this machine",
        "holds a path of this machine",
        *wheel(f'const char *gv_cuda_module_offer(void) {{ return "{WORK}/x"; }}'),
    )
    compiled("libother.so", "", "-shared", "-fPIC", "-Wl,-soname,libother.so.1")
    bad("a library of others", "needs:", *wheel(link=[WORK / "libother.so"]))


def conda_recipe():
    text = (SOURCE / "packaging" / "conda-forge" / "recipe.yaml").read_text()

    def recipe(old="", new=""):
        if old not in text:
            sys.exit(f"the recipe lacks {old}")
        return [
            "conda_recipe.py",
            SOURCE,
            WORK / "work",
            write("recipe.yaml", text.replace(old, new, 1) if old else text),
            "--lint",
        ]

    good("as it is to be", *recipe())
    bad("an unknown field", "not a recipe", *recipe("  number: 0\n", "  number: 0\n  unknown: 1\n"))
    bad("an unknown function", "not a recipe", *recipe('stdlib("c")', 'library("c")'))
    bad(
        "no license file",
        "R-013: about: missing license_file",
        *recipe("  license_file: LICENSE\n"),
    )
    bad("no checksum", "R-019", *recipe(f'  sha256: "{"0" * 64}"\n'))
    bad(
        "no maintainers",
        "R-003",
        *recipe("  recipe-maintainers:\n    - maintainer\n", "  more: 1\n"),
    )
    bad(
        "a requirement without a space",
        "R-021, R-022: numpy>=1.21",
        *recipe("numpy >=1.21", "numpy>=1.21"),
    )
    bad(
        "Python to build with only",
        "R-023",
        *recipe("    - numpy >=1.21\n    - python\n", "    - numpy >=1.21\n"),
    )
    bad(
        "sections in another order",
        "R-000, R-001",
        *recipe(
            text[text.index("tests:") :],
            text[text.index("about:") :] + text[text.index("tests:") : text.index("about:")],
        ),
    )
    bad(
        "a C library that is not conda-forge's",
        "missing stdlib",
        *recipe('    - ${{ stdlib("c") }}\n'),
    )


def version():
    script, tree = str(SOURCE / "packaging" / "version.py"), WORK / "tree"
    check_tree, set_tree = ((script, "--root", tree, option) for option in ("--check", "--set"))
    now = version_script.header_numbers(SOURCE)
    by_hand = ("debian/control", "debian/changelog", "docs/CHANGELOG.md")
    names = dict.fromkeys([*(name for name, _ in version_script.COPIES), *by_hand])
    texts = {name: (SOURCE / name).read_text(encoding="utf-8") for name in names}

    def write_other(name):
        """With another version, in all of its forms."""
        text = re.sub(r"(Package: libgpuvoronoi)\d+\n", r"\g<1>9\n", texts[name])
        number, _, candidate = now.partition("-")
        write(tree / name, re.sub(rf"{re.escape(number)}[-~]?{candidate}", "9.8.7", text))

    for name, text in texts.items():
        write(tree / name, text)
    good("as it is", *check_tree)
    bad("no number", "is no version", *set_tree, "1.2")
    for name, text in texts.items():
        write_other(name)
        bad(f"another one in {name}", f": {name}: ", *check_tree)
        write(tree / name, text)
    bad("what people write themselves", "docs/CHANGELOG.md", *set_tree, "9.8.7")
    for name in by_hand:
        write_other(name)
    good("all of them", *check_tree)
