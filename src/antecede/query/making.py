"""From a patent to a query: the text is counted, a method weighs the terms, the heaviest are taken."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.index.assumed_language import UNKNOWN
from antecede.query.material import gather
from antecede.query.methods import parse_method
from antecede.query.others import Others
from antecede.query.query import Query
from antecede.query.text_language import text_language
from antecede.query.topic import DESCRIPTION, Topic, language_for, make_topic, read_fields, text_for
from antecede.ranges import TERMS as TERMS_TAKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query.methods import Method, Weighted
    from antecede.search import Filters, Searcher
    from antecede.text import Analyzer

Weighing = Literal["method", "tf", "root", "none"]
"""What terms weigh in the search: as the method says, n(t), √n(t), or all the same."""
DEFAULT = "logtfidf"
"""The method that finds most on real patents; docs/queries.md tells how it was chosen."""
TERMS = {"en": 75, "fr": 45, "de": 75}
"""How many terms are taken by methods that cut, by language: what the papers found to be enough."""
OTHER_LANGUAGES = 75


@dataclass(frozen=True, eq=False)
class Made:
    """A query, and what became of its topic on the way."""

    query: Query
    fields: tuple[str, ...]
    """Where the text came from."""
    unmatched: int
    """Terms of the topic that no other document has: they were dropped."""
    notes: tuple[str, ...]
    """What a user should know, a line each: that a field had no text, say."""


class QueryMaker:
    """Makes queries for one index, from as many threads as you like."""

    def __init__(self, index: Index, searcher: Searcher | None = None) -> None:
        """`searcher` is what methods search with that look before they weigh; without one BM25 is taken."""
        self.index = index
        self.analyzer: Callable[[str], Analyzer] = cache(index.analyzer)
        self._searcher = searcher

    @property
    def searcher(self) -> Searcher:
        """What first searches are made with."""
        if self._searcher is None:
            self._searcher = above("Searcher")(self.index)
        return self._searcher

    def topic(self, patent: Patent, fields: str | Sequence[str] = DESCRIPTION, language: str | None = None) -> Topic:
        """The counted terms of a patent."""
        chosen = read_fields(fields)
        written = language_for(patent, chosen, self.index.languages, language)
        searched = written if language is None else language
        if written == UNKNOWN and language is None:
            searched = text_language(self.index, text_for(patent, chosen, written)[0]).searched
        return make_topic(patent, self.analyzer(searched), searched, chosen, written)

    def make(
        self,
        topic: Topic,
        method: Method | str = DEFAULT,
        *,
        terms: int | None = None,
        weights: Weighing | None = None,
        filters: Filters | None = None,
    ) -> Made:
        """A query from a topic. `filters`: the documents a method may look at; without, those before the topic."""
        chosen = parse_method(method) if isinstance(method, str) else method
        weighing = weights or chosen.definition.weights
        check(terms, weighing)
        patent = topic.patent
        seen: Filters = above("prior_art")(patent) if filters is None else filters
        others = Others(self.index, topic.language, patent)
        material = gather(topic, others, self.index, seen, lambda query, k: self.searcher.search(query, k, seen))
        if not material.names:
            raise InputError(f"none of its {len(topic.terms)} terms is in the index", topic_id=patent.doc_id)
        most = terms if terms is not None else default_terms(topic.language) if chosen.definition.cut else None
        names, found = heaviest(chosen.weigh(material), most)
        if not names:
            raise InputError(f"{chosen} leaves no term of it", topic_id=patent.doc_id, remedy="take another method")
        counts = counts_of(topic, names)
        df = others.frequencies(names).documents
        query = Query(
            tuple(names),
            WEIGHINGS[weighing](found, counts),
            topic.language,
            str(chosen),
            topic=patent.doc_id,
            counts=tuple(counts.tolist()),
            df=tuple(df.tolist()),
        )
        return Made(query, topic.fields, material.unmatched, (*topic.notes, *material.notes))


def above(name: str) -> Any:
    """A thing of the search room, which stands above this one: it is looked up only when it is needed."""
    return getattr(import_module("antecede.search.prior_art" if name == "prior_art" else "antecede.search"), name)


WEIGHINGS: dict[str, Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]]] = {
    "method": lambda weights, _: weights,
    "tf": lambda _, counts: np.maximum(counts, 1).astype(np.float64),  # what a class brought counts as one occurrence
    "root": lambda _, counts: np.sqrt(np.maximum(counts, 1)),
    "none": lambda weights, _: np.ones(len(weights)),
}


def check(terms: int | None, weights: str) -> None:
    """Refuse what cannot be asked for."""
    if terms is not None:
        TERMS_TAKEN.check(terms, "the number of terms")
    if weights not in WEIGHINGS:
        raise UsageError(f"weights {shown(weights)!r} are unknown; there are {', '.join(get_args(Weighing))}")


def default_terms(language: str) -> int:
    """How many terms a query has in a language where nobody says."""
    return TERMS.get(language, OTHER_LANGUAGES)


def heaviest(weighted: Weighted, most: int | None) -> tuple[list[str], NDArray[np.float64]]:
    """The heaviest terms, all above 0, and their weights; equal ones by name, so that fewer are the first of more."""
    weights = weighted.weights
    kept = np.flatnonzero(weights > 0)
    if most is not None and len(kept) > most:
        least = np.partition(weights[kept], len(kept) - most)[len(kept) - most]
        kept = kept[weights[kept] >= least]
    order = kept[np.lexsort((kept, -weights[kept]))][:most]
    return [weighted.names[place] for place in order.tolist()], weights[order]


def counts_of(topic: Topic, names: Sequence[str]) -> NDArray[np.int64]:
    """n(t) of terms, 0 for those that the topic does not have."""
    known = {term: at for at, term in enumerate(topic.terms)}
    return np.array([topic.counts[known[name]] if name in known else 0 for name in names], np.int64)


def first_terms(query: Query, number: int) -> Query:
    """The query of the first so many terms: what the method would have made of the topic with fewer terms."""
    return replace(
        query,
        terms=query.terms[:number],
        weights=query.weights[:number],
        counts=query.counts[:number],
        df=query.df[:number],
    )


def make_query(
    patent: Patent,
    index: Index,
    *,
    method: Method | str = DEFAULT,
    terms: int | None = None,
    fields: str | Sequence[str] = DESCRIPTION,
    weights: Weighing | None = None,
    language: str | None = None,
    searcher: Searcher | None = None,
    filters: Filters | None = None,
) -> Query:
    """The query that a method makes of a patent, to be searched for in an index.

    `terms`: how many are taken, by default 75 in English and German, 45 in French where the method cuts at all;
    `fields`: the text that is used, `description`, `claims` or `title,abstract`; `weights`: as the `method` says, n(t)
    (`tf`), √n(t) (`root`) or all equal (`none`), by default what suits the method. What stands in for a field without
    text is said by a warning. For many topics keep a `QueryMaker`.
    """
    maker = QueryMaker(index, searcher)
    made = maker.make(maker.topic(patent, fields, language), method, terms=terms, weights=weights, filters=filters)
    for note in made.notes:
        warnings.warn(note, stacklevel=2)
    return made.query
