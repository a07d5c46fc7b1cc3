"""ByteTexts as places in bytes are the texts they stand for: equal, in order and told apart as those are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.trec.rows import HASHED, LONG, ByteTexts

texts = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from("ab\0é"), max_size=4),
    st.sampled_from(["x" * 15, "x" * 16, "x" * 17, "x" * 32, "x" * 33, "x" * 127, "x" * 127 + "y", "x" * 3000]),
)
many = st.lists(texts, min_size=1, max_size=20)


@given(given_texts=many, around=st.binary(max_size=20))
def test_equal_texts_have_equal_hashes_wherever_they_stand(given_texts: list[str], around: bytes) -> None:
    there = ByteTexts.from_list(given_texts)
    data = around + b"".join(text.encode() + around for text in given_texts)
    begins = np.cumsum([0, *(len(text.encode()) + len(around) for text in given_texts[:-1])]) + len(around)
    here = ByteTexts(data, begins, there.length)
    assert here.hashes.tolist() == there.hashes.tolist()
    one_by_one = [int(ByteTexts.from_list([text]).hashes[0]) for text in given_texts]
    assert one_by_one == there.hashes.tolist()


@pytest.mark.slow
def test_other_texts_have_other_hashes() -> None:
    # As many as a large run has, as alike as ids are; of all 64 bits and of the upper ones that tables rely on.
    ids = [f"EP-{number:07d}{kind}" for number in range(60_000) for kind in ("-A1", "-B1", "")]
    ids += [f"clueweb09-en0000-00-{number:05d}" for number in range(60_000)] + [str(n) for n in range(60_000)]
    hashes = ByteTexts.from_list(ids).hashes
    assert len(np.unique(hashes)) == len(ids)
    expected = 2**20 * (1 - np.exp(-len(ids) / 2**20))  # how many of 2^20 boxes are hit, if by chance
    for shift in (34, 39, 44):
        boxes = len(np.unique(hashes >> np.uint64(shift) & np.uint64(2**20 - 1)))
        assert boxes > 0.95 * expected


def test_long_texts_share_a_hash_only_beyond_what_is_hashed() -> None:
    begin = "x" * (HASHED - 1)
    hashes = ByteTexts.from_list([begin + "a", begin + "b", begin + "aa", begin + "ab"]).hashes.tolist()
    assert hashes[0] != hashes[1]
    assert hashes[0] == hashes[2] == hashes[3]


@given(
    given_texts=st.lists(texts.filter(lambda text: "\0" not in text and len(text.encode()) <= LONG), min_size=1),
    longer=st.booleans(),
)
def test_they_sort_as_their_bytes_do(given_texts: list[str], longer: bool) -> None:
    given_texts = [*given_texts, *(["x" * (LONG + 1), "x" * 3000] if longer else [])]
    by_key = np.lexsort(ByteTexts.from_list(given_texts).sort_keys()).tolist()
    # A stable sort on both sides: equal texts keep their order.
    assert by_key == sorted(range(len(given_texts)), key=lambda row: given_texts[row].encode())


@given(pairs=st.lists(st.tuples(texts, texts), max_size=20), around=st.binary(max_size=20))
def test_they_are_equal_where_their_texts_are(pairs: list[tuple[str, str]], around: bytes) -> None:
    pairs = [*pairs, *((one, one) for one, _ in pairs)]
    ours, theirs = ByteTexts.from_list([one for one, _ in pairs]), ByteTexts.from_list([other for _, other in pairs])
    moved = ByteTexts(around + theirs.data + around, theirs.begin + len(around), theirs.length)
    expected = [one == other for one, other in pairs]
    rows = np.arange(len(pairs))
    for one, other in ((ours, theirs), (theirs, ours), (ours, moved)):
        assert one.equal(rows, other, rows).tolist() == expected
    assert ours.equal(rows[::-2], moved, rows[::-2]).tolist() == expected[::-2]
