"""Case files of a stranger, with the right checksum: refused in one line, or shown in every view and deleted again."""

from __future__ import annotations

import copy
import json
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from antecede.errors import AntecedeError
from antecede.review.case_file import export_case, import_case
from antecede.review.database import to_json
from antecede.review.exports import KINDS
from antecede.review.store import CaseStore
from tests.fuzz.test_manifests import places
from tests.web.world import Client, build_world, open_world

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from tests.fuzz.outcomes import Fuzz

IN_JSON = {"cases": (7, 9, 11), "drafts": (2,), "searches": (7, 8, 10, 11)}
"""The columns that hold JSON."""
BAD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**53, 2**63, 10**400, 1e308, 1.5, float("nan"), float("-inf"), "", "x", "1", "\x00",
    "\ud800", "../../logout", "a/b", "a b", "<b>", "a" * 30_000, "2001-02-30", "zz", "en", "not", "feedback", [], {},
    [[]], [1], {"a": 1}, [["EP1000004", 1.0]] * 3, {"features": [{"id": 1, "claim": None, "text": "a"}] * 2},
)  # fmt: skip
VIEWS = (
    "", "/topic", "/query", "/searches", "/searches/1", "/searches/1?family=false", "/searches/2", "/searches/1/facets",
    "/marks", "/document?id=EP1000004&search=1", "/document?id=EP1000099&search=2", "/chart", "/progress",
    "/compare?first=1&second=2", *(f"/export/{kind}" for kind in KINDS),
)  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("cases")
    with (
        closing(CaseStore(folder / "cases.sqlite")) as store,
        Client(open_world(build_world(folder)), store, raise_server_exceptions=False) as opened,
    ):
        yield opened.sign_in()


@pytest.fixture(scope="module")
def exported(client: Client) -> dict[str, Any]:
    """A case with something in every table."""
    case = client.case()
    for number, hit in enumerate(client.ask("POST", f"{case}/search", json={})["hits"][:4]):
        relevance = ("relevant", "maybe", "not")[number % 3]
        client.ask(
            "PATCH", f"{case}/marks", json={"doc_id": hit["doc_id"], "relevance": relevance, "search": 1, "rank": 1}
        )
    client.ask("POST", f"{case}/query/words", json={"words": "sensors", "as": "weight"})
    client.ask("POST", f"{case}/more", json={})
    chart = client.ask("PUT", f"{case}/chart", json={"features": [{"text": "a spring"}], "documents": ["EP1000004"]})
    cell = {"feature": chart["features"][0]["id"], "doc_id": "EP1000004", "text": "mine"}
    client.ask("PUT", f"{case}/chart/cell", json=cell)
    whole: dict[str, Any] = json.loads(export_case(client.store, case.rpartition("/")[2]))
    client.ask("DELETE", case, 204)
    return whole


def mutate(chance: random.Random, whole: dict[str, Any]) -> str:
    """Change one value of a case, or one in the JSON of a column."""
    tables = whole["case"]
    table = chance.choice([name for name, rows in tables.items() if rows])
    row = chance.choice(tables[table])
    column = chance.randrange(len(row))
    kind = chance.choice(["replace", "replace", "replace", "remove", "double"])
    value = copy.deepcopy(chance.choice(BAD))
    place: tuple[Any, ...] = ()
    if column in IN_JSON.get(table, ()) and chance.random() < 0.9:
        inner = json.loads(row[column])
        place = chance.choice([*places(inner)])
        row[column] = json.dumps(changed(inner, place, kind, value))
    elif column == 0 and table == "cases":
        for each in (each for rows in tables.values() for each in rows):
            each[0] = value
    elif kind == "double":
        tables[table].append(copy.deepcopy(row))
    elif kind == "remove":
        del row[column]
    else:
        row[column] = value
    return f"{kind} {table} {column} {place} {value!r:.40}"


def changed(whole: Any, place: tuple[Any, ...], kind: str, value: Any) -> Any:
    """A JSON value with a change at one place."""
    if not place:
        return value
    *path, last = place
    parent = whole
    for key in path:
        parent = parent[key]
    if kind == "remove":
        del parent[last]
    elif kind == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    else:
        parent[last] = value
    return whole


def seal(whole: dict[str, Any]) -> bytes:
    """A case file with the checksum of its content."""
    text = json.dumps(whole["case"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    whole["sha256"] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps(whole).encode()


def look(client: Client, data: bytes, what: str) -> str:
    """Import a case, open all its views and delete it; what became of it."""
    before, refusal = client.store.cases(), ""
    try:
        case_id = import_case(client.store, data)
    except AntecedeError as error:
        refusal = str(error)
    if refusal:
        assert "\n" not in refusal, what
        assert client.store.cases() == before, what
        return "refused"
    case = f"/api/cases/{case_id}"
    for path in VIEWS:
        answer = client.get(case + path)
        assert answer.status_code < 500, (what, path, answer.text[:300])
    for path in ("/search", "/more", "/query/undo"):
        assert client.post(case + path, json={}).status_code < 500, (what, path)
    assert client.get("/api/cases").status_code == 200, what
    assert client.delete(case).status_code == 204, what
    return "shown"


def test_a_case_file_is_refused_or_shown_everywhere(client: Client, exported: dict[str, Any], fuzz: Fuzz) -> None:
    for number, chance in fuzz.cases(60):
        whole = copy.deepcopy(exported)
        what = f"case {number}: {mutate(chance, whole)}"
        fuzz.count(look(client, seal(whole), what))


def in_column(table: str, column: int, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """A change of what the JSON of a column holds."""

    def apply(tables: dict[str, Any]) -> None:
        inner = json.loads(tables[table][0][column])
        change(inner)
        tables[table][0][column] = json.dumps(inner)

    return apply


CRAFTED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "an id that is a path": lambda tables: [
        row.__setitem__(0, "../../logout") for rows in tables.values() for row in rows
    ],
    "a shorter ranking": in_column("searches", 11, lambda ranking: ranking.__delitem__(slice(2, None))),
    "a longer ranking": in_column("searches", 11, lambda ranking: ranking.extend(ranking)),
    "a score that is not a number": in_column("searches", 11, lambda ranking: ranking[0].__setitem__(1, float("nan"))),
    "a weight as text": in_column("searches", 10, lambda facts: facts["terms"][0].update(weight="1")),
    "an infinite weight": in_column("searches", 10, lambda facts: facts["terms"][0].update(weight=float("inf"))),
    "too many documents": in_column("searches", 10, lambda facts: facts["documents"].update(searched=10**30)),
    "no history at this place": lambda tables: tables["cases"][0].__setitem__(10, 99),
    "a surrogate in the title": in_column("cases", 7, lambda topic: topic.update(title={"en": "\ud800"})),
    "a surrogate in a note of a search": in_column("searches", 10, lambda facts: facts["notes"].append("\udfff")),
    "a feature twice": in_column("cases", 9, lambda chart: chart.update(features=chart["features"] * 2)),
    "a huge feature": in_column("cases", 9, lambda chart: chart["features"][0].update(id=2**70)),
    "a method that is not there": in_column("drafts", 2, lambda state: state["settings"].update(method=["nothing"])),
    "a ranking from a file": in_column("drafts", 2, lambda state: state["settings"].update(ranking="/etc/passwd")),
    "a rank that is too large": lambda tables: tables["marks"][0].__setitem__(12, 2**63),
    "another owner": lambda tables: tables["cases"][0].__setitem__(2, "ann"),
    "a time of no clock": lambda tables: tables["marks"][0].__setitem__(9, "yesterday"),
}


HARMLESS = ("a shorter ranking", "a longer ranking", "another owner")


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_case_file_is_refused_or_shown_everywhere(
    client: Client, exported: dict[str, Any], name: str
) -> None:
    whole = copy.deepcopy(exported)
    CRAFTED[name](whole["case"])
    assert look(client, seal(whole), name) == ("shown" if name in HARMLESS else "refused")


def test_the_case_itself_is_imported_unchanged(client: Client, exported: dict[str, Any]) -> None:
    assert look(client, (to_json(exported) + "\n").encode(), "unchanged") == "shown"
