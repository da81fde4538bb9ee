#!/usr/bin/env python3
"""Small faults, planted one at a time: do the tests notice?

    mutate.py BUILD [--count N] [--first N] [--list] [--tests REGEX]

BUILD: a build folder of a copy of this tree (nothing else may use it: its sources are changed, one line at a time, and changed
back). Fault N is the same in every run for the same sources. Each is built, and the tests are run until one fails, the quickest
first. Faults that change no answer are listed in equivalent.txt with a reason ("file: text before => text after: reason") and are not
counted. Exit status: 0 if at least 95 % of the others are noticed.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOMS = ("src/exact", "src/cells", "src/voronoi")
# What is found in a line of code and what it becomes.
OPERATORS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
             (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"\+\+", "--"),
             (r"!(?=[a-z(])", ""), (r"\b0\b(?!\.)", "1"), (r"\b1\b(?!\.)", "2"), (r"\b0\.5\b", "0.25"), (r"\b2\.0\b", "1.0"),
             (r"\b1\.0\b", "2.0"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\bmin\b", "max"), (r"\bfmin\(", "fmax("),
             (r"\bfmax\(", "fmin("), (r"\bbreak;", ";"), (r"\bcontinue;", ";"), (r" & ", " | "), (r" >> ", " << "), (r" << ", " >> ")]
# Lines that say, declare or check what only a program with a fault of its own could see.
LEFT_ALONE = re.compile(r"^\s*(#|//|\*|/\*|typedef|extern|return gv_fail|gv_fail)|gv_fail\(|_Static_assert|\bassert\(|^\s*(static )?const char")


def code_lines(text):
    """Numbers and texts of the lines that hold code."""
    bare = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    for number, line in enumerate(bare.split("\n")):
        if line.strip() and not LEFT_ALONE.search(line) and '"' not in line:
            yield number, line


def faults(root):
    """All of them, in one order that looks random."""
    found = []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]")):
            name = path.relative_to(root).as_posix()
            for number, line in code_lines(path.read_text()):
                for pattern, new in OPERATORS:
                    for match in re.finditer(pattern, line):
                        found.append((name, number, line, line[: match.start()] + new + line[match.end():]))
    random.Random(1).shuffle(found)
    return found


def known(fault):
    name, _, before, after = fault
    listed = (HERE / "equivalent.txt").read_text() if (HERE / "equivalent.txt").exists() else ""
    return f"{name}: {before.strip()} => {after.strip()}: " in listed


def noticed(build, tests, limit):
    """What notices: the compiler, a test's name, or None."""
    built = subprocess.run(["cmake", "--build", build], capture_output=True, text=True)
    if built.returncode != 0:
        return "compiler"
    for group in tests:
        try:
            ran = subprocess.run(["ctest", "--test-dir", build, "-j2", "--stop-on-failure", "--timeout", str(limit), "-R",
                                  "^(" + "|".join(group) + ")$"], capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return "time"
        if ran.returncode != 0:
            failed = re.search(r"\(Failed\)|\(Timeout\)|\*\*\*", ran.stdout)
            name = re.search(r"\d+ - (\S+) \(", ran.stdout)
            return name[1] if name else (failed[0] if failed else "ctest")
    return None


def test_groups(build, pattern):
    """Names of the tests, those that took less time when they were run last first."""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True,
                                       check=True).stdout)["tests"]
    cost = {}
    path = pathlib.Path(build) / "Testing" / "Temporary" / "CTestCostData.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        fields = line.split()
        if len(fields) == 3:
            cost[fields[0]] = float(fields[2])
    names = [t["name"] for t in listed if re.search(pattern, t["name"])]
    quick = [n for n in names if cost.get(n, 5) < 10]
    return [quick, sorted(set(names) - set(quick), key=lambda n: cost.get(n, 100))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tests", default=r"^(conformance|cells|qtm|core|search|measure|statistics|fuzz|digests|edge|differential$)")
    asked = parser.parse_args()
    cache = (pathlib.Path(asked.build) / "CMakeCache.txt").read_text()
    root = pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache, flags=re.M)[1])
    chosen = faults(root)[asked.first : asked.first + asked.count]
    if asked.list:
        for name, number, before, after in chosen:
            print(f"{name}:{number + 1}: {before.strip()} => {after.strip()}")
        return 0
    tests = test_groups(asked.build, asked.tests)
    if noticed(asked.build, tests, 600):
        sys.exit("the tests fail without a fault")
    survived, counted = [], 0
    for i, fault in enumerate(chosen):
        name, number, before, after = fault
        if known(fault):
            print(f"{asked.first + i}: known to change no answer: {name}:{number + 1}")
            continue
        path, began = root / name, time.monotonic()
        whole = path.read_text()
        lines = whole.split("\n")
        lines[number] = lines[number].replace(before.strip(), after.strip()) if before not in lines[number] else after
        try:
            path.write_text("\n".join(lines))
            by = noticed(asked.build, tests, 300)
        finally:
            path.write_text(whole)
        if by == "compiler":
            continue
        counted += 1
        if by is None:
            survived.append(fault)
        print(f"{asked.first + i}: {by or 'SURVIVED'}: {name}:{number + 1}: {before.strip()} => {after.strip()} "
              f"({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{counted - len(survived)} of {counted} noticed")
    return 0 if counted > 0 and len(survived) <= 0.05 * counted else 1


if __name__ == "__main__":
    sys.exit(main())
