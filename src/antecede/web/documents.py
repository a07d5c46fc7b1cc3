"""A document to be read: all its texts with the query terms in them, its citations in both directions, its family."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from antecede.conditions.spans import mark_expression
from antecede.patent import PatentNumber
from antecede.patent.bibliography import Bibliography
from antecede.patent.links import patent_links
from antecede.patent.texts import FIELDS
from antecede.query.query import Query
from antecede.review import views
from antecede.review.case import Review
from antecede.review.claim_chart import match_claims
from antecede.review.queries import expression_of
from antecede.review.records import DocumentName as DocumentId
from antecede.review.records import day_text
from antecede.review.searches import HitViews
from antecede.search.citations import find_citation_links
from antecede.search.passages import PieceReader, divide_text
from antecede.web.requests import SearchNumber
from antecede.web.workbench import route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.conditions.tree import Node
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.search_history import SearchedTerm
    from antecede.search.passages import Run

PASSAGES = 3
UNKNOWN = {"doc_id": None, "title": "", "date": None}
"""What is known of a cited document that is not in the index."""
EXPRESSION_WORTH = 1e9
"""What the matches of an expression are worth to a reader: more than any term."""


@route("GET", "/document")
def get_document(
    case: Review,
    id: DocumentId | None = None,  # noqa: A002 - as the address has it
    search: SearchNumber = None,
    against: Annotated[bool, Field(description="Also its best passage for each claim of the application.")] = False,
) -> views.DocumentView:
    """A document, or without an id the application itself, with the terms of a search in its texts."""
    patent = case.workbench.patent(id) if id is not None else case.topic
    searched = case.search(search) if search is not None else None
    terms: list[SearchedTerm] = searched.facts["terms"] if searched is not None else []
    counts: Counter[int] = Counter()
    node = expression_of(searched)
    written = {language for name in FIELDS for language, text in getattr(patent, name).items() if text}
    texts = {
        language or "unknown": mark_texts(case.index, patent, language, terms, counts, node)
        for language in sorted(written, key=lambda language: (language != patent.language, language))
    }
    links = find_citation_links(case.index, patent)
    hit_views = HitViews(case, searched) if searched is not None else None
    languages = list(dict.fromkeys(each["language"] for each in terms))
    passages = (hit_views.best_passages(patent, language, PASSAGES) for language in languages if hit_views is not None)
    counted = [
        views.CountedTerm(**each, count=counts[number], worth=worth)
        for number, (each, worth) in enumerate(zip(terms, weigh_terms(case.index, terms), strict=True))
    ]
    days = {name: day_text(getattr(patent, f"{name}_date")) for name in ("priority", "filing", "publication")}
    bibliography = Bibliography.of(patent)
    described: dict[str, Any] = {"ipc": list(patent.ipc), "links": {}, **bibliography.to_dict()}
    return views.DocumentView(
        **described,
        doc_id=patent.doc_id,
        number=str(patent.known_number) if patent.known_number is not None else None,
        dates=days,
        facts=bibliography.rare,
        languages=list(texts),
        texts=texts,
        terms=counted + expression_terms(node, terms, counts, languages),
        passages=next(filter(None, passages), []),
        cites=[
            views.CitedView(
                **(case.workbench.name_document(cited.header.doc_id) if cited.header is not None else UNKNOWN),
                **{name: getattr(cited, name) for name in ("number", "category", "phase")},
                links=patent_links(PatentNumber.parse(cited.number)),
            )
            for cited in sorted(links.cites, key=lambda cited: cited.header is None)
        ],
        cited_by=[views.DocumentName(**case.workbench.name_document(each.doc_id)) for each in links.cited_by],
        cited_by_count=links.cited_by_count,
        family=[views.DocumentName(**case.workbench.name_document(each.doc_id)) for each in links.family],
        mark=case.store.mark(case.id, patent.doc_id),
        seen=patent.doc_id in case.seen,
        found_by=[
            views.FoundBy(search=each.number, rank=rank)
            for each in case.searches
            for rank, (ranked, _) in enumerate(each.ranking, 1)
            if ranked == patent.doc_id
        ],
        against=match_claims(case, patent) if against else [],
    )


def weigh_terms(index: Engine, terms: Sequence[SearchedTerm]) -> list[float]:
    """What each term is worth, as passages weigh it: little for words that most documents of the index have."""
    worth: dict[tuple[str, str], float] = {}
    for language in {each["language"] for each in terms} & {*index.languages}:
        weights = {each["term"]: each["weight"] for each in terms if each["language"] == language}
        weighed = PieceReader.of(index, language).weigh(Query.from_terms(weights, language))
        worth |= {(language, term): value for term, value in zip(weighed.terms, weighed.worth.tolist(), strict=True)}
    return [worth.get((each["language"], each["term"]), 0.0) for each in terms]


def expression_terms(
    node: Node | None, terms: Sequence[SearchedTerm], counts: Counter[int], languages: list[str]
) -> list[views.CountedTerm]:
    """What the expression matched, as a term that is worth more than all others: one goes through its matches first."""
    count = counts[len(terms)]
    if node is None or not count:
        return []
    language, name = languages[0] if languages else "", "the expression"
    return [views.CountedTerm(term="", word=name, language=language, weight=0.0, count=count, worth=EXPRESSION_WORTH)]


def mark_texts(
    index: Engine,
    patent: Patent,
    language: str,
    terms: Sequence[SearchedTerm],
    counts: Counter[int],
    node: Node | None,
) -> views.Texts:
    """The texts of a document in one language as runs; the occurrences of each term are counted.

    Words that meet the expression carry the number after those of the terms.
    """
    # A text of unknown language is analysed as the language that was searched.
    searched = language or next((each["language"] for each in terms), "")
    numbers = {each["term"]: number for number, each in enumerate(terms) if each["language"] == searched}
    analyzer = index.analyzer(searched)
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
    title = texts.pop("title")
    return views.Texts(**texts, title=title[0] if title else [])


def _pieces_of(text: str | tuple[str, ...]) -> Sequence[str]:
    return (text.split("\n") if text.strip() else []) if isinstance(text, str) else text
