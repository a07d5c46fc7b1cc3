"""Readings: counts, parts, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.review.reading import Reading


def test_counts_and_parts() -> None:
    reading = Reading([True, False, True, False], 10, audited=[0, 1, 0, 0])
    assert (reading.found, reading.read, reading.unread, reading.complete) == (2, 4, 6, False)
    assert reading.finds.tolist() == [1, 3]
    part = reading.up_to(2)
    assert (part.found, part.read, part.documents) == (1, 2, 10)
    assert reading.up_to(99) is reading
    ranked = reading.from_ranking
    assert (ranked.read, ranked.documents, ranked.finds.tolist()) == (3, 9, [1, 2])
    assert "bool[4]" in repr(reading)


def test_an_empty_reading() -> None:
    reading = Reading([], 5)
    assert (reading.found, reading.read, reading.unread) == (0, 0, 5)
    assert reading.finds.tolist() == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relevant": [True] * 3, "documents": 2}, "3 documents are read of 2"),
        ({"relevant": [], "documents": 0}, "documents must be 1 or more, not 0"),
        ({"relevant": [0, 2], "documents": 5}, "relevant must be true or false"),
        ({"relevant": ["yes"], "documents": 5}, "relevant must be true or false"),
        ({"relevant": [[True]], "documents": 5}, "one element per document read"),
        ({"relevant": [True], "documents": 5, "probabilities": [0.0]}, "probabilities must be more than 0"),
        ({"relevant": [True], "documents": 5, "probabilities": [np.nan]}, "probabilities must be more than 0"),
        ({"relevant": [True], "documents": 5, "found_by": [True]}, "found_by must have one element"),
        ({"relevant": [1, 0], "documents": 5, "ranks": [3, 3]}, "two documents cannot share a rank"),
        ({"relevant": [1, 0], "documents": 5, "ranks": [3, -1]}, "ranks must be positive"),
    ],
)
def test_contradictions_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Reading(**given)


def test_inclusion_probabilities_belong_to_the_whole_sample() -> None:
    reading = Reading([True, False], 9, probabilities=[0.5, 0.5])
    assert reading.up_to(2) is reading
    with pytest.raises(UsageError, match="hold for the whole sample"):
        reading.up_to(1)


def test_a_ranking_in_which_everything_was_audited() -> None:
    with pytest.raises(UsageError, match="every document was audited"):
        _ = Reading([True, False], 2, audited=[True, True]).from_ranking
