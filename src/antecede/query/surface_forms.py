"""Words in place of terms: the form in which a term occurs most often. A stem such as `rout` says little to people.

The forms are counted in the texts that a query was made from. For other terms, as of an edited query, the document of
the index in which the term occurs most often is read. A term that occurs nowhere stands for itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.query.topic import FIELDS, filed_under, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query.query import Query
    from antecede.text import Analyzer


def with_words(index: Index, query: Query, texts: Iterable[str]) -> Query:
    """The query with a word for each of its terms; `texts` are those that it was made from."""
    return replace(query, words=tuple(find_words(index, query.language, query.terms, texts)))


def find_words(index: Index, language: str, terms: Sequence[str], texts: Iterable[str]) -> list[str]:
    """The most frequent form of each term in some texts, else in the document of the index that has it most often."""
    analyzer = index.analyzer(language)
    missing = dict.fromkeys(terms)
    words: dict[str, str] = {}
    for text in texts:
        words |= {term: word for term, word in frequent_forms(analyzer, text, missing).items() if term not in words}
    for term in terms:
        if term not in words:
            text = fullest_text(index, language, term)
            found = frequent_forms(analyzer, text, [each for each in missing if each not in words])
            words |= {term: term, **found}
    return [words[term] for term in terms]


def frequent_forms(analyzer: Analyzer, text: str, terms: Iterable[str]) -> dict[str, str]:
    """Term → its most frequent form in a text; ties are broken in favour of lower case, then by name."""
    wanted = {*terms}
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    if wanted:
        for term, start, end in analyzer.tokens(text):
            if term in wanted:
                forms[term][text[start:end]] += 1
    return {term: most_frequent(counts) for term, counts in forms.items()}


def most_frequent(forms: Counter[str]) -> str:
    """The most frequent form, counted without regard to case, as it is written most often."""
    together = Counter[str]()
    for form, count in forms.items():
        together[form.lower()] += count
    lower = min(together, key=lambda form: (-together[form], form))
    written = [form for form in forms if form.lower() == lower]
    return min(written, key=lambda form: (-forms[form], not form.islower(), form))


def fullest_text(index: Index, language: str, term: str) -> str:
    """The text of the document that has a term most often; empty where none has it."""
    found = index.fullest_document(language, term)
    return patent_text(found, language) if found is not None else ""


def patent_text(patent: Patent, language: str) -> str:
    """The text of a patent that is searched in a language."""
    return text_of(patent, FIELDS, filed_under(patent, language))
