"""Chooses the language to search in for a text whose language is not given.

Function words reveal the language of a long text. A short one ("wireless mesh network") has none, or misleading ones,
and must not be searched among the few documents of a language that it happens to resemble. There the index decides: the
language whose documents contain most of the words.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from antecede.corpus.language import detect_language
from antecede.index.matrix import UNKNOWN
from antecede.text.analyzer import find_words
from antecede.text.profiles import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.index import Index

LONG = 50
"""The number of words from which the function words of a text decide alone."""


class TextLanguage(NamedTuple):
    """The language that a text is searched in, and the one that it appears to be written in."""

    searched: str
    detected: str
    """`""` where the text is too short to tell."""


def known_languages(index: Index) -> tuple[str, ...]:
    """The languages of an index, the one with most documents first; the unknown language only if there is no other."""
    return tuple(each for each in index.languages if each != UNKNOWN) or index.languages


def choose_text_language(index: Index, text: str) -> TextLanguage:
    """The language of the index to search in for a text.

    For a long text, the language it is written in, if the index has it. Otherwise the language whose documents contain
    most of the content words; ties are broken by the language of the text, then by the number of documents.
    """
    detected = detect_language(text)
    available = known_languages(index)
    words = [text[start:end] for start, end in find_words(text)]
    if len(available) < 2 or (detected in available and len(words) >= LONG):
        return TextLanguage(detected if detected in available else next(iter(available), UNKNOWN), detected)
    known = known_words(index, available, words)
    return TextLanguage(max(available, key=lambda language: (known[language], language == detected)), detected)


@cache
def function_words() -> frozenset[str]:
    """The stop words of every language that has a list."""
    return frozenset(word for language in LANGUAGES.values() for word in language.stop_words)


def known_words(index: Index, languages: Sequence[str], words: Sequence[str]) -> dict[str, int]:
    """Language → how many distinct content words occur in documents filed under it.

    Function words of any language are ignored, since texts in other languages quote them too.
    """
    without = function_words()
    distinct = list(dict.fromkeys(word[: index.profile.longest] for word in words if word.lower() not in without))
    terms = {language: index.analyzer(language).resolve(distinct) for language in languages}
    content = [at for at in range(len(distinct)) if all(terms[language][at] is not None for language in languages)]
    found = {}
    for language in languages:
        wanted = [term for at in content if (term := terms[language][at]) is not None]
        found[language] = int((index.filed_statistics(language).frequencies(wanted).documents > 0).sum())
    return found
