#!/usr/bin/env python3
"""tests/faults/library.c calls every public function that can run out of memory: those of the headers with a context. Ways round
barriers have the same test in tests/barriers/api.c.

    complete.py SOURCE
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
ELSEWHERE = {
    "gv_device_count",
    "gv_device_get",
}  # without a GPU they only fail: tests/gpu/failing_calls.c

needed = set()
for header in (root / "include" / "gpuvoronoi").glob("*.h"):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    for name, parameters in re.findall(r"GV_API\s+gv_status\s+(gv_\w+)\(([^;]*)\);", text):
        if "gv_context *context" in parameters:
            needed.add(name)
called = set()
for name in (
    "tests/faults/library.c",
    "tests/barriers/api.c",
    "tests/grid_fill.h",
    "tests/statistics_of.h",
):
    called |= set(re.findall(r"\bgv_\w+(?=\()", (root / name).read_text()))
if len(needed) < 30:
    sys.exit(f"complete.py: only {len(needed)} functions found in the headers")
missing = sorted(needed - called - ELSEWHERE)
for name in missing:
    print(f"{name}: not called by tests/faults/library.c")
sys.exit(1 if missing else 0)
