"""The keys that rows are matched by, and the order of ids: those of the texts, in every form that texts take."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.trec.rows import RowTopics, hash_pairs

texts = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from("ab\0é"), max_size=4),
    st.sampled_from(["x" * 12, "x" * 13, "x" * 127, "x" * 127 + "y", "x" * 3000]),
)


def keys_of(topics: list[str], docs: list[str]) -> list[int]:
    keys: list[int] = hash_pairs(RowTopics.from_column(pl.Series(topics)), pl.Series(docs)).tolist()
    return keys


@given(pairs=st.lists(st.tuples(texts, texts), min_size=1, max_size=20))
def test_equal_pairs_have_equal_keys_whatever_stands_beside_them(pairs: list[tuple[str, str]]) -> None:
    keys = keys_of(*map(list, zip(*pairs, strict=True)))
    assert keys == [keys_of([topic], [doc])[0] for topic, doc in pairs]


@pytest.mark.slow
def test_other_documents_have_other_keys() -> None:
    # As many as a large run has, as alike as ids are; of all 64 bits and of the upper ones that tables rely on.
    ids = [f"EP-{number:07d}{kind}" for number in range(60_000) for kind in ("-A1", "-B1", "")]
    ids += [f"clueweb09-en0000-00-{number:05d}" for number in range(60_000)] + [str(n) for n in range(60_000)]
    keys = np.array(keys_of(["1"] * len(ids), ids), np.uint64)
    assert len(np.unique(keys)) == len(ids)
    expected = 2**20 * (1 - np.exp(-len(ids) / 2**20))  # how many of 2^20 boxes are hit, if by chance
    for shift in (34, 39, 44):
        boxes = len(np.unique(keys >> np.uint64(shift) & np.uint64(2**20 - 1)))
        assert boxes > 0.95 * expected


@given(ids=st.lists(texts, min_size=1))
def test_ids_are_ordered_as_their_bytes_are(ids: list[str]) -> None:
    places = {text: place for place, text in enumerate(sorted({text.encode() for text in ids}), 1)}
    assert pl.Series(ids).rank("dense").to_list() == [places[text.encode()] for text in ids]
