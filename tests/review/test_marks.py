"""Marks: what a person decided, as lines of JSON and as qrels, without loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import AntecedeError, InputError
from antecede.review.marks import Mark, Marks, read_marks, read_marks_from_qrels
from antecede.trec import read_qrels

TEXTS = st.text(max_size=20)


@st.composite
def some_marks(draw: st.DrawFn) -> Mark:
    relevance = draw(st.sampled_from(("relevant", "maybe", "not")))
    grades = st.integers(1, 9) if relevance != "not" else st.integers(-2, 0)
    return Mark(
        draw(st.sampled_from(("EP1", "US-2", "d/3", "Ω4", "a%20b"))),
        relevance,
        grade=draw(st.none() | grades),
        category=draw(st.none() | st.sampled_from(("X", "Y,P", "A"))),
        claims=draw(st.sampled_from(("", "1", "1,3-5"))),
        note=draw(TEXTS),
        user=draw(TEXTS),
        time=draw(st.sampled_from(("", "2026-01-02T03:04:05Z"))),
        query=draw(TEXTS),
        rank=draw(st.none() | st.integers(1, 1000)),
        search=draw(st.none() | st.integers(1, 9)),
        title=draw(TEXTS),
    )


@given(st.lists(some_marks(), min_size=1, max_size=8))
def test_marks_survive_json_and_qrels(marks: list[Mark]) -> None:
    from tempfile import TemporaryDirectory

    whole = Marks("T1", marks)
    with TemporaryDirectory() as folder:
        lines = (json.dumps({"topic_id": "T1", **mark.to_dict()}) + "\n" for mark in marks)
        Path(folder, "marks.jsonl").write_text("".join(lines))
        assert read_marks(f"{folder}/marks.jsonl", "T1").log == marks
        whole.write_qrels(f"{folder}/qrels.txt")
        assert {topic: each.log for topic, each in read_marks_from_qrels(f"{folder}/qrels.txt").items()} == {
            "T1": marks
        }
        judged = read_qrels(f"{folder}/qrels.txt").to_polars()
    levels = {doc_id: level for _, doc_id, level in judged.iter_rows()}
    assert levels == {doc_id: 0 if mark.relevance == "maybe" else mark.level for doc_id, mark in whole.current.items()}


def test_qrels_of_other_origin_become_marks_and_qrels_again(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 0\n1 0 c -1\n2 0 a 1\n")
    found = read_marks_from_qrels(tmp_path / "qrels.txt")
    assert [(each.doc_id, each.relevance, each.grade) for each in found["1"]] == [
        ("a", "relevant", 2),
        ("b", "not", 0),
        ("c", "not", -1),
    ]
    found["1"].write_qrels(tmp_path / "again.txt")
    again = read_qrels(tmp_path / "again.txt")
    assert again.relevance.tolist() == [2, 0, -1]


def test_a_relevance_that_was_edited_in_the_qrels_holds(tmp_path: Path) -> None:
    Marks("1", [Mark("a", "relevant", note="x")]).write_qrels(tmp_path / "qrels.txt")
    text = (tmp_path / "qrels.txt").read_text()
    (tmp_path / "qrels.txt").write_text(text.replace(" a 2", " a 0"))
    (mark,) = read_marks_from_qrels(tmp_path / "qrels.txt")["1"]
    assert (mark.relevance, mark.grade, mark.note) == ("not", 0, "x")


def test_the_later_mark_holds_and_the_change_is_known() -> None:
    marks = Marks("1", [Mark("a", "relevant"), Mark("b", "not"), Mark("a", "not"), Mark("b", "not", note="sure")])
    assert (marks.having("relevant"), marks.having("not")) == ([], ["a", "b"])
    assert [(before.relevance, after.relevance) for before, after in marks.changes] == [("relevant", "not")]
    assert len(marks) == 4


@pytest.mark.parametrize(
    "values",
    [
        {"relevance": "perhaps"},
        {"relevance": "not", "grade": 2},
        {"relevance": "relevant", "grade": 0},
        {"relevance": "relevant", "category": "Q"},
        {"relevance": "relevant", "doc_id": ""},
    ],
)
def test_a_mark_that_contradicts_itself_is_refused_in_one_line(values: dict[str, Any]) -> None:
    with pytest.raises(AntecedeError) as error:
        Mark(**{"doc_id": "EP1", **values})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"doc_id": "a"}', '{"doc_id": "a", "relevance": 1}', '{"doc_id": "a", "relevance": "not", "x": 1}'],
)
def test_a_line_that_is_not_a_mark_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "marks.jsonl").write_text('{"topic_id": "1", "doc_id": "a", "relevance": "not"}\n' + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        read_marks(tmp_path / "marks.jsonl", "1")


def test_an_id_with_a_blank_cannot_be_a_column() -> None:
    with pytest.raises(InputError, match="white space"):
        list(Marks("1", [Mark("a b", "not")]).to_qrels_lines())
