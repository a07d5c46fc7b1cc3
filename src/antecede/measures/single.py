"""One run, one topic, by hand: for worked examples, teaching and quick checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.measures.parse import parse_measure
from antecede.measures.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence


def score(
    measure: str,
    found: Sequence[int],
    relevant: int | None = None,
    *,
    grades: Sequence[int] | None = None,
    nonrelevant: Sequence[int] = (),
    unfound_nonrelevant: int = 0,
    retrieved: int | None = None,
) -> float:
    """A measure for one ranking: relevant documents stand at the ranks `found`, `relevant` is how many there are.

    `grades` are the relevance of all relevant documents, found ones first (1 each if not given). `nonrelevant` are the
    ranks of documents judged not relevant, `unfound_nonrelevant` how many more were judged so. `retrieved` is the
    length of the list, by default the deepest rank that is named.

    >>> score("PRES@100", found=[1, 98, 99, 100], relevant=4)
    0.28
    """
    n = len(found) if relevant is None else relevant
    if n < len(found) or (grades is not None and len(grades) != n):
        raise UsageError(f"{len(found)} found and {n} relevant documents do not fit together")
    named = [*found, *nonrelevant]
    if len({*named}) < len(named) or min(named, default=1) < 1:
        raise UsageError("ranks start at 1, and two documents cannot share one")
    ranks = [*found, *[0] * (n - len(found)), *nonrelevant, *[0] * unfound_nonrelevant]
    relevance = [*(grades or [1] * n), *[0] * (len(ranks) - n)]
    length = max(named, default=0) if retrieved is None else retrieved
    table = Ranks(
        np.array([ranks], np.int32),
        np.array(relevance, np.int32),
        np.array([0, len(ranks)]),
        np.array([[length]], np.int32),
    )
    bound = parse_measure(measure)
    return round(float(bound.aggregate(bound.score(table))[0]), 12)
