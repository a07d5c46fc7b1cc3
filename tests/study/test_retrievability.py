"""Retrievability: Gini and Lorenz equal plain references, and the groups add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.search.retrieval_counts import RetrievalCounts
from antecede.study.retrievability import gini, group_lengths, group_values, lorenz, retrievability


def counted(weights: Any, **other: Any) -> RetrievalCounts:
    """What a search engine reports about five documents."""
    attributes = {"class": ("H04", "H04", None, "G06", "G06"), "language": ("en",) * 5}
    known: dict[str, Any] = {
        "systems": (("tf", "bm25"),),
        "cutoffs": (10,),
        "doc_ids": ("a", "b", "c", "d", "e"),
        "attributes": attributes,
        "lengths": np.array([10, 20, 30, 40, 50]),
        "queries": np.array([4]),
        "topics": 4,
    }
    return RetrievalCounts(weights=weights, **known | other)


def reference_gini(values: Any) -> float:
    """Half the mean absolute difference of two documents, relative to the mean."""
    differences = np.abs(values[:, None] - values[None, :])
    return float(differences.mean() / (2 * values.mean()))


@pytest.mark.parametrize("seed", range(5))
def test_gini_equals_a_plain_reference(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 30, 300).astype(float)
    assert gini(values) == pytest.approx(reference_gini(values), abs=1e-12)
    x, y = lorenz(values)
    assert 1 - 2 * np.trapezoid(y, x) == pytest.approx(reference_gini(values), abs=1e-12)


def test_gini_of_simple_cases() -> None:
    assert gini(np.array([3.0, 3.0, 3.0])) == 0
    assert gini(np.array([0.0, 0.0, 0.0, 8.0])) == pytest.approx(3 / 4)
    assert np.isnan(gini(np.zeros(4)))
    assert gini(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist() == [0.0, 0.5]


def test_the_lorenz_curve_is_that_of_the_documents() -> None:
    x, y = lorenz(np.array([3.0, 1.0, 0.0, 4.0]))
    assert x.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert y.tolist() == [0, 0, 1 / 8, 4 / 8, 1]


def test_documents_never_found_and_groups() -> None:
    found = retrievability(counted(np.array([[[4.0, 0.0, 2.0, 0.0, 4.0]]])))
    assert found.found[0, 0] == pytest.approx(0.6)
    assert found.to_dict()["never"] == ["b", "d"]
    rows = {(row[0], row[1]): row[2:] for row in found.groups_table().rows}
    assert rows["class", "H04"] == pytest.approx((2, 1.0, 1.0, 1.0, 50.0))
    assert rows["class", "unknown"] == pytest.approx((1, 1.0, 1.0, 1.0, 0.0))
    assert rows["language", "en"][:2] == pytest.approx((5, 1.0))
    assert sum(int(group.members.sum()) for group in found.groups if group.attribute == "length") == 5
    assert [row[0] for row in found.never_table().rows] == ["b", "d"]


def test_findability_by_hand() -> None:
    counts = counted(
        np.array([[[1.0] * 5, [1.0] * 5]]),
        cutoffs=(2, 10),
        judged=(("1", "a"), ("2", "a"), ("1", "b")),
        ranks=np.array([[1, 4, 0]]),
    )
    found = retrievability(counts)
    assert found.findability().tolist() == [[pytest.approx((1 / 2 + 0) / 2), pytest.approx((1.25 / 2 + 0) / 2)]]
    assert found.found_relevant().tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]
    with pytest.raises(UsageError, match="judgements="):
        retrievability(counted(counts.weights[:, :1])).findability()


def test_groups_contain_every_document_once() -> None:
    rng = np.random.default_rng(0)
    years = [None if rng.random() < 0.1 else str(1970 + int(rng.integers(0, 50))) for _ in range(500)]
    classes = [f"{letter}{number:02}" for letter in "ABCDEFGH" for number in range(5)] * 12
    for groups in (group_values("year", years), group_values("class", classes), group_lengths(rng.integers(0, 9, 500))):
        assert (np.sum([group.members for group in groups], axis=0) == 1).all()
        assert len({group.name for group in groups}) == len(groups) <= 12
    assert group_values("year", years)[0].name == "1970–79"
    assert [group.name for group in group_lengths(np.full(7, 3))] == ["3"]


def test_nothing_searched_is_a_clear_error() -> None:
    counts = counted(np.zeros((1, 1, 5)), queries=np.array([0]), failed={"none of its 3 terms is in the index": 4})
    with pytest.raises(UsageError, match="no query could be searched: none of its 3 terms is in the index"):
        retrievability(counts)
