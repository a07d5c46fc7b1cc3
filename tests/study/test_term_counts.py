"""Scores over the number of terms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from antecede.errors import UsageError
from antecede.study.term_counts import term_counts

QRELS = {"t": {"a": 1, "b": 1}}


def found(method: str, terms: int) -> dict[str, dict[str, float]]:
    """The first method finds one document more with two terms, the second never finds any."""
    if method == "good":
        return {"t": {"a": 3.0, "x": 2.0, **({"b": 2.5} if terms >= 2 else {})}}
    return {"t": {"x": 1.0}}


def test_a_score_for_each_measure_method_and_number() -> None:
    told: list[tuple[int, int]] = []
    how: Any = {"measures": ["AP", "R@2"], "progress": lambda *each: told.append(each)}
    result = term_counts(QRELS, found, ["good", "bad"], at=[3, 1, 2], **how)
    assert told == [(done, 6) for done in range(1, 7)]
    assert result.at == (1, 2, 3)
    assert result.scores.tolist() == [[[0.5, 1, 1], [0, 0, 0]], [[0.5, 1, 1], [0, 0, 0]]]
    assert [result.sufficient_terms(0, 0), result.sufficient_terms(0, 1)] == [2, 1]
    table = result.table()
    assert table.columns == ("measure", "method", "1", "2", "3", "enough")
    assert table.rows[0] == ("AP", "good", 0.5, 1.0, 1.0, 2)
    assert {column for row, column in table.best if row == 0} == {3, 4}
    whole = result.to_dict()
    json.dumps(whole)
    assert whole["methods"][0]["scores"]["R@2"] == {"1": 0.5, "2": 1.0, "3": 1.0}


def test_what_cannot_be_swept_is_said() -> None:
    with pytest.raises(UsageError, match="1 or more"):
        term_counts(QRELS, found, ["good"], at=[0, 5])
    with pytest.raises(UsageError, match="no query method"):
        term_counts(QRELS, found, [])
