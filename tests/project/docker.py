#!/usr/bin/python3
"""
The steps of packaging/docker/Dockerfile, carried out in userlands of Debian 12 that debootstrap makes, and the command in the result.

    docker.py SOURCE WORK [DOCKERFILE]

Knows the instructions that the file has (FROM … AS, RUN, COPY, WORKDIR, ENTRYPOINT). A visible skip (77) without debootstrap, root, a
network or a git checkout.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import userlands
from userlands import run

SOURCE, WORK = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
DOCKERFILE = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else SOURCE / "packaging" / "docker" / "Dockerfile"
BASES = {"debian:12": "bookworm"}


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


def base(name):
    """A userland that images begin with; made once."""
    if name not in BASES:
        sys.exit(f"docker.py: unknown base image {name}; expected {', '.join(BASES)}")
    try:
        return userlands.make(WORK / name.replace(":", "-"), BASES[name])
    except userlands.Missing as why:
        skip(why)


def copy(stages, root, rest):
    words = rest.split()
    origin = stages[words.pop(0).partition("=")[2]] if words[0].startswith("--from=") else None
    source, target = words
    goal = root / target.lstrip("/")
    goal.mkdir(parents=True, exist_ok=True)
    if origin is not None:
        run("cp", "-a", f"{origin / source.lstrip('/')}/.", goal)
        return
    if source != ".":
        sys.exit(f"docker.py: COPY {rest}: unsupported source")
    archive = run("git", "-C", SOURCE, "archive", "HEAD", stdout=subprocess.PIPE).stdout
    run("tar", "-x", "-C", goal, input=archive)


def main():
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        skip("debootstrap and root are needed")
    if not (SOURCE / ".git").exists():
        skip("no git checkout")
    WORK.mkdir(parents=True, exist_ok=True)
    stages, root, folder, entry = {}, None, "/", None
    for word, rest in instructions(DOCKERFILE):
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            root, folder = WORK / f"stage-{len(stages)}", "/"
            shutil.rmtree(root, ignore_errors=True)
            run("cp", "-a", base(image), root)
            stages[name or str(len(stages))] = root
        elif word == "RUN":
            userlands.within(root, rest, folder)
        elif word == "COPY":
            copy(stages, root, rest)
        elif word == "WORKDIR":
            folder = rest
            (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "ENTRYPOINT":
            entry = json.loads(rest)
        else:
            sys.exit(f"docker.py: unknown instruction {word}")
    need = {"gcc": False, "gpuvoronoi": True}
    for name, wanted in need.items():
        if (root / "usr" / "bin" / name).exists() != wanted:
            sys.exit(f"docker.py: the image {'lacks' if wanted else 'has'} {name}")
    (root / "data" / "seeds.csv").write_text("lon,lat\n13.4,52.5\n-0.1,51.5\n")
    userlands.within(root, " ".join([*entry, "--seeds seeds.csv --size 36,18 nearest.tif"]), folder)
    userlands.within(root, "gdalinfo -stats nearest.tif | grep -q 'STATISTICS_MAXIMUM=2'", folder)
    for stage in stages.values():
        shutil.rmtree(stage)
    print(f"{DOCKERFILE.name}: {len(stages)} stages")


if __name__ == "__main__":
    main()
