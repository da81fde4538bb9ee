#!/usr/bin/python3
"""
conda-forge's recipe: rattler-build's parser and renderer accept it for each system, it keeps the rules of conda-forge's linter that apply, and
its script builds and installs what passes its tests, with this machine's compilers and libraries in place of conda-forge's.

    conda_recipe.py SOURCE WORK [RECIPE] [--lint]    --lint: without the build

conda-smithy itself is not on PyPI; the identifiers are those of its rules. Exits with 77, a visible skip, without a network, a git
checkout or NumPy.
"""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

GCC, CLANG = ("gcc", "gxx", "sysroot"), ("clang", "clangxx", "macosx_deployment_target")
PLATFORMS = {"linux-64": GCC, "linux-aarch64": GCC, "osx-64": CLANG, "osx-arm64": CLANG}
PYTHONS = ["3.12.* *_cpython", "3.13.* *_cp313"]
SECTIONS = [
    "schema_version",
    "context",
    "package",
    "source",
    "build",
    "requirements",
    "tests",
    "about",
    "extra",
]
PLACEHOLDERS = {
    "the address of the archive": r"^  url: https://example\.invalid",
    "its SHA-256": r'sha256: "0{64}"',
    "the homepage": r"homepage: https://example\.invalid",
    "the maintainers": r"^    - maintainer$",
}


def render(recipe):
    """What the recipe is on each system and with each Python, as JSON; run by the environment that has rattler-build."""
    import rattler_build

    parsed, made = rattler_build.Stage0Recipe.from_file(recipe), {}
    for platform, (c, cxx, stdlib) in PLATFORMS.items():
        variants = rattler_build.VariantConfig(
            {"python": PYTHONS, "c_compiler": [c], "cxx_compiler": [cxx], "c_stdlib": [stdlib]}
        )
        config = rattler_build.RenderConfig(
            platform=rattler_build.PlatformConfig(
                target_platform=platform, build_platform=platform, host_platform=platform
            )
        )
        made[platform] = [variant.recipe.to_dict() for variant in parsed.render(variants, config)]
    print(json.dumps(made))


def lint(text, rendered):
    """What conda-forge's linter refuses, a line each."""
    found = re.findall(r"^(\w+):", text, re.M)
    if found != [name for name in SECTIONS if name in found]:
        yield f"R-000, R-001: sections {found}; expected {SECTIONS}"
    if re.search(r"\$\{\{(?! )|(?<! )\}\}", text):
        yield "R-025: missing space inside ${{ }}"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield "R-011, R-012: expected one newline at the end"
    for line in re.findall(
        r"^ +- (.*)$", text.partition("\nrequirements:")[2].partition("\ntests:")[0], re.M
    ):
        if not re.fullmatch(r"[a-z0-9_.-]+( [<>=!]*[0-9][^ ]*)?|if: .*|\$\{\{ .* \}\}", line):
            yield f"R-021, R-022: {line}; expected 'name' or 'name >=version'"
    for platform, variants in rendered.items():
        if len(variants) != len(PYTHONS):
            yield f"{platform}: {len(variants)} packages; expected one for each of {len(PYTHONS)} versions of Python"
        for recipe in variants:
            yield from (f"{platform}: {line}" for line in lint_rendered(recipe))


def lint_rendered(recipe):
    about, needs = recipe.get("about", {}), recipe.get("requirements", {})
    for name, rule in (
        ("homepage", "R-002"),
        ("license", "R-002"),
        ("summary", "R-002"),
        ("license_file", "R-013"),
    ):
        if not about.get(name):
            yield f"{rule}: about: missing {name}"
    if not recipe.get("extra", {}).get("recipe-maintainers"):
        yield "R-003: missing extra: recipe-maintainers"
    if not recipe.get("tests"):
        yield "R-005: missing tests"
    if "number" not in recipe.get("build", {}):
        yield "R-008: missing build: number"
    if not all(source.get("sha256") for source in recipe["source"]):
        yield "R-019: missing sha256"
    if "python" in needs.get("host", []) and "python" not in needs.get("run", []):
        yield "R-023: python is a host requirement, but not a run requirement"
    if not any("sysroot" in line or "deployment_target" in line for line in needs.get("build", [])):
        yield 'missing stdlib("c") beside the compiler'


def build(source, work, recipe):
    """The recipe's script and tests, of what is committed."""
    prefix, tree = work / "prefix", work / "source"
    for folder in (prefix, tree):
        shutil.rmtree(folder, ignore_errors=True)
    (prefix / "bin").mkdir(parents=True)
    tree.mkdir()
    (prefix / "bin" / "python").symlink_to(sys.executable)
    archive = subprocess.run(
        ["git", "-C", source, "archive", "HEAD"], check=True, stdout=subprocess.PIPE
    ).stdout
    subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
    packages = prefix / "lib" / "python" / "site-packages"
    own = {
        **os.environ,
        "PREFIX": prefix,
        "SP_DIR": packages,
        "SHLIB_EXT": ".so",
        "CMAKE_ARGS": "-DCMAKE_INSTALL_LIBDIR=lib",
    }
    subprocess.run(
        ["bash", "-euxc", "\n".join(recipe["build"]["script"])], cwd=tree, env=own, check=True
    )
    shutil.rmtree(tree)
    own.update(
        PATH=f"{prefix}/bin:{os.environ['PATH']}",
        LD_LIBRARY_PATH=f"{prefix}/lib",
        PYTHONPATH=str(packages),
    )
    if not (prefix / "lib" / "libgpuvoronoi.so").exists():
        sys.exit("conda_recipe.py: the script installs no lib/libgpuvoronoi.so")
    for test in recipe["tests"]:
        lines = test.get("script", []) + [
            f"python -c 'import {name}'" for name in test.get("python", {}).get("imports", [])
        ]
        subprocess.run(["bash", "-euxc", "\n".join(lines)], cwd=work, env=own, check=True)


def tools(source, work):
    """The environment that has rattler-build; its Python."""
    wanted, folder = source / "packaging" / "conda-forge" / "requirements.txt", work / "tools"
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run(
            [
                folder / "bin" / "python",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--only-binary=:all:",
                "--require-hashes",
                "-r",
                wanted,
            ],
            check=True,
        )
        shutil.copy(wanted, stamp)
    return folder / "bin" / "python"


def main():
    words = [word for word in sys.argv[1:] if word != "--lint"]
    source, work = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve()
    path = (
        pathlib.Path(words[2]).resolve()
        if len(words) > 2
        else source / "packaging" / "conda-forge" / "recipe.yaml"
    )
    if not (source / ".git").exists():
        print("skipped: no git checkout")
        return 77
    if "--lint" not in sys.argv and importlib.util.find_spec("numpy") is None:
        print(f"skipped: {sys.executable} has no NumPy")
        return 77
    work.mkdir(parents=True, exist_ok=True)
    try:
        python = tools(source, work)
    except subprocess.CalledProcessError as error:
        print(f"skipped: no network: {error}")
        return 77
    done = subprocess.run([python, __file__, "--render", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"conda_recipe.py: {path}: not a recipe:\n{done.stderr}")
    rendered, text = json.loads(done.stdout), path.read_text(encoding="utf-8")
    problems = list(dict.fromkeys(lint(text, rendered)))
    if problems:
        sys.exit("\n".join(f"conda_recipe.py: {line}" for line in problems))
    for name, pattern in PLACEHOLDERS.items():
        if re.search(pattern, text, re.M):
            print(f"to fill in: {name}")
    if "--lint" not in sys.argv:
        build(source, work, rendered["linux-64"][0])
    print(f"{sum(map(len, rendered.values()))} packages on {', '.join(rendered)}")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--render":
        render(sys.argv[2])
    else:
        sys.exit(main())
