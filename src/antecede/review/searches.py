"""Searches of a case: run and stored, described row by row, with feedback from the marks, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.parallel import check_wanted, time_limited, while_wanted
from antecede.patent.bibliography import Bibliography
from antecede.query.query import Query
from antecede.review import views
from antecede.review.case import FOUND_DEPTH
from antecede.review.database import digest_of
from antecede.review.queries import (
    EXPRESSION_SECONDS,
    NothingToDoError,
    current_state,
    expression_of,
    make_edits,
    make_ranker,
    make_settings,
    name_terms,
    put_query,
)
from antecede.review.records import QueryState, TermEdit, dump_state
from antecede.review.search_history import DEPTH
from antecede.review.sources import facts_of
from antecede.review.workbench import kind_of_date
from antecede.search.hit_tables import describe_filters
from antecede.search.passages import Passages, divide_text, emphasize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent
    from antecede.review.case import Review
    from antecede.review.search_history import SearchRow
    from antecede.search.explain import Hit
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult
    from antecede.search.settings import SearchSettings

MISSING = "(not in the index any more)"
REASONS = 8
PASSAGES = 2
MOST_FEEDBACK = 200
"""Marked documents that feedback uses, the latest."""


def search_more_like_these(review: Review, seen: int) -> SearchRow:
    """Move the query towards the relevant documents and away from the others, and search with it.

    The query that is learned becomes that of the case: its terms are edited as any others are, and one step back is
    the query before.
    """
    marks = review.marks
    relevant, irrelevant = (
        [doc_id for doc_id in marked if len(review.index.numbers_of(doc_id))][-MOST_FEEDBACK:]
        for marked in (marks.having("relevant") or marks.having("maybe"), marks.having("not"))
    )
    if not relevant:
        raise NothingToDoError("mark at least one document as relevant or maybe first")
    state = current_state(review)
    settings = make_settings(review.index, state, relevant=relevant, irrelevant=irrelevant)
    ranker = make_ranker(review.index, state, settings)
    learned = ranker.build_queries(review.topic, make_edits(state))
    if state.own:
        learned = [ranker.with_feedback(query_set) for query_set in learned]
    terms = [
        TermEdit(term=term, language=query_set.language, word=word, weight=weight)
        for query_set in learned
        for query in query_set.queries[:1]
        for term, word, weight in zip(query.terms, name_terms(review, query), query.weights.tolist(), strict=True)
        if weight > 0
    ]
    kept = [edit for edit in state.terms if edit.exclude]
    places = {(edit.language, edit.term) for edit in kept}
    terms = [*kept, *(edit for edit in terms if (edit.language, edit.term) not in places)]
    put_query(review, state.model_copy(update={"terms": terms, "own": True}), seen)
    return store_search(review, relevant, irrelevant)


def compare_searches(review: Review, first: int, second: int, depth: int) -> views.Comparison:
    """Two searches side by side."""
    one, two = (review.search(number) for number in (first, second))
    ranks = [{doc_id: rank for rank, (doc_id, _) in enumerate(search.ranking[:depth], 1)} for search in (one, two)]
    known = HitViews(review, one).known
    rows = []
    for doc_id in {**ranks[0], **ranks[1]}:
        places = {"first": ranks[0].get(doc_id), "second": ranks[1].get(doc_id)}
        rows.append(views.ComparedDocument(**{**review.workbench.name_document(doc_id), **places, **known(doc_id)}))
    # "More like these" leaves out what it learned from: this is not missing there, and is listed apart.
    learned = {each for search in (one, two) for name in ("relevant", "irrelevant") for each in search.settings[name]}
    learned -= {*ranks[0]} & {*ranks[1]}
    judged = [row for row in rows if row.doc_id in learned]
    rows = [row for row in rows if row.doc_id not in learned]
    both = [row for row in rows if row.first is not None and row.second is not None]
    return views.Comparison(
        first=search_info(one),
        second=search_info(two),
        depth=depth,
        both=both,
        only_first=[row for row in rows if row.second is None],
        only_second=[row for row in rows if row.first is None],
        judged=judged,
        overlap=len(both) / len(rows) if rows else 0.0,
    )


def store_search(review: Review, relevant: Sequence[str] = (), irrelevant: Sequence[str] = ()) -> SearchRow:
    """Search with the current query and store the search, unless it is there; by feedback with relevant documents."""
    state, store, index = current_state(review), review.store, review.index
    kind = "feedback" if relevant else "query"
    settings = make_settings(index, state, relevant=relevant, irrelevant=irrelevant)
    topic = digest_of(review.case.topic)
    key = digest_of(topic, dump_state(state), kind, list(relevant), list(irrelevant), index.state)
    known = store.search_by_key(review.id, key)
    if known is not None:
        return known
    result = search_topic(review, key, state, settings)
    check_wanted()
    earlier = review.searches
    before = {doc_id for search in earlier for doc_id, _ in search.ranking[:FOUND_DEPTH]}
    before |= {*review.seen, *review.marks.current}
    new = [each for each in result.doc_ids[:FOUND_DEPTH] if each not in before] if earlier else []
    given = review.workbench.calibration
    store.put_places(review.id, index.where, store.places(review.id)[1] or (str(given) if given else None))
    found = {"topic": topic, "new": new, "relevant_marks": len(relevant)}
    values = {
        "kind": kind,
        "label": make_label(result, settings, kind),
        "user": review.user,
        "key": key,
        "state": dump_state(state),
        "settings": settings.to_dict(),
        "index_state": index.state,
        "facts": {**facts_of(result, index), **found},
        "ranking": list(zip(result.doc_ids, result.scores, strict=True)),
    }
    return store.add_search(review.id, values)


def search_topic(review: Review, key: str, state: QueryState, settings: SearchSettings) -> SearchResult:
    """Search, unless the ranking is in memory; hits are described with passages and dates when they are asked for."""

    def search() -> SearchResult:
        with time_limited(EXPRESSION_SECONDS):
            ranker = make_ranker(review.index, state, settings)
            ranking = ranker.rank(review.topic, make_edits(state))
        return ranking.show(passages=PASSAGES, bibliography=True)

    return review.workbench.ranking(f"{review.id} {key}", search)


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


def search_info(search: SearchRow) -> views.SearchInfo:
    also = {"title": search.title, "retrieved": len(search.ranking), **search.facts}
    return views.SearchInfo.model_validate({**vars(search), **also})


def result_of(review: Review, search: SearchRow) -> SearchResult | None:
    """The ranking of a search, from memory or made again; None where it would not be the one that is stored."""
    if not search.index_state or is_stale(review, search):
        return None  # a run
    state = QueryState.model_validate(search.state)
    marked = {name: search.settings[name] for name in ("relevant", "irrelevant")}
    settings = make_settings(review.index, state, **marked, k=search.settings.get("k") or DEPTH)
    result = search_topic(review, search.key, state, settings)
    return result if list(result.doc_ids) == [doc_id for doc_id, _ in search.ranking] else None


def is_stale(review: Review, search: SearchRow) -> bool:
    """Whether the index or the topic has changed since a search; of a run that was read, nobody knows."""
    return bool(search.index_state) and (
        search.index_state != review.index.state or search.facts["topic"] != digest_of(review.case.topic)
    )


class HitViews:
    """Describes the hits of a search, with what the case knows of each document."""

    def __init__(self, review: Review, search: SearchRow) -> None:
        self.review, self.search = review, search
        self.seen, self.new = {*review.seen}, {*search.facts["new"]}
        self.numbers = {(each["language"], each["term"]): number for number, each in enumerate(search.facts["terms"])}
        self.found_by: dict[str, list[int]] = {}
        for each in review.searches:
            for doc_id, _ in each.ranking[:FOUND_DEPTH]:
                self.found_by.setdefault(doc_id, []).append(each.number)

    def known(self, doc_id: str) -> dict[str, Any]:
        return {
            "seen": doc_id in self.seen,
            "mark": self.review.marks.current.get(doc_id),
            "new": doc_id in self.new,
            "found_by": self.found_by.get(doc_id, []),
        }

    def view(self, hit: Hit, family: list[views.FamilyMember], language: str) -> views.HitView:
        whole = sum(abs(share.score) for share in hit.why) or 1.0
        score = sum(abs(each.score) for each in hit.features) or 1.0
        described = {
            **hit.to_dict(),
            "date_text": hit.date_text,
            "date_is": kind_of_date(hit.bibliography),
            "passages": [self.passage(each, language) for each in hit.passages],
            "why": [
                views.TermShare(term=each.term, word=each.name, score=each.score, share=each.score / whole)
                for each in hit.why[:REASONS]
            ],
            "features": [
                views.FeatureShareView(feature=each.feature, score=each.score, share=each.score / score)
                for each in hit.features
            ],
        }
        return views.HitView(**described, **self.known(hit.doc_id), family=family)

    def stored_view(self, rank: int, family: list[views.FamilyMember]) -> views.HitView:
        """A hit of a search whose ranking cannot be made again, from what is stored and the document as it is now."""
        doc_id, score = self.search.ranking[rank - 1]
        header, patent = self.review.workbench.header(doc_id), self.review.workbench.record(doc_id)
        title = self.search.facts.get("titles", {}).get(doc_id, MISSING)
        described: dict[str, Any] = {"title": title, "date": None, "date_text": None, "ipc": []}
        if header is not None and patent is not None:
            described = {"title": header.title, "date": header.day, "date_text": header.day, "ipc": header.ipc}
            described["date_is"] = kind_of_date(patent)
            language = next(iter(self.search.facts["languages"]), "")
            described |= {**Bibliography.of(patent).to_dict(), "passages": self.best_passages(patent, language)}
        described |= {**self.known(doc_id), "family": family}
        return views.HitView(rank=rank, doc_id=doc_id, score=score or 0.0, **described)

    def best_passages(self, patent: Patent, language: str, number: int = PASSAGES) -> list[views.PassageView]:
        """The best passages of a document for the terms of the search in a language."""
        weights = {each["term"]: each["weight"] for each in self.search.facts["terms"] if each["language"] == language}
        index = self.review.index
        if not weights or language not in index.languages:
            return []
        query, node = Query.from_terms(weights, language), expression_of(self.search)
        sought = emphasize(query, node, index.analyzer(language)) if node is not None else query
        found = Passages(index, patent, language).find_best(sought, number, node)
        return [self.passage(each, language) for each in found]

    def passage(self, passage: Passage, language: str) -> views.PassageView:
        others = len(self.search.facts["terms"]) if self.search.settings.get("where") else None  # words of it alone
        numbered = ((place, self.numbers.get((language, term), others)) for place, term in passage.marked_words)
        runs = divide_text(passage.text, [(*place, number) for place, number in numbered if number is not None])
        return views.PassageView(
            location=passage.location, field=passage.field, place=passage.place, runs=runs, score=passage.score
        )

    def member(self, rank: int) -> views.FamilyMember:
        doc_id, _ = self.search.ranking[rank - 1]
        return views.FamilyMember(**{"rank": rank, **self.review.workbench.name_document(doc_id), **self.known(doc_id)})


def view_results(
    review: Review, search: SearchRow, *, offset: int = 0, limit: int = 25, family: bool = True, sort: str = "score"
) -> views.Results:
    """Some rows of the results of a search; with `family` one row per family, the others listed with it."""
    result = result_of(review, search)
    hit_views = HitViews(review, search)
    if family and result is not None:
        groups: Sequence[Sequence[int]] = result.families
    else:
        groups = [(rank,) for rank in range(1, len(search.ranking) + 1)]
    if sort != "score":
        groups = sort_groups(review, search, groups, sort)
    rows = groups[offset : offset + limit]
    members = [[hit_views.member(rank) for rank in group[1:]] for group in rows]
    if result is None:
        hits = [hit_views.stored_view(group[0], others) for group, others in zip(rows, members, strict=True)]
    else:
        described = [result.hit(group[0]) for group in while_wanted(rows)]
        hits = [
            hit_views.view(hit, others, result.searched[result.merged.languages[hit.rank - 1]])
            for hit, others in zip(described, members, strict=True)
        ]
    values = {
        **search.facts,
        "search": search_info(search),
        "total": len(groups),
        "offset": offset,
        "retrieved": len(search.ranking),
        "limit_reached": len(search.ranking) >= (search.settings.get("k") or DEPTH),
        "stale": is_stale(review, search),
        "new": len(search.facts["new"]),
        "hits": hits,
    }
    return views.Results(**values)


def sort_groups(
    review: Review, search: SearchRow, groups: Sequence[Sequence[int]], sort: str
) -> Sequence[Sequence[int]]:
    """Rows in the order of the date or of the applicant of their first document; those without one are the last."""
    names = [search.ranking[group[0] - 1][0] for group in groups]
    numbers = review.index.numbers(names)
    known = numbers >= 0
    values: list[str | None] = [None] * len(names)
    rows = review.index.columns(numbers[known], "applicants" if sort == "applicant" else "day")
    for place, (value,) in zip(np.flatnonzero(known).tolist(), rows, strict=True):
        values[place] = value.casefold() if value and sort == "applicant" else value
    order = sorted(range(len(groups)), key=lambda place: values[place] or "", reverse=sort == "newest")
    return [groups[place] for place in (*filter(values.__getitem__, order), *(p for p in order if not values[p]))]
