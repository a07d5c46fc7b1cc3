"""The claim chart of a case: features of claims, chosen documents, and the best passage in each cell unless edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import UsageError, printable
from antecede.patent.texts import FIELDS
from antecede.review import views
from antecede.review.records import LONGEST_FEATURE, MOST_VALUES, Feature
from antecede.search.passages import chart_document, divide_text, split_features
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent
    from antecede.review.case import Review
    from antecede.search.passages import Passage
    from antecede.tables import Value

MOST_CELLS = 1000
"""Cells of a claim chart; the best passage is looked for in each."""
MOST_DOCUMENTS = 50
USUAL_DOCUMENTS = 6
"""Documents of a chart that nobody chose."""
WEAKEST = 0.25
"""The share of a feature's words below which a passage does not match, and its cell stays empty. On patents-large the
best passage of a document reaches it for 56 % of the features where the document is cited, and for 10 % where it was
drawn at random (38 % and 2 % on patents-abstract)."""
ORDER = {"X": 0, "Y": 1, "A": 2, None: 3}


def make_chart(review: Review) -> views.Chart:
    """The claim chart."""
    features, documents = chart_parts(review)
    edited = review.store.cells(review.id)
    changes = {(change.kind, change.key): change.version for change in review.store.changes(review.id)}
    texts = [feature.text for feature in features]
    cells = []
    for doc_id in documents:
        record = review.workbench.record(doc_id)
        passages = match_features(review, record, texts) if record is not None and texts else [None] * len(texts)
        for feature, passage in zip(features, passages, strict=True):
            number = feature.id or 0
            version = changes.get(("cell", f"{number} {doc_id}"), 0)
            cells.append(make_cell(number, doc_id, passage, edited.get((number, doc_id)), version))
    note = "" if documents else "Mark documents as relevant, or choose documents for the chart."
    if not features and not claims_of(review):
        only = " and ".join(name for name in FIELDS if getattr(review.topic, name))
        note = f"The application has no claims (only {only}); enter features, or add claims to the application."
    return views.Chart(
        features=features,
        documents=[views.DocumentName(**review.workbench.name_document(doc_id)) for doc_id in documents],
        cells=cells,
        chosen=bool(review.case.chart),
        claims=len(claims_of(review)),
        note=note,
        version=changes.get(("chart", ""), 0),
    )


def make_cell(feature: int, doc_id: str, passage: Passage | None, own: str | None, version: int) -> views.Cell:
    """A cell with the text that the user gave it, else with the best passage, if there is one."""
    best = passage if own is None else None
    marks = [(start, end, 0) for start, end in best.marks] if best is not None else []
    return views.Cell(
        feature=feature,
        doc_id=doc_id,
        text=best.text if best is not None else own or "",
        location=best.location if best is not None else "",
        runs=divide_text(best.text, marks) if best is not None else [own] if own else [],
        strength=best.coverage if best is not None else None,
        edited=own is not None,
        version=version,
    )


def chart_parts(review: Review) -> tuple[list[Feature], list[str]]:
    """The features and documents of the chart: those that were chosen, else those of claim 1 and of the marks."""
    chosen = review.case.chart.get("features")
    if chosen is None:
        claims = claims_of(review)
        features = make_features(claims, [1])[:MOST_VALUES] if claims else []
    else:
        features = [Feature(**feature) for feature in chosen]
    documents = review.case.chart.get("documents")
    if documents is None:  # those marked relevant, X before Y before A, then maybe
        wanted = [mark for mark in review.marks.current.values() if mark.relevance != "not"]
        wanted.sort(key=lambda mark: (mark.relevance != "relevant", ORDER.get(mark.category, 3)))
        documents = [mark.doc_id for mark in wanted[:USUAL_DOCUMENTS]]
    return features, documents


def make_features(claims: Sequence[str], chosen: Sequence[int]) -> list[Feature]:
    texts = [(number, text[:LONGEST_FEATURE]) for number in chosen for text in split_features(claims[number - 1])]
    return [Feature(id=at, claim=number, text=text) for at, (number, text) in enumerate(texts, 1)]


def claims_of(review: Review) -> Sequence[str]:
    return review.topic.claims.get(language_of(review), ())


def language_of(review: Review) -> str:
    """The language of the claims that a chart is about: that of the application, if the index has it."""
    claims, language = review.topic.claims, review.topic.language
    available = [each for each in claims if each in review.index.languages] or list(claims)
    return language if language in available else next(iter(available), language)


def match_claims(review: Review, patent: Patent) -> list[views.ClaimMatch | None]:
    """Where a document comes closest to each claim of the application, and how close."""
    matches: list[views.ClaimMatch | None] = []
    for best in match_features(review, patent, claims_of(review)):
        place = {name: getattr(best, name) for name in ("location", "field", "place")} if best is not None else {}
        matches.append(views.ClaimMatch(**place, strength=best.coverage) if best is not None else None)
    return matches


def match_features(review: Review, patent: Patent, texts: Sequence[str]) -> list[Passage | None]:
    """The best passage of a document for each feature or claim of the application; None where it is too weak."""
    language = language_of(review)
    searched = language if language in review.index.languages else next(iter(review.index.languages), "")
    passages = chart_document(review.index, patent, texts, searched)
    return [passage if passage is not None and passage.coverage >= WEAKEST else None for passage in passages]


def put_chart(review: Review, features: Sequence[Feature], documents: Sequence[str], seen: int) -> views.Chart:
    """Set the features and documents of a chart that a user saw in a version."""
    unknown = [doc_id for doc_id in documents if not len(review.index.numbers_of(doc_id))]
    if unknown:
        raise UsageError(f"document {printable(unknown[0])}: is not in the index")
    if len({*documents}) < len(documents):
        raise UsageError("a document occurs twice in the chart")
    known = {feature.id for feature in chart_parts(review)[0]}  # their edited cells are kept
    used = [feature.id for feature in features if feature.id is not None]
    if len({*used}) < len(used) or not {*used} <= known:
        raise UsageError("a feature has an id that is unknown or occurs twice; leave the id out for a new one")
    return _store_chart(review, features, documents, seen)


def put_claims(review: Review, chosen: Sequence[int], seen: int) -> views.Chart:
    """Set the claims of the chart; features that it had of them stay as they are, and so do the searcher's own."""
    claims = claims_of(review)
    wrong = next((number for number in chosen if not 1 <= number <= len(claims)), None)
    if wrong is not None:
        raise UsageError(f"there is no claim {wrong}; the application has {len(claims)}")
    old, documents = chart_parts(review)
    added = sorted({*chosen} - {feature.claim for feature in old})
    new = [feature.model_copy(update={"id": None}) for feature in make_features(claims, added)]
    kept = [feature for feature in old if feature.claim is None or feature.claim in chosen]
    features = sorted([*kept, *new], key=lambda feature: feature.claim or len(claims) + 1)
    if len(features) > MOST_VALUES or len(features) * len(documents) > MOST_CELLS:
        raise UsageError(f"the claims have {len(features)} features, too many for a chart; choose fewer")
    return _store_chart(review, features, documents, seen)


def put_cell(review: Review, feature: int, doc_id: str, text: str | None, seen: int) -> views.Chart:
    """Set the text of a cell of the chart; None restores the best passage."""
    features, documents = chart_parts(review)
    if feature not in {known.id for known in features} or doc_id not in documents:
        raise UsageError("the chart has no such cell")
    review.store.put_cell(review.id, feature, doc_id, text, review.user, seen)
    return make_chart(review)


def _store_chart(review: Review, features: Sequence[Feature], documents: Sequence[str], seen: int) -> views.Chart:
    """Store the features and documents of the chart, new features with new ids; returns it with its cells."""
    used = [feature.id for feature in (*features, *chart_parts(review)[0]) if feature.id is not None]
    following = max([*used, *(feature for feature, _ in review.store.cells(review.id))], default=0)
    for feature in features:
        if feature.id is None:
            following += 1
            feature.id = following
    chart = {"features": [feature.model_dump() for feature in features], "documents": list(documents)}
    review.store.change_case(review.id, review.user, seen, chart=chart)
    return make_chart(review.again())


def chart_table(chart: views.Chart, title: str) -> Table:
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
