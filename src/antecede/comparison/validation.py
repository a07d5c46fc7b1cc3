"""Checks of the arguments of a comparison; each raises a `UsageError` of one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.errors import UsageError, shown, suggest_names
from antecede.ranges import ALPHA, SAMPLES, SEED, write_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from antecede.comparison.arrays import Floats
    from antecede.evaluation.scores import Scores

Entry = TypeVar("Entry")

Better = Mapping[str, str | None]
"""By measure, which scores are better: `higher` (the default), `lower`, or None for neither."""

DIRECTIONS: Mapping[str, int] = {"higher": 1, "lower": -1}
"""The sign that turns a difference into an advantage."""


def find_entry(entries: Mapping[str, Entry], name: str, kind: str) -> Entry:
    """The entry with this name; the error for an unknown name lists the available ones."""
    if name not in entries:
        hint = suggest_names(name, entries)
        raise UsageError(f"unknown {kind} '{shown(name)}'{hint}; available: {', '.join(entries)}")
    return entries[name]


def check_level(alpha: float) -> None:
    """Refuse a significance level outside (0, 1)."""
    if alpha not in ALPHA:
        raise UsageError(f"alpha must lie between 0 and 1, not {write_number(alpha)}; 0.05 is usual")


def check_count(count: int, kind: str) -> None:
    """Refuse a number of samples that is below 1, or so large that it would take days."""
    SAMPLES.check(count, f"the number of {kind}")


def check_seed(seed: int) -> None:
    """Refuse a negative random seed."""
    SEED.check(seed, "the seed")


def check_runs(runs: Sequence[str]) -> None:
    """Require at least two runs with distinct names."""
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two runs, but got {len(runs)}; add another run")
    repeated = [name for name, count in Counter(runs).items() if count > 1]
    if repeated:
        raise UsageError(f"two runs are named {shown(repeated[0])}; rename one of them")


def check_values(values_by_measure: Mapping[str, Floats], runs: Sequence[str]) -> dict[str, Floats]:
    """The scores of each measure as float64[runs, topics], NaN where a topic is left out; infinity is refused."""
    if not values_by_measure:
        raise UsageError("no measure was given to compare by; give at least one")
    checked = {name: np.asarray(values, dtype=np.float64) for name, values in values_by_measure.items()}
    for name, values in checked.items():
        if values.ndim != 2 or len(values) != len(runs):
            raise UsageError(f"{name}: the scores have shape {values.shape}; expected {len(runs)} runs × topics")
        infinite = np.isinf(values).any(axis=1)
        if infinite.any():
            run = shown(runs[int(infinite.argmax())])
            raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    return checked


def check_totals(totals: Floats, measures: Sequence[object], runs: Sequence[str]) -> None:
    """Refuse infinite totals[measures, …, runs]: the run does not reach the requested recall on some topic."""
    infinite = np.argwhere(np.isinf(totals))
    if len(infinite):
        measure, run = measures[infinite[0][0]], shown(runs[infinite[0][-1]])
        raise UsageError(
            f"{measure}: run {run} does not reach this recall on every topic; set docs=, or choose another measure"
        )


def resolve_directions(measures: Collection[str], better: Better | None) -> dict[str, int]:
    """−1 for a measure where lower scores are better, otherwise +1, also where neither direction is better."""
    given = better or {}
    return {name: find_entry(DIRECTIONS, given.get(name, "higher") or "higher", "direction") for name in measures}


def topic_values(scores: Scores) -> dict[str, Floats]:
    """float64[runs, topics] for each measure of an evaluation; a measure without scores per topic is refused."""
    check_runs(scores.runs)
    whole = next((measure for measure in scores.measures if measure.definition.aggregate_only), None)
    if whole is not None:
        raise UsageError(f"{whole}: is defined for a set of topics only, so it cannot be tested; leave it out")
    values = {str(measure): scores.of(str(measure)) for measure in scores.measures}
    for name, of in values.items():
        endless = np.argwhere(np.isinf(of))
        if len(endless):
            run, topic = shown(scores.runs[endless[0][0]]), shown(scores.topics[endless[0][1]])
            raise UsageError(
                f"{name}: run {run} never reaches this recall on topic {topic}; set docs=, leave the topic out "
                f"(--without-topics {topic}), or choose another measure"
            )
    return values


def better_by_measure(scores: Scores) -> dict[str, str | None]:
    """For each measure of an evaluation, which scores are better."""
    return {str(measure): measure.definition.better for measure in scores.measures}
