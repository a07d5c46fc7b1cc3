"""Fills an index on a cluster: documents are read and counted on this machine, then sent, and counted again there.

The collection is first built into an index in a scratch folder, by the same code and with the same merging of documents
as an index in a folder; its documents are then sent in portions. A document has a fixed id and is only ever created, so
a portion may be sent any number of times: it is done when each of its documents is acknowledged, or is there already.

A new index has no copies while it is filled, and its nodes write their logs to disk every few seconds only. Copies are
made of what is complete, and counted. A node that is lost meanwhile either comes back, and what it forgot is sent
again; or it does not, and everything is sent again, to an index with copies from the start.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.errors import InputError, UsageError, shown
from antecede.index.builder import Progress
from antecede.index.index import open_index
from antecede.index.maintenance import BuildReport, build_index, collection_of, ignore_progress
from antecede.index.manifest import is_index
from antecede.opensearch.cluster import AT_ONCE, TIMEOUT, Cluster, fields_of, values_of
from antecede.opensearch.cluster_index import check_language
from antecede.opensearch.conditions import any_of
from antecede.opensearch.generations import COMPLETE, alias_target, current_generation, list_generations
from antecede.opensearch.layout import (
    FORMAT,
    META,
    RECORDS,
    document_of,
    encode,
    field_of,
    language_fields,
    pack_counts,
    quote,
    record_mapping,
    record_settings,
    search_mapping,
    search_settings,
)
from antecede.opensearch.written_lists import write_lists
from antecede.parallel import map_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.corpus.collection import Collection
    from antecede.index.index import Index
    from antecede.index.segment import Segment
    from antecede.opensearch.address import Address

LEVEL = 1
"""How much time is spent on compression: the sizes of higher levels are hardly smaller."""
PORTION = 200
"""Documents sent with one request."""
THREADS = 4
"""Portions in flight."""
ROUNDS = 5
"""How often what the cluster has lost is sent again."""
COME_BACK = "30s"
"""How long a node that held the only copy of a shard may be away before the shard counts as lost."""
WAIT = "10s"
"""How long the cluster waits for a shard before it refuses a document."""
CREATED, THERE = 201, 409
PASSING = (429, 500, 502, 503, 504)
"""What a document of a portion may be refused with for a while: it is sent again."""
TRIES = 60
LONG = 24 * 3600
"""Seconds that a merge may take."""
DELETED_PATIENCE = 120.0
"""Seconds to wait until removed documents can be merged away."""
CREATIONS = 3
"""How often an index is created, where nodes are lost meanwhile."""
TIME_IS_UP = 408
"""With this status code the cluster answers that its health is not yet the one to wait for."""
LOADING = "loading"
ACCEPTED = {"timeout": WAIT, "request_timeout": TIMEOUT, "filter_path": "items.*.status,items.*.error"}
"""How documents are sent: of an answer, what became of each is of interest."""

Action = tuple[str, str, bytes]
"""An index, the number of a document, and the document as JSON."""


@dataclass(frozen=True)
class Target:
    """Where documents are sent."""

    cluster: Cluster
    name: str
    first: int = 0
    """The number of the first document."""

    @property
    def records(self) -> str:
        """The index of records."""
        return self.name + RECORDS

    @property
    def both(self) -> str:
        """Both indices."""
        return f"{self.name},{self.records}"


@dataclass
class Sender:
    """Sends the documents of a scratch index."""

    target: Target
    segment: Segment

    def send(self, portion: tuple[int, list[tuple[Any, ...]]]) -> int:
        """Send a portion until each document is there; returns how many there are."""
        first, rows = portion
        actions = [*self.actions(first, rows)]
        for attempt in range(TRIES):
            actions = self.send_once(actions)
            if not actions:
                return len(rows)
            if is_lost(self.target):
                raise InputError(
                    "shards of the index are lost with their node",
                    source=str(self.target.cluster.address),
                    remedy="check the nodes, then repeat",
                )
            time.sleep(min(0.2 * 2**attempt, 5.0))
        raise InputError(
            "documents were refused for minutes", source=str(self.target.cluster.address), remedy="try --resume later"
        )

    def send_once(self, actions: list[Action]) -> list[Action]:
        """Send documents, and return those that were not accepted for a reason that may pass."""
        lines = []
        for index, name, document in actions:
            lines.append(b'{"create":{"_index":"%b","_id":"%b"}}' % (index.encode(), name.encode()))
            lines.append(document)
        answer = send_lines(self.target.cluster, lines)
        again = []
        for action, item in zip(actions, answer["items"], strict=True):
            result = item["create"]
            if result["status"] in (CREATED, THERE):
                continue
            if result["status"] not in PASSING or "flood-stage" in str(result.get("error")):
                raise self.refused(action[1], result)
            again.append(action)
        return again

    def refused(self, number: str, result: dict[str, Any]) -> InputError:
        """The error of a document that the cluster does not accept."""
        error = result.get("error", {})
        source = str(self.target.cluster.address)
        if "flood-stage" in str(error) or "read-only" in str(error):
            return InputError(
                "a disk of the cluster is too full to write (flood-stage watermark)",
                source=source,
                remedy="free or add space, then repeat with --resume; what was written is kept",
            )
        name = self.segment.doc_ids(np.array([int(number) - self.target.first]))[0]
        why = shown(str(error.get("reason", result["status"])), 200)
        return InputError(f"the cluster refuses it ({why})", source=source, doc_id=name)

    def actions(self, first: int, rows: Sequence[tuple[Any, ...]]) -> Iterator[Action]:
        """The documents of a portion with where they go: to be searched, and their records."""
        numbers = np.arange(first, first + len(rows))
        texts: list[list[bytes]] = [[] for _ in rows]
        lengths: list[dict[str, int]] = [{} for _ in rows]
        compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        for language, matrix in self.segment.matrices.items():
            places = matrix.rows_of(numbers)
            here = np.flatnonzero(places >= 0)
            lists = matrix.vectors_of(places[here])
            written = write_lists(lists, *matrix.vocabulary)
            for at, (text, terms, counts) in zip(here.tolist(), written, strict=True):
                lengths[at][language] = int(counts.sum())
                packed = encode(compressor.compress(pack_counts(terms, counts))).encode()
                texts[at].append(b',"%b":%b' % (field_of("t", language).encode(), quote(text)))
                texts[at].append(b',"%b":"%b"' % (field_of("v", language).encode(), packed))
        data, ptr = self.segment.store.packed(first, first + len(rows))
        for at, row in enumerate(rows):
            number = self.target.first + first + at
            head = json.dumps(document_of(number, row, lengths[at]), ensure_ascii=False).encode()
            yield self.target.name, str(number), b"".join((head[:-1], *texts[at], b"}"))
            record = encode(data[ptr[at] : ptr[at + 1]].tobytes())
            yield self.target.records, str(number), b'{"record":"%b"}' % record.encode()


def send_lines(cluster: Cluster, lines: Sequence[bytes]) -> dict[str, Any]:
    """Send actions on documents, and return what became of each."""
    body = b"\n".join(lines) + b"\n"
    found: dict[str, Any] = cluster.call(lambda client: client.bulk(body=body, params=dict(ACCEPTED)))
    return found


def load_collection(
    collection: Collection | str | Path,
    address: Address,
    *,
    shards: int,
    replicas: int,
    overwrite: bool = False,
    resume: bool = False,
    progress: Callable[[Progress], None] = ignore_progress,
    **building: Any,
) -> BuildReport:
    """Build an index of a collection on a cluster.

    Args:
        collection: The patents to index.
        address: Where the index is made.
        shards: The number of parts that it is divided into.
        replicas: The number of copies of each part besides itself.
        overwrite: Replace an existing index, once the new one is complete.
        resume: Continue a load that was interrupted.
        progress: Called with a `Progress` as the work advances.
        building: The arguments of `build_index`: profile, fields, memory, workers.
    """
    begun = time.monotonic()
    cluster = Cluster(address)
    old = alias_target(cluster)
    if old is not None and not overwrite:
        raise UsageError(f"{address}: holds an index already; `antecede add` adds to it, or say --overwrite")
    scratch = scratch_folder(address, "index")
    report = build_scratch(collection, scratch, resume=resume, progress=progress, **building)
    index = open_index(scratch)
    check_language(index.languages, " ".join(map(str, collection_of(collection).paths)))
    target = fill(cluster, index, shards, replicas, progress, resume=resume)
    meta = facts_of(index, report)
    check_loaded(target, meta)
    write_meta(target, {**meta, "status": COMPLETE})
    switch_alias(target, old)
    remove_generations(cluster, target.name)
    remove_scratch(scratch)
    return BuildReport(**{**report.__dict__, "seconds": time.monotonic() - begun})


def add_collection(
    collection: Collection | str | Path,
    address: Address,
    *,
    resume: bool = False,
    progress: Callable[[Progress], None] = ignore_progress,
    **building: Any,
) -> BuildReport:
    """Add documents to an index on a cluster; a patent that is already there is replaced.

    New documents are seen, and replaced ones removed, in the last step. An addition that was interrupted is repeated:
    what it sent is removed first.
    """
    begun = time.monotonic()
    cluster = Cluster(address)
    generation = current_generation(cluster)
    settings, meta = generation.meta["settings"], dict(generation.meta)
    scratch = scratch_folder(address, "add")
    profile = profile_of(settings)
    report = build_scratch(
        collection, scratch, resume=resume, progress=progress, profile=profile, fields=settings["fields"], **building
    )
    index = open_index(scratch)
    known = {language for language, each in meta["languages"].items() if each["documents"]}
    check_language([*known | {*index.languages}], " ".join(map(str, collection_of(collection).paths)))
    target = Target(cluster, generation.name, int(meta["next"]))
    clear_tail(target)
    fields = {name: each for language in index.languages for name, each in language_fields(language).items()}
    cluster.call(lambda client: client.indices.put_mapping(index=target.name, body={"properties": fields}))
    replaced = replaced_numbers(target, index)
    send_documents(target, index, progress, resume=False)
    if replaced:
        delete_numbers(target, replaced)
    settle(cluster, target, expunge=bool(replaced))
    counts = {name: meta["counts"].get(name, 0) + getattr(report, name) for name in ("read", "merged", "rejected")}
    languages = [*dict.fromkeys([*meta["languages"], *index.manifest.segments[0].languages])]
    added = {
        "counts": {**counts, "replaced": meta["counts"].get("replaced", 0) + len(replaced)},
        "next": target.first + index.documents,
        "documents": meta["documents"] + index.documents - len(replaced),
        "languages": count_languages(target, languages),
        "generation": meta.get("generation", 1) + 1,
    }
    write_meta(target, {**meta, **added})
    check_loaded(target, {**meta, **added})
    remove_scratch(scratch)
    whole = {**report.__dict__, "replaced": len(replaced), "seconds": time.monotonic() - begun}
    return BuildReport(**whole)


def profile_of(settings: dict[str, Any]) -> Any:
    """The profile that an index was built with."""
    from antecede.text.profiles import Profile

    return Profile.from_json(json.dumps(settings["profile"]), source="the index on the cluster")


def scratch_folder(address: Address, verb: str) -> Path:
    """Where documents are read and counted before they are sent; the same for the same address, to be resumed."""
    name = hashlib.sha256(f"{address} {verb}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"antecede-{verb}-{name}"


def remove_scratch(scratch: Path) -> None:
    """Remove a scratch index, and what was noted of it."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.with_suffix(".json").unlink(missing_ok=True)


def build_scratch(
    collection: Collection | str | Path,
    scratch: Path,
    *,
    resume: bool,
    progress: Callable[[Progress], None],
    **building: Any,
) -> BuildReport:
    """Build the scratch index, or take the one that an interrupted load left."""
    kept = scratch.with_suffix(".json")
    source = collection_of(collection)
    plan = [[str(path) for path in source.paths], str(building.get("profile")), list(building.get("fields") or ())]
    if resume and is_index(scratch) and kept.is_file():
        saved = json.loads(kept.read_text())
        if saved["plan"] == plan:
            return BuildReport(**saved["report"])
    if not resume:
        shutil.rmtree(scratch, ignore_errors=True)
    report = build_index(source, scratch, resume=resume, overwrite=is_index(scratch), progress=progress, **building)
    kept.write_text(json.dumps({"plan": plan, "report": report.to_dict()}))
    return report


def fill(
    cluster: Cluster, index: Index, shards: int, replicas: int, progress: Callable[[Progress], None], *, resume: bool
) -> Target:
    """Make the indices of a generation, with all documents and copies.

    Where shards are lost meanwhile, it is made again on the other nodes, with copies from the start.
    """
    target = prepare(cluster, index, shards, resume=resume)
    try:
        complete(target, index, replicas, progress, resume=resume)
    except InputError:
        if not replicas or not is_lost(target):
            raise
        delete_indices(cluster, target.both)
        target = prepare(cluster, index, shards, replicas, resume=False)
        complete(target, index, replicas, progress, resume=False)
    return target


def complete(
    target: Target, index: Index, replicas: int, progress: Callable[[Progress], None], *, resume: bool
) -> None:
    """Send every document, and make the copies."""
    send_until_there(target, index, progress, resume=resume)
    make_copies(target, replicas)
    settle(target.cluster, target)


def is_lost(target: Target) -> bool:
    """Whether a shard is gone with its node, and does not come back."""
    health = target.cluster.call(lambda client: client.cluster.health(index=target.both))
    if health["status"] == "red":
        how = {"wait_for_status": "yellow", "timeout": COME_BACK, "request_timeout": TIMEOUT, "ignore": TIME_IS_UP}
        health = target.cluster.call(lambda client: client.cluster.health(index=target.both, params={**how}))
    return bool(health["status"] == "red")


def prepare(cluster: Cluster, index: Index, shards: int, copies: int = 0, *, resume: bool) -> Target:
    """The indices to be filled: those of an interrupted load of the same documents, or new ones."""
    every = list_generations(cluster)
    if resume and every and every[-1].meta.get("status") == LOADING and every[-1].meta.get("scratch") == index.state:
        last = every[-1]
        create_once(cluster, last.records, records_body(last.shards, last.replicas))  # unless it is there
        target = Target(cluster, last.name)
        if not is_lost(target):
            return target
        delete_indices(cluster, target.both)
    number = int(every[-1].name[-6:]) + 1 if every else 1
    name = f"{cluster.address.name}-{number:06d}"
    meta = {"format": FORMAT, "status": LOADING, "scratch": index.state}
    languages = index.manifest.segments[0].languages
    body = {"settings": search_settings(shards, copies), "mappings": search_mapping(languages, meta)}
    create_index(cluster, name, body)
    create_index(cluster, name + RECORDS, records_body(shards, copies))
    return Target(cluster, name)


def records_body(shards: int, replicas: int) -> dict[str, Any]:
    """Settings and mapping of the index of records."""
    return {"settings": record_settings(shards, replicas), "mappings": record_mapping()}


def create_index(cluster: Cluster, name: str, body: dict[str, Any]) -> None:
    """Create an index, and wait until every copy of its shards is there, so that the loss of a node loses nothing.

    Where there are too few nodes for all copies, it goes on without some after half a minute. A shard that was lost
    with its node before it had a copy is empty: the index is made again on the other nodes.
    """
    for _ in range(CREATIONS):
        create_once(cluster, name, body)
        if cluster.call(lambda client: read_health(client, name))["status"] != "red":
            return
        cluster.call(lambda client: client.indices.delete(index=name, params={"ignore_unavailable": "true"}))
    raise InputError(
        f"shards of the new index {name} are lost again and again",
        source=str(cluster.address),
        remedy="check the nodes, then repeat",
    )


def read_health(client: Any, names: str) -> dict[str, Any]:
    """The health of indices, once every copy of their shards is there, or after half a minute."""
    how = {"wait_for_status": "green", "ignore": TIME_IS_UP}  # by default for half a minute
    found: dict[str, Any] = client.cluster.health(index=names, params=how)
    return found


def create_once(cluster: Cluster, name: str, body: dict[str, Any]) -> None:
    """Create an index, unless a request that seemed to fail has created it."""
    try:
        cluster.call(lambda client: client.indices.create(index=name, body=body))
    except InputError as error:
        # A request that was repeated may have succeeded the first time. Another loader's index has other facts.
        if "resource_already_exists" not in error.what:
            raise
        there = cluster.call(lambda client: client.indices.get(index=name))[name]["mappings"].get("_meta")
        if there != body["mappings"].get("_meta"):
            raise InputError(
                f"{name} was made by another load meanwhile", source=str(cluster.address), remedy="wait until it ends"
            ) from None


def send_documents(target: Target, index: Index, progress: Callable[[Progress], None], *, resume: bool) -> None:
    """Send every document of a scratch index."""
    segment = index.segments[0]
    sender = Sender(target, segment)
    if resume:
        target.cluster.call(lambda client: client.indices.refresh(index=target.both))
    sent = 0
    for number in map_threads(sender.send, portions(target, segment, resume=resume), THREADS):
        sent += number
        progress(Progress("sending", sent, sent, segment.documents))


def send_until_there(target: Target, index: Index, progress: Callable[[Progress], None], *, resume: bool) -> None:
    """Send every document, and again what a node has forgotten that was ended before it wrote it to disk."""
    for _ in range(ROUNDS):
        send_documents(target, index, progress, resume=resume)
        resume = True
        target.cluster.call(lambda client: client.indices.refresh(index=target.both))
        if all(target.cluster.count(name) == index.documents for name in (target.name, target.records)):
            return


def make_copies(target: Target, replicas: int) -> None:
    """Have what was sent written to disk, and copied.

    Where there are too few nodes for all copies, it goes on without some after half a minute.
    """
    cluster = target.cluster
    cluster.call(lambda client: client.indices.flush(index=target.both, params={"request_timeout": LONG}))
    body = {"index": {"number_of_replicas": replicas, "translog.durability": "request"}}
    cluster.call(lambda client: client.indices.put_settings(index=target.both, body=body))
    while True:
        health = cluster.call(lambda client: read_health(client, target.both))
        if health["status"] == "green" or not health["initializing_shards"]:
            return


def portions(target: Target, segment: Segment, *, resume: bool) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """The documents in portions; those that are there completely are left out where a load is resumed."""
    rows: list[tuple[Any, ...]] = []
    first = 0
    for number, row in enumerate(segment.store.all_rows()):
        rows.append(row)
        if len(rows) == PORTION or number + 1 == segment.documents:
            if not (resume and is_there(target, first, first + len(rows))):
                yield first, rows
            first, rows = number + 1, []


def is_there(target: Target, first: int, end: int) -> bool:
    """Whether the documents of a range are on the cluster, with their records."""
    low, high = target.first + first, target.first + end
    ids = {"ids": {"values": [str(number) for number in range(low, high)]}}
    searched = target.cluster.count(target.name, {"range": {"n": {"gte": low, "lt": high}}})
    return searched == high - low and target.cluster.count(target.records, ids) == high - low


def settle(cluster: Cluster, target: Target, *, expunge: bool = False) -> None:
    """Make what was sent visible on every copy, and statistics exact."""
    cluster.call(lambda client: client.indices.refresh(index=target.both))
    cluster.call(lambda client: client.indices.flush(index=target.both))
    if expunge:
        remove_deleted(cluster, target.name, only_expunge_deletes="true")
    wait_for_copies(cluster, target.both)


def remove_deleted(cluster: Cluster, name: str, **how: Any) -> None:
    """Merge segments until no removed document is counted in statistics any more.

    A shard keeps what was removed until it knows that all of its copies have taken note, which may take half a minute.
    """
    until = time.monotonic() + DELETED_PATIENCE
    while True:
        cluster.call(lambda client: client.indices.forcemerge(index=name, params={**how, "request_timeout": LONG}))
        for step in ("refresh", "flush"):
            cluster.call(methodcaller_of("indices", step, index=name))
        if not count_deleted(cluster, name) or time.monotonic() > until:
            return
        time.sleep(3)


def methodcaller_of(part: str, step: str, **how: Any) -> Callable[[Any], Any]:
    """A request of the client by name."""
    return lambda client: getattr(getattr(client, part), step)(**how)


def count_deleted(cluster: Cluster, name: str) -> int:
    """Documents that were removed, but are still counted in statistics."""
    found = cluster.call(lambda client: client.indices.stats(index=name, metric="docs"))
    return int(found["_all"]["primaries"]["docs"]["deleted"])


def wait_for_copies(cluster: Cluster, names: str, most: float = 600.0) -> None:
    """Wait until every copy has what its primary has: copies lag behind a refresh."""
    until = time.monotonic() + most
    while time.monotonic() < until:
        rows = cluster.call(lambda client: client.cat.segment_replication(index=names, params={"format": "json"}))
        if not any(int(row.get("checkpoints_behind") or 0) for row in rows):
            return
        time.sleep(0.2)
    raise InputError(
        "copies of shards do not catch up", source=str(cluster.address), remedy="check the nodes, then repeat --resume"
    )


def facts_of(index: Index, report: BuildReport) -> dict[str, Any]:
    """Our facts about an index, from the scratch index that it was made of."""
    languages = index.manifest.segments[0].languages
    statistics = {language: index.filed_statistics(language) for language in languages}
    return {
        "format": FORMAT,
        "generation": 1,
        "settings": index.settings,
        "documents": index.documents,
        "next": index.documents,
        "counts": {name: getattr(report, name) for name in ("read", "merged", "rejected", "replaced")},
        "languages": {
            language: {"documents": each.documents, "tokens": each.tokens} for language, each in statistics.items()
        },
    }


def count_languages(target: Target, languages: Sequence[str]) -> dict[str, dict[str, int]]:
    """Documents and tokens of each language, counted by the cluster."""
    tokens = target.cluster.sum_up(target.name, *(field_of("length", each) for each in languages))
    return {
        language: {
            "documents": target.cluster.count(target.name, {"exists": {"field": field_of("length", language)}}),
            "tokens": tokens[field_of("length", language)],
        }
        for language in languages
    }


def check_loaded(target: Target, meta: dict[str, Any]) -> None:
    """Compare what the cluster counts with what was sent; a difference is an error."""
    counted = {
        "documents": target.cluster.count(target.name),
        "records": target.cluster.count(target.records),
        "languages": count_languages(target, [*meta["languages"]]),
    }
    wanted = {"documents": meta["documents"], "records": meta["documents"], "languages": meta["languages"]}
    for name, value in wanted.items():
        if counted[name] != value:
            raise InputError(
                f"{name}: {counted[name]} are on the cluster, {value} were sent",
                source=str(target.cluster.address),
                remedy="continue with --resume",
            )


def write_meta(target: Target, meta: dict[str, Any]) -> None:
    """Store our facts about an index with it."""
    body = {"_meta": {META: meta}}
    target.cluster.call(lambda client: client.indices.put_mapping(index=target.name, body=body))


def switch_alias(target: Target, old: str | None) -> None:
    """Have the alias lead to a generation, at once."""
    alias = target.cluster.address.name
    actions: list[dict[str, Any]] = [{"add": {"index": target.name, "alias": alias}}]
    if old is not None:
        actions.append({"remove": {"index": old, "alias": alias}})
    target.cluster.call(lambda client: client.indices.update_aliases(body={"actions": actions}))


def remove_generations(cluster: Cluster, kept: str) -> None:
    """Remove all generations of a name but one."""
    for each in list_generations(cluster):
        if each.name != kept:
            delete_indices(cluster, f"{each.name},{each.records}")


def delete_indices(cluster: Cluster, names: str) -> None:
    """Remove indices, as far as they exist."""
    cluster.call(lambda client: client.indices.delete(index=names, params={"ignore_unavailable": "true"}))


# Additions


def clear_tail(target: Target) -> None:
    """Remove the documents of an addition that was interrupted."""
    later = {"range": {"n": {"gte": target.first}}}
    target.cluster.call(lambda client: client.indices.refresh(index=target.both))
    tail = [int(each["n"][0]) for each in target.cluster.scan(target.name, later, ["n"])]
    if tail:
        delete_numbers(target, tail)


def replaced_numbers(target: Target, index: Index) -> list[int]:
    """The documents on the cluster that have the name or the identity of one to be added."""
    rows = [*index.segments[0].store.all_rows()]
    found: set[int] = set()
    for first in range(0, len(rows), AT_ONCE):
        part = rows[first : first + AT_ONCE]
        clause = any_of(
            [{"terms": {"doc_id": [row[0] for row in part]}}, {"terms": {"identity": [row[1] for row in part]}}]
        )
        body = {"size": 2 * len(part), "query": {"bool": {"filter": clause}}, **values_of(["n"])}
        found |= {int(each["n"][0]) for each in fields_of(target.cluster.search(target.name, body))}
    return sorted(number for number in found if number < target.first)


def delete_numbers(target: Target, numbers: Sequence[int]) -> None:
    """Remove documents and their records."""
    for first in range(0, len(numbers), AT_ONCE):
        part = numbers[first : first + AT_ONCE]
        lines = [json.dumps({"delete": {"_index": name, "_id": str(number)}}).encode()
                 for number in part for name in (target.name, target.records)]  # fmt: skip
        answer = send_lines(target.cluster, lines)
        bad = [item["delete"] for item in answer["items"] if item["delete"]["status"] not in (200, 404)]
        if bad:
            why = shown(str(bad[0].get("error")), 200)
            raise InputError(
                f"a document cannot be removed ({why})",
                source=str(target.cluster.address),
                remedy="repeat with --resume",
            )
    target.cluster.call(lambda client: client.indices.refresh(index=target.both))
