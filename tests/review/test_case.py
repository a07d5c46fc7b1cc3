"""A case that is read: the order is a function of the marks, and no confirmed mark is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.errors import AntecedeError, InputError, UsageError
from antecede.review.case import Review, ReviewPlan
from antecede.review.estimators import parse_estimator
from antecede.review.sources import state_of
from antecede.review.status import decide_stop, review_status
from antecede.review.vectors import DocumentVectors, vectors_of_texts
from antecede.search import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"d{number:02}" for number in range(60)]
SOUGHT = {name for number, name in enumerate(NAMES) if number % 7 == 0}


@pytest.fixture(scope="module")
def vectors() -> DocumentVectors:
    other = "dog cat food bowl "
    return vectors_of_texts(
        {
            name: ("solar panel inverter grid " if name in SOUGHT else other * (number % 3 + 1)) + f"word{number}"
            for number, name in enumerate(NAMES)
        }
    )


def start(folder: Path, vectors: DocumentVectors | None = None, **plan: object) -> Review:
    how = {"feedback": "active" if vectors is not None else "static", **plan}
    return Review.start(folder, ReviewPlan("T1", **how), NAMES, np.linspace(1, 0, 60), vectors=vectors)  # type: ignore[arg-type]


def read_on(review: Review, number: int) -> list[str]:
    read = []
    for _ in range(number):
        (document,) = review.next()
        review.mark(document.doc_id, "relevant" if document.doc_id in SOUGHT else "not", rank=document.rank)
        read.append(document.doc_id)
    return read


def test_active_learning_finds_what_resembles_the_finds(vectors: DocumentVectors, tmp_path: Path) -> None:
    with start(tmp_path / "r", vectors, texts={"": "solar energy"}) as review:
        assert {*read_on(review, 12)} >= SOUGHT


def test_vectors_may_be_in_another_order_than_the_ranking(vectors: DocumentVectors, tmp_path: Path) -> None:
    turned = replace(vectors, doc_ids=vectors.doc_ids[::-1], matrix=vectors.matrix[::-1])
    read = []
    for name, given in (("same", vectors), ("turned", turned)):
        with start(tmp_path / name, given, texts={"": "solar energy"}) as review:
            read.append(read_on(review, 12))
    assert read[0] == read[1]


def test_the_order_does_not_depend_on_when_it_was_opened(vectors: DocumentVectors, tmp_path: Path) -> None:
    with start(tmp_path / "whole", vectors) as review:
        at_once = read_on(review, 25)
    with start(tmp_path / "parts", vectors) as review:
        in_parts = read_on(review, 1)
    for _ in range(24):
        with Review.open(tmp_path / "parts", vectors=vectors) as review:
            in_parts += read_on(review, 1)
    assert in_parts == at_once


def test_a_static_review_reads_in_the_order_of_the_ranking(tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        assert read_on(review, 10) == NAMES[:10]
        assert [each.doc_id for each in review.next(3)] == NAMES[10:13]
        assert [each.rank for each in review.next(3)] == [11, 12, 13]
        assert [each.doc_id for each in review.next(2, without=NAMES[10:12])] == NAMES[12:14]


def test_a_random_sample_comes_first_and_is_known_as_such(tmp_path: Path) -> None:
    sample = ("d50", "d07", "d01")
    with start(tmp_path / "r", audit=sample) as review:
        assert read_on(review, 5) == ["d50", "d07", "d01", "d00", "d02"]
        reading = review.reading()
        assert reading.audited is not None
        assert reading.audited.tolist() == [True] * 3 + [False] * 2
        assert review_status(review).estimates == {}  # too little is read
        assert "audit" in review_status(review, [parse_estimator("audit")]).estimates


@pytest.mark.parametrize("answer", ["relevant", "not"])
def test_everything_or_nothing_is_relevant(answer: str, vectors: DocumentVectors, tmp_path: Path) -> None:
    with start(tmp_path / "r", vectors) as review:
        for _ in NAMES:
            (document,) = review.next()
            review.mark(document.doc_id, answer)
            decide_stop(review, ["knee", "quasi_sampling"])
            review_status(review)
        assert review.next() == []
        assert review.unread == 0
        assert all(each.stop for each in decide_stop(review).values())
        assert "everything is read; nothing remains to be estimated" in str(review_status(review))


def test_one_document(tmp_path: Path) -> None:
    with Review.start(tmp_path / "r", ReviewPlan("T"), ["only"]) as review:
        assert not decide_stop(review)["quasi_sampling(confidence=0.9)"].stop
        review.mark("only", "relevant")
        assert review.next() == []
        assert decide_stop(review)["quasi_sampling(confidence=0.9)"].stop
        assert review_status(review).reading.found == 1


def test_maybe_counts_if_it_is_to(tmp_path: Path) -> None:
    for name, maybe in (("a", False), ("b", True)):
        with start(tmp_path / name, maybe=maybe) as review:
            review.mark("d00", "maybe")
            assert review.reading().found == maybe
            assert review.marks.counts == {"relevant": 0, "maybe": 1, "not": 0}


def test_an_unknown_document_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        with pytest.raises(InputError, match=r"d1: is not among the 60 documents of the case .did you mean"):
            review.mark("d1", "not")
        assert len(review.marks) == 0


def test_two_who_read_one_case_see_each_others_marks(tmp_path: Path) -> None:
    with start(tmp_path / "r") as one, Review.open(tmp_path / "r") as two:
        one.mark("d00", "not")
        assert two.next()[0].doc_id == "d01"
        two.mark("d01", "relevant")
        two.mark("d00", "maybe")
        assert one.marks.log == two.marks.log
        assert [each.relevance for each in one.marks] == ["not", "relevant", "maybe"]
        assert (one.next()[0].doc_id, one.reading().found, len(one.marks.changes)) == ("d02", 1, 1)


def test_what_cannot_be_reviewed_is_refused(tmp_path: Path) -> None:
    for names in ([], ["a", "a"], ["a b"], [""]):
        with pytest.raises(AntecedeError):
            Review.start(tmp_path / "r", ReviewPlan("T"), names)
    with pytest.raises(UsageError, match="vectors"):
        Review.start(tmp_path / "r", ReviewPlan("T", "active"), ["a"])
    assert not (tmp_path / "r").exists()
    with pytest.raises(InputError, match="is a folder"):
        Review.start(tmp_path, ReviewPlan("T"), ["a"])
    with pytest.raises(InputError, match="is a folder, not a case store; name a file"):
        Review.open(tmp_path)


def test_a_file_may_hold_several_cases(tmp_path: Path) -> None:
    for topic in ("T1", "T2"):
        Review.start(tmp_path / "r", ReviewPlan(topic), ["a", "b"]).close()
    with pytest.raises(UsageError, match="has 2 cases; give the id of one"):
        Review.open(tmp_path / "r")
    with Review.open(tmp_path / "r", "T2") as review:
        assert review.plan.topic_id == "T2"


@pytest.mark.parametrize(
    "wrong",
    [
        {"texts": {"en": 3}}, {"topic_id": 3}, {"title": ["x"]}, {"learning": {"seed": "x"}}, {"audit": [3]},
        {"maybe": "yes"}, {"feedback": "other"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)  # fmt: skip
def test_a_plan_with_a_wrong_value_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        plan = {**review.plan.to_dict(), **wrong}
        with review.store.change() as connection:
            connection.execute("UPDATE cases SET plan = ?", (json.dumps(plan),))
    with pytest.raises(InputError, match="damaged"):
        Review.open(tmp_path / "r")


def test_the_query_of_the_page_has_the_filters_that_a_review_was_started_with() -> None:
    state = state_of(SearchSettings(ipc=("H04L 12/56",), from_claim=2, must=("mesh",), translation="tables/a.json"))
    assert state["filters"] == {"ipc": ["H04L 12/56"]}
    assert state["settings"] == {"from_claim": 2}
    assert [phrase["words"] for phrase in state["phrases"]] == ["mesh"]
