"""From a text to its terms, one text at a time; the index is built by the same rules in bulk (`bulk.py`)."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import Stemmer

from antecede.errors import UsageError
from antecede.text.languages import LANGUAGES
from antecede.text.profiles import Profile
from antecede.text.profiles import profile as profile_called
from antecede.text.words import form, letters, runs

if TYPE_CHECKING:
    from collections.abc import Iterable


class Token(NamedTuple):
    """A term and where it stands: text[start:end] is the word as written."""

    term: str
    start: int
    end: int


class Analyzer:
    """Makes terms of the words of one language, as a profile says."""

    def __init__(self, language: str, profile: Profile | str = "default") -> None:
        self.language = language.lower()
        self.profile = profile_called(profile) if isinstance(profile, str) else profile
        self.treatment = self.profile.treatment(self.language)
        self._stop_words = frozenset(map(form, self.treatment.stop_words))
        self._stemmer = stemmer(self.treatment.stemmer)
        self._too_short = re.compile(rf"^[^\n]{{0,{self.profile.shortest - 1}}}$", re.MULTILINE)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.language!r}, {self.profile.name!r})"

    @property
    def is_plain(self) -> bool:
        """Whether the words are taken as they are: there is no stop list and no stemmer."""
        return self._stemmer is None and not self._stop_words

    def description(self) -> str:
        """What is done to the words, in one line."""
        name = LANGUAGES[self.language].name if self.language in LANGUAGES else f"language {self.language!r}"
        known = "" if dict(self.profile.treatments).get(self.language) else ", for the profile does not know it"
        return f"{name}: {self.treatment}{known}"

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in the order in which they stand."""
        return [term for term in self._terms_at(text, list(runs(text))) if term is not None]

    def tokens(self, text: str) -> list[Token]:
        """The terms of a text, each with its place, for passages and highlighting."""
        places = list(runs(text))
        found = zip(self._terms_at(text, places), places, strict=True)
        return [Token(term, *place) for term, place in found if term is not None]

    def _terms_at(self, text: str, places: list[tuple[int, int]]) -> list[str | None]:
        longest = self.profile.longest
        words = [text[start:end][:longest] for start, end in places]
        distinct = list(dict.fromkeys(words))
        terms = dict(zip(distinct, self.resolve(distinct), strict=True))
        return [terms[word] for word in words]

    def resolve(self, words: Iterable[str]) -> list[str | None]:
        """The term of each run of letters; None for a stop word and for one that is too short."""
        return self._terms_of([form(word) for word in words])

    def _terms_of(self, forms: list[str]) -> list[str | None]:
        stop, shortest = self._stop_words, self.profile.shortest
        stems = forms if self._stemmer is None else self._stemmer.stemWords(forms)
        return [
            None
            if len(word) < shortest or word in stop or not (word.isascii() or letters(word) >= shortest)
            else stem or word
            for word, stem in zip(forms, stems, strict=True)
        ]

    def resolve_lines(self, words: str) -> str:
        """The same for runs of letters written as lines, each with its end; an empty line in the place of None.

        ASCII is written small at one stroke; where there is nothing else to do, no word need be looked at alone.
        """
        if not words.isascii():
            terms = self.resolve(words.split("\n")[:-1])
        elif self.is_plain:
            return self._too_short.sub("", words.lower())
        else:
            terms = self._terms_of(words.lower().split("\n")[:-1])
        return "".join([f"{term or ''}\n" for term in terms])


def stemmer(name: str | None) -> Stemmer.Stemmer | None:
    """A Snowball stemmer that keeps no words: whoever calls it asks for each distinct word once."""
    if name is None:
        return None
    if name not in Stemmer.algorithms(aliases=True):
        raise UsageError(f"no stemmer is called {name!r}; there are {', '.join(Stemmer.algorithms())}")
    return Stemmer.Stemmer(name, 0)


def versions() -> dict[str, str]:
    """What the terms depend on besides the profile, to be written down with an index."""
    return {"unicode": unicodedata.unidata_version, "stemmer": Stemmer.version()}
