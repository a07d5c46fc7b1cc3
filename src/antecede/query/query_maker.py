"""Makes queries from patents: counts the terms of the text, weights them by a method, and keeps the heaviest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import InputError
from antecede.index.filters import prior_art
from antecede.index.matrix import UNKNOWN
from antecede.query.collection_view import CollectionView
from antecede.query.material import gather_material
from antecede.query.methods import parse_method
from antecede.query.query import Query
from antecede.query.text_language import choose_text_language
from antecede.query.topic import DESCRIPTION, Topic, language_for, make_topic, read_fields, text_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.patent import Patent
    from antecede.query.material import FirstSearch, Material
    from antecede.query.methods import Method, WeightedTerms
    from antecede.text import Analyzer

TermWeights = Literal["method", "tf", "root", "none"]
"""The weights of terms in the search: those of the method, n(t), √n(t), or all equal."""
DEFAULT_METHOD = "logtfidf"
"""The method that finds most on real patents; docs/queries.md describes how it was chosen."""
TERMS = {"en": 75, "fr": 45, "de": 75}
"""The number of terms of a query by language, for methods that use the heaviest; the papers found it sufficient."""
OTHER_LANGUAGES = 75


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

    def __init__(self, index: Index, first_search: FirstSearch) -> None:
        """`first_search` serves methods that examine the best documents of a first search before they weight terms."""
        self.index, self.first_search = index, first_search
        self.analyzer: Callable[[str], Analyzer] = cache(index.analyzer)

    def topic(self, patent: Patent, fields: str | Sequence[str] = DESCRIPTION, language: str | None = None) -> Topic:
        """The counted terms of a patent."""
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
        view = CollectionView(self.index, topic.language, topic.patent)
        return gather_material(
            topic, view, self.index, visible, lambda query, k: self.first_search(query, k, filters=visible)
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
        names, found = heaviest_terms(chosen.weigh(material), most)
        if not names:
            raise InputError(f"{chosen} leaves no term of it", topic_id=patent.doc_id, remedy="use another method")
        counts = term_counts(topic, names)
        df = view.frequencies(names).documents
        query = Query(
            tuple(names),
            TERM_WEIGHTS[weights or chosen.definition.weights](found, counts),
            topic.language,
            str(chosen),
            topic=patent.doc_id,
            counts=tuple(counts.tolist()),
            df=tuple(df.tolist()),
        )
        return BuiltQuery(query, topic.fields, material.unmatched, (*topic.notes, *material.notes))


TERM_WEIGHTS: dict[str, Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]]] = {
    "method": lambda weights, _: weights,
    "tf": lambda _, counts: np.maximum(counts, 1).astype(np.float64),  # a term from the class counts as one occurrence
    "root": lambda _, counts: np.sqrt(np.maximum(counts, 1)),
    "none": lambda weights, _: np.ones(len(weights)),
}


def default_terms(language: str) -> int:
    """The default number of terms of a query in a language."""
    return TERMS.get(language, OTHER_LANGUAGES)


def heaviest_terms(weighted: WeightedTerms, most: int | None) -> tuple[list[str], NDArray[np.float64]]:
    """The heaviest terms with positive weights; ties by name, so that a shorter query is a prefix of a longer one."""
    weights = weighted.weights
    kept = np.flatnonzero(weights > 0)
    if most is not None and len(kept) > most:
        least = np.partition(weights[kept], len(kept) - most)[len(kept) - most]
        kept = kept[weights[kept] >= least]
    order = kept[np.lexsort((kept, -weights[kept]))][:most]
    return [weighted.names[place] for place in order.tolist()], weights[order]


def term_counts(topic: Topic, names: Sequence[str]) -> NDArray[np.int64]:
    """n(t) of each term, 0 for terms that the topic does not have."""
    known = {term: at for at, term in enumerate(topic.terms)}
    return np.array([topic.counts[known[name]] if name in known else 0 for name in names], np.int64)


def first_terms(query: Query, number: int) -> Query:
    """The query of the first terms: what the method would have made of the topic with fewer terms."""
    return replace(
        query,
        terms=query.terms[:number],
        weights=query.weights[:number],
        counts=query.counts[:number],
        df=query.df[:number],
    )
