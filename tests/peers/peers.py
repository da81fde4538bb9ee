"""A plugin of pytest's: the test suite of another package, with a tree of gpuvoronoi in place of the package's own.

    python3 -m pytest -p peers --peer NAME --pyargs MODULE ...

expected/NAME.txt lists what fails, and is checked both ways: a test fails if it fails and is not listed, if it is listed and passes, or if it fails
otherwise than listed; a row that is about no test is an error. Format:

    versions 1.2.3 2.0.1
    # why the tests below fail
    TEST: TEXT
    only 2.0.1
    TEST: TEXT

TEST is a test's name (* stands for anything), TEXT a part of its failure. The versions are the package's: of another one everything is skipped.
Rows below "only" are of that version.
"""

import importlib
import pathlib
import re

import pytest

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected"


def pytest_addoption(parser):
    parser.addoption(
        "--peer", required=True, choices=sorted(path.stem for path in EXPECTED.glob("*.txt"))
    )


class Rows:
    """What is expected to fail."""

    def __init__(self, path, version):
        self.path, self.versions, self.rows, self.used = path, [], [], set()
        reason, only = "", version
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("versions "):
                self.versions = line.split()[1:]
            elif line.startswith("only "):
                reason, only = "", line.split()[1]
                if only not in self.versions:
                    raise pytest.UsageError(f"{path}:{number}: {only} is not among the versions")
            elif line.startswith("#"):
                reason = line.lstrip("# ")
            elif line:
                name, colon, text = line.partition(": ")
                if not (colon and reason):
                    raise pytest.UsageError(
                        f"{path}:{number}: invalid row; expected 'TEST: TEXT' below a reason"
                    )
                if only == version:
                    test = re.compile(".*".join(map(re.escape, name.split("*"))))
                    self.rows.append((test, text, reason, line))

    def row_of(self, name):
        found = [row for row in self.rows if row[0].fullmatch(name)]
        self.used.update(row[3] for row in found)
        if len(found) > 1:
            raise pytest.UsageError(f"{self.path}: {len(found)} rows for {name}; keep one")
        return found[0] if found else None

    def unused(self):
        return [row[3] for row in self.rows if row[3] not in self.used]


def name_of(item):
    return item.nodeid.partition("::")[2]


def pytest_configure(config):
    peer = config.getoption("--peer")
    try:
        import adapters

        version = adapters.ADAPTERS[peer]()
    except ImportError as error:
        pytest.exit(f"skipped: {error}", returncode=77)
    config.peer_rows = rows = Rows(EXPECTED / f"{peer}.txt", version)
    if version not in rows.versions:
        of = ", ".join(rows.versions)
        pytest.exit(f"skipped: {peer} is {version}, the list is of {of}", returncode=77)
    importlib.invalidate_caches()


def pytest_collection_modifyitems(config, items):
    for item in items:
        item.peer_row = config.peer_rows.row_of(name_of(item))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    row = item.peer_row
    if row is None or report.skipped:
        return
    if report.failed and row[1] in report.longreprtext:
        report.outcome, report.wasxfail = "skipped", row[2]
    elif report.failed:
        report.longrepr = f"{report.longreprtext}\nExpected a failure with: {row[1]}"
    elif report.when == "call":
        report.outcome, report.longrepr = "failed", f"passes, but is listed: {row[3]}"


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    unused = session.config.peer_rows.unused()
    for row in unused:
        print(f"\n{session.config.peer_rows.path.name}: no such test: {row}")
    if unused and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
