"""Makes queries from patents: counts the terms of the text, weights them by a method, and keeps the heaviest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import InputError
from antecede.index.filters import prior_art
from antecede.index.matrix import UNKNOWN
from antecede.query.material import CollectionView, Material
from antecede.query.methods import parse_method
from antecede.query.query import Query
from antecede.query.topic import (
    DESCRIPTION,
    Topic,
    choose_text_language,
    language_for,
    make_topic,
    read_fields,
    take_claim,
    text_for,
)
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.index.statistics import Frequencies
    from antecede.patent import Patent
    from antecede.query.material import SearchFunction
    from antecede.query.methods import Method, WeightedTerms
    from antecede.text import Analyzer

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

    def __init__(self, index: Index, first_search: SearchFunction) -> None:
        self.index, self.first_search = index, first_search
        self.analyzer: Callable[[str], Analyzer] = cache(index.analyzer)

    def topic(
        self,
        patent: Patent,
        fields: str | Sequence[str] = DESCRIPTION,
        language: str | None = None,
        claim: int | None = None,
    ) -> Topic:
        """The counted terms of a patent, or of one of its claims."""
        if claim is not None:
            patent, fields = take_claim(patent, claim), ("claims",)
        chosen = read_fields(fields)
        written = language_for(patent, chosen, self.index.languages, language)
        searched = written if language is None else language
        if written == UNKNOWN and language is None:
            searched = choose_text_language(self.index, text_for(patent, chosen, written)[0]).searched
        return make_topic(patent, self.analyzer(searched), searched, chosen, written)

    def make(
        self,
        topic: Topic,
        method: Method | str = DEFAULT_METHOD,
        *,
        terms: int | None = None,
        weights: str | None = None,
        filters: Filters | None = None,
    ) -> BuiltQuery:
        """A query from a topic.

        `filters` selects the documents that a method may examine; by default those that count as prior art.
        """
        return self.make_from(self.material(topic, filters), method, terms=terms, weights=weights)

    def material(self, topic: Topic, filters: Filters | None = None) -> Material:
        """What the methods work with, which is the same for all of them; `filters` as for `make`."""
        visible = prior_art(topic.patent) if filters is None else filters
        others = CollectionView(self.index, topic.language, topic.patent)
        numbers = [matrix.find(topic.terms) for matrix in others.matrices]
        frequencies = others.frequencies_of(numbers)
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
            numbers=tuple(here[known] for here in numbers),
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
        df = frequencies.documents
        query = Query(
            tuple(names),
            TERM_WEIGHTS[weights or chosen.definition.weights](weight, counts, frequencies),
            topic.language,
            str(chosen),
            topic=patent.doc_id,
            counts=tuple(counts.tolist()),
            df=tuple(df.tolist()),
        )
        return BuiltQuery(query, topic.fields, material.unmatched, (*topic.notes, *material.notes))


def topicality(frequencies: Frequencies) -> NDArray[np.float64]:
    """√log(1 + cf/df): more for a term that returns within the documents that have it (Church & Gale, NLE 1995).

    What a text is about is named again and again; a word that is only rare, such as "noticeable", is written once.
    """
    return np.sqrt(np.log1p(np.maximum(frequencies.occurrences, 1) / np.maximum(frequencies.documents, 1)))


TERM_WEIGHTS: dict[str, Callable[[NDArray[np.float64], NDArray[np.int64], Frequencies], NDArray[np.float64]]] = {
    "method": lambda weights, *_: weights,
    "tf": lambda _, counts, __: np.maximum(counts, 1).astype(np.float64),  # a term from the class counts as one
    "root": lambda _, counts, __: np.sqrt(np.maximum(counts, 1)),
    "topical": lambda _, counts, frequencies: np.sqrt(np.maximum(counts, 1)) * topicality(frequencies),
    "none": lambda weights, *_: np.ones(len(weights)),
}


def default_terms(language: str) -> int:
    """The number of terms of a query, for methods that use the heaviest; the papers found it sufficient."""
    return 45 if language == "fr" else 75


def _heaviest_terms(weighted: WeightedTerms, most: int | None) -> tuple[list[str], NDArray[np.float64]]:
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
    )


def query_table(built: BuiltQuery) -> Table:
    """The terms of a query with weight, term frequency in the topic, and document frequency."""
    query = built.query
    values = (query.weights.tolist(), query.counts, query.df)
    rows = tuple(zip(query.terms, query.words or query.terms, *values, strict=True))
    title = (
        f"{query.topic}: {len(query)} terms by {query.method} from its {' and '.join(built.fields)}"
        f" ({query.language or 'unknown language'})"
    )
    dropped = (f"{built.unmatched} terms of the topic are in no other document and were dropped.",)
    complete = Table(("term", "word", "weight", "n", "df"), rows)
    return Table(
        complete.columns[1:],
        tuple(row[1:] for row in rows),
        title=title,
        notes=dropped if built.unmatched else (),
        digits=5,
        complete=complete,
    )
