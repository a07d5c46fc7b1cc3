"""Loading, adding, merging and verifying on a cluster; and what is said of each failure."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.address import parse_address
from antecede.corpus import Collection
from antecede.engine import read_record
from antecede.errors import AntecedeError
from antecede.index import add_to_index, build_index
from antecede.opensearch import sender
from antecede.opensearch.cluster import Cluster
from antecede.opensearch.load import add_collection, describe_cluster, load_collection, merge_cluster, verify_cluster
from antecede.search import open_index
from antecede.search.batch import run_topics
from tests.conftest import call_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.index.build import BuildProgress
    from tests.opensearch.local_cluster import LocalCluster


def write_patents(path: Path, texts: dict[str, str], **more: Any) -> Path:
    lines = [
        json.dumps({"doc_id": name, "language": "en", "description": {"en": text}, **more})
        for name, text in texts.items()
    ]
    path.write_text("\n".join(lines))
    return path


def words(number: int) -> str:
    some = f"valve{'abcdefg'[number % 7]} piston{'abcde'[number % 5]} spring"
    return " ".join([some] * (1 + number % 4)) + f" part{'abcdefghij'[number % 10]}{'abcdefghij'[number // 10 % 10]}"


def rankings(index: Any) -> Any:
    text = "valveb pistonc spring valved partea"
    return [(hit.doc_id, hit.score) for hit in index.search(text, k=200, model="bm25").hits]


def test_add_and_merge_equal_an_index_in_a_folder(cluster: LocalCluster, tmp_path: Path) -> None:
    first = write_patents(tmp_path / "a.jsonl", {f"US-{7000000 + n}": words(n) for n in range(60)})
    more = write_patents(tmp_path / "b.jsonl", {f"US-{7000000 + n}": words(n + 3) for n in range(50, 80)})
    address = parse_address(cluster.address("added"))
    build_index(first, tmp_path / "index", workers=1)
    load_collection(first, address, shards=3, replicas=1, workers=1)
    assert rankings(open_index(str(address))) == rankings(open_index(tmp_path / "index"))
    ours = add_to_index(tmp_path / "index", more, workers=1)
    theirs = add_collection(more, address, workers=1)
    assert (theirs.read, theirs.indexed, theirs.replaced) == (ours.read, ours.indexed, ours.replaced) == (30, 30, 10)
    assert rankings(open_index(str(address))) == rankings(open_index(tmp_path / "index"))
    assert verify_cluster(address, sample=20).ok
    merged = merge_cluster(address)
    assert merged.documents == 80
    facts = describe_cluster(open_index(str(address)))  # type: ignore[arg-type]
    assert facts["deleted"] == 0
    assert facts["segments"] <= 3
    assert rankings(open_index(str(address))) == rankings(open_index(tmp_path / "index"))


def test_the_program_on_a_cluster(
    loaded: Callable[[int], str], collection: Path, embedded: Any, tmp_path: Path
) -> None:
    address = loaded(3)
    facts = call_program("info", address, "--json").json
    assert facts["documents"] == embedded.documents
    assert (facts["shards"], facts["replicas"], facts["health"]) == (3, 1, "green")
    (name,) = embedded.names(np.array([0]))
    assert (
        call_program("show", address, name, "--json").json == call_program("show", embedded.folder, name, "--json").json
    )
    assert (
        call_program("query", address, name, "--json").json
        == call_program("query", embedded.folder, name, "--json").json
    )
    runs: list[bytes] = []
    for index in (address, embedded.folder):
        out = tmp_path / f"{len(runs)}.run"
        done = call_program("run", index, collection / "topics", "--out", out, "--quiet", "--json")
        assert done.code == 0, done.err
        runs.append(out.read_bytes())
    assert runs[0] == runs[1]
    assert call_program("verify", address, "--quiet").code == 0
    refused = call_program("topics", address, "--out", tmp_path / "t")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_a_load_that_was_interrupted_is_resumed(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patents = write_patents(tmp_path / "a.jsonl", {f"US-{7100000 + n}": words(n) for n in range(90)})
    address = parse_address(cluster.address("resumed"))
    monkeypatch.setattr(sender, "PORTION", 20)
    monkeypatch.setattr(sender, "THREADS", 1)
    sent: list[int] = []
    send = sender.Sender.send

    def interrupted_once(self: Any, portion: Any) -> int:
        sent.append(portion[0])
        if len(sent) == 3:
            raise KeyboardInterrupt
        return send(self, portion)

    monkeypatch.setattr(sender.Sender, "send", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        load_collection(patents, address, shards=2, replicas=0, workers=1)
    with pytest.raises(AntecedeError, match="there is no such index"):
        open_index(str(address))
    load_collection(patents, address, shards=2, replicas=0, workers=1, resume=True)
    assert sent == [0, 20, 40, 40, 60, 80]
    assert open_index(str(address)).documents == 90
    assert verify_cluster(address, sample=20).ok


def test_what_the_cluster_forgot_is_sent_again(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patents = write_patents(tmp_path / "a.jsonl", {f"US-{7600000 + n}": words(n) for n in range(90)})
    address = parse_address(cluster.address("forgotten"))
    monkeypatch.setattr(sender, "PORTION", 20)
    sent: list[int] = []
    send = sender.Sender.send

    def forget(self: Any, portion: Any) -> int:
        sent.append(portion[0])
        return send(self, portion) if sent.count(portion[0]) > 1 or portion[0] != 40 else 20

    monkeypatch.setattr(sender.Sender, "send", forget)
    assert load_collection(patents, address, shards=2, replicas=1, workers=1).indexed == 90
    assert sorted(sent) == [0, 20, 40, 40, 60, 80]
    index = open_index(str(address))
    assert index.documents == 90
    assert describe_cluster(index)["replicas"] == 1  # type: ignore[arg-type]
    assert verify_cluster(address, sample=20).ok
    settings = Cluster(address).client.indices.get_settings(index="forgotten-000001*")
    kept = {each["settings"]["index"]["translog"]["durability"] for each in settings.values()}
    assert kept == {"request"}  # from now on, what is acknowledged is on disk


def test_verify_names_the_state_of_a_cluster_whose_counts_differ(cluster: LocalCluster, tmp_path: Path) -> None:
    patents = write_patents(tmp_path / "a.jsonl", {f"US-{7700000 + n}": words(n) for n in range(20)})
    address = parse_address(cluster.address("state"))
    load_collection(patents, address, shards=1, replicas=0, workers=1)
    client = Cluster(address).client
    more = {"index": {"number_of_replicas": 3}}  # there are three nodes: one copy has none
    client.indices.put_settings(index="state-000001", body=more)
    assert verify_cluster(address, sample=5).ok  # every document is there
    client.delete(index="state-000001-records", id="7", params={"refresh": "true"})
    count, state, *_ = verify_cluster(address, sample=5).problems
    assert "state-000001-records has 19 documents, 20 were loaded" in count
    assert "the index is yellow" in state
    assert "1 have no node" in state or "are being made" in state
    client.indices.put_settings(index="state-000001", body={"index": {"number_of_replicas": 0}})
    wait_until(lambda: client.cluster.health(index="state-000001*")["status"] == "green", 30)
    assert not any("the index is" in each for each in verify_cluster(address, sample=5).problems)


def test_failures_are_one_line_each(cluster: LocalCluster, loaded: Callable[[int], str], collection: Path) -> None:
    missing = call_program("search", cluster.address("nothing"), "--text", "signal")
    assert (missing.code, "there is no such index on the cluster" in missing.err) == (2, True)
    address = parse_address(loaded(1))
    client = Cluster(address).client
    client.indices.create(index="foreign", body={})
    foreign = call_program("info", cluster.address("foreign"))
    assert (foreign.code, "is not an index of antecede" in foreign.err) == (2, True)
    client.indices.create(index="later", body={"mappings": {"_meta": {"antecede": {"format": 99}}}})
    later = call_program("info", cluster.address("later"))
    assert (later.code, "has format 99" in later.err) == (2, True)
    again = call_program("index", collection / "collection", "--out", address, "--quiet")
    assert (again.code, "holds an index already" in again.err) == (2, True)


@pytest.mark.exclusive
def test_the_limit_of_clauses_is_named(cluster: LocalCluster, loaded: Callable[[int], str]) -> None:
    address = loaded(3)
    index = open_index(address)
    letters = "abcdefghijklm"
    text = " ".join(f"word{a}{b}{c}" for a in letters for b in letters for c in letters) + " " + text_of(index)
    client = Cluster(parse_address(address)).client
    setting = "indices.query.bool.max_clause_count"
    many = index.search(text, k=5, model="bm25")
    assert len(many.query) > 2000
    assert len(many) == 5
    client.cluster.put_settings(body={"transient": {setting: 20}})
    try:
        with pytest.raises(AntecedeError, match=setting):
            index.search(text, k=5, model="bm25")
    finally:
        client.cluster.put_settings(body={"transient": {setting: None}})


class Searches(threading.Thread):
    """Repeats a search until it is stopped."""

    def __init__(self, search: Callable[[], Any]) -> None:
        super().__init__()
        self.search, self.found, self.done = search, list[Any](), threading.Event()

    def run(self) -> None:
        while not self.done.is_set():
            try:
                self.found.append(self.search())
            except AntecedeError as error:
                self.found.append(str(error))

    def stop(self) -> list[Any]:
        """What each search found, or the error it ended with."""
        self.done.set()
        if self.is_alive():
            self.join()
        return self.found


def text_of(index: Any) -> str:
    patent = read_record(index, 1)
    return str(next(text for text in patent.description.values() if text))


@pytest.mark.exclusive
def test_a_full_disk_is_one_line(cluster: LocalCluster, tmp_path: Path) -> None:
    """The watermarks are set so low that the disk of every node counts as too full."""
    patents = write_patents(tmp_path / "a.jsonl", {f"US-{7200000 + n}": words(n) for n in range(30)})
    address = cluster.address("full")
    load_collection(patents, parse_address(address), shards=1, replicas=0, workers=1)
    client = Cluster(parse_address(address)).client
    more = write_patents(tmp_path / "b.jsonl", {f"US-{7300000 + n}": words(n) for n in range(5)})
    disk = "cluster.routing.allocation.disk"
    marks = {f"{disk}.watermark.{name}": "0.1%" for name in ("low", "high", "flood_stage")}
    low = {**marks, f"{disk}.threshold_enabled": True, "cluster.info.update.interval": "10s"}
    client.cluster.put_settings(body={"transient": low})
    try:
        wait_until(lambda: is_blocked(client, "full-000001"), 600)
        for words_ in (("add", address, more), ("index", more, "--out", cluster.address("fuller"))):
            refused = call_program(*words_, "--quiet")
            assert refused.code == 2
            assert "a disk of the cluster is too full to write (flood-stage watermark)" in refused.err
            assert len(refused.err.strip().splitlines()) == 1
        assert len(rankings(open_index(address))) == 30  # it can still be searched
    finally:
        high = dict.fromkeys(marks, "99.9%")
        client.cluster.put_settings(body={"transient": high})
        wait_until(lambda: not is_blocked(client, "full-000001"), 600)
        create = {"cluster.blocks.create_index": None}  # the cluster itself forbids it, and is slow to allow it again
        client.cluster.put_settings(body={"transient": {**dict.fromkeys(low), **create}, "persistent": create})
    assert call_program("add", address, more, "--quiet", "--resume").code == 0
    assert open_index(address).documents == 35


def is_blocked(client: Any, name: str) -> bool:
    """Whether a disk is so full that an index can only be read."""
    settings = client.indices.get_settings(index=name)[name]["settings"]["index"]
    return bool(settings.get("blocks", {}).get("read_only_allow_delete") == "true")


def wait_until(met: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < until, f"not met in {seconds:.0f} seconds"
        time.sleep(0.5)


@pytest.mark.exclusive
def test_a_node_is_lost_while_loading_and_searching(
    cluster: LocalCluster,
    loaded: Callable[[int], str],
    collection: Path,
    embedded: Any,
    tmp_path: Path,
) -> None:
    """Last, since it disturbs the cluster: no document is lost, no list is wrong, and the node comes back."""
    topics = list(Collection(collection / "topics").patents())
    address, name = loaded(3), cluster.address("faults")
    right = run_topics(embedded, topics, model="bm25", k=50).rankings
    index = open_index(address)
    manager = str(cluster.get("/_cat/cluster_manager?format=json")[0]["node"])
    victim = int(manager.removeprefix("n"))  # the manager, so that another must be elected as well
    few = write_patents(tmp_path / "few.jsonl", {f"US-{7500000 + n}": words(n) for n in range(40)})
    load_collection(few, parse_address(cluster.address("single")), shards=3, replicas=0, workers=1)
    single: Any = open_index(cluster.address("single"))
    assert len(rankings(single)) == 40
    single.cluster.patience = 2.0
    many = {f"US-{7400000 + n}": words(n) for n in range(1500)}
    patents = write_patents(tmp_path / "many.jsonl", many)
    lists = Searches(lambda: run_topics(index, topics[:4], model="bm25", k=50))
    parts = Searches(lambda: rankings(single))
    try:
        lists.start()
        parts.start()
        killed_at: list[int] = []

        def kill(state: BuildProgress) -> None:
            if state.step == "sending" and not killed_at:
                killed_at.append(state.documents)
                cluster.kill_node(victim)

        report = load_collection(patents, parse_address(name), shards=3, replicas=1, workers=1, progress=kill)
        assert 0 < killed_at[0] < len(many)
        for each in lists.stop():  # none is wrong, and none is missing without a reason
            assert json.dumps(each.rankings) == json.dumps({topic: right[topic] for topic in each.rankings})
            assert len(each.rankings) + sum(map(len, each.failed.values())) == 4
            assert "nothing was found" not in each.failed
        whole, *others = parts.stop()
        assert len(whole) == 40
        assert all(each == whole or isinstance(each, str) for each in others)  # complete, or an error
        assert "shard" in others[-1]
        assert report.indexed == len(many)
        with pytest.raises(AntecedeError, match="shard"):  # a part of its documents is missing
            rankings(single)
        for _ in range(2):
            assert run_topics(index, topics, model="bm25", k=50).rankings == right
    finally:
        lists.stop()
        parts.stop()
        time.sleep(1)
        cluster.start_node(victim)
        cluster.wait(3)
    assert verify_cluster(parse_address(name), sample=20).problems == ()  # as soon as the copies are made again
    assert open_index(name).documents == len(many)
