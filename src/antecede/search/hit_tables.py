"""The hits of a search as tables: a short one for a terminal, and one with everything that was asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.patent.bibliography import BETWEEN
from antecede.patent.links import espacenet_link, google_link
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.conditions.filters import Filters
    from antecede.search.explain import Hit
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult
    from antecede.tables import Value

NARROWEST = 20
"""Characters of a title that are shown in the narrowest window."""
QUOTED = 100
"""Characters of a claim, or of the topic's title, that are quoted."""
COLUMNS = ("rank", "score", "patent", "date", "title", "IPC")
"""The columns of every table, and of one without hits."""
NAMED_FEATURES = 2
"""Features of a ranking that a headline names; one more is named too, as that is not longer."""
PAGES = ("Espacenet", "Google Patents")

Cells = dict[str, "Value"]
"""Column → value, in the order of the columns."""


def hits_table(result: SearchResult, width: int | None = None) -> Table:
    """One row per hit, with `claims` one per hit and claim of the topic.

    Where a width is given, the table is for a terminal: classes are counted after the first, titles are shortened so
    that a row fits. Otherwise lists are whole, and reasons, passages and claims have columns if they were asked for.
    Programs get all bibliographic data, too, as far as it was looked up.
    """
    notes, title = (*filter(None, (*result.notes, result.coverage.filter_note())),), result.describe()
    if width is not None:
        rows = [(hit.rank, hit.score, hit.doc_id, hit.date_text, hit.title, _first_class(hit)) for hit in result.hits]
        others = Table(COLUMNS, tuple((*row[:4], "", row[5]) for row in rows)).render("text").splitlines()
        room = max(width - max(map(len, others)) + len("title"), NARROWEST)
        short = tuple((*row[:4], shorten(row[4], room), row[5]) for row in rows)
        return Table(COLUMNS, short, title=title, notes=notes)
    table = _make_table(result, complete=False)
    hits = (hit for hit in result.hits for _ in range(len(hit.claims) if result.claims else 1))
    links = {
        (row, COLUMNS.index("patent")): links_of_hit for row, hit in enumerate(hits) if (links_of_hit := addresses(hit))
    }
    complete = _make_table(result, complete=True)
    pages = {
        (row, complete.columns.index(name)): {name: address}
        for (row, _), links_of_hit in links.items()
        for name, address in links_of_hit.items()
    }
    complete = replace(complete, title=title, notes=notes, links=pages)
    return replace(table, title=title, notes=notes, links=links, complete=complete)


def _make_table(result: SearchResult, *, complete: bool) -> Table:
    """The rows as cells under their columns; every row has the same columns, those of the hit that has most."""
    rows: list[Cells] = []
    for hit in result.hits:
        cells: Cells = {
            "rank": hit.rank,
            "score": hit.score,
            "patent": hit.doc_id,
            "date": hit.date_text,
            "title": hit.title,
            "IPC": BETWEEN.join(hit.ipc) or None,
        }
        if hit.bibliography is not None and complete:
            cells |= hit.bibliography.cells
            cells |= {page: addresses(hit).get(page) for page in PAGES}
        if result.explain and any(each.features for each in result.hits):
            cells["evidence"] = BETWEEN.join(f"{each.feature} {each.score:.6g}" for each in hit.features) or None
        if result.explain:
            cells["why"] = BETWEEN.join(f"{share.name} {share.score:.6g}" for share in hit.why) or None
        for number in range(1, result.passages + 1):
            passage = hit.passages[number - 1] if number <= len(hit.passages) else None
            cells |= _passage_cells(f"passage {number}", passage, complete=complete)
        if not result.claims:
            rows.append(cells)
        for number, (claim, passage) in enumerate(hit.claims, 1):  # a row of a claim chart: the passage that fits best
            best = _passage_cells("best passage", passage, complete=complete)
            rows.append(cells | {"claim": number, "claim text": _one_line(claim)} | best)
    columns = tuple(dict.fromkeys(name for cells in rows for name in cells)) or COLUMNS
    return Table(columns, tuple(tuple(cells.get(name) for name in columns) for cells in rows))


def addresses(hit: Hit) -> dict[str, str]:
    data = hit.bibliography
    if data is None or data.number is None:
        return {}
    return dict(zip(PAGES, (link(data.number, data.kinds) for link in (espacenet_link, google_link)), strict=True))


def _passage_cells(name: str, passage: Passage | None, *, complete: bool) -> Cells:
    """A passage and its place, in one column for people, where the number of a claim is said once."""
    columns = (f"{name} place", name, f"{name} score") if complete else (name,)
    if passage is None:
        return dict.fromkeys(columns)
    text = _one_line(passage.text)
    if complete:
        return dict(zip(columns, (passage.location, text, passage.score), strict=True))
    number = rf"^{passage.place}\s*[.)]\s*" if passage.field == "claims" else ""
    return {name: f"{passage.location}: {re.sub(number, '', text, count=1)}"}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _first_class(hit: Hit) -> str | None:
    return f"{hit.ipc[0]} +{len(hit.ipc) - 1}" if len(hit.ipc) > 1 else next(iter(hit.ipc), None)


def shorten(text: str, longest: int) -> str:
    """A text shortened to so many characters, at a blank if one is near."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > longest * 2 // 3 else cut).rstrip() + "…"


def shorten_model(model: str) -> str:
    """A model for a headline: of many features the first two, and how many more; `--explain` shows each of them.

    >>> shorten_model("bm25 + jelinek_mercer + cosine + classes")
    'bm25 + jelinek_mercer + 2 more features'
    """
    names = model.split(" + ")
    if len(names) <= NAMED_FEATURES + 1:
        return model
    return " + ".join([*names[:NAMED_FEATURES], f"{len(names) - NAMED_FEATURES} more features"])


def describe_filters(filters: Filters) -> list[str]:
    """The conditions that a user set, in words."""
    return [condition.said for condition in filters.conditions if condition.said]
