"""The hits of a search as text for a terminal: one block per hit, with its reasons and passages."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from antecede.errors import printable_text, shown
from antecede.search.hit_tables import QUOTED, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.search.explain import Hit, Share
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult

INDENT = "     "
MIN_WIDTH = 40
MAX_REASONS = 12
CLASSES = 4
"""IPC codes that are named; the others are counted."""
UNLIMITED = 10**6
WHITE_SPACE = re.compile(r"\s+")
OPEN, CLOSE = "\N{WORD JOINER}", "\N{ZERO WIDTH NON-JOINER}"
"""Zero-width placeholders for the highlighting while lines are wrapped."""
STARS, BOLD = ("*", "*"), ("\x1b[1m", "\x1b[0m")
"""Highlighting of a word: asterisks in plain text, bold on a terminal."""


def render_hits(found: SearchResult, *, width: int = 100, why: bool = True, bold: bool = False) -> str:
    """One block per hit: what it is, the contributions of its terms if `why`, and passages with words highlighted."""
    lines = wrap(clean_line(found.describe()), width, "", "  ")
    for hit in found.hits:
        lines += ["", *render_hit(hit, width, why)]
    notes = [*found.notes, *filter(None, [found.coverage.filter_note()])]
    lines += ["", *(line for note in notes for line in wrap(note, width, "", "  "))] if notes else []
    before, after = BOLD if bold else STARS
    return printable_text("\n".join(lines)).replace(OPEN, before).replace(CLOSE, after) + "\n"


def render_hit(hit: Hit, width: int, why: bool) -> Iterator[str]:
    """The lines of a hit."""
    more = f" +{len(hit.ipc) - CLASSES}" if len(hit.ipc) > CLASSES else ""
    classes = ", ".join(hit.ipc[:CLASSES]) + more or "no IPC"
    facts = [f"{hit.score:.4f}", shown(hit.doc_id, UNLIMITED), hit.date_text or "no date", classes]
    yield from wrap("  ".join(facts), width, f"{hit.rank:>3}. ")
    yield from wrap(clean_line(hit.title) or "(no title)", width)
    if why and hit.features:
        yield from wrap("evidence: " + explain_evidence(hit), width)
    if why and hit.why:
        yield from wrap(("terms: " if hit.features else "why: ") + explain_score(hit), width)
    for passage in hit.passages:
        yield from wrap(f"{passage.location}: {highlight(passage)}", width)
    for number, (claim, best) in enumerate(hit.claims, 1):
        quoted = shorten(clean_line(claim[number_end(claim, number) :]), QUOTED)
        answer = f"{best.location}: {highlight(best)}" if best is not None else "no matching passage"
        yield from wrap(f"for claim {number}, “{quoted}” → {answer}", width)


def explain_evidence(hit: Hit) -> str:
    """The features of a ranking by evidence, each with its contribution, the largest first."""
    order = sorted(hit.features, key=lambda each: (-each.score, each.feature))
    parts = (f"{shown(each.feature)} {each.score:.2f} ({each.score / hit.score:.0%})" for each in order if each.score)
    return " · ".join(parts) or "none"


def explain_score(hit: Hit) -> str:
    """The terms that contribute most, each with its contribution, and the total of the others."""
    named = hit.why[:MAX_REASONS]
    rest = hit.term_score - sum(share.score for share in named)
    left = len(hit.why) - len(named) + hit.more
    others = [f"{left} other{'s' if left > 1 else ''} {rest:.2f}"] if left else []
    # With negative contributions, the positive ones add up to more than 100 %, so no percentages are given.
    whole = hit.term_score if all(share.score > 0 for share in hit.why) else None
    return " · ".join([*(format_contribution(share, whole) for share in named), *others])


def format_contribution(share: Share, whole: float | None) -> str:
    """A term with its contribution, in percent of the whole where that is given."""
    return f"{shown(share.name)} {share.score:.2f}" + (f" ({share.score / whole:.0%})" if whole else "")


def highlight(passage: Passage) -> str:
    """The text of a passage in one line, its most important words between placeholders."""
    parts: list[str] = []
    end = number_end(passage.text, passage.place) if passage.field == "claims" else 0
    for start, stop in passage.marks:
        parts += [clean_line(passage.text[end:start]), OPEN, clean_line(passage.text[start:stop]), CLOSE]
        end = stop
    return "".join([*parts, clean_line(passage.text[end:])])


def number_end(claim: str, number: int) -> int:
    """The position after the number of a claim, which is shown already."""
    found = re.match(rf"\s*{number}\s*[.)]\s*", claim)
    return found.end() if found else 0


def clean_line(text: str) -> str:
    """A text from a patent, safe to print on one line of a terminal."""
    return shown(WHITE_SPACE.sub(" ", text.replace(OPEN, "").replace(CLOSE, "")), UNLIMITED)


def wrap(text: str, width: int, first: str = INDENT, rest: str = INDENT + "  ") -> list[str]:
    """The text in indented lines of at most `width` characters, broken at blanks only: no number is cut."""
    return textwrap.wrap(
        text,
        max(width, MIN_WIDTH),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
