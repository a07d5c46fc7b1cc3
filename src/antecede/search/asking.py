"""What somebody asks for, a patent, a query or a text, made into the queries that are searched with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.errors import InputError, UsageError, shown
from antecede.index.assumed_language import UNKNOWN
from antecede.patent import Patent
from antecede.query import Query
from antecede.query.feedback import feedback
from antecede.query.making import DEFAULT, QueryMaker
from antecede.query.query import make, weights_of
from antecede.query.text_language import known_languages, text_language
from antecede.query.topic import DESCRIPTION, languages_of, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.index import Index
    from antecede.query.making import Weighing
    from antecede.query.methods import Method
    from antecede.search.filters import Filters
    from antecede.search.searcher import Searcher

ALL = "all"
"""The language of a search in every language that the topic has text in; for a text, that the index has."""


@dataclass(frozen=True)
class Recipe:
    """How a patent becomes a query, and which documents were marked before."""

    method: Method | str = DEFAULT
    terms: int | None = None
    fields: str | Sequence[str] = DESCRIPTION
    weights: Weighing | None = None
    relevant: Sequence[str] = ()
    """Documents that a person found to be what is wanted: the query is moved towards them."""
    irrelevant: Sequence[str] = ()


@dataclass(frozen=True)
class Wanted:
    """The patent that a search is about, if it is about one, and the queries to search with, one a language."""

    topic: Patent | None
    queries: tuple[Query, ...]
    notes: tuple[str, ...] = ()


def asked(
    searcher: Searcher, about: Patent | Query | str, language: str | None, recipe: Recipe, filters: Filters
) -> Wanted:
    """The queries for what is asked for. `filters`: the documents that a method may look at to make one."""
    if isinstance(about, Patent):
        found = about_patent(searcher, about, language, recipe, filters)
    else:
        make_one = about_query if isinstance(about, Query) else about_text
        found = make_one(searcher.index, about, language)  # type: ignore[arg-type]
    if not recipe.relevant and not recipe.irrelevant:
        return found
    moved = (
        feedback(query, searcher.index, recipe.relevant, recipe.irrelevant, terms=recipe.terms)
        for query in found.queries
    )
    return replace(found, queries=tuple(moved))


def about_patent(searcher: Searcher, patent: Patent, language: str | None, recipe: Recipe, filters: Filters) -> Wanted:
    """The query that a method makes of a patent, in its own language or in each of several."""
    maker = QueryMaker(searcher.index, searcher)
    languages: tuple[str | None, ...] = (language,) if language != ALL else searchable(patent, searcher.index)
    made = [
        maker.make(
            maker.topic(patent, recipe.fields, each),
            recipe.method,
            terms=recipe.terms,
            weights=recipe.weights,
            filters=filters,
        )
        for each in languages
    ]
    notes = dict.fromkeys(note for each in made for note in each.notes)
    return Wanted(patent, tuple(each.query for each in made), tuple(notes))


def searchable(patent: Patent, index: Index) -> tuple[str | None, ...]:
    """The languages that a patent and the index have, the patent's own first; None where its language is not known."""
    spoken = languages_of(patent)
    found = tuple(each for each in spoken if each in index.languages and each != UNKNOWN)
    if not found and UNKNOWN in spoken:
        return (None,)
    if not found:
        raise InputError(f"is in {listed(spoken)}, the index has {listed(index.languages)}", topic_id=patent.doc_id)
    return found


def about_query(index: Index, query: Query, language: str | None) -> Wanted:
    """A query as it is given; where it names the patent it was made from, that is the topic."""
    known = index.find(query.topic) if query.topic is not None else None
    if language == ALL:
        raise UsageError("the terms of a query are in one language: name it, or leave --language out")
    chosen = language if language is not None else query.language or main_language(index)
    return Wanted(known and known[0].store.record(known[1]), (replace(query, language=chosen),))


def about_text(index: Index, text: str, language: str | None) -> Wanted:
    """The words of a text, each as often as it occurs there: in its language, or in every language of the index."""
    notes: tuple[str, ...] = ()
    languages: tuple[str, ...] = (language,) if language is not None else ()
    if language is None or language == ALL:
        found = text_language(index, text)
        others = known_languages(index) if language == ALL else ()
        languages = tuple(dict.fromkeys((found.searched, *others)))
        if found.detected and found.detected not in languages and found.detected not in index.languages:
            searched = " + ".join(each or "an unknown language" for each in languages)
            notes = (f"the text appears to be in {found.detected}, which no document is in; searched in {searched}",)
    terms = {each: index.analyzer(each).terms(text) for each in languages}
    if not any(terms.values()):
        raise UsageError(f"there is no word to search for in {shown(text)!r}; give words that say what it is about")
    return Wanted(None, tuple(make(weights_of(terms[each]), each) for each in languages if terms[each]), notes)


def main_language(index: Index) -> str:
    """The known language that most documents have text in."""
    return next(iter(known_languages(index)), UNKNOWN)
