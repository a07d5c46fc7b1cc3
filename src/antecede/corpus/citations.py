"""Patent numbers in running text: what a description cites, and where it says so.

A number is found by its announcement, «U.S. Pat. Nos.» or «DE-OS» or «brevet européen n°» (`citation_phrases`), and
read by the office's own forms (`citation_numbers`). Lists go on as long as numbers of that office follow. Serial
numbers of applications (`Ser. No. 09/413,215`, `PCT/EP2005/001234`) are no publications and are passed over.

Every step looks only a bounded way ahead, so that the time grows with the length of the text and no faster.
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
"""Signs that stand for an ASCII one; a sign for a sign, so that places in the text stay what they are."""
KIND_BEFORE = re.compile(
    r"(?:[ \-.]{1,2}|(?<=EP)|(?<=WO))(?:(OS|AS|PS|GM|G[Bb]m)|([ABCTUY])([1-9l]?))"
    r"(?:[ .\-]{1,3}|(?=[0-9]{5}))(?=[A-Z0-9])"
)
GERMAN_KINDS = {"OS": "A", "AS": "B", "PS": "C", "GM": "U", "GBM": "U"}
APPLICATION = re.compile(US_APPLICATION)
SPACES = re.compile(r"  +")
DIGITS = re.compile(r"[0-9](?:[ ,.'/\-]{0,3}[0-9]){4,}+")
"""Without five digits there is no number; to look for these first makes the reading twenty times as fast."""
LONGEST_ANNOUNCEMENT, LOOK_AHEAD = 200, 40
"""No announcement is longer; none looks farther into the number."""
DIGIT = re.compile(r"[0-9]")
GROUP_MARKS = re.compile(r"[,. ']")
JAPANESE_ERA = re.compile(r"\A(?i:([HS])(?:EI(?:SEI)?|HO(?:WA)?))[. ,\-]*")
PLAIN_DIGITS = {"US", "EP", "FR", "GB"}
CODE_GROUPS = {"code", "US"}
PATENT_WORDS = {"patent", "published", "laid_open", "examined", "model", "filed", "design", "reissue"}
PUBLICATION_WORDS = {"published", "laid_open", "examined"}
SAME_FORM_OFFICES = {"JP", "KR", "CN", "WO"}
"""Offices whose applications have numbers in the form of publications."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A patent number in a text: `text[start:end]` is what is written there, the announcement included."""

    number: PatentNumber
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Announcement:
    """What stands before a number: whose it is, and what the words say of it."""

    country: str
    says: frozenset[str]
    kind: str | None
    sure: bool
    """Whether nothing but a number of that office can follow."""
    start: int
    end: int


def numbers_in(text: str, *, language: str = "") -> list[Mention]:
    """The patent numbers of a running text, in their order, each as often as it is there.

    Where a text names no office («Pat. No. 5,123,456») it is American if the `language` is English or not known.
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
    """Where the signs of a squeezed text stood: from `at[i]` on they stood `by[i]` later."""

    at: list[int]
    by: list[int]

    def original(self, position: int) -> int:
        """The place in the text as it was."""
        return position + self.by[bisect_right(self.at, position) - 1]


def collapse_spaces(text: str) -> tuple[str, Offsets]:
    """The text with every run of blanks as one, and the way back: files break and indent lines within numbers."""
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
    """What the office and the words behind it announce; None if they have nothing to do with patents."""
    name = str(head.lastgroup)
    if name == "filed":
        return None
    if name == "era":  # it is part of the number
        return Announcement("JP", frozenset(), None, True, head.start(), head.start())
    says, kind, position = read_words(text, head.end(), coded=name in CODE_GROUPS)
    country = "US" if name == "bare" else head[0].replace("W0", "WO") if name == "code" else name[-2:]
    if head[0] in {"WO", "W0"}:  # what has this code is published; applications have PCT
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
    """Whether a word for patents stands shortly before a place."""
    return PATENT_WORD_BEFORE.search(text, max(0, position - LOOK_BACK), position) is not None


def read_words(text: str, position: int, *, coded: bool) -> tuple[frozenset[str], str | None, int]:
    """The words of an announcement from a place on, the kind they begin with, and where the number would begin."""
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
    """The numbers behind an announcement: the first, and those of a list that follow."""
    if announcement is None:
        return
    writing = OFFICE_PATTERNS.get(announcement.country, GENERAL_PATTERNS)
    form = writing.likely if announcement.sure else writing.sure
    start = announcement.start
    found = form.match(text, announcement.end)
    if found is None and (found := writing.likely.match(text, announcement.end)) is not None:
        behind = KIND.match(text, found.end())  # as in `EP 88 968 A1`
        if behind is None and not follows_patent_word(text, announcement.start):
            return
    while found is not None:
        mention = read_mention(text, announcement, found, start)
        if mention is None:
            return
        yield mention
        found = next_in_list(text, mention.end, writing, form, shape_of(found[0]))
        start = found.start() if found is not None else 0


def shape_of(written: str) -> str:
    """A number without its digits: what is grouped alike is written alike."""
    return DIGIT.sub("0", written)


def next_in_list(
    text: str, position: int, writing: NumberPatterns, form: re.Pattern[str], last: str
) -> re.Match[str] | None:
    """The next number of a list: one of the office's unmistakable forms, or one of the same shape as the last.

    Where a source dropped the commas, «7 454 053 7 324 682», only the shape tells that a list goes on.
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
    """The mention that a number in the text makes; None if the words say that it is no publication."""
    country, says = announcement.country, announcement.says
    if not is_publication(country, says, found[0]):
        return None
    end = found.end()
    kind = announcement.kind
    if (behind := KIND.match(text, end)) is not None:
        kind = str(behind[behind.lastindex or 0]).replace("l", "1")
        end = behind.end()
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
    """Whether the words leave it a publication: of an application they must say so, or the form must."""
    if country == "US":
        return APPLICATION.match(written) is not None or says.isdisjoint({"filed", "serial"})
    if says.isdisjoint({"filed", "serial"}):
        return True
    return not says.isdisjoint(PUBLICATION_WORDS) or country not in SAME_FORM_OFFICES


def possible_kinds(country: str, says: frozenset[str]) -> tuple[str | None, ...]:
    """The kinds that the words leave open, likeliest first.

    «Japanese Patent Publication» renders the name of the examined application, «Laid-Open», «Unexamined» and
    «Application Publication» that of the laid-open one.
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
