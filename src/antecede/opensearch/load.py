"""Fills an index on a cluster, verifies and merges it.

A collection is built into an index in a scratch folder, by the same code as any other index, and its documents are sent
from there into a new generation of indices. The alias switches to it at the end.

A generation has its copies from the start. They take the segments of their primaries and count nothing themselves, and
what a node has acknowledged is in the logs of its copies: where one node is lost, no document is. The logs are written
to disk every few seconds only, so that nodes that end together may forget documents: the generation is counted, and
what is missing is sent again.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError, InputError, UsageError, advise, spell
from antecede.index.documents import columns_of
from antecede.index.index import StoredIndex
from antecede.index.maintain import BuildReport, MergeReport, build_index, collection_of, ignore_progress
from antecede.index.manifest import is_index
from antecede.index.verify import VerificationReport
from antecede.opensearch.answers import HEALTH, INDICES, LAGS, STATISTICS
from antecede.opensearch.clauses import any_of
from antecede.opensearch.cluster import BATCH_NUMBERS, Cluster, fields_of, values_of
from antecede.opensearch.engine import (
    COMPLETE,
    ClusterEngine,
    alias_target,
    check_language,
    current_generation,
    list_generations,
)
from antecede.opensearch.layout import (
    FORMAT,
    META,
    Generation,
    column_fields,
    field_of,
    language_fields,
    record_index,
    search_mapping,
    search_settings,
)
from antecede.opensearch.sender import delete_numbers, send_documents
from antecede.patent.texts import FIELDS, indexed_text
from antecede.text.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.address import Address
    from antecede.corpus.collection import Collection
    from antecede.index.build import BuildProgress

ROUNDS = 5
"""How often what the cluster has lost is sent again."""
LONG = 24 * 3600
"""Seconds that a merge may take."""
DELETED_PATIENCE = 120.0
"""Seconds to wait until removed documents can be merged away."""
TIME_IS_UP = 408
"""With this status code the cluster answers that its health is not yet the one to wait for."""
LOADING = "loading"
SAMPLE = 200
"""Documents that are read and analysed again by a verification."""


def _prepare(cluster: Cluster, index: StoredIndex, shards: int, replicas: int, *, resume: bool) -> Generation:
    """The indices to be filled: those of an interrupted load of the same documents, or new ones."""
    every = list_generations(cluster)
    if resume and every and every[-1].meta.get("status") == LOADING and every[-1].meta.get("scratch") == index.state:
        last = every[-1]
        _create_once(cluster, last.records, record_index(last.shards, last.replicas))  # unless it is there
        return last
    number = int(every[-1].name[-6:]) + 1 if every else 1
    new = Generation(cluster, f"{cluster.address.name}-{number:06d}")
    meta = {"format": FORMAT, "status": LOADING, "scratch": index.state}
    languages = index.manifest.segments[0].languages
    searched = {"settings": search_settings(shards, replicas), "mappings": search_mapping(languages, meta)}
    create_index(cluster, new.name, searched)
    create_index(cluster, new.records, record_index(shards, replicas))
    return new


def create_index(cluster: Cluster, name: str, body: dict[str, Any]) -> None:
    """Create an index, and wait until every copy of its shards is there, so that the loss of a node loses nothing.

    Where there are too few nodes for all copies, it goes on without some after half a minute. A shard that was lost
    with its node before it had a copy is an error.
    """
    how = {"wait_for_status": "green", "ignore": TIME_IS_UP}  # by default for half a minute
    _create_once(cluster, name, body)
    if cluster.call(lambda client: client.cluster.health(index=name, params=how), HEALTH)["status"] == "red":
        raise cluster.error(f"shards of the new index {name} are lost", "check the nodes, then repeat")


def _create_once(cluster: Cluster, name: str, body: dict[str, Any]) -> None:
    """Create an index, unless a request that seemed to fail has created it."""
    try:
        cluster.call(lambda client: client.indices.create(index=name, body=body))
    except InputError as error:
        # A request that was repeated may have succeeded the first time. Another loader's index has other facts.
        if "resource_already_exists" not in error.what:
            raise
        indices = cluster.call(lambda client: client.indices.get(index=name), INDICES)
        there = indices[name]["mappings"].get("_meta") if name in indices else None
        if there != body["mappings"].get("_meta"):
            raise cluster.error(f"{name} was made by another load meanwhile", "wait until it ends") from None


def _send_until_there(
    target: Generation, index: StoredIndex, progress: Callable[[BuildProgress], None], *, resume: bool
) -> None:
    """Send every document, and again what the cluster has forgotten, where nodes ended before they wrote it to disk."""
    for _ in range(ROUNDS):
        send_documents(target, index, progress, resume=resume)
        resume = True
        _settle(target)
        if all(target.cluster.count(name) == index.documents for name in (target.name, target.records)):
            return


def _settle(target: Generation, *, expunge: bool = False) -> None:
    """Make what was sent visible on every copy, and statistics exact."""
    cluster = target.cluster
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
        cluster.call(lambda client: client.indices.refresh(index=name))
        cluster.call(lambda client: client.indices.flush(index=name))
        if not cluster.count_deleted(name) or time.monotonic() > until:
            return
        time.sleep(3)


def wait_for_copies(cluster: Cluster, names: str, most: float = 600.0) -> None:
    """Wait until every copy has what its primary has: copies lag behind a refresh."""
    until = time.monotonic() + most
    while time.monotonic() < until:
        rows = cluster.call(lambda client: client.cat.segment_replication(index=names, params={"format": "json"}), LAGS)
        if not any(int(row.get("checkpoints_behind") or 0) for row in rows):
            return
        time.sleep(0.2)
    raise cluster.error(
        "copies of shards do not catch up", f"check the nodes, then repeat with {spell('resume', True)}"
    )


def facts_of(index: StoredIndex, report: BuildReport) -> dict[str, Any]:
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


def count_languages(target: Generation, languages: Sequence[str]) -> dict[str, dict[str, int]]:
    """Documents and tokens of each language, counted by the cluster."""
    tokens = target.cluster.sum_up(target.name, *(field_of("length", language) for language in languages))
    return {
        language: {
            "documents": target.cluster.count(target.name, {"exists": {"field": field_of("length", language)}}),
            "tokens": tokens[field_of("length", language)],
        }
        for language in languages
    }


def _check_loaded(target: Generation, meta: dict[str, Any]) -> None:
    """Compare what the cluster counts with what was sent; a difference is an error."""
    for name, counted, sent in (
        ("documents", target.cluster.count(target.name), meta["documents"]),
        ("records", target.cluster.count(target.records), meta["documents"]),
        ("languages", count_languages(target, [*meta["languages"]]), meta["languages"]),
    ):
        if counted != sent:
            raise target.cluster.error(
                f"{name}: {counted} are on the cluster, {sent} were sent", f"continue with {spell('resume', True)}"
            )


def _write_meta(target: Generation, meta: dict[str, Any]) -> None:
    target.cluster.call(lambda client: client.indices.put_mapping(index=target.name, body={"_meta": {META: meta}}))


def _delete_indices(cluster: Cluster, names: str) -> None:
    cluster.call(lambda client: client.indices.delete(index=names, params={"ignore_unavailable": "true"}))


def load_collection(
    collection: Collection | str | Path,
    address: Address,
    *,
    shards: int,
    replicas: int,
    overwrite: bool = False,
    resume: bool = False,
    progress: Callable[[BuildProgress], None] = ignore_progress,
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
        progress: Called with a `BuildProgress` as the work advances.
        building: The arguments of `build_index`: profile, fields, memory, workers.
    """
    begun = time.monotonic()
    cluster = Cluster(address)
    old = alias_target(cluster)
    if old is not None and not overwrite:
        raise UsageError(
            f"{address}: holds an index already; {advise('add_to_index', '`antecede add`')} adds to it, "
            f"or say {spell('overwrite', True)}"
        )
    scratch = _scratch_folder(address, "index")
    report = _build_scratch(collection, scratch, resume=resume, progress=progress, **building)
    index = StoredIndex.open(scratch)
    check_language(index.languages, " ".join(map(str, collection_of(collection).paths)))
    target = _prepare(cluster, index, shards, replicas, resume=resume)
    _send_until_there(target, index, progress, resume=resume)
    durable = {"index": {"translog.durability": "request"}}  # logs are written to disk with each request from now on
    cluster.call(lambda client: client.indices.put_settings(index=target.both, body=durable))
    meta = facts_of(index, report)
    _check_loaded(target, meta)
    _write_meta(target, {**meta, "status": COMPLETE})
    actions = [{"add": {"index": target.name, "alias": address.name}}]
    if old is not None:
        actions.append({"remove": {"index": old, "alias": address.name}})
    cluster.call(lambda client: client.indices.update_aliases(body={"actions": actions}))  # at once
    for generation in list_generations(cluster):
        if generation.name != target.name:
            _delete_indices(cluster, generation.both)
    _remove_scratch(scratch)
    return BuildReport(**{**report.__dict__, "seconds": time.monotonic() - begun})


def add_collection(
    collection: Collection | str | Path,
    address: Address,
    *,
    resume: bool = False,
    progress: Callable[[BuildProgress], None] = ignore_progress,
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
    scratch = _scratch_folder(address, "add")
    profile = Profile.from_json(json.dumps(settings["profile"]), source="the index on the cluster")
    report = _build_scratch(
        collection,
        scratch,
        resume=resume,
        progress=progress,
        profile=profile,
        fields=settings["fields"],
        positions=settings["positions"],
        **building,
    )
    index = StoredIndex.open(scratch)
    known = {language for language, each in meta["languages"].items() if each["documents"]}
    check_language([*known | {*index.languages}], " ".join(map(str, collection_of(collection).paths)))
    first = int(meta["next"])
    cluster.call(lambda client: client.indices.refresh(index=generation.both))
    tail = cluster.scan(generation.name, {"range": {"n": {"gte": first}}}, ["n"])  # of an addition that was interrupted
    delete_numbers(generation, [int(fields["n"][0]) for fields in tail])
    fields = column_fields()
    for language in index.languages:
        fields |= language_fields(language)
    cluster.call(lambda client: client.indices.put_mapping(index=generation.name, body={"properties": fields}))
    replaced = _replaced_numbers(generation, index, first)
    send_documents(generation, index, progress, first=first, resume=False)
    delete_numbers(generation, replaced)
    _settle(generation, expunge=bool(replaced))
    counts = {name: meta["counts"].get(name, 0) + getattr(report, name) for name in ("read", "merged", "rejected")}
    languages = [*dict.fromkeys([*meta["languages"], *index.manifest.segments[0].languages])]
    added = {
        "counts": {**counts, "replaced": meta["counts"].get("replaced", 0) + len(replaced)},
        "next": first + index.documents,
        "documents": meta["documents"] + index.documents - len(replaced),
        "languages": count_languages(generation, languages),
        "generation": meta.get("generation", 1) + 1,
    }
    _write_meta(generation, {**meta, **added})
    _check_loaded(generation, {**meta, **added})
    _remove_scratch(scratch)
    facts = {**report.__dict__, "replaced": len(replaced), "seconds": time.monotonic() - begun}
    return BuildReport(**facts)


def _scratch_folder(address: Address, verb: str) -> Path:
    """Where documents are read and counted before they are sent; the same for the same address, to be resumed."""
    name = hashlib.sha256(f"{address} {verb}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"antecede-{verb}-{name}"


def _remove_scratch(scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.with_suffix(".json").unlink(missing_ok=True)


def _build_scratch(
    collection: Collection | str | Path,
    scratch: Path,
    *,
    resume: bool,
    progress: Callable[[BuildProgress], None],
    **building: Any,
) -> BuildReport:
    """Build the scratch index, or take the one that an interrupted load left."""
    kept = scratch.with_suffix(".json")
    source = collection_of(collection)
    plan = [[str(path) for path in source.paths], str(building.get("profile")), list(building.get("fields") or ())]
    plan.append(building.get("positions", True))
    if resume and is_index(scratch) and kept.is_file():
        saved = json.loads(kept.read_text())
        if saved["plan"] == plan:
            return BuildReport(**saved["report"])
    if not resume:
        shutil.rmtree(scratch, ignore_errors=True)
    report = build_index(source, scratch, resume=resume, overwrite=is_index(scratch), progress=progress, **building)
    kept.write_text(json.dumps({"plan": plan, "report": report.to_dict()}))
    return report


def _replaced_numbers(target: Generation, index: StoredIndex, before: int) -> list[int]:
    """The documents on the cluster, numbered below `before`, that have the name or identity of one to be added."""
    rows = [*index.segments[0].store.all_rows()]
    numbers: set[int] = set()
    for first in range(0, len(rows), BATCH_NUMBERS):
        part = rows[first : first + BATCH_NUMBERS]
        clause = any_of(
            [{"terms": {"doc_id": [row[0] for row in part]}}, {"terms": {"identity": [row[1] for row in part]}}]
        )
        body = {"size": 2 * len(part), "query": {"bool": {"filter": clause}}, **values_of(["n"])}
        numbers |= {int(each["n"][0]) for each in fields_of(target.cluster.search(target.name, body))}
    return sorted(number for number in numbers if number < before)


# What is known of an index, whether it is as it was loaded, and its merging


def describe_cluster(index: ClusterEngine) -> dict[str, Any]:
    """Documents and tokens per language, sizes, shards and settings of an index on a cluster."""
    meta, generation = index.generation.meta, index.generation
    stats = index.cluster.call(
        lambda client: client.indices.stats(index=generation.both, metric="store,docs,segments"), STATISTICS
    )["indices"]
    if not {generation.name, generation.records} <= stats.keys():
        raise index.cluster.misunderstood("an index is missing")
    sizes = {name: each["primaries"]["store"]["size_in_bytes"] for name, each in stats.items()}
    total = sum(each["total"]["store"]["size_in_bytes"] for each in stats.values())
    health = index.cluster.call(lambda client: client.cluster.health(index=generation.both), HEALTH)
    languages = {
        language or "unknown": {
            "documents": each["documents"],
            "tokens": each["tokens"],
            "average_length": round(each["tokens"] / max(each["documents"], 1), 1),
        }
        for language, each in meta["languages"].items()
        if each["documents"]
    }
    return {
        "documents": index.documents,
        **meta["counts"],
        "address": str(index.address),
        "index": generation.name,
        "health": health["status"],
        "shards": generation.shards,
        "replicas": generation.replicas,
        "segments": stats[generation.name]["primaries"]["segments"]["count"],
        "deleted": stats[generation.name]["primaries"]["docs"]["deleted"],
        "languages": languages,
        "bytes": {"total": total, "search": sizes[generation.name], "records": sizes[generation.records]},
        "settings": {
            "profile": index.settings["profile"]["name"],
            **{name: index.settings[name] for name in ("fields", "versions")},
        },
    }


def merge_cluster(address: Address) -> MergeReport:
    """Merge the segments of each shard into one, and wait until statistics are exact on every copy."""
    begun = time.monotonic()
    index = ClusterEngine(address)
    generation, cluster = index.generation, index.cluster
    before = describe_cluster(index)
    cluster.call(lambda client: client.indices.flush(index=generation.both))
    remove_deleted(cluster, generation.both, max_num_segments=1)
    wait_for_copies(cluster, generation.both)
    return MergeReport(before["segments"], index.documents, before["deleted"], time.monotonic() - begun)


def verify_cluster(
    address: Address, progress: Callable[[int, int], None] | None = None, sample: int = SAMPLE
) -> VerificationReport:
    """Compare what a cluster counts with what was loaded, and read a sample of documents again.

    The documents of the sample are unpacked, analysed again, and compared with their term counts and fields.
    """
    index = ClusterEngine(address)
    if problems := [*_count_problems(index)]:
        problems += _state_problems(index)
    numbers = [int(each["n"][0]) for each in index.cluster.scan(index.generation.name, {"match_all": {}}, ["n"])]
    chosen = sorted(random.sample(numbers, min(sample, len(numbers))))
    with suppress(AntecedeError):  # fetched together; what is damaged is found document by document
        heads = index.stored.heads(chosen)
        for language in index.languages:
            index.known_counts(language).vectors([number for number in chosen if language in heads[number].lengths])
    for checked, number in enumerate(chosen, 1):
        try:
            problems += _document_problems(index, number)
        except AntecedeError as error:
            problems.append(str(error))
        if progress is not None:
            progress(checked, len(chosen))
    return VerificationReport(len(chosen), tuple(problems))


def _count_problems(index: ClusterEngine) -> Iterator[str]:
    """Counts that are not those of the load: documents, records, documents and tokens per language, terms."""
    generation, meta, where = index.generation, index.generation.meta, str(index.address)
    for name in (generation.name, generation.records):
        there = index.cluster.count(name)
        if there != index.documents:
            yield f"{where}: {name} has {there} documents, {index.documents} were loaded"
    counted = count_languages(generation, [*meta["languages"]])
    for language, facts in meta["languages"].items():
        if counted[language] != facts:
            yield f"{where}: language {language or 'unknown'} has {counted[language]}, {facts} were loaded"
    for language in index.languages:
        statistics = index.statistics(language)
        _, tokens = index.known_counts(language).candidate_totals
        if tokens != statistics.tokens:
            yield (
                f"{where}: the postings of language {language or 'unknown'} have {tokens} tokens, its documents "
                f"{statistics.tokens}; `antecede merge` removes those of replaced documents"
            )


def _state_problems(index: ClusterEngine) -> Iterator[str]:
    """What state a cluster is in that is not complete: counts may differ while it makes copies."""
    health = index.cluster.call(lambda client: client.cluster.health(index=index.generation.both), HEALTH)
    if health["status"] != "green":
        moving = health.get("initializing_shards", 0) + health.get("relocating_shards", 0)
        yield (
            f"{index.address}: the index is {health['status']}: of the copies of its shards "
            f"{health.get('active_shards', 0)} are there, {moving} are being made, "
            f"{health.get('unassigned_shards', 0)} have no node; verify it again when it is green"
        )


def _document_problems(index: ClusterEngine, number: int) -> Iterator[str]:
    """What is wrong with a document: its fields and term counts must be those that its record gives."""
    store = index.stored
    patent, head = store.record(number), store.heads([number])[number]
    where = f"{index.address}: document {patent.doc_id}"
    if [*head.columns.values()][: head.stored] != [*columns_of(patent)][: head.stored]:
        yield f"{where}: its fields are not those of its record"
    fields = tuple(index.settings.get("fields", FIELDS))
    for language, length in head.lengths.items():
        known = index.known_counts(language)
        items, counts = known.vectors([number])[0]
        terms = index.analyzer(language).terms(indexed_text(patent, language, fields).decode())
        names, times = np.unique(np.array(terms, np.object_), return_counts=True)
        stored = dict(zip(map(known.table.term, items.tolist()), counts.tolist(), strict=True))
        if stored != dict(zip(names.tolist(), times.tolist(), strict=True)) or length != int(counts.sum()):
            yield f"{where}: its terms in {language or 'an unknown language'} are not those of its record"
