"""Following the citations of the leading documents: what they cite, what cites them, what is cited beside them.

Nothing that became known after the topic's date is used. A document counts as a source of citations only if it was
published before the topic for certain, and is neither the topic, nor of its family, nor a copy of it under another
number: a document without a date may be found, since it may be prior art, but it may also be later than the topic, and
what it cites might then be what is to be found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.attributes import attributes_of
from antecede.ranking.candidates import locate
from antecede.ranking.copies import find_copies
from antecede.ranking.features.registry import Absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.ranking.attributes import NumberLists
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Scores = tuple[Ints, Floats]
    """Documents, ascending by their position in the index, and their scores."""

FULL = 1.0
"""The score that counts fully: one citation by the best document, which cites nothing else, or several by others.

Divided by the largest score of the pool, a single citation by a document far down would count as much as any other.
"""
NO_LEADERS = Absent("no document was found whose citations could be followed")
NO_CITATIONS = Absent("no document of the index has citations", for_every_topic=True)


class Neighbours:
    """The documents around the leading ones in the graph of citations, each with a score."""

    def __init__(self, at: Evidence) -> None:
        self.attributes, self.before = attributes_of(at.index), at.task.filters.before
        own = [
            offset + number
            for offset, segment in self.attributes.segments
            for number in at.task.filters.own_documents(segment)
        ]
        self.own = np.array(own, np.int64)
        """The topic, its family, and its copies among the leading documents."""
        self.leaders, self.scores = np.zeros(0, np.int64), np.zeros(0)
        """The leading documents whose citations may be used, with their scores."""
        if at.leaders is not None:
            documents = self.attributes.positions(at.leaders.candidates)
            self.own = np.concatenate((self.own, documents[find_copies(at, at.leaders.candidates)]))
            used = (at.leaders.scores > 0) & self.are_sources(documents)
            self.leaders, self.scores = documents[used], at.leaders.scores[used]

    def are_sources(self, documents: Ints) -> NDArray[np.bool_]:
        """Whether the citations of documents may be used: they were published before the topic for certain."""
        others = ~np.isin(documents, self.own)
        return others if self.before is None else others & self.attributes.are_before(documents, self.before)

    def cited(self, documents: Ints) -> NumberLists:
        """The documents of the index that each of some documents cites; without the topic, its family, its copies."""
        found = self.attributes.cited(documents)
        return found.take(~np.isin(found.items, self.own))

    def citing(self, documents: Ints) -> NumberLists:
        """The documents that cite each of some documents, as far as their citations may be used."""
        found = self.attributes.citing(documents)
        return found.take(self.are_sources(found.items))

    def cited_by_leaders(self) -> Scores:
        """Σ over the leaders that cite a document of the leader's score / √(documents that it cites)."""
        return self.spread(self.cited(self.leaders))

    def citing_leaders(self) -> Scores:
        """Σ over the leaders that a document cites of the leader's score / √(documents that cite it)."""
        return self.spread(self.citing(self.leaders))

    def spread(self, lists: NumberLists) -> Scores:
        """The score of each leader, divided by the root of the length of its list, summed for the documents in it."""
        return add_up(lists.items, self.scores[lists.owners] / np.sqrt(lists.sizes[lists.owners]))

    def cited_with_leaders(self) -> Scores:
        """Σ over the documents that cite both it and a leader of the leader's score / documents that they cite."""
        citing = self.citing(self.leaders)
        sources, places = np.unique(citing.items, return_inverse=True)
        cited = self.cited(sources)
        pairs, documents = cited.expand(places)
        leaders = citing.owners[pairs]
        values = self.scores[leaders] / cited.sizes[places[pairs]]
        beside = documents != self.leaders[leaders]
        return add_up(documents[beside], values[beside])


def add_up(documents: Ints, values: Floats) -> Scores:
    """The sum of values for each of the documents."""
    found, places = np.unique(documents, return_inverse=True)
    return found, np.bincount(places, values, len(found)).astype(np.float64, copy=False)


def follow(at: Evidence, how: Callable[[Neighbours], Scores]) -> Scores | Absent:
    """The documents that citations lead to, with their scores, computed once for the topic."""
    if not attributes_of(at.index).has("citations"):
        return NO_CITATIONS
    neighbours: Neighbours = at.once("neighbours", lambda: Neighbours(at))
    if not len(neighbours.leaders):
        return NO_LEADERS
    found: Scores = at.once(("neighbours", how.__name__), lambda: how(neighbours))
    return found


def retrieve(at: Evidence, how: Callable[[Neighbours], Scores], most: int) -> Candidates | None:
    """The best documents that citations lead to and that may be found."""
    found = follow(at, how)
    if isinstance(found, Absent):
        return None
    documents, scores = found
    best = np.sort(documents[np.argsort(-scores, kind="stable")[:most]])
    there = [(segment, numbers) for _, segment, numbers in attributes_of(at.index).by_segment(best)]
    return locate(at.index, at.task.language, there, at.allowed)


def score(at: Evidence, how: Callable[[Neighbours], Scores]) -> Floats | Absent:
    """The score of each candidate."""
    found = follow(at, how)
    if isinstance(found, Absent):
        return found
    documents, scores = found
    if not len(documents):
        return np.zeros(len(at.pool))
    own = attributes_of(at.index).positions(at.pool)
    places = np.minimum(np.searchsorted(documents, own), len(documents) - 1)
    return np.where(documents[places] == own, scores[places], 0.0)
