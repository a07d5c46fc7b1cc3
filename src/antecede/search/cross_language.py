"""Searching documents in languages that the topic has no text in: its query translated by a table of translations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import InputError
from antecede.query.query_maker import default_terms
from antecede.query.topic import known_languages
from antecede.query.translation import parse_translations, read_translations, translate_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.index import Index
    from antecede.index.statistics import Statistics
    from antecede.query.query import Query
    from antecede.query.translation import Translations

CACHE_KEY = "translations"


def translations_for(index: Index, path: str | None) -> Translations | None:
    """The table of a file, or the one that is stored with the index; None where there is neither."""
    if path is None and CACHE_KEY in index.cache:
        stored: Translations | None = index.cache[CACHE_KEY]
        return stored
    data = index.translation if path is None else None
    if path is None and data is None:
        return None
    found = parse_translations(data, str(index.folder)) if data is not None else read_translations(str(path))
    if found.profile != index.profile.name:
        raise InputError(
            f"its terms were made with the profile {found.profile!r}, those of the index with {index.profile.name!r}",
            source=path or str(index.folder),
            remedy="learn it again with the profile of the index",
        )
    if path is None:
        index.cache[CACHE_KEY] = found
    return found


def translate_queries(
    index: Index, translations: Translations, queries: Sequence[Query], searched: Sequence[str], most: int | None
) -> Iterator[tuple[str, tuple[Query, ...], str]]:
    """The queries in each language of the index that is not searched yet: the language, the queries, and a note.

    A language that the table does not translate into is left out.
    """
    source = queries[0].language
    for target in known_languages(index):
        if target in searched or (source, target) not in translations.directions:
            continue
        statistics = index.statistics(target)

        def known(terms: Sequence[str], statistics: Statistics = statistics) -> list[bool]:
            return [count > 0 for count in statistics.frequencies(list(terms)).documents.tolist()]

        made = [translate_query(each, translations, target, known, most or default_terms(target)) for each in queries]
        kept = tuple(each for each in made if each is not None)
        if len(kept) == len(queries):
            there = sum(bool(translations.of(term, source, target)) for term in queries[0].terms)
            yield target, kept, f"searched in {target} too: {there} of {len(queries[0])} terms translated from {source}"
