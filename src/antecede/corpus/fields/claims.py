"""Claims as a list, each with its number in the patent, from marked-up sets and from typed text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from antecede.corpus.fields.lines import PART
from antecede.corpus.fields.prose import prose, prose_of_each, typed_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.etree import _Element as Element

CLAIM_NUMBER = re.compile(r"\(?\s*(\d{1,4})\s*[.):．、](?!\d)")
"""A number at the beginning of a claim: `1.`, `1 .`, `(1)`, `1.-`, but not the `1.5` of a quantity."""
BARE_NUMBER = re.compile(r"(\d{1,4})\s+(?=[A-ZÄÖÜÀÉÈÊÎÔÛÇ])")
"""A number without a full stop, as in scanned texts."""
GIVEN_NUMBER = re.compile(r"(?:.*\D)?0*(\d{1,9})\s*$")
HEADING = re.compile(
    r"\W*(?:(?:amended|new|modified|further|geänderte|neue|nouvelles)\s+)*(?:set\s+of\s+)?"
    r"(?:claims|patentansprüche|ansprüche|revendications|(?:what|we|i)\b.{0,30}\bclaim)",
    re.IGNORECASE,
)
"""The heading of a new set of claims."""
LONGEST_HEADING = 300
"""Characters before the first claim that may be a heading: `Claims`, `What is claimed is:`, a notice."""
SENTENCE_END = r"(?<=[.;])" + "".join(rf"(?<!\b{word}\.)" for word in ("Fig", "Figs", "No", "Nos", "Nr", "Abb", "ca"))
"""Where a sentence ends: not after an abbreviation that precedes a number."""
NEXT_IN_LINE = re.compile(SENTENCE_END + r"\s+(?=([1-9]\d{0,3})\s?\.\s+[A-ZÄÖÜÀÉÈÊÎÔÛÇ])")
"""Where another claim may begin in the same line."""
LONGEST_GAP = 5
"""How many numbers may be missing between two claims that begin a line (cancelled, or misread by text recognition)."""


def claim_set(claims: Element) -> tuple[str, ...]:
    """The claims of a `<claims>` element, one per `<claim>`, numbered by the text, the `num` or the position.

    If there is no `<claim>`, the text is split at its numbers.
    """
    elements = outermost_claims(claims)
    if not elements:
        text = prose(claims)
        return tuple(split_by_number(text.split("\n"))) or ((add_number(text, 1),) if text else ())
    pairs = enumerate(zip(elements, claim_prose(claims, elements), strict=True), start=1)
    return tuple(add_number(text, given_number(each) or place) for place, (each, text) in pairs if text)


def outermost_claims(claims: Element) -> list[Element]:
    """The `<claim>` elements that are not inside another one, whose text would otherwise be repeated."""
    found = [*claims.iter("claim")]
    if len(found) == sum(1 for _ in claims.iterchildren("claim")):
        return found
    return [each for each in found if next(each.iterancestors("claim"), None) is None]


def claim_prose(claims: Element, elements: Sequence[Element]) -> list[str]:
    """The text of each of the claims that `outermost_claims` found."""
    nested = len(elements) < sum(1 for _ in claims.iter("claim"))
    texts = [] if nested else prose_of_each(claims, "claim")
    if len(texts) != len(elements):  # nested claims, or the separator occurs in the text
        texts = [prose(each).replace(PART, "\n") for each in elements]
    return texts


def typed_claims(claims: Element) -> tuple[str, ...]:
    """The claims of a text-only set: one per `<claim>`, or one per `<claim-text>`, or lines of a single text."""
    elements = claims.findall("claim")
    if len(elements) > 1:
        return claim_set(claims)
    parts = (elements[0] if elements else claims).findall("claim-text")
    texts = [typed_lines(each) for each in parts] or [typed_lines(claims)]
    rows = [row for text in texts for row in text.split("\n") if row]
    if found := split_by_number(rows):
        return tuple(found)
    return tuple(add_number(text, place) for place, text in enumerate(filter(None, texts), start=1))


def given_number(claim: Element) -> int | None:
    """The number of a claim in the markup: `num="0001"`, else `id="c-en-0001"`."""
    for name in ("num", "id"):
        given = claim.get(name) or ""
        if given.isdecimal() and len(given) < 10:
            return int(given)
        if (found := GIVEN_NUMBER.match(given)) is not None:
            return int(found[1])
    return None


def add_number(text: str, number: int) -> str:
    """The claim with its number in front; one that already has a number keeps it."""
    bare = BARE_NUMBER.match(text)
    return text if CLAIM_NUMBER.match(text) or (bare and int(bare[1]) == number) else f"{number}. {text}"


def split_by_number(rows: Sequence[str]) -> list[str]:
    """Group lines into claims by the numbers they begin with; empty if the first is not claim 1."""
    starts = find_claim_starts(rows)
    if not starts or sum(map(len, rows[: starts[0]])) > LONGEST_HEADING:
        return []
    edges = [*starts, len(rows)]
    found: list[str] = []
    for start, end in pairwise(edges):
        last = end - 1 if end < len(rows) and end - 1 > start and is_heading(rows[end - 1], rows[end]) else end
        following = number_at(rows[end]) if end < len(rows) else None
        found += split_line("\n".join(rows[start:last]), following)
    return found


def find_claim_starts(rows: Sequence[str]) -> list[int]:
    """The lines that begin a claim: 1, 2, 3 … in order, and again from 1 after a heading."""
    starts: list[int] = []
    last = 0
    for place, row in enumerate(rows):
        carried, bare = CLAIM_NUMBER.match(row), BARE_NUMBER.match(row)
        number = int(carried[1]) if carried else int(bare[1]) if bare else 0
        again = bool(starts) and place > 0 and carried is not None and is_heading(rows[place - 1], row)
        furthest = last + (LONGEST_GAP if carried and last else 1)
        if last < number <= furthest or again:
            starts.append(place)
            last = number
    return starts


def number_at(row: str) -> int | None:
    """The number a line begins with."""
    found = CLAIM_NUMBER.match(row) or BARE_NUMBER.match(row)
    return int(found[1]) if found else None


def is_heading(row: str, following: str) -> bool:
    """Whether a line announces a new set of claims, which then begins with 1."""
    heading = len(row) <= LONGEST_HEADING and number_at(row) is None and HEADING.match(row) is not None
    return heading and number_at(following) == 1


def split_line(text: str, following: int | None) -> list[str]:
    """Split off claims that continue on the same line, if the number of the next line shows that there are some.

    Only a number that begins a sentence counts, so that `Fig. 2. The` is not split.
    """
    number = number_at(text)
    if number is None:
        return [text]
    found, start = [], 0
    for begins in NEXT_IN_LINE.finditer(text):
        if following == number + 1:
            break
        if int(begins[1]) == number + 1:
            found.append(text[start : begins.start()])
            start, number = begins.end(), number + 1
    return [*found, text[start:]]
