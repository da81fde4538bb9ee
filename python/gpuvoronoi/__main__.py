"""``python -m gpuvoronoi``: versions, backends, devices."""

from __future__ import annotations

import platform
from ctypes import byref, c_int

import numpy as np

from . import _c
from ._library import __version__, context, library, path


def main() -> int:
    try:
        c = library()
    except ImportError as error:
        print(f"gpuvoronoi {__version__}: {error}")
        return 1
    print(f"gpuvoronoi {__version__}, library {c.gv_version().decode()} ({path()})")
    print(f"Python {platform.python_version()}, numpy {np.__version__}")
    print("\nbackends")
    reasons: list[str] = []
    for number in range(c.gv_backend_count()):
        info = _c.BackendInfo()
        c.gv_backend_get(number, byref(info))
        uses = "points, grids" if info.searches_points else "grids"
        here = "available"
        if not info.available:
            reason = info.reason.decode()
            if reason not in reasons:
                reasons.append(reason)
            here = f"not here ({chr(ord('a') + reasons.index(reason))})"
        print(f"  {info.name.decode():16} {here:13} {uses:14} {info.summary.decode()}")
    for letter, reason in enumerate(reasons):
        print(f"  ({chr(ord('a') + letter)}) {reason}")
    print("\ndevices")
    count = c_int()
    used = context()
    if c.gv_device_count(used.address, byref(count)):
        print(f"  none: {c.gv_context_message(used.address).decode()}")
    for number in range(count.value):
        device = _c.DeviceInfo()
        used.call(c.gv_device_get, number, byref(device))
        state = "" if device.usable else f" [not usable: {device.reason.decode()}]"
        print(f"  {number}: {device.name.decode()}, {device.memory_bytes >> 30} GiB{state}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
