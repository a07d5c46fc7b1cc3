"""A search as a person asks for it: by a patent, by a text, or by a query; what it found, with reasons and passages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.corpus import Collection
from antecede.corpus.finding import only_patent
from antecede.errors import InputError, UsageError, shown
from antecede.patent import Patent
from antecede.query.making import DEFAULT
from antecede.query.topic import DESCRIPTION, filed_under, languages_of
from antecede.ranges import BOOST, PASSAGES
from antecede.search.across_languages import across_languages
from antecede.search.asking import ALL, Recipe, asked
from antecede.search.coverage import coverage
from antecede.search.filters import Filters
from antecede.search.found import Found
from antecede.search.ipc_boost import ipc_boost as boosted
from antecede.search.looking import Looking, Showing, looked_up
from antecede.search.prior_art import AUTO, day_of, prior_art
from antecede.search.searcher import Searcher, searcher_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from antecede.index import Index
    from antecede.query import Query
    from antecede.query.making import Weighing
    from antecede.query.methods import Method
    from antecede.search.coverage import Coverage
    from antecede.search.hits import Hits
    from antecede.search.models import Model

NAMED = 5
"""Terms that a note names."""


def search_index(
    index: Index,
    about: Patent | Query | str,
    *,
    method: Method | str = DEFAULT,
    terms: int | None = None,
    fields: str | Sequence[str] = DESCRIPTION,
    weights: Weighing | None = None,
    relevant: Sequence[str] = (),
    irrelevant: Sequence[str] = (),
    language: str | None = None,
    model: Model | str | Searcher = "bm25",
    k: int = 100,
    before: date | str | None = AUTO,
    ipc: Sequence[str] = (),
    countries: Sequence[str] = (),
    ipc_boost: float = 0.0,
    explain: bool = False,
    passages: int = 0,
    claims: bool = False,
) -> Found:
    """Search an index for what comes closest to a patent, to a query, or to a text.

    `method`, `terms`, `fields` and `weights` say how a patent becomes a query, as in `make_query`; `relevant` and
    `irrelevant` name documents that were marked in an earlier search. `language` is that of the text, or `all`: every
    language that the patent has text in, for a text every language of the index, fused. Documents of unknown language
    are searched in any case. `before` is a day, `auto` (the day that counts for the patent, if there is one) or `off`.
    A patent and its family are never found for itself. `ipc_boost` moves up documents in the patent's classes.
    `explain` lists every term's share, not only the largest; `passages` is how many of each hit to show; `claims` finds
    the best passage for each claim of the patent.
    """
    searcher = model if isinstance(model, Searcher) else searcher_of(index, model)
    if searcher.index is not index:
        raise UsageError("the searcher given as model searches another index")
    BOOST.check(ipc_boost, "the IPC boost")
    PASSAGES.check(passages, "the number of passages")
    recipe = Recipe(method, terms, fields, weights, relevant, irrelevant)
    filters = conditions(about if isinstance(about, Patent) else None, before, (), ())
    wanted = asked(searcher, about, language, recipe, filters)
    topic, queries = wanted.topic, wanted.queries
    showing = Showing(explain, passages, claims)
    check_claims(topic, queries[0], showing)
    filters = conditions(topic, before, ipc, countries, (*relevant, *irrelevant))
    codes = topic.ipc if topic is not None else ()
    rankings = [boosted(searcher.search(query, k, filters), codes, ipc_boost) for query in queries]
    looking = [Looking(searcher, query, hits, topic, showing) for query, hits in zip(queries, rankings, strict=True)]
    covered = coverage(index, [query.language for query in queries], filters)
    notes = [*wanted.notes]
    for query, hits in zip(queries, rankings, strict=True):
        notes += remarks(index, query, hits, searcher.allowed_documents(query.language, filters), len(queries))
    if covered.unsearched:
        notes.append(covered.note() + remedy_for(covered, about, language))
    return Found(
        topic.doc_id if topic is not None else queries[0].topic,
        title_of(topic, queries[0].language) if topic is not None else "",
        queries,
        str(searcher.model),
        filters,
        tuple(looked_up(looking, across_languages(rankings, k))),
        covered,
        tuple(dict.fromkeys(notes)),
    )


def remedy_for(covered: Coverage, about: Patent | Query | str, language: str | None) -> str:
    """What would search the documents that were not searched, if anything does."""
    if isinstance(about, str) and language != ALL:
        return "; --language all searches them"
    if isinstance(about, Patent) and language != ALL and {*languages_of(about)} & {*covered.others}:
        return "; --language all searches in every language that the patent has text in"
    return ""


def check_claims(topic: Patent | None, query: Query, showing: Showing) -> None:
    """Refuse to look for the claims of nobody."""
    if showing.claims and (topic is None or not topic.claims.get(filed_under(topic, query.language))):
        who = f"{topic.doc_id} has none in {query.language or 'it'}" if topic is not None else "none is searched with"
        raise UsageError(f"claims are those of a patent, in the language of the search: {who}")


def title_of(topic: Patent, language: str) -> str:
    """The title of a patent, in the language of the search if it has one."""
    return topic.title.get(language) or topic.title.get(topic.language) or next(iter(topic.title.values()), "")


def conditions(
    topic: Patent | None,
    before: date | str | None,
    ipc: Sequence[str],
    countries: Sequence[str],
    marked: Sequence[str] = (),
) -> Filters:
    """The filters of a search: before the topic's day unless told otherwise; never itself, its family, the marked."""
    if topic is not None:
        filters = prior_art(topic, before)
    else:
        filters = Filters(before=None if before == AUTO else day_of(before))
    return replace(
        filters, ipc=tuple(ipc), countries=tuple(countries), without=tuple(dict.fromkeys((*filters.without, *marked)))
    )


def remarks(index: Index, query: Query, hits: Hits, allowed: int, languages: int) -> Iterator[str]:
    """What the one who asked should know of the ranking in one of several languages."""
    of = f" of the search in {query.language or 'an unknown language'}" if languages > 1 else ""
    if hits.unmatched:
        names = ", ".join(map(shown, hits.unmatched[:NAMED])) + (" …" if len(hits.unmatched) > NAMED else "")
        yield f"{len(hits.unmatched)} of {len(query)} terms{of} occur in no document: {names}"
        if near := known_forms(index, query.language, hits.unmatched):
            yield f"a query has the terms of the index: write {near}"
    if not allowed:
        yield "no document passes the filters (before a day, IPC, country; never the topic or its family)"
    elif not len(hits):
        yield f"no document that passes the filters has a term of the query{of}"


def known_forms(index: Index, language: str, words: Sequence[str]) -> str:
    """Words that the index knows in another form, as `rout for Routing`: who edits a query may not think of it."""
    analyzer = index.analyzer(language)
    forms = {word: terms[0] for word in words if len(terms := analyzer.terms(word)) == 1 and terms[0] != word}
    df = index.statistics(language).frequencies(list(forms.values())).documents.tolist()
    known = [f"{shown(form)} for {shown(word)}" for (word, form), often in zip(forms.items(), df, strict=True) if often]
    return ", ".join(known[:3])


def topic_from(index: Index, word: str) -> Patent:
    """The patent that a user names: a file, `-` for standard input, or a name in the index."""
    if word != "-" and not Path(word).exists():
        found = index.find(word)
        if found is None:
            remedy = "check the number, or search with --text"
            raise InputError("is neither a file nor a patent of the index", doc_id=word, remedy=remedy)
        return found[0].store.record(found[1])
    patent = only_patent(Collection(word))
    if isinstance(patent, list):
        raise InputError(
            f"holds {len(patent)} patents ({', '.join(shown(each.doc_id) for each in patent[:3])} …)",
            source="standard input" if word == "-" else word,
            remedy="choose one: antecede show FILE DOC_ID --json | antecede search INDEX -",
        )
    return patent
