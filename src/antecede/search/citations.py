"""Classes and citations of a topic: rankings adjusted by its classes and by the documents that its text names; what a
patent cites, what cites it, and its family.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.query.topic import FIELDS, languages_of, text_of
from antecede.search.hits import reorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antecede.index import Index
    from antecede.index.documents import DocumentHeader
    from antecede.index.filters import Filters
    from antecede.index.index import Segment
    from antecede.patent import Patent
    from antecede.search.hits import Hits

LEVELS = 3
"""Subclass, main group, group."""
MOST_CITING = 200
"""Citing documents that are described; all are counted."""


def boost_classes(hits: Hits, codes: Sequence[str], strength: float) -> Hits:
    """The hits with their scores multiplied by 1 + strength · closeness, in their new order.

    Closeness is 1 where a document shares an IPC code with the topic, ⅔ for a main group, ⅓ for a subclass, else 0.
    Unlike a filter, a boost loses no document. Without codes, or with strength 0, nothing changes. Negative scores are
    refused: they would move down.
    """
    if not codes or not strength or not len(hits):
        return hits
    if hits.scores.min() < 0:
        raise UsageError(
            "an IPC boost needs non-negative scores, and some are negative; use another model, such as bm25"
        )
    own = [_truncate_codes(codes, level) for level in range(LEVELS)]
    closeness = np.array([_class_closeness(own, header.ipc) for header in hits.headers()])
    return reorder(hits, hits.scores.astype(np.float64) * (1 + strength * closeness))


def _truncate_codes(codes: Iterable[str], level: int) -> set[str]:
    """Codes truncated to a level: `H04L`, `H04L 12`, `H04L 12/56`."""
    if level == 0:
        return {code[:4] for code in codes}
    whole = (code for code in codes if "/" in code)
    return {code.partition("/")[0] for code in whole} if level == 1 else set(whole)


def _class_closeness(own: Sequence[set[str]], codes: Sequence[str]) -> float:
    """The share of levels down to which one of the codes agrees with the topic's own."""
    shared = (level + 1 for level in range(LEVELS) if own[level] & _truncate_codes(codes, level))
    return max(shared, default=0) / LEVELS


def mentioned_documents(patent: Patent, index: Index) -> list[tuple[Segment, int]]:
    """The documents of an index that a patent names in its text, in the order of first mention, itself excluded.

    The best runs of CLEF-IP 2010 used them. This is not retrieval: mentions never enter a query, and a ranking that
    puts such documents first must report it.
    """
    from antecede.corpus.citations import numbers_in  # compiles its patterns

    found: dict[tuple[str, int], tuple[Segment, int]] = {}
    own = patent.known_number
    for language in languages_of(patent):
        for mention in numbers_in(text_of(patent, FIELDS, language), language=language):
            if own is None or mention.number.key != own.key:
                found.update({(place[0].name, place[1]): place for place in index.find_all(mention.number.key)})
    return list(found.values())


def rank_cited_first(
    hits: Hits, cited: Sequence[tuple[Segment, int]], index: Index, language: str, filters: Filters
) -> Hits:
    """The hits with the documents that the topic names ranked first; `cited` is their number, to be reported.

    Only documents that pass the filters and have text in the language. Their scores are not comparable with the others:
    they lie above the best score found, a step apart, so that a run keeps their order.
    """
    front: list[tuple[int, int, int]] = []
    for segment, number in cited:
        allowed = filters.allowed(segment)
        if allowed is not None and not allowed[number]:
            continue
        for at, (each, matrix) in enumerate(index.matrices(language)):
            row = int(matrix.rows_of(np.array([number]))[0]) if each.name == segment.name else -1
            if row >= 0:
                front.append((at, row, number))
    if not front:
        return hits
    first = {(at, row) for at, row, _ in front}
    rest = np.array([tuple(place) not in first for place in hits.places.tolist()], np.bool_)
    best = float(hits.scores[0]) if len(hits) else 0.0
    step = max(abs(best), 1.0) / 100
    scores = best + step * np.arange(len(front), 0, -1)
    placed = np.array(front, np.int64)
    most = max(len(hits), len(front))
    return replace(
        hits,
        scores=np.concatenate((scores, hits.scores[rest])).astype(np.float32)[:most],
        places=np.concatenate((placed[:, :2], hits.places[rest]))[:most],
        documents=np.concatenate((placed[:, 2], hits.documents[rest]))[:most],
        cited=len(front),
    )


def rank_others_last(hits: Hits, index: Index, language: str, filters: Filters, k: int) -> Hits:
    """The hits, up to k with the other documents that pass the filters after them, the latest first, with a score of 0.

    A search with an expression alone is about a set of documents: none of them is left out.
    """
    if len(hits) >= k:
        return hits
    known = {tuple(place) for place in hits.places.tolist()}
    others = [each for each in index.latest(language, filters, k) if each[:2] not in known][: k - len(hits)]
    placed = np.array(others, np.int64).reshape(-1, 3)
    return replace(
        hits,
        scores=np.concatenate((hits.scores, np.zeros(len(placed), np.float32))),
        places=np.concatenate((hits.places, placed[:, :2])),
        documents=np.concatenate((hits.documents, placed[:, 2])),
    )


@dataclass(frozen=True)
class CitedDocument:
    """A citation of a patent, and the document of the index that it means."""

    number: str
    category: str | None
    phase: str | None
    header: DocumentHeader | None
    """None where the document is not in the index."""


@dataclass(frozen=True)
class CitationLinks:
    """What a patent cites, what cites it, and its family."""

    cites: tuple[CitedDocument, ...]
    cited_by: tuple[DocumentHeader, ...]
    cited_by_count: int
    family: tuple[DocumentHeader, ...]


def find_citation_links(index: Index, patent: Patent) -> CitationLinks:
    """Look up the citations of a patent in both directions, and its family, in an index."""
    citing = sorted(_citing_headers(index, patent), key=lambda each: (each.day or "", each.doc_id))
    return CitationLinks(
        tuple(_cited_documents(index, patent)), tuple(citing[:MOST_CITING]), len(citing), tuple(family(index, patent))
    )


def _cited_documents(index: Index, patent: Patent) -> Iterator[CitedDocument]:
    """Each citation once, with the strongest category first given and all phases."""
    keys = list(dict.fromkeys(each.number.key for each in patent.citations))
    headers: dict[str, DocumentHeader] = {}
    for segment in index.segments:
        found = {key: [number for number in numbers if segment.live[number]]
                 for key, numbers in segment.store.numbers_by_key(keys).items()}  # fmt: skip
        for key, numbers in found.items():
            for header in segment.store.headers(numbers[:1]):
                headers[key] = header
    for key in keys:
        group = [each for each in patent.citations if each.number.key == key]
        categories = ", ".join(dict.fromkeys(each.category for each in group if each.category))
        phases = ", ".join(dict.fromkeys(each.phase for each in group if each.phase))
        yield CitedDocument(str(group[0].number), categories or None, phases or None, headers.get(key))


def _citing_headers(index: Index, patent: Patent) -> Iterator[DocumentHeader]:
    """The documents that cite a patent."""
    number = patent.known_number
    if number is None:
        return
    for segment in index.segments:
        found = segment.store.citing([number.key]).get(number.key, [])
        yield from segment.store.headers([each for each in dict.fromkeys(found) if segment.live[each]])


def family(index: Index, patent: Patent) -> Iterator[DocumentHeader]:
    """The other documents of a patent's family."""
    if patent.family_id is None:
        return
    for segment in index.segments:
        numbers = [
            each for each in segment.store.numbers_with("family_id", patent.family_id).tolist() if segment.live[each]
        ]
        yield from (each for each in segment.store.headers(numbers) if each.doc_id != patent.doc_id)
