"""Userlands of Debian's releases, made by debootstrap: for tests of other systems. They are kept from run to run."""

import os
import pathlib
import shutil
import subprocess

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}


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
    wanted, installed = " ".join(packages), root / "packages"
    if packages and (not installed.exists() or installed.read_text() != wanted):
        try:
            within(root, f"apt-get -qq update; apt-get -qq -y --no-install-recommends install {wanted} >/apt.log 2>&1 || {{ tail /apt.log; exit 1; }}")
        except subprocess.CalledProcessError:
            raise Missing(f"apt-get fails in {suite}: no network?") from None
        installed.write_text(wanted)
    return root


def within(root, command, folder="/", **variables):
    """A shell command in the userland, in a namespace of its own: its mounts and processes end with it."""
    namespace = ("unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc")
    return run(*namespace, "chroot", root, "sh", "-ec", f"cd {folder}\n{command}", env={**ENVIRONMENT, **variables})
