"""A document of a review as text for a terminal: what it is, and its best passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import printable_text, shown
from antecede.report.hit_text import BOLD, CLASSES, CLOSE, OPEN, STARS, UNLIMITED, clean_line, highlight, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.patent import Patent
    from antecede.review.session import NextDocument
    from antecede.search.passages import Passage


def render_document(
    document: NextDocument,
    patent: Patent | None,
    passages: Sequence[Passage] = (),
    *,
    width: int = 100,
    bold: bool = False,
) -> str:
    """One block: number, id, date, classes, title and passages; of a document without text its id and score."""
    before, after = BOLD if bold else STARS
    text = "\n".join(document_lines(document, patent, passages, width))
    return "\n" + printable_text(text).replace(OPEN, before).replace(CLOSE, after) + "\n"


def document_lines(
    document: NextDocument, patent: Patent | None, passages: Sequence[Passage], width: int
) -> Iterator[str]:
    """The lines of a document."""
    facts = [shown(document.doc_id, UNLIMITED)]
    if patent is not None:
        more = f" +{len(patent.ipc) - CLASSES}" if len(patent.ipc) > CLASSES else ""
        day = str(patent.publication_date) if patent.publication_date is not None else "no date"
        facts += [day, ", ".join(patent.ipc[:CLASSES]) + more or "no IPC"]
    score = f" {document.score:.4f}" if document.score is not None else ""
    facts.append(f"({document.shown_by}{score})")
    yield from wrap("  ".join(facts), width, f"{document.number:>3}. ")
    if patent is not None:
        yield from wrap(clean_line(next(iter(patent.title.values()), "")) or "(no title)", width)
    for passage in passages:
        yield from wrap(f"{passage.location}: {highlight(passage)}", width)
