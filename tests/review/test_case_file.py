"""Cases that leave a store and enter another one are the same, those of earlier releases, too; stores are migrated."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antecede import InputError
from antecede.review.case_file import export_case, import_case
from antecede.review.database import APPLICATION, digest_of
from antecede.review.marks import Mark
from antecede.review.schema import OLDEST, SCHEMAS, VERSION, row_check
from antecede.review.store import CaseStore, open_store
from antecede.review.versions import ChangedMeanwhileError

if TYPE_CHECKING:
    from collections.abc import Callable

EARLIER = Path(__file__).parent / "earlier_release.case.json"
"""A case as the release before exported it, with a set that no expression names."""
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
NAMES = st.from_regex(r"[A-Z]{2}[0-9]{1,7}", fullmatch=True)
DOCUMENT = st.sampled_from([f"EP{number}" for number in range(1, 7)])
RELEVANCE = st.sampled_from(["relevant", "maybe", "not"])
STATE = st.fixed_dictionaries(
    {
        "settings": st.just({}) | st.builds(dict, terms=st.integers(1, 500)),
        "filters": st.just({}) | st.builds(dict, sets=st.just(["spring NEAR/3 valve"])),
        "terms": st.lists(st.builds(dict, term=NAMES, language=st.just("en"), word=TEXTS), max_size=3),
        "phrases": st.lists(st.builds(dict, words=NAMES), max_size=2),
    },
    optional={"set_names": st.lists(NAMES, max_size=2), "own": st.just(True)},
)
CHANGE = st.one_of(
    st.tuples(st.just("mark"), DOCUMENT, RELEVANCE, TEXTS, TEXTS),
    st.tuples(st.just("note"), DOCUMENT, TEXTS),
    st.tuples(st.just("withdraw"), DOCUMENT),
    st.tuples(st.just("draft"), STATE),
    st.tuples(st.just("step"), st.sampled_from([-1, 1])),
    st.tuples(st.just("cell"), st.integers(1, 5), DOCUMENT, TEXTS | st.none()),
    st.tuples(st.just("notes"), TEXTS),
    st.tuples(st.just("search"), st.lists(DOCUMENT, unique=True), TEXTS, STATE),
    st.tuples(st.just("see"), DOCUMENT, TEXTS),
)


def make_search(ranking: list[str], label: str, state: dict[str, Any], number: int) -> dict[str, Any]:
    counts = dict.fromkeys(("searched", "unsearched", "undated", "dated_by_year"), 6)
    facts = {
        "topic": "", "notes": [label], "documents": {**counts, "unsearched_languages": {}, "excluded": {}},
        "model": "bm25", "terms": [], "languages": ["en"], "new": ranking[:1], "relevant_marks": 0, "index": "an index",
        "index_documents": 6,
    }  # fmt: skip
    rows = [[doc_id, 1 / rank] for rank, doc_id in enumerate(ranking, 1)]
    return {
        "kind": "query", "label": label, "user": "ann", "key": digest_of(number), "state": state, "index_state": "",
        "settings": {"relevant": [], "irrelevant": []}, "facts": facts, "ranking": rows,
    }  # fmt: skip


def make_change(store: CaseStore, case: str, number: int, change: tuple[Any, ...]) -> None:
    kind, *values = change
    if kind == "mark":
        doc_id, relevance, note, claims = values
        store.change_mark(case, doc_id, "ann", relevance=relevance, note=note, claims=claims, search=number, rank=2)
    elif kind == "note" and store.mark(case, values[0]) is not None:
        store.change_mark(case, values[0], "bob", note=values[1])
    elif kind == "withdraw" and store.mark(case, values[0]) is not None:
        store.remove_mark(case, values[0], "bob")
    elif kind == "see":
        store.see(case, values[0], values[1], None, None)
    others: dict[str, Callable[..., Any]] = {
        "draft": store.put_draft,
        "step": store.step_draft,
        "cell": store.put_cell,
        "notes": lambda _, text: store.change_case(case, notes=text),
        "search": lambda _, ranking, label, state: store.add_search(case, make_search(ranking, label, state, number)),
    }
    if kind in others:
        others[kind](case, *values)


@given(TEXTS.filter(str.strip), st.lists(CHANGE, max_size=20))
@settings(max_examples=60, deadline=None)
def test_a_case_is_the_same_after_export_and_import(name: str, changes: list[tuple[Any, ...]]) -> None:
    with closing(CaseStore(":memory:")) as store, closing(CaseStore(":memory:")) as other:
        case = store.create({"doc_id": "EP1", "title": {"en": f"{name} a"}}, name=name, user="ann")
        for number, change in enumerate(changes, 1):
            make_change(store, case, number, change)
        data = export_case(store, case)
        assert import_case(other, data) == case
        assert export_case(other, case) == data
        assert {**other.marks(other.case(case)).current} == store.marks(store.case(case)).current


def test_a_case_file_of_an_earlier_release_opens_and_gains_versions(tmp_path: Path) -> None:
    data = EARLIER.read_bytes()
    with closing(CaseStore(tmp_path / "cases.sqlite")) as store:
        case = import_case(store, data)
        assert export_case(store, case) == data
        check_marks(store, case)


def check_marks(store: CaseStore, case: str) -> None:
    """The marks of the case of the earlier release have versions: one that was replaced is restored by its own."""
    marks = store.marks(store.case(case))
    assert [mark.version for mark in marks.log] == [1, 2, 3, 4, 5]
    doc_id = marks.log[0].doc_id
    assert marks.log[3].doc_id == doc_id
    with pytest.raises(ChangedMeanwhileError):
        store.restore_mark(case, doc_id, 1, "ann", seen=3)
    restored = store.restore_mark(case, doc_id, 1, "ann", seen=4)
    assert restored.mark == marks.log[0]
    assert (restored.version, restored.before, store.case(case).version) == (6, 4, 6)
    withdrawn = marks.log[2].doc_id
    assert store.mark(case, withdrawn) is None
    assert store.restore_mark(case, withdrawn, 3, "ann", seen=5).mark == marks.log[2]


def make_earlier_store(path: Path) -> str:
    """A store as the release before made it."""
    tables = json.loads(EARLIER.read_bytes())["case"]
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("row_check", -1, row_check, deterministic=True)
        connection.executescript("".join(SCHEMAS[OLDEST].values()))
        connection.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {OLDEST}")
        for table, rows in tables.items():
            for row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
        connection.commit()
    return str(tables["cases"][0][0])


def test_a_store_of_an_earlier_release_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    case = make_earlier_store(path)
    with closing(open_store(path)) as store:
        assert export_case(store, case) == EARLIER.read_bytes()
        check_marks(store, case)
    with closing(open_store(path)) as store:
        assert store.rows("PRAGMA user_version")[0][0] == VERSION
        assert len(store.marks(store.case(case))) == 7


def test_a_store_of_an_earlier_release_that_was_altered_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    make_earlier_store(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (a)")
    with pytest.raises(InputError, match="table mine was added"):
        open_store(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (OLDEST,)


def test_marks_of_a_store_without_a_seen_version_are_always_changed(tmp_path: Path) -> None:
    with closing(CaseStore(tmp_path / "cases.sqlite")) as store:
        case = store.create({"doc_id": "EP1", "title": {"en": "a"}}, name="a case")
        store.put_marks(case, [Mark("EP2", "relevant")])
        change = store.change_mark(case, "EP2", "ann", note="from the terminal")
        assert (change.version, change.before) == (2, 1)
