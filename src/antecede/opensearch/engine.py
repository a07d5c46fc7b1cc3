"""The distributed engine: an index on a cluster that can be searched as one on this machine.

Each load makes a new generation of indices on the cluster; the alias switches to it when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.classes import beginning_of
from antecede.conditions.spans import prepare_texts
from antecede.engine import UNKNOWN, Capability, Days, Searchable, lacking, number_of
from antecede.errors import InputError, UsageError, advise, printable
from antecede.opensearch.answers import INDICES, SHARDS
from antecede.opensearch.answers import META as META_TYPE
from antecede.opensearch.clauses import NO_DAY, any_of, none_of
from antecede.opensearch.cluster import Cluster, fields_of, values_of
from antecede.opensearch.documents import ClusterDocuments
from antecede.opensearch.facets import ClusterFacets
from antecede.opensearch.layout import FORMAT, META, Generation, field_of
from antecede.opensearch.ranking import ranking_for
from antecede.opensearch.selection import ClauseSelection, of_engine
from antecede.opensearch.terms import ClusterCounts, ClusterStatistics, ClusterTerms
from antecede.text.analyzer import Analyzer
from antecede.text.profiles import Profile
from antecede.validation import FieldError, check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from antecede.address import Address
    from antecede.arrays import Floats, Ints, Mask
    from antecede.conditions.classes import ClassQuestion
    from antecede.conditions.filters import Filters
    from antecede.engine import FacetTotals, Hits, Impacts, QueryTerms, Selection, Space, TermVectors
    from antecede.models import Model
    from antecede.opensearch.clauses import Clause
    from antecede.patent import Patent
    from antecede.term_matches import TermMatches


COMPLETE = "complete"
NEEDED = ("settings", "languages", "documents", "next", "counts")
MAX_PROBES = 10_000


def list_generations(cluster: Cluster) -> list[Generation]:
    """Every generation of a name, complete or not, oldest first."""
    name = cluster.address.name
    indices = cluster.call(
        lambda client: client.indices.get(index=f"{name}-*", params={"allow_no_indices": "true"}), INDICES
    )
    pattern = re.compile(re.escape(name) + r"-\d{6}")
    return [
        _read_generation(cluster, each, facts) for each, facts in sorted(indices.items()) if pattern.fullmatch(each)
    ]


def _read_generation(cluster: Cluster, name: str, facts: dict[str, Any]) -> Generation:
    settings = facts["settings"]["index"]
    meta = facts["mappings"].get("_meta", {}).get(META)
    meta = meta if isinstance(meta, dict) else {}
    shards, replicas = int(settings["number_of_shards"]), int(settings["number_of_replicas"])
    return Generation(cluster, name, settings["uuid"], shards, replicas, meta)


def current_generation(cluster: Cluster) -> Generation:
    """The generation that the alias leads to; one that is not ours, or of another version, is refused."""
    indices = cluster.call(lambda client: client.indices.get(index=cluster.address.name), INDICES, patience=15.0)
    if len(indices) != 1:
        raise cluster.error(f"is an alias of {len(indices)} indices", "leave one of them")
    name, facts = next(iter(indices.items()))
    generation = _read_generation(cluster, name, facts)
    if not generation.meta:
        raise cluster.error(
            "is not an index of antecede", f"make one with {advise('build_index', 'antecede index --out')}"
        )
    if (stated := generation.meta.get("format")) != FORMAT:
        version = printable(repr(stated)) if isinstance(stated, int | str) else "of no version"
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
    indices = cluster.call(
        lambda client: client.indices.get(index=f"{name}*", params={"allow_no_indices": "true"}), INDICES
    )
    if name in indices:
        raise cluster.error("there is an index of this very name, not an alias", "use another name")
    targets = [each for each, facts in indices.items() if name in facts.get("aliases", {})]
    if len(targets) > 1:
        raise cluster.error(f"is an alias of {len(targets)} indices", "leave one")
    return targets[0] if targets else None


class ClusterEngine(Searchable):
    """One state of an index on a cluster, opened for searching; may be used from several threads. `open_index` creates
    one.

    Args:
        address: Where it is.
    """

    kind = "opensearch"
    capabilities: frozenset[Capability] = frozenset()
    translation: bytes | None = None

    def __init__(self, address: Address) -> None:
        self.address, self.cluster = address, Cluster(address)
        self.generation = current_generation(self.cluster)
        self.settings: dict[str, Any] = self.generation.meta["settings"]
        self.cache: dict[str, Any] = {}
        self.stored = ClusterDocuments(self.cluster, self.generation.name, self.generation.records, self.profile.names)
        self._lock = threading.RLock()
        self._counts: dict[str, ClusterCounts] = {}

    def __repr__(self) -> str:
        languages = ", ".join(language or "unknown" for language in self.languages)
        return f"<Index {self.address}: {self.documents} documents in {languages or 'no language'}>"

    @property
    def name(self) -> str:
        return self.address.name

    @property
    def where(self) -> str:
        return str(self.address)

    @cached_property
    def state(self) -> str:
        """What identifies the content: the identity of the cluster's index, and our facts about it."""
        content = [self.generation.uuid, self.generation.meta]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def size(self) -> int:
        return int(self.generation.meta["next"])

    @property
    def documents(self) -> int:
        return int(self.generation.meta["documents"])

    @cached_property
    def languages(self) -> tuple[str, ...]:
        rows = {language: each["documents"] for language, each in self.generation.meta["languages"].items()}
        return tuple(sorted(filter(rows.__getitem__, rows), key=lambda language: (-rows[language], language)))

    @cached_property
    def profile(self) -> Profile:
        return Profile.from_json(json.dumps(self.settings["profile"]), source=self.where)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """That statistics are not exact, where removed documents are still counted in them."""
        deleted = self.cluster.count_deleted(self.generation.name)
        text = f"{deleted} replaced documents still count in document frequencies; `antecede merge` removes them"
        return (text,) if deleted else ()

    @cached_property
    def undated(self) -> int:
        none = none_of({"exists": {"field": "day"}}, {"exists": {"field": "year_first"}})
        return self.cluster.count(self.generation.name, none)

    @cached_property
    def without_day(self) -> int:
        return self.cluster.count(self.generation.name, NO_DAY)

    @cached_property
    def routings(self) -> list[str]:
        """For each shard, a text by which a document goes to it."""
        shards = self.generation.shards
        routings: dict[int, str] = {}
        for number in range(MAX_PROBES):
            if len(routings) == shards:
                break
            text = str(number)
            request = methodcaller("search_shards", index=self.generation.name, params={"routing": text})
            at = self.cluster.call(request, SHARDS)["shards"]
            if not at or not at[0]:
                raise self.cluster.misunderstood("a document goes to no shard")
            routings.setdefault(at[0][0]["shard"], text)
        return list(routings.values())

    # Documents

    def numbers_of(self, name: str) -> Ints:
        exact = self.stored.find_numbers("doc_id", name)[:1]
        return np.array(exact or self.stored.having("number", [name]).get(name, ()), np.int64)

    def numbers(self, names: Sequence[str]) -> Ints:
        """Those of exactly these names are looked up together."""
        known = self.stored.numbers_by_name(names)
        numbers = (known[name] if name in known else number_of(self, name) for name in names)
        return np.array([-1 if number is None else number for number in numbers], np.int64)

    def names(self, numbers: Ints) -> list[str]:
        return self.stored.read(numbers, lambda head: head.columns["doc_id"])

    def name_ranks(self, numbers: Ints) -> Ints:
        names = np.array([name.encode() for name in self.names(numbers)], np.object_)
        return np.argsort(np.argsort(names, kind="stable"), kind="stable")

    def all_numbers(self) -> Ints:
        raise lacking(Capability.WALK)

    def columns(self, numbers: Ints, *columns: str) -> list[tuple[Any, ...]]:
        return self.stored.read(numbers, lambda head: tuple(head.columns[name] for name in columns))

    def days(self, numbers: Ints) -> Days:
        days = self.stored.read(numbers, lambda head: (head.day, head.last_day))
        return Days(*np.array(days, np.int32).reshape(-1, 2).T)

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        return self.stored.having(column, values)

    def have(self, numbers: Ints, column: str, values: Iterable[str]) -> Mask:
        return self.stored.have(numbers, column, values)

    def has_values(self, *columns: str) -> bool:
        return self.cluster.count(self.generation.name, any_of({"exists": {"field": column}} for column in columns)) > 0

    def records(self, numbers: Iterable[int]) -> Iterator[Patent]:
        return map(self.stored.record, numbers)

    # Conditions

    def select(self, filters: Filters) -> ClauseSelection:
        """The documents that pass filters; several steps of a search ask for those of the same."""
        known: ClauseSelection | None = self.cache.get("selection")
        if known is None or known.filters is not filters:
            known = self.cache["selection"] = ClauseSelection(self, filters)
        return known

    def prepare(self) -> None:
        prepare_texts(map(self.analyzer, self.languages))

    def facets(
        self, filters: Filters, languages: Sequence[str] | None, retrieved: Sequence[str], nodes: Mapping[str, str]
    ) -> FacetTotals:
        return ClusterFacets(self, filters, languages, tuple(retrieved), nodes).count()

    def latest(self, language: str, selection: Selection, most: int) -> Ints:
        body = {
            "size": most,
            "query": of_engine(selection).with_text(language),
            "sort": [{"day": {"order": "desc", "missing": "_last"}}, {"doc_id": "asc"}],
            **values_of(["n"]),
        }
        hits = fields_of(self.cluster.search(self.generation.name, body))
        return np.array([int(fields["n"][0]) for fields in hits], np.int64)

    def same_class(self, question: ClassQuestion) -> Ints:
        """The non-empty documents that share an IPC code, ascending."""
        conditions: list[Clause] = [{"range": {field_of("length", question.language): {"gt": 0}}}]
        if (clause := of_engine(question.selection).clause) is not None:
            conditions.append(clause)
        numbers: list[int] = []
        for level in question.levels:
            kind = "term" if level == "group" else "prefix"
            # One point per code at this level: the score is the number of shared codes.
            points = [
                {"constant_score": {"filter": {kind: {"ipc": beginning}}, "boost": 1}}
                for beginning in dict.fromkeys(beginning_of(code, level) for code in question.codes)
            ]
            body = {
                "size": question.most,
                "track_total_hits": True,
                "query": {"bool": {"must": any_of(points), "filter": conditions}},
                "sort": [{"_score": "desc"}, {"day": {"order": "desc", "missing": "_last"}}, {"n": "asc"}],
                **values_of(["n"]),
            }
            answer = self.cluster.search(self.generation.name, body)
            numbers = [int(fields["n"][0]) for fields in fields_of(answer)]
            if answer["hits"].get("total", {}).get("value", 0) >= max(question.fewest, 1):
                break
        return np.sort(np.array(numbers, np.int64))

    # Terms

    def documents_in(self, language: str) -> int:
        return int(self.generation.meta["languages"].get(language, {"documents": 0})["documents"])

    def analyzer(self, language: str) -> Analyzer:
        known: dict[str, Analyzer] = self.cache.setdefault("analyzers", {})
        if language not in known:
            try:
                known[language] = Analyzer(language, self.profile)
            except UsageError as error:
                raise InputError(f"settings.profile: {error}", source=self.where) from None
        return known[language]

    def counts(self, language: str) -> ClusterCounts | None:
        """The term counts of a language; None where no document is in it."""
        if language not in self.languages:
            return None
        with self._lock:
            if language not in self._counts:
                tokens = int(self.generation.meta["languages"][language]["tokens"])
                table = ClusterTerms(self.cluster, self.generation.name, language, self.routings, tokens)
                self._counts[language] = ClusterCounts(self.stored, language, table)
            return self._counts[language]

    def known_counts(self, language: str) -> ClusterCounts:
        """The term counts of a language; one that no document is in is refused."""
        counts = self.counts(language)
        if counts is None:
            known = ", ".join(each or "unknown" for each in self.languages)
            raise UsageError(f"the index has no documents in language {language!r}; it has {known}")
        return counts

    def statistics(
        self,
        language: str,
        *,
        assumed: bool = True,  # noqa: ARG002 - a text of unknown language is its own here
        without: Ints | None = None,
    ) -> ClusterStatistics:
        counts = self.counts(language)
        if counts is None:
            return ClusterStatistics(None, 0, 0)
        facts = self.generation.meta["languages"][language]
        return ClusterStatistics(counts, facts["documents"], facts["tokens"], without)

    def lengths(self, numbers: Ints, language: str, *, assumed: bool = True) -> Ints:  # noqa: ARG002
        counts = self.counts(language)
        return np.full(len(numbers), -1, np.int64) if counts is None else counts.lengths(numbers)

    def are_assumed(self, numbers: Ints, language: str) -> Mask:  # noqa: ARG002
        return np.zeros(len(numbers), np.bool_)

    def vectors(
        self,
        numbers: Ints,
        language: str,
        also: Sequence[str] = (),
        *,
        assumed: bool = True,  # noqa: ARG002
    ) -> TermVectors:
        return self.known_counts(language).gather(numbers, also)

    def matches(self, terms: tuple[str, ...], numbers: Ints, language: str) -> TermMatches:
        counts = self.known_counts(language)
        return counts.match(counts.table.find(terms), numbers)

    def norms(self, numbers: Ints, language: str) -> Floats:
        return self.known_counts(language).measure(numbers, self.statistics(language).documents)

    def fullest_document(self, language: str, term: str) -> int | None:
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
        return numbers[0] if numbers else None

    # Ranking

    def retrieve(
        self,
        query: QueryTerms,
        k: int,
        selection: Selection | None = None,
        model: Model | str = "bm25",
        *,
        approximate: bool = False,
        keep_scores: bool = False,
    ) -> Hits:
        clause = None if selection is None else of_engine(selection).clause
        ranking = ranking_for(self, model, approximate=approximate)
        return ranking.search(query, k, clause, keep_scores=keep_scores)

    def impacts(self, query: QueryTerms, number: int, model: Model | str = "bm25") -> Impacts:
        return ranking_for(self, model).impacts(query, number)

    # Spaces

    def space(self, language: str, kind: str) -> Space | None:  # noqa: ARG002 - a cluster stores no spaces
        return None


def check_language(languages: Sequence[str], source: str) -> None:
    """Refuse a collection in which only some documents are of unknown language: they are searched in every language."""
    if UNKNOWN in languages and len(languages) > 1:
        raise InputError(
            "some documents are of unknown language, which an index on a cluster cannot assume to be any",
            source=source,
            remedy="state their language, or index them in a folder",
        )
