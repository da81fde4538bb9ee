"""What the checks of the checks share: a folder, files with and without faults in it, and runs that must pass or fail."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
WORK = pathlib.Path(sys.argv[2]).resolve()
COMPILER = sys.argv[3]
done = 0


def write(path, text):
    path = WORK / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def check(what, status, says, script, *arguments, **environment):
    """Runs a check, which has to end with `status` (0, 77, or 1 for any failure) and to have `says` in a line."""
    global done
    command = ["bash" if script.endswith(".sh") else sys.executable, HERE / script, *arguments]
    ran = subprocess.run(
        command,
        cwd=WORK,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    if ran.returncode == 77 and status != 77:
        print(f"{script}: {ran.stdout}", end="")
        sys.exit(77)
    right = (
        ran.returncode == 77 if status == 77 else (ran.returncode != 0) == (status != 0)
    ) and any(says in line for line in ran.stdout.splitlines() or [""])
    print(f"{'ok' if right else 'WRONG'}: {script}, {what}: status {ran.returncode}")
    if not right:
        sys.exit(
            f"expected {'success' if status == 0 else 'failure'} and '{says}' in a line of:\n{ran.stdout}"
        )
    done += 1


def good(what, script, *arguments, **environment):
    check(what, 0, "", script, *arguments, **environment)


def bad(what, says, script, *arguments, **environment):
    check(what, 1, says, script, *arguments, **environment)


def compiled(path, code, *flags):
    source = write(path + ".c", code)
    subprocess.run([COMPILER, *flags, "-o", WORK / path, source], check=True)
    return WORK / path
