"""Terms in the order of their bytes, and those of many parts as one vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.index.codec import decode_numbers
from antecede.index.terms import arrange_terms, decode_terms, front_code, sort_terms
from antecede.text.vocabulary import Arena, GrowingVocabulary

letters = st.text(st.sampled_from("abcxyzäßλ漢"), min_size=1, max_size=40)
terms = st.lists(letters, unique=True, max_size=40).map(lambda found: [each.encode() for each in found])


def back(whole: Arena) -> list[bytes]:
    return [text.encode() for text in whole.texts()]


@given(terms, st.data())
def test_terms_or_some_of_them_are_sorted_by_their_bytes(found: list[bytes], chance: st.DataObject) -> None:
    whole = Arena.join(found)
    assert back(arrange_terms(whole, sort_terms(whole))) == sorted(found)
    some = [at for at in range(len(found)) if chance.draw(st.booleans())]
    order = sort_terms(whole, np.array(some, np.int64))
    assert back(arrange_terms(whole, order)) == sorted(found[at] for at in some)


@given(terms)
def test_sorted_terms_come_back_from_what_each_has_of_its_own(found: list[bytes]) -> None:
    ends, sizes = front_code(Arena.join(sorted(found)))
    read = decode_numbers(sizes, 2)
    assert read is not None
    whole = decode_terms(ends, read)
    assert whole is not None
    assert back(whole) == sorted(found)
    assert len(ends) <= sum(map(len, found))


@pytest.mark.parametrize("sizes", [[(1, 3)], [(0, 2), (3, 1)], [(0, 2)], [(0, 4)]])
def test_terms_that_do_not_fit_are_refused(sizes: list[tuple[int, int]]) -> None:
    assert decode_terms(np.frombuffer(b"abc", np.uint8), np.array(sizes, np.uint64)) is None


def test_terms_that_begin_alike_for_long() -> None:
    found = [b"a" * length + end for length in (0, 7, 8, 9, 15, 16, 17, 64) for end in (b"b", b"c", b"bb")]
    whole = Arena.join(found[::-1])
    assert back(arrange_terms(whole, sort_terms(whole))) == sorted(found)


@given(st.lists(st.tuples(terms, st.randoms()), max_size=5))
def test_a_term_has_one_number_whatever_part_it_comes_from(parts: list[tuple[list[bytes], object]]) -> None:
    vocabulary = GrowingVocabulary()
    seen: dict[bytes, int] = {}
    for found, _ in parts:
        used = np.array([len(each) % 5 != 0 for each in found], np.bool_)
        data, ptr = Arena.join(found)
        numbers = vocabulary.number(data, ptr[:-1].copy(), np.where(used, ptr[1:], ptr[:-1])).tolist()
        for term, number, wanted in zip(found, numbers, used.tolist(), strict=True):
            assert number == (seen.setdefault(term, len(seen)) if wanted else -1)
    assert back(vocabulary.terms()) == list(seen)
