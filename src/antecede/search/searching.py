"""A search as a person asks for it: by a patent, by a text, or by a query; what it found, with reasons and passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus import Collection
from antecede.corpus.finding import only_patent
from antecede.corpus.language import detect_language
from antecede.errors import InputError, UsageError, shown
from antecede.patent import Patent
from antecede.query import Query, full
from antecede.query.query import make, weights_of
from antecede.search.explain import Share, explain
from antecede.search.filters import Filters
from antecede.search.passages import Passage, Passages
from antecede.search.prior_art import AUTO, day_of, prior_art
from antecede.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date

    from antecede.index import Index
    from antecede.search.hits import Hits
    from antecede.search.models import Model

REASONS = 10
"""Terms that a hit names without being asked to explain itself."""
NAMED = 5
"""Terms that a note names."""


@dataclass(frozen=True)
class Hit:
    """A document found, with what a list shows of it and why it is there."""

    rank: int
    doc_id: str
    score: float
    title: str
    date: str | None
    ipc: tuple[str, ...]
    why: tuple[Share, ...]
    """What each term adds, those that count most first."""
    more: int = 0
    """Terms that `why` leaves out."""
    passages: tuple[Passage, ...] = ()
    claims: tuple[tuple[str, Passage | None], ...] = ()
    """Each claim of the topic, with the passage that fits it best."""

    def to_dict(self) -> dict[str, Any]:
        """The hit as JSON knows it; passages only where they were asked for."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "doc_id": self.doc_id,
            "score": self.score,
            "title": self.title,
            "date": self.date,
            "ipc": list(self.ipc),
            "why": [{"term": each.term, "score": each.score} for each in self.why],
        }
        if self.passages:
            found["passages"] = [each.to_dict() for each in self.passages]
        if self.claims:
            found["claims"] = [{"claim": claim, "passage": best and best.to_dict()} for claim, best in self.claims]
        return found


@dataclass(frozen=True)
class Found:
    """What a search found, and how it was asked."""

    topic: str | None
    title: str
    """Of the topic."""
    query: Query
    model: str
    filters: Filters
    hits: tuple[Hit, ...]
    allowed: int
    """Documents that could be found: those in the language that pass the filters."""
    unmatched: tuple[str, ...] = ()
    """Terms of the query that no document has."""
    notes: tuple[str, ...] = ()
    """What the one who asked should know."""

    def __len__(self) -> int:
        return len(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON knows it."""
        return {"topic": self.topic, "query": self.query.to_dict(), "hits": [hit.to_dict() for hit in self.hits]}


def search_index(
    index: Index,
    about: Patent | Query | str,
    *,
    language: str | None = None,
    model: Model | str | Searcher = "bm25",
    k: int = 100,
    before: date | str | None = AUTO,
    ipc: Sequence[str] = (),
    countries: Sequence[str] = (),
    explain: bool = False,
    passages: int = 0,
    claims: bool = False,
    method: Callable[[Patent, str], Query] | None = None,
) -> Found:
    """Search an index for what comes closest to a patent, to a query, or to a text.

    `before` is a day, `auto` (the day that counts for the patent, if there is one) or `off`. A patent and its family
    are never found for itself. `explain` lists every term's share, not only the largest; `passages` is how many of each
    hit to show; `claims` finds the best passage for each claim of the patent. `method` makes the query of a patent.
    """
    searcher = model if isinstance(model, Searcher) else Searcher(index, model)
    if searcher.index is not index:
        raise UsageError("the searcher given as model searches another index")
    topic, query = asked(index, about, language, method)
    if claims and (topic is None or not topic.claims.get(query.language)):
        who = f"{topic.doc_id} has none in {query.language or 'it'}" if topic is not None else "none is searched with"
        raise UsageError(f"claims are those of a patent, in the language of the search: {who}")
    filters = conditions(topic, before, ipc, countries)
    hits = searcher.search(query, k, filters)
    allowed = searcher.allowed_documents(query.language, filters)
    shown_hits = Looking(searcher, query, hits, topic).hits_with(whole=explain, passages=passages, claims=claims)
    return Found(
        topic.doc_id if topic is not None else query.topic,
        title_of(topic, query.language) if topic is not None else "",
        query,
        str(searcher.model),
        filters,
        tuple(shown_hits),
        allowed,
        hits.unmatched,
        tuple(remarks(index, query, hits, allowed)),
    )


def asked(
    index: Index, about: Patent | Query | str, language: str | None, method: Callable[[Patent, str], Query] | None
) -> tuple[Patent | None, Query]:
    """The patent that the search is about, if it is about one, and the query to search with."""
    if isinstance(about, Patent):
        chosen = language if language is not None else language_of(index, about)
        return about, method(about, chosen) if method else full(about, chosen, index.analyzer(chosen).terms)
    if isinstance(about, Query):
        known = index.find(about.topic) if about.topic is not None else None
        chosen = language if language is not None else about.language or main_language(index)
        return known and known[0].store.record(known[1]), replace(about, language=chosen)
    chosen = language if language is not None else language_of_text(index, about)
    terms = index.analyzer(chosen).terms(about)
    if not terms:
        raise UsageError(f"there is no word to search for in {shown(about)!r}; give words that say what it is about")
    return None, make(weights_of(terms), chosen)


def language_of_text(index: Index, text: str) -> str:
    """The language a text is in; where it does not tell, the one in which the index knows most of its words."""
    told = detect_language(text)
    if told in index.languages:
        return told

    def known(language: str) -> int:
        terms = index.analyzer(language).terms(text)
        return int((index.statistics(language).frequencies(terms).documents > 0).sum())

    return max(index.languages, key=known, default="")


def title_of(topic: Patent, language: str) -> str:
    """The title of a patent, in the language of the search if it has one."""
    return topic.title.get(language) or topic.title.get(topic.language) or next(iter(topic.title.values()), "")


def main_language(index: Index) -> str:
    """The language that most documents have text in."""
    return index.languages[0] if index.languages else ""


def language_of(index: Index, topic: Patent) -> str:
    """The language to search in: the topic's own, else one that it and the index have."""
    fields = (topic.description, topic.claims, topic.abstract, topic.title)
    has = dict.fromkeys(
        each for each in (topic.language, *topic.languages, "") if any(field.get(each) for field in fields)
    )
    both = [each for each in has if each in index.languages]
    if not both:
        told, there = (", ".join(each or "unknown" for each in names) for names in (has, index.languages))
        raise InputError(f"has text in {told or 'no language'}, the index in {there}", topic_id=topic.doc_id)
    return both[0]


def conditions(
    topic: Patent | None, before: date | str | None, ipc: Sequence[str], countries: Sequence[str]
) -> Filters:
    """The filters of a search: before the topic's day unless told otherwise, never itself nor its family."""
    if topic is not None:
        filters = prior_art(topic, before)
    else:
        filters = Filters(before=None if before == AUTO else day_of(before))
    return replace(filters, ipc=tuple(ipc), countries=tuple(countries))


def remarks(index: Index, query: Query, hits: Hits, allowed: int) -> Iterator[str]:
    """What the one who asked should know of the result."""
    if hits.unmatched:
        names = ", ".join(map(shown, hits.unmatched[:NAMED])) + (" …" if len(hits.unmatched) > NAMED else "")
        yield f"{len(hits.unmatched)} of {len(query)} terms occur in no document: {names}"
        if near := known_forms(index, query.language, hits.unmatched):
            yield f"a query has the terms of the index: write {near}"
    if not allowed:
        yield "no document passes the filters (before a day, IPC, country; never the topic or its family)"
    elif not len(hits):
        yield "no document that passes the filters has a term of the query"


def known_forms(index: Index, language: str, words: Sequence[str]) -> str:
    """Words that the index knows in another form, as `rout for Routing`: who edits a query may not think of it."""
    analyzer = index.analyzer(language)
    forms = {word: terms[0] for word in words if len(terms := analyzer.terms(word)) == 1 and terms[0] != word}
    df = index.statistics(language).frequencies(list(forms.values())).documents.tolist()
    known = [f"{shown(form)} for {shown(word)}" for (word, form), often in zip(forms.items(), df, strict=True) if often]
    return ", ".join(known[:3])


@dataclass(frozen=True)
class Looking:
    """Looks up what is to be shown of hits."""

    searcher: Searcher
    query: Query
    hits: Hits
    topic: Patent | None

    def hits_with(self, *, whole: bool, passages: int, claims: bool) -> Iterator[Hit]:
        """The hits, each with its reasons; passages and claims where they are asked for."""
        index, language = self.searcher.index, self.query.language
        analyzer = index.analyzer(language) if passages or claims else None
        for rank, head in enumerate(self.hits.heads(), 1):
            shares = explain(self.searcher, self.query, self.hits, rank)
            order = sorted(shares, key=lambda share: (-abs(share.score), share.term or ""))
            why = order if whole else order[:REASONS]
            score = float(self.hits.scores[rank - 1])
            more = len(order) - len(why)
            hit = Hit(rank, head.doc_id, score, head.title, head.day, head.ipc, tuple(why), more)
            if analyzer is not None:
                there = Passages(index, self.hits.patent(rank), language, analyzer)
                fitting = there.for_claims(self.topic) if claims and self.topic is not None else ()
                hit = replace(hit, passages=tuple(there.best(self.query, passages)), claims=tuple(fitting))
            yield hit


def topic_from(index: Index, word: str) -> Patent:
    """The patent that a user names: a file, `-` for standard input, or a name in the index."""
    if word != "-" and not Path(word).exists():
        found = index.find(word)
        if found is None:
            remedy = "check the number, or search with --text"
            raise InputError("is neither a file nor a patent of the index", doc_id=word, remedy=remedy)
        return found[0].store.record(found[1])
    patent = only_patent(Collection(word))
    if isinstance(patent, list):
        raise InputError(
            f"holds {len(patent)} patents ({', '.join(shown(each.doc_id) for each in patent[:3])} …)",
            source="standard input" if word == "-" else word,
            remedy="choose one: antecede show FILE DOC_ID --json | antecede search INDEX -",
        )
    return patent
