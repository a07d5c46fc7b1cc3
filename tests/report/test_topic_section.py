"""The data of topics inside a report: unpacked, it is what the rank table and the scores hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.report.html import render_report
from antecede.report.input_sections import describe_record
from antecede.report.results import Results
from antecede.report.topic_section import (
    MAX_TERMS,
    MIN_TERMS,
    TERM_BUDGET,
    limit_terms,
    link_document,
    list_documents,
    pack,
)
from tests.report.sample_reports import part, stand_ins, tree, unpacked, whole, without_relevant, written


@pytest.fixture(scope="module")
def root() -> Any:
    return tree(written(whole()))


def test_the_list_names_runs_topics_and_the_two_to_compare(root: Any) -> None:
    english = whole().parts[0]
    found = unpacked(root, "en-list")
    assert found["runs"] == list(english.scores.runs)
    assert found["topics"] == list(english.ranks.topics)
    assert found["titles"][:3] == ["Valve with a spring", "Ventil & Feder", ""]
    assert found["relevant"] == english.ranks.relevant_per_topic()[1].tolist()
    assert found["baseline"] == 1
    assert found["best"] == int(np.argmax(english.scores.totals[0])) == found["order"][0]
    assert found["measures"] == ["AP@100", "R@100", "PRES@100"]


def test_scores_unpack_to_those_of_the_evaluation(root: Any) -> None:
    english = whole().parts[0]
    for measure in range(3):
        found = np.array(unpacked(root, f"en-scores-{measure}"), dtype=np.float64) / unpacked(root, "en-list")["steps"]
        np.testing.assert_allclose(found, english.scores.values[measure], atol=5.1e-7, rtol=0)


def test_ranks_unpack_to_those_of_the_table(root: Any) -> None:
    table = whole().parts[0].ranks
    ids = table.doc_ids.to_list()
    block = unpacked(root, "en-topics-0")
    assert len(block["topics"]) == len(table.topics)
    for at, topic in enumerate(block["topics"]):
        first, end = table.ranks.offsets[at : at + 2]
        assert topic["docs"] == ids[first:end]
        assert topic["ranks"] == table.ranks.ranks[:, first:end].tolist()
    assert block["topics"][0]["titles"][0] == "A <b>seal</b>"
    assert "titles" not in block["topics"][1]


def test_patents_have_links_and_other_documents_none() -> None:
    assert link_document("EP-1000000-B1") == [
        "https://worldwide.espacenet.com/patent/search?q=pn%3DEP1000000B1",
        "https://patents.google.com/patent/EP1000000B1/en",
    ]
    assert link_document("FT911-3") is None
    found = replace(part(), titles={"d1": "A seal", "EP1000000": "A valve"})
    assert all("links" not in list_documents(found, topic) for topic in range(len(found.ranks.topics)))


def test_queries_are_kept_once_with_their_weights(root: Any) -> None:
    block = unpacked(root, "en-topics-0")
    topic = block["topics"][0]
    assert topic["query"] == [0, 1, 0, 1]
    terms, weights, count = topic["queries"][0]
    assert [block["words"][term] for term in terms] == ["valve", "spring", "seal"]
    assert weights == [3.14, 2.0, -0.5]
    assert count == 3
    assert "queries" not in block["topics"][3]


def test_left_out_topics_and_those_never_reached_are_told_apart() -> None:
    odd = part("x", measures="GMAP,Effort@100,AP", ranks=without_relevant(), figures=stand_ins())
    root = tree(render_report(Results("Odd", (odd,))))
    assert unpacked(root, "x-list")["measures"] == ["Effort@100", "AP"], "a single topic has no GMAP"
    assert unpacked(root, "x-list")["relevant"][:2] == [0, 0]
    efforts = unpacked(root, "x-scores-0")
    assert [row[:2] for row in efforts] == [[None, None]] * 4
    assert [row[5] == "never" for row in efforts] == [False, False, False, True]
    topics = unpacked(root, "x-topics-0")["topics"]
    assert topics[0]["docs"] == []
    assert [topic["silent"] for topic in topics[4:6]] == [[], [3]]
    assert not any(topics[5]["ranks"][3])


@given(st.integers(0, 10**4), st.integers(0, 10**5))
def test_queries_show_as_many_terms_as_there_is_room_for(runs: int, topics: int) -> None:
    most = limit_terms(runs, topics)
    assert MIN_TERMS <= most <= MAX_TERMS
    assert most == MIN_TERMS or most * runs * topics <= TERM_BUDGET


@given(st.text())
def test_packed_data_is_safe_inside_a_script(text: str) -> None:
    assert set(pack([text])).isdisjoint("<>&\"'")


@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(),
            lambda each: st.lists(each) | st.dictionaries(st.text(), each),
            max_leaves=8,
        ),
    )
)
def test_a_record_of_any_shape_can_be_shown(record: dict[str, Any]) -> None:
    described = describe_record(record) if record else []
    assert len(described) == len(record)
    texts = [
        text for name, inside in described for text in (name, *(inside.split("\n") if isinstance(inside, str) else ()))
    ]
    assert all(text.isprintable() for text in texts)
