"""The case store: nothing confirmed is lost, a case leaves and enters unchanged, and other files are refused."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from antecede import InputError
from antecede.review.case_file import export_case, import_case
from antecede.review.database import StoreError, UnknownCaseError, to_json
from antecede.review.marks import Mark
from antecede.review.schema import row_check
from antecede.review.store import CaseConflictError, CaseStore, open_store
from antecede.web import uploads
from antecede.web.access import LIMITS
from tests.conftest import call_program
from tests.sqlite_files import with_endless_schema
from tests.web.test_api import mark_first
from tests.web.world import MARKUP, TOPIC, patent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.web.world import Client

KILLS = 20
MARKER = """
import sys
from antecede.review.marks import Mark
from antecede.review.store import CaseStore
store, case = CaseStore(sys.argv[1]), sys.argv[2]
for number in range(int(sys.argv[3]), 10**9):
    store.put_marks(case, [Mark(f"D{number}", "not")])
    print(number, flush=True)
"""


def mark(doc_id: str, relevance: str = "relevant", **more: Any) -> list[Mark]:
    return [Mark(doc_id, relevance, **more)]


def without_versions(value: Any) -> Any:
    """What an API answer has besides versions, which do not leave a store."""
    if isinstance(value, dict):
        return {name: without_versions(inner) for name, inner in value.items() if name not in ("version", "versions")}
    return [without_versions(inner) for inner in value] if isinstance(value, list) else value


def marked(store: CaseStore, case_id: str) -> dict[str, Mark]:
    return store.marks(store.case(case_id)).current


@pytest.mark.kill
def test_nothing_that_was_confirmed_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    case = CaseStore(path).create(patent(4), name="killed")
    chance = random.Random(1)  # noqa: S311
    confirmed: set[str] = set()
    following = 0
    for _ in range(KILLS):
        words = [sys.executable, "-c", MARKER, str(path), case, str(following)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(chance.randrange(1, 40))]
            time.sleep(chance.random() * 0.01)
            process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        numbers = [int(line) for line in said if line.endswith("\n")]
        confirmed |= {f"D{number}" for number in numbers}
        following = numbers[-1] + 2
        store = CaseStore(path)
        assert confirmed <= marked(store, case).keys()
        assert store.case(case).counts["not"] == len(marked(store, case))
        store.close()
    assert len(confirmed) > KILLS


def test_threads_that_mark_at_once_lose_nothing(store: CaseStore) -> None:
    case = store.create(patent(4), name="together")

    def work(who: int) -> None:
        for number in range(25):
            store.put_marks(case, mark(f"D{who}-{number}"))

    threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(marked(store, case)) == 200
    events = [row[0] for row in store.rows("SELECT event FROM marks ORDER BY event")]
    assert events == list(range(1, 201))


def test_a_mark_that_is_changed_keeps_its_place_in_the_order_of_reading(store: CaseStore) -> None:
    case = store.create(patent(4), name="order")
    for doc_id in "ABC":
        store.put_marks(case, mark(doc_id))
    store.put_marks(case, mark("A", "not"))
    store.remove_mark(case, "B", "")
    assert [(each.doc_id, each.relevance) for each in marked(store, case).values()] == [("A", "not"), ("C", "relevant")]
    log = [each.relevance for each in store.marks(store.case(case)).log]
    assert log == ["relevant", "relevant", "relevant", "not", "withdrawn"]
    assert store.case(case).counts == {"searches": 0, "relevant": 1, "maybe": 0, "not": 1}


def test_a_deleted_case_leaves_nothing(store: CaseStore) -> None:
    case = store.create(patent(4), name="gone")
    store.put_marks(case, mark("A"))
    store.delete(case)
    assert all(not rows for rows in store.dump(case).values())
    with pytest.raises(UnknownCaseError):
        store.case(case)


@pytest.mark.slow
def test_an_exported_case_is_imported_unchanged(client: Client, tmp_path: Path) -> None:
    case = client.case(name=MARKUP)
    mark_first(client, case, 5)
    client.ask("POST", f"{case}/query/words", json={"words": "sensors", "as": "weight"})
    client.ask("POST", f"{case}/search", json={})
    client.ask("POST", f"{case}/more", json={})
    client.ask("POST", f"{case}/query/undo")
    client.ask("PUT", f"{case}/chart", json={"features": [{"text": "a spring"}], "documents": ["EP1000004"]})
    client.ask("PUT", f"{case}/chart/cell", json={"feature": 5, "doc_id": "EP1000004", "text": "mine"})
    client.ask("PATCH", case, json={"notes": f"ö \U0001f527 {MARKUP}"})
    data = client.ask("GET", f"{case}/export/case.json")
    exported = to_json(data) + "\n"
    other = CaseStore(tmp_path / "other.sqlite")
    case_id = import_case(other, exported.encode())
    assert export_case(other, case_id) == exported.encode() == export_case(client.store, case_id)
    assert other.dump(case_id) == client.store.dump(case_id)
    assert import_case(other, exported.encode()) == case_id  # twice is once
    other.put_marks(case_id, mark("Z"))
    with pytest.raises(CaseConflictError, match="another state"):
        import_case(other, exported.encode())
    other.close()
    before = client.ask("GET", case)
    client.ask("DELETE", case, 204)
    after = client.ask("POST", "/api/cases/import", 201, content=exported.encode())
    assert after["version"] > before["version"]  # no version is given twice
    assert without_versions(after) == without_versions(before)


def test_weights_that_are_not_used_are_named_at_import(client: Client, world: Path, tmp_path: Path) -> None:
    """Cases of earlier versions have weights of active learning, which are constants now."""
    cases, file = tmp_path / "mine.sqlite", tmp_path / "a.case.json"
    assert call_program("review", "start", world, TOPIC, "--out", cases, "--seed", "7").code == 0
    assert call_program("review", "export", cases, "--out", file).code == 0
    assert call_program("review", "import", tmp_path / "other.sqlite", file).err == ""
    whole = json.loads(file.read_bytes())
    case = whole["case"]["cases"][0]
    plan = json.loads(case[11])
    for given, said in (
        ({"negatives": 100, "c": 10.0, "prior": 1.0, "classifier": 0.25}, ""),
        (
            {"negatives": 100, "c": 10.0, "prior": 0.25, "classifier": 1.0},
            "its weights of active learning (classifier 1.0, prior 0.25) are not used: it has none to choose",
        ),
    ):
        case[11] = to_json({**plan, "learning": {**plan["learning"], **given}})
        whole["sha256"] = sha256(to_json(whole["case"]).encode()).hexdigest()
        file.write_text(to_json(whole))
        done = call_program("review", "import", tmp_path / f"{len(said)}.sqlite", file)
        assert (done.code, done.err) == (0, said and f"antecede: {file}: {said}\n")
    made = client.ask("POST", "/api/cases/import", 201, content=file.read_bytes())
    assert made["unused"] == said
    assert client.ask("GET", f"/api/cases/{made['id']}")["unused"] == ""


DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "not a case file": lambda whole: whole.update(format="other"),
    "version 2; this program reads version 3": lambda whole: whole.update(version=2),
    "tables": lambda whole: whole.update(case={}),
    "marks.1": lambda whole: whole["case"]["marks"].append([whole["case"]["cases"][0][0], "x"]),
    "marks.0.3": lambda whole: whole["case"]["marks"][0].__setitem__(3, "perhaps"),
    "cases.0.7": lambda whole: whole["case"]["cases"][0].__setitem__(7, '{"doc_id":"x"}'),
    "drafts.0.2": lambda whole: whole["case"]["drafts"][0].__setitem__(2, '{"settings":{"k":1}}'),
    "searches.0.11": lambda whole: whole["case"]["searches"][0].__setitem__(11, "[1]"),
    "history": lambda whole: whole["case"].update(drafts=[]),
    "gaps": lambda whole: whole["case"]["marks"][0].__setitem__(1, 2),
}
"""Where or what is wrong, and how it came to be; tests/fuzz has many more."""


def test_a_case_file_that_is_not_one_is_refused_in_one_line(client: Client, tmp_path: Path) -> None:
    case = client.case()
    mark_first(client, case, 1)
    exported = client.get(f"{case}/export/case.json").content
    with closing(CaseStore(tmp_path / "other.sqlite")) as other:
        for what, damage in DAMAGE.items():
            whole = json.loads(exported)
            damage(whole)
            whole["sha256"] = sha256(to_json(whole["case"]).encode()).hexdigest()
            with pytest.raises(InputError, match=what) as caught:
                import_case(other, to_json(whole).encode(), source="a.json")
            assert "\n" not in str(caught.value)
        assert other.cases() == []


@pytest.mark.slow
def test_a_case_file_that_was_changed_or_is_not_json_is_refused(client: Client) -> None:
    whole = client.ask("GET", f"{client.case()}/export/case.json")
    whole["case"]["cases"][0][1] = "another name"
    for content, word in ((to_json(whole).encode(), "checksum"), (b"[" * 100_000, "not JSON"), (b"", "not JSON")):
        assert word in client.ask("POST", "/api/cases/import", 422, content=content)["detail"]


def test_an_import_is_bounded_in_time_and_size_as_uploads_are(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    data = client.get(f"{client.case()}/export/case.json").content
    monkeypatch.setitem(LIMITS, "/api/cases/import", len(data) - 1)
    assert "limit" in client.ask("POST", "/api/cases/import", 413, content=data)["detail"]
    monkeypatch.setitem(LIMITS, "/api/cases/import", len(data))
    monkeypatch.setattr(uploads, "SECONDS", 0.01)
    assert "longer than" in client.ask("POST", "/api/cases/import", 422, content=data)["detail"]


def test_an_import_that_needs_too_much_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    limited: list[bool] = []
    monkeypatch.setattr(uploads, "limit_resources", lambda: limited.append(True))
    monkeypatch.setattr("antecede.review.case_file.read_case_file", lambda *_: [0] * 2**60)
    monkeypatch.setattr("gc.disable", lambda: None)
    (tmp_path / "case.json").touch()
    assert uploads.main("case", str(tmp_path / "case.json"), "") == 0
    assert "more memory than the limit" in json.loads(capsys.readouterr().out)["error"]
    assert limited


def test_a_change_of_a_case_that_was_deleted_meanwhile_is_refused(store: CaseStore) -> None:
    case = store.create(patent(4), name="gone")
    store.delete(case)
    changes: list[Callable[[], Any]] = [
        lambda: store.put_marks(case, mark("A")),
        lambda: store.remove_mark(case, "A", ""),
        lambda: store.see(case, "A", "", None, None),
        lambda: store.put_draft(case, {}),
        lambda: store.step_draft(case, -1),
        lambda: store.put_cell(case, 1, "A", "text"),
        lambda: store.change_case(case, name="new"),
    ]
    for change in changes:
        with pytest.raises(UnknownCaseError):
            change()


def test_a_full_disk_gets_one_line_and_nothing_is_half_done(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    case = client.case()
    connect = CaseStore.connection

    def full(store: CaseStore) -> sqlite3.Connection:
        connection = connect(store)
        connection.execute("PRAGMA max_page_count = 1")  # no page more than the file has already
        return connection

    asked = {"doc_id": "EP1000004", "relevance": "not", "note": "x" * 20_000}
    with monkeypatch.context() as patched:
        patched.setattr(CaseStore, "connection", full)
        detail = client.ask("PATCH", f"{case}/marks", 507, json=asked)["detail"]
    assert ("full" in detail, "free some space" in detail, "\n" in detail) == (True, True, False)
    assert client.ask("GET", case)["marks"] == []


def test_a_damaged_store_gets_one_line(client: Client) -> None:
    case = client.case()
    mark_first(client, case, 1)
    for statement in ("UPDATE marks SET relevance = 'x'", "UPDATE searches SET facts = '{'", "DROP TABLE seen"):
        with client.store.change() as connection:
            connection.execute(statement)
        detail = client.ask("GET", case, 507)["detail"]
        assert "case store" in detail
        assert "\n" not in detail


def test_a_value_that_is_not_as_it_was_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        case = store.create(patent(4), name="A case of one note")
        store.put_marks(case, mark("EP1000001", "relevant", note="Discloses the relay"))
    whole = path.read_bytes()
    for right, wrong in (
        (b"Discloses the relay", b"Discloses the delay"),
        (b"relevant", b"relevanx"),
        (b"A case of one note", b"A case of one vote"),
        (b"EP1000001", b"EP1000007"),
    ):
        assert right in whole
        path.write_bytes(whole.replace(right, wrong))
        with pytest.raises(InputError, match="damaged"):
            open_store(path)
    path.write_bytes(whole)
    with closing(open_store(path)) as store:
        assert [each.note for each in marked(store, case).values()] == ["Discloses the relay"]


HIDING = "CREATE VIEW current_marks AS SELECT * FROM marks WHERE relevance = 'not'"
ENDLESS = """CREATE VIEW current_marks AS WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n FROM endless)
    SELECT marks.* FROM marks, endless"""
ALTERED = {
    "trigger spy was added": (
        "CREATE TRIGGER spy AFTER INSERT ON marks BEGIN UPDATE marks SET relevance = 'not'; END",
    ),
    "view spy was added": ("CREATE VIEW spy AS SELECT * FROM marks",),
    "view current_marks is not as it was made": ("DROP VIEW current_marks", ENDLESS),
    "view current_marks is not as it was made ": ("DROP VIEW current_marks", HIDING),
    "view current_marks is missing": ("DROP VIEW current_marks",),
    "index marks_check is missing": ("DROP INDEX marks_check",),
    "index marks_by_document is not as it was made": (
        "DROP INDEX marks_by_document",
        "CREATE UNIQUE INDEX marks_by_document ON marks (case_id, doc_id, event)",
    ),
    "table mine was added": ("CREATE TABLE mine (a)",),
    "table seen is not as it was made": ("ALTER TABLE seen ADD COLUMN more TEXT",),
    "malformed": ("PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = 'CREATE TABLE' WHERE name = 'seen'"),
}
"""What is said of a store that was altered, and how it was."""


def alter(path: Path, *statements: str) -> None:
    """Change a store as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.create_function("row_check", -1, row_check, deterministic=True)
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("said", ALTERED)
def test_a_store_that_another_program_altered_is_refused(said: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        case = store.create(patent(4), name="A case")
        store.put_marks(case, mark("EP1000001"))
    alter(path, *ALTERED[said])
    with pytest.raises(InputError, match=said.strip()):
        open_store(path)
    for words in (("list", path), ("status", path), ("mark", path, "EP1000001", "not"), ("import", path, path)):
        done = call_program("review", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
        assert said.strip() in done.err


@pytest.mark.parametrize("said", [said for said in ALTERED if said != "malformed"])  # which only a new connection reads
def test_a_store_that_is_altered_while_it_is_open_is_refused(said: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        case = store.create(patent(4), name="A case")
        store.put_marks(case, mark("EP1000001"))
        alter(path, *ALTERED[said])
        for do in (lambda: store.put_marks(case, mark("EP1000002")), lambda: store.marks(store.case(case))):
            with pytest.raises(InputError, match=said.strip()):
                do()
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("row_check", -1, row_check, deterministic=True)
        assert connection.execute("SELECT doc_id, relevance FROM marks").fetchall() == [("EP1000001", "relevant")]


def test_a_store_that_is_altered_at_the_last_moment_before_a_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        case = store.create(patent(4), name="A case")
        known = store.connection()
        monkeypatch.setattr(store, "connection", lambda: known)
        alter(path, *ALTERED["trigger spy was added"])
        with pytest.raises(StoreError, match="trigger spy was added"):
            store.put_marks(case, mark("EP1000002"))


def test_a_store_in_a_folder_that_cannot_be_written_to_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        store.create(patent(4), name="A case")
    (tmp_path / "cases.sqlite-wal").mkdir()  # as the file that SQLite needs cannot be made: root may write anywhere
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"unable to open database file.*; copy it to a folder that can be written to"):
        open_store(path)


def test_sqlite_may_analyse_a_store_that_is_open(store: CaseStore) -> None:
    case = store.create(patent(4), name="A case")
    alter(store.path, "ANALYZE", "VACUUM")
    assert store.case(case).name == "A case"
    alter(store.path, "VACUUM")
    store.put_marks(case, mark("EP1000001"))
    assert [*marked(store, case)] == ["EP1000001"]


def test_a_schema_that_is_never_read_to_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        store.create(patent(4), name="A case")
    path.write_bytes(with_endless_schema(path.read_bytes(), "cases"))
    with pytest.raises(InputError, match=r"interrupted|malformed"):
        open_store(path)


def test_a_store_that_sqlite_has_analysed_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    with closing(CaseStore(path)) as store:
        store.create(patent(4), name="A case")
    alter(path, "ANALYZE", "VACUUM")
    with closing(open_store(path)) as store:
        assert len(store.cases()) == 1


def test_nothing_is_written_but_in_a_change(store: CaseStore) -> None:
    case = store.create(patent(4), name="A case")
    with pytest.raises(StoreError, match="readonly"):
        store.rows("CREATE TABLE mine (a)")
    with store.change(case), pytest.raises(ZeroDivisionError):
        raise ZeroDivisionError
    with pytest.raises(StoreError, match="readonly"):
        store.rows("PRAGMA user_version = 9")
    assert store.rows("PRAGMA trusted_schema")[0][0] == 0


def test_a_store_and_what_is_beside_it_are_for_their_owner_alone(tmp_path: Path) -> None:
    with closing(CaseStore(tmp_path / "cases.sqlite")) as store:
        store.create(patent(4), name="mine")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("cases.sqlite", "cases.sqlite-wal", "cases.sqlite-shm"), 0o600)


def test_a_copy_without_its_log_is_refused_instead_of_empty(tmp_path: Path) -> None:
    with closing(CaseStore(tmp_path / "cases.sqlite")) as store:
        store.create(patent(4), name="in the log only")
        shutil.copy(tmp_path / "cases.sqlite", tmp_path / "copy.sqlite")
        with pytest.raises(InputError, match="-wal"):
            open_store(tmp_path / "copy.sqlite")
    with closing(open_store(tmp_path / "cases.sqlite")) as store:
        assert len(store.cases()) == 1


def test_files_that_are_not_a_store_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but long enough to be looked at " * 50)
    with pytest.raises(InputError, match="cannot be opened as a case store"):
        CaseStore(tmp_path / "text")
    with sqlite3.connect(tmp_path / "foreign.sqlite") as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    with pytest.raises(InputError, match="not a case store"):
        CaseStore(tmp_path / "foreign.sqlite")
    for version in (3, 99):
        with closing(CaseStore(tmp_path / "new.sqlite")) as store, store.change() as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(InputError, match=rf"version {version}; this program reads version 6; open it with"):
            open_store(tmp_path / "new.sqlite")
        (tmp_path / "new.sqlite").unlink()
