"""Rows of a list of results: one per family, or one per document."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.review.searches import ResultRows


@given(st.lists(st.integers(-9, 9), max_size=40))
def test_a_row_per_family_in_the_order_of_its_best_document(families: list[int]) -> None:
    groups: dict[int, list[int]] = {}
    for rank, family in enumerate(families, 1):
        groups.setdefault(family, []).append(rank)
    rows = ResultRows.of_families(np.array(families, np.int64))
    assert [rows[row] for row in range(len(rows))] == [*groups.values()]
    assert rows.first.tolist() == [ranks[0] for ranks in groups.values()]


def test_a_row_per_document() -> None:
    rows = ResultRows.of_documents(3)
    assert [rows[row] for row in range(len(rows))] == [[1], [2], [3]]
