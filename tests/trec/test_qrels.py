"""Qrels: sorted by topic and document, each pair judged once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import DuplicateDocumentError, MalformedInputError, Policies, Qrels, read_qrels
from antecede.trec.qrels import sort_topics

if TYPE_CHECKING:
    from pathlib import Path

judged = st.dictionaries(
    st.tuples(st.sampled_from(["2", "10", "007", "7"]), st.sampled_from(["a", "b", "é", "z", "B"])),
    st.integers(-2, 3),
    min_size=1,
)


def read_text(folder: Path, text: str, **policies: str) -> Qrels:
    (folder / "qrels").write_text(text, encoding="utf-8")
    return read_qrels(folder / "qrels", Policies(**policies))  # type: ignore[arg-type]


@given(pairs=judged)
def test_pairs_are_sorted_by_topic_and_document(
    tmp_path_factory: pytest.TempPathFactory, pairs: dict[tuple[str, str], int]
) -> None:
    text = "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in pairs.items())
    qrels = read_text(tmp_path_factory.mktemp("qrels"), text)
    expected = sorted(pairs.items(), key=lambda item: (int(item[0][0]), item[0][0], item[0][1].encode()))
    assert qrels.to_polars().rows() == [(topic, doc, grade) for (topic, doc), grade in expected]
    assert qrels.topics == tuple(dict.fromkeys(topic for (topic, _), _ in expected))
    assert np.diff(qrels.offsets).sum() == len(qrels) == len(pairs)
    for at, topic in enumerate(qrels.topics):
        own = qrels.doc_ids[int(qrels.offsets[at]) : int(qrels.offsets[at + 1])].to_list()
        assert own == [doc for (of, doc), _ in expected if of == topic]


def test_topics_are_in_the_order_of_numbers_where_all_are_numbers() -> None:
    assert sort_topics(("10", "9", "100")) == ["9", "10", "100"]
    assert sort_topics(("10", "9", "PA-1")) == ["10", "9", "PA-1"]
    assert sort_topics(("0010", "9", "010")) == ["9", "0010", "010"]
    # Longer than Python turns into a number.
    assert sort_topics(("9" * 5000, "1" + "0" * 5000, "5")) == ["5", "9" * 5000, "1" + "0" * 5000]


def test_a_fifth_column_may_stand_on_some_lines(tmp_path: Path) -> None:
    qrels = read_text(tmp_path, "1 0 a 1 0.5\n1 0 b 0\n2 0 a 2 note\n")
    assert qrels.to_polars().rows() == [("1", "a", 1), ("1", "b", 0), ("2", "a", 2)]
    with pytest.raises(MalformedInputError, match="line 2: 6 columns where qrels has 4"):
        read_text(tmp_path, "1 0 a 1 0.5\n1 0 b 0 x y\n")


TWICE = "1 0 a 1\n2 0 a 1\n1 0 b 0\n1 0 a 2\n"


def test_a_pair_judged_twice_is_refused_or_counts_once(tmp_path: Path) -> None:
    said = r"line 4, topic 1, document a: appears twice \(first on line 1\)"
    for duplicates in ("error", "keep"):
        with pytest.raises(DuplicateDocumentError, match=said):
            read_text(tmp_path, TWICE, duplicates=duplicates)
    for duplicates, grade in (("first", 1), ("last", 2)):
        qrels = read_text(tmp_path, TWICE, duplicates=duplicates)
        assert qrels.to_polars().rows() == [("1", "a", grade), ("1", "b", 0), ("2", "a", 1)]
        assert qrels.odd["duplicates"] == 1
