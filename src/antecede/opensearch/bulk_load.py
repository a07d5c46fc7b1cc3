"""Fills an index on a cluster: documents are read and counted on this machine, then sent, and counted again there.

The collection is first built into an index in a scratch folder, by the same code and with the same merging of documents
as an index in a folder; its documents are then sent from there.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError
from antecede.index.index import open_index
from antecede.index.maintain import BuildReport, build_index, collection_of, ignore_progress
from antecede.index.manifest import is_index
from antecede.opensearch.cluster import AT_ONCE, Cluster, fields_of, values_of
from antecede.opensearch.cluster_index import check_language
from antecede.opensearch.conditions import any_of
from antecede.opensearch.document_sender import Target, delete_numbers, send_documents
from antecede.opensearch.generations import COMPLETE, alias_target, current_generation
from antecede.opensearch.layout import language_fields
from antecede.opensearch.new_generation import (
    check_loaded,
    count_languages,
    facts_of,
    prepare,
    remove_generations,
    send_until_there,
    settle,
    switch_alias,
    write_at_once,
    write_meta,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.corpus.collection import Collection
    from antecede.index.build import Progress
    from antecede.index.index import Index
    from antecede.opensearch.address import Address


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
    target = prepare(cluster, index, shards, replicas, resume=resume)
    send_until_there(target, index, progress, resume=resume)
    write_at_once(target)
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
