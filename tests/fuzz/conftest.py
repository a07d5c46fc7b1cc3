"""The `fuzz` fixture, and a summary of all cases at the end of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fuzz.outcomes import TOTALS, Fuzz

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Fuzz:
    return Fuzz(request.node.nodeid.rpartition("/")[2].removesuffix(".py"))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    if not TOTALS:
        return
    terminalreporter.section("fuzzing")
    for target, outcomes in sorted(TOTALS.items()):
        counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        terminalreporter.write_line(f"{target}: {outcomes.total()} cases: {counted}")
