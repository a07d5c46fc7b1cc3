"""Searches of a case: run and stored, described page by page, with feedback from the marks, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from antecede.conditions.fields import FACETS, WORDS
from antecede.parallel import check_wanted, time_limited, while_wanted
from antecede.patent.bibliography import Bibliography
from antecede.query.query import Query
from antecede.review.case import FOUND_DEPTH
from antecede.review.sources import facts_of
from antecede.review.store import digest_of
from antecede.search.facets import count_facets
from antecede.search.hit_tables import describe_filters
from antecede.search.passages import Passages, divide_text, emphasize
from antecede.search.pipeline import Ranker
from antecede.web import answers
from antecede.web.queries import (
    DEPTH,
    EXPRESSION_SECONDS,
    NothingToDoError,
    current_state,
    dump_state,
    expression_of,
    make_edits,
    make_settings,
)
from antecede.web.requests import FacetRequest, QueryState, SearchChange, SearchRequest
from antecede.web.workbench import OpenCase, clean_line, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent
    from antecede.review.store import SearchRow
    from antecede.search.explain import Hit
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult
    from antecede.search.settings import SearchSettings

Number = Annotated[int, Field(ge=1, le=2**31, description="The number of the search in its case.")]
MISSING = "(not in the index any more)"
REASONS = 8
PASSAGES = 2
MOST_FEEDBACK = 200
"""Marked documents that feedback uses, the latest."""


@route("POST", "/search", long=True)
def post_search(asked: SearchRequest, case: OpenCase) -> answers.Results:
    """Search with the current query."""
    return view_results(case, store_search(case), asked)


@route("POST", "/more", long=True)
def post_more(asked: SearchRequest, case: OpenCase) -> answers.Results:
    """More like these: search with the current query, moved by the marks."""
    marks = case.marks
    relevant, irrelevant = (
        [doc_id for doc_id in marked if len(case.index.numbers_of(doc_id))][-MOST_FEEDBACK:]
        for marked in (marks.having("relevant") or marks.having("maybe"), marks.having("not"))
    )
    if not relevant:
        raise NothingToDoError("mark at least one document as relevant or maybe first")
    return view_results(case, store_search(case, relevant, irrelevant), asked)


@route("GET", "/searches")
def list_searches(case: OpenCase) -> list[answers.SearchInfo]:
    """The searches of a case."""
    return [search_info(search) for search in case.searches()]


@route("PATCH", "/searches/{number}")
def patch_search(number: Number, change: SearchChange, case: OpenCase) -> answers.SearchInfo:
    """Name a search."""
    return search_info(case.store.name_search(case.id, number, clean_line(change.name)))


@route("GET", "/searches/{number}", long=True)
def get_results(number: Number, case: OpenCase, asked: SearchRequest) -> answers.Results:
    """One page of the results of a search."""
    return view_results(case, case.search(number), asked)


@route("GET", "/searches/{number}/facets")
def get_facets(
    number: Number,
    case: OpenCase,
    asked: FacetRequest,
) -> answers.Facets:
    """How many documents there are of each value of each field, under the filters of a search."""
    result = result_of(case, case.search(number))
    if result is None:
        raise NothingToDoError("the index or the application has changed since this search; search again")
    chosen = asked.model_dump()
    nodes = {name: chosen[field.setting] for name, field in FACETS.items() if field.tree}
    containing = {name: chosen[field.setting] for name, field in FACETS.items() if field.match == WORDS}
    languages, retrieved = result.searched, result.doc_ids
    with time_limited(EXPRESSION_SECONDS):
        facets = count_facets(
            case.index, result.filters, languages=languages, retrieved=retrieved, nodes=nodes, containing=containing
        )
    return answers.Facets(**facets.to_dict())


@route("GET", "/compare", "progress", long=True)
def get_comparison(
    case: OpenCase,
    first: Annotated[int, Field(ge=1, le=2**31)],
    second: Annotated[int, Field(ge=1, le=2**31)],
    depth: Annotated[int, Field(ge=1, le=1000)] = 100,
) -> answers.Comparison:
    """Two searches side by side."""
    one, two = (case.search(number) for number in (first, second))
    ranks = [{doc_id: rank for rank, (doc_id, _) in enumerate(search.ranking[:depth], 1)} for search in (one, two)]
    known = HitViews(case, one).known
    rows = []
    for doc_id in {**ranks[0], **ranks[1]}:
        places = {"first": ranks[0].get(doc_id), "second": ranks[1].get(doc_id)}
        rows.append(answers.ComparedDocument(**{**case.workbench.name_document(doc_id), **places, **known(doc_id)}))
    # "More like these" leaves out what it learned from: this is not missing there, and is listed apart.
    learned = {each for search in (one, two) for name in ("relevant", "irrelevant") for each in search.settings[name]}
    learned -= {*ranks[0]} & {*ranks[1]}
    judged = [row for row in rows if row.doc_id in learned]
    rows = [row for row in rows if row.doc_id not in learned]
    both = [row for row in rows if row.first is not None and row.second is not None]
    return answers.Comparison(
        first=search_info(one),
        second=search_info(two),
        depth=depth,
        both=both,
        only_first=[row for row in rows if row.second is None],
        only_second=[row for row in rows if row.first is None],
        judged=judged,
        overlap=len(both) / len(rows) if rows else 0.0,
    )


def store_search(case: OpenCase, relevant: Sequence[str] = (), irrelevant: Sequence[str] = ()) -> SearchRow:
    """Search with the current query and store the search, unless it is there; by feedback with relevant documents."""
    state, store, index = current_state(case), case.store, case.index
    kind = "feedback" if relevant else "query"
    settings = make_settings(index, state, relevant=relevant, irrelevant=irrelevant)
    topic = digest_of(case.row.topic)
    key = digest_of(topic, dump_state(state), kind, list(relevant), list(irrelevant), index.state)
    known = store.search_by_key(case.id, key)
    if known is not None:
        return known
    result = search_topic(case, key, state, settings)
    check_wanted()
    earlier = case.searches()
    before = {doc_id for search in earlier for doc_id, _ in search.ranking[:FOUND_DEPTH]}
    before |= {*case.seen, *case.marks.current}
    new = [each for each in result.doc_ids[:FOUND_DEPTH] if each not in before] if earlier else []
    given = case.workbench.calibration
    store.put_places(case.id, index.where, store.places(case.id)[1] or (str(given) if given else None))
    found = {"topic": topic, "new": new, "relevant_marks": len(relevant)}
    values = {
        "kind": kind,
        "label": make_label(result, settings, kind),
        "user": case.user,
        "key": key,
        "state": dump_state(state),
        "settings": settings.to_dict(),
        "index_state": index.state,
        "facts": {**facts_of(result, index), **found},
        "ranking": list(zip(result.doc_ids, result.scores, strict=True)),
    }
    return store.add_search(case.id, values)


def search_topic(case: OpenCase, key: str, state: QueryState, settings: SearchSettings) -> SearchResult:
    """Search, unless the ranking is in memory; hits are described with passages and dates when they are asked for."""

    def search() -> SearchResult:
        with time_limited(EXPRESSION_SECONDS):
            ranking = Ranker(case.index, settings).rank(case.topic, make_edits(state))
        return ranking.show(passages=PASSAGES, bibliography=True)

    return case.workbench.ranking(f"{case.id} {key}", search)


def make_label(result: SearchResult, settings: SearchSettings, kind: str) -> str:
    method = "+".join(settings.method) if settings.evidence != "auto" else "auto"
    terms = sum(map(len, result.queries))
    parts = [
        "more like these" if kind == "feedback" else method,
        f"{terms} terms",
        "+".join(each or "?" for each in result.searched),
        *describe_filters(result.filters),
    ]
    return ", ".join(parts)[:300]


def search_info(search: SearchRow) -> answers.SearchInfo:
    also = {"title": search.title, "retrieved": len(search.ranking), **search.facts}
    return answers.SearchInfo.model_validate({**vars(search), **also})


def result_of(case: OpenCase, search: SearchRow) -> SearchResult | None:
    """The ranking of a search, from memory or made again; None where it would not be the one that is stored."""
    if not search.index_state or len(search.ranking) > DEPTH or is_stale(case, search):
        return None  # a run, or a search of the terminal, which ranks more documents than the page does
    state = QueryState.model_validate(search.state)
    settings = make_settings(
        case.index, state, relevant=search.settings["relevant"], irrelevant=search.settings["irrelevant"]
    )
    result = search_topic(case, search.key, state, settings)
    return result if list(result.doc_ids) == [doc_id for doc_id, _ in search.ranking] else None


def is_stale(case: OpenCase, search: SearchRow) -> bool:
    """Whether the index or the topic has changed since a search; of a run that was read, nobody knows."""
    return bool(search.index_state) and (
        search.index_state != case.index.state or search.facts["topic"] != digest_of(case.row.topic)
    )


class HitViews:
    """Describes the hits of a search, with what the case knows of each document."""

    def __init__(self, case: OpenCase, search: SearchRow) -> None:
        self.case, self.search = case, search
        self.seen, self.new = {*case.seen}, {*search.facts["new"]}
        self.numbers = {(each["language"], each["term"]): number for number, each in enumerate(search.facts["terms"])}
        self.found_by: dict[str, list[int]] = {}
        for each in case.searches():
            for doc_id, _ in each.ranking[:FOUND_DEPTH]:
                self.found_by.setdefault(doc_id, []).append(each.number)

    def known(self, doc_id: str) -> dict[str, Any]:
        return {
            "seen": doc_id in self.seen,
            "mark": self.case.marks.current.get(doc_id),
            "new": doc_id in self.new,
            "found_by": self.found_by.get(doc_id, []),
        }

    def view(self, hit: Hit, family: list[answers.FamilyMember], language: str) -> answers.HitView:
        whole = sum(abs(share.score) for share in hit.why) or 1.0
        score = sum(abs(each.score) for each in hit.features) or 1.0
        described = {
            **hit.to_dict(),
            "date_text": hit.date_text,
            "passages": [self.passage(each, language) for each in hit.passages],
            "why": [
                answers.TermShare(term=each.term, word=each.name, score=each.score, share=each.score / whole)
                for each in hit.why[:REASONS]
            ],
            "features": [
                answers.FeatureShareView(feature=each.feature, score=each.score, share=each.score / score)
                for each in hit.features
            ],
        }
        return answers.HitView(**described, **self.known(hit.doc_id), family=family)

    def stored_view(self, rank: int, family: list[answers.FamilyMember]) -> answers.HitView:
        """A hit of a search whose ranking cannot be made again, from what is stored and the document as it is now."""
        doc_id, score = self.search.ranking[rank - 1]
        header, patent = self.case.workbench.header(doc_id), self.case.workbench.record(doc_id)
        title = self.search.facts.get("titles", {}).get(doc_id, MISSING)
        described: dict[str, Any] = {"title": title, "date": None, "date_text": None, "ipc": []}
        if header is not None and patent is not None:
            described = {"title": header.title, "date": header.day, "date_text": header.day, "ipc": header.ipc}
            language = next(iter(self.search.facts["languages"]), "")
            described |= {**Bibliography.of(patent).to_dict(), "passages": self.best_passages(patent, language)}
        described |= {**self.known(doc_id), "family": family}
        return answers.HitView(rank=rank, doc_id=doc_id, score=score or 0.0, **described)

    def best_passages(self, patent: Patent, language: str, number: int = PASSAGES) -> list[answers.PassageView]:
        """The best passages of a document for the terms of the search in a language."""
        weights = {each["term"]: each["weight"] for each in self.search.facts["terms"] if each["language"] == language}
        index = self.case.index
        if not weights or language not in index.languages:
            return []
        query, node = Query.from_terms(weights, language), expression_of(self.search)
        sought = emphasize(query, node, index.analyzer(language)) if node is not None else query
        found = Passages(index, patent, language).find_best(sought, number, node)
        return [self.passage(each, language) for each in found]

    def passage(self, passage: Passage, language: str) -> answers.PassageView:
        others = len(self.search.facts["terms"]) if self.search.settings.get("where") else None  # words of it alone
        numbered = ((place, self.numbers.get((language, term), others)) for place, term in passage.marked_words)
        runs = divide_text(passage.text, [(*place, number) for place, number in numbered if number is not None])
        return answers.PassageView(
            location=passage.location, field=passage.field, place=passage.place, runs=runs, score=passage.score
        )

    def member(self, rank: int) -> answers.FamilyMember:
        doc_id, _ = self.search.ranking[rank - 1]
        return answers.FamilyMember(**{"rank": rank, **self.case.workbench.name_document(doc_id), **self.known(doc_id)})


def view_results(case: OpenCase, search: SearchRow, asked: SearchRequest) -> answers.Results:
    """One page of the results of a search; with `family` one hit per family, the others listed with it."""
    result = result_of(case, search)
    views = HitViews(case, search)
    if asked.family and result is not None:
        groups: Sequence[Sequence[int]] = result.families
    else:
        groups = [(rank,) for rank in range(1, len(search.ranking) + 1)]
    shown = groups[asked.offset : asked.offset + asked.limit]
    members = [[views.member(rank) for rank in group[1:]] for group in shown]
    if result is None:
        hits = [views.stored_view(group[0], family) for group, family in zip(shown, members, strict=True)]
    else:
        described = [result.hit(group[0]) for group in while_wanted(shown)]
        hits = [
            views.view(hit, family, result.searched[result.merged.languages[hit.rank - 1]])
            for hit, family in zip(described, members, strict=True)
        ]
    values = {
        **search.facts,
        "search": search_info(search),
        "total": len(groups),
        "offset": asked.offset,
        "retrieved": len(search.ranking),
        "stale": is_stale(case, search),
        "new": len(search.facts["new"]),
        "hits": hits,
    }
    return answers.Results(**values)
