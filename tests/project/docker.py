#!/usr/bin/python3
"""
The steps of packaging/docker/Dockerfile, carried out in userlands of Debian 12 that debootstrap makes, and the command in the result.

    docker.py SOURCE WORK [DOCKERFILE] [--target STAGE] [--build-arg NAME=VALUE]... [--check]

Knows the instructions that the file has (FROM … AS, RUN, COPY, ARG, ENV, WORKDIR, USER, ENTRYPOINT) and, as docker does, carries out the stages that
STAGE (default: the last) needs; with --check none. Images that stages begin with or copy from have digests, and stages that have an entry
point do not run as root. This machine's folder of CUDA stands for that of NVIDIA's image. A visible skip (77) without debootstrap, root, a
network, a git checkout or that folder.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import userlands
from userlands import run

parser = argparse.ArgumentParser()
parser.add_argument("source", type=pathlib.Path)
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("dockerfile", type=pathlib.Path, nargs="?")
parser.add_argument("--target")
parser.add_argument("--build-arg", action="append", default=[])
parser.add_argument("--check", action="store_true")
given = parser.parse_args()
SOURCE, WORK = given.source.resolve(), given.work.resolve()
DOCKERFILE = (
    given.dockerfile.resolve()
    if given.dockerfile
    else SOURCE / "packaging" / "docker" / "Dockerfile"
)
ARGUMENTS = dict(word.split("=", 1) for word in given.build_arg)
BASES = {"debian:12": "bookworm"}
INSTRUCTIONS = ("RUN", "COPY", "ARG", "ENV", "WORKDIR", "USER", "ENTRYPOINT")
MISSING = "the CUDA module libgpuvoronoi_cuda.so is not installed"


class Stage:
    """A stage of the Dockerfile: its instructions, and what they leave."""

    def __init__(self, image, name):
        self.image, self.name, self.steps = image, name, []
        self.root, self.folder, self.entry, self.user, self.variables = None, "/", [], "root", {}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def instructions(path):
    """(word, rest) of each instruction of a Dockerfile."""
    text = path.read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            word, rest = line.split(None, 1)
            yield word, rest


def base(image):
    """A userland that images begin with; made once."""
    name = image.partition("@")[0]
    try:
        return userlands.make(WORK / name.replace(":", "-"), BASES[name])
    except userlands.Missing as why:
        skip(why)


def read_stages():
    """The stages by name (or number) and in order."""
    stages = {}
    for word, rest in instructions(DOCKERFILE):
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            last = stages[name or str(len(stages))] = Stage(image, name or str(len(stages)))
        else:
            last.steps.append((word, rest))
    return stages


def check_image(image):
    if re.fullmatch(r"[^@]+@sha256:[0-9a-f]{64}", image) is None:
        sys.exit(f"docker.py: the image {image} has no digest; expected NAME@sha256:DIGEST")


def check_stages(stages):
    """Which images, instructions and users."""
    for name, stage in stages.items():
        if stage.image in stages:
            stage.entry, stage.user = stages[stage.image].entry, stages[stage.image].user
        elif stage.image.partition("@")[0] in BASES:
            check_image(stage.image)
        else:
            sys.exit(f"docker.py: unknown base image {stage.image}; expected {', '.join(BASES)}")
        for word, rest in stage.steps:
            if word not in INSTRUCTIONS:
                sys.exit(f"docker.py: unknown instruction {word}")
            if word == "USER":
                stage.user = rest
            elif word == "ENTRYPOINT":
                stage.entry = json.loads(rest)
            elif word == "COPY" and rest.startswith("--from="):
                origin = rest.split()[0].partition("=")[2]
                if origin not in stages:
                    check_image(origin)
        if stage.entry and stage.user.partition(":")[0] in ("root", "0"):
            sys.exit(f"docker.py: the command of stage {name} runs as root; USER is missing")


def copy(stages, stage, rest):
    words = rest.split()
    origin = words.pop(0).partition("=")[2] if words[0].startswith("--from=") else None
    source, target = words
    goal = stage.root / target.lstrip("/")
    goal.mkdir(parents=True, exist_ok=True)
    if origin in stages:
        run("cp", "-a", f"{make(stages, origin).root / source.lstrip('/')}/.", goal)
    elif origin is not None and origin.startswith("nvidia/cuda:"):
        if not pathlib.Path(source, "bin", "nvcc").exists():
            skip(f"no {source} on this machine")
        run("cp", "-a", f"{source}/.", goal)
    elif origin is None and source == ".":
        archive = run("git", "-C", SOURCE, "archive", "HEAD", stdout=subprocess.PIPE).stdout
        run("tar", "-x", "-C", goal, input=archive)
    else:
        sys.exit(f"docker.py: COPY {rest}: unsupported source")


def make(stages, name):
    """The stage, carried out once."""
    stage = stages[name]
    if stage.root is not None:
        return stage
    begin = base(stage.image) if stage.image not in stages else make(stages, stage.image).root
    if stage.image in stages:
        before = stages[stage.image]
        stage.folder, stage.variables = before.folder, dict(before.variables)
    stage.root = WORK / f"stage-{name}"
    shutil.rmtree(stage.root, ignore_errors=True)
    run("cp", "-a", begin, stage.root)
    for word, rest in stage.steps:
        if word == "RUN":
            exports = "".join(
                f"export {key}={shlex.quote(value)}\n" for key, value in stage.variables.items()
            )
            userlands.within(stage.root, exports + rest, stage.folder)
        elif word == "COPY":
            copy(stages, stage, rest)
        elif word in ("ARG", "ENV"):
            key, _, value = rest.partition("=")
            stage.variables[key] = ARGUMENTS.get(key, value) if word == "ARG" else value
        elif word == "WORKDIR":
            stage.folder = rest
            (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
    return stage


def try_image(stage, with_cuda):
    for name, wanted in {
        "usr/bin/gcc": False,
        "usr/local/cuda": False,
        "usr/bin/gpuvoronoi": True,
    }.items():
        if (stage.root / name).exists() != wanted:
            sys.exit(
                f"docker.py: the image {'lacks' if wanted else 'has'} {name.rpartition('/')[2]}"
            )
    (stage.root / "data" / "seeds.csv").write_text("lon,lat\n13.4,52.5\n-0.1,51.5\n")
    userlands.within(
        stage.root,
        " ".join([*stage.entry, "--seeds seeds.csv --size 36,18 nearest.tif"]),
        stage.folder,
    )
    userlands.within(
        stage.root, "gdalinfo -stats nearest.tif | grep -q 'STATISTICS_MAXIMUM=2'", stage.folder
    )
    said = userlands.within(
        stage.root,
        " ".join([*stage.entry, "backends", "--json"]),
        stage.folder,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    print(said)
    reasons = [backend.get("reason") or "" for backend in json.loads(said) if backend["gpu"]]
    if with_cuda and not (reasons and all(reason and MISSING not in reason for reason in reasons)):
        sys.exit(
            "docker.py: the image does not open the CUDA module, or a backend is unavailable without a reason"
        )


def main():
    stages = read_stages()
    check_stages(stages)
    if given.check:
        print(f"{DOCKERFILE.name}: {len(stages)} stages are checked")
        return
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        skip("debootstrap and root are needed")
    if not (SOURCE / ".git").exists():
        skip("no git checkout")
    WORK.mkdir(parents=True, exist_ok=True)
    target = given.target or list(stages)[-1]
    if target not in stages:
        sys.exit(f"docker.py: unknown stage {target}; expected {', '.join(stages)}")
    try_image(make(stages, target), target == "cuda")
    made = [stage.root for stage in stages.values() if stage.root is not None]
    for root in made:
        shutil.rmtree(root)
    print(f"{DOCKERFILE.name}: {len(made)} stages of {len(stages)}")


if __name__ == "__main__":
    main()
