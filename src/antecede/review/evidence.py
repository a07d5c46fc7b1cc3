"""Which estimates may be shown: those whose intervals held the truth, by simulation, after as much reading.

An interval is a promise. `coverage.json` has the rule, and for each estimator, number of documents read and number
found how often its interval contained the truth on judged collections (`docs/studies/estimators.md`). The terminal, the
page and the search report all ask `choose_estimates`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from antecede.errors import AntecedeError
from antecede.review.estimators import ESTIMATORS, SHIPPED, Estimate, Estimator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.review.reading import Reading

COVERAGE = Path(str(files("antecede.review"))) / "coverage.json"
LEADING = ("calibrated", "general", "audit")
"""The estimate that is shown is that of the first of these that may be; others are shown on request."""
Rates = dict[str, tuple[int, int]]
"""Collection → the intervals that contained the truth, and all intervals."""

__all__ = ["COVERAGE", "SHIPPED", "Evidence", "Rule", "choose_estimates", "explain_silence", "find_cell"]


class Rule(NamedTuple):
    """Where an estimator may be shown."""

    level: float
    """The nominal coverage of its interval."""
    least: float
    """The coverage that it must have reached on every collection."""
    fewest: int
    """The readings of a collection below which its coverage says nothing."""
    read: tuple[int, ...]
    found: tuple[int, ...]
    """The least numbers of documents read and found of each cell."""

    def allows(self, rates: Mapping[str, tuple[int, int]]) -> bool:
        """Whether these frequencies suffice."""
        measured = [held / readings for held, readings in rates.values() if readings >= self.fewest]
        return bool(measured) and min(measured) >= self.least


def find_cell(rule: Rule, read: int, found: int) -> tuple[int, int] | None:
    """The cell of a reading; None where less is read than was ever measured."""
    if read < rule.read[0]:
        return None
    return max(least for least in rule.read if least <= read), max(least for least in rule.found if least <= found)


@cache
def _measured() -> tuple[Rule, dict[str, dict[tuple[int, int], Rates]]]:
    whole = json.loads(COVERAGE.read_bytes())
    rows = whole.pop("estimators")
    rule = Rule(**{**whole, "read": tuple(whole["read"]), "found": tuple(whole["found"])})
    return rule, {name: {(read, found): rates for read, found, rates in cells} for name, cells in rows.items()}


def explain_silence(estimator: Estimator, reading: Reading) -> str:
    """Why an estimate may not be shown; empty where it may."""
    rule, measured = _measured()
    cell = find_cell(rule, reading.read, reading.found)
    if cell is None:
        return f"{rule.read[0]} documents must be read before an estimate can be believed, and {reading.read} are"
    name = estimator.definition.name
    rate = f"(rate={estimator.parameters.get('rate', 'power')})" if name == "poisson" else ""
    rates = measured.get(name + rate, {}).get(cell, {})
    if rule.allows(rates):
        return ""
    measured_on = [
        (held / readings, readings, where) for where, (held, readings) in rates.items() if readings >= rule.fewest
    ]
    if not measured_on:
        return "it was not measured after so much reading with so many finds"
    share, readings, where = min(measured_on)
    return (
        f"after so much reading with so many finds, its interval of {100 * rule.level:g} % contained the truth in "
        f"{100 * share:.0f} % of {readings} readings of {where}"
    )


@dataclass(frozen=True)
class Evidence:
    """What may be said about the number of relevant documents."""

    shown: dict[str, Estimate] = field(default_factory=dict)
    """The one estimate that is shown; empty where none may be."""
    others: dict[str, Estimate] = field(default_factory=dict)
    """Estimates that also hold here, on request."""
    silent: dict[str, str] = field(default_factory=dict)
    """Why other estimators are not shown."""


def choose_estimates(reading: Reading, calibration: str | None = None) -> Evidence:
    """What may be said after a reading, with a calibration of the user's own collection if there is one."""
    evidence = Evidence()
    if reading.complete or not reading.read:
        return evidence
    candidates = usable_estimators(reading, calibration)
    for estimator in candidates:
        reason = explain_silence(estimator, reading)
        try:
            estimate = estimator.estimate(reading) if not reason else None
        except AntecedeError as error:
            reason, estimate = str(error), None
        if estimate is None:
            evidence.silent[str(estimator)] = reason
        elif not evidence.shown and estimator.definition.name in LEADING:
            evidence.shown[str(estimator)] = estimate
        else:
            evidence.others[str(estimator)] = estimate
    return evidence


def usable_estimators(reading: Reading, calibration: str | None = None) -> list[Estimator]:
    """The estimators that need nothing that the reading lacks, the one to be shown first."""
    estimators = [Estimator(ESTIMATORS["calibrated"], {"file": calibration})] if calibration is not None else []
    for definition in ESTIMATORS.values():
        has_needs = definition.needs == "ranking" or getattr(reading, definition.needs, None) is not None
        if has_needs and not any(parameter.required for parameter in definition.parameters):
            estimators.append(Estimator(definition))
    names = [*LEADING, *ESTIMATORS]
    return sorted(estimators, key=lambda estimator: names.index(estimator.definition.name))
