"""A broken or hostile cluster: each answer leads to one line and exit code 2, within bounds of size and time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antecede.engine import open_index
from antecede.errors import InputError
from antecede.search.facets import count_facets
from tests.fuzz.calls import call
from tests.opensearch.fake_cluster import FakeCluster, reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.conftest import Outcome

pytest.importorskip("opensearchpy")

VERBS = {
    "info": (),
    "search": ("--text", "valve word1", "-k", "3", "--json"),
    "ranked": ("--text", "valve word1", "--model", "lm_dirichlet"),
    "show": ("EP2",),
    "verify": ("--quiet",),
}
DEEP = b"[" * 100_000 + b"]" * 100_000
BODIES = {
    "null": b"null",
    "number": b"3",
    "text": b'"x"',
    "list": b"[]",
    "list of null": b"[null]",
    "object": b"{}",
    "deep list": DEEP,
    "deep object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep value": b'{"hits":{"hits":' + b"[" * 900 + b"]" * 900 + b"}}",
    "long number": b'{"a":' + b"9" * 6000 + b"}",
    "not a number": b'{"_shards":{"total":NaN,"successful":1,"failed":0},"hits":{"hits":[]}}',
    "null inside": b'{"_shards":null,"hits":null,"docs":null,"shards":null,"patents-000001":null}',
    "empty": b"",
    "no text": b"\xff\xfe\x00",
    "half": b'{"hits":',
    "surrogate": b'{"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":["\\ud800"]}}',
}
ERRORS = {
    "null": b"null",
    "list": b"[1]",
    "number": b"3",
    "text": b'"x"',
    "error is null": b'{"error":null}',
    "error is a number": b'{"error":3}',
    "root cause is null": b'{"error":{"type":"x","root_cause":null}}',
    "root cause is empty": b'{"error":{"type":"x","root_cause":[]}}',
    "root cause is a list of numbers": b'{"error":{"type":"x","root_cause":[3],"failed_shards":[3,{"reason":4}]}}',
    "reason is a list": b'{"error":{"type":["x"],"root_cause":[{"reason":[1]}],"caused_by":3}}',
    "control characters": b'{"error":{"type":"x","reason":"\\u001b[31m\\n\\nantecede: done"}}',
    "deep": b'{"error":' + DEEP + b"}",
    "page": b"<html>",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    made = FakeCluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def impatient(cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "FIRST_PATIENCE"):
        monkeypatch.setattr(f"antecede.opensearch.cluster.{name}", 0.0)
    cluster.asked.clear()
    cluster.change = lambda _path, _answer: None


def run(cluster: FakeCluster, verb: str, folder: Path) -> Outcome:
    return call(folder, "search" if verb == "ranked" else verb, cluster.address, *VERBS[verb])


def assert_refused(found: Outcome, *words: str) -> None:
    assert (found.code, found.out) == (2, ""), found
    assert found.err.count("\n") == 1
    assert found.err.isprintable() or found.err[:-1].isprintable()
    assert len(found.err) < 1000
    assert all(word in found.err for word in words), found.err


@pytest.mark.parametrize("verb", VERBS)
def test_right_answers_are_understood(cluster: FakeCluster, verb: str, tmp_path: Path) -> None:
    found = run(cluster, verb, tmp_path)
    assert found.code == 0, found
    assert found.out


@pytest.mark.parametrize("body", BODIES)
def test_an_answer_that_is_none_is_one_line(cluster: FakeCluster, body: str, tmp_path: Path) -> None:
    for verb in ("info", "search", "verify"):
        cluster.asked.clear()
        cluster.change = lambda _path, _answer: None
        run(cluster, verb, tmp_path)
        for wrong in dict.fromkeys(cluster.asked):
            cluster.change = lambda path, _, wrong=wrong: reply(BODIES[body]) if path == wrong else None  # type: ignore[misc]
            found = run(cluster, verb, tmp_path)
            if verb == "verify" and found.code == 1:  # it says what is wrong with each document
                assert "damaged" in found.out or "not one of OpenSearch" in found.out, found
                continue
            assert_refused(found, cluster.address)


@pytest.mark.parametrize("status", [400, 404, 500, 503])
@pytest.mark.parametrize("body", ERRORS)
def test_an_odd_error_is_one_line(cluster: FakeCluster, body: str, status: int, tmp_path: Path) -> None:
    cluster.change = lambda _path, _answer: reply(ERRORS[body], status)
    assert_refused(run(cluster, "info", tmp_path), cluster.address)


@pytest.mark.parametrize("kind", ["text/plain", "text/html; charset=x", "application/octet-stream", ""])
def test_an_answer_of_another_kind_is_one_line(cluster: FakeCluster, kind: str, tmp_path: Path) -> None:
    cluster.change = lambda _path, answer: reply(json.dumps(answer).encode(), kind=kind) if kind else None
    found = run(cluster, "info", tmp_path)
    assert (found.code == 0) == (kind == "")
    if kind:
        assert_refused(found, "not one of OpenSearch")


def test_what_the_cluster_warns_of_is_not_printed(cluster: FakeCluster, tmp_path: Path) -> None:
    def warn(_path: str, answer: Any) -> Iterator[bytes]:
        body = json.dumps(answer).encode()
        head = b'HTTP/1.1 200 x\r\nContent-Type: application/json\r\nWarning: 299 - "\x1b[31mred"\r\n'
        yield head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    cluster.change = warn
    assert run(cluster, "show", tmp_path).err == ""


def chunked(part: bytes) -> Iterator[bytes]:
    """An answer without an end."""
    yield b"HTTP/1.1 200 x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"%x\r\n%b\r\n" % (len(part), part)


def endless(part: bytes) -> Iterator[bytes]:
    """The same without a length."""
    yield b"HTTP/1.1 200 x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    while True:
        yield part


@pytest.mark.parametrize("write", [chunked, endless])
@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_without_an_end_is_cut(
    cluster: FakeCluster, write: Any, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAX_BYTES", "MAX_ERROR_BYTES"):
        monkeypatch.setattr(f"antecede.opensearch.bounded_connection.{name}", 100_000)
    cluster.change = lambda _path, _answer: (part.replace(b" 200 ", b" %d " % status) for part in write(b" " * 10_000))
    assert_refused(run(cluster, "info", tmp_path), "too large")


def test_an_answer_of_many_values_is_not_read(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antecede.opensearch.bounded_connection.MAX_VALUES", 1000)
    cluster.change = lambda _path, _answer: reply(b"[" + b"[]," * 1000 + b"[]]")
    assert_refused(run(cluster, "info", tmp_path), "too large")


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 x\r\nContent-Length: 999999\r\n\r\n", b"HTTP/1.0 200 x\r\n\r\n"])
def test_an_answer_that_drips_is_given_up(
    cluster: FakeCluster, start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(_path: str, _answer: Any) -> Iterator[bytes]:
        yield start
        while not cluster.closed.wait(0.02):
            yield b" "

    monkeypatch.setattr("antecede.opensearch.cluster.TIMEOUT", 0.2)
    cluster.change = drip
    assert_refused(run(cluster, "info", tmp_path), "cannot be reached, or does not answer")


FORGED: dict[str, Any] = {
    "number of a document": lambda hit: hit["fields"].update(n=[-1]),
    "number beyond 64 bits": lambda hit: hit["fields"].update(n=[2**70]),
    "number beyond the index": lambda hit: hit["fields"].update(n=[1000]),
    "number as a text": lambda hit: hit["fields"].update(n=["1"]),
    "no number": lambda hit: hit["fields"].clear(),
    "no fields": lambda hit: hit.pop("fields"),
    "no score": lambda hit: hit.update(_score=None, sort=[None]),
    "score as a text": lambda hit: hit.update(_score="1", fields={"n": [1], "head": [3], "v_en": [3]}),
    "damaged head": lambda hit: hit["fields"].update(head=["e30"]),
    "damaged counts": lambda hit: hit["fields"].update(v_en=["e30"]),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_hit_is_refused(cluster: FakeCluster, case: str, tmp_path: Path) -> None:
    def forge(path: str, answer: Any) -> Iterable[bytes] | None:
        if not path.endswith("/_search") or not answer["hits"]["hits"]:
            return None
        for hit in answer["hits"]["hits"]:
            FORGED[case](hit)
        return reply(json.dumps(answer).encode())

    cluster.change = forge
    assert_refused(run(cluster, "search", tmp_path), cluster.address)


def test_pages_that_never_end_are_noticed(cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.opensearch.cluster.PAGE_SIZE", 5)
    index: Any = open_index(cluster.address)
    with pytest.raises(InputError, match="document 0 follows 4"):
        [*index.cluster.scan(index.generation.name, {"match_all": {}}, ["n"])]


def test_facets_of_right_and_wrong_answers(cluster: FakeCluster) -> None:
    index: Any = open_index(cluster.address)
    assert count_facets(index, languages=("en",), retrieved=["EP1"])
    for wrong in (b"null", b'{"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[]},"aggregations":{}}'):
        cluster.change = lambda path, _, wrong=wrong: reply(wrong) if path.endswith("_search") else None  # type: ignore[misc]
        with pytest.raises(InputError, match="not one of OpenSearch"):
            count_facets(open_index(cluster.address), languages=("en",), retrieved=["EP1"])
