"""How requests are repeated, and each failure as one line; no cluster is needed for this."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.address import Address, credentials, is_address, parse_address
from antecede.errors import AntecedeError, InputError, UsageError
from antecede.opensearch.cluster import Cluster
from antecede.opensearch.terms import ClusterTerms
from tests.fuzz.calls import call, patent

if TYPE_CHECKING:
    from pathlib import Path

exceptions = pytest.importorskip("opensearchpy.exceptions")
ADDRESS = Address((("127.0.0.1", 9200),), "patents")


def failure(status: Any, kind: str, reason: str = "") -> Any:
    return exceptions.TransportError(status, kind, {"error": {"type": kind, "reason": reason}})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (failure(401, "unauthorized"), "the user or the password is wrong"),
        (failure(403, "security_exception"), "the user may not do this"),
        (failure(404, "index_not_found_exception"), "there is no such index on the cluster"),
        (failure(403, "cluster_block_exception", "disk usage exceeded flood-stage watermark"), "too full to write"),
        (failure(403, "cluster_block_exception", "[cluster create-index blocked (api)]"), "too full to write"),
        (failure(400, "too_many_clauses", "maxClauseCount is set to 1024"), "indices.query.bool.max_clause_count"),
        (failure(400, "illegal_argument_exception", "cannot execute [inline] scripts"), "does not allow the scripts"),
        (failure(503, "search_phase_execution_exception", "all shards failed"), "shards of the index are missing"),
        (failure(503, "cluster_manager_not_discovered_exception"), "the cluster has no manager"),
        (failure(429, "rejected_execution_exception"), "the cluster is overloaded (429)"),
        (exceptions.ConnectionError("N/A", "refused", Exception("Connection refused")), "cannot be reached"),
        (exceptions.SSLError("N/A", "CERTIFICATE_VERIFY_FAILED", Exception()), "certificate of the cluster"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_failure_is_one_line(error: Any, said: str) -> None:
    def fail(_: Any) -> None:
        raise error

    with pytest.raises(InputError) as raised:
        Cluster(ADDRESS, patience=0).call(fail)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("opensearch://127.0.0.1:9200/patents: ")


@pytest.mark.parametrize(
    "passing",
    [
        failure(429, "rejected_execution_exception"),
        failure(500, "search_phase_execution_exception", "[n2][127.0.0.1:9300] Node not connected"),
        failure(500, "node_disconnected_exception", "[n2][indices:data/read/search] disconnected"),
    ],
    ids=["overloaded", "not connected", "disconnected"],
)
def test_an_overloaded_cluster_and_one_that_lost_a_node_are_asked_again(passing: Any) -> None:
    calls: list[int] = []

    def answer(_: Any) -> str:
        calls.append(1)
        if len(calls) < 3:
            raise passing
        return "found"

    assert Cluster(ADDRESS).call(answer) == "found"
    assert len(calls) == 3


def test_a_partial_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(ADDRESS)
    shards = {"total": 3, "successful": 2, "failed": 1}
    monkeypatch.setattr(cluster, "call", lambda *_: {"timed_out": False, "_shards": shards, "hits": {"hits": []}})
    with pytest.raises(InputError, match="only 2 of 3 shards answered"):
        cluster.search("patents", {})


def test_statistics_of_all_shards_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    shards = [
        {"field_statistics": {"sum_ttf": 70}, "terms": {"bolt": {"doc_freq": 3, "ttf": 5}, "nut": {}}},
        {"field_statistics": {"sum_ttf": 30}, "terms": {"bolt": {"doc_freq": 1, "ttf": 1}, "nut": {}}},
    ]
    answer: dict[str, Any] = {"docs": [{"term_vectors": {"t_en": each}} for each in shards]}
    cluster = Cluster(ADDRESS)
    monkeypatch.setattr(cluster, "call", lambda *_: answer)
    table = ClusterTerms(cluster, "patents", "en", ["0", "1"], 100)
    assert table.find(["bolt", "nut", "two words", "a|b", ""]).tolist() == [0, -1, -1, -1, -1]
    found = table.frequencies(np.array([0]))
    assert (found.documents.tolist(), found.occurrences.tolist()) == ([4], [6])
    assert table.number_terms(b"nut\nbolt\n").tolist() == [1, 0]
    assert (len(table), table.term(1)) == (2, "nut")
    shards[1]["field_statistics"] = {"sum_ttf": 29}  # a copy that does not have every document yet
    with pytest.raises(InputError, match="99 tokens of 100"):
        table.find(["screw"])
    answer["docs"][1] = {"error": {"reason": "no such shard"}}
    with pytest.raises(InputError, match="no such shard"):
        table.find(["screw"])


def test_addresses() -> None:
    found = parse_address("opensearchs://one:9201,two/clef-ip.2011")
    assert found == Address((("one", 9201), ("two", 9200)), "clef-ip.2011", secure=True)
    assert str(found) == "opensearchs://one:9201,two:9200/clef-ip.2011"
    assert is_address("opensearch:/host/name")  # what a path makes of it
    assert not is_address("folder/opensearch")
    assert parse_address("OpenSearch://host/name") == Address((("host", 9200),), "name")
    assert is_address("https://host:9200/name")  # to be refused as an address, not looked for as a folder
    cluster = ("", "host", "ho st/x", "h:0/x", "h/A")
    for wrong in ("https://host:9200/name", *(f"opensearch://{rest}" for rest in cluster)):
        with pytest.raises(UsageError):
            parse_address(wrong)


@pytest.mark.parametrize(
    "address",
    [
        "opensearch://reader:sec/ret@127.0.0.1/name",
        "opensearch://reader:sec ret@127.0.0.1/name",
        "OPENSEARCH://reader:secret@127.0.0.1/name",
        "opensearch:/reader:secret@127.0.0.1/name",
        "https://reader:sec/ret@127.0.0.1/name",
        "es://reader:sec#ret@127.0.0.1/name" + "x" * 100,
        "opensearch://127.0.0.1/name?user=reader&password=secret",
        "https://127.0.0.1/name?password=secret",
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        ("info", "AT"),
        ("search", "AT", "--text", "bolt"),
        ("index", "patents.jsonl", "--out", "AT"),
        ("evaluate", "AT", "AT"),
    ],
    ids=lambda words: words[0],
)
def test_no_password_of_an_address_is_printed(address: str, words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "patents.jsonl").write_text(patent(1))
    found = call(tmp_path, *(address if word == "AT" else word for word in words))
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert not {"sec", "ret"} & {*re.findall("sec|ret", found.err)}
    assert [each.name for each in tmp_path.iterdir()] == ["patents.jsonl"]


def test_credentials(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "PASSWORD", "CREDENTIALS"):
        monkeypatch.delenv(f"ANTECEDE_OPENSEARCH_{name}", raising=False)
    assert credentials() is None
    file = tmp_path / "secret"
    file.write_text("reader:a:b\n")
    monkeypatch.setenv("ANTECEDE_OPENSEARCH_CREDENTIALS", str(file))
    assert credentials() == ("reader", "a:b")
    monkeypatch.setenv("ANTECEDE_OPENSEARCH_USER", "one")
    with pytest.raises(AntecedeError, match="belong together"):
        credentials()
    monkeypatch.setenv("ANTECEDE_OPENSEARCH_PASSWORD", "two")
    assert credentials() == ("one", "two")
