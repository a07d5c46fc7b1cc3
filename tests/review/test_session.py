"""A review on disk: the order is a function of the marks, and no confirmed mark is lost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.errors import AntecedeError, InputError, UsageError
from antecede.review.session import Review, ReviewPlan
from antecede.review.status import decide_stop, review_status
from antecede.review.vectors import DocumentVectors, vectors_of_texts

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
        assert "audit" in review_status(review).estimates


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
        assert not decide_stop(review)["quasi_sampling"].stop
        review.mark("only", "maybe")
        assert review.next() == []
        assert decide_stop(review)["quasi_sampling"].stop
        assert review_status(review).reading.found == 1


def test_maybe_counts_if_it_is_to(tmp_path: Path) -> None:
    with start(tmp_path / "a") as review:
        review.mark("d00", "maybe")
        assert review.reading().found == 1
    with start(tmp_path / "b", maybe=False) as review:
        review.mark("d00", "maybe")
        assert review.reading().found == 0


def test_an_unknown_document_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        with pytest.raises(InputError, match=r"d1: is not among the 60 documents of the review .did you mean"):
            review.mark("d1", "not")
        assert len(review.marks) == 0


def test_a_second_process_is_refused_and_may_look(tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        review.mark("d00", "not")
        script = "import sys; from antecede.review.session import Review; Review.open(sys.argv[1])"
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "r")], capture_output=True, text=True, check=False
        )
        assert f"is in use by process {os.getpid()}" in done.stderr
        with Review.open(tmp_path / "r", writing=False) as other:
            assert other.marks == review.marks
            with pytest.raises(UsageError, match="reading only"):
                other.mark("d01", "not")
    Review.open(tmp_path / "r").close()


def test_what_cannot_be_reviewed_is_refused(tmp_path: Path) -> None:
    for names in ([], ["a", "a"], ["a b"], [""]):
        with pytest.raises(AntecedeError):
            Review.start(tmp_path / "r", ReviewPlan("T"), names)
    assert not (tmp_path / "r").exists()
    with pytest.raises(UsageError, match="vectors"):
        Review.start(tmp_path / "r", ReviewPlan("T", "active"), ["a"])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="other files"):
        Review.start(tmp_path / "mine", ReviewPlan("T"), ["a"])
    Review.start(tmp_path / "r", ReviewPlan("T"), ["a"]).close()
    with pytest.raises(UsageError, match="is a review already"):
        Review.start(tmp_path / "r", ReviewPlan("T"), ["a"])


def test_a_line_that_was_not_finished_is_left_out_and_repaired(tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        read_on(review, 3)
    path = tmp_path / "r" / "marks.jsonl"
    whole = path.read_bytes()
    for end in range(len(whole) - 1, len(whole) - 40, -7):
        path.write_bytes(whole[:end])
        with Review.open(tmp_path / "r", writing=False) as review:
            assert (len(review.marks), len(review.notes)) == (2, 1)
        assert path.read_bytes() == whole[:end]
        with Review.open(tmp_path / "r") as review:
            assert review.next()[0].doc_id == "d02"
            review.mark("d02", "maybe")
        with Review.open(tmp_path / "r") as review:
            assert [each.doc_id for each in review.marks] == NAMES[:3]


@pytest.mark.parametrize("name", ["review.json", "ranking.run", "marks.jsonl"])
def test_a_damaged_file_is_named(name: str, tmp_path: Path) -> None:
    with start(tmp_path / "r") as review:
        read_on(review, 3)
    path = tmp_path / "r" / name
    path.write_bytes(path.read_bytes().replace(b'"', b"!", 5).replace(b"d0", b"d9", 1))
    with pytest.raises(InputError, match=name):
        Review.open(tmp_path / "r")
    path.unlink()
    with pytest.raises(InputError):
        Review.open(tmp_path / "r")


WRONG_PLANS: dict[str, object] = {
    "texts": {"en": 3},
    "topic_id": 3,
    "title": ["\ud800"],
    "source": "\ud800",
    "queries": [3],
    "learning": {"seed": "x"},
    "audit": ["unknown"],
    "maybe": "yes",
    "index": 5,
    "calibration": {},
    "created": [],
}


@pytest.mark.parametrize("key", WRONG_PLANS)
def test_a_plan_with_a_wrong_value_is_refused(key: str, tmp_path: Path) -> None:
    start(tmp_path / "r").close()
    path = tmp_path / "r" / "review.json"
    head = json.loads(path.read_bytes())
    path.write_text(json.dumps({**head, "plan": {**head["plan"], key: WRONG_PLANS[key]}}))
    with pytest.raises(InputError, match=r"r/(review\.json|ranking\.run): is damaged"):
        Review.open(tmp_path / "r")


@pytest.mark.parametrize("lines", ["T1 Q0 d1\n", "T1 Q0 d1 1 x review\n", "", "T1 Q0 d1 1 1 r\nT1 Q0 d1 2 0 r\n"])
def test_a_forged_ranking_is_refused_whatever_its_checksum(lines: str, tmp_path: Path) -> None:
    start(tmp_path / "r").close()
    (tmp_path / "r" / "ranking.run").write_text(lines)
    path = tmp_path / "r" / "review.json"
    head = json.loads(path.read_bytes())
    path.write_text(json.dumps({**head, "ranking": hashlib.sha256(lines.encode()).hexdigest()}))
    with pytest.raises(InputError, match=r"ranking\.run: is damaged"):
        Review.open(tmp_path / "r")


@pytest.mark.parametrize(
    ("name", "kind"),
    [*product(("review.json", "ranking.run", "marks.jsonl"), ("link", "pipe")), ("review.lock", "link")],
)
def test_a_link_or_a_pipe_in_the_place_of_a_file_is_refused(name: str, kind: str, tmp_path: Path) -> None:
    start(tmp_path / "r").close()
    (tmp_path / "mine").write_text("keep me")
    path = tmp_path / "r" / name
    path.unlink()
    if kind == "link":
        path.symlink_to(tmp_path / "mine")
    else:
        os.mkfifo(path)
    with pytest.raises(AntecedeError) as raised:
        Review.open(tmp_path / "r")
    assert "\n" not in str(raised.value)
    assert (tmp_path / "mine").read_text() == "keep me"


KILLER = """
import os, random, signal, sys, time
from antecede.review.session import Review
from antecede.review.marks import Mark

draw = random.Random(0)
for _ in range(30):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with Review.open(sys.argv[1]) as review:
            while found := review.next():
                review.mark(found[0].doc_id, "not")
                os.write(write, found[0].doc_id.encode() + b" ")
        os._exit(0)
    os.close(write)
    first = os.read(read, 1)  # it has marked at least one
    time.sleep(draw.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(read, "rb") as pipe:
        print((first + pipe.read()).decode())
"""


@pytest.mark.kill
def test_no_confirmed_mark_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """Thirty processes, each killed at a random moment while it marks."""
    names = [f"d{number}" for number in range(2000)]
    Review.start(tmp_path / "r", ReviewPlan("T"), names).close()
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(tmp_path / "r")], capture_output=True, text=True, check=True
    )
    parts = [line.split(" ") for line in done.stdout.splitlines()]
    assert len(parts) == 30
    # A name that the pipe has in part was confirmed to nobody, but its mark may be on disk.
    confirmed = [name for part in parts for name in part[:-1]]
    with Review.open(tmp_path / "r") as review:
        marked = [each.doc_id for each in review.marks]
    assert len(confirmed) > 30
    assert {*confirmed} <= {*marked}
    assert marked == names[: len(marked)]
    assert len(marked) - len(confirmed) <= 30
