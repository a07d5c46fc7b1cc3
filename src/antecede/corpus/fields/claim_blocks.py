"""Splitting a block of claims at their numbers, as needed for scanned documents.

Numbers are at the beginning of a line or inside it, some were misread by text recognition (`1 1.` for 11, `2 -`), some
are lost, and the steps of a method are numbered too. So every number that could begin a claim gets a weight, and of all
ascending chains of numbers the one with the greatest weight is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBER = r"(?P<number>\d(?:[ ]?\d){0,2})"
WORDS = r"(?i:claim|(?:patent)?anspruch|revendication|reivindicaci[oó]n|reivindicação|rivendicazione|conclusie)\s+"
CAPITAL = r"(?=[\"'(\[«„]*[^\W\d_a-zß-öø-ÿ])"
"""A letter follows that is not lower case; all letters of scripts without case qualify."""
AT_LINE = (
    (1.2, re.compile(rf"[^\w\n]{{0,3}}{WORDS}{NUMBER}\s*(?P<mark>[.:)\-–—])?\s+")),
    (1.0, re.compile(rf"[^\w\n]{{0,3}}{NUMBER}\s*(?P<mark>[.．、)）:]\s?[-–—]?|[-–—])(?!\d)\s*{CAPITAL}")),
    (0.4, re.compile(rf"{NUMBER}(?P<mark>\s)\s*{CAPITAL}")),
    (-0.2, re.compile(rf"[^\w\n]{{0,3}}{NUMBER}\s?(?P<mark>[.)])\s+(?=[a-zß-öø-ÿ])")),
)
"""How a claim may begin at the start of a line, with weights: also without the full stop. A lower-case letter after the
number indicates a step rather than a claim."""
IN_LINE = re.compile(
    rf"(?P<kept>[.;:A-ZÀ-Þ\d)\]])\s+(?P<word>{WORDS})?(?P<number>\d{{1,3}}|1 \d|\d 1)"
    rf"\s?(?P<mark>\.\s?[-–—]?|[)）])?\s+{CAPITAL}"
)
"""How a claim may begin inside a line. Text recognition adds a space next to a 1; other adjacent numbers are two."""
RUN_ON = 0.8
"""The weight of a number inside a line, after a sentence."""
AFTER_FOOTER = 0.1
"""Its weight if no sentence ends before it: a page footer may be in between."""
JAPANESE = re.compile(rf"(?P<mark>【)請求項\s*{NUMBER}\s*】\s*")
FIRST = re.compile(rf"\s(?P<number>1)\s?(?P<mark>\.)\s?[-–—]?\s*{CAPITAL}")
"""The first claim on the same line as the heading."""
MISREAD_ONE = re.compile(r"[lLIi|]\s?[.\-–)]+\s*")
"""The number of the first claim as misread by text recognition."""
SHORT_FORM = re.compile(r"\b(?:Figs?|Nos?|Nr|Abb|ca|approx|resp|Art|Eq|Ex)\.$", re.IGNORECASE)
HEADING = re.compile(
    r"claim|cla[il|\[]\s?ms|anspr[üu]|revendication|reivindicac|rivendicazion|請求|權利|権利|权利", re.IGNORECASE
)
SPACED = re.compile(r"(?<=\b\w) (?=\w\b)")
"""Spaces in letter-spaced words: `A n s p r ü c h e`."""
LONGEST_HEADING = 300
"""Characters before the first claim that may be a heading."""
GAP_PENALTY = 0.3
"""The penalty for each number missing in a chain."""
LONGEST_JUMP = 6
"""The largest step in a chain."""
NEW_SET_PENALTY = 0.5
"""The penalty for a second set of claims."""
MOST_STARTS = 5000
"""A text with more candidates is not a set of claims."""


class Start(NamedTuple):
    """A position where a claim may begin."""

    at: int
    end: int
    """Where the text after the number begins."""
    number: int
    weight: float
    bracket: bool = False
    """Whether the number is written `1)`: a chain uses one form throughout."""
    again: bool = False
    """Whether it is the first of a set announced by a heading."""


class Link(NamedTuple):
    """The heaviest chain that ends at a start."""

    weight: float
    start: Start
    before: Link | None


def split_claims(text: str) -> list[str]:
    """Split a text into claims, each as `1. …`; a text without usable numbers is a single claim."""
    chain = heaviest_chain(find_starts(text))
    if not chain:
        whole = text.strip()
        return [f"1. {whole}"] if whole else []
    found = claims_before(text[: chain[0].at], chain[0].number)
    ends = [each.at for each in chain[1:]] + [len(text)]
    following = [each.again for each in chain[1:]] + [False]
    for start, end, again in zip(chain, ends, following, strict=True):
        body = text[start.end : end].strip()
        if again and "\n" in body and is_heading(body.rpartition("\n")[2]):
            body = body.rpartition("\n")[0].strip()
        found.append(f"{start.number}. {body}".strip())
    return found


def claims_before(text: str, number: int) -> list[str]:
    """The claims before the first number found: none for a heading, one if the numbers were lost."""
    rows = [row for row in text.split("\n") if row.strip() and not is_heading(row)]
    rest = "\n".join(rows).strip()
    if number == 1:
        return [rest] if len(rest) > LONGEST_HEADING else []
    misread = MISREAD_ONE.match(rest)
    return [f"1. {rest[misread.end() :] if misread else rest}"] if rest else []


def is_heading(row: str) -> bool:
    """Whether a line announces claims: `What is claimed is:`."""
    return len(row) <= LONGEST_HEADING and HEADING.search(SPACED.sub("", row)) is not None


def find_starts(text: str) -> list[Start]:
    """Every position where a claim may begin, in order, in the likeliest reading; none if there are too many."""
    found: dict[int, Start] = {}
    for match, weight in match_starts(text):
        place = match.start("number")
        if place not in found:
            found[place] = make_start(text, match, weight)
        if len(found) > MOST_STARTS:
            return []
    return [found[place] for place in sorted(found)]


def match_starts(text: str) -> Iterator[tuple[re.Match[str], float]]:
    """Everything that looks like the beginning of a claim, the likelier readings first."""
    for match in JAPANESE.finditer(text):
        yield match, 1.5
    line = 0
    while line >= 0:
        for weight, pattern in AT_LINE:
            if (at_line := pattern.match(text, line)) is not None:
                yield at_line, weight
                break
        line = text.find("\n", line) + 1 or -1
    for match in IN_LINE.finditer(text):
        weight = weigh_in_line(text, match)
        if weight > 0:
            yield match, weight
    if (first := FIRST.search(text, 0, LONGEST_HEADING)) is not None:
        yield first, RUN_ON


def weigh_in_line(text: str, match: re.Match[str]) -> float:
    """The weight of a number inside a line; 0 if it belongs to a figure."""
    kept, word, mark = match["kept"], match["word"], match["mark"]
    if not mark and not word:
        return 0.0
    if kept not in ".;:":
        return AFTER_FOOTER if mark and mark[0] == "." and not word else 0.0
    end = match.end("kept")
    return 0.0 if SHORT_FORM.search(text[max(0, end - 8) : end]) else RUN_ON


def make_start(text: str, match: re.Match[str], weight: float) -> Start:
    """The start found by a pattern."""
    number = int(match["number"].replace(" ", ""))
    bracket = (match["mark"] or "")[:1] in (")", "）")
    again = False
    if number == 1 and weight >= 1:
        before = text[max(0, match.start() - LONGEST_HEADING) : match.start()].rstrip().rpartition("\n")[2]
        again = is_heading(before)
    begin = match.end("kept") if match.re is IN_LINE else match.start()
    return Start(begin, match.end(), number, weight, bracket, again)


def heaviest_chain(found: Sequence[Start]) -> list[Start]:
    """The chain of ascending numbers with the greatest weight, minus the penalties.

    It begins with the first 1, so that steps within a claim are not claims; with 2 or 3 if that is lost.
    """
    first = next((each for each in found if each.number == 1 and each.weight >= RUN_ON), None)
    best: dict[tuple[int, bool], Link] = {}
    heavy: Link | None = None
    for each in found:
        begins = each is first if first is not None else 1 <= each.number <= 3
        ways = [*continuations(each, best)]
        if begins:
            ways.append((-GAP_PENALTY * (each.number - 1), None))
        if each.again and heavy is not None:
            ways.append((heavy.weight - NEW_SET_PENALTY, heavy))
        if not ways:
            continue
        weight, before = max(ways, key=lambda way: way[0])
        link = Link(weight + each.weight, each, before)
        key = each.number, each.bracket
        if key not in best or best[key].weight < link.weight:
            best[key] = link
        if heavy is None or heavy.weight < link.weight:
            heavy = link
    return chain_of(heavy) if heavy is not None and heavy.weight > 0 else []


def continuations(start: Start, best: dict[tuple[int, bool], Link]) -> Iterator[tuple[float, Link | None]]:
    """The chains that a start can continue, with their weights."""
    for step in range(1, LONGEST_JUMP + 1):
        if (link := best.get((start.number - step, start.bracket))) is not None:
            yield link.weight - GAP_PENALTY * (step - 1), link


def chain_of(link: Link | None) -> list[Start]:
    """The starts of a chain, given its last link."""
    found: list[Start] = []
    while link is not None:
        found.append(link.start)
        link = link.before
    return found[::-1]
