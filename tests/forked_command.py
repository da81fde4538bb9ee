"""Runs the command as subprocess.run does, by forks of a process that has loaded and linked it once (forked_command.c).

Runs with an environment, limits or streams of their own start the command itself, and so do all runs where
GPUVORONOI_FORKED_COMMAND does not name the library for LD_PRELOAD."""

import os
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time

LIBRARY = os.environ.get("GPUVORONOI_FORKED_COMMAND", "")
OWN = {"PYTEST_CURRENT_TEST"}  # changes with each test, and says nothing to the command


def environment():
    return {name: value for name, value in os.environ.items() if name not in OWN}


BEFORE = environment()


class Forks:
    """The process that waits."""

    def __init__(self, program):
        self.program, self.free = program, threading.Lock()
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [program],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={
                    **os.environ,
                    "LD_PRELOAD": LIBRARY,
                    "GPUVORONOI_FORKED_COMMAND_SOCKET": str(theirs.fileno()),
                },
            )

    def number(self):
        got = self.socket.recv(8, socket.MSG_WAITALL)
        if len(got) != 8:
            raise OSError("the process that forks the command has ended")
        return struct.unpack("q", got)[0]

    def run(self, arguments, cwd, timeout):
        """What the command prints to both streams, and its return code."""
        text = b"".join(os.fsencode(one) + b"\0" for one in (cwd, *arguments))
        pipes = os.pipe(), os.pipe()
        try:
            socket.send_fds(
                self.socket, [struct.pack("q", len(text))], [0, pipes[0][1], pipes[1][1]]
            )
        finally:
            for _, end in pipes:
                os.close(end)
        self.socket.sendall(text)
        child = self.number()
        printed, deadline = {end: bytearray() for end, _ in pipes}, time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            for end in printed:
                selector.register(end, selectors.EVENT_READ)
            while selector.get_map():
                ready = selector.select(max(deadline - time.monotonic(), 0))
                if not ready and time.monotonic() >= deadline:
                    os.kill(child, 9)
                for key, _ in ready:
                    if got := os.read(key.fd, 65536):
                        printed[key.fd] += got
                    else:
                        selector.unregister(key.fd)
                        os.close(key.fd)
        code = os.waitstatus_to_exitcode(self.number())
        if time.monotonic() >= deadline and code == -9:
            raise subprocess.TimeoutExpired(arguments, timeout)
        return [bytes(one) for one in printed.values()], code


forks = None


def run(arguments, cwd=None, timeout=240, **options):
    """subprocess.run(arguments, capture_output=True, text=True) of the command; its path is the first argument."""
    global forks
    arguments = [os.fspath(one) for one in arguments]
    if (
        not LIBRARY
        or options
        or environment() != BEFORE
        or (forks and forks.program != arguments[0])
    ):
        return subprocess.run(
            arguments, cwd=cwd, capture_output=True, text=True, timeout=timeout, **options
        )
    forks = forks or Forks(arguments[0])
    with forks.free:
        (out, err), code = forks.run(arguments, cwd or os.getcwd(), timeout)
    universal = [one.decode().replace("\r\n", "\n").replace("\r", "\n") for one in (out, err)]
    return subprocess.CompletedProcess(arguments, code, *universal)


def wait_for_signals(process):
    """Until SIGINT has its handler, the last step before work begins. Earlier it ends the process if a thread of a library receives it, as those that
    OpenBLAS starts when it is loaded."""
    bit = 1 << (signal.SIGINT - 1)
    for _ in range(6000):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            caught = int(next(line for line in status if line.startswith("SigCgt:")).split()[1], 16)
        if caught & bit:
            return
        assert process.poll() is None
        time.sleep(0.01)
    raise AssertionError("the command does not wait for signals")
