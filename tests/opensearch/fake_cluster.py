"""A server on loopback that answers as a cluster with a few documents would, or in any other way that a test wants.

It does not rank: it is for answers that no cluster gives. Everything else is tested on a real one.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from antecede.address import Address
from antecede.index import build_index
from antecede.index.index import StoredIndex
from antecede.opensearch.engine import COMPLETE
from antecede.opensearch.layout import META, RECORDS, Generation, search_mapping
from antecede.opensearch.load import facts_of
from antecede.opensearch.sender import Sender
from tests.fuzz.calls import patent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Reply = Iterable[bytes]
    """The bytes of an answer from the first line of its head on."""

NAME = "patents"
SEARCHED, STORED = f"{NAME}-000001", f"{NAME}-000001{RECORDS}"


def reply(body: bytes, status: int = 200, kind: str = "application/json") -> Reply:
    """An answer of HTTP."""
    yield f"HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class FakeCluster(ThreadingHTTPServer):
    """Answers requests until it is closed; `change` may replace the right answer to one."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        (folder / "p.jsonl").write_text("".join(patent(at) + "\n" for at in range(1, 6)))
        report = build_index(folder / "p.jsonl", folder / "index", workers=1)
        index = StoredIndex.open(folder / "index")
        segment = index.segments[0]
        self.documents: dict[str, list[dict[str, Any]]] = {SEARCHED: [], STORED: []}
        sender = Sender(Generation(None, SEARCHED), index)  # type: ignore[arg-type]
        for name, _, document in sender.actions(0, [*segment.store.all_rows()]):
            self.documents[name].append(json.loads(document))
        self.meta = {**facts_of(index, report), "status": COMPLETE}
        self.terms = [dict(term.split("|") for term in each["t_en"].split()) for each in self.documents[SEARCHED]]
        self.tokens = sum(int(count) for each in self.terms for count in each.values())
        self.asked: list[str] = []
        """The paths of requests."""
        self.change: Callable[[str, Any], Reply | None] = lambda _path, _answer: None
        self.closed = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=partial(self.serve_forever, 0.01), daemon=True).start()

    @property
    def address(self) -> str:
        """Where it is."""
        return str(Address((("127.0.0.1", self.server_address[1]),), NAME))

    def close(self) -> None:
        """End, and with it what is still being answered."""
        self.closed.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Say nothing: the client hangs up."""

    # The right answers

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        """The right answer to a request."""
        if path.endswith("/_search"):
            return self.search(path.split("/")[1], body)
        if path.endswith("/_mget"):
            docs = [{"found": True, "_source": self.documents[STORED][int(each)]} for each in body["ids"]]
            return {"docs": docs}
        if path.endswith("/_mtermvectors"):
            return {"docs": [{"term_vectors": {"t_en": self.statistics(each["doc"]["t_en"])}} for each in body["docs"]]}
        if path.endswith("/_search_shards"):
            return {"shards": [[{"shard": 0}]]}
        sizes = {"store": {"size_in_bytes": 1000}, "docs": {"deleted": 0}, "segments": {"count": 1}}
        if "/_stats" in path:
            facts = {"primaries": sizes, "total": sizes}
            return {"_all": facts, "indices": {SEARCHED: facts, STORED: facts}}
        if "/_health" in path or "/health" in path:
            return {"status": "green"}
        mappings = search_mapping(["en"], self.meta)
        settings = {"uuid": "u", "number_of_shards": "1", "number_of_replicas": "0"}
        assert mappings["_meta"] == {META: self.meta}
        return {SEARCHED: {"aliases": {NAME: {}}, "mappings": mappings, "settings": {"index": settings}}}

    def statistics(self, terms: str) -> dict[str, Any]:
        """The statistics of terms."""
        found = {term: [int(each[term]) for each in self.terms if term in each] for term in
                 (word.partition("|")[0] for word in terms.split())}  # fmt: skip
        return {
            "field_statistics": {"sum_ttf": self.tokens, "doc_count": len(self.terms)},
            "terms": {term: {"doc_freq": len(n), "ttf": sum(n)} if n else {} for term, n in found.items()},
        }

    def search(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a search; of conditions, only those on numbers and names count."""
        found = self.documents[name]
        for field in ("n", "doc_id"):
            if (wanted := values_in(body.get("query"), field)) is not None:
                found = [each for each in found if each[field] in wanted]
        hits = [self.hit(each, at, body) for at, each in enumerate(found)]
        return {
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "failed": 0},
            "hits": {"total": {"value": len(hits)}, "hits": hits[: body.get("size", 10)]},
            "aggregations": {
                name: aggregate(each, len(hits), self.tokens) for name, each in body.get("aggs", {}).items()
            },
        }

    def hit(self, document: dict[str, Any], at: int, body: dict[str, Any]) -> dict[str, Any]:
        """A document of an answer."""
        values = {field: [document[field]] for field in body.get("docvalue_fields", ()) if field in document}
        key = document["doc_id" if body.get("sort") == "doc_id" else "n"] if "doc_id" in document else at
        return {"_score": 100.0 - at, "fields": values, "sort": [key]}


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of a connection."""

    server: FakeCluster
    protocol_version = "HTTP/1.1"

    def respond(self) -> None:
        """Answer a request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        self.server.asked.append(path)
        right = self.server.answer(path, json.loads(body) if body else {})
        changed = self.server.change(path, right)
        with suppress(OSError):  # the client hangs up
            for part in changed if changed is not None else reply(json.dumps(right).encode()):
                self.wfile.write(part)
        self.close_connection = self.close_connection or changed is not None

    do_GET = do_POST = do_PUT = do_DELETE = respond  # noqa: N815 - the names of the standard library

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def values_in(clause: Any, field: str) -> list[Any] | None:
    """The values of a field that a condition names; None where it names none."""
    if isinstance(clause, dict):
        for name, each in clause.items():
            if name in ("term", "terms") and isinstance(each, dict) and field in each:
                return each[field] if isinstance(each[field], list) else [each[field]]
    inside = clause.values() if isinstance(clause, dict) else clause if isinstance(clause, list) else ()
    return next((found for each in inside if (found := values_in(each, field)) is not None), None)


def aggregate(asked: dict[str, Any], number: int, tokens: int) -> dict[str, Any]:
    """The answer to an aggregation."""
    inner = {name: aggregate(each, number, tokens) for name, each in asked.get("aggs", {}).items()}
    if "filters" in asked:
        return {"buckets": {name: {"doc_count": number, **inner} for name in asked["filters"]["filters"]}}
    if "filter" in asked:
        return {"doc_count": number, **inner}
    if "range" in asked:
        return {"buckets": [{"key": each["key"], "doc_count": number} for each in asked["range"]["ranges"]]}
    if "terms" in asked:
        key: Any = 11_000 if asked["terms"]["field"] == "year_first" else "EP"
        return {"buckets": [{"key": key, "doc_count": number}], "sum_other_doc_count": 0}
    if "composite" in asked:
        return {"buckets": [{"key": {"code": "F16K 1/00"}, "doc_count": number}], "after_key": {"code": "F16K 1/00"}}
    return {"value": float(tokens) if "sum" in asked else 12_000.0}
