"""Rankings made into one, against the same worked out with dictionaries."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.engine import Hits
from antecede.errors import UsageError
from antecede.fusion import FUSIONS
from antecede.search.hits import fuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES = [(part, number) for number in range(10) for part in (1, 0)]
"""A document is (part, number), in an order that is not that of the names."""


class Named:
    """What fusing needs of an index: names, and their order."""

    def names(self, numbers: NDArray[np.int64]) -> list[str]:
        return [f"{'ab'[part]}{number}" for part, number in map(PLACES.__getitem__, numbers.tolist())]

    def name_ranks(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = sorted(self.names(numbers))
        return np.array([ranks.index(name) for name in self.names(numbers)], np.int64)


ENGINE: Any = Named()


def hits_of(ranking: dict[tuple[int, int], float], language: str = "en") -> Hits:
    """Hits, best first."""
    order = sorted(ranking, key=lambda place: -ranking[place])
    scores = np.array([ranking[place] for place in order], np.float32)
    return Hits(np.array([*map(PLACES.index, order)], np.int64), scores, language)


def names_of(hits: Hits) -> list[str]:
    return [*ENGINE.names(hits.numbers)]


def plainly(name: str, rankings: list[dict[tuple[int, int], float]]) -> dict[str, float]:
    votes: dict[str, list[float]] = defaultdict(list)
    for ranking in rankings:
        order = sorted(ranking, key=lambda place: -ranking[place])
        low, high = (min(ranking.values()), max(ranking.values())) if ranking else (0, 0)
        for rank, place in enumerate(order, 1):
            scaled = (ranking[place] - low) / (high - low) if high > low else 1.0
            votes[f"{'ab'[place[0]]}{place[1]}"].append(1 / (60 + rank) if name == "rrf" else scaled)
    return {doc: sum(each) * (len(each) if name == "combmnz" else 1) for doc, each in votes.items()}


documents = st.tuples(st.integers(0, 1), st.integers(0, 9))
rankings = st.lists(
    st.dictionaries(documents, st.integers(1, 1000).map(float), max_size=12).map(
        lambda each: {place: score + at / 64 for at, (place, score) in enumerate(each.items())}
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("name", ["rrf", "combsum", "combmnz"])
@given(given=rankings, k=st.integers(1, 30))
def test_each_way_adds_up_what_it_says(name: str, given: list[dict[tuple[int, int], float]], k: int) -> None:
    fused = fuse(ENGINE, name, [hits_of(each) for each in given], k)
    expected = plainly(name, given)
    assert len(fused) == min(k, len(expected))
    assert fused.scores.tolist() == pytest.approx(sorted(expected.values(), reverse=True)[:k], rel=1e-6, abs=1e-6)
    for doc, score in zip(names_of(fused), fused.scores.tolist(), strict=True):
        assert expected[doc] == pytest.approx(score, rel=1e-6, abs=1e-6)


def test_equal_sums_stand_in_the_order_of_their_names() -> None:
    one, other = hits_of({(1, 2): 2.0, (0, 7): 1.0}), hits_of({(0, 7): 2.0, (1, 2): 1.0})
    assert names_of(fuse(ENGINE, "rrf", [one, other])) == ["a7", "b2"]


def test_one_ranking_keeps_its_order() -> None:
    only = hits_of({(0, 1): 3.0, (1, 1): 2.0, (0, 2): 1.0})
    for name in FUSIONS:
        assert names_of(fuse(ENGINE, name, [only])) == names_of(only)


def test_what_cannot_be_fused_is_said() -> None:
    with pytest.raises(UsageError, match="unknown fusion 'sum'; available: rrf, combsum, combmnz"):
        fuse(ENGINE, "sum", [hits_of({})])
    with pytest.raises(UsageError, match="no ranking to fuse"):
        fuse(ENGINE, "rrf", [])
    with pytest.raises(UsageError, match="different languages"):
        fuse(ENGINE, "rrf", [hits_of({(0, 1): 1.0}), hits_of({}, "de")])
