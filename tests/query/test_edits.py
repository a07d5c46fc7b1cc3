"""Edited queries: only what was edited changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from antecede import Query, UsageError
from antecede.query.edits import edit_query

QUERY = Query(("b", "a", "c"), np.array([3.0, 2.0, 1.0]), "en", counts=(3, 2, 1), df=(30, 20, 10), topic="t")
INDEX = cast(
    "Any",
    SimpleNamespace(
        statistics=lambda _: SimpleNamespace(
            frequencies=lambda terms: SimpleNamespace(documents=np.full(len(terms), 7))
        )
    ),
)


def test_only_what_was_edited_changes() -> None:
    found = edit_query(INDEX, QUERY, {"a": 9.0, "c": 0.0, "z": 5.0})
    assert found.terms == ("z", "b", "a")
    assert found.weights.tolist() == [5.0, 3.0, 9.0]
    assert (found.counts, found.df, found.topic) == ((0, 3, 2), (7, 30, 20), "t")
    assert edit_query(INDEX, QUERY, {}) == QUERY
    assert edit_query(INDEX, QUERY, {"not there": 0.0}) == QUERY


def test_weights_that_mean_nothing_are_refused() -> None:
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="weight"):
            edit_query(INDEX, QUERY, {"a": weight})
    with pytest.raises(UsageError, match="no term"):
        edit_query(INDEX, QUERY, dict.fromkeys("abc", 0.0))
