"""The claim chart of a case: features of claims, chosen documents, and the best passage in each cell unless edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import UsageError, shown
from antecede.patent.texts import FIELDS
from antecede.search.passages import chart_document, divide_text, split_features
from antecede.tables import Table
from antecede.web import answers
from antecede.web.requests import (
    LONGEST_FEATURE,
    MOST_CELLS,
    MOST_VALUES,
    CellRequest,
    ChartRequest,
    ClaimsRequest,
    Feature,
)
from antecede.web.workbench import OpenCase, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent
    from antecede.search.passages import Passage
    from antecede.tables import Value

MOST_DOCUMENTS = 6
"""Documents of a chart that nobody chose."""
WEAKEST = 0.25
"""The share of a feature's words below which a passage does not match, and its cell stays empty. On patents-large the
best passage of a document reaches it for 56 % of the features where the document is cited, and for 10 % where it was
drawn at random (38 % and 2 % on patents-abstract)."""
ORDER = {"X": 0, "Y": 1, "A": 2, None: 3}


@route("GET", "/chart", "chart")
def get_chart(case: OpenCase) -> answers.Chart:
    """The claim chart."""
    features, documents = chart_parts(case)
    edited = case.store.cells(case.id)
    texts = [feature.text for feature in features]
    cells = []
    for doc_id in documents:
        record = case.workbench.record(doc_id)
        passages = match_features(case, record, texts) if record is not None and texts else [None] * len(texts)
        for feature, passage in zip(features, passages, strict=True):
            cells.append(make_cell(feature.id or 0, doc_id, passage, edited.get((feature.id or 0, doc_id))))
    note = "" if documents else "Mark documents as relevant, or choose documents for the chart."
    if not features and not claims_of(case):
        only = " and ".join(name for name in FIELDS if getattr(case.topic, name))
        note = f"The application has no claims (only {only}); enter features, or add claims to the application."
    return answers.Chart(
        features=features,
        documents=[answers.DocumentName(**case.workbench.name_document(doc_id)) for doc_id in documents],
        cells=cells,
        chosen=bool(case.row.chart),
        claims=len(claims_of(case)),
        note=note,
    )


def make_cell(feature: int, doc_id: str, passage: Passage | None, own: str | None) -> answers.Cell:
    """A cell with the text that the user gave it, else with the best passage, if there is one."""
    best = passage if own is None else None
    marks = [(start, end, 0) for start, end in best.marks] if best is not None else []
    return answers.Cell(
        feature=feature,
        doc_id=doc_id,
        text=best.text if best is not None else own or "",
        location=best.location if best is not None else "",
        runs=divide_text(best.text, marks) if best is not None else [own] if own else [],
        strength=best.coverage if best is not None else None,
        edited=own is not None,
    )


def chart_parts(case: OpenCase) -> tuple[list[Feature], list[str]]:
    """The features and documents of the chart: those that were chosen, else those of claim 1 and of the marks."""
    chosen = case.row.chart.get("features")
    if chosen is None:
        claims = claims_of(case)
        features = make_features(claims, [1])[:MOST_VALUES] if claims else []
    else:
        features = [Feature(**feature) for feature in chosen]
    documents = case.row.chart.get("documents")
    if documents is None:  # those marked relevant, X before Y before A, then maybe
        wanted = [mark for mark in case.marks.current.values() if mark.relevance != "not"]
        wanted.sort(key=lambda mark: (mark.relevance != "relevant", ORDER.get(mark.category, 3)))
        documents = [mark.doc_id for mark in wanted[:MOST_DOCUMENTS]]
    return features, documents


def make_features(claims: Sequence[str], chosen: Sequence[int]) -> list[Feature]:
    texts = [(number, text[:LONGEST_FEATURE]) for number in chosen for text in split_features(claims[number - 1])]
    return [Feature(id=at, claim=number, text=text) for at, (number, text) in enumerate(texts, 1)]


def claims_of(case: OpenCase) -> Sequence[str]:
    return case.topic.claims.get(language_of(case), ())


def language_of(case: OpenCase) -> str:
    """The language of the claims that a chart is about: that of the application, if the index has it."""
    claims, language = case.topic.claims, case.topic.language
    available = [each for each in claims if each in case.index.languages] or list(claims)
    return language if language in available else next(iter(available), language)


def match_claims(case: OpenCase, patent: Patent) -> list[answers.ClaimMatch | None]:
    """Where a document comes closest to each claim of the application, and how close."""
    matches: list[answers.ClaimMatch | None] = []
    for best in match_features(case, patent, claims_of(case)):
        place = {name: getattr(best, name) for name in ("location", "field", "place")} if best is not None else {}
        matches.append(answers.ClaimMatch(**place, strength=best.coverage) if best is not None else None)
    return matches


def match_features(case: OpenCase, patent: Patent, texts: Sequence[str]) -> list[Passage | None]:
    """The best passage of a document for each feature or claim of the application; None where it is too weak."""
    language = language_of(case)
    searched = language if language in case.index.languages else next(iter(case.index.languages), "")
    passages = chart_document(case.index, patent, texts, searched)
    return [passage if passage is not None and passage.coverage >= WEAKEST else None for passage in passages]


@route("PUT", "/chart", "chart", long=True)
def put_chart(asked: ChartRequest, case: OpenCase) -> answers.Chart:
    """Set the features and documents of the chart."""
    unknown = [each for each in asked.documents if not len(case.index.numbers_of(each))]
    if unknown:
        raise UsageError(f"document {shown(unknown[0])}: is not in the index")
    if len({*asked.documents}) < len(asked.documents):
        raise UsageError("a document occurs twice in the chart")
    known = {feature.id for feature in chart_parts(case)[0]}  # their edited cells are kept
    used = [feature.id for feature in asked.features if feature.id is not None]
    if len({*used}) < len(used) or not {*used} <= known:
        raise UsageError("a feature has an id that is unknown or occurs twice; leave the id out for a new one")
    return store_chart(case, asked.features, asked.documents)


@route("POST", "/chart/features", "chart", long=True)
def post_features(asked: ClaimsRequest, case: OpenCase) -> answers.Chart:
    """Set the claims of the chart; features that it had of them stay as they are, and so do the searcher's own."""
    claims = claims_of(case)
    wrong = next((each for each in asked.claims if not 1 <= each <= len(claims)), None)
    if wrong is not None:
        raise UsageError(f"there is no claim {wrong}; the application has {len(claims)}")
    old, documents = chart_parts(case)
    added = sorted({*asked.claims} - {feature.claim for feature in old})
    new = [feature.model_copy(update={"id": None}) for feature in make_features(claims, added)]
    kept = [feature for feature in old if feature.claim is None or feature.claim in asked.claims]
    features = sorted([*kept, *new], key=lambda feature: feature.claim or len(claims) + 1)
    if len(features) > MOST_VALUES or len(features) * len(documents) > MOST_CELLS:
        raise UsageError(f"the claims have {len(features)} features, too many for a chart; choose fewer")
    return store_chart(case, features, documents)


@route("PUT", "/chart/cell", "chart", long=True)
def put_cell(asked: CellRequest, case: OpenCase) -> answers.Chart:
    """Set the text of a cell of the chart."""
    features, documents = chart_parts(case)
    if asked.feature not in {feature.id for feature in features} or asked.doc_id not in documents:
        raise UsageError("the chart has no such cell")
    case.store.put_cell(case.id, asked.feature, asked.doc_id, asked.text)
    return get_chart(case)


def store_chart(case: OpenCase, features: list[Feature], documents: Sequence[str]) -> answers.Chart:
    """Store the features and documents of the chart, new features with new ids; returns it with its cells."""
    used = [feature.id for feature in (*features, *chart_parts(case)[0]) if feature.id is not None]
    following = max([*used, *(feature for feature, _ in case.store.cells(case.id))], default=0)
    for feature in features:
        if feature.id is None:
            following += 1
            feature.id = following
    chart = {"features": [feature.model_dump() for feature in features], "documents": list(documents)}
    case.store.change_case(case.id, chart=chart)
    return get_chart(case.again())


def chart_table(chart: answers.Chart, title: str) -> Table:
    """The chart as a table: one row per feature, one column per document."""
    cells = {(cell.feature, cell.doc_id): cell for cell in chart.cells}
    rows: list[tuple[Value, ...]] = []
    for feature in chart.features:
        row: list[Value] = [feature.claim, feature.text]
        for document in chart.documents:
            cell = cells[feature.id or 0, document.doc_id]
            place = f"{cell.location} ({100 * cell.strength:.0f} %): " if cell.strength is not None else ""
            row.append(place + cell.text or None)
        rows.append(tuple(row))
    columns = ("claim", "feature", *(document.doc_id for document in chart.documents))
    return Table(columns, tuple(rows), title=title)
