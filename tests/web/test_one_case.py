"""One case in the terminal and on the page: begun here, continued there, finished here, with the same counts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from antecede.review.case import Review
from antecede.review.store import CaseStore
from tests.conftest import call_program
from tests.web.test_server import started
from tests.web.world import TOPIC, Client

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine

LEVELS = ("relevant", "maybe", "not")
KILLS = int(os.environ.get("ANTECEDE_KILLS", "5"))
"""How often the terminal and the page are killed at work."""


def counts_of(values: dict[str, Any]) -> list[int]:
    return [values[name] for name in LEVELS]


def test_a_case_goes_from_the_terminal_to_the_page_and_back(world: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.sqlite"
    assert call_program("review", "start", world, TOPIC, "--out", cases).code == 0
    assert call_program("review", "next", cases, stdin=b"r\nm a note\nn\nq\n").code == 0
    with started(world, cases) as (_, client):
        (entry,) = client.get("/api/cases").json()
        case = f"/api/cases/{entry['id']}"
        assert counts_of(entry["counts"]) == [1, 1, 1]
        whole = client.get(case).json()
        assert (whole["topic"]["doc_id"], whole["index_changed"]) == (TOPIC, False)
        assert [mark["note"] for mark in whole["marks"]] == ["", "a note", ""]
        listed = client.get(f"{case}/searches/1").json()
        assert (listed["stale"], listed["retrieved"]) == (False, listed["documents"]["searched"])
        assert client.get(f"{case}/query").json()["terms"]
        fresh = client.post(f"{case}/search", json={"family": False}).json()
        assert fresh["search"]["number"] == 2
        known = {mark["doc_id"] for mark in whole["marks"]}
        unread = [hit["doc_id"] for hit in fresh["hits"] if hit["doc_id"] not in known]
        for at, doc_id in enumerate(unread[:6]):
            body = {"doc_id": doc_id, "relevance": LEVELS[at % 3], "search": 2, "rank": at + 1}
            answer = client.patch(f"{case}/marks", json={**body, "version": 0})
            assert answer.status_code == 200
        seen = {"id": unread[5], "version": answer.json()["version"]}
        assert client.delete(f"{case}/marks", params=seen).status_code == 200
        # In the terminal, while the page is open.
        last = call_program("review", "next", cases, "--json").json["documents"][0]["doc_id"]
        assert last not in {*known, *unread[:5]}
        marked = call_program("review", "mark", cases, last, "relevant", "--category", "X,P", "--json").json
        assert (marked["read"], counts_of(marked)) == (9, [4, 3, 2])
        progress = client.get(f"{case}/progress").json()
        assert (progress["read"], counts_of(progress)) == (9, [4, 3, 2])
        graded = call_program("review", "mark", cases, last, "relevant", "--category", "X,P", "--grade", "3")
        assert graded.code == 0
        body = {"doc_id": last, "relevance": "relevant", "category": "X,P", "note": "read again"}
        version = client.get(case).json()["version"]
        assert client.patch(f"{case}/marks", json={**body, "version": version}).json()["mark"]["grade"] == 3
        assert counts_of(client.get(case).json()["counts"]) == [4, 3, 2]
        qrels = client.get(f"{case}/export/qrels.txt").text.splitlines()
        assert sorted(line[-1] for line in qrels) == ["0"] * 5 + ["2"] * 3 + ["3"]
        report = client.get(f"{case}/export/report.html").text
        assert "9 documents were read and marked: 4 relevant, 3 maybe, 2 not relevant" in report
        assert "X,P" in report
    status = call_program("review", "status", cases, "--json").json
    assert (status["read"], counts_of(status["counts"])) == (9, [4, 3, 2])
    (listing,) = call_program("review", "list", cases, "--json").json
    assert counts_of(listing) == [4, 3, 2]
    exported, other = tmp_path / "case.json", tmp_path / "other.sqlite"
    assert call_program("review", "export", cases, entry["id"], "--out", exported).code == 0
    assert str(world) not in exported.read_text()  # where the index is stays on this machine
    assert call_program("review", "import", other, exported).code == 0
    assert counts_of(call_program("review", "status", other, "--json").json["counts"]) == [4, 3, 2]
    assert call_program("review", "next", other, "--json").code == 2  # active learning needs the index
    assert call_program("review", "next", other, "--index", world, "--json").code == 0


def test_a_case_of_the_page_is_read_in_the_terminal(index: EmbeddedEngine, tmp_path: Path) -> None:
    cases = tmp_path / "cases.sqlite"
    with closing(CaseStore(cases)) as store, Client(index, store) as client:
        case = client.sign_in().case()
        hits = client.ask("POST", f"{case}/search", json={"family": False})["hits"]
        client.ask("PATCH", f"{case}/marks", json={"doc_id": hits[0]["doc_id"], "relevance": "maybe"})
    (document,) = call_program("review", "next", cases, "--json").json["documents"]
    assert (document["doc_id"], document["rank"], bool(document["title"])) == (hits[1]["doc_id"], 2, True)
    assert document["passages"]


def test_the_terminal_the_page_and_the_report_show_the_same_estimate(
    world: Path, index: EmbeddedEngine, tmp_path: Path
) -> None:
    cases = tmp_path / "cases.sqlite"
    start = ("review", "start", world, TOPIC, "--out", cases, "--before", "off", "--feedback", "static")
    assert call_program(*start).code == 0
    assert call_program("review", "next", cases, stdin=b"r\nn\nr\n" + b"n\n" * 18).code == 0
    (estimate,) = call_program("review", "status", cases, "--json").json["estimates"].values()
    stop = call_program("review", "stop", cases, "--json").json["rules"]["quasi_sampling(confidence=0.9)"]
    with closing(CaseStore(cases)) as store, Client(index, store) as client:
        case = f"/api/cases/{client.sign_in().ask('GET', '/api/cases')[0]['id']}"
        progress = client.ask("GET", f"{case}/progress")
        report = client.get(f"{case}/export/report.html").text
    (shown,) = progress["estimates"]
    assert {name: shown[name] for name in ("low", "high", "level", "statement")} == {
        name: estimate[name] for name in ("low", "high", "level", "statement")
    }
    assert (shown["name"], progress["advice"]["more"]) == ("general", stop["more"])
    assert f"{shown['low']:,.0f} to {shown['high']:,.0f} (95 %)" in report
    assert f"About {stop['more']} more documents" in report
    assert any("review calibrate" in note for note in progress["notes"])
    assert "review calibrate" not in report  # a hint for the searcher


def test_all_that_is_counted_is_what_can_be_shown_next(world: Path, index: EmbeddedEngine, tmp_path: Path) -> None:
    """Of what the searches looked at, the case lists a part, which grows with each search."""
    cases = tmp_path / "cases.sqlite"
    start = ("review", "start", world, TOPIC, "--out", cases, "--depth", "5", "--feedback", "static")
    assert call_program(*start).code == 0
    begun = call_program("review", "status", cases)
    assert re.search(r"documents +5\n", begun.out)
    assert re.search(r"the search looked at \d+ documents; the case ends with those that it lists", begun.out)
    assert "the first" not in begun.out
    with closing(CaseStore(cases)) as store, Client(index, store) as client:
        case = f"/api/cases/{client.sign_in().ask('GET', '/api/cases')[0]['id']}"
        client.ask("PUT", f"{case}/query", json={"settings": {"method": ["full"]}, "filters": {"country": ["US"]}})
        client.ask("POST", f"{case}/search", json={})
    with Review.open(cases) as review:
        status = call_program("review", "status", cases, "--json").json
        assert 5 < status["documents"] == len(review.doc_ids) == review.unread
        assert status["searched"] == review.searches[-1].facts["documents"]["searched"]
        for document in review.next(status["documents"]):
            review.mark(document.doc_id, "not")
        assert review.next() == []
        assert review.reading().complete
    done = call_program("review", "stop", cases)
    assert (done.code, "documents are read" in done.out) == (0, True)


KILLER = """
import os, random, signal, sys
from starlette.testclient import TestClient
from antecede.engine import open_index
from antecede.review.case import Review
from antecede.review.store import CaseStore
from antecede.web.access import make_access
from antecede.web.app import create_api
from antecede.web.access import Gate

path, index, case, names = sys.argv[1], open_index(sys.argv[2]), sys.argv[3], sys.argv[4].split(",")
draw = random.Random(0)
access = make_access("127.0.0.1")
api = create_api(index, CaseStore(":memory:"), access)  # once: it takes longer than a child lives

def mark_in_terminal(said):
    with Review.open(path) as review:
        while True:
            for at, name in enumerate(names[0::2]):
                review.mark(name, ("relevant", "maybe", "not")[at % 3], note=f"{os.getpid()}-{at}")
                os.write(said, f"{name} {os.getpid()}-{at}\\n".encode())

def mark_on_the_page(said):
    api.state.workbench.store = CaseStore(path)
    with TestClient(Gate(api, access), base_url="http://127.0.0.1:8765") as client:
        client.get("/api/session", params={"token": access.token})
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        versions = {mark["doc_id"]: mark["version"] for mark in client.get(f"/api/cases/{case}/marks").json()}
        while True:
            for at, name in enumerate(names[1::2]):
                body = {"doc_id": name, "relevance": "not", "note": f"{os.getpid()}-{at}"}
                answer = client.patch(f"/api/cases/{case}/marks", json={**body, "version": versions.get(name, 0)})
                assert answer.status_code == 200
                versions[name] = answer.json()["version"]
                os.write(said, f"{name} {os.getpid()}-{at}\\n".encode())

for _ in range(int(sys.argv[5])):
    children = []
    for work, enough in ((mark_on_the_page, 1), (mark_in_terminal, draw.randrange(20, 60))):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            work(write)
        os.close(write)
        said = b""
        while said.count(b"\\n") < enough:
            more = os.read(read, 1 << 16)
            assert more, "it ended before it was killed"
            said += more
        children.append((child, read, said))
    for child, read, said in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open(read, "rb") as pipe:
            whole, _, _ = (said + pipe.read()).rpartition(b"\\n")
        print(whole.decode())
"""


@pytest.mark.kill
def test_no_confirmed_mark_is_lost_by_kills_in_the_terminal_and_on_the_page(world: Path, tmp_path: Path) -> None:
    """A terminal and a page mark documents of one case at once, and both are killed; and again."""
    cases = tmp_path / "cases.sqlite"
    assert call_program("review", "start", world, TOPIC, "--out", cases, "--feedback", "static").code == 0
    with Review.open(cases) as review:
        given = (cases, world, review.case.id, ",".join(review.doc_ids), KILLS)
    words = [sys.executable, "-c", KILLER, *map(str, given)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    confirmed = dict(line.split(" ") for line in done.stdout.splitlines() if line)
    total = done.stdout.count(" ")
    with closing(CaseStore(cases)) as store:
        assert store.rows("PRAGMA integrity_check")[0][0] == "ok"
        log = store.marks(store.cases()[0])
    notes = {(mark.doc_id, mark.note) for mark in log}
    said = {tuple(line.split(" ")) for line in done.stdout.splitlines() if line}
    assert said <= notes
    assert total > 20 * KILLS
    assert len(log) - total <= 2 * KILLS  # one that was saved and not yet confirmed, at most, per kill
    held = {mark.doc_id: mark.note for mark in log.current.values()}
    assert sum(held[doc_id] != note for doc_id, note in confirmed.items()) <= 2 * KILLS
