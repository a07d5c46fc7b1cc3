"""The verbs of reviews, from start to stop; and the loop killed at a random moment."""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.index import build_index
from antecede.review.case import Review
from tests.cli.conftest import one_line
from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


RUN = "".join(f"T1 Q0 d{at:02} {at} {100 - at}.0 t\n" for at in range(1, 41))
QRELS = "".join(f"T1 0 d{at:02} {int(at in (1, 2, 4, 9, 30))}\n" for at in range(1, 41))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run and qrels of one topic with 40 documents."""
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def case(desk: Path, program: Program) -> Path:
    assert program("review", "start", "a.run", "T1", "--out", "case").code == 0
    return desk / "case"


def test_a_review_of_a_run_from_start_to_stop(case: Path, program: Program) -> None:
    answers = b"r first\nr\nn\nwhat\nm\nb\nn\ns\nr\nq\n"
    done = program("review", "next", "case", stdin=answers)
    assert done.code == 0
    assert done.out.count("saved: ") == 6
    assert "'what' is not an answer" in done.out
    assert "saved: d04 not (was maybe); 4 read, 2 relevant" in done.out
    assert "of 40 documents 5 read, 3 relevant, 1 postponed" in done.out
    with Review.open(case) as review:
        assert [(mark.doc_id, mark.relevance) for mark in review.marks] == [
            ("d01", "relevant"), ("d02", "relevant"), ("d03", "not"), ("d04", "maybe"), ("d04", "not"),
            ("d06", "relevant"),
        ]  # fmt: skip
        assert review.marks[0].note == "first"
        assert (review.marks[5].rank, review.marks[5].query) == (6, "ranking")
    status = program("review", "status", "case", "--json").json
    assert (status["read"], status["counts"], status["changes"]) == (5, {"relevant": 3, "maybe": 0, "not": 2}, 1)
    assert (status["estimates"], "20 documents must be read" in status["notes"][0]) == ({}, True)
    asked = program("review", "status", "case", "--estimator", "poisson", "--json").json
    assert asked["estimates"]["poisson"]["low"] >= 3
    assert asked["notes"][0].startswith("poisson cannot be believed here: 20 documents must be read")
    stop = program("review", "stop", "case", "--rule", "misses(n=1)", "--rule", "knee", "--json")
    assert (stop.code, stop.json["stop"]) == (1, False)
    assert program("review", "stop", "case", "--rule", "depth(n=5)").code == 0


def test_titles_of_a_table_are_shown_without_an_index(desk: Path, program: Program) -> None:
    (desk / "titles.csv").write_text('id,title\nd01,"A valve, and a spring"\nd03,A pump\n')
    start = ("review", "start", "a.run", "T1", "--out", "case", "--titles")
    done = program(*start, "titles.csv")
    assert (done.code, done.out.splitlines()[-1]) == (0, "next: antecede review next case")
    shown = program("review", "next", "case", stdin=b"r\nn\nn\nq\n").out
    assert ("A valve, and a spring" in shown, "A pump" in shown) == (True, True)
    with Review.open(desk / "case") as review:
        assert [mark.title for mark in review.marks] == ["A valve, and a spring", "", "A pump"]
    assert "title" not in program("review", "next", "case", "--json").json["documents"][0]
    (desk / "narrow.csv").write_text("d01\n")
    for wrong in ("none.csv", "narrow.csv"):
        one_line(program(*start, wrong))


def test_the_end_of_the_input_ends_the_loop(case: Path, program: Program) -> None:
    done = program("review", "next", "case", stdin=b"n\n" * 39 + b"r\n")
    assert done.code == 0
    assert "everything is read" in done.out
    assert program("review", "next", "case", "-n", "3").out == "all 40 documents are read\n"
    assert program("review", "stop", "case").code == 0


def test_marks_go_out_as_qrels_and_come_back_without_loss(case: Path, program: Program) -> None:
    words = ("relevant", "--category", "X,P", "--claims", "1,3-5", "--note", "a note", "--user", "me", "--grade", "3")
    assert program("review", "mark", "case", "D-07", *words).out == "saved: d07: relevant (X,P); 1 read, 1 relevant\n"
    changed = program("review", "mark", "case", "d07", "n")
    assert "d07 was marked relevant before; the later mark holds" in changed.err
    counts = program("review", "mark", "case", "d08", "maybe", "--json").json
    assert [counts[name] for name in ("read", "relevant", "maybe", "not")] == [2, 0, 1, 1]
    assert program("review", "mark", "case", "d09", "relevant").code == 0
    assert program("review", "status", "case", "--qrels", "out.qrels").code == 0
    levels = {line.split()[2]: line.split()[3] for line in (case.parent / "out.qrels").read_text().splitlines()}
    assert levels == {"d07": "0", "d08": "0", "d09": "2"}  # maybe is not relevant here, as in the status
    assert program("review", "start", "a.run", "T1", "--out", "other").code == 0
    assert program("review", "mark", "other", "--from", "out.qrels").code == 0
    with Review.open("case") as one, Review.open("other") as other:
        assert one.marks.log == other.marks.log
        assert one.marks[0].claims == "1,3-5"
        lines = [json.dumps(mark.to_dict()) + "\n" for mark in one.marks]
    (case.parent / "marks.jsonl").write_text("".join(lines))
    assert program("review", "mark", "other", "--from", "marks.jsonl", "--user", "eve").code == 0
    with Review.open("other") as other:
        assert {mark.user for mark in other.marks.current.values()} == {"eve"}
        assert {mark.doc_id: mark.time for mark in other.marks.current.values()} == {
            mark.doc_id: mark.time for mark in one.marks.current.values()
        }
    assert program("review", "mark", "other", "--from", "qrels.txt").out.endswith("40 read, 5 relevant\n")
    scored = program("evaluate", "out.qrels", "a.run", "-m", "R@10", "--json")
    assert scored.code == 0


def test_what_is_wrong_is_one_line(case: Path, program: Program) -> None:
    (case.parent / "other.qrels").write_text("T2 0 d01 1\n")
    (case.parent / "unknown.qrels").write_text("T1 0 d01 1\nT1 0 d99 1\n")
    (case.parent / "twice.qrels").write_text("T1 0 d01 1\nT1 0 d01 0\n")
    for words, why in (
        (("mark", "case", "d99", "r"), "document d99: is not among the 40 documents of the case"),
        (("mark", "case", "d01", "perhaps"), "'perhaps' is not a relevance"),
        (("mark", "case", "d01"), "say what the document is"),
        (("mark", "case"), "say what to mark"),
        (("mark", "case", "d01", "r", "--claims", "3-1"), "not a range of claims"),
        (("mark", "case", "d01", "n", "--grade", "2"), "is marked not, but its grade is 2"),
        (("mark", "case", "--from", "other.qrels"), "topic T1: has no mark of this topic"),
        (("mark", "case", "--from", "unknown.qrels"), "document d99"),
        (("mark", "case", "--from", "twice.qrels"), "appears twice (first on line 1); remove the line that does not"),
        (("next", "nowhere"), "nowhere: there is no such file"),
        (("status", "case", "--estimator", "guess"), "unknown estimator"),
        (("status", "case", "--estimator", "audit"), "audit"),
        (("stop", "case", "--rule", "never"), "unknown stopping rule"),
        (("stop", "case", "--rule", "calibrated"), "calibrated needs file; write it as calibrated(file="),
        (("stop", "case", "--target", "0"), "'--target': "),
        (("start", "a.run", "T1", "--out", "."), "is a folder"),
        (("status", "."), "is a folder, not a case store; name a file"),
        (("import", "case", "."), "cannot be read (Is a directory); name files of antecede review export"),
        (("next", "case", "--case", "other"), "has no case 'other'"),
        (("start", "a.run", "T9", "--out", "new"), "topic T9: is not in the run"),
        (("start", "a.run", "--out", "new"), "name the topic"),
        (("start", "a.run", "T1", "--out", "new", "--feedback", "active"), "give an index"),
        (("start", "a.run", "T1", "--out", "new", "--random-sample", "99"), "more than there are (40)"),
        (("simulate", "qrels.txt"), "say what is read: a run, or --index"),
        (("simulate", "qrels.txt", "a.run", "--feedback", "active"), "give an index"),
        (("simulate", "other.qrels", "a.run"), "the run does not have them"),
    ):
        one_line(program("review", *words), why)
    assert not (case.parent / "new").exists()
    with Review.open(case) as review:
        assert len(review.marks) == 0


def test_a_simulated_screening(desk: Path, program: Program) -> None:
    words = ("valve spring seat", "mesh network node", "battery anode salt")
    rows = [f"{words[at % 3]} {at % 7},,{int(at % 3 == 0)}" for at in range(60)]
    for name in ("a.csv", "b.csv"):
        (desk / name).write_text("\n".join(["title,abstract,label_included", *rows]))
    told = program("review", "simulate", "a.csv", "--seeds", "2", "--prior", "2,1", "--json").json
    assert (told["records"], told["relevant"], told["seeds"], len(told["runs"])) == (60, 20, 2, 2)
    assert told["recall@50%"] == 1.0  # the words tell which records are relevant
    assert {*told["rules"]["quasi_sampling"]} == {"recall", "read", "reached"}
    several = ("simulate", "a.csv", "b.csv", "--seeds", "1", "--rule", "misses(n=9)", "--figure", "f.svg")
    done = program("review", *several)
    assert (done.code, "\nmean " in done.out, "misses(n=9)" in done.out) == (0, True, True)
    assert "mean of 2 reviews" in (desk / "f.svg").read_text()
    for wrong, why in (
        (("a.csv", "--prior", "1"), "'1' is not two numbers"),
        (("a.csv", "--prior", "20,1"), "20 records are relevant; fewer than that can be known"),
        (("a.csv", "--feedback", "static"), "labelled records are read by active learning"),
        (("a.csv", "qrels.txt"), "has no column of decisions"),
        (("qrels.txt", "a.run", "--seeds", "2"), "--prior and --seeds are of labelled records"),
        (("qrels.txt", "a.run", "a.run"), "give judgements and one run"),
    ):
        one_line(program("review", "simulate", *wrong), why)


def test_simulation_from_a_run_and_qrels(desk: Path, program: Program) -> None:
    rules = ("--rule", "misses(n=10)", "--rule", "target(n=2)", "--rule", "autostop")
    done = program("review", "simulate", "qrels.txt", "a.run", *rules, "--figure", "f.svg", "--json")
    found = done.json
    assert found["topics"][0]["found_at"] == {"static": [1, 2, 4, 9, 30]}
    assert [row["mean"] for row in found["effort"]] == [9.0, 30.0, 30.0]
    first = found["rules"][0]
    assert (first["read"], first["recall"], first["reliability"]) == (19.0, 0.8, 0.0)
    assert (desk / "f.svg").read_text().count("<svg") == 1


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review-index")
    lines = [
        {
            "doc_id": f"EP10000{at:02}",
            "publication_date": f"20{at:02}-01-01",
            "ipc": ["H04L 12/56"],
            "language": "en",
            "title": f"{'Valve' if at % 3 else 'Mesh network'} {at}",
            "description": {"en": f"The {'valve has a seat' if at % 3 else 'mesh has nodes'} and part{at}. " * 3},
        }
        for at in range(1, 25)
    ]
    (folder / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build_index(Collection(folder / "p.jsonl"), folder / "index", workers=1)
    return folder / "index"


def test_a_review_of_an_index_learns(index: Path, tmp_path: Path, program: Program) -> None:
    case = tmp_path / "case"
    assert program("review", "start", index, "EP1000021", "--out", case).code == 0
    shown = program("review", "next", case, "-n", "1")
    assert "The *mesh*" in shown.out or "*nodes*" in shown.out
    documents = program("review", "next", case, "--json", "-n", "30").json["documents"]
    assert len(documents) == 20  # all that was published before the topic
    assert documents[0]["passages"]
    for _ in range(7):
        (document,) = program("review", "next", case, "--json").json["documents"]
        relevant = int(document["doc_id"][-2:]) % 3 == 0
        assert program("review", "mark", case, document["doc_id"], "r" if relevant else "n").code == 0
    with Review.open(case) as review:
        assert review.plan.feedback == "active"
        assert len(review.marks.having("relevant")) == 6
    words = tmp_path / "words"
    assert (
        program("review", "start", index, "--text", "mesh of nodes", "--out", words, "--random-sample", "3").code == 0
    )
    assert program("review", "next", words, "--json").json["documents"][0]["shown_by"] == "random sample"
    for wrong in (("EP1000021", "--text", "x"), (), ("EP7",), ("EP1000021", "--index", "x")):
        one_line(program("review", "start", index, *wrong, "--out", tmp_path / "new"))


def test_simulation_with_an_index(index: Path, tmp_path: Path, program: Program) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"EP1000021 0 EP10000{at:02} 1\n" for at in (3, 6, 9)) + "EP1000020 0 EP1000005 1\n")
    done = program("review", "simulate", qrels, "--index", index, "--feedback", "static,one-shot,active", "--quiet")
    assert done.code == 0
    assert "2 topics" in done.out
    few = program("review", "simulate", qrels, "--index", index, "--fewest", "3", "--quiet", "--json").json
    assert [each["topic_id"] for each in few["topics"]] == ["EP1000021"]
    assert few["skipped"] == {"fewer than 3 documents are relevant": ["EP1000020"]}
    assert {row["feedback"] for row in few["effort"]} == {"static", "active"}


def test_the_group_without_a_verb_shows_its_help(program: Program) -> None:
    done = program("review")
    assert done.code == 2
    assert "simulate" in done.out
    one_line(program("review", "begin"))


KILLS = int(os.environ.get("ANTECEDE_KILLS", "3"))
DOCUMENTS = 2000
SAVED = re.compile(rb"saved: (\S+) (relevant|maybe|not); ")
PROMPT = b"q> "


def answer_until_killed(folder: Path, chance: random.Random) -> dict[str, tuple[str, str]]:
    """Start the program in a terminal, answer, and kill it; document → the relevance and the note it has confirmed."""
    import pty

    screen, terminal = pty.openpty()
    words = [sys.executable, "-m", "antecede", "review", "next", str(folder), "--user", "U"]
    process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown, asked = b"", 0
    given: list[str] = []
    until: float | None = None
    try:
        while until is None or time.monotonic() < until:
            ready, _, _ = select.select([screen], [], [], 0.005)
            if ready:
                shown += os.read(screen, 65536)
            if until is None and PROMPT in shown:
                until = time.monotonic() + chance.random() * 0.3
            while asked < shown.count(PROMPT):
                asked += 1
                given.append(f"note {chance.randrange(10**9)}")
                os.write(screen, f"{chance.choice('rmn')} {given[-1]}\n".encode())
            assert process.poll() is None, shown[-2000:]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    while select.select([screen], [], [], 0.05)[0]:
        try:
            shown += os.read(screen, 65536)
        except OSError:  # the terminal is closed at its other end
            break
    os.close(screen)
    confirmed = [(name.decode(), relevance.decode()) for name, relevance in SAVED.findall(shown)]
    return {name: (relevance, note) for (name, relevance), note in zip(confirmed, given, strict=False)}


@pytest.mark.kill
def test_no_confirmed_answer_of_the_terminal_loop_is_lost(tmp_path: Path) -> None:
    """Programs of their own, each killed while it asks; ANTECEDE_KILLS is how many."""
    names = [f"d{number}" for number in range(DOCUMENTS)]
    run, folder = tmp_path / "a.run", tmp_path / "r"
    run.write_text("".join(f"1 Q0 {name} {at} {DOCUMENTS - at} a\n" for at, name in enumerate(names, 1)))
    assert call_program("review", "start", run, "1", "--out", folder).code == 0
    chance = random.Random(0)  # noqa: S311 - no secret
    confirmed: dict[str, tuple[str, str]] = {}
    for kill in range(1, KILLS + 1):
        fresh = answer_until_killed(folder, chance)
        assert not fresh.keys() & confirmed.keys()  # what is marked is not asked for again
        confirmed |= fresh
        with Review.open(folder) as review:
            marks = {each.doc_id: (each.relevance, each.note) for each in review.marks}
        assert {name: marks.get(name) for name in confirmed} == confirmed
        assert [*marks] == names[: len(marks)]
        assert len(marks) - len(confirmed) <= kill  # one that was saved and not yet confirmed, at most
    assert len(confirmed) > KILLS
    print(f"{KILLS} kills, {len(confirmed)} confirmed answers, {len(marks)} marks")
    assert call_program("review", "status", folder, "--json").json["read"] == len(marks)


def test_texts_are_topics_of_their_own(tmp_path: Path, program: Program) -> None:
    record = {"doc_id": "D1", "title": {"en": "A valve with a spring"}, "language": "en"}
    (tmp_path / "p.jsonl").write_text(json.dumps(record) + "\n")
    assert program("index", tmp_path / "p.jsonl", "--out", tmp_path / "i.index").code == 0
    start = ("review", "start", tmp_path / "i.index", "--out", tmp_path / "cases")
    for words in (("--text", "a valve"), ("--text", "a valve"), ("--text", "a spring", "--name", "mine")):
        done = program(*start, *words)
        assert done.code == 0, done.err
    listed = program("review", "list", tmp_path / "cases", "--json").json
    assert sorted(case["topic"] for case in listed) == ["a-valve", "a-valve-2", "mine"]
    assert "--name is the name of a --text" in program(*start, "D1", "--name", "x").err
