"""Screenings in the terminal: start, one key a decision, two people, stores of earlier releases."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from antecede.errors import InputError, UsageError
from antecede.review.case import Review
from antecede.review.case_file import export_case, import_case
from antecede.review.database import Database
from antecede.review.schema import SCHEMAS
from antecede.review.screening_case import ClosedError, ScreeningCase
from antecede.review.store import CaseStore
from antecede.review.votes import ABSTRACT, EXCLUDE, FULL_TEXT, INCLUDE, Votes
from tests.cli.conftest import one_line
from tests.conftest import call_program
from tests.review.references import REASON, write_references

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORDS = 20


@pytest.fixture(scope="module")
def screened(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A screening that has just begun, and which of its records are relevant."""
    folder = tmp_path_factory.mktemp("screening")
    relevant = write_references(folder / "references.ris", RECORDS, duplicates=2)
    known = min(relevant)
    words = ("--team", "ann,ben", "--prior", known, "--out", folder / "pain.sqlite", "--json")
    begun = call_program("review", "start", folder / "references.ris", *words)
    assert begun.code == 0, begun.err
    assert begun.json["identified"] == RECORDS + 2
    assert (begun.json["duplicates"], begun.json["known"], begun.json["unscreened"]) == (2, 1, RECORDS - 1)
    return folder / "pain.sqlite", relevant


@pytest.fixture
def cases(screened: tuple[Path, set[str]]) -> Iterator[Path]:
    """The same; what a test decides is taken back."""
    path = screened[0]
    before = path.read_bytes()
    yield path
    path.write_bytes(before)
    for ending in ("-wal", "-shm"):
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)


def as_screener(cases: Path, user: str) -> ScreeningCase:
    return ScreeningCase(Review.open(cases), user)


def test_one_key_decides_and_the_whole_record_is_shown(cases: Path) -> None:
    shown = call_program("review", "next", cases, "--user", "ann", stdin=b"r\n2\nm\nn\nx\nb\nr\nq\n")
    assert shown.code == 0, shown.err
    assert "Meyer, A.; Wang, B." in shown.out
    assert "Journal of Pain, 20" in shown.out
    assert "'x' is not an answer" in shown.out
    assert shown.out.count("saved: ") == 5
    assert shown.out.endswith("4 by you, 0 wait for you, 0 conflicts\n")
    with (screening := as_screener(cases, "ann")).review:
        votes = [vote for vote in screening.votes.log if vote.user == "ann"]
        assert [vote.verdict for vote in votes] == [INCLUDE, EXCLUDE, "maybe", EXCLUDE, INCLUDE]
        assert votes[1].reason == screening.protocol.reasons[1]
        assert votes[4].doc_id == votes[3].doc_id


def test_nobody_learns_of_a_vote_before_both_have_decided(cases: Path) -> None:
    with (ann := as_screener(cases, "ann")).review, (ben := as_screener(cases, "ben")).review:
        order = [record.doc_id for record in ben.next(RECORDS)]
        first = order[5]
        ann.vote(first, INCLUDE)
        assert [record.doc_id for record in ben.next(RECORDS)] == [first, *(name for name in order if name != first)]
        assert ben.show(first).vote is None
        assert (ben.progress(ABSTRACT).settled, ben.progress(ABSTRACT).waiting) == (1, 1)
        assert first not in ben.review.marks.current
        ann.withdraw(first)
        ann.vote(first, EXCLUDE, reason=REASON)
        ben.vote(first, EXCLUDE, reason="2")
        assert ben.review.marks.current[first].relevance == "not"
        assert ben.review.marks.current[first].user == "ann and ben"
        with pytest.raises(ClosedError):
            ann.vote(first, INCLUDE)
        ben.resolve(first, INCLUDE)
        assert ann.review.marks.current[first].relevance == "relevant"


def test_learnt_words_are_marked_and_relevant_records_come_first(cases: Path, screened: tuple[Path, set[str]]) -> None:
    relevant = screened[1]
    with (ann := as_screener(cases, "ann")).review:
        for record in ann.next(4):
            ann.vote(record.doc_id, INCLUDE if record.doc_id in relevant else EXCLUDE)
        for name in sorted({f"W{at}" for at in range(RECORDS)} - relevant)[:3]:
            if ann.votes.ballot(ABSTRACT, name).votes:
                continue
            ann.vote(name, EXCLUDE)
        ann = as_screener(cases, "ann")
        [record] = ann.next()
        assert record.doc_id in relevant
        assert {"pain", "chronic"} & {*record.words}
        ann.review.close()


def test_what_was_known_is_neither_read_nor_estimated(cases: Path, screened: tuple[Path, set[str]]) -> None:
    with (ann := as_screener(cases, "ann")).review:
        reading = ann.review.reading()
        assert (reading.read, reading.documents) == (0, RECORDS - 1)
        known = min(screened[1])
        assert known not in [record.doc_id for record in ann.next(RECORDS)]
        assert ann.review.marks.current[known].relevance == "relevant"


def test_a_full_text_is_sought_of_what_is_included(cases: Path, screened: tuple[Path, set[str]]) -> None:
    known = min(screened[1])
    with (ann := as_screener(cases, "ann")).review, (ben := as_screener(cases, "ben")).review:
        assert [record.doc_id for record in ann.next(5, FULL_TEXT)] == [known]
        other = ann.next()[0].doc_id
        with pytest.raises(UsageError, match="is not sought"):
            ann.vote(other, INCLUDE, FULL_TEXT)
        ann.vote(known, EXCLUDE, FULL_TEXT, reason=REASON)
        ben.vote(known, EXCLUDE, FULL_TEXT, reason="wrong outcome")
        assert [ballot.doc_id for ballot in ben.conflicts()] == [known]
        ben.resolve(known, EXCLUDE, FULL_TEXT, reason=REASON)
        flow = ben.flow()
        assert (flow.reasons, flow.check()) == ({REASON: 1}, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mark", "W99", "include", "--user", "ann"), "is not a record of the screening"),
        (("mark", "W3", "include", "--user", "eve"), "is not of the team (ann, ben)"),
        (("mark", "W3", "unavailable", "--user", "ann"), "is not a decision on a title and abstract"),
        (("mark", "W3", "exclude", "--reason", "wrong", "--user", "ann"), "give the number of one of"),
        (("mark", "W3", "include", "--reason", "1", "--user", "ann"), "has a reason for exclusion"),
        (("resolve", "W3", "include"), "there is nothing to resolve"),
    ],
)
def test_what_is_refused(cases: Path, words: tuple[str, ...], said: str) -> None:
    verb, *rest = words
    one_line(call_program("review", verb, cases, *rest), said)


def test_a_screening_begins_in_a_file_of_its_own(cases: Path, tmp_path: Path) -> None:
    references = cases.with_name("references.ris")
    one_line(call_program("review", "start", references, "--out", cases), "exists already")
    words = ("review", "start", references, "--out", tmp_path / "new.sqlite")
    one_line(call_program(*words, "--team", "ann,ann"), "distinct names")
    assert not [*tmp_path.iterdir()]
    one_line(call_program("review", "conflicts", tmp_path / "none.sqlite"), "there is no such file")


def test_a_case_file_has_the_votes(cases: Path, tmp_path: Path) -> None:
    with (ann := as_screener(cases, "ann")).review:
        ann.vote(ann.next()[0].doc_id, EXCLUDE)
        data = export_case(ann.review.store, ann.review.id)
        log = ann.votes.log
    with closing(CaseStore(tmp_path / "other.sqlite")) as store:
        review = Review(store, store.case(import_case(store, data)))
        assert ScreeningCase(review).votes.log == log
        assert export_case(store, review.id) == data


@pytest.mark.parametrize("version", [4, 5])
def test_a_store_of_an_earlier_release_gets_votes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("antecede.review.database.VERSION", version)
        Database(tmp_path / "old.sqlite").close()
    with closing(CaseStore(tmp_path / "old.sqlite")) as store:
        assert store.rows("SELECT count(*) FROM votes")[0][0] == 0
        assert store.rows("PRAGMA user_version")[0][0] == max(SCHEMAS)
        case: Any = store.create({"doc_id": "a", "title": {"": "a valve"}}, name="valve")
        assert b'"votes"' not in export_case(store, case)


def test_a_damaged_vote_is_said(tmp_path: Path) -> None:
    with closing(CaseStore(tmp_path / "new.sqlite")) as store:
        case = store.create({"doc_id": "a", "title": {"": "a valve"}}, name="valve")
        with store.change(case) as connection:
            connection.execute(
                "INSERT INTO votes VALUES (?, 1, 'a', 'abstract', 'perhaps', 'vote', '', '', '', '')", (case,)
            )
        with pytest.raises(InputError, match="damaged"):
            store.votes(case, Votes())
