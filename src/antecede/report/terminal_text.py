"""Patents, hits of a search and documents of a review as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from antecede.errors import printable, printable_text
from antecede.patent.fields import LANGUAGE, PEOPLE
from antecede.patent.record import FACTS
from antecede.search.hit_tables import QUOTED, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from antecede.patent import Citation, Patent
    from antecede.review.case import NextDocument
    from antecede.search.explain import Hit
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


def render_hits(result: SearchResult, *, width: int = 100, why: bool = True, bold: bool = False) -> str:
    """One block per hit: what it is, the contributions of its terms if `why`, and passages with words highlighted."""
    lines = _wrap(_clean_line(result.describe()), width, "", "  ")
    for hit in result.hits:
        lines += ["", *_render_hit(hit, width, why)]
    notes = [*result.notes, *filter(None, [result.coverage.filter_note()])]
    lines += ["", *(line for note in notes for line in _wrap(note, width, "", "  "))] if notes else []
    return _join(lines, bold)


def _join(lines: Iterable[str], bold: bool) -> str:
    before, after = BOLD if bold else STARS
    return printable_text("\n".join(lines)).replace(OPEN, before).replace(CLOSE, after) + "\n"


def _render_hit(hit: Hit, width: int, why: bool) -> Iterator[str]:
    facts = [f"{hit.score:.4f}", printable(hit.doc_id, UNLIMITED), hit.date_text or "no date", _list_classes(hit.ipc)]
    yield from _wrap("  ".join(facts), width, f"{hit.rank:>3}. ")
    yield from _wrap(_clean_line(hit.title) or "(no title)", width)
    if why and hit.features:
        yield from _wrap("evidence: " + _explain_evidence(hit), width)
    if why and hit.why:
        yield from _wrap(("terms: " if hit.features else "why: ") + _explain_score(hit), width)
    for passage in hit.passages:
        yield from _wrap(_quote(passage), width)
    for number, (claim, best) in enumerate(hit.claims, 1):
        quoted = shorten(_clean_line(claim[_number_end(claim, number) :]), QUOTED)
        answer = _quote(best) if best is not None else "no matching passage"
        yield from _wrap(f"for claim {number}, “{quoted}” → {answer}", width)


def _explain_evidence(hit: Hit) -> str:
    ordered = sorted(hit.features, key=lambda share: (-share.score, share.feature))
    parts = (f"{printable(one.feature)} {one.score:.2f} ({one.score / hit.score:.0%})" for one in ordered if one.score)
    return " · ".join(parts) or "none"


def _explain_score(hit: Hit) -> str:
    """The terms that contribute most, each with its contribution, and the total of the others."""
    named = hit.why[:MAX_REASONS]
    rest = hit.term_score - sum(share.score for share in named)
    left = len(hit.why) - len(named) + hit.more
    others = [f"{left} other{'s' if left > 1 else ''} {rest:.2f}"] if left else []
    # With negative contributions, the positive ones add up to more than 100 %, so no percentages are given.
    whole = hit.term_score if all(share.score > 0 for share in hit.why) else None
    terms = [
        f"{printable(share.name)} {share.score:.2f}" + (f" ({share.score / whole:.0%})" if whole else "")
        for share in named
    ]
    return " · ".join([*terms, *others])


def _list_classes(ipc: Sequence[str]) -> str:
    return ", ".join(ipc[:CLASSES]) + (f" +{len(ipc) - CLASSES}" if len(ipc) > CLASSES else "") or "no IPC"


def _quote(passage: Passage) -> str:
    """A passage in one line, where it stands first, its most important words between placeholders."""
    parts = [f"{passage.location}: "]
    end = _number_end(passage.text, passage.place) if passage.field == "claims" else 0
    for start, stop in passage.marks:
        parts += [_clean_line(passage.text[end:start]), OPEN, _clean_line(passage.text[start:stop]), CLOSE]
        end = stop
    return "".join([*parts, _clean_line(passage.text[end:])])


def _number_end(claim: str, number: int) -> int:
    """The position after the number of a claim, which is shown already."""
    match = re.match(rf"\s*{number}\s*[.)]\s*", claim)
    return match.end() if match else 0


def _clean_line(text: str) -> str:
    """A text from a patent, safe to print on one line of a terminal."""
    return printable(WHITE_SPACE.sub(" ", text.replace(OPEN, "").replace(CLOSE, "")), UNLIMITED)


def _wrap(text: str, width: int, first: str = INDENT, rest: str = INDENT + "  ") -> list[str]:
    """The text in indented lines of at most `width` characters, broken at blanks only: no number is cut."""
    return textwrap.wrap(
        text,
        max(width, MIN_WIDTH),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )


def render_document(
    document: NextDocument,
    patent: Patent | None,
    passages: Sequence[Passage] = (),
    *,
    title: str = "",
    width: int = 100,
    bold: bool = False,
) -> str:
    """One block: number, id, date, classes, title and passages; of a document without text its id, score and title."""
    facts = [printable(document.doc_id, UNLIMITED)]
    if patent is not None:
        facts += [str(patent.publication_date or "no date"), _list_classes(patent.ipc)]
    score = f" {document.score:.4f}" if document.score is not None else ""
    facts.append(f"({document.shown_by}{score})")
    if patent is not None:
        title = next(iter(patent.title.values()), "") or title or "(no title)"
    lines = _wrap("  ".join(facts), width, f"{document.number:>3}. ")
    for text in (*([_clean_line(title)] if title else []), *map(_quote, passages)):
        lines += _wrap(text, width)
    return "\n" + _join(lines, bold)


LANGUAGES = {"en": "English", "fr": "French", "de": "German", "ja": "Japanese", "": "language unknown"}
CLAIM_NUMBER = re.compile(r"\s*\d{1,4}\s*[.)]")
MAX_PARAGRAPHS = 6
"""Paragraphs of the description that are shown by default."""


def render_patent(
    patent: Patent, *, width: int = 100, whole: bool = False, languages: Iterable[str] | None = None
) -> str:
    """The patent as text; `whole` shows the complete description, `languages` restricts the texts to these."""
    wanted = frozenset(languages) if languages is not None else None
    lines = (*_render_facts(patent), *_render_texts(patent, wanted, whole), *_render_citations(patent.citations))
    # Broken at spaces only, so that no number is cut.
    wrapper = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    return "".join(wrapper.fill(line) + "\n" for text in lines for line in printable_text(text).split("\n"))


def _render_facts(patent: Patent) -> Iterator[str]:
    """Number, kinds and titles; dates, people and classes, as far as they are known."""
    yield f"{patent.doc_id} ({', '.join(patent.kinds)})" if patent.kinds else patent.doc_id
    for language in _sort_languages(patent.title, patent.language):
        yield f"{patent.title[language]}  [{language or '?'}]"
    yield ""
    for fact in FACTS:
        if fact.name != "kinds" and (values := fact.texts(patent)):
            text = ("; " if fact.codec is PEOPLE else ", ").join(values)
            text = LANGUAGES.get(text, text) if fact.codec is LANGUAGE else text
            yield f"{fact.label + ':':<11} {text}"
    for name, text in patent.original.items():
        yield f"{name}: {text}"


def _render_texts(patent: Patent, wanted: frozenset[str] | None, whole: bool) -> Iterator[str]:
    for language in _sort_languages(patent.abstract, patent.language, wanted):
        yield from ("", _format_title("Abstract", language), patent.abstract[language])
    for language in _sort_languages(patent.claims, patent.language, wanted):
        yield from ("", _format_title("Claims", language), *_number_claims(patent.claims[language]))
    for language in _sort_languages(patent.description, patent.language, wanted):
        paragraphs = patent.description[language].split("\n")
        listed = paragraphs if whole else paragraphs[:MAX_PARAGRAPHS]
        yield from ("", _format_title("Description", language), *listed)
        if len(listed) < len(paragraphs):
            yield f"… {len(paragraphs) - len(listed)} more paragraphs; show them with --whole"


def _render_citations(cited: Iterable[Citation]) -> Iterator[str]:
    """The cited documents with category and phase; a document cited in several phases has one line."""
    by_number: dict[str, list[Citation]] = {}
    for citation in cited:
        by_number.setdefault(str(citation.number), []).append(citation)
    if not by_number:
        return
    yield from ("", _format_title(f"Citations ({len(by_number)})"))
    for number, group in by_number.items():
        categories = ",".join(dict.fromkeys(citation.category for citation in group if citation.category))
        phases = ", ".join(dict.fromkeys(citation.phase for citation in group if citation.phase))
        yield f"{categories or '–':<4}{number:<22}{phases}".rstrip()


def _format_title(text: str, language: str | None = None) -> str:
    return f"── {text}" + (f", {LANGUAGES.get(language, language)}" if language is not None else "") + " ──"


def _number_claims(claims: tuple[str, ...]) -> Iterator[str]:
    """The claims with their own numbers, or else with their positions."""
    for place, claim in enumerate(claims, 1):
        yield (claim if CLAIM_NUMBER.match(claim) else f"{place}. {claim}").replace("\n", "\n  ")


def _sort_languages(texts: Mapping[str, object], own: str, wanted: frozenset[str] | None = None) -> list[str]:
    """The languages of the texts, the language of the patent first, restricted to those wanted."""
    chosen = [language for language in texts if wanted is None or language in wanted]
    return sorted(chosen, key=lambda language: (language != own, language))
