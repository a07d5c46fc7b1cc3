"""The distributed engine: an index on a cluster that can be searched as one on this machine.

Each load makes a new generation of indices on the cluster; the alias switches to it when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from functools import cached_property
from itertools import islice
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, advise, shown
from antecede.index.filters import DROP, NO_TEXT, Coverage, Filters
from antecede.index.index import Index
from antecede.index.matrix import UNKNOWN
from antecede.index.statistics import Statistics
from antecede.index.validation import FieldError, check
from antecede.opensearch.address import FolderOnly
from antecede.opensearch.answers import INDICES, SHARDS
from antecede.opensearch.answers import META as META_TYPE
from antecede.opensearch.clauses import (
    NO_DAY,
    all_of,
    any_of,
    clause_of,
    date_unknown,
    decided_by_year,
    none_of,
    stages,
    with_text,
)
from antecede.opensearch.cluster import Cluster, fields_of, values_of
from antecede.opensearch.documents import ClusterMatrix, ClusterSegment, ClusterStatistics, ClusterStore, ClusterTerms
from antecede.opensearch.facets import ClusterFacets
from antecede.opensearch.layout import FORMAT, META, Generation, field_of
from antecede.opensearch.searcher import ClusterSearcher
from antecede.search.engine import search_index

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    from antecede.index.filters import ClassQuestion
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.index.spaces import Space
    from antecede.opensearch.address import Address
    from antecede.opensearch.clauses import Clause
    from antecede.patent import Patent
    from antecede.ranking.models import Model
    from antecede.search.facets import FacetTotals

COMPLETE = "complete"
NEEDED = ("settings", "languages", "documents", "next", "counts")
MOST_SHARDS_PROBED = 10_000


def list_generations(cluster: Cluster) -> list[Generation]:
    """Every generation of a name, complete or not, oldest first."""
    name = cluster.address.name
    found = cluster.call(
        lambda client: client.indices.get(index=f"{name}-*", params={"allow_no_indices": "true"}), INDICES
    )
    pattern = re.compile(re.escape(name) + r"-\d{6}")
    return [_read_generation(cluster, each, facts) for each, facts in sorted(found.items()) if pattern.fullmatch(each)]


def _read_generation(cluster: Cluster, name: str, facts: dict[str, Any]) -> Generation:
    settings = facts["settings"]["index"]
    meta = facts["mappings"].get("_meta", {}).get(META)
    meta = meta if isinstance(meta, dict) else {}
    shards, replicas = int(settings["number_of_shards"]), int(settings["number_of_replicas"])
    return Generation(cluster, name, settings["uuid"], shards, replicas, meta)


def current_generation(cluster: Cluster) -> Generation:
    """The generation that the alias leads to; one that is not ours, or of another version, is refused."""
    found = cluster.call(lambda client: client.indices.get(index=cluster.address.name), INDICES, patience=15.0)
    if len(found) != 1:
        raise cluster.error(f"is an alias of {len(found)} indices", "leave one of them")
    name, facts = next(iter(found.items()))
    generation = _read_generation(cluster, name, facts)
    if not generation.meta:
        raise cluster.error(
            "is not an index of antecede", f"make one with {advise('build_index', 'antecede index --out')}"
        )
    if (stated := generation.meta.get("format")) != FORMAT:
        version = shown(repr(stated)) if isinstance(stated, int | str) else "of no version"
        raise cluster.error(
            f"has format {version}, this version of antecede reads {FORMAT}",
            "load the collection again, or use the version that made it",
        )
    if generation.meta.get("status") != COMPLETE or any(each not in generation.meta for each in NEEDED):
        raise cluster.error(
            "was not loaded completely",
            f"continue with {advise('build_index(…, resume=True)', 'antecede index --resume')}",
        )
    try:
        check(META_TYPE, generation.meta)
        json.dumps(generation.meta)  # it may be nested too deeply
    except (FieldError, RecursionError) as error:
        raise cluster.error(f"is damaged ({error})", "load the collection again") from None
    return generation


def alias_target(cluster: Cluster) -> str | None:
    """The index that the alias leads to; None where there is no such alias. An index of that very name is refused."""
    name = cluster.address.name
    found = cluster.call(
        lambda client: client.indices.get(index=f"{name}*", params={"allow_no_indices": "true"}), INDICES
    )
    if name in found:
        raise cluster.error("there is an index of this very name, not an alias", "use another name")
    targets = [each for each, facts in found.items() if name in facts.get("aliases", {})]
    if len(targets) > 1:
        raise cluster.error(f"is an alias of {len(targets)} indices", "leave one")
    return targets[0] if targets else None


class ClusterEngine(FolderOnly, Index):
    """One state of an index on a cluster, opened for searching; may be used from several threads. `open_index` creates
    one.

    Args:
        address: Where it is.
    """

    on_cluster = True
    search = search_index

    def __init__(self, address: Address) -> None:
        self.address, self.cluster = address, Cluster(address)
        self.folder: Any = str(address)  # messages name it
        self.generation = current_generation(self.cluster)
        self.settings = self.generation.meta["settings"]
        self.cache: dict[str, Any] = {}
        store = ClusterStore(self.cluster, self.generation.name, self.generation.records)
        self.only = ClusterSegment(store, int(self.generation.meta["next"]))
        self.segments = (self.only,)
        self._lock = threading.RLock()
        self._matrices: dict[str, ClusterMatrix] = {}

    def make_searcher(self, model: Model, *, approximate: bool) -> ClusterSearcher:
        return ClusterSearcher(self, model, approximate=approximate)

    def count_facets(self, *asked: Any) -> FacetTotals:
        return ClusterFacets(self, *asked).count()

    @cached_property
    def state(self) -> str:
        """What identifies the content: the identity of the cluster's index, and our facts about it."""
        whole = [self.generation.uuid, self.generation.meta]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    @property
    def documents(self) -> int:
        return int(self.generation.meta["documents"])

    @cached_property
    def languages(self) -> tuple[str, ...]:
        rows = {language: each["documents"] for language, each in self.generation.meta["languages"].items()}
        return tuple(sorted(filter(rows.__getitem__, rows), key=lambda language: (-rows[language], language)))

    def documents_in(self, language: str) -> int:
        return int(self.generation.meta["languages"].get(language, {"documents": 0})["documents"])

    def filed_matrices(self, language: str) -> list[tuple[Segment, Matrix]]:
        if language not in self.languages:
            return []
        with self._lock:
            if language not in self._matrices:
                tokens = int(self.generation.meta["languages"][language]["tokens"])
                table = ClusterTerms(self.cluster, self.generation.name, language, self.routings, tokens)
                self._matrices[language] = ClusterMatrix(self.only, language, table)
        return [(self.only, self._matrices[language])]

    def statistics(self, language: str) -> Statistics:
        if language not in self._statistics:
            matrices: Any = self.filed_matrices(language)
            if not matrices:
                return Statistics(language, [])
            facts = self.generation.meta["languages"][language]
            self._statistics[language] = ClusterStatistics(matrices[0][1], facts["documents"], facts["tokens"])
        return self._statistics[language]

    filed_statistics = statistics

    @cached_property
    def routings(self) -> list[str]:
        """For each shard, a text by which a document goes to it."""
        shards = self.generation.shards
        found: dict[int, str] = {}
        for number in range(MOST_SHARDS_PROBED):
            if len(found) == shards:
                break
            text = str(number)
            request = methodcaller("search_shards", index=self.generation.name, params={"routing": text})
            at = self.cluster.call(request, SHARDS)["shards"]
            if not at or not at[0]:
                raise self.cluster.misunderstood("a document goes to no shard")
            found.setdefault(at[0][0]["shard"], text)
        return list(found.values())

    def space(self, language: str, kind: str) -> Space | None:  # noqa: ARG002 - a cluster stores no spaces
        return None

    @property
    def translation(self) -> bytes | None:
        return None

    def same_class(self, asked: ClassQuestion) -> list[NDArray[np.int64]]:
        """For the matrix of the language, the rows of non-empty documents that share an IPC code, ascending."""
        conditions: list[Clause] = [{"range": {field_of("length", asked.language): {"gt": 0}}}]
        if (clause := clause_of(asked.filters, self.only)) is not None:
            conditions.append(clause)
        rows: list[int] = []
        for level in asked.levels:
            shared = [*dict.fromkeys(map(json.dumps, (_class_clause(code, level) for code in asked.codes)))]
            # One point per code at this level: the score is the number of shared codes.
            points = [{"constant_score": {"filter": json.loads(each), "boost": 1}} for each in shared]
            body = {
                "size": asked.most,
                "track_total_hits": True,
                "query": {"bool": {"should": points, "minimum_should_match": 1, "filter": conditions}},
                "sort": [{"_score": "desc"}, {"day": {"order": "desc", "missing": "_last"}}, {"n": "asc"}],
                **values_of(["n"]),
            }
            found = self.cluster.search(self.generation.name, body)
            rows = [int(fields["n"][0]) for fields in fields_of(found)]
            if found["hits"].get("total", {}).get("value", 0) >= max(asked.fewest, 1):
                break
        return [np.sort(np.array(rows, np.int64))]

    def fullest_document(self, language: str, term: str) -> Patent | None:
        field = field_of("t", language)
        source = "termFreq(params.field, params.term)"
        body = {
            "size": 1,
            "query": {
                "script_score": {
                    "query": {"term": {field: term}},
                    "script": {"source": source, "params": {"field": field, "term": term}},
                }
            },
            "sort": [{"_score": "desc"}, {"n": "asc"}],
            **values_of(["n"]),
        }
        numbers = [int(fields["n"][0]) for fields in fields_of(self.cluster.search(self.generation.name, body))]
        return self.only.store.record(numbers[0]) if numbers else None

    def tally(self, languages: Sequence[str], filters: Filters) -> Coverage:
        name, count = self.generation.name, self.cluster.count
        left, passed, excluded = self.documents, list[Any](), Counter[str]()
        for stage, clause in stages(filters, self.only):
            passed.append(clause)
            now = count(name, all_of(passed))
            excluded[stage] += left - now
            left = now
        undated, by_year = 0, 0
        if filters.dated:
            bounds = filters.before, filters.after
            by_year = count(name, decided_by_year(*bounds))
            undated = count(name, all_of([*passed, date_unknown(*bounds)])) if filters.undated != DROP else 0
        there = any_of({"exists": {"field": field_of("length", each)}} for each in languages)
        rest = all_of([*passed, none_of(there)])
        elsewhere = count(name, rest)
        others = Counter[str]()
        if elsewhere:
            texts = {
                each: {"exists": {"field": field_of("length", each)}} for each in self.generation.meta["languages"]
            }
            others.update({language: count(name, all_of([rest, clause])) for language, clause in texts.items()})
            others[NO_TEXT] = count(name, all_of([rest, none_of(*texts.values())]))
        known = {language: number for language, number in others.most_common() if number}
        return Coverage(tuple(languages), left - elsewhere, elsewhere, known, dict(+excluded), undated, by_year)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """That statistics are not exact, where removed documents are still counted in them."""
        deleted = self.cluster.count_deleted(self.generation.name)
        text = f"{deleted} replaced documents still count in document frequencies; `antecede merge` removes them"
        return (text,) if deleted else ()

    @cached_property
    def undated(self) -> int:
        """The number of documents without a known date, where not even the year in their number is known."""
        none = none_of({"exists": {"field": "day"}}, {"exists": {"field": "year_first"}})
        return self.cluster.count(self.generation.name, none)

    @cached_property
    def without_day(self) -> int:
        return self.cluster.count(self.generation.name, NO_DAY)

    @property
    def name(self) -> str:
        return self.address.name

    @property
    def where(self) -> str:
        return str(self.address)

    def locate(self, names: Sequence[str]) -> list[tuple[Segment, int] | None]:
        """What `find` finds for each of many names; those of exactly these names are looked up together."""
        known = self.only.store.numbers_by_name(names)
        return [(self.only, known[name]) if name in known else self.find(name) for name in names]

    def latest(self, language: str, filters: Filters, number: int) -> list[tuple[int, int, int]]:
        body = {
            "size": number,
            "query": with_text(language, filters, self.only),
            "sort": [{"day": {"order": "desc", "missing": "_last"}}, {"doc_id": "asc"}],
            **values_of(["n"]),
        }
        numbers = [int(each["n"][0]) for each in fields_of(self.cluster.search(self.only.name, body))]
        return [(0, number, number) for number in numbers]

    def list_documents(self, filters: Filters, without: Container[str], number: int) -> list[str]:
        names = self.only.store.names(clause_of(filters, self.only) or {"match_all": {}})
        return [*islice((name for name in names if name not in without), max(number, 0))]


def _class_clause(code: str, level: str) -> Clause:
    """Documents of the same group `H04L 12/56`, main group `H04L 12/` or subclass `H04L`."""
    if level == "group":
        return {"term": {"ipc": code}}
    main = code.partition("/")[0] + "/" if "/" in code else code
    return {"prefix": {"ipc": main if level == "main" else code[:4]}}


def check_language(languages: Sequence[str], source: str) -> None:
    """Refuse a collection in which only some documents are of unknown language: they are searched in every language."""
    if UNKNOWN in languages and len(languages) > 1:
        raise InputError(
            "some documents are of unknown language, which an index on a cluster cannot assume to be any",
            source=source,
            remedy="state their language, or index them in a folder",
        )
