"""Patent numbers in running text: what a description cites, and where.

A number is found by its announcement, «U.S. Pat. Nos.» or «DE-OS» or «brevet européen n°», and read according to the
forms of the office (`citation_patterns`). A list continues as long as numbers of that office follow. Serial numbers of
applications (`Ser. No. 09/413,215`, `PCT/EP2005/001234`) are not publications and are skipped.

Every step has a bounded look-ahead, so the running time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.corpus.citation_patterns import (
    GAP,
    GENERAL_PATTERNS,
    HEAD,
    KIND,
    LIST_SEPARATOR,
    LOOK_BACK,
    MOST_WORDS,
    OFFICE_PATTERNS,
    PATENT_WORD_BEFORE,
    US_APPLICATION,
    WORD,
)
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.citation_patterns import NumberPatterns

ASCII_FORMS = {
    **dict.fromkeys(map(ord, "\t\n\r\f\v\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2044\u2215\uff0f"), "/"),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
}
"""Characters that replace an ASCII one, one for one, so that positions in the text do not change."""
KIND_BEFORE = re.compile(
    r"(?:[ \-.]{1,2}|(?<=EP)|(?<=WO))(?:(OS|AS|PS|GM|G[Bb]m)|([ABCTUY])([1-9l]?))"
    r"(?:[ .\-]{1,3}|(?=[0-9]{5}))(?=[A-Z0-9])"
)
GERMAN_KINDS = {"OS": "A", "AS": "B", "PS": "C", "GM": "U", "GBM": "U"}
APPLICATION = re.compile(US_APPLICATION)
SPACES = re.compile(r"  +")
DIGITS = re.compile(r"[0-9](?:[ ,.'/\-]{0,3}[0-9]){4,}+")
"""A number has at least five digits; searching for these first is twenty times as fast."""
LONGEST_ANNOUNCEMENT, LOOK_AHEAD = 200, 40
"""No announcement is longer; none extends farther into the number."""
DIGIT = re.compile(r"[0-9]")
GROUP_MARKS = re.compile(r"[,. ']")
JAPANESE_ERA = re.compile(r"\A(?i:([HS])(?:EI(?:SEI)?|HO(?:WA)?))[. ,\-]*")
PLAIN_DIGITS = {"US", "EP", "FR", "GB"}
CODE_GROUPS = {"code", "US"}
PATENT_WORDS = {"patent", "published", "laid_open", "examined", "model", "filed", "design", "reissue"}
PUBLICATION_WORDS = {"published", "laid_open", "examined"}
SAME_FORM_OFFICES = {"JP", "KR", "CN", "WO"}
"""Offices whose application numbers have the form of publication numbers."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A patent number in a text: `text[start:end]` is its written form, including the announcement."""

    number: PatentNumber
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Announcement:
    """What precedes a number: the office, and what the words say about the document."""

    country: str
    says: frozenset[str]
    kind: str | None
    sure: bool
    """Whether only a number of that office can follow."""
    start: int
    end: int


def numbers_in(text: str, *, language: str = "") -> list[Mention]:
    """The patent numbers in a running text, in order, repetitions included.

    A number without an office («Pat. No. 5,123,456») is American if the `language` is English or unknown.
    """
    plain, places = collapse_spaces(text.translate(ASCII_FORMS))
    found: list[Mention] = []
    position = 0
    for digits in DIGITS.finditer(plain):
        position = max(position, digits.start() - LONGEST_ANNOUNCEMENT)
        while (
            position < digits.start()
            and (head := HEAD.search(plain, position, digits.start() + LOOK_AHEAD)) is not None
        ):
            if head.start() >= digits.start():
                break
            before = len(found)
            found.extend(read_mentions(plain, read_announcement(plain, head, language)))
            position = found[-1].end if len(found) > before else head.end()
        position = max(position, digits.start())
    return [Mention(each.number, places.original(each.start), places.original(each.end - 1) + 1) for each in found]


@dataclass(frozen=True, slots=True)
class Offsets:
    """Maps positions after collapsing spaces back to the original text: from `at[i]` on, add `by[i]`."""

    at: list[int]
    by: list[int]

    def original(self, position: int) -> int:
        """The position in the original text."""
        return position + self.by[bisect_right(self.at, position) - 1]


def collapse_spaces(text: str) -> tuple[str, Offsets]:
    """Reduce every run of spaces to one and return the way back: files break and indent lines within numbers."""
    at, by, parts = [0], [0], []
    end = 0
    for run in SPACES.finditer(text):
        parts.append(text[end : run.start() + 1])
        end = run.end()
        by.append(by[-1] + end - run.start() - 1)
        at.append(end - by[-1])
    parts.append(text[end:])
    return "".join(parts), Offsets(at, by)


def read_announcement(text: str, head: re.Match[str], language: str) -> Announcement | None:
    """Read the office and the words after it; None if they do not concern patents."""
    name = str(head.lastgroup)
    if name == "filed":
        return None
    if name == "era":  # it is part of the number
        return Announcement("JP", frozenset(), None, True, head.start(), head.start())
    says, kind, position = read_words(text, head.end(), coded=name in CODE_GROUPS)
    country = "US" if name == "bare" else head[0].replace("W0", "WO") if name == "code" else name[-2:]
    if head[0] in {"WO", "W0"}:  # WO numbers are publications; applications have PCT
        says -= {"filed", "serial"}
    about = kind is not None or not says.isdisjoint(PATENT_WORDS)
    if name == "bare":
        about = language in {"", "en"}
    elif name not in CODE_GROUPS:
        about = about or follows_patent_word(text, head.start())
    if not about and name not in CODE_GROUPS:
        return None
    return Announcement(country, says, kind, about, head.start(), position)


def follows_patent_word(text: str, position: int) -> bool:
    """Whether a word for patents shortly precedes a position."""
    return PATENT_WORD_BEFORE.search(text, max(0, position - LOOK_BACK), position) is not None


def read_words(text: str, position: int, *, coded: bool) -> tuple[frozenset[str], str | None, int]:
    """Read the words of an announcement: their meanings, a leading kind, and where the number would begin."""
    says = set()
    kind = None
    if coded and (prefix := KIND_BEFORE.match(text, position)) is not None:
        kind = GERMAN_KINDS[prefix[1].upper()] if prefix[1] else prefix[2] + prefix[3].replace("l", "1")
        position = prefix.end()
    for _ in range(MOST_WORDS):
        gap = GAP.match(text, position)
        position = gap.end() if gap is not None else position
        word = WORD.match(text, position)
        if word is None:
            break
        says.add(str(word.lastgroup))
        position = word.end()
    return frozenset(says), kind, position


def read_mentions(text: str, announcement: Announcement | None) -> Iterator[Mention]:
    """Read the numbers after an announcement: the first, and those of a list that follow."""
    if announcement is None:
        return
    writing = OFFICE_PATTERNS.get(announcement.country, GENERAL_PATTERNS)
    form = writing.likely if announcement.sure else writing.sure
    start = announcement.start
    found = form.match(text, announcement.end)
    if found is None and (found := writing.likely.match(text, announcement.end)) is not None:
        suffix = KIND.match(text, found.end())  # as in `EP 88 968 A1`
        if suffix is None and not follows_patent_word(text, announcement.start):
            return
    while found is not None:
        mention = read_mention(text, announcement, found, start)
        if mention is None:
            return
        yield mention
        found = next_in_list(text, mention.end, writing, form, shape_of(found[0]))
        start = found.start() if found is not None else 0


def shape_of(written: str) -> str:
    """The form of a number, with its digits replaced by zeros."""
    return DIGIT.sub("0", written)


def next_in_list(
    text: str, position: int, writing: NumberPatterns, form: re.Pattern[str], last: str
) -> re.Match[str] | None:
    """The next number of a list: in one of the office's unambiguous forms, or of the same shape as the previous one.

    Where a source dropped the commas, «7 454 053 7 324 682», only the shape shows that the list continues.
    """
    between = LIST_SEPARATOR.match(text, position)
    if between is not None:
        position = between.end()
        if (found := writing.listed.match(text, position)) is not None:
            return found
    elif " " in last and text[position : position + 1] == " ":
        position += 1
    else:
        return None
    found = form.match(text, position)
    return found if found is not None and shape_of(found[0]) == last else None


def read_mention(text: str, announcement: Announcement, found: re.Match[str], start: int) -> Mention | None:
    """Read a number in the text; None if the words say that it is not a publication."""
    country, says = announcement.country, announcement.says
    if not is_publication(country, says, found[0]):
        return None
    end = found.end()
    kind = announcement.kind
    if (suffix := KIND.match(text, end)) is not None:
        kind = str(suffix[suffix.lastindex or 0]).replace("l", "1")
        end = suffix.end()
    written = GROUP_MARKS.sub("", found[0]) if country in PLAIN_DIGITS else JAPANESE_ERA.sub(r"\1", found[0])
    if country == "US" and written[0].isdigit():
        written = ("RE" if "reissue" in says else "D" if "design" in says else "") + written
    kinds = possible_kinds(country, says) if kind is None else (kind, None) if country == "US" else (kind,)
    for each in kinds:
        number = PatentNumber.of(country, written, each)
        if number is not None:
            return Mention(number, start, end)
    return None


def is_publication(country: str, says: frozenset[str], written: str) -> bool:
    """Whether a number is that of a publication: for an application, the words or the form must say so."""
    if country == "US":
        return APPLICATION.match(written) is not None or says.isdisjoint({"filed", "serial"})
    if says.isdisjoint({"filed", "serial"}):
        return True
    return not says.isdisjoint(PUBLICATION_WORDS) or country not in SAME_FORM_OFFICES


def possible_kinds(country: str, says: frozenset[str]) -> tuple[str | None, ...]:
    """The kinds compatible with the words, the likeliest first.

    «Japanese Patent Publication» translates the name of the examined application; «Laid-Open», «Unexamined» and
    «Application Publication» translate that of the laid-open one.
    """
    if country == "DE" and "model" in says:
        return ("U",)
    if country != "JP":
        return (None,)
    laid_open = "laid_open" in says or "filed" in says
    if "model" in says:
        return ("Y",) if "examined" in says or ("published" in says and not laid_open) else ("U",)
    if "examined" in says or ("published" in says and not laid_open):
        return ("B", None)
    return (None,)
