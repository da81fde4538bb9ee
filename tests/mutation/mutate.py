#!/usr/bin/env python3
"""Small faults: do the tests notice?

    mutate.py BUILD [--rooms NAME,NAME,...] [--count N] [--first N | --only N,N,...] [--jobs N] [--list] [--tests REGEX]

BUILD: a build folder of a copy of this tree, which no other process may use: its sources are changed while this runs. All requested faults
are compiled together: a function has a second body for each of its faults, and the environment variable GV_FAULT selects one.
Each test is run once to see which of these it reaches; then for each fault those that reach it are run until one fails: first those
that noticed other faults of the same file, then the quick ones. A test that takes much longer than without a fault has failed.
Which faults there are and their order is decided by the texts of the lines alone: a change of src adds and takes away those of its own
lines. Faults that change no answer are listed in equivalent.txt with a reason ("file: text before => text after: reason") and are not
counted, nor are those that do not compile. Exit status: 0 if at least 95 % of the others are noticed.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOMS = ("exact", "cells", "voronoi")
# What is found in a line of code and what it becomes.
OPERATORS = [
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* ", " / "),
    (r" / ", " * "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"\+\+", "--"),
    (r"!(?=[a-z(])", ""),
    (r"\b0\b(?!\.)", "1"),
    (r"\b1\b(?!\.)", "2"),
    (r"\b0\.5\b", "0.25"),
    (r"\b2\.0\b", "1.0"),
    (r"\b1\.0\b", "2.0"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bmin\b", "max"),
    (r"\bfmin\(", "fmax("),
    (r"\bfmax\(", "fmin("),
    (r"\bbreak;", ";"),
    (r"\bcontinue;", ";"),
    (r" & ", " | "),
    (r" >> ", " << "),
    (r" << ", " >> "),
]
# Lines that say, declare or check what only a program with a fault of its own could see.
LEFT_ALONE = re.compile(
    r"^\s*(#|//|\*|/\*|typedef|extern|return gv_fail|gv_fail)|gv_fail\(|_Static_assert|\bassert\(|^\s*(static )?const char"
)
# What answers come from; the slow ones last.
TESTS = (
    r"^(conformance_|cells$|qtm$|edge$|orientation$|geodesic_|search_(api|memory)$|feature|measure|ranks$|faults_library$|statistics|device_pipeline$|fuzz_|differential$|"
    r"python_(cells|globe_tree|qtm|rasters)$)"
)
MEMORY = 12 << 30  # address space of a test: a fault may request any size

# Included before everything: the selected fault, and with GV_FAULT=reached those that are reached.
SWITCH = """#ifndef GV_FAULT_SWITCH
#define GV_FAULT_SWITCH
#include <stdio.h>
#include <stdlib.h>
static int gv_fault = -1;
static unsigned char gv_faults_reached[%d];
__attribute__((constructor)) static void gv_fault_begin(void) {
  const char *text = getenv("GV_FAULT");
  if (text != NULL) gv_fault = text[0] == 'r' ? -2 : atoi(text);
}
__attribute__((destructor)) static void gv_fault_end(void) {
  FILE *out = gv_fault == -2 ? fopen(getenv("GV_FAULTS_REACHED"), "a") : NULL;
  for (int i = 0; out != NULL && i < (int)sizeof gv_faults_reached; i++)
    if (gv_faults_reached[i]) fprintf(out, "%%d\\n", i);
  if (out != NULL) fclose(out);
}
static inline int gv_fault_at(int n) {
  if (gv_fault == -2) gv_faults_reached[n] = 1;
  return gv_fault == n;
}
#define GV_FAULT_AT(n) (__builtin_expect(gv_fault != -1, 0) && gv_fault_at(n))
#endif
"""

Fault = collections.namedtuple("Fault", "name number before after")
Test = collections.namedtuple("Test", "name command folder environment seconds reached")


def code_lines(text):
    """Of the lines that hold code: numbers, and texts with spaces in place of comments."""
    bare = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    for number, line in enumerate(bare.split("\n")):
        if line.strip() and not LEFT_ALONE.search(line) and '"' not in line:
            yield number, line


def functions(lines):
    """Where each body begins and ends."""
    begin = None
    for number, line in enumerate(lines):
        if begin is None and line.endswith(") {"):
            begin = number + 1
        elif line.startswith("}"):
            if begin is not None and line == "}":
                yield begin, number
            begin = None


def shown(fault):
    return f"{fault.name}: {fault.before.strip()} => {fault.after.strip()}"


def faults(root, rooms=ROOMS):
    """All that are in a function, in an order that looks random."""
    found, copies = [], collections.Counter()
    for room in rooms:
        for path in sorted((root / "src" / room).rglob("*.[ch]")):
            name, text = path.relative_to(root).as_posix(), path.read_text()
            lines = text.split("\n")
            within = {number for begin, end in functions(lines) for number in range(begin, end)}
            for number, code in code_lines(text):
                for pattern, new in OPERATORS if number in within else ():
                    for match in re.finditer(pattern, code):
                        line = lines[number]
                        fault = Fault(
                            name, number, line, line[: match.start()] + new + line[match.end() :]
                        )
                        text_of_it = shown(fault)
                        copies[text_of_it] += 1
                        found.append(
                            (
                                hashlib.sha256(
                                    f"{copies[text_of_it]} {text_of_it}".encode()
                                ).digest(),
                                fault,
                            )
                        )
    return [fault for _, fault in sorted(found)]


def planted(text, chosen):
    """A file's text with its faults, [(n, fault)], and the owner of each line."""
    lines = text.split("\n")
    out, owner, done = [], [], 0

    def add(added, whose):
        out.extend(added)
        owner.extend([whose] * len(added))

    for begin, end in functions(lines):
        here = [(n, fault) for n, fault in chosen if begin <= fault.number < end]
        if not here:
            continue
        add(lines[done:begin], None)
        body = lines[begin:end]
        labels = [
            m[1] for line in body if (m := re.match(r"(\w+):$", line.strip())) and m[1] != "default"
        ]
        for i, (n, fault) in enumerate(here):
            second = body.copy()
            second[fault.number - begin] = fault.after
            for label in labels:
                second = [
                    re.sub(rf"\b(goto )?{label}(;|:)$", rf"\g<1>{label}_{n}\2", line)
                    for line in second
                ]
            add([("} else " if i else "") + f"if (GV_FAULT_AT({n})) {{"], None)
            add(second, n)
        add(["} else {", *body, "}"], None)
        done = end
    add(lines[done:], None)
    return "\n".join(out), owner


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def listed_tests(build, pattern):
    listed = json.loads(
        run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True).stdout
    )["tests"]
    for entry in listed:
        if re.search(pattern, entry["name"]):
            said = {p["name"]: p["value"] for p in entry["properties"]}
            environment = dict(e.split("=", 1) for e in said.get("ENVIRONMENT", []))
            folder = said.get("WORKING_DIRECTORY")
            yield Test(entry["name"], entry["command"], folder, environment, 0.0, set())


def build_all(build, root, chosen, tests):
    """Compiles the faults {n: fault}; returns those that do not compile, which are taken out again."""
    whole = {name: (root / name).read_text() for name in {fault.name for fault in chosen.values()}}
    bad, owners = set(), {}
    inside = {
        name
        for test in tests
        for word in (*test.command, *test.environment.values())
        for name in re.findall(re.escape(str(build)) + r"/([^:]+)", word)
        if (build / name).is_file()
    }
    try:
        names = set(whole)
        while True:
            for name in names:
                mine = [
                    (n, fault) for n, fault in chosen.items() if fault.name == name and n not in bad
                ]
                text, owners[name] = planted(whole[name], mine)
                (root / name).write_text(text)
            built = run(["cmake", "--build", str(build), "--target", *inside, "--", "-k", "0"])
            if built.returncode == 0:
                return bad
            found = set()
            for name, line in re.findall(r"(src/[\w/.]+):(\d+):\d+: error", built.stdout):
                if name in owners and owners[name][int(line) - 1] is not None:
                    found.add(owners[name][int(line) - 1])
            if not found - bad:
                sys.exit(built.stdout[-3000:])
            bad |= found
            names = {chosen[n].name for n in found}
    finally:
        for name, text in whole.items():
            (root / name).write_text(text)


def passes(test, fault, seconds):
    """Runs a test; the moment it says that something failed is enough."""

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    with tempfile.TemporaryDirectory() as folder:
        began = subprocess.Popen(
            test.command,
            cwd=test.folder or folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **test.environment, "GV_FAULT": str(fault)},
            preexec_fn=bounded,
            start_new_session=True,
        )
        timer = threading.Timer(seconds, lambda: os.killpg(began.pid, signal.SIGKILL))
        timer.start()
        failed = False
        for line in began.stdout:
            if line.startswith(b"[  FAILED  ]"):
                failed = True
                os.killpg(began.pid, signal.SIGKILL)
                break
        began.stdout.close()
        status = began.wait()
        timer.cancel()
    return not failed and status in (0, 77)


def measured(test):
    """With its time, and what it reaches."""
    with tempfile.NamedTemporaryFile() as reached:
        test = test._replace(environment={**test.environment, "GV_FAULTS_REACHED": reached.name})
        began = time.monotonic()
        if not passes(test, "reached", 1800):
            sys.exit(f"{test.name} fails without a fault")
        return test._replace(
            seconds=time.monotonic() - began, reached={int(n) for n in reached.read().split()}
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--rooms", type=lambda text: text.split(","), default=ROOMS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tests", default=TESTS)
    asked = parser.parse_args()
    cache = (asked.build / "CMakeCache.txt").read_text()
    root = pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache, flags=re.M)[1])
    every = dict(enumerate(faults(root, asked.rooms)))
    chosen = {n: every[n] for n in asked.only or range(asked.first, asked.first + asked.count)}
    if asked.list:
        for n, fault in chosen.items():
            print(f"{n}: {fault.number + 1}: {shown(fault)}")
        return 0
    total = collections.Counter()

    def say(n, by, note=""):
        total[by] += 1
        print(f"{n}: {by}: {chosen[n].number + 1}: {shown(chosen[n])}{note}", flush=True)

    listed = (HERE / "equivalent.txt").read_text().splitlines()
    for n in [
        n
        for n, fault in chosen.items()
        if any(line.startswith(shown(fault) + ": ") for line in listed)
    ]:
        say(n, "changes no answer")
        del chosen[n]
    switch, text = asked.build / "fault_switch.h", SWITCH % len(every)
    if (
        not switch.exists() or switch.read_text() != text
    ):  # everything is compiled again when it changes
        switch.write_text(text)
    flags = re.search(r"^CMAKE_C_FLAGS:\w+=(.*)$", cache, flags=re.M)[1]
    if "fault_switch.h" not in flags:
        run(
            [
                "cmake",
                f"-DCMAKE_C_FLAGS={flags} -include {asked.build}/fault_switch.h",
                str(asked.build),
            ],
            check=True,
        )
    tests = list(listed_tests(asked.build, asked.tests))
    bad = build_all(asked.build, root, chosen, tests)
    for n in bad:
        say(n, "compiler")
        del chosen[n]
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        tests = sorted(pool.map(measured, tests), key=lambda t: t.seconds)
    for test in tests:
        print(
            f"{test.name}: {test.seconds:.1f} s, reaches {len(test.reached & set(chosen))}",
            flush=True,
        )
    seen = collections.defaultdict(collections.Counter)

    def try_fault(n):
        began, name = time.monotonic(), chosen[n].name
        for test in sorted((t for t in tests if n in t.reached), key=lambda t: -seen[name][t.name]):
            if not passes(test, n, 30 + 10 * test.seconds):
                seen[name][test.name] += 1
                return test.name, time.monotonic() - began
        return "SURVIVED", time.monotonic() - began

    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        running = {pool.submit(try_fault, n): n for n in chosen}
        for done in concurrent.futures.as_completed(running):
            by, seconds = done.result()
            say(running[done], by, f" ({seconds:.0f} s)")
    for by, count in total.most_common():
        print(f"{count} {by}")
    counted = total.total() - total["compiler"] - total["changes no answer"]
    print(f"{counted - total['SURVIVED']} of {counted} noticed")
    return 0 if counted > 0 and total["SURVIVED"] <= 0.05 * counted else 1


if __name__ == "__main__":
    sys.exit(main())
