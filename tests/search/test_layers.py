"""Impact layers: made once for each term, whatever the order of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.ranking.models import CollectionFacts, Postings, parse_model
from antecede.search.layers import DENSE, Layer, TermCache, split_sizes
from tests.search.worlds import EVERY_MODEL, VOCABULARY, Document, collections, memory_index

if TYPE_CHECKING:
    import pytest


@given(
    segments=collections,
    asked=st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=9), max_size=6),
    model=st.sampled_from(EVERY_MODEL),
)
def test_postings_stand_where_the_layer_says(
    segments: list[list[Document]], asked: list[list[str]], model: str
) -> None:
    index = memory_index(*segments)
    statistics, matrix = index.statistics("en"), index.matrices("en")[0][1]
    layer = Layer(matrix, parse_model(model), statistics)
    facts = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
    for terms in asked:
        here = [term for term in terms if matrix.find([term])[0] >= 0 and statistics.frequencies([term]).documents[0]]
        numbers, often = matrix.find(here), statistics.frequencies(here)
        layer.locate(numbers, often.documents, often.occurrences)
        for number, df, cf in zip(numbers, often.documents, often.occurrences, strict=True):
            lists = matrix.postings_of(np.array([number]))
            given_ = (lists.counts, matrix.lengths[lists.items], np.array([df]), np.array([cf]))
            counts, lengths, dfs, cfs = (np.asarray(each, np.float64) for each in given_)
            wanted = layer.model.impacts(Postings(counts, lengths, dfs, cfs), facts)
            worth = {row: layer.impacts_of_row(np.array([number]), row) for row in range(matrix.rows)}
            assert [row for row, (met, _) in worth.items() if met[0]] == lists.items.tolist()
            assert [worth[row][1][0] for row in lists.items.tolist()] == wanted.tolist()
    numbers = np.array(sorted({int(matrix.find([term])[0]) for terms in asked for term in terms} - {-1}), np.int64)
    numbers = numbers[layer.starts[numbers] >= 0]
    slotted = layer.slots[numbers] >= 0
    assert layer.used == matrix.df[numbers[~slotted]].sum()
    assert layer.used_slots == slotted.sum()
    assert (matrix.df[numbers[slotted]] >= DENSE * matrix.rows).all()


@given(sizes=st.lists(st.integers(0, 30), max_size=30), most=st.integers(1, 40))
def test_portions_cover_all_and_stay_small(sizes: list[int], most: int) -> None:
    found = split_sizes(np.array(sizes, np.int64), most)
    assert [at for each in found for at in range(each.start, each.stop)] == list(range(len(sizes)))
    assert all(each.stop - each.start == 1 or sum(sizes[each]) <= most for each in found)


@given(segments=collections, asked=st.lists(st.lists(st.sampled_from([*VOCABULARY, "none"]), max_size=9), max_size=6))
def test_a_term_cache_tells_what_the_statistics_do(segments: list[list[Document]], asked: list[list[str]]) -> None:
    index = memory_index(*segments)
    statistics = index.statistics("en")
    cache = TermCache(statistics)
    for terms in asked:
        df, cf, *numbers = cache.look_up(terms)
        often = statistics.frequencies(terms)
        assert df.tolist() == often.documents.tolist()
        assert cf.tolist() == often.occurrences.tolist()
        for (_, matrix), found in zip(index.matrices("en"), numbers, strict=True):
            assert found.tolist() == matrix.find(terms).tolist()


def test_a_term_cache_grows_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.search.layers.MAX_TERMS", 3000)
    words = [f"w{number}" for number in range(5000)]
    index = memory_index([Document("EP1", tuple(words))])
    cache = TermCache(index.statistics("en"))
    for start in range(0, 5000, 700):
        part = words[start : start + 700]
        assert cache.look_up(part)[2].tolist() == index.matrices("en")[0][1].find(part).tolist()
    assert cache.look_up(words)[0].tolist() == [1] * 5000
