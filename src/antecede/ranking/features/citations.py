"""Features of citations: what the leading documents cite, what cites them, what is cited beside them.

Nothing that became known after the topic's date is used. A document counts as a source of citations only if it was
published before the topic for certain, and is neither the topic, nor of its family, nor a copy of it under another
number: a document without a date may be found, since it may be prior art, but it may also be later than the topic, and
what it cites might then be what is to be found.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from antecede.engine import EPOCH, read_record, relatives_of
from antecede.patent.texts import filed_under
from antecede.query.topic import text_of
from antecede.ranking.attributes import attributes_of
from antecede.ranking.evidence import Candidates
from antecede.ranking.features import Absent, feature
from antecede.registry import Count

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.arrays import Floats, Ints, Mask
    from antecede.patent import Patent
    from antecede.ranking.attributes import NumberLists
    from antecede.ranking.evidence import Evidence
    from antecede.text import Analyzer

    Scores = tuple[Ints, Floats]
    """Documents, ascending, and their scores."""

_FULL = 1.0
"""The score that counts fully: one citation by the best document, which cites nothing else, or several by others.

Divided by the largest score of the pool, a single citation by a document far down would count as much as any other.
"""


class Neighbours:
    """The documents around the leading ones in the graph of citations, each with a score."""

    def __init__(self, at: Evidence) -> None:
        self.attributes, self.before = attributes_of(at.index), at.task.filters.before
        self.index, filters = at.index, at.task.filters
        self.own = relatives_of(at.index, filters.without, filters.without_family)
        """The topic, its family, and its copies among the leading documents."""
        self.leaders, self.scores = np.zeros(0, np.int64), np.zeros(0)
        """The leading documents whose citations may be used, with their scores."""
        if at.leaders is not None:
            documents = at.leaders.candidates.numbers
            self.own = np.concatenate((self.own, documents[_find_copies(at, at.leaders.candidates)]))
            used = (at.leaders.scores > 0) & self.are_sources(documents)
            self.leaders, self.scores = documents[used], at.leaders.scores[used]

    def are_sources(self, documents: Ints) -> Mask:
        """Whether the citations of documents may be used: they were published before the topic for certain."""
        others = ~np.isin(documents, self.own)
        if self.before is None:
            return others
        return np.asarray(others & (self.index.days(documents).last < (self.before - EPOCH).days))

    def cited(self, documents: Ints) -> NumberLists:
        """The documents of the index that each of some documents cites; without the topic, its family, its copies."""
        cited = self.attributes.cited(documents)
        return cited.take(~np.isin(cited.items, self.own))

    def citing(self, documents: Ints) -> NumberLists:
        """The documents that cite each of some documents, as far as their citations may be used."""
        citing = self.attributes.citing(documents)
        return citing.take(self.are_sources(citing.items))

    def cited_by_leaders(self) -> Scores:
        """Σ over the leaders that cite a document of the leader's score / √(documents that it cites)."""
        return self._spread(self.cited(self.leaders))

    def citing_leaders(self) -> Scores:
        """Σ over the leaders that a document cites of the leader's score / √(documents that cite it)."""
        return self._spread(self.citing(self.leaders))

    def _spread(self, lists: NumberLists) -> Scores:
        """The score of each leader, divided by the root of the length of its list, summed for the documents in it."""
        return _add_up(lists.items, self.scores[lists.owners] / np.sqrt(lists.sizes[lists.owners]))

    def cited_with_leaders(self) -> Scores:
        """Σ over the documents that cite both it and a leader of the leader's score / documents that they cite."""
        citing = self.citing(self.leaders)
        sources, places = np.unique(citing.items, return_inverse=True)
        cited = self.cited(sources)
        pairs, documents = cited.expand(places)
        leaders = citing.owners[pairs]
        values = self.scores[leaders] / cited.sizes[places[pairs]]
        beside = documents != self.leaders[leaders]
        return _add_up(documents[beside], values[beside])


def _add_up(documents: Ints, values: Floats) -> Scores:
    distinct_documents, places = np.unique(documents, return_inverse=True)
    sums = np.bincount(places, values, len(distinct_documents)).astype(np.float64, copy=False)
    return distinct_documents, sums


def _follow(at: Evidence, how: Callable[[Neighbours], Scores]) -> Scores | Absent:
    """The documents that citations lead to, with their scores, computed once for the topic."""
    if not attributes_of(at.index).has("citations"):
        return Absent("no document of the index has citations", for_every_topic=True)
    neighbours = at.once("neighbours", lambda: Neighbours(at))
    if not len(neighbours.leaders):
        return Absent("no document was found whose citations could be followed")
    return at.once(("neighbours", how.__name__), lambda: how(neighbours))


def _retrieve(at: Evidence, *, how: Callable[[Neighbours], Scores], most: int = 200) -> Candidates | None:
    """The best documents that citations lead to, that have text in the language of the search and may be found."""
    followed = _follow(at, how)
    if isinstance(followed, Absent):
        return None
    documents, scores = followed
    best = np.sort(documents[np.argsort(-scores, kind="stable")[:most]])
    kept = best[at.selection.contains(best)]
    return Candidates(kept[at.index.lengths(kept, at.task.language) >= 0], at.index)


def _score(at: Evidence, how: Callable[[Neighbours], Scores]) -> Floats | Absent:
    followed = _follow(at, how)
    if isinstance(followed, Absent):
        return followed
    documents, scores = followed
    if not len(documents):
        return np.zeros(len(at.pool))
    own = at.pool.numbers
    places = np.minimum(np.searchsorted(documents, own), len(documents) - 1)
    return np.where(documents[places] == own, scores[places], 0.0)


@feature(
    "cited_by_hits",
    kind="citations",
    cite="Fujii, SIGIR 2007; Lopez & Romary, CLEF 2009",
    retrieve=partial(_retrieve, how=Neighbours.cited_by_leaders),
    full=_FULL,
)
def cited_by_hits(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that the leading documents cite.

    The leading documents h are the 50 best by the text features, with scores s(h) scaled to 1 for the best. A document
    scores Σ s(h) / √(documents that h cites) over those that cite it. What similar documents cite is often cited again.
    The citations of the topic itself are never used, nor, if the search has a date limit, those of undated documents.
    """
    return _score(at, Neighbours.cited_by_leaders)


@feature(
    "citing_hits",
    kind="citations",
    cite="Fujii, SIGIR 2007",
    retrieve=partial(_retrieve, how=Neighbours.citing_leaders),
    full=_FULL,
)
def citing_hits(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that cite the leading documents.

    Σ s(h) / √(documents that cite h) over the leading documents h that it cites, with s(h) as in `cited_by_hits`. What
    cites the topic is not used.
    """
    return _score(at, Neighbours.citing_leaders)


@feature(
    "co_citation",
    kind="citations",
    cite="Small, JASIS 1973",
    retrieve=partial(_retrieve, how=Neighbours.cited_with_leaders),
    full=_FULL,
)
def co_citation(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that are cited together with the leading documents.

    Σ s(h) / (documents that the citing document cites) over all documents that cite both it and a leading document h,
    with s(h) as in `cited_by_hits`. Only documents that were certainly published before
    the topic count as citing.
    """
    return _score(at, Neighbours.cited_with_leaders)


# Copies of the topic: another publication of the same text under another number.
#
# A family id names them where it is known. Where it is not, a copy may carry the very citations that a search is to
# find, those of the topic, so that they must not be followed. A copy is recognised by its text.

_COVERED = 0.8
"""The share of the occurrences of the topic's terms that a document must contain to be compared with it at all."""
_COVERED_BY_TERMS = 0.5
"""The same where only the weights of terms are known: feedback has moved them."""
_ALIKE = 0.9
"""The share of terms that a copy and the topic have in common."""
_FIELDS = ("description", "claims", "abstract")
"""The first of these that both have is compared."""


def _find_copies(at: Evidence, documents: Candidates) -> Mask:
    copies = np.zeros(len(documents), np.bool_)
    patent, query = at.task.patent, at.task.query
    if patent is None:
        return copies
    counts = np.array(query.counts, np.float64) if query.counts else np.ones(len(query))
    matches = at.index.matches(query.terms, documents.numbers, at.task.language)
    owners = np.repeat(matches.documents, np.diff(matches.ptr))
    shared = np.bincount(owners, np.minimum(matches.counts, counts[matches.terms]), len(documents))
    covered = shared / max(float(counts.sum()), 1.0)
    analyzer = at.index.analyzer(at.task.language)
    for place in np.flatnonzero(covered >= (_COVERED if query.counts else _COVERED_BY_TERMS)).tolist():
        other = read_record(at.index, int(documents.numbers[place]))
        copies[place] = are_alike(patent, other, at.task.language, analyzer)
    return copies


def are_alike(one: Patent, other: Patent, language: str, analyzer: Analyzer) -> bool:
    """Whether the first field that both patents have is nearly the same text: Σ min n(t) / Σ max n(t) is .9 or more."""
    for field in _FIELDS:
        texts = [text_of(patent, (field,), filed_under(patent, language)) for patent in (one, other)]
        if all(texts):
            first, second = (Counter(analyzer.terms(text)) for text in texts)
            return (first & second).total() >= _ALIKE * max((first | second).total(), 1)
    return False
