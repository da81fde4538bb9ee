"""A plugin of pytest's: a run in which every test is skipped ends with 77, a visible skip, rather than as if it had passed."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    stats = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if (
        exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        and stats.get("skipped")
        and not stats.get("passed")
    ):
        session.exitstatus = 77
