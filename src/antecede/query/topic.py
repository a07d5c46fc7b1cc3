"""A topic: the patent that a query is made from, as counted terms.

Its text is the description by default, in the language of its proceedings. Patent numbers in the text are masked,
including what introduces them («U.S. Pat. No. 5,123,456»): a patent must not be found by the citations in its text.

The language of a text that does not say it is chosen here, too. Function words reveal the language of a long text. A
short one ("wireless mesh network") has none, or misleading ones, and must not be searched among the few documents of a
language that it happens to resemble. There the index decides: the language whose documents contain most of the words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.corpus.language import detect_language
from antecede.engine import UNKNOWN
from antecede.errors import InputError, UsageError, printable, spell
from antecede.patent.texts import FIELDS, filed_under
from antecede.text.analyzer import find_words
from antecede.text.bulk import BulkAnalyzer
from antecede.text.folding import fold_latin
from antecede.text.profiles import LANGUAGES
from antecede.text.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.arrays import Ints
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.text import Analyzer

DESCRIPTION = ("description",)
LONG_TEXT = 300
"""The number of tokens from which on a text is long: a whole description rather than an abstract or a draft."""
_CLAIMS = r"(?:claims?|(?:patent|haupt)?anspru?e?ch\w*|revendications?)"
_REFERENCE = re.compile(rf"\b{_CLAIMS}\s+(?:no?\.?\s*|nr\.?\s*|n°\s*)?(\d{{1,4}})\b")
"""How a claim refers to another, in a folded text."""
_TO_EARLIER = re.compile(
    rf"\b(?:preceding|previous|foregoing|prior|above|earlier"
    rf"|(?:vorher|vor|voran|vorauf)gehend\w*|(?:vor|voran)stehend\w*|vorangegangen\w*|vorgenannt\w*|vorig\w*|obig\w*"
    rf"|precedentes?|anterieures?)\s+{_CLAIMS}\b"
    rf"|\b{_CLAIMS}\s+(?:above|precedentes?|anterieures?|qui precedent|ci-dessus|vorher)\b"
)
"""How it refers to any of those before it."""
_NUMBERED = re.compile(r"\s*(\d{1,4})\s*[.)]\s")
_FALLBACK = (("claims",), ("abstract", "title"), DESCRIPTION)
"""The fields that replace fields without text, in this order; an abstract finds more together with its title."""


@dataclass(frozen=True, eq=False)
class SentenceTerms:
    """The terms of a text, piece by piece: those of piece p are at ptr[p] … ptr[p + 1]."""

    ptr: Ints
    terms: Ints
    """Places among the terms of the topic."""
    counts: Ints


@dataclass(frozen=True, eq=False)
class Topic:
    """A patent with the counted terms of the text that it is searched with."""

    patent: Patent
    language: str
    fields: tuple[str, ...]
    """The fields that the text comes from."""
    text: str
    """The text, patent numbers masked."""
    analyzer: Analyzer
    terms: tuple[str, ...]
    """The distinct terms, in alphabetical order."""
    counts: Ints
    notes: tuple[str, ...] = ()
    """Notes for the user: for example, that another field was used."""

    @property
    def length(self) -> int:
        """The number of tokens of the text, Σ n(t)."""
        return int(self.counts.sum())

    @cached_property
    def sentences(self) -> SentenceTerms:
        places = split_sentences(self.text, self.language or "en")
        bulk = BulkAnalyzer(self.language, self.analyzer.profile)
        batch = bulk.add([self.text[start:end].encode("utf-8", "replace") for start, end in places])
        known = {term: at for at, term in enumerate(self.terms)}
        of_number = np.array([known[term] for term in bulk.vocabulary()], np.int64)
        return SentenceTerms(batch.ptr, of_number[batch.terms], batch.counts.astype(np.int64))


def parse_field(text: str) -> str:
    """The name of a field of a patent."""
    name = text.strip().lower()
    if name not in FIELDS:
        raise UsageError(f"there is no field {printable(name)!r} to make a query of; there are {', '.join(FIELDS)}")
    return name


def text_of(patent: Patent, fields: Sequence[str], language: str) -> str:
    parts = (getattr(patent, name).get(language, "") for name in fields)
    joined = (part if isinstance(part, str) else "\n".join(part) for part in parts)
    return "\n".join(part for part in joined if part.strip())


def languages_of(patent: Patent, fields: Sequence[str] = FIELDS) -> tuple[str, ...]:
    """The languages in which a patent has text, that of its proceedings first."""
    languages = {language for name in fields for language in getattr(patent, name)}
    there = [language for language in languages if text_of(patent, fields, language)]
    return tuple(sorted(there, key=lambda language: (language != patent.language, language)))


def language_for(patent: Patent, fields: Sequence[str], available: Sequence[str], requested: str | None = None) -> str:
    """The language of the text to search with: of those the index has (`available`), that of the patent's proceedings,
    otherwise one in which it has the fields. A text of unknown language can be used with any index.
    """
    languages = languages_of(patent)
    if not languages:
        raise InputError("has no text: title, abstract, claims and description are empty", topic_id=patent.doc_id)
    if requested is not None and requested not in languages and requested in available and UNKNOWN in languages:
        return UNKNOWN
    if requested is not None and requested not in languages:
        raise InputError(
            f"has no text in language {requested!r}; it has {join_languages(languages)}", topic_id=patent.doc_id
        )
    possible = languages if requested is None else (requested,)
    common = [language for language in possible if language in available or language == UNKNOWN]
    if not common:
        what = f"is in {join_languages(possible)}, the index has {join_languages(available)}"
        raise InputError(what, topic_id=patent.doc_id)
    common.sort(key=UNKNOWN.__eq__)  # one that is known first, else in the order given
    if patent.language in common and patent.language != UNKNOWN:
        return patent.language
    return next((language for language in common if text_of(patent, fields, language)), common[0])


def patent_text(patent: Patent, language: str) -> str:
    """The text of a patent that is searched in a language."""
    return text_of(patent, FIELDS, filed_under(patent, language))


def join_languages(languages: Sequence[str], separator: str = ", ") -> str:
    return separator.join(language or "an unknown language" for language in languages) or "no language"


def text_for(patent: Patent, fields: tuple[str, ...], language: str) -> tuple[str, tuple[str, ...]]:
    """The text to search with, and the fields it comes from: the given ones, or a fallback where they have no text."""
    for names in (fields, *_FALLBACK):
        if text := text_of(patent, names, language):
            return text, tuple(name for name in names if getattr(patent, name).get(language))
    raise InputError(f"has no text in {join_languages((language,))}", topic_id=patent.doc_id)


def take_claim(patent: Patent, number: int) -> Patent:
    """A patent with one of its claims as its only text, after those that the claim refers to.

    A claim has the number that it begins with, which need not be its place: claims may have been cancelled.
    """
    taken = {}
    for language, claims in patent.claims.items():
        starts = [_NUMBERED.match(claim) for claim in claims]
        numbers = [int(start[1]) if start is not None else place for place, start in enumerate(starts, 1)]
        claim_of = dict(zip(reversed(numbers), reversed(claims), strict=True))  # the first of equal numbers
        if number in claim_of:
            chain = [number]
            while (parent := _parent_of(claim_of, chain[-1])) is not None:
                chain.append(parent)
            taken[language] = tuple(claim_of[each] for each in reversed(chain))
    if not taken:
        most = max(map(len, patent.claims.values()), default=0)
        what = f"has {most} claims, none of them number {number}" if most else "has no claims"
        raise InputError(
            what, topic_id=patent.doc_id, remedy=f"leave out {spell('from_claim')}, or give another number"
        )
    return replace(patent, title={}, abstract={}, description={}, claims=taken)


def _parent_of(claim_of: Mapping[int, str], number: int) -> int | None:
    """The claim that a claim refers to: of any of those before it, the last that refers to none."""
    folded = _fold_claim(claim_of[number])
    if (reference := _REFERENCE.search(folded)) is not None:
        named = int(reference[1])
        return named if named < number and named in claim_of else None
    if _TO_EARLIER.search(folded) is None:
        return None
    earlier = sorted((other for other in claim_of if other < number), reverse=True)
    return next((other for other in earlier if not _refers(_fold_claim(claim_of[other]))), None)


def _refers(folded: str) -> bool:
    return _REFERENCE.search(folded) is not None or _TO_EARLIER.search(folded) is not None


def _fold_claim(claim: str) -> str:
    return fold_latin(unicodedata.normalize("NFKC", claim).lower())


def mask_numbers(text: str, language: str) -> str:
    from antecede.corpus.citations import numbers_in  # compiles its patterns

    parts, end = [], 0
    for mention in numbers_in(text, language=language):
        parts.append(text[end : mention.start])
        end = max(end, mention.end)
    return " ".join([*parts, text[end:]]) if parts else text


def make_topic(
    patent: Patent,
    analyzer: Analyzer,
    language: str,
    fields: tuple[str, ...] = DESCRIPTION,
    written: str | None = None,
) -> Topic:
    """Count the terms of a patent's text; where the fields have no text, another field is used, and a note says so.

    `written` is the language that the text is filed under in the patent, if that is not the language searched.
    """
    text, taken = text_for(patent, fields, language if written is None else written)
    notes, who = [], f"topic {printable(patent.doc_id)}"
    if not set(taken) & set(fields):
        verb = "are" if len(taken) > 1 or taken == ("claims",) else "is"
        notes.append(f"{who}: has no {' or '.join(fields)}; its {' and '.join(taken)} {verb} used")
    if written is not None and written != language:
        notes.append(f"{who}: its language is not known; it is searched for in {language}")
    elif patent.language and language != patent.language:
        notes.append(f"{who}: is in {patent.language}; its text in {language or '?'} is searched with")
    text = mask_numbers(text, language)
    bulk = BulkAnalyzer(language, analyzer.profile)
    batch = bulk.add([text.encode("utf-8", "replace")])
    vocabulary = bulk.vocabulary()
    order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
    counts = np.zeros(len(vocabulary), np.int64)
    counts[batch.terms] = batch.counts
    terms = tuple(vocabulary[at] for at in order)
    return Topic(patent, language, taken, text, analyzer, terms, counts[order], tuple(notes))


# The language of a text that does not say it

_LONG = 50
"""The number of words from which the function words of a text decide alone."""


class TextLanguage(NamedTuple):
    """The language that a text is searched in, and the one that it appears to be written in."""

    searched: str
    detected: str
    """`""` where the text is too short to tell."""


def known_languages(index: Engine) -> tuple[str, ...]:
    """The languages of an index, the one with most documents first; the unknown language only if there is no other."""
    return tuple(language for language in index.languages if language != UNKNOWN) or index.languages


def choose_text_language(index: Engine, text: str) -> TextLanguage:
    """The language of the index to search in for a text.

    For a long text, the language it is written in, if the index has it. Otherwise the language whose documents contain
    most of the content words; ties are broken by the language of the text, then by the number of documents.
    """
    detected = detect_language(text)
    available = known_languages(index)
    words = [text[start:end] for start, end in find_words(text)]
    if len(available) < 2 or (detected in available and len(words) >= _LONG):
        return TextLanguage(detected if detected in available else next(iter(available), UNKNOWN), detected)
    known = _known_words(index, available, words)
    return TextLanguage(max(available, key=lambda language: (known[language], language == detected)), detected)


@cache
def _function_words() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES.values() for word in language.stop_words)


def _known_words(index: Engine, languages: Sequence[str], words: Sequence[str]) -> dict[str, int]:
    """Language → how many distinct content words occur in documents filed under it.

    Function words of any language are ignored, since texts in other languages quote them too.
    """
    without = _function_words()
    distinct = list(dict.fromkeys(word[: index.profile.longest] for word in words if word.lower() not in without))
    terms = zip(*(index.analyzer(language).resolve(distinct) for language in languages), strict=True)
    content = [[term for term in forms if term is not None] for forms in terms if None not in forms]
    known = {}
    for at, language in enumerate(languages):
        df = index.statistics(language, assumed=False).frequencies([forms[at] for forms in content]).documents
        known[language] = int((df > 0).sum())
    return known
