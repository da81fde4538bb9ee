#!/usr/bin/python3
"""
Which lines and branches of src the tests have reached, by file; needs nothing but gcov.

    cmake --preset coverage && cmake --build --preset coverage && ctest --preset coverage
    tests/line_coverage.py build/coverage [--lines 90 --branches 80] [--missing FILE ...]

Exit status 1 if less than the requested percentage was reached. --missing: the lines of such files that were not. Branches are those
that the source has: GCC's own (fall through, throw) do not count. A file that is compiled for several processors was reached where
one of its objects was.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def report(notes):
    """gcov's JSON for one object's notes."""
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", "--branch-probabilities", notes.name],
        cwd=notes.parent,
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


class File:
    def __init__(self):
        self.lines = collections.Counter()
        self.branches = collections.Counter()  # by line and place in it

    def add(self, described):
        places = collections.Counter()
        for line in described["lines"]:
            number = line["line_number"]
            self.lines[number] += line["count"]
            for branch in line["branches"]:
                if branch["throw"]:
                    continue
                # The same source in another function (inlined text, another kernel) is the same branch.
                places[number, line.get("function_name")] += 1
                self.branches[number, places[number, line.get("function_name")]] += branch["count"]

    def counts(self):
        return [
            (sum(1 for n in counter.values() if n > 0), len(counter))
            for counter in (self.lines, self.branches)
        ]


def collect(build):
    files = collections.defaultdict(File)
    notes = [path for path in (build / "src").rglob("*.gcno")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for reports in pool.map(report, notes):
            for one in reports:
                for described in one["files"]:
                    path = pathlib.Path(
                        one["current_working_directory"], described["file"]
                    ).resolve()
                    if path.is_relative_to(ROOT / "src"):
                        files[str(path.relative_to(ROOT))].add(described)
    return files


def percent(reached, all_):
    return 100.0 * reached / all_ if all_ else 100.0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--lines", type=float, default=0.0)
    parser.add_argument("--branches", type=float, default=0.0)
    parser.add_argument("--missing", nargs="*", default=[])
    options = parser.parse_args()
    files = collect(options.build.resolve())
    total = [[0, 0], [0, 0]]
    print(f"{'lines':>15}  {'branches':>15}")
    for name in sorted(files):
        row = []
        for sums, (reached, all_) in zip(total, files[name].counts()):
            sums[0] += reached
            sums[1] += all_
            row.append(f"{percent(reached, all_):5.1f} %{all_ - reached:5} no")
        print("  ".join(row), name)
    lines, branches = (percent(*sums) for sums in total)
    print(f"{lines:.1f} % of {total[0][1]} lines, {branches:.1f} % of {total[1][1]} branches")
    for name in options.missing:
        numbers = sorted(number for number, count in files[name].lines.items() if count == 0)
        print(f"{name}: {' '.join(map(str, numbers))}")
    if lines < options.lines or branches < options.branches:
        print(
            f"coverage: less than {options.lines:g} % of lines or {options.branches:g} % of branches",
            file=sys.stderr,
        )
        return 1
    return 0


sys.exit(main())
