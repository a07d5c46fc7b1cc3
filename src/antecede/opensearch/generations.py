"""The generations of an index on a cluster: each load makes a new one, and the alias switches when it is complete."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.index.schema import SchemaError, describe_value
from antecede.opensearch.answers import INDICES
from antecede.opensearch.answers import META as META_RULE
from antecede.opensearch.layout import FORMAT, META, RECORDS

if TYPE_CHECKING:
    from antecede.opensearch.cluster import Cluster

COMPLETE = "complete"
NEEDED = ("settings", "languages", "documents", "next", "counts")


@dataclass(frozen=True)
class Generation:
    """One pair of indices on a cluster."""

    name: str
    uuid: str
    shards: int
    replicas: int
    meta: dict[str, Any]

    @property
    def records(self) -> str:
        """The name of the index of records."""
        return self.name + RECORDS


def list_generations(cluster: Cluster) -> list[Generation]:
    """Every generation of a name, complete or not, oldest first."""
    name = cluster.address.name
    found = cluster.call(
        lambda client: client.indices.get(index=f"{name}-*", params={"allow_no_indices": "true"}), INDICES
    )
    pattern = re.compile(re.escape(name) + r"-\d{6}")
    return [read_generation(each, facts) for each, facts in sorted(found.items()) if pattern.fullmatch(each)]


def read_generation(name: str, facts: dict[str, Any]) -> Generation:
    """A generation from what the cluster says of its index."""
    settings = facts["settings"]["index"]
    meta = facts["mappings"].get("_meta", {}).get(META)
    meta = meta if isinstance(meta, dict) else {}
    shards, replicas = int(settings["number_of_shards"]), int(settings["number_of_replicas"])
    return Generation(name, settings["uuid"], shards, replicas, meta)


def current_generation(cluster: Cluster) -> Generation:
    """The generation that the alias leads to; one that is not ours, or of another version, is refused."""
    found = cluster.call(lambda client: client.indices.get(index=cluster.address.name), INDICES, patience=15.0)
    source = str(cluster.address)
    if len(found) != 1:
        raise InputError(f"is an alias of {len(found)} indices", source=source, remedy="leave one of them")
    name, facts = next(iter(found.items()))
    generation = read_generation(name, facts)
    if not generation.meta:
        raise InputError("is not an index of antecede", source=source, remedy="make one with antecede index --out")
    if generation.meta.get("format") != FORMAT:
        raise InputError(
            f"has format {describe_value(generation.meta.get('format'))}, this version of antecede reads {FORMAT}",
            source=source,
            remedy="load the collection again, or use the version that made it",
        )
    if generation.meta.get("status") != COMPLETE or any(each not in generation.meta for each in NEEDED):
        raise InputError("was not loaded completely", source=source, remedy="continue with antecede index --resume")
    try:
        META_RULE(generation.meta)
        json.dumps(generation.meta)  # it may be nested too deeply
    except (SchemaError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=source, remedy="load the collection again") from None
    return generation


def alias_target(cluster: Cluster) -> str | None:
    """The index that the alias leads to; None where there is no such alias. An index of that very name is refused."""
    name = cluster.address.name
    found = cluster.call(
        lambda client: client.indices.get(index=f"{name}*", params={"allow_no_indices": "true"}), INDICES
    )
    if name in found:
        raise InputError(
            "there is an index of this very name, not an alias", source=str(cluster.address), remedy="use another name"
        )
    targets = [each for each, facts in found.items() if name in facts.get("aliases", {})]
    if len(targets) > 1:
        raise InputError(f"is an alias of {len(targets)} indices", source=str(cluster.address), remedy="leave one")
    return targets[0] if targets else None
