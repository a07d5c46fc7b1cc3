"""Splits claims and descriptions into sentences, by rule and in linear time.

A newline ends a sentence: the readers of patents put one between paragraphs, claims and headings. Within a paragraph, a
sentence ends at `.`, `!` or `?` and any closing quotes and brackets, if white space follows and then neither a
lower-case letter (except in labels such as "b)") nor a character that cannot begin a sentence. It also ends at Chinese
and Japanese full stops. A full stop does not end a sentence

- after the number or letter that begins a claim or a step: "12. A method …";
- after an abbreviation ("Fig.", "bzw.") or a single letter ("U.S.", "z. B.", "J. Smith"), unless a capitalised function
  word follows: "of portion A. The …";
- after a number in German, unless a digit or a capitalised function word follows: "im 3. Schritt".
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from antecede.text.profiles import LANGUAGES, read_word_list


class Sentence(NamedTuple):
    """The place of a sentence: text[start:end], without surrounding white space."""

    start: int
    end: int


# All quantifiers are possessive and matches do not overlap, so matching takes linear time. The pattern begins with a
# set of characters, for which the regular expression engine searches faster than for one of several patterns.
BREAKS, EASTERN_STOPS, STOPS = r"\n\r\v\f\x85\u2028\u2029", "。！？｡", ".!?…"
AFTER_BREAK = rf"(?<=[{BREAKS}])[{BREAKS}]*+"
AFTER_EASTERN_STOP = rf"(?<=[{EASTERN_STOPS}])[{EASTERN_STOPS}]*+[」』”’）]*+"
AFTER_STOP = rf"(?<=[{STOPS}])[{STOPS}]*+(?:[\"'”’»)\]}}]|[ \xa0\u202f]»(?!\S))*+"
CANDIDATE = re.compile(
    rf"[{BREAKS}{EASTERN_STOPS}{STOPS}](?:(?P<certain>{AFTER_BREAK}|{AFTER_EASTERN_STOP})|{AFTER_STOP})"
)
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
"""No abbreviation is longer than this."""


def split_sentences(text: str, language: str = "en") -> list[Sentence]:
    """The sentences of a text, in order; only white space lies between them."""
    rules = SentenceRules.load(language.lower())
    found: list[Sentence] = []
    start = skip_blanks(text, 0)
    for candidate in CANDIDATE.finditer(text):
        end = candidate.end()
        if end <= start:
            continue
        if candidate["certain"] is not None:
            found.append(Sentence(start, start + len(text[start:end].rstrip())))
            start = skip_blanks(text, end)
        elif rules.ends_sentence(text, start, candidate):
            found.append(Sentence(start, end))
            start = skip_blanks(text, end)
    if start < len(text):
        found.append(Sentence(start, start + len(text[start:].rstrip())))
    return found


def skip_blanks(text: str, at: int) -> int:
    match = BLANKS.match(text, at)
    return match.end() if match else at


def find_last_word(text: str) -> str:
    """What follows the last white space, quotation mark or bracket of a text, in lower case."""
    if not text or text[-1].isspace():
        return ""
    word = text.rsplit(None, 1)[-1]
    if not word.isalnum():
        last = LAST.search(word)
        word = last[0] if last else ""
    return word.lower()


def is_letters(word: str) -> bool:
    """Whether a word is a letter, or letters with a full stop after each but the last."""
    return (len(word) == 1 or "." in word) and LETTERS.fullmatch(word) is not None


class SentenceRules(NamedTuple):
    """The meaning of full stops in a language."""

    abbreviations: frozenset[str]
    numbered: frozenset[str]
    """Words that are abbreviations only before a number."""
    starters: frozenset[str]
    """Function words, which begin a sentence if they are capitalised."""
    ordinals: bool
    """Whether a number with a full stop is an ordinal number."""

    @staticmethod
    @cache
    def load(language: str) -> SentenceRules:
        """The rules of a language; a language without lists has only the common rules."""
        known = LANGUAGES.get(language)
        abbreviations = {*read_word_list("abbreviations", "all"), *(known.abbreviations if known else ())}
        numbered = {*read_word_list("abbreviations", "numbered")} - abbreviations
        starters = {word for word in (known.stop_words if known else ()) if len(word) > 1} - abbreviations - numbered
        lists = frozenset(abbreviations), frozenset(numbered), frozenset(starters)
        return SentenceRules(*lists, ordinals=language == "de")

    def ends_sentence(self, text: str, start: int, candidate: re.Match[str]) -> bool:
        """Whether the sentence that began at `start` ends at a full stop or similar character."""
        ahead = AHEAD.match(text, candidate.end())
        if ahead is None:
            return candidate.end() == len(text)
        following = ahead[1]
        if not following or following[0] in CANNOT_BEGIN or (following[0].islower() and not STEP.match(following)):
            return False
        return candidate[0] != "." or not self.is_abbreviation(text, start, candidate.start(), following)

    def is_abbreviation(self, text: str, start: int, stop: int, following: str) -> bool:
        """Whether the full stop at `stop` belongs to the word before it."""
        if stop - start <= LOOK_BACK and LABEL.fullmatch(text, start, stop):
            return True
        before = text[max(start, stop - LOOK_BACK - 1) : stop]
        word = find_last_word(before)
        if word in self.numbered:
            return any(map(str.isdigit, following))
        if self.ordinals and word.isdigit():
            return not following[0].isdigit() and not self.begins_sentence(following)
        return (word in self.abbreviations or is_letters(word)) and not self.begins_sentence(following)

    def begins_sentence(self, following: str) -> bool:
        """Whether these characters begin with a capitalised function word."""
        word = WORD.match(following)
        return word is not None and word[0][0].isupper() and word[0].lower() in self.starters
