"""Searches of a case: run and stored, described page by page, with feedback from the marks, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.parallel import check_wanted, while_wanted
from antecede.query.query import Query
from antecede.review.case import FOUND_DEPTH
from antecede.review.sources import facts_of
from antecede.review.store import digest_of
from antecede.search.conditions import emphasize
from antecede.search.explain import Bibliography
from antecede.search.facets import count_facets
from antecede.search.hit_tables import describe_filters
from antecede.search.passages import Passages, divide_text
from antecede.search.pipeline import Ranker
from antecede.web.answers import SearchInfo
from antecede.web.queries import (
    DEPTH,
    NothingToDoError,
    current_state,
    dump_state,
    expression_of,
    make_edits,
    make_settings,
)
from antecede.web.requests import QueryState
from antecede.web.workbench import read_patent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.patent import Patent
    from antecede.review.store import CaseRow, SearchRow
    from antecede.search.explain import Hit
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult
    from antecede.search.settings import SearchSettings
    from antecede.web.requests import SearchRequest
    from antecede.web.workbench import Workbench

MISSING = "(not in the index any more)"
REASONS = 8
PASSAGES = 2
MOST_FEEDBACK = 200
"""Marked documents that feedback uses, the latest."""


def run_search(workbench: Workbench, case: CaseRow, user: str, asked: SearchRequest) -> dict[str, Any]:
    """Search with the current query of a case; a search that was run before is not run again."""
    return view_results(workbench, case, store_search(workbench, case, user), asked)


def run_feedback(workbench: Workbench, case: CaseRow, user: str, asked: SearchRequest) -> dict[str, Any]:
    """Search with the current query, moved towards what was marked relevant and away from what was not."""
    marks = workbench.store.marks(case)
    relevant, irrelevant = (
        [doc_id for doc_id in marked if workbench.index.find_all(doc_id)][-MOST_FEEDBACK:]
        for marked in (marks.having("relevant") or marks.having("maybe"), marks.having("not"))
    )
    if not relevant:
        raise NothingToDoError("mark at least one document as relevant or maybe first")
    return view_results(workbench, case, store_search(workbench, case, user, relevant, irrelevant), asked)


def store_search(
    workbench: Workbench, case: CaseRow, user: str, relevant: Sequence[str] = (), irrelevant: Sequence[str] = ()
) -> SearchRow:
    """Search with the current query and store the search, unless it is there; by feedback with relevant documents."""
    state = current_state(workbench, case)
    kind = "feedback" if relevant else "query"
    settings = make_settings(workbench.index, state, relevant=relevant, irrelevant=irrelevant)
    topic = digest_of(case.topic)
    key = digest_of(topic, dump_state(state), kind, list(relevant), list(irrelevant), workbench.index.state)
    known = workbench.store.search_by_key(case.id, key)
    if known is not None:
        return known
    result = search_topic(workbench, case, key, state, settings)
    check_wanted()
    earlier = workbench.store.searches(case.id)
    before = {doc_id for search in earlier for doc_id, _ in search.ranking[:FOUND_DEPTH]}
    before |= {*workbench.store.seen(case.id), *workbench.store.marks(case).current}
    new = [each for each in result.doc_ids[:FOUND_DEPTH] if each not in before] if earlier else []
    calibration = workbench.store.places(case.id)[1] or (str(workbench.calibration) if workbench.calibration else None)
    workbench.store.put_places(case.id, workbench.index.where, calibration)
    found = {"topic": topic, "new": new, "relevant_marks": len(relevant)}
    values = {
        "kind": kind,
        "label": make_label(result, settings, kind),
        "user": user,
        "key": key,
        "state": dump_state(state),
        "settings": settings.to_dict(),
        "index_state": workbench.index.state,
        "facts": {**facts_of(result, workbench.index), **found},
        "ranking": list(zip(result.doc_ids, result.scores, strict=True)),
    }
    return workbench.store.add_search(case.id, values)


def search_topic(
    workbench: Workbench, case: CaseRow, key: str, state: QueryState, settings: SearchSettings
) -> SearchResult:
    """Search, unless the ranking is in memory; hits are described with passages and dates when they are asked for."""

    def search() -> SearchResult:
        ranking = Ranker(workbench.index, settings).rank(read_patent(case.topic), make_edits(state))
        return ranking.show(passages=PASSAGES, bibliography=True)

    return workbench.ranking(f"{case.id} {key}", search)


def make_label(result: SearchResult, settings: SearchSettings, kind: str) -> str:
    """A search in a few words."""
    method = "+".join(settings.method) if settings.evidence != "auto" else "auto"
    terms = sum(map(len, result.queries))
    parts = [
        "more like these" if kind == "feedback" else method,
        f"{terms} terms",
        "+".join(each or "?" for each in result.searched),
        *describe_filters(result.filters),
    ]
    return ", ".join(parts)[:300]


def search_info(search: SearchRow) -> SearchInfo:
    """What is shown of a search in a list."""
    also = {"title": search.title, "retrieved": len(search.ranking), **search.facts}
    return SearchInfo.model_validate({**vars(search), **also})


def result_of(workbench: Workbench, case: CaseRow, search: SearchRow) -> SearchResult | None:
    """The ranking of a search, from memory or made again; None where it would not be the one that is stored."""
    if not search.index_state or len(search.ranking) > DEPTH or is_stale(workbench, case, search):
        return None  # a run, or a search of the terminal, which ranks more documents than the page does
    state = QueryState.model_validate(search.state)
    settings = make_settings(
        workbench.index, state, relevant=search.settings["relevant"], irrelevant=search.settings["irrelevant"]
    )
    result = search_topic(workbench, case, search.key, state, settings)
    return result if list(result.doc_ids) == [doc_id for doc_id, _ in search.ranking] else None


def is_stale(workbench: Workbench, case: CaseRow, search: SearchRow) -> bool:
    """Whether the index or the topic has changed since a search; of a run that was read, nobody knows."""
    return bool(search.index_state) and (
        search.index_state != workbench.index.state or search.facts["topic"] != digest_of(case.topic)
    )


class HitViews:
    """Describes the hits of a search, with what the case knows of each document."""

    def __init__(self, workbench: Workbench, case: CaseRow, search: SearchRow) -> None:
        self.workbench, self.search = workbench, search
        self.marks = workbench.store.marks(case).current
        self.seen = {*workbench.store.seen(case.id)}
        self.new = {*search.facts["new"]}
        self.numbers = {(each["language"], each["term"]): number for number, each in enumerate(search.facts["terms"])}
        self.found_by: dict[str, list[int]] = {}
        for each in workbench.store.searches(case.id):
            for doc_id, _ in each.ranking[:FOUND_DEPTH]:
                self.found_by.setdefault(doc_id, []).append(each.number)

    def known(self, doc_id: str) -> dict[str, Any]:
        return {
            "seen": doc_id in self.seen,
            "mark": self.marks.get(doc_id),
            "new": doc_id in self.new,
            "found_by": self.found_by.get(doc_id, []),
        }

    def view(self, hit: Hit, family: list[dict[str, Any]], language: str) -> dict[str, Any]:
        whole = sum(abs(share.score) for share in hit.why) or 1.0
        score = sum(abs(each.score) for each in hit.features) or 1.0
        return {
            **hit.to_dict(),
            "date_text": hit.date_text,
            "passages": [self.passage(each, language) for each in hit.passages],
            "why": [
                {"term": each.term, "word": each.name, "score": each.score, "share": each.score / whole}
                for each in hit.why[:REASONS]
            ],
            "features": [
                {"feature": each.feature, "score": each.score, "share": each.score / score} for each in hit.features
            ],
            **self.known(hit.doc_id),
            "family": family,
        }

    def stored_view(self, rank: int, family: list[dict[str, Any]]) -> dict[str, Any]:
        """A hit of a search whose ranking cannot be made again, from what is stored and the document as it is now."""
        doc_id, score = self.search.ranking[rank - 1]
        header, patent = self.workbench.header(doc_id), self.workbench.record(doc_id)
        title = self.search.facts.get("titles", {}).get(doc_id, MISSING)
        described: dict[str, Any] = {"title": title, "date": None, "date_text": None, "ipc": []}
        if header is not None and patent is not None:
            described = {"title": header.title, "date": header.day, "date_text": header.day, "ipc": header.ipc}
            language = next(iter(self.search.facts["languages"]), "")
            described |= {**Bibliography.of(patent).to_dict(), "passages": self.best_passages(patent, language)}
        known = {**self.known(doc_id), "family": family}
        return {"rank": rank, "doc_id": doc_id, "score": score or 0.0, **described, **known}

    def best_passages(self, patent: Patent, language: str, number: int = PASSAGES) -> list[dict[str, Any]]:
        """The best passages of a document for the terms of the search in a language."""
        weights = {each["term"]: each["weight"] for each in self.search.facts["terms"] if each["language"] == language}
        if not weights or language not in self.workbench.index.languages:
            return []
        index, query, node = self.workbench.index, Query.from_terms(weights, language), expression_of(self.search)
        sought = emphasize(query, node, index.analyzer(language)) if node is not None else query
        found = Passages(index, patent, language).find_best(sought, number)
        return [self.passage(each, language) for each in found]

    def passage(self, passage: Passage, language: str) -> dict[str, Any]:
        others = len(self.search.facts["terms"]) if self.search.settings.get("where") else None  # words of it alone
        numbered = ((place, self.numbers.get((language, term), others)) for place, term in passage.marked_words)
        marks = [(*place, number) for place, number in numbered if number is not None]
        return {
            "location": passage.location,
            "field": passage.field,
            "place": passage.place,
            "runs": divide_text(passage.text, marks),
            "score": passage.score,
        }

    def member(self, rank: int) -> dict[str, Any]:
        """Another document of a hit's family."""
        doc_id, _ = self.search.ranking[rank - 1]
        return {"rank": rank, **self.workbench.name_document(doc_id), **self.known(doc_id)}


def view_search(workbench: Workbench, case: CaseRow, number: int, asked: SearchRequest) -> dict[str, Any]:
    """One page of the results of an earlier search."""
    return view_results(workbench, case, workbench.store.search(case.id, number), asked)


def view_results(workbench: Workbench, case: CaseRow, search: SearchRow, asked: SearchRequest) -> dict[str, Any]:
    """One page of the results of a search; with `family` one hit per family, the others listed with it."""
    result = result_of(workbench, case, search)
    views = HitViews(workbench, case, search)
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
            views.view(hit, family, result.searched[result.places[hit.rank - 1].language])
            for hit, family in zip(described, members, strict=True)
        ]
    return {
        **search.facts,
        "search": search_info(search),
        "total": len(groups),
        "offset": asked.offset,
        "retrieved": len(search.ranking),
        "stale": is_stale(workbench, case, search),
        "new": len(search.facts["new"]),
        "hits": hits,
    }


def view_facets(workbench: Workbench, case: CaseRow, number: int, wanted: Mapping[str, str]) -> dict[str, Any]:
    """The counts of all facets under the filters of a search; `wanted` as `count_facets` takes it."""
    result = result_of(workbench, case, workbench.store.search(case.id, number))
    if result is None:
        raise NothingToDoError("the index or the application has changed since this search; search again")
    languages, retrieved = result.searched, result.doc_ids
    return count_facets(workbench.index, result.filters, languages=languages, retrieved=retrieved, **wanted).to_dict()


def compare_searches(workbench: Workbench, case: CaseRow, first: int, second: int, depth: int) -> dict[str, Any]:
    """What each of two searches finds down to a depth that the other does not.

    "More like these" leaves out the documents that it learned from: they are not missing there, and are listed apart.
    """
    one, two = (workbench.store.search(case.id, number) for number in (first, second))
    ranks = [{doc_id: rank for rank, (doc_id, _) in enumerate(search.ranking[:depth], 1)} for search in (one, two)]
    known = HitViews(workbench, case, one).known

    def row(doc_id: str) -> dict[str, Any]:
        places = {"first": ranks[0].get(doc_id), "second": ranks[1].get(doc_id)}
        return {**workbench.name_document(doc_id), **places, **known(doc_id)}

    learned = {each for search in (one, two) for name in ("relevant", "irrelevant") for each in search.settings[name]}
    judged = [each for each in {**ranks[0], **ranks[1]} if each in learned and (each in ranks[0]) != (each in ranks[1])]
    apart = [row(each) for each in judged]
    ranks = [{doc_id: rank for doc_id, rank in found.items() if doc_id not in judged} for found in ranks]
    both = [row(each) for each in ranks[0] if each in ranks[1]]
    union = len({*ranks[0], *ranks[1]})
    return {
        "first": search_info(one),
        "second": search_info(two),
        "depth": depth,
        "both": both,
        "only_first": [row(each) for each in ranks[0] if each not in ranks[1]],
        "only_second": [row(each) for each in ranks[1] if each not in ranks[0]],
        "judged": apart,
        "overlap": len(both) / union if union else 0.0,
    }
