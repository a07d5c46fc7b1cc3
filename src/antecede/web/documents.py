"""A document to be read: all its texts with the query terms in them, its citations in both directions, its family."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from antecede.patent import PatentNumber
from antecede.patent.links import patent_links
from antecede.query.query import Query
from antecede.query.topic import FIELDS
from antecede.search.citations import find_citation_links
from antecede.search.conditions import mark_expression
from antecede.search.explain import Bibliography
from antecede.search.passages import PieceReader, divide_text
from antecede.web.charts import match_claims
from antecede.web.queries import expression_of
from antecede.web.searches import HitViews
from antecede.web.workbench import day_text, read_patent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.index.documents import DocumentHeader
    from antecede.patent import Patent
    from antecede.review.store import CaseRow
    from antecede.search.expression import Node
    from antecede.search.passages import Run
    from antecede.web.workbench import Workbench

PASSAGES = 3
UNKNOWN = {"doc_id": None, "title": "", "date": None}
"""What is known of a cited document that is not in the index."""
EXPRESSION_WORTH = 1e9
"""What the matches of an expression are worth to a reader: more than any term."""


def view_document(
    workbench: Workbench, case: CaseRow, name: str | None, number: int | None, against: bool
) -> dict[str, Any]:
    """A document, or without a name the application, with the terms of a search in its texts.

    With `against`, also its best passage for each claim of the application.
    """
    patent = workbench.patent(name) if name is not None else read_patent(case.topic)
    search = workbench.store.search(case.id, number) if number is not None else None
    terms: list[dict[str, Any]] = search.facts["terms"] if search is not None else []
    counts: Counter[int] = Counter()
    node = expression_of(search)
    written = {language for name in FIELDS for language, text in getattr(patent, name).items() if text}
    texts = {
        language or "unknown": mark_texts(workbench, patent, language, terms, counts, node)
        for language in sorted(written, key=lambda language: (language != patent.language, language))
    }
    links = find_citation_links(workbench.index, patent)
    views = HitViews(workbench, case, search) if search is not None else None
    searched = list(dict.fromkeys(each["language"] for each in terms))
    passages = next(
        (found for each in searched if views is not None and (found := views.best_passages(patent, each, PASSAGES))), []
    )
    return {
        "doc_id": patent.doc_id,
        "number": str(patent.known_number) if patent.known_number is not None else None,
        "dates": {name: day_text(getattr(patent, f"{name}_date")) for name in ("priority", "filing", "publication")},
        "ipc": list(patent.ipc),
        "links": {},
        **Bibliography.of(patent).to_dict(),
        "languages": list(texts),
        "texts": texts,
        "terms": [
            {**each, "count": counts[number], "worth": worth}
            for number, (each, worth) in enumerate(zip(terms, weigh_terms(workbench, terms), strict=True))
        ]
        + expression_terms(node, terms, counts, searched),
        "passages": passages,
        "cites": [
            {
                **(name_header(cited.header) if cited.header is not None else UNKNOWN),
                **{name: getattr(cited, name) for name in ("number", "category", "phase")},
                "links": patent_links(PatentNumber.parse(cited.number)),
            }
            for cited in sorted(links.cites, key=lambda cited: cited.header is None)
        ],
        "cited_by": [name_header(each) for each in links.cited_by],
        "cited_by_count": links.cited_by_count,
        "family": [name_header(each) for each in links.family],
        "mark": workbench.store.mark(case.id, patent.doc_id),
        "seen": patent.doc_id in workbench.store.seen(case.id),
        "found_by": [
            {"search": each.number, "rank": rank}
            for each in workbench.store.searches(case.id)
            for rank, (ranked, _) in enumerate(each.ranking, 1)
            if ranked == patent.doc_id
        ],
        "against": match_claims(workbench, case, patent) if against else [],
    }


def weigh_terms(workbench: Workbench, terms: list[dict[str, Any]]) -> list[float]:
    """What each term is worth, as passages weigh it: little for words that most documents of the index have."""
    worth: dict[tuple[str, str], float] = {}
    for language in {each["language"] for each in terms} & {*workbench.index.languages}:
        weights = {each["term"]: each["weight"] for each in terms if each["language"] == language}
        weighed = PieceReader.of(workbench.index, language).weigh(Query.from_terms(weights, language))
        worth |= {(language, term): value for term, value in zip(weighed.terms, weighed.worth.tolist(), strict=True)}
    return [worth.get((each["language"], each["term"]), 0.0) for each in terms]


def expression_terms(
    node: Node | None, terms: list[dict[str, Any]], counts: Counter[int], languages: list[str]
) -> list[dict[str, Any]]:
    """What the expression matched, as a term that is worth more than all others: one goes through its matches first."""
    number = len(terms)
    if node is None or not counts[number]:
        return []
    language = languages[0] if languages else ""
    shown_as = {"term": "", "word": "the expression", "language": language, "weight": 0.0}
    return [{**shown_as, "count": counts[number], "worth": EXPRESSION_WORTH}]


def mark_texts(
    workbench: Workbench,
    patent: Patent,
    language: str,
    terms: list[dict[str, Any]],
    counts: Counter[int],
    node: Node | None,
) -> dict[str, Any]:
    """The texts of a document in one language as runs; the occurrences of each term are counted.

    Words that meet the expression carry the number after those of the terms.
    """
    # A text of unknown language is analysed as the language that was searched.
    searched = language or next((each["language"] for each in terms), "")
    numbers = {each["term"]: number for number, each in enumerate(terms) if each["language"] == searched}
    analyzer = workbench.index.analyzer(searched)
    pieces = [(name, piece) for name in FIELDS for piece in _pieces_of(getattr(patent, name).get(language, ""))]
    nothing: list[list[tuple[int, int]]] = [[] for _ in pieces]
    met = mark_expression(analyzer, node, pieces) if node is not None else nothing
    texts: dict[str, list[list[Run]]] = {name: [] for name in FIELDS}
    for (name, text), spans in zip(pieces, met, strict=True):
        marks = {(each.start, each.end): numbers[each.term] for each in analyzer.tokens(text) if each.term in numbers}
        marks |= dict.fromkeys(spans, len(terms))
        runs = divide_text(text, ((*place, number) for place, number in sorted(marks.items())))
        counts.update(run[1] for run in runs if not isinstance(run, str))
        texts[name].append(runs if text.strip() else [])  # a blank one counts for the place of a passage
    return {**texts, "title": texts["title"][0] if texts["title"] else []}


def _pieces_of(text: str | tuple[str, ...]) -> Sequence[str]:
    """A text in the pieces that are shown: claims, or paragraphs."""
    return (text.split("\n") if text.strip() else []) if isinstance(text, str) else text


def name_header(header: DocumentHeader) -> dict[str, Any]:
    """A document in a list."""
    return {"doc_id": header.doc_id, "title": header.title, "date": header.day}
