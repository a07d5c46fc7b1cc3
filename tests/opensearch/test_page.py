"""The searcher's page on a cluster: every request gets the same answer as on the same collection in a folder."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from antecede.corpus import Collection
from antecede.engine import open_index, read_headers
from antecede.review.sources import start_review
from antecede.review.store import CaseStore
from antecede.search.facets import count_facets, cover_collection
from antecede.search.passages import split_features
from tests.web.browser.conftest import Desk, run_site
from tests.web.world import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from antecede.patent import Patent

VARIABLE = {"id", "time", "created", "changed", "index_state", "state_of_index", "version"}
"""What depends on the moment, or on the place of an index."""


class Pair:
    """Two clients, of a folder and of a cluster; what is asked of one is asked of both."""

    def __init__(self, clients: list[Client]) -> None:
        self.clients, self.paths = clients, ["", ""]

    def open(self, record: dict[str, Any]) -> None:
        """Open a case of a topic."""
        made = [each.ask("POST", "/api/cases", 201, json={"patent": record}) for each in self.clients]
        self.paths = [f"/api/cases/{each['id']}" for each in made]

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """The answer, which must be the same of both; a path that begins with a dot is one of the case."""
        found = [
            simplify(client.ask(method, path.replace(".", case, 1) if path.startswith(".") else path, **more))
            for client, case in zip(self.clients, self.paths, strict=True)
        ]
        assert found[0] == found[1], path
        return found[0]


def simplify(found: Any) -> Any:
    """An answer without what depends on the moment or the place."""
    if isinstance(found, dict):
        return {name: simplify(value) for name, value in found.items() if name not in VARIABLE}
    return [simplify(each) for each in found] if isinstance(found, list) else found


@pytest.fixture(scope="module")
def engines(embedded: Any, loaded: Callable[[int], str]) -> list[Any]:
    return [embedded, open_index(loaded(3))]


@pytest.fixture
def pair(engines: list[Any], tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        clients = []
        for at, index in enumerate(engines):
            store = CaseStore(tmp_path / f"cases-{at}.sqlite")
            stack.callback(store.close)
            clients.append(stack.enter_context(Client(index, store)).sign_in())
        yield Pair(clients)


@pytest.fixture(scope="module")
def topics(collection: Path) -> list[Patent]:
    return list(Collection(collection / "topics").patents())


@pytest.mark.parametrize("at", [0, 1])
def test_a_case_is_the_same_from_the_query_to_the_estimate(pair: Pair, topics: list[Patent], at: int) -> None:
    pair.open(topics[at].to_dict())
    query = pair.ask("GET", "./query")
    assert len(query["terms"]) > 20
    found = pair.ask("POST", "./search", json={})
    assert len(found["hits"]) == 25
    assert all(hit["passages"] and hit["why"] for hit in found["hits"][:5])
    off = [{**{name: each[name] for name in ("term", "language", "word")}, "off": True} for each in query["terms"][:2]]
    weighted = {**{name: query["terms"][3][name] for name in ("term", "language", "word")}, "weight": 9.0}
    excluded = {**{name: query["terms"][5][name] for name in ("term", "language", "word")}, "exclude": True}
    pair.ask("PUT", "./query", json={"terms": [*off, weighted, excluded]})
    pair.ask("POST", "./search", json={"family": False})
    pair.ask("GET", "./searches/2", params={"offset": 25})
    for hit in found["hits"][:3]:
        document = pair.ask("GET", "./document", params={"id": hit["doc_id"], "search": 1})
        assert document["passages"]
    for number, hit in enumerate(found["hits"][:12]):
        mark = {"doc_id": hit["doc_id"], "relevance": ("relevant", "maybe", "not")[number % 3], "search": 1}
        pair.ask("PATCH", "./marks", json=mark)
    again = pair.ask("POST", "./more", json={})
    assert [hit["doc_id"] for hit in again["hits"]] != [hit["doc_id"] for hit in found["hits"]]
    progress = pair.ask("GET", "./progress")
    assert (progress["read"], progress["relevant"]) == (12, 4)
    assert [client.ask("GET", "/api/index")["coverage"]["documents"] for client in pair.clients] == [150, 150]
    pair.ask("GET", "./compare", params={"first": 1, "second": 3})


def test_the_claim_chart_is_the_same(pair: Pair, topics: list[Patent]) -> None:
    topic = next(each for each in topics if any(each.claims.values()))
    pair.open(topic.to_dict())
    found = pair.ask("POST", "./search", json={})
    documents = [hit["doc_id"] for hit in found["hits"][:2]]
    features = [{"claim": 1, "text": each} for each in split_features(next(iter(topic.claims.values()))[0])]
    pair.ask("PUT", "./chart", json={"features": features, "documents": documents})
    chart = pair.ask("GET", "./chart")
    assert [each["doc_id"] for each in chart["documents"]] == documents
    assert any(cell["text"] for cell in chart["cells"])


FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"ipc": ["B", "H04"]},
    {"after": "2000-01-01", "undated": "drop"},
    {"document_language": ["de"], "country": ["EP", "US"]},
    {"applicant": ["Gmbh"]},
)


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_counts_of_filters_are_the_same(pair: Pair, topics: list[Patent], filters: dict[str, Any]) -> None:
    pair.open(topics[3].to_dict())
    pair.ask("PUT", "./query", json={"filters": filters})
    pair.ask("POST", "./search", json={})
    found = pair.ask("GET", "./searches/1/facets", params={"ipc": "", "cpc": "B"})
    if not filters:
        assert sum(each["documents"] for each in found["offices"]) == found["documents"] > 0
        assert all(found[name] for name in ("ipc", "applicants", "years", "languages"))


def test_every_node_of_the_class_trees_has_the_same_counts(engines: list[Any]) -> None:
    nodes, seen = [""], 0
    while nodes and seen < 15:
        node = nodes.pop(0)
        one, two = (count_facets(each, nodes={"ipc": node, "cpc": node}, retrieved=["none"]) for each in engines)
        assert one == two
        nodes += [each.value for each in one.values["ipc"] if "/" not in each.value]
        seen += 1
    assert seen > 10
    assert cover_collection(engines[0]) == cover_collection(engines[1])


def test_a_report_and_the_runs_are_the_same_text(pair: Pair, topics: list[Patent]) -> None:
    pair.open(topics[0].to_dict())
    found = pair.ask("POST", "./search", json={})
    pair.ask("PATCH", "./marks", json={"doc_id": found["hits"][0]["doc_id"], "relevance": "relevant", "search": 1})
    for kind in ("marks.csv", "qrels.txt", "run.txt"):
        texts = [each.get(f"{path}/export/{kind}") for each, path in zip(pair.clients, pair.paths, strict=True)]
        assert [each.status_code for each in texts] == [200, 200]
        one, two = (
            re.sub(r"\d{4}-\d\d-\d\dT[\d:.+Z-]+|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "", each.text) for each in texts
        )
        assert one == two
        assert one.strip()


def test_a_review_reads_in_the_same_order(engines: list[Any], topics: list[Patent], tmp_path: Path) -> None:
    orders = []
    for at, index in enumerate(engines):
        review = start_review(tmp_path / f"review-{at}", index, topics[0], depth=150)
        order = list(review.doc_ids)
        for step in range(20):
            document = review.next(1)[0]
            review.mark(document.doc_id, "relevant" if step % 4 == 0 else "not")
            order.append(document.doc_id)
        assert review.place == index.where
        orders.append(order)
        review.close()
    assert orders[0] == orders[1]
    assert len(orders[0]) == len(engines[0].select(topics_filter(engines[0], topics[0])).names((), 999)) + 20


def topics_filter(index: Any, topic: Patent) -> Any:
    """The filters of a search with a patent."""
    from antecede.search import Ranker, SearchSettings

    return Ranker(index, SearchSettings()).filters(topic)


def test_the_page_on_a_cluster_shows_what_it_shows_on_a_folder(
    browser: Any,
    embedded: Any,
    loaded: Callable[[int], str],
    tmp_path: Path,
) -> None:
    headers = read_headers(embedded, embedded.all_numbers())
    latest = max(headers, key=lambda each: each.day or "").doc_id
    shown = []
    for name, where in (("folder", str(embedded.folder)), ("cluster", loaded(3))):
        folder = tmp_path / name
        folder.mkdir()
        with run_site(where, folder, [{"doc_id": latest}]) as site:
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            context.new_page().goto(site.address)
            desk = Desk(context.pages[0], site)
            desk.watch()
            page = desk.new_case()
            hits = [each.inner_text() for each in page.locator(".hit").all()[:5]]
            facets = page.inner_text(".filters")
            desk.open_hit(0)
            shown.append((hits, facets, page.inner_text(".reader-text")))
            desk.view("Found")
            assert desk.complaints == []
            context.close()
    assert shown[0] == shown[1]
    assert all(len(each) > 100 for each in shown[0][0])
