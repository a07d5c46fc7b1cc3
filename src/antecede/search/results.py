"""What a search found: which documents, in which order, why, how they were found, and how many were not searched."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from antecede.conditions.filters import DROP
from antecede.errors import UsageError, printable, spell
from antecede.patent import Patent
from antecede.patent.texts import filed_under
from antecede.query.query import with_words
from antecede.query.topic import join_languages, languages_of, patent_text
from antecede.search.explain import HEADERS, HitDescriber, count_titles_alone
from antecede.search.hit_tables import QUOTED, describe_filters, hits_table, shorten, shorten_model
from antecede.search.hits import join_certificates
from antecede.search.settings import ALL_LANGUAGES
from antecede.tables import Tabled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from antecede.conditions.filters import Coverage, Filters
    from antecede.engine import Engine, Hits
    from antecede.query import Query
    from antecede.ranking.evidence_ranking import ScoredPool
    from antecede.search.explain import Hit
    from antecede.search.hits import MergedRanking, Ranking
    from antecede.search.pipeline import Ranker
    from antecede.search.query_sets import QuerySet
    from antecede.tables import Table

MAX_NAMED = 5
"""The number of terms that a note names."""


def undated_note(index: Engine, filters: Filters) -> str:
    """What date bounds make of the documents of an index without a date, in one line; empty where there is none."""
    if not filters.dated or not index.undated:
        return ""
    became = (
        "are left out"
        if filters.undated == DROP
        else f"pass every date bound; {spell('undated', DROP)} leaves them out"
    )
    return f"{index.undated} documents of the index have no known date and {became}"


class SearchResult(Tabled):
    """The result of a search: the documents, best first, and how they were found. `search_index` and `rank` make one.

    What is shown of a document, and how many documents were searched, is looked up when it is first asked for.

    Args:
        ranker: What searched.
        given: What was searched for: a patent, a query, or a text.
        patent: The patent that the search is about, if it is about one.
        filters: The filters of the search.
        query_sets: The queries of each language.
        languages: What was found in each language.
        merged: The documents in their final order.
        ranking_notes: Notes on how queries were made and searched.
        milliseconds: Processor time for building the queries and for searching.
    """

    def __init__(
        self,
        ranker: Ranker,
        given: Patent | Query | str | None,
        patent: Patent | None,
        filters: Filters,
        query_sets: Sequence[QuerySet],
        languages: Sequence[Ranking],
        merged: MergedRanking,
        ranking_notes: tuple[str, ...] = (),
        milliseconds: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.ranker, self.index = ranker, ranker.index
        self.given, self.patent, self.filters = given, patent, filters
        self.query_sets, self.languages, self.merged = query_sets, languages, merged
        self.ranking_notes, self.milliseconds = ranking_notes, milliseconds
        self.topic = patent.doc_id if patent is not None else query_sets[0].queries[0].topic
        self.show()

    def show(
        self, *, explain: bool = False, passages: int = 0, claims: bool = False, bibliography: bool = False
    ) -> SearchResult:
        """Choose what is shown of each hit: the arguments of `search_index`."""
        language = self.query_sets[0].language
        if claims and (self.patent is None or not self.patent.claims.get(filed_under(self.patent, language))):
            who = f"{self.patent.doc_id} has none in {language or 'it'}" if self.patent else "none is searched with"
            raise UsageError(f"claims are those of a patent, in the language of the search: {who}")
        self.explain, self.passages, self.claims, self.bibliography = explain, passages, claims, bibliography
        self._known: dict[int, Hit] = {}
        return self

    def __repr__(self) -> str:
        return f"SearchResult(topic={printable(str(self.topic))}, {len(self)} documents by {printable(self.model)})"

    def __len__(self) -> int:
        return len(self.merged)

    # The documents

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, place: int | slice) -> Hit | tuple[Hit, ...]:
        """The hit at a place, from 0, or several: `result[0].title`."""
        ranks = range(1, len(self) + 1)[place]
        return self.hit(ranks) if isinstance(ranks, int) else tuple(map(self.hit, ranks))

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents, best first."""
        return tuple(self.index.names(self.merged.numbers))

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores of the documents."""
        return self.merged.scores

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The documents with what a list shows of them and why they are there, best first."""
        return tuple(map(self.hit, range(1, len(self) + 1)))

    def hit(self, rank: int) -> Hit:
        """The document at a rank, from 1, as found in the language in which it ranks highest; described once."""
        if rank not in self._known:
            describer = self._describers[self.merged.languages[rank - 1]]
            self._known[rank] = describer.hit(rank, self.merged.ranks[rank - 1], self.merged.scores[rank - 1])
        return self._known[rank]

    @cached_property
    def _describers(self) -> list[HitDescriber]:
        return [HitDescriber(self, hits, queries) for hits, queries in zip(self.languages, self._named, strict=True)]

    @cached_property
    def families(self) -> tuple[tuple[int, ...], ...]:
        """The ranks of the documents of each family, best first; a document without a family is one of its own."""
        numbers = self.merged.numbers
        groups: dict[tuple[str, str | int], list[int]] = {}
        families = self.index.columns(numbers, "family_id")
        for rank, (number, (family,)) in enumerate(zip(numbers.tolist(), families, strict=True), 1):
            groups.setdefault(("family", family) if family else ("document", number), []).append(rank)
        return tuple(map(tuple, groups.values()))

    # How they were found

    @property
    def topic_id(self) -> str | None:
        """The name of the topic."""
        return self.topic

    @property
    def title(self) -> str:
        """The title of the topic."""
        return title_of(self.patent, self.query_sets[0].language) if self.patent is not None else ""

    @cached_property
    def _named(self) -> list[tuple[Query, ...]]:
        """The queries of each language, with a word for each term."""
        extra = self.ranker.settings.add_words or ""
        named = []
        for query_set in self.query_sets:
            text = patent_text(self.patent, query_set.language) if self.patent is not None else ""
            texts = (self.given if isinstance(self.given, str) else text, extra)
            named.append(tuple(with_words(self.index, query, texts) for query in query_set.queries))
        return named

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """One query for each language and method, with a word for each term."""
        return tuple(query for queries in self._named for query in queries)

    @property
    def query(self) -> Query:
        """The query, the first where there are several."""
        return self.queries[0]

    @property
    def searched(self) -> tuple[str, ...]:
        """The languages that were searched."""
        return tuple(query_set.language for query_set in self.query_sets)

    @property
    def _pools(self) -> list[tuple[QuerySet, ScoredPool]]:
        """In a ranking by evidence the candidates in each language, with the queries."""
        ranked = zip(self.query_sets, self.languages, strict=True)
        return [(query_set, hits.evidence.pool) for query_set, hits in ranked if hits.evidence is not None]

    @property
    def model(self) -> str:
        """The ranking model; in a ranking by evidence the features."""
        names = [name for _, pool in self._pools for name in pool.features]
        return " + ".join(dict.fromkeys(names)) if names else self.ranker.settings.model

    @property
    def feature_milliseconds(self) -> dict[str, float]:
        """Processor time by feature of a ranking by evidence, all languages together."""
        times: dict[str, float] = {}
        for name, spent in (item for _, pool in self._pools for item in pool.milliseconds.items()):
            times[name] = times.get(name, 0.0) + spent
        return times

    @property
    def sources(self) -> dict[str, int]:
        """How many candidates each feature of a ranking by evidence brought, all languages together."""
        brought: Counter[str] = Counter()
        for _, pool in self._pools:
            brought.update(pool.sources)
        return dict(brought)

    def pool_recall(self, relevant: Collection[str]) -> float | None:
        """The share of documents that are among the candidates of a ranking by evidence: no weights find more."""
        if not self._pools or not relevant:
            return None
        names = (name for _, pool in self._pools for name in pool.candidates.doc_ids)
        return len({*relevant}.intersection(names)) / len(relevant)

    @property
    def ranking(self) -> dict[str, Any] | None:
        """In a ranking by evidence the weights, the number of candidates and the processor time of each feature."""
        if not self._pools:
            return None
        weights = {each.language: self.ranker.weights(each).to_dict()["weights"] for each, _ in self._pools}
        return {
            "weights": weights if len(weights) > 1 else next(iter(weights.values())),
            "absent": {name: absent.why for _, pool in self._pools for name, absent in pool.absent.items()},
            "candidates": sum(len(pool.candidates) for _, pool in self._pools),
            "sources": self.sources,
            "milliseconds": self.feature_milliseconds,
        }

    @property
    def certificate(self) -> dict[str, Any] | None:
        """On a cluster, how it is known that these are the best documents."""
        certificates = (hits.certificate for ranking in self.languages for hits in ranking.by_query)
        return join_certificates(certificate for certificate in certificates if certificate is not None)

    @cached_property
    def coverage(self) -> Coverage:
        """How many documents were searched, and how many were not and why."""
        return self.index.select(self.filters).coverage(self.searched)

    @property
    def allowed(self) -> int:
        """The number of documents that could be retrieved: those in the language that pass the filters."""
        return self.coverage.searched

    # Notes

    @cached_property
    def query_notes(self) -> tuple[str, ...]:
        """Notes on the queries and what they found, without those on what was not searched."""
        notes = [*self.ranking_notes]
        several = len(self.languages) > 1
        for query_set, queries, ranking in zip(self.query_sets, self._named, self.languages, strict=True):
            where = f" of the search in {query_set.language or 'an unknown language'}" if several else ""
            allowed = self.index.select(self.filters).count(query_set.language)
            for query, hits in zip(queries, ranking.by_query, strict=True):
                notes += self._describe_query(query, hits, allowed, where)
        cited = sum(hits.cited for hits in self.languages)
        if cited:
            verb, them = ("documents are", "them") if cited > 1 else ("document is", "it")
            notes.append(f"{cited} {verb} ranked first because the topic names {them} in its text")
        return tuple(dict.fromkeys(notes))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know, one line each."""
        covered, notes = self.coverage, [*self.query_notes]
        if self.explain and (ranking := self.ranking) is not None:
            brought = ", ".join(f"{number:,} by {name}" for name, number in self.sources.items())
            notes.append(f"{ranking['candidates']:,} candidates: {brought}")
        if covered.unsearched:
            notes.append(covered.note() + self._suggest_languages())
        if alone := count_titles_alone(self.index, self.merged.numbers[:HEADERS]):
            first = min(len(self), HEADERS)
            notes.append(f"{alone} of the first {first} {'has' if alone == 1 else 'have'} a title alone: ranked by it")
        return tuple(dict.fromkeys([*notes, *covered.date_notes()]))

    def _describe_query(self, query: Query, hits: Hits, allowed: int, where: str) -> Iterator[str]:
        if not len(query) and allowed:
            yield f"there is no word to rank by{where}: the latest documents are first"
            return
        if hits.unmatched:
            words = map(query.word_of, hits.unmatched[:MAX_NAMED])
            names = ", ".join(map(printable, words)) + (" …" if len(hits.unmatched) > MAX_NAMED else "")
            yield f"{len(hits.unmatched)} of {len(query)} terms{where} occur in no document: {names}"
            if known := self._known_forms(query.language, hits.unmatched):
                yield f"a query has the terms of the index: write {known}"
        if not allowed:
            yield "no document passes the filters (dates, classes, names, words; never the topic or its family)"
        elif not len(hits):
            yield f"no document that passes the filters has a term of the query{where}"

    def _known_forms(self, language: str, words: Sequence[str]) -> str:
        """Words that the index has in another form, as in `rout for Routing`: an edited query may have it."""
        analyzer = self.index.analyzer(language)
        forms = {word: terms[0] for word in words if len(terms := analyzer.terms(word)) == 1 and terms[0] != word}
        df = self.index.statistics(language).frequencies(list(forms.values())).documents.tolist()
        known = [
            f"{printable(form)} for {printable(word)}" for (word, form), n in zip(forms.items(), df, strict=True) if n
        ]
        return ", ".join(known[:3])

    def _suggest_languages(self) -> str:
        """How to cover the documents that were not searched, if there is a way."""
        if self.ranker.settings.language == ALL_LANGUAGES:
            return ""
        if isinstance(self.given, str):
            return f"; {spell('language', ALL_LANGUAGES)} searches them"
        if isinstance(self.given, Patent) and {*languages_of(self.given)} & {*self.coverage.others}:
            return f"; {spell('language', ALL_LANGUAGES)} searches in every language that the patent has text in"
        return ""

    # For people and programs

    def to_dict(self) -> dict[str, Any]:
        """The result in a JSON-compatible form; with several languages or methods all their queries."""
        several = {"queries": [query.to_dict() for query in self.queries]} if len(self.queries) > 1 else {}
        how = {"ranking": self.ranking, "certificate": self.certificate}
        return {
            "topic": self.topic,
            "query": self.query.to_dict(),
            **several,
            **{name: value for name, value in how.items() if value is not None},
            "documents": self.coverage.to_dict(),
            "notes": list(self.notes),
            "hits": [hit.to_dict() for hit in self.hits],
        }

    def table(self, width: int | None = None) -> Table:
        """One row per hit, for a terminal of `width` characters, or whole where none is given."""
        return hits_table(self, width)

    def describe(self) -> str:
        """The topic, the filters and the settings of the search, in one line."""
        title = f" “{shorten(self.title, QUOTED)}”" if self.title else ""
        about = f"Prior art of {self.topic}{title}" if self.topic is not None else "Found"
        number = sum(map(len, self.queries))
        terms = f"{number} term{'s' if number != 1 else ''}"
        methods = " + ".join(dict.fromkeys(query.method for query in self.queries))
        languages = join_languages(tuple(dict.fromkeys(query.language for query in self.queries)), " + ")
        how = f"{methods}, {terms}, {languages}, {shorten_model(self.model)}"
        limits = " ".join([about, *describe_filters(self.filters)])
        return f"{limits} ({how}): {len(self)} of {self.allowed} documents"


def title_of(topic: Patent, language: str) -> str:
    """The title of a patent, in the language of the search if it has one."""
    return topic.title.get(language) or topic.title.get(topic.language) or next(iter(topic.title.values()), "")
