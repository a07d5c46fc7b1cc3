"""From the files in hand to a case: `antecede open`, and finding the index and the case again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import rispy  # type: ignore[import-untyped]

from antecede.corpus import Collection
from antecede.engine import open_index, read_record
from antecede.review.case import Review
from antecede.review.labels import Decision, read_decision
from antecede.review.store import CaseStore
from tests.cli.conftest import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

HITS = """Espacenet;;
;;
Titel;Veröffentlichungsnummer;Zusammenfassung
Presse mit einem Rahmen;EP1000001A1;Die Presse hat einen Rahmen und einen Antrieb.
Ziegel aus Ton;EP1000002A1;Der Ziegel wird in einer Presse mit Rahmen gepresst.
Ofen;EP1000003A1;Der Ofen brennt.
"""
SCREENED = """record_id,title,abstract,label_included
1,Moisture of bricks,A sensor of moisture in a brick wall.,1
2,Presses,A press with a frame and a drive.,0
3,Ovens,An oven for bricks.,
"""


def call(program: Program, *words: object) -> list[str]:
    outcome = program("open", *words, "--no-page")
    assert outcome.code == 0, outcome
    return outcome.err.splitlines()


def test_a_hit_list_becomes_an_index_and_a_case_and_both_are_found_again(tmp_path: Path, program: Program) -> None:
    hits, folder = tmp_path / "hits.csv", tmp_path / "case"
    hits.write_text(HITS, "utf-8")
    words = (hits, "--application", "EP1000001", "--folder", folder)
    notes = call(program, *words)
    assert any(note.endswith("3 records = 3 kept + 0 merged + 0 rejected") for note in notes)
    (case,) = CaseStore(folder / "cases.sqlite").cases()
    assert case.topic_id == "EP1000001"
    built = (folder / "documents.index" / "manifest.json").read_bytes()
    assert not any("records =" in note for note in call(program, *words))
    assert (folder / "documents.index" / "manifest.json").read_bytes() == built
    assert len(CaseStore(folder / "cases.sqlite").cases()) == 1


def test_a_changed_file_is_indexed_anew_and_its_case_stays(tmp_path: Path, program: Program) -> None:
    hits, folder = tmp_path / "hits.csv", tmp_path / "case"
    hits.write_text(HITS, "utf-8")
    words = (hits, "--application", "EP1000001", "--folder", folder)
    call(program, *words)
    with Review.open(folder / "cases.sqlite") as review:
        review.mark("EP1000002", "relevant")
    hits.write_text(HITS + "Tor;EP1000004A1;Das Tor.\n", "utf-8")
    assert any(note.endswith("1 record is new in the case") for note in call(program, *words))
    assert open_index(folder / "documents.index").documents == 4
    with Review.open(folder / "cases.sqlite") as review:
        assert {*review.doc_ids} == {"EP1000002", "EP1000003", "EP1000004"}
        assert review.marks.having("relevant") == ["EP1000002"]


def test_decisions_of_an_earlier_screening_become_marks(tmp_path: Path, program: Program) -> None:
    table, folder = tmp_path / "screened.csv", tmp_path / "case"
    table.write_text(SCREENED, "utf-8")
    notes = call(program, table, "--folder", folder)
    assert any(note.endswith("2 decisions in the files are marks of the case") for note in notes)
    with Review.open(folder / "cases.sqlite") as review:
        assert (review.marks.having("relevant"), review.marks.having("not")) == (["1"], ["2"])


def test_what_a_row_holds_is_kept(tmp_path: Path, program: Program) -> None:
    table, folder = tmp_path / "screened.csv", tmp_path / "case"
    table.write_text(SCREENED, "utf-8")
    call(program, table, "--folder", folder)
    record = read_record(open_index(folder / "documents.index"), 0)
    assert json.loads(json.dumps(dict(record.original))) == {
        "record_id": "1",
        "title": "Moisture of bricks",
        "abstract": "A sensor of moisture in a brick wall.",
        "label_included": "1",
    }


def test_two_subjects_are_refused(tmp_path: Path, program: Program) -> None:
    (tmp_path / "a.csv").write_text(SCREENED, "utf-8")
    refused = program("open", tmp_path / "a.csv", "--text", "x", "--application", "1", "--no-page")
    one_line(refused, "say what is sought once")


def test_a_list_goes_out_in_its_own_columns_and_form_and_is_read_back(tmp_path: Path, program: Program) -> None:
    """By its own reader, and by rispy; a text that a spreadsheet would execute stays a text."""
    table, folder = tmp_path / "screened.csv", tmp_path / "case"
    table.write_text(SCREENED.replace("Presses,", "=cmd|'/C calc'!A0,"), "utf-8")
    for ending in ("csv", "xlsx", "ris"):
        out = tmp_path / f"out.{ending}"
        assert program("open", table, "--folder", folder, "--export", out).code == 0
        back = [*Collection(out).patents()]
        assert [patent.doc_id for patent in back] == ["1", "2", "3"]
        assert [*back[1].title.values()] == ["=cmd|'/C calc'!A0"]
        assert [read_decision(patent.original) for patent in back] == [
            Decision("relevant"),
            Decision("irrelevant"),
            None,
        ]
    assert "\n2,'=cmd|" in (tmp_path / "out.csv").read_text("utf-8")
    header = (tmp_path / "out.csv").read_text("utf-8-sig").splitlines()[0]
    assert header.startswith("record_id,title,abstract,label_included,antecede_rank,antecede_mark")
    references = rispy.loads((tmp_path / "out.ris").read_text("utf-8"))
    assert [(record["title"], record["id"]) for record in references][2] == ("Ovens", "3")


def test_a_review_starts_from_a_hit_list_directly(tmp_path: Path, program: Program) -> None:
    (tmp_path / "hits.csv").write_text(HITS, "utf-8")
    cases = tmp_path / "cases.sqlite"
    outcome = program("review", "start", tmp_path / "hits.csv", "EP1000001", "--out", cases)
    assert outcome.code == 0, outcome
    (case,) = CaseStore(cases).cases()
    assert case.topic_id == "EP1000001"


def test_a_file_of_somebody_else_in_the_folder_stays(tmp_path: Path, program: Program) -> None:
    hits, folder = tmp_path / "hits.csv", tmp_path / "case"
    hits.write_text(HITS, "utf-8")
    folder.mkdir()
    for content in ("mine", "[]", '{"files": ["mine"]}'):
        (folder / "files.json").write_text(content)
        outcome = program("open", hits, "--folder", folder, "--no-page")
        assert "files.json: is not the list of files that antecede open keeps there" in one_line(outcome)
        assert (folder / "files.json").read_text() == content
        assert len([*folder.iterdir()]) == 1


def test_quiet_says_nothing_but_where_the_folder_is(tmp_path: Path, program: Program) -> None:
    hits, folder = tmp_path / "hits.csv", tmp_path / "case"
    hits.write_text(HITS, "utf-8")
    outcome = program("open", hits, "--folder", folder, "--no-page", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"{folder}\n", "")
