"""What a search found, for people: a block a hit with its reasons and passages."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from antecede.errors import printable_text, shown
from antecede.search.found_list import CLAIM, heading, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.search import Found, Hit, Passage, Share

INDENT = "     "
REASONS = 12
WHOLE = 10**6
BLANKS = re.compile(r"\s+")
OPEN, CLOSE = "\N{WORD JOINER}", "\N{ZERO WIDTH NON-JOINER}"
"""Signs without width that stand for the marks until lines are broken."""
PLAIN, BOLD = ("*", "*"), ("\x1b[1m", "\x1b[0m")
"""What marks a word: stars in plain text, bold letters on a terminal."""


def hits_page(found: Found, *, width: int = 100, why: bool = True, bold: bool = False) -> str:
    """A block a hit: what it is, which terms count how much if `why`, its passages with the words marked."""
    lines = textwrap.wrap(clean(heading(found)), max(width, 40), subsequent_indent="  ")
    for hit in found.hits:
        lines += ["", *block(hit, width, why)]
    lines += ["", *found.notes] if found.notes else []
    before, behind = BOLD if bold else PLAIN
    return printable_text("\n".join(lines)).replace(OPEN, before).replace(CLOSE, behind) + "\n"


def block(hit: Hit, width: int, why: bool) -> Iterator[str]:
    """The lines of a hit."""
    facts = [f"{hit.score:.4f}", shown(hit.doc_id), hit.date or "no date", ", ".join(hit.ipc[:4]) or "no IPC"]
    yield f"{hit.rank:>3}. {'  '.join(facts)}"
    yield from wrapped(clean(hit.title) or "(no title)", width)
    if why and hit.why:
        yield from wrapped("why: " + reasons(hit), width)
    for passage in hit.passages:
        yield from wrapped(f"{where(passage)}: {marked(passage)}", width)
    for number, (claim, best) in enumerate(hit.claims, 1):
        quoted = shortened(clean(claim[number_end(claim, number) :]), CLAIM)
        told = f"{where(best)}: {marked(best)}" if best is not None else "nothing of it"
        yield from wrapped(f"for claim {number}, “{quoted}” → {told}", width)


def reasons(hit: Hit) -> str:
    """The terms that count most, each with its share, and what the others add."""
    named = hit.why[:REASONS]
    rest = hit.score - sum(share.score for share in named)
    left = len(hit.why) - len(named) + hit.more
    others = [f"{left} other{'s' if left > 1 else ''} {rest:.2f}"] if left else []
    # Where something counts against the document, the others make up more than the whole.
    whole = hit.score if all(share.score > 0 for share in hit.why) else None
    return " · ".join([*(reason(share, whole) for share in named), *others])


def reason(share: Share, whole: float | None) -> str:
    """One term with what it adds, and its share of the whole."""
    name = shown(share.term) if share.term is not None else "(the document's length)"
    return f"{name} {share.score:.2f}" + (f" ({share.score / whole:.0%})" if whole else "")


def where(passage: Passage) -> str:
    """Where a passage stands."""
    if passage.field in ("abstract", "title"):
        return passage.field
    return f"claim {passage.place}" if passage.field == "claims" else f"{passage.field}, paragraph {passage.place}"


def marked(passage: Passage) -> str:
    """The text of a passage in one line, the words that count most between marks."""
    parts: list[str] = []
    end = number_end(passage.text, passage.place) if passage.field == "claims" else 0
    for start, stop in passage.marks:
        parts += [clean(passage.text[end:start]), OPEN, clean(passage.text[start:stop]), CLOSE]
        end = stop
    return "".join([*parts, clean(passage.text[end:])])


def number_end(claim: str, number: int) -> int:
    """Where a claim begins behind its number, which is told already."""
    found = re.match(rf"\s*{number}\s*[.)]\s*", claim)
    return found.end() if found else 0


def clean(text: str) -> str:
    """Somebody else's text, safe to print in a line."""
    return shown(BLANKS.sub(" ", text.replace(OPEN, "").replace(CLOSE, "")), WHOLE)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of so many signs, set in."""
    return textwrap.wrap(
        text, max(width, 40), initial_indent=INDENT, subsequent_indent=INDENT + "  ", break_on_hyphens=False
    )
