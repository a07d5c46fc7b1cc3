"""Claims and descriptions cut into sentences, by rule and in linear time.

A newline ends a sentence: readers put one between paragraphs, claims and headings. Within a paragraph a sentence ends
at `.`, `!` or `?`, together with quotes and brackets that close, where a blank follows and then neither a small letter
(but "b)" may) nor a sign that cannot begin a sentence; and at the full stops of Chinese and Japanese. A full stop does
not end one

- behind the number or letter that a claim or a step begins with: "12. A method …";
- behind an abbreviation ("Fig.", "bzw.") or a single letter ("U.S.", "z. B.", "J. Smith"), unless a function word with
  a capital follows: "of portion A. The …";
- behind a number in German, unless a digit or a function word follows: "im 3. Schritt".
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from antecede.text.languages import LANGUAGES, word_list


class Sentence(NamedTuple):
    """Where a sentence stands: text[start:end], without blanks around it."""

    start: int
    end: int


# Every pattern takes all it can and never gives back, and no two matches of one look at the same signs.
BREAK = r"[\n\r\v\f\x85\u2028\u2029]++"
EASTERN_STOP = r"[。！？｡]++[」』”’）]*+"
STOP = r"[.!?…]++(?:[\"'”’»)\]}]|[ \xa0\u202f]»(?!\S))*+"
CANDIDATE = re.compile(f"(?P<certain>{BREAK}|{EASTERN_STOP})|{STOP}")
BLANKS = re.compile(r"\s*+")
OPENING = r"\"'“„‚‘«‹(\[{"
AHEAD = re.compile(rf"\s++[{OPENING}]*+(\S{{0,24}})")
LAST = re.compile(rf"[^\s{OPENING}]*\Z")
WORD = re.compile(r"[^\W\d_]++")
LETTERS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
LABEL = re.compile(r"[(\[]?(?:\d{1,4}|[A-Za-z]|[ivxIVX]{1,5})(?:[.-]\d{1,3})*")
STEP = re.compile(r"(?:[a-z]|[ivx]{2,4})\)")
CANNOT_BEGIN = frozenset(".,;:!?…)]}%/=")
LOOK_BACK = 24
"""No abbreviation is longer."""


def sentences(text: str, language: str = "en") -> list[Sentence]:
    """The sentences of a text, in order; between them there is nothing but blanks."""
    rules = Rules.of(language.lower())
    found: list[Sentence] = []
    start = blanks_end(text, 0)
    for candidate in CANDIDATE.finditer(text):
        if candidate.end() <= start:
            continue
        if candidate["certain"] or rules.ends(text, start, candidate):
            found.append(Sentence(start, start + len(text[start : candidate.end()].rstrip())))
            start = blanks_end(text, candidate.end())
    if start < len(text):
        found.append(Sentence(start, start + len(text[start:].rstrip())))
    return found


def blanks_end(text: str, at: int) -> int:
    match = BLANKS.match(text, at)
    return match.end() if match else at


class Rules(NamedTuple):
    """What a language knows about full stops."""

    abbreviations: frozenset[str]
    numbered: frozenset[str]
    """Abbreviations only where a number follows."""
    starters: frozenset[str]
    """Function words: one with a capital begins a sentence."""
    ordinals: bool
    """Whether a number with a full stop is an ordinal."""

    @staticmethod
    @cache
    def of(language: str) -> Rules:
        """The rules of a language; of one that we have no lists for, those of all languages."""
        known = LANGUAGES.get(language)
        abbreviations = {*word_list("abbreviations", "all"), *(known.abbreviations if known else ())}
        numbered = {*word_list("abbreviations", "numbered")} - abbreviations
        starters = {word for word in (known.stop_words if known else ()) if len(word) > 1} - abbreviations - numbered
        return Rules(frozenset(abbreviations), frozenset(numbered), frozenset(starters), ordinals=language == "de")

    def ends(self, text: str, start: int, candidate: re.Match[str]) -> bool:
        """Whether a sentence that began at `start` ends at a full stop or the like."""
        ahead = AHEAD.match(text, candidate.end())
        if ahead is None:
            return candidate.end() == len(text)
        following = ahead[1]
        if not following or following[0] in CANNOT_BEGIN or (following[0].islower() and not STEP.match(following)):
            return False
        return candidate[0] != "." or not self.is_abbreviated(text, start, candidate.start(), following)

    def is_abbreviated(self, text: str, start: int, stop: int, following: str) -> bool:
        """Whether the full stop at `stop` belongs to the word before it."""
        if stop - start <= LOOK_BACK and LABEL.fullmatch(text, start, stop):
            return True
        before = text[max(start, stop - LOOK_BACK - 1) : stop]
        last = LAST.search(before)
        word = last[0].lower() if last else ""
        if word in self.numbered:
            return any(map(str.isdigit, following))
        if self.ordinals and word.isdigit():
            return not following[0].isdigit() and not self.begins(following)
        return (word in self.abbreviations or LETTERS.fullmatch(word) is not None) and not self.begins(following)

    def begins(self, following: str) -> bool:
        """Whether these signs are a function word with a capital."""
        word = WORD.match(following)
        return word is not None and word[0][0].isupper() and word[0].lower() in self.starters
