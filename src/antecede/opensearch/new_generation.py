"""A new generation of an index on a cluster: it is created, filled, counted, and then the alias switches to it.

It has its copies from the start. They take the segments of their primaries and count nothing themselves, and what a
node has acknowledged is in the logs of its copies: where one node is lost, no document is. The logs are written to
disk every few seconds only, so that nodes that are ended together may forget documents: the generation is counted, and
what is missing is sent again.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.opensearch.answers import DELETED, HEALTH, INDICES, LAGS
from antecede.opensearch.document_sender import Target, send_documents
from antecede.opensearch.generations import list_generations
from antecede.opensearch.layout import (
    FORMAT,
    META,
    RECORDS,
    field_of,
    record_mapping,
    record_settings,
    search_mapping,
    search_settings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.index.build import Progress
    from antecede.index.index import Index
    from antecede.index.maintain import BuildReport
    from antecede.opensearch.cluster import Cluster

ROUNDS = 5
"""How often what the cluster has lost is sent again."""
LONG = 24 * 3600
"""Seconds that a merge may take."""
DELETED_PATIENCE = 120.0
"""Seconds to wait until removed documents can be merged away."""
CREATIONS = 3
"""How often an index is created, where nodes are lost meanwhile."""
TIME_IS_UP = 408
"""With this status code the cluster answers that its health is not yet the one to wait for."""
LOADING = "loading"


def prepare(cluster: Cluster, index: Index, shards: int, replicas: int, *, resume: bool) -> Target:
    """The indices to be filled: those of an interrupted load of the same documents, or new ones."""
    every = list_generations(cluster)
    if resume and every and every[-1].meta.get("status") == LOADING and every[-1].meta.get("scratch") == index.state:
        last = every[-1]
        create_once(cluster, last.records, records_body(last.shards, last.replicas))  # unless it is there
        return Target(cluster, last.name)
    number = int(every[-1].name[-6:]) + 1 if every else 1
    name = f"{cluster.address.name}-{number:06d}"
    meta = {"format": FORMAT, "status": LOADING, "scratch": index.state}
    languages = index.manifest.segments[0].languages
    body = {"settings": search_settings(shards, replicas), "mappings": search_mapping(languages, meta)}
    create_index(cluster, name, body)
    create_index(cluster, name + RECORDS, records_body(shards, replicas))
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
        if cluster.call(lambda client: read_health(client, name), HEALTH)["status"] != "red":
            return
        delete_indices(cluster, name)
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
        found = cluster.call(lambda client: client.indices.get(index=name), INDICES)
        there = found[name]["mappings"].get("_meta") if name in found else None
        if there != body["mappings"].get("_meta"):
            raise InputError(
                f"{name} was made by another load meanwhile", source=str(cluster.address), remedy="wait until it ends"
            ) from None


def send_until_there(target: Target, index: Index, progress: Callable[[Progress], None], *, resume: bool) -> None:
    """Send every document, and again what the cluster has forgotten, where nodes ended before they wrote it to disk."""
    for _ in range(ROUNDS):
        send_documents(target, index, progress, resume=resume)
        resume = True
        settle(target.cluster, target)
        if all(target.cluster.count(name) == index.documents for name in (target.name, target.records)):
            return


def write_at_once(target: Target) -> None:
    """Have the nodes write their logs to disk with each request from now on."""
    body = {"index": {"translog.durability": "request"}}
    target.cluster.call(lambda client: client.indices.put_settings(index=target.both, body=body))


def settle(cluster: Cluster, target: Target, *, expunge: bool = False) -> None:
    """Make what was sent visible on every copy, and statistics exact."""
    cluster.call(lambda client: client.indices.refresh(index=target.both))
    cluster.call(lambda client: client.indices.flush(index=target.both, params={"request_timeout": LONG}))
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
    found = cluster.call(lambda client: client.indices.stats(index=name, metric="docs"), DELETED)
    return int(found["_all"]["primaries"]["docs"]["deleted"])


def wait_for_copies(cluster: Cluster, names: str, most: float = 600.0) -> None:
    """Wait until every copy has what its primary has: copies lag behind a refresh."""
    until = time.monotonic() + most
    while time.monotonic() < until:
        rows = cluster.call(lambda client: client.cat.segment_replication(index=names, params={"format": "json"}), LAGS)
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
