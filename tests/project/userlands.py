"""Userlands of Debian's releases, made by debootstrap: for tests of other systems. They are kept from run to run."""

import os
import pathlib
import shutil
import subprocess

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "DEBIAN_FRONTEND": "noninteractive",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
}


class Missing(Exception):
    """The userland cannot be made here; a visible skip."""


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def make(root, suite, *options, packages=()):
    """The userland of a release in the folder `root`, with packages that apt installs; `options` for debootstrap."""
    root = pathlib.Path(root)
    if not (root / "made").exists():
        if shutil.which("debootstrap") is None or os.geteuid() != 0:
            raise Missing("debootstrap and root are needed")
        shutil.rmtree(root, ignore_errors=True)
        try:
            run("debootstrap", *options, "--variant=minbase", suite, root)
        except subprocess.CalledProcessError:
            raise Missing("debootstrap fails: no network?") from None
        shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
        # Mirrors may lag behind; signatures are checked.
        settings = root / "etc" / "apt" / "apt.conf.d" / "50mirrors"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('Acquire::Check-Valid-Until "false";\n')
        (root / "made").touch()
    listed = root / "packages"
    installed = listed.read_text().split() if listed.exists() else []
    missing = " ".join(name for name in packages if name not in installed)
    if missing:
        try:
            within(root, "apt-get -qq -o APT::Update::Error-Mode=any update")
        except subprocess.CalledProcessError:
            raise Missing(f"apt-get update fails in {suite}: no network?") from None
        within(
            root,
            f"apt-get -qq -y --no-install-recommends install {missing} >/apt.log 2>&1 || {{ tail /apt.log; exit 1; }}",
        )
        listed.write_text("\n".join([*installed, missing.replace(" ", "\n"), ""]))
    return root


def within(root, command, folder="/", **options):
    """A shell command in the userland, in a namespace of its own: its mounts and processes end with it. `options` of run()."""
    namespace = (
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        f"--mount-proc={root}/proc",
    )
    return run(
        *namespace,
        "chroot",
        root,
        "sh",
        "-ec",
        f"cd {folder}\n{command}",
        env=ENVIRONMENT,
        **options,
    )
