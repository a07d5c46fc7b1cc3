"""What a search found, as a list for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.search.found import Found, Hit

NARROWEST = 20
"""Signs of a title that are shown on the narrowest window."""
CLAIM = 100
"""Signs of a claim, or of the topic's title, that are quoted."""


def hits_table(found: Found, width: int | None = None) -> Table:
    """A row a hit. Titles are cut so that a row fits into `width` signs, where one is given."""
    columns = ("rank", "score", "patent", "date", "title", "IPC")
    rows = [(hit.rank, hit.score, hit.doc_id, hit.date, hit.title, classes(hit)) for hit in found.hits]
    if width is not None:
        others = Table(columns, tuple((*row[:4], "", row[5]) for row in rows)).render("text").splitlines()
        room = max(width - max(map(len, others)) + len("title"), NARROWEST)
        rows = [(*row[:4], shortened(row[4], room), row[5]) for row in rows]
    return Table(columns, tuple(rows), title=heading(found), notes=found.notes)


def heading(found: Found) -> str:
    """What was asked, in a line."""
    title = f" “{shortened(found.title, CLAIM)}”" if found.title else ""
    about = f"Prior art of {found.topic}{title}" if found.topic is not None else "Found"
    limits = [
        *([f"before {found.filters.before}"] if found.filters.before is not None else []),
        *([f"in {' or '.join(found.filters.ipc)}"] if found.filters.ipc else []),
        *([f"from {' or '.join(found.filters.countries)}"] if found.filters.countries else []),
    ]
    number = sum(map(len, found.queries))
    terms = f"{number} term{'s' if number != 1 else ''}"
    languages = " + ".join(query.language or "unknown language" for query in found.queries)
    how = f"{found.query.method}, {terms}, {languages}, {found.model}"
    return f"{' '.join([about, *limits])} ({how}): {len(found)} of {found.allowed} documents"


def classes(hit: Hit) -> str | None:
    """The first class, and how many more there are."""
    if not hit.ipc:
        return None
    return f"{hit.ipc[0]} +{len(hit.ipc) - 1}" if len(hit.ipc) > 1 else hit.ipc[0]


def shortened(text: str, longest: int) -> str:
    """A text cut to so many signs, at a blank if one is near."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > longest * 2 // 3 else cut).rstrip() + "…"
