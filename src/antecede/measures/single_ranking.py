"""The score of a single ranking given by hand: for worked examples, teaching and quick checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.measures.names import parse_measure
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
    """Score a single ranking, given by the ranks of its relevant documents.

    Args:
        measure: The measure, such as `PRES@100`.
        found: The ranks of the relevant documents that were retrieved.
        relevant: The number of relevant documents, retrieved or not; by default all were retrieved.
        grades: The grades of all relevant documents, those retrieved first; 1 by default.
        nonrelevant: The ranks of the documents judged not relevant.
        unfound_nonrelevant: The number of documents judged not relevant that were not retrieved.
        retrieved: The length of the list; by default the deepest rank given.

    >>> score("PRES@100", found=[1, 98, 99, 100], relevant=4)
    0.28
    """
    n = len(found) if relevant is None else relevant
    if n < len(found) or (grades is not None and len(grades) != n):
        raise UsageError(f"{len(found)} documents found, {n} relevant and the number of grades are inconsistent")
    given = [*found, *nonrelevant]
    if len({*given}) < len(given) or min(given, default=1) < 1:
        raise UsageError("ranks start at 1, and two documents cannot share one")
    ranks = [*found, *[0] * (n - len(found)), *nonrelevant, *[0] * unfound_nonrelevant]
    relevance = [*(grades or [1] * n), *[0] * (len(ranks) - n)]
    length = max(given, default=0) if retrieved is None else retrieved
    table = Ranks(
        np.array([ranks], np.int32),
        np.array(relevance, np.int32),
        np.array([0, len(ranks)]),
        np.array([[length]], np.int32),
    )
    bound = parse_measure(measure)
    return float(bound.aggregate(bound.score(table))[0])
