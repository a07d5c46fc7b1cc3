"""Makes queries from patents: counts the terms of the text, weights them by a method, and keeps the heaviest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.conditions.filters import prior_art
from antecede.corpus.merge import names_of
from antecede.engine import UNKNOWN, Engine, number_of, relatives_of
from antecede.errors import InputError, UsageError
from antecede.query.material import Material
from antecede.query.methods import parse_method
from antecede.query.query import Query
from antecede.query.topic import (
    DESCRIPTION,
    Topic,
    choose_text_language,
    language_for,
    make_topic,
    take_claim,
    text_for,
)
from antecede.query.translation import TranslatedStatistics
from antecede.ranges import TERMS, WEIGHT
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.arrays import Floats, Ints
    from antecede.conditions.filters import Filters
    from antecede.engine import Frequencies, SortedTerms, Statistics, TermVectors
    from antecede.patent import Patent
    from antecede.query.material import Ranked
    from antecede.query.methods import Method, WeightedTerms
    from antecede.query.translation import Translations
    from antecede.text import Analyzer

    Through = tuple[Translations, str]


WeightEdits = Literal["method", "tf", "root", "topical", "none"]
"""The weights of terms in the search: those of the method, n(t), √n(t), √n(t) times how topical it is, or all equal."""
DEFAULT_METHOD = "logtfidf"
"""The method that finds most on real patents; docs/studies/queries.md describes how it was chosen."""


@dataclass(frozen=True, eq=False)
class BuiltQuery:
    """A query, with facts about how it was made."""

    query: Query
    fields: tuple[str, ...]
    """The fields that the text came from."""
    unmatched: int
    """The number of terms of the topic that occur in no other document and were dropped."""
    notes: tuple[str, ...]
    """Notes for the user, one line each: for example that a field had no text."""


class QueryMaker:
    """Builds queries for one index; may be used from several threads.

    Args:
        index: The index, from `open_index`.
        first_search: Searches with a query, for methods that need a first search, such as qr.
    """

    def __init__(self, index: Engine, first_search: Callable[..., Ranked]) -> None:
        self.index, self.first_search = index, first_search
        self.analyzer: Callable[[str], Analyzer] = cache(index.analyzer)

    def topic(
        self,
        patent: Patent,
        fields: tuple[str, ...] = DESCRIPTION,
        language: str | None = None,
        claim: int | None = None,
        *,
        available: Sequence[str] | None = None,
    ) -> Topic:
        """The counted terms of a patent, or of one of its claims, in a language of the index or of `available`."""
        if claim is not None:
            patent, fields = take_claim(patent, claim), ("claims",)
        there = self.index.languages if available is None else available
        written = language_for(patent, fields, there, language)
        searched = written if language is None else language
        if written == UNKNOWN and language is None:
            searched = choose_text_language(self.index, text_for(patent, fields, written)[0]).searched
        return make_topic(patent, self.analyzer(searched), searched, fields, written)

    def make(
        self,
        topic: Topic,
        method: Method | str = DEFAULT_METHOD,
        *,
        terms: int | None = None,
        weights: str | None = None,
        filters: Filters | None = None,
        through: Through | None = None,
    ) -> BuiltQuery:
        """A query from a topic; a method may examine the documents that pass `filters`, by default the prior art.

        `through` is a table of translations and the language to be searched: the terms stay in the language of the
        topic, and are weighted by how often their translations occur.
        """
        return self.make_from(self.material(topic, filters, through), method, terms=terms, weights=weights)

    def material(self, topic: Topic, filters: Filters | None = None, through: Through | None = None) -> Material:
        """What the methods work with, which is the same for all of them; `filters` and `through` as for `make`."""
        visible = prior_art(topic.patent) if filters is None else filters
        own = relatives_of(self.index, names_of(topic.patent), topic.patent.family_id)
        others: Statistics
        if through is None:
            others = self.index.statistics(topic.language, without=own)
        else:
            table, target = through
            searched = self.index.statistics(target, without=own)
            others = TranslatedStatistics(searched, table, topic.language, target)
        frequencies = others.frequencies(topic.terms)
        known = np.flatnonzero(frequencies.documents > 0)
        return Material(
            counts=topic.counts[known].astype(np.float64),
            df=frequencies.documents[known].astype(np.float64),
            cf=frequencies.occurrences[known].astype(np.float64),
            length=topic.length,
            documents=others.documents,
            tokens=others.tokens,
            names=tuple(topic.terms[at] for at in known.tolist()),
            known=known,
            topic=topic,
            others=others,
            index=self.index,
            filters=visible,
            search=lambda query, k: self.first_search(query, k, filters=visible),
        )

    def make_from(
        self, material: Material, method: Method | str, *, terms: int | None = None, weights: str | None = None
    ) -> BuiltQuery:
        """A query from the material of a topic, which collects the notes of the method."""
        chosen = parse_method(method) if isinstance(method, str) else method
        topic, patent, view = material.topic, material.topic.patent, material.others
        if not material.names:
            raise InputError(f"none of its {len(topic.terms)} terms is in the index", topic_id=patent.doc_id)
        most = terms if terms is not None else default_terms(topic.language) if chosen.definition.cut else None
        names, weight = _heaviest_terms(chosen.weigh(material), most)
        if not names:
            raise InputError(f"{chosen} leaves no term of it", topic_id=patent.doc_id, remedy="use another method")
        known = {term: at for at, term in enumerate(topic.terms)}
        counts = np.array([topic.counts[known[name]] if name in known else 0 for name in names], np.int64)
        frequencies = view.frequencies(names)
        query = Query(
            tuple(names),
            TERM_WEIGHTS[weights or chosen.definition.weights](weight, counts, frequencies),
            topic.language,
            str(chosen),
            topic=patent.doc_id,
            counts=tuple(counts.tolist()),
            df=tuple(frequencies.documents.tolist()),
        )
        return BuiltQuery(query, topic.fields, material.unmatched, (*topic.notes, *material.notes))


def topicality(frequencies: Frequencies) -> Floats:
    """√log(1 + cf/df): more for a term that returns within the documents that have it (Church & Gale, NLE 1995).

    What a text is about is named again and again; a word that is only rare, such as "noticeable", is written once.
    """
    return np.sqrt(np.log1p(np.maximum(frequencies.occurrences, 1) / np.maximum(frequencies.documents, 1)))


TERM_WEIGHTS: Mapping[str, Callable[[Floats, Ints, Frequencies], Floats]] = {
    "method": lambda weights, *_: weights,
    "tf": lambda _, counts, __: np.maximum(counts, 1).astype(np.float64),  # a term from the class counts as one
    "root": lambda _, counts, __: np.sqrt(np.maximum(counts, 1)),
    "topical": lambda _, counts, frequencies: np.sqrt(np.maximum(counts, 1)) * topicality(frequencies),
    "none": lambda weights, *_: np.ones(len(weights)),
}


def default_terms(language: str) -> int:
    """The number of terms of a query, for methods that use the heaviest; the papers found it sufficient."""
    return 45 if language == "fr" else 75


def _heaviest_terms(weighted: WeightedTerms, most: int | None) -> tuple[list[str], Floats]:
    """The heaviest terms with positive weights; ties by name, so that a shorter query is a prefix of a longer one."""
    weights = weighted.weights
    kept = np.flatnonzero(weights > 0)
    if most is not None and len(kept) > most:
        least = np.partition(weights[kept], len(kept) - most)[len(kept) - most]
        kept = kept[weights[kept] >= least]
    order = kept[np.lexsort((kept, -weights[kept]))][:most]
    return [weighted.names[place] for place in order.tolist()], weights[order]


def first_terms(query: Query, number: int) -> Query:
    """The query of the first terms: what the method would have made of the topic with fewer terms."""
    return replace(
        query,
        terms=query.terms[:number],
        weights=query.weights[:number],
        counts=query.counts[:number],
        df=query.df[:number],
        origins=query.origins[:number],
    )


def query_table(built: BuiltQuery) -> Table:
    """The terms of a query with weight, term frequency in the topic, and document frequency."""
    query = built.query
    columns = {"weight": query.weights.tolist(), "n": query.counts, "df": query.df}
    if query.origins:
        columns = {"weight": columns["weight"], "from": [word for word, _ in query.origins],
                   "probability": [chance for _, chance in query.origins]}  # fmt: skip
    rows = tuple(zip(query.terms, query.words or query.terms, *columns.values(), strict=True))
    title = (
        f"{query.topic}: {len(query)} terms by {query.method} from its {' and '.join(built.fields)}"
        f" ({query.language or 'unknown language'})"
    )
    dropped = (f"{built.unmatched} terms of the topic are in no other document and were dropped.",)
    complete = Table(("term", "word", *columns), rows)
    return Table(
        complete.columns[1:],
        tuple(row[1:] for row in rows),
        title=title,
        notes=dropped if built.unmatched else (),
        digits=5,
        complete=complete,
    )


# Relevance feedback: a query improved with documents that a person marked


def feedback(
    query: Query,
    index: Engine,
    relevant: Sequence[str],
    irrelevant: Sequence[str] = (),
    *,
    terms: int | None = None,
    alpha: float = 1.0,
    beta: float = 0.75,
    gamma: float = 0.15,
) -> Query:
    """Modify a query by relevance feedback (Rocchio, in The SMART Retrieval System).

        α·q + β·r − γ·s

    r and s are the means of the relevant and of the irrelevant documents, each a vector of √n(t), normalised to length
    1 under the term weights log((N + 1) / df). Of the terms with a positive weight, those with the highest product of
    weight and log((N + 1) / df) are used.

    Args:
        query: The query to modify.
        index: The index that contains the marked documents.
        relevant: The ids of documents marked as relevant.
        irrelevant: The ids of documents marked as irrelevant.
        terms: The number of terms; by default that of the query, or the default of its language if that is larger.
        alpha: The weight α of the query.
        beta: The weight β of the relevant documents.
        gamma: The weight γ of the irrelevant documents.
    """
    for name, weight in (("alpha", alpha), ("beta", beta), ("gamma", gamma)):
        WEIGHT.check(weight, name)
    if terms is not None:
        TERMS.check(terms, "the number of terms")
    shares = {name: beta / len(relevant) for name in relevant}
    shares.update({name: -gamma / len(irrelevant) for name in irrelevant})
    if not shares or not len(query):
        raise UsageError("feedback needs a query and at least one marked document")
    most = terms if terms is not None else max(len(query), default_terms(query.language))
    return move_query(query, index, *_find_marked(index, query.language, shares), most, alpha)


def move_query(
    query: Query,
    index: Engine,
    numbers: Ints,
    weights: Floats,
    terms: int,
    alpha: float = 1.0,
) -> Query:
    """A query moved towards documents, with a weight for each; see `feedback`."""
    vectors = index.vectors(numbers, query.language, query.terms)
    statistics = index.statistics(query.language)
    df = statistics.frequencies_in(vectors.vocabulary).documents
    idf = np.log((statistics.documents + 1) / np.maximum(df, 1)) * (df > 0)
    moved = _sum_vectors(vectors, weights, idf)
    place = vectors.vocabulary.find(query.terms)
    known = np.flatnonzero(place >= 0)
    length = float(np.linalg.norm(query.weights[known] * idf[place[known]]))
    if length > 0:
        moved[place[known]] += alpha * query.weights[known] / length
    moved[place[known[query.weights[known] == 0]]] = 0  # a term that the user removed stays out
    return _keep_heaviest(query, vectors.vocabulary, moved, idf, df, terms)


def _sum_vectors(vectors: TermVectors, weights: Floats, idf: Floats) -> Floats:
    roots = np.sqrt(vectors.counts)
    lengths = np.sqrt(np.add.reduceat((roots * idf[vectors.terms]) ** 2, vectors.ptr[:-1]))
    scaled = np.divide(weights, lengths, out=np.zeros_like(weights), where=lengths > 0)
    spread = roots * np.repeat(scaled, np.diff(vectors.ptr))
    return np.bincount(vectors.terms, weights=spread, minlength=len(vectors.vocabulary)).astype(np.float64, copy=False)


def _keep_heaviest(query: Query, names: SortedTerms, weights: Floats, idf: Floats, df: Ints, most: int) -> Query:
    worth = weights * idf
    kept = np.flatnonzero((weights > 0) & (worth > 0))
    order = kept[np.lexsort((kept, -worth[kept]))][:most]
    if not len(order):
        raise InputError("the marked documents leave no term of the query", remedy="mark fewer as irrelevant")
    return Query(
        tuple(names[at] for at in order.tolist()),
        weights[order],
        query.language,
        f"{query.method}+feedback",
        topic=query.topic,
        df=tuple(df[order].tolist()),
    )


def _find_marked(index: Engine, language: str, shares: Mapping[str, float]) -> tuple[Ints, Floats]:
    """The marked documents with text in a language, and the weight of each."""
    numbers = np.array([_number_of_marked(index, name) for name in shares], np.int64)
    there = index.lengths(numbers, language) > 0
    if not there.any():
        raise InputError(f"no marked document has text in language {language!r}", remedy="mark others")
    return numbers[there], np.array([*shares.values()])[there]


def _number_of_marked(index: Engine, name: str) -> int:
    number = number_of(index, name)
    if number is None:
        raise InputError("is marked, but not in the index", doc_id=name)
    return number
