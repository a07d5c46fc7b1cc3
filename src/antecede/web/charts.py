"""The claim chart of a case: features of claims, chosen documents, and the best passage in each cell unless edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.query.topic import FIELDS
from antecede.search.passages import chart_document, divide_text, split_features
from antecede.tables import Table
from antecede.web.requests import LONGEST_FEATURE, MOST_CELLS, MOST_VALUES
from antecede.web.workbench import read_patent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent
    from antecede.review.store import CaseRow
    from antecede.search.passages import Passage
    from antecede.tables import Value
    from antecede.web.requests import CellRequest, ChartRequest
    from antecede.web.workbench import Workbench

MOST_DOCUMENTS = 6
"""Documents of a chart that nobody chose."""
WEAKEST = 0.25
"""The share of a feature's words below which a passage does not match, and its cell stays empty. On patents-large the
best passage of a document reaches it for 56 % of the features where the document is cited, and for 10 % where it was
drawn at random (38 % and 2 % on patents-abstract)."""
EMPTY: dict[str, Any] = {"text": "", "location": "", "runs": [], "strength": None}
ORDER = {"X": 0, "Y": 1, "A": 2, None: 3}


def language_of(workbench: Workbench, patent: Patent) -> str:
    """The language of the claims that a chart is about: that of the patent, if the index has it."""
    available = [each for each in patent.claims if each in workbench.index.languages] or list(patent.claims)
    return patent.language if patent.language in available else next(iter(available), patent.language)


def claims_of(workbench: Workbench, topic: Patent) -> Sequence[str]:
    return topic.claims.get(language_of(workbench, topic), ())


def make_features(claims: Sequence[str], chosen: Sequence[int]) -> list[dict[str, Any]]:
    """The features of some claims, numbered."""
    texts = [(number, text[:LONGEST_FEATURE]) for number in chosen for text in split_features(claims[number - 1])]
    return [{"id": at, "claim": number, "text": text} for at, (number, text) in enumerate(texts, 1)]


def chart_parts(workbench: Workbench, case: CaseRow) -> tuple[list[dict[str, Any]], list[str]]:
    """The features and documents of the chart: those that were chosen, else those of claim 1 and of the marks."""
    features = case.chart.get("features")
    if features is None:
        claims = claims_of(workbench, read_patent(case.topic))
        features = make_features(claims, [1])[:MOST_VALUES] if claims else []
    documents = case.chart.get("documents")
    if documents is None:  # those marked relevant, X before Y before A, then maybe
        wanted = [mark for mark in workbench.store.marks(case).current.values() if mark.relevance != "not"]
        wanted.sort(key=lambda mark: (mark.relevance != "relevant", ORDER.get(mark.category, 3)))
        documents = [mark.doc_id for mark in wanted[:MOST_DOCUMENTS]]
    return features, documents


def view_chart(workbench: Workbench, case: CaseRow) -> dict[str, Any]:
    """The chart with all its cells."""
    features, documents = chart_parts(workbench, case)
    patent = read_patent(case.topic)
    edited = workbench.store.cells(case.id)
    cells = []
    for doc_id in documents:
        found = {each["id"]: EMPTY for each in features}
        record = workbench.record(doc_id)
        if record is not None and features:
            passages = match_features(workbench, record, patent, [each["text"] for each in features])
            for feature, passage in zip(features, passages, strict=True):
                if passage is not None:
                    found[feature["id"]] = {
                        "text": passage.text,
                        "location": passage.location,
                        "runs": divide_text(passage.text, [(start, end, 0) for start, end in passage.marks]),
                        "strength": passage.coverage,
                    }
        for feature in features:
            own = edited.get((feature["id"], doc_id))
            cell = found[feature["id"]] if own is None else {**EMPTY, "text": own, "runs": [own] if own else []}
            cells.append({"feature": feature["id"], "doc_id": doc_id, **cell, "edited": own is not None})
    note = "" if documents else "Mark documents as relevant, or choose documents for the chart."
    if not features and not claims_of(workbench, patent):
        texts = " and ".join(name for name in FIELDS if getattr(patent, name))
        note = f"The application has no claims (only {texts}); enter features, or add claims to the application."
    return {
        "features": features,
        "documents": [workbench.name_document(doc_id) for doc_id in documents],
        "cells": cells,
        "chosen": bool(case.chart),
        "claims": len(claims_of(workbench, patent)),
        "note": note,
    }


def match_claims(workbench: Workbench, case: CaseRow, patent: Patent) -> list[dict[str, Any] | None]:
    """Where a document comes closest to each claim of the application, and how close."""
    topic = read_patent(case.topic)
    passages = match_features(workbench, patent, topic, claims_of(workbench, topic))
    names = ("location", "field", "place")
    return [
        None if passage is None else {**{name: getattr(passage, name) for name in names}, "strength": passage.coverage}
        for passage in passages
    ]


def match_features(workbench: Workbench, patent: Patent, topic: Patent, texts: Sequence[str]) -> list[Passage | None]:
    """The best passage of a document for each feature or claim of the topic; None where it is too weak."""
    index, language = workbench.index, language_of(workbench, topic)
    searched = language if language in index.languages else next(iter(index.languages), "")
    passages = chart_document(index, patent, texts, searched)
    return [passage if passage is not None and passage.coverage >= WEAKEST else None for passage in passages]


def change_chart(workbench: Workbench, case: CaseRow, asked: ChartRequest) -> dict[str, Any]:
    """Set the features and documents of the chart; features with an id that is known keep their edited cells."""
    unknown = [each for each in asked.documents if not workbench.index.find_all(each)]
    if unknown:
        raise UsageError(f"document {shown(unknown[0])}: is not in the index")
    if len({*asked.documents}) < len(asked.documents):
        raise UsageError("a document occurs twice in the chart")
    features, _ = chart_parts(workbench, case)
    known = {each["id"] for each in features}
    used = [each.id for each in asked.features if each.id is not None]
    if len({*used}) < len(used) or not {*used} <= known:
        raise UsageError("a feature has an id that is unknown or occurs twice; leave the id out for a new one")
    return store_chart(workbench, case, [each.model_dump() for each in asked.features], asked.documents)


def store_chart(
    workbench: Workbench, case: CaseRow, features: list[dict[str, Any]], documents: Sequence[str]
) -> dict[str, Any]:
    """Store the features and documents of the chart, new features with new ids; returns it with its cells."""
    used = [each["id"] for each in (*features, *chart_parts(workbench, case)[0]) if each["id"] is not None]
    following = max([*used, *(feature for feature, _ in workbench.store.cells(case.id))], default=0)
    for feature in features:
        if feature["id"] is None:
            following += 1
            feature["id"] = following
    workbench.store.change_case(case.id, chart={"features": features, "documents": list(documents)})
    return view_chart(workbench, workbench.store.case(case.id))


def choose_claims(workbench: Workbench, case: CaseRow, chosen: Sequence[int]) -> dict[str, Any]:
    """Set the claims of the chart; features that it had of them stay as they are, and so do the searcher's own."""
    claims = claims_of(workbench, read_patent(case.topic))
    wrong = next((each for each in chosen if not 1 <= each <= len(claims)), None)
    if wrong is not None:
        raise UsageError(f"there is no claim {wrong}; the application has {len(claims)}")
    old, documents = chart_parts(workbench, case)
    added = sorted({*chosen} - {each["claim"] for each in old})
    new = [{**each, "id": None} for each in make_features(claims, added)]
    kept = [each for each in old if each["claim"] is None or each["claim"] in chosen]
    features = sorted([*kept, *new], key=lambda each: each["claim"] or len(claims) + 1)
    if len(features) > MOST_VALUES or len(features) * len(documents) > MOST_CELLS:
        raise UsageError(f"the claims have {len(features)} features, too many for a chart; choose fewer")
    return store_chart(workbench, case, features, documents)


def change_cell(workbench: Workbench, case: CaseRow, asked: CellRequest) -> dict[str, Any]:
    """Set the text of a cell; None restores the best passage."""
    features, documents = chart_parts(workbench, case)
    if asked.feature not in {each["id"] for each in features} or asked.doc_id not in documents:
        raise UsageError("the chart has no such cell")
    workbench.store.put_cell(case.id, asked.feature, asked.doc_id, asked.text)
    return view_chart(workbench, case)


def chart_table(chart: dict[str, Any], title: str) -> Table:
    """The chart as a table: one row per feature, one column per document."""
    cells = {(each["feature"], each["doc_id"]): each for each in chart["cells"]}
    rows: list[tuple[Value, ...]] = []
    for feature in chart["features"]:
        row: list[Value] = [feature["claim"], feature["text"]]
        for document in chart["documents"]:
            cell = cells[feature["id"], document["doc_id"]]
            place = f"{cell['location']} ({100 * cell['strength']:.0f} %): " if cell["location"] else ""
            row.append(place + cell["text"] or None)
        rows.append(tuple(row))
    columns = ("claim", "feature", *(each["doc_id"] for each in chart["documents"]))
    return Table(columns, tuple(rows), title=title)
