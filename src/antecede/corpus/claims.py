"""Claims as a list, each with its number in the patent, from marked-up sets, typed text and scanned blocks."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from antecede.corpus.prose import prose, texts_of_each, typed_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element as Element

_CLAIM_NUMBER = re.compile(r"\(?\s*(\d{1,4})\s*[.):．、](?!\d)")
"""A number at the beginning of a claim: `1.`, `1 .`, `(1)`, `1.-`, but not the `1.5` of a quantity."""
_BARE_NUMBER = re.compile(r"(\d{1,4})\s+(?=[A-ZÄÖÜÀÉÈÊÎÔÛÇ])")
"""A number without a full stop, as in scanned texts."""
_GIVEN_NUMBER = re.compile(r"(?:.*\D)?0*(\d{1,9})\s*$")
_MAX_HEADING_LENGTH = 300
"""Characters before the first claim that may be a heading: `Claims`, `What is claimed is:`, a notice."""


def claim_set(claims: Element) -> tuple[str, ...]:
    """The claims of a `<claims>` element, one per `<claim>`, numbered by the text, the `num` or the position.

    If there is no `<claim>`, the text is split at its numbers.
    """
    if texts := texts_of_each(claims, "claim"):
        return number_claims(texts)
    text = prose(claims)
    return tuple(find_claims(text)) or ((_add_number(text, 1),) if text else ())


def number_claims(texts: Sequence[tuple[Element, str]]) -> tuple[str, ...]:
    """Claims, each with its number in front: that of the text, of the markup, or its position."""
    pairs = enumerate(texts, start=1)
    return tuple(_add_number(text, _given_number(claim) or place) for place, (claim, text) in pairs if text)


def typed_claims(claims: Element) -> tuple[str, ...]:
    """The claims of a text-only set: one per `<claim>`, or one per `<claim-text>`, or lines of a single text."""
    elements = claims.findall("claim")
    if len(elements) > 1:
        return claim_set(claims)
    parts = (elements[0] if elements else claims).findall("claim-text")
    texts = [*filter(None, map(typed_lines, parts or [claims]))]
    return tuple(find_claims("\n".join(texts))) or tuple(map(_add_number, texts, count(1)))


def _given_number(claim: Element) -> int | None:
    """The number of a claim in the markup: `num="0001"`, else `id="c-en-0001"`."""
    for name in ("num", "id"):
        given = claim.get(name) or ""
        if given.isdecimal() and len(given) < 10:
            return int(given)
        if (found := _GIVEN_NUMBER.match(given)) is not None:
            return int(found[1])
    return None


def _add_number(text: str, number: int) -> str:
    """The claim with its number in front; one that already has a number keeps it."""
    bare = _BARE_NUMBER.match(text)
    return text if _CLAIM_NUMBER.match(text) or (bare and int(bare[1]) == number) else f"{number}. {text}"


# A block of claims, split at their numbers, as needed for scanned documents.
#
# Numbers are at the beginning of a line or inside it, some were misread by text recognition (`1 1.` for 11, `2 -`),
# some are lost, and the steps of a method are numbered too. So every number that could begin a claim gets a weight,
# and of all ascending chains of numbers the one with the greatest weight is used.

_NUMBER = r"(?P<number>\d(?:[ ]?\d){0,2})"
WORDS = r"(?i:claim|(?:patent)?anspruch|revendication|reivindicaci[oó]n|reivindicação|rivendicazione|conclusie)\s+"
_CAPITAL = r"(?=[\"'(\[«„]*[^\W\d_a-zß-öø-ÿ])"
"""A letter follows that is not lower case; all letters of scripts without case qualify."""
_AT_LINE = (
    (1.2, re.compile(rf"[^\w\n]{{0,3}}{WORDS}{_NUMBER}\s*(?P<mark>[.:)\-–—])?\s+")),
    (1.0, re.compile(rf"[^\w\n]{{0,3}}{_NUMBER}\s*(?P<mark>[.．、)）:]\s?[-–—]?|[-–—])(?!\d)\s*{_CAPITAL}")),
    (0.4, re.compile(rf"{_NUMBER}(?P<mark>\s)\s*{_CAPITAL}")),
    (-0.2, re.compile(rf"[^\w\n]{{0,3}}{_NUMBER}\s?(?P<mark>[.)])\s+(?=[a-zß-öø-ÿ])")),
)
"""How a claim may begin at the start of a line, with weights: also without the full stop. A lower-case letter after the
number indicates a step rather than a claim."""
_IN_LINE = re.compile(
    rf"(?P<kept>[.;:A-ZÀ-Þ\d)\]])\s+(?P<word>{WORDS})?(?P<number>\d{{1,3}}|1 \d|\d 1)"
    rf"\s?(?P<mark>\.\s?[-–—]?|[)）])?\s+{_CAPITAL}"
)
"""How a claim may begin inside a line. Text recognition adds a space next to a 1; other adjacent numbers are two."""
_RUN_ON = 0.8
"""The weight of a number inside a line, after a sentence."""
_AFTER_FOOTER = 0.1
"""Its weight if no sentence ends before it: a page footer may be in between."""
_JAPANESE = re.compile(rf"(?P<mark>【)請求項\s*{_NUMBER}\s*】\s*")
_FIRST = re.compile(rf"\s(?P<number>1)\s?(?P<mark>\.)\s?[-–—]?\s*{_CAPITAL}")
"""The first claim on the same line as the heading."""
_MISREAD_ONE = re.compile(r"[lLIi|]\s?[.\-–)]+\s*")
"""The number of the first claim as misread by text recognition."""
_SHORT_FORM = re.compile(r"\b(?:Figs?|Nos?|Nr|Abb|ca|approx|resp|Art|Eq|Ex)\.$", re.IGNORECASE)
_BLOCK_HEADING = re.compile(
    r"claim|cla[il|\[]\s?ms|anspr[üu]|revendication|reivindicac|rivendicazion|請求|權利|権利|权利", re.IGNORECASE
)
SPACED = re.compile(r"(?<=\b\w) (?=\w\b)")
"""Spaces in letter-spaced words: `A n s p r ü c h e`."""
_GAP_PENALTY = 0.3
"""The penalty for each number missing in a chain."""
_MAX_JUMP_LENGTH = 6
"""The largest step in a chain."""
_NEW_SET_PENALTY = 0.5
"""The penalty for a second set of claims."""
MAX_STARTS = 5000
"""A text with more candidates is not a set of claims."""


class _Start(NamedTuple):
    at: int
    end: int
    """Where the text after the number begins."""
    number: int
    weight: float
    bracket: bool = False
    """Whether the number is written `1)`: a chain uses one form throughout."""
    again: bool = False
    """Whether it is the first of a set announced by a heading."""


class _Link(NamedTuple):
    """The heaviest chain that ends at a start."""

    weight: float
    start: _Start
    before: _Link | None


def split_claims(text: str) -> list[str]:
    """Split a text into claims, each as `1. …`; a text without usable numbers is a single claim."""
    return find_claims(text) or [f"1. {whole}" for whole in [text.strip()] if whole]


def find_claims(text: str) -> list[str]:
    """The claims in a text, each as `1. …`; none if it has no usable numbers."""
    chain = heaviest_chain(find_starts(text))
    if not chain:
        return []
    found = _claims_before(text[: chain[0].at], chain[0].number)
    ends = [each.at for each in chain[1:]] + [len(text)]
    following = [each.again for each in chain[1:]] + [False]
    for start, end, again in zip(chain, ends, following, strict=True):
        body = text[start.end : end].strip()
        if again and "\n" in body and _is_block_heading(body.rpartition("\n")[2]):
            body = body.rpartition("\n")[0].strip()
        found.append(f"{start.number}. {body}".strip())
    return found


def _claims_before(text: str, number: int) -> list[str]:
    """The claims before the first number found: none for a heading, one if the numbers were lost."""
    rows = [row for row in text.split("\n") if row.strip() and not _is_block_heading(row)]
    rest = "\n".join(rows).strip()
    if number == 1:
        return [rest] if len(rest) > _MAX_HEADING_LENGTH else []
    misread = _MISREAD_ONE.match(rest)
    return [f"1. {rest[misread.end() :] if misread else rest}"] if rest else []


def _is_block_heading(row: str) -> bool:
    """Whether a line announces claims: `What is claimed is:`."""
    return len(row) <= _MAX_HEADING_LENGTH and _BLOCK_HEADING.search(SPACED.sub("", row)) is not None


def find_starts(text: str) -> list[_Start]:
    """Every position where a claim may begin, in order, in the likeliest reading; none if there are too many."""
    found: dict[int, _Start] = {}
    for match, weight in _match_starts(text):
        place = match.start("number")
        if place not in found:
            found[place] = _make_start(text, match, weight)
        if len(found) > MAX_STARTS:
            return []
    return [found[place] for place in sorted(found)]


def _match_starts(text: str) -> Iterator[tuple[re.Match[str], float]]:
    """Everything that looks like the beginning of a claim, the likelier readings first."""
    for match in _JAPANESE.finditer(text):
        yield match, 1.5
    line = 0
    while line >= 0:
        for weight, pattern in _AT_LINE:
            if (at_line := pattern.match(text, line)) is not None:
                yield at_line, weight
                break
        line = text.find("\n", line) + 1 or -1
    for match in _IN_LINE.finditer(text):
        weight = _weigh_in_line(text, match)
        if weight > 0:
            yield match, weight
    if (first := _FIRST.search(text, 0, _MAX_HEADING_LENGTH)) is not None:
        yield first, _RUN_ON


def _weigh_in_line(text: str, match: re.Match[str]) -> float:
    """The weight of a number inside a line; 0 if it belongs to a figure."""
    kept, word, mark = match["kept"], match["word"], match["mark"]
    if not mark and not word:
        return 0.0
    if kept not in ".;:":
        return _AFTER_FOOTER if mark and mark[0] == "." and not word else 0.0
    end = match.end("kept")
    return 0.0 if _SHORT_FORM.search(text[max(0, end - 8) : end]) else _RUN_ON


def _make_start(text: str, match: re.Match[str], weight: float) -> _Start:
    number = int(match["number"].replace(" ", ""))
    bracket = (match["mark"] or "")[:1] in (")", "）")
    again = False
    if number == 1 and weight >= 1:
        before = text[max(0, match.start() - _MAX_HEADING_LENGTH) : match.start()].rstrip().rpartition("\n")[2]
        again = _is_block_heading(before)
    begin = match.end("kept") if match.re is _IN_LINE else match.start()
    return _Start(begin, match.end(), number, weight, bracket, again)


def heaviest_chain(found: Sequence[_Start]) -> list[_Start]:
    """The chain of ascending numbers with the greatest weight, minus the penalties.

    It begins with the first 1, so that steps within a claim are not claims; with 2 or 3 if that is lost.
    """
    first = next((each for each in found if each.number == 1 and each.weight >= _RUN_ON), None)
    best: dict[tuple[int, bool], _Link] = {}
    heavy: _Link | None = None
    for each in found:
        begins = each is first if first is not None else 1 <= each.number <= 3
        ways: list[tuple[float, _Link | None]] = [
            (link.weight - _GAP_PENALTY * (step - 1), link)
            for step in range(1, _MAX_JUMP_LENGTH + 1)
            if (link := best.get((each.number - step, each.bracket))) is not None
        ]
        if begins:
            ways.append((-_GAP_PENALTY * (each.number - 1), None))
        if each.again and heavy is not None:
            ways.append((heavy.weight - _NEW_SET_PENALTY, heavy))
        if not ways:
            continue
        weight, before = max(ways, key=lambda way: way[0])
        link = _Link(weight + each.weight, each, before)
        key = each.number, each.bracket
        if key not in best or best[key].weight < link.weight:
            best[key] = link
        if heavy is None or heavy.weight < link.weight:
            heavy = link
    return _chain_of(heavy) if heavy is not None and heavy.weight > 0 else []


def _chain_of(link: _Link | None) -> list[_Start]:
    found: list[_Start] = []
    while link is not None:
        found.append(link.start)
        link = link.before
    return found[::-1]
