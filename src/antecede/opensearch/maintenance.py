"""What is known of an index on a cluster, whether it is as it was loaded, and its merging."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.index.files import FIELDS
from antecede.index.maintain import MergeReport
from antecede.index.metadata import COLUMNS, columns_of
from antecede.index.records import text_of
from antecede.index.verify import VerificationReport
from antecede.opensearch.answers import HEALTH, STATISTICS
from antecede.opensearch.engine import ClusterEngine
from antecede.opensearch.load import count_languages, remove_deleted, wait_for_copies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.opensearch.address import Address

SAMPLE = 200
"""Documents that are read and analysed again by a verification."""


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
        "bytes": {
            "total": total,
            "search": sizes[generation.name],
            "records": sizes[generation.records],
        },
        "settings": {
            "profile": index.settings["profile"]["name"],
            "fields": index.settings["fields"],
            "versions": index.settings["versions"],
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
    problems = [*_count_problems(index)]
    if problems:
        problems += _state_problems(index)
    checked = 0
    numbers = [int(each["n"][0]) for each in index.cluster.scan(index.generation.name, {"match_all": {}}, ["n"])]
    chosen = sorted(random.sample(numbers, min(sample, len(numbers))))
    _fetch_sample(index, chosen)
    for number in chosen:
        try:
            problems += _document_problems(index, number)
        except AntecedeError as error:
            problems.append(str(error))
        checked += 1
        if progress is not None:
            progress(checked, len(chosen))
    return VerificationReport(checked, tuple(problems))


def _fetch_sample(index: ClusterEngine, numbers: list[int]) -> None:
    """Fetch the fields and term counts of a sample together; what is damaged is found document by document."""
    with suppress(AntecedeError):
        heads = index.only.store.heads(numbers)
        for language in index.languages:
            matrix: Any = index.filed_matrices(language)[0][1]
            matrix.vectors([number for number in numbers if language in heads[number].lengths])


def _count_problems(index: ClusterEngine) -> Iterator[str]:
    """Counts that are not those of the load: documents, records, documents and tokens per language, terms."""
    generation, meta, where = index.generation, index.generation.meta, str(index.address)
    for name in (generation.name, generation.records):
        found = index.cluster.count(name)
        if found != index.documents:
            yield f"{where}: {name} has {found} documents, {index.documents} were loaded"
    counted = count_languages(generation, [*meta["languages"]])
    for language, facts in meta["languages"].items():
        if counted[language] != facts:
            yield f"{where}: language {language or 'unknown'} has {counted[language]}, {facts} were loaded"
    for language in index.languages:
        statistics: Any = index.statistics(language)
        _, tokens = statistics.candidate_totals
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
    store = index.only.store
    patent, head = store.record(number), store.heads([number])[number]
    where = f"{index.address}: document {patent.doc_id}"
    if tuple(head.columns[name] for name in COLUMNS) != tuple(columns_of(patent)):
        yield f"{where}: its fields are not those of its record"
    fields = tuple(index.settings.get("fields", FIELDS))
    for language, length in head.lengths.items():
        matrix: Any = index.filed_matrices(language)[0][1]
        items, counts = matrix.vectors([number])[0]
        terms = index.analyzer(language).terms(text_of(patent, language, fields).decode())
        names, times = np.unique(np.array(terms, np.object_), return_counts=True)
        stored = dict(zip(map(matrix.term, items.tolist()), counts.tolist(), strict=True))
        if stored != dict(zip(names.tolist(), times.tolist(), strict=True)) or length != int(counts.sum()):
            yield f"{where}: its terms in {language or 'an unknown language'} are not those of its record"
