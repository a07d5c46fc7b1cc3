"""What a comparison may be asked for: each check raises a `UsageError` of one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from antecede.comparison.pairs import Pairs
    from antecede.comparison.ranks import Floats

Entry = TypeVar("Entry")

Better = Mapping[str, str | None]
"""By measure, which scores are better: `higher` (also where nothing is said), `lower`, or None for neither."""

DIRECTIONS: Mapping[str, int] = {"higher": 1, "lower": -1}
"""The sign that turns a difference into an advantage."""


def find(registry: Mapping[str, Entry], name: str, what: str) -> Entry:
    """The entry of that name; an unknown name is answered with those there are."""
    if name not in registry:
        raise UsageError(f"unknown {what} '{shown(name)}'{near(name, registry)}; there are {', '.join(registry)}")
    return registry[name]


def near(name: str, names: Collection[str]) -> str:
    """A suggestion to set behind an unknown name, or nothing."""
    found = get_close_matches(name, list(names), n=3)
    return f" (did you mean {' or '.join(shown(f) for f in found)}?)" if found else ""


def check_level(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"alpha must lie between 0 and 1, not at {alpha:g}; 0.05 is usual")


def check_count(count: int, what: str) -> None:
    if count < 1:
        raise UsageError(f"the number of {what} must be at least 1, not {count}")


def check_seed(seed: int) -> None:
    if seed < 0:
        raise UsageError(f"the seed must be 0 or more, not {seed}")


def check_runs(runs: Sequence[str]) -> None:
    """Two runs at least, each with a name of its own."""
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two runs, there {'is 1' if runs else 'are 0'}; name another run")
    twice = [name for name, count in Counter(runs).items() if count > 1]
    if twice:
        raise UsageError(f"two runs are both called {shown(twice[0])}; rename one of them")


def check_values(values_by_measure: Mapping[str, Floats], runs: Sequence[str]) -> dict[str, Floats]:
    """The scores as float64[runs, topics], one array a measure; NaN where a topic is left out."""
    if not values_by_measure:
        raise UsageError("there is no measure to compare by; name at least one")
    checked = {name: np.asarray(values, dtype=np.float64) for name, values in values_by_measure.items()}
    for name, values in checked.items():
        if values.ndim != 2 or len(values) != len(runs):
            raise UsageError(f"{name}: the scores have shape {values.shape}, needed are {len(runs)} runs × topics")
        endless = np.isinf(values).any(axis=1)
        if endless.any():
            run = shown(runs[int(endless.argmax())])
            raise UsageError(f"{name}: run {run} has an infinite score; leave its topic out, or choose another measure")
    return checked


def check_topics(measure: str, differences: Floats, pairs: Pairs, runs: Sequence[str]) -> None:
    """Every pair must share two topics, or there is no spread to test against."""
    shared = np.count_nonzero(~np.isnan(differences), axis=1)
    if shared.size and shared.min() < 2:
        worst = int(shared.argmin())
        first, second = (shown(runs[int(side[worst])]) for side in (pairs.first, pairs.second))
        topics = f"{shared[worst]} topic{'' if shared[worst] == 1 else 's'}"
        raise UsageError(f"{measure}: runs {first} and {second} have {topics} in common; a paired test needs two")


def directions(measures: Collection[str], better: Better | None) -> dict[str, int]:
    """−1 for a measure where less is better, else +1: where neither is, more counts as ahead."""
    said = better or {}
    return {name: find(DIRECTIONS, said.get(name, "higher") or "higher", "direction") for name in measures}
