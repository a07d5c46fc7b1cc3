"""The `fuzz` fixture, and a summary of all cases at the end of the session."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.outcomes import Fuzz

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.terminal import TerminalReporter

PROPERTY = "fuzzing outcomes"


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Iterator[Fuzz]:
    """Draws the cases of a test; the outcomes travel with its report, from whichever process ran it."""
    found = Fuzz(request.node.nodeid.rpartition("/")[2].removesuffix(".py"))
    yield found
    request.node.user_properties.append((PROPERTY, (found.target, dict(found.outcomes))))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    totals: dict[str, Counter[str]] = {}
    for report in (each for reports in terminalreporter.stats.values() for each in reports):
        if getattr(report, "when", None) == "teardown":
            for target, outcomes in (value for name, value in report.user_properties if name == PROPERTY):
                totals.setdefault(target, Counter()).update(outcomes)
    if totals:
        terminalreporter.section("fuzzing")
    for target, outcomes in sorted(totals.items()):
        counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        terminalreporter.write_line(f"{target}: {outcomes.total()} cases: {counted}")
