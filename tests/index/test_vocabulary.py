"""Terms in the order of their bytes, and those of many parts as one vocabulary."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.index.arrays import pointers
from antecede.index.vocabulary import Vocabulary, arranged, sorted_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

letters = st.text(st.sampled_from("abcxyzäßλ漢"), min_size=1, max_size=40)
terms = st.lists(letters, unique=True, max_size=40).map(lambda found: [each.encode() for each in found])


def arena(of: list[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return np.frombuffer(b"".join(of), np.uint8), pointers(map(len, of))


def back(whole: NDArray[Any], ptr: NDArray[Any]) -> list[bytes]:
    return [whole[a:b].tobytes() for a, b in pairwise(ptr.tolist())]


@given(terms)
def test_terms_are_sorted_by_their_bytes(found: list[bytes]) -> None:
    whole = arena(found)
    assert back(*arranged(*whole, sorted_terms(*whole))) == sorted(found)


def test_terms_that_begin_alike_for_long() -> None:
    found = [b"a" * length + end for length in (0, 7, 8, 9, 15, 16, 17, 64) for end in (b"b", b"c", b"bb")]
    whole = arena(found[::-1])
    assert back(*arranged(*whole, sorted_terms(*whole))) == sorted(found)


@given(st.lists(st.tuples(terms, st.randoms()), max_size=5))
def test_a_term_has_one_number_whatever_part_it_comes_from(parts: list[tuple[list[bytes], object]]) -> None:
    vocabulary = Vocabulary()
    seen: dict[bytes, int] = {}
    for found, _ in parts:
        used = np.array([len(each) % 5 != 0 for each in found], np.bool_)
        numbers = vocabulary.add(*arena(found), used).tolist()
        for term, number, wanted in zip(found, numbers, used.tolist(), strict=True):
            assert number == (seen.setdefault(term, len(seen)) if wanted else -1)
    assert back(*vocabulary.terms()) == list(seen)


def test_many_terms_outgrow_every_table() -> None:
    vocabulary = Vocabulary()
    found = [f"term{number}".encode() for number in range(30000)]
    for begin in range(0, 30000, 7000):
        part = found[: begin + 7000]
        assert vocabulary.add(*arena(part), np.ones(len(part), np.bool_)).tolist() == list(range(len(part)))
