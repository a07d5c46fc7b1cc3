"""Following the citations of the leading documents: what they cite, what cites them, what is cited beside them.

Nothing that became known after the topic's date is used. A document counts as a source of citations only if it was
published before the topic for certain, and is neither the topic nor of its family: a document without a date may be
found, since it may be prior art, but it may also be later than the topic, and what it cites might then be what is to be
found.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.filters import DateBounds, Filters
from antecede.ranking.attributes import attributes_of
from antecede.ranking.candidates import locate
from antecede.ranking.features.registry import Absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.ranking.attributes import Document
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence

    Scores = dict[Document, float]

NO_LEADERS = Absent("no document was found whose citations could be followed")
NO_CITATIONS = Absent("no document of the index has citations", for_every_topic=True)


class Neighbours:
    """The documents around the leading ones in the graph of citations, each with a score."""

    def __init__(self, at: Evidence) -> None:
        self.at, self.attributes = at, attributes_of(at.index)
        filters = at.task.filters
        self.before = filters.before
        self.not_own = Filters(without=filters.without, without_family=filters.without_family)
        self.others: dict[int, NDArray[np.bool_]] = {}
        """Documents of each segment without the topic and its family."""
        self.sources: dict[int, NDArray[np.bool_]] = {}
        """Those of them that were published before the topic for certain."""
        leaders = at.leaders
        documents = self.attributes.documents(leaders.candidates) if leaders is not None else []
        scores = leaders.scores.tolist() if leaders is not None else []
        self.leaders = {
            document: score
            for document, score in zip(documents, scores, strict=True)
            if score > 0 and self.is_source(document)
        }
        """The leading documents whose citations may be used, with their scores."""

    def is_source(self, document: Document) -> bool:
        """Whether the citations of a document may be used."""
        at, number = document
        if at not in self.sources:
            bounds = DateBounds(self.at.index.segments[at], self.before, None)
            self.sources[at] = self.not_its_own(at) & bounds.passed & (~bounds.unknown | (self.before is None))
        return bool(self.sources[at][number])

    def is_own(self, document: Document) -> bool:
        """Whether a document is the topic, or of its family."""
        return not self.not_its_own(document[0])[document[1]]

    def not_its_own(self, at: int) -> NDArray[np.bool_]:
        """The documents of a segment without the topic and its family."""
        if at not in self.others:
            segment = self.at.index.segments[at]
            allowed = self.not_own.allowed(segment)
            self.others[at] = segment.live if allowed is None else allowed
        return self.others[at]

    def cited(self, documents: list[Document]) -> dict[Document, list[Document]]:
        """The documents of the index that each of some documents cites."""
        lists = self.attributes.lists("citations", documents)
        known = self.attributes.numbered(key for keys in lists for key in keys)
        return {
            document: [
                *dict.fromkeys(
                    each for key in keys for each in known[key] if each != document and not self.is_own(each)
                )
            ]
            for document, keys in zip(documents, lists, strict=True)
        }

    def citing(self, documents: list[Document]) -> dict[Document, list[Document]]:
        """The documents that cite each of some documents, as far as they may be used."""
        keys = self.attributes.keys(documents)
        known = self.attributes.citing(key for key in keys if key is not None)
        return {
            document: [
                each for each in (known[key] if key is not None else ()) if each != document and self.is_source(each)
            ]
            for document, key in zip(documents, keys, strict=True)
        }

    def cited_by_leaders(self) -> Scores:
        """Σ over the leaders that cite a document of the leader's score / √(documents that it cites)."""
        found: Scores = {}
        for leader, cited in self.cited([*self.leaders]).items():
            for document in cited:
                found[document] = found.get(document, 0.0) + self.leaders[leader] / sqrt(len(cited))
        return found

    def citing_leaders(self) -> Scores:
        """Σ over the leaders that a document cites of the leader's score / √(documents that cite it)."""
        found: Scores = {}
        for leader, citing in self.citing([*self.leaders]).items():
            for document in citing:
                found[document] = found.get(document, 0.0) + self.leaders[leader] / sqrt(len(citing))
        return found

    def cited_with_leaders(self) -> Scores:
        """Σ over the documents that cite both it and a leader of the leader's score / documents that they cite."""
        found: Scores = {}
        citing = self.citing([*self.leaders])
        cited = self.cited([*dict.fromkeys(each for every in citing.values() for each in every)])
        for leader, between in citing.items():
            for source in between:
                for document in cited[source]:
                    if document != leader:
                        found[document] = found.get(document, 0.0) + self.leaders[leader] / len(cited[source])
        return found


def follow(at: Evidence, how: Callable[[Neighbours], Scores]) -> Scores | Absent:
    """The documents that citations lead to, with their scores, computed once for the topic."""
    if not attributes_of(at.index).has("citations"):
        return NO_CITATIONS
    neighbours: Neighbours = at.once("neighbours", lambda: Neighbours(at))
    if not neighbours.leaders:
        return NO_LEADERS
    found: Scores = at.once(("neighbours", how.__name__), lambda: how(neighbours))
    return found


def retrieve(at: Evidence, how: Callable[[Neighbours], Scores], most: int) -> Candidates | None:
    """The best documents that citations lead to and that may be found."""
    found = follow(at, how)
    if isinstance(found, Absent) or not found:
        return None
    attributes = attributes_of(at.index)
    best = sorted(found, key=lambda each: (-found[each], each))[:most]
    return locate(at.index, at.task.language, attributes.segments_of(best), at.allowed)


def score(at: Evidence, how: Callable[[Neighbours], Scores]) -> NDArray[np.float64] | Absent:
    """The score of each candidate."""
    found = follow(at, how)
    if isinstance(found, Absent):
        return found
    documents = attributes_of(at.index).documents(at.pool)
    return np.array([found.get(each, 0.0) for each in documents])
