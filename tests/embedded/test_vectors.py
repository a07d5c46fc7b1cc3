"""Sums over the terms of candidates: the same bits, however they are cut and wherever a candidate is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.conditions.values import name_key
from antecede.embedded.selection import MaskSelection
from antecede.embedded.vectors import RowCache
from antecede.index import documents as store
from antecede.ranking.evidence import Candidates
from antecede.search import rank
from antecede.term_matches import TermMatches
from tests.ranking.worlds import DOCUMENTS, EVERY_FEATURE, name_of

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine

TERMS = 40


@pytest.fixture
def matches() -> TermMatches:
    random = np.random.default_rng(5)
    sizes = random.integers(0, TERMS, 30)
    sizes[[0, 7, 29]] = 0
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    terms = np.concatenate([np.sort(random.permutation(TERMS)[:size]) for size in sizes]).astype(np.int32)
    counts = random.integers(1, 2000, len(terms)).astype(np.uint32)
    return TermMatches(random.permutation(30), ptr, terms, counts)


def test_sums_have_the_bits_of_a_plain_sum_in_the_order_of_the_matches(matches: TermMatches) -> None:
    random = np.random.default_rng(6)
    weights = random.random(TERMS)
    owners = np.repeat(matches.documents, np.diff(matches.ptr))
    logarithms = (1 + np.log(matches.counts.astype(np.float64))) * weights[matches.terms]
    with np.errstate(divide="ignore"):  # no match has count 0
        found = matches.add_up(lambda counts: 1 + np.log(counts), weights)
    assert np.array_equal(found, np.bincount(owners, logarithms, 30))


@pytest.mark.parametrize("source", ["index", "added"])
def test_matches_are_those_of_the_documents_in_every_segment(source: str, request: pytest.FixtureRequest) -> None:
    index: EmbeddedEngine = request.getfixturevalue(source)
    matrices = index.matrices("en")
    numbers = np.concatenate(
        [index.numbers_of_rows("en", at, np.arange(matrix.rows)) for at, (_, matrix) in enumerate(matrices)]
    )[::-3]
    names = tuple(sorted({matrix.term(number) for _, matrix in matrices for number in range(0, matrix.terms, 2)}))
    found = index.matches(names, numbers, "en")
    have = {}
    for n, document in enumerate(found.documents.tolist()):
        here = slice(found.ptr[n], found.ptr[n + 1])
        have[document] = {names[term]: count for term, count in zip(found.terms[here], found.counts[here], strict=True)}
    for document, (at, row) in enumerate(zip(*index.locate_rows(numbers, "en"), strict=True)):
        matrix = matrices[at][1]
        vector = matrix.vectors_of(np.array([row]))
        every = {matrix.term(int(number)): count for number, count in zip(vector.items, vector.counts, strict=True)}
        assert have[document] == {name: count for name, count in every.items() if name in names}


def test_applicants_of_many_documents_are_found_as_those_of_few(
    index: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Candidates(index.all_numbers()[::2], index)
    names = ["muller sohne", "nobody", *{key for n in range(DOCUMENTS) for key in index.patent(name_of(n)).applicants}]
    keys = [name_key(name) for name in names]
    few = index.have(pool.numbers, "applicants", keys[:3])
    monkeypatch.setattr(store, "FEW", 1)
    assert few.any()
    assert np.array_equal(few, index.have(pool.numbers, "applicants", keys[:3]))
    wanted = [any(name_key(each) in keys[:3] for each in index.patent(name).applicants) for name in pool.doc_ids]
    assert few.tolist() == wanted


@pytest.mark.parametrize("room", [0, 1, 40, 1 << 20])
def test_vectors_are_kept_as_they_are_decoded_whatever_room_there_is(index: EmbeddedEngine, room: int) -> None:
    matrix = index.matrices("en")[0][1]
    cache = RowCache(matrix)
    cache.items, cache.counts = np.empty(room + 1, np.uint32), np.empty(room + 1, np.uint32)
    random = np.random.default_rng(8)
    for rows in (random.permutation(matrix.rows)[:5], np.arange(matrix.rows)[::-1].copy()):
        found = cache.vectors(rows)
        for n, row in enumerate(rows.tolist()):
            vector, here = matrix.vectors_of(np.array([row])), slice(found.starts[n], found.ends[n])
            assert np.array_equal(found.items[here], vector.items)
            assert np.array_equal(found.counts[here], vector.counts)


@pytest.mark.parametrize("ranking", ["auto", "classic", EVERY_FEATURE])
def test_no_step_of_a_search_changes_the_filters_that_are_kept(index: EmbeddedEngine, ranking: str) -> None:
    rank(index, index.patent(name_of(DOCUMENTS - 1)), ranking=ranking, k=10)
    kept = index.cache["selection"]
    again = MaskSelection(index, kept.filters)
    for segment in index.segments:
        mask, same = kept.mask(segment), again.mask(segment)
        assert mask is not None
        assert same is not None
        assert np.array_equal(mask, same)
