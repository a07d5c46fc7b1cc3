"""Two people on one case: nothing of theirs is overwritten, and every conflict is answered with what is there."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from antecede.web.access import make_access, put_user
from tests.web.test_access import PASSWORDS, sign_in
from tests.web.world import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.review.store import CaseStore

BOB = "<b>bob</b>"
DOCUMENTS = [f"EP{1000000 + at}" for at in range(2, 14) if at % 3]


@pytest.fixture
def pair(index: EmbeddedEngine, store: CaseStore, tmp_path: Path) -> Iterator[tuple[Client, Client]]:
    """Two users of one server."""
    users = tmp_path / "users.json"
    for name, password in PASSWORDS.items():
        put_user(users, name, password)
    access = make_access("127.0.0.1", users=users)
    with Client(index, store, access) as ann, Client(index, store, access) as bob:
        bob.api.state.watcher = ann.api.state.watcher
        sign_in(ann, "ann")
        sign_in(bob, BOB)
        yield ann, bob


def shared_case(ann: Client) -> str:
    case = ann.case()
    ann.ask("PATCH", case, json={"people": [{"user": BOB, "right": "write"}]})
    return case


def test_a_change_on_an_old_version_is_answered_with_what_is_there(pair: tuple[Client, Client]) -> None:
    ann, bob = pair
    case = shared_case(ann)
    mark = {"doc_id": "EP1000004", "version": 0}
    first = ann.ask("PATCH", f"{case}/marks", json={**mark, "relevance": "relevant", "search": 1, "rank": 3})
    refused = bob.ask("PATCH", f"{case}/marks", 409, json={**mark, "relevance": "not"})
    assert refused["detail"].startswith("the mark of EP1000004 was changed by ann at ")
    assert (refused["user"], refused["version"], refused["current"]) == ("ann", first["version"], first["mark"])
    assert "relevance" in refused["fields"]
    mine = bob.ask("PATCH", f"{case}/marks", json={**mark, "version": refused["version"], "note": "see figure 2"})[
        "mark"
    ]
    assert (mine["relevance"], mine["note"], mine["user"], mine["rank"]) == ("relevant", "see figure 2", BOB, 3)
    late = ann.ask("PATCH", f"{case}/marks", 409, json={**mark, "version": first["version"], "category": "X"})
    assert late["fields"] == ["note", "user", "time"]
    assert "no version" in ann.ask("PATCH", f"{case}/marks", 422, json={**mark, "version": 2**40, "note": ""})["detail"]


def test_a_field_alone_is_changed(client: Client) -> None:
    case = client.case()
    document = {"doc_id": "EP1000004"}
    refused = client.ask("PATCH", f"{case}/marks", 422, json={**document, "note": "?"})["detail"]
    assert "mark it as relevant, maybe or not first" in refused
    client.ask("PATCH", f"{case}/marks", json={**document, "relevance": "maybe", "category": "X", "claims": "1-3"})
    for change in ({"note": "figure 2"}, {"claims": "1"}, {"category": None}, {"relevance": "relevant"}):
        client.ask("PATCH", f"{case}/marks", json={**document, **change})
    (mark,) = client.ask("GET", f"{case}/marks")
    names = ("relevance", "category", "claims", "note")
    assert [mark[name] for name in names] == ["relevant", None, "1", "figure 2"]
    version = mark["version"]
    same = client.ask("PATCH", f"{case}/marks", json={**document, "relevance": "relevant", "search": 7, "rank": 9})
    assert (same["version"], same["mark"]["rank"]) == (version, None)


def test_undo_and_redo_keep_the_search_and_the_rank(client: Client) -> None:
    case, document = client.case(), {"doc_id": "EP1000004"}
    marked = client.ask("PATCH", f"{case}/marks", json={**document, "relevance": "maybe", "search": 3, "rank": 17})
    changed = client.ask("PATCH", f"{case}/marks", json={**document, "relevance": "not", "note": "no spring"})
    undone = client.ask("POST", f"{case}/marks/restore", json={**document, "to": changed["before"]})
    assert undone["said"] == "EP1000004 is maybe again"
    assert {**undone["mark"], "version": 0} == {**marked["mark"], "version": 0}
    none = client.ask("POST", f"{case}/marks/restore", json={**document, "to": marked["before"]})
    assert (none["mark"], none["said"]) == (None, "EP1000004 has no mark again")
    redone = client.ask("POST", f"{case}/marks/restore", json={**document, "to": changed["version"]})
    assert (redone["mark"]["relevance"], redone["mark"]["rank"], redone["mark"]["search"]) == ("not", 17, 3)
    assert redone["mark"]["note"] == "no spring"


def test_every_record_refuses_an_old_version(pair: tuple[Client, Client]) -> None:
    ann, bob = pair
    case = shared_case(ann)
    ann.ask("POST", f"{case}/search", json={})
    ann.ask("PUT", f"{case}/chart", json={"features": [{"text": "a spring"}], "documents": ["EP1000004"]})
    (cell,) = ann.ask("GET", f"{case}/chart")["cells"]
    old = ann.ask("GET", case)["version"]
    edit = {"feature": cell["feature"], "doc_id": "EP1000004", "text": "hers"}
    changes: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        ("PATCH", "", {"notes": "hers"}, {"notes": "his"}),
        ("PATCH", "", {"name": "hers"}, {"name": "his"}),
        ("PUT", "/query", {"filters": {"country": ["EP"]}}, {"filters": {"country": ["US"]}}),
        ("POST", "/query/words", {"words": "steel", "as": "weight"}, {"words": "brass", "as": "must"}),
        ("PATCH", "/searches/1", {"name": "hers"}, {"name": "his"}),
        ("PUT", "/chart/cell", edit, {**edit, "text": "his"}),
        ("PUT", "/chart", {"features": [], "documents": []}, {"features": [{"text": "x"}], "documents": []}),
    ]
    for method, path, hers, his in changes:
        ann.ask(method, f"{case}{path}", json=hers)
        refused = bob.ask(method, f"{case}{path}", 409, json={**his, "version": old})
        assert (refused["user"], refused["version"] > old, "current" in refused) == ("ann", True, True), path
    assert refused["fields"] == ["chart"]
    assert (bob.ask("GET", case)["notes"], bob.ask("GET", case)["name"]) == ("hers", "hers")


def test_a_case_that_is_shared_to_be_read_is_not_changed(pair: tuple[Client, Client]) -> None:
    ann, bob = pair
    case = ann.case()
    assert bob.get(case).status_code == 404
    shared = ann.ask("PATCH", case, json={"people": [{"user": BOB, "right": "read"}]})
    assert shared["people"] == [{"user": BOB, "right": "read"}]
    assert bob.ask("GET", case)["right"] == "read"
    assert [entry["right"] for entry in bob.ask("GET", "/api/cases")] == ["read"]
    for method, path, body in (
        ("PATCH", "/marks", {"doc_id": "EP1000004", "relevance": "not"}),
        ("PATCH", "", {"notes": "mine"}),
        ("POST", "/search", {}),
        ("POST", "/query/undo", {}),
    ):
        assert "shared with you to be read" in bob.ask(method, f"{case}{path}", 403, json=body)["detail"]
    bob.ask("POST", f"{case}/seen", 204, json={"doc_id": "EP1000004"})
    assert ann.ask("GET", case)["seen"] == []
    ann.ask("PATCH", case, json={"people": []})
    assert bob.get(case).status_code == 404


@pytest.mark.slow
def test_of_500_interleaved_changes_nothing_is_lost(pair: tuple[Client, Client]) -> None:
    """Two people change marks, notes, claims and take changes back; each knows only what they were last told."""
    draw = random.Random(5)  # noqa: S311
    case = shared_case(pair[0])
    known: list[dict[str, int]] = [dict.fromkeys(DOCUMENTS, 0), dict.fromkeys(DOCUMENTS, 0)]
    truth: dict[str, dict[str, Any]] = {doc_id: {} for doc_id in DOCUMENTS}
    earlier: dict[str, tuple[int, dict[str, Any]]] = {}
    latest, refused = dict.fromkeys(DOCUMENTS, 0), 0
    for number in range(500):
        who, doc_id = draw.randrange(2), draw.choice(DOCUMENTS)
        kinds = ["relevance", "note", "claims", *(["restore"] if doc_id in earlier else [])]
        kind = draw.choice(kinds) if truth[doc_id] else "relevance"
        body: dict[str, Any] = {"doc_id": doc_id, "version": known[who][doc_id]}
        if kind == "restore":
            version, wanted = earlier[doc_id]
            answer = pair[who].post(f"{case}/marks/restore", json={**body, "to": version})
        else:
            value = draw.choice(("relevant", "maybe", "not")) if kind == "relevance" else str(number)
            wanted = {"note": "", "claims": "", **truth[doc_id], kind: value}
            answer = pair[who].patch(f"{case}/marks", json={**body, kind: value})
        told = answer.json()
        known[who][doc_id] = told["version"]
        if body["version"] < latest[doc_id]:
            current = told["current"] or {}
            assert (answer.status_code, {name: current[name] for name in truth[doc_id]}) == (409, truth[doc_id])
            refused += 1
            continue
        assert answer.status_code == 200, answer.text
        if told["version"] != latest[doc_id]:
            earlier[doc_id] = told["before"], truth[doc_id]
        truth[doc_id], latest[doc_id] = wanted, told["version"]
    assert refused > 50
    stored = {mark["doc_id"]: mark for mark in pair[1].ask("GET", f"{case}/marks")}
    for doc_id, fields in truth.items():
        assert (doc_id in stored) == bool(fields)
        assert {name: stored[doc_id][name] for name in fields} == fields


def test_what_is_wrong_with_a_request_is_said_without_names_of_the_api(client: Client) -> None:
    case = client.case()
    client.ask("POST", f"{case}/search", json={})
    refused = client.ask("GET", f"{case}/searches/1", 422, params={"limit": 201})
    assert refused == {"detail": "the field “limit” must be at most 200", "field": "query.limit"}
    assert client.ask("GET", f"{case}/searches/1", params={"limit": 200, "offset": 5000})["hits"] == []
    assert client.ask("POST", f"{case}/search", 422, json={"offset": "x"})["detail"] == (
        "the field “offset” must be a whole number"
    )


def test_words_say_what_adding_them_means(client: Client) -> None:
    case = client.case()
    view = client.ask("GET", f"{case}/query/words", params={"words": "flat spring"})
    assert (view["documents"], view["must"]["possible"], view["weight"]["possible"]) == (1, True, True)
    unknown = client.ask("GET", f"{case}/query/words", params={"words": "xqzt"})
    assert (unknown["documents"], unknown["unknown"], unknown["must"]["possible"]) == (0, ["xqzt"], False)
    said = client.ask("POST", f"{case}/query/words", json={"words": "xqzt", "as": "weight"})["said"]
    assert said == "xqzt: no document holds it"
    added = client.ask("POST", f"{case}/query/words", json={"words": "mesh network", "as": "weight"})
    assert {"mesh", "network"} <= {term["word"] for term in added["terms"] if term["added"]}
    assert added["phrases"] == []
    must = client.ask("POST", f"{case}/query/words", json={"words": "sensors", "as": "must"})
    assert [phrase["words"] for phrase in must["phrases"]] == ["sensors"]


def test_more_like_these_becomes_the_query(client: Client) -> None:
    case = client.case()
    client.ask("POST", f"{case}/search", json={})
    before = client.ask("GET", f"{case}/query")
    for doc_id in ("EP1000004", "EP1000008"):
        client.ask("PATCH", f"{case}/marks", json={"doc_id": doc_id, "relevance": "relevant"})
    more = client.ask("POST", f"{case}/more", json={})
    learned = more["query"]
    assert learned["state"]["own"]
    assert {term["term"] for term in learned["terms"]} == {term["term"] for term in more["terms"]}
    assert f"{len(learned['terms'])} terms" in more["search"]["label"]
    weights = {term["term"]: term["weight"] for term in learned["terms"]}
    assert weights == pytest.approx({term["term"]: term["weight"] for term in more["terms"]})
    heavier = {**learned["state"], "filters": {"where": "valve"}}
    heavier["terms"][0]["weight"] *= 10
    client.ask("PUT", f"{case}/query", json=heavier)
    found = client.ask("POST", f"{case}/search", json={})
    assert {term["term"] for term in found["terms"]} == weights.keys()  # an expression drops no learned term
    client.ask("POST", f"{case}/query/undo")
    undone = client.ask("POST", f"{case}/query/undo")
    assert undone["terms"] == before["terms"]


def test_rows_are_sorted(client: Client) -> None:
    case = client.case()
    client.ask("POST", f"{case}/search", json={"family": False})
    rows = {
        sort: client.ask("GET", f"{case}/searches/1", params={"sort": sort, "limit": 200, "family": False})["hits"]
        for sort in ("score", "newest", "oldest", "applicant")
    }
    assert [hit["rank"] for hit in rows["score"]] == [*range(1, len(rows["score"]) + 1)]
    days = [hit["date"] for hit in rows["newest"] if hit["date"]]
    assert days == sorted(days, reverse=True)
    assert [hit["date"] for hit in rows["oldest"] if hit["date"]] == sorted(days)
    applicants = [hit["applicants"][0].casefold() for hit in rows["applicant"] if hit["applicants"]]
    assert applicants == sorted(applicants)
    for hits in rows.values():
        assert {hit["doc_id"] for hit in hits} == {hit["doc_id"] for hit in rows["score"]}
    assert all(hit["date"] is None for hit in rows["newest"][len(days) :])
    assert {hit["date_is"] for hit in rows["score"] if hit["date"]} == {"publication"}
