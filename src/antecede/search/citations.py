"""Classes and citations of a topic: rankings adjusted by its classes and by the documents that its text names; what a
patent cites, what cites it, and its family.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.engine import read_headers
from antecede.errors import UsageError
from antecede.patent.texts import FIELDS
from antecede.query.topic import languages_of, text_of
from antecede.ranking.attributes import LEVELS, levels_of
from antecede.search.hits import reorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.arrays import Ints
    from antecede.conditions.filters import Filters
    from antecede.engine import DocumentHeader, Engine
    from antecede.patent import Patent
    from antecede.search.hits import Ranking


MAX_CITING = 200
"""Citing documents that are described; all are counted."""


def boost_classes(hits: Ranking, codes: Sequence[str], strength: float) -> Ranking:
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
    own = {*levels_of(codes)}
    shared = (
        [int(code[0]) + 1 for code in levels_of(header.ipc) if code in own]
        for header in read_headers(hits.engine, hits.numbers)
    )
    closeness = np.array([max(levels, default=0) / LEVELS for levels in shared])
    return reorder(hits, hits.scores.astype(np.float64) * (1 + strength * closeness))


def mentioned_documents(patent: Patent, index: Engine) -> Ints:
    """The documents of an index that a patent names in its text, in the order of first mention, itself excluded.

    The best runs of CLEF-IP 2010 used them. This is not retrieval: mentions never enter a query, and a ranking that
    puts such documents first must report it.
    """
    from antecede.corpus.citations import numbers_in  # compiles its patterns

    mentioned: dict[int, None] = {}
    own = patent.known_number
    for language in languages_of(patent):
        for mention in numbers_in(text_of(patent, FIELDS, language), language=language):
            if own is None or mention.number.key != own.key:
                mentioned.update(dict.fromkeys(index.numbers_of(mention.number.key).tolist()))
    return np.array([*mentioned], np.int64)


def rank_cited_first(hits: Ranking, cited: Ints, filters: Filters) -> Ranking:
    """The hits with the documents that the topic names ranked first; `cited` is their number, to be reported.

    Only documents that pass the filters and have text in the language. Their scores are not comparable with the others:
    they lie above the best score found, a step apart, so that a run keeps their order.
    """
    there = hits.engine.lengths(cited, hits.language) >= 0
    front = cited[there & hits.engine.select(filters).contains(cited)]
    if not len(front):
        return hits
    rest = ~np.isin(hits.numbers, front)
    best = float(hits.scores[0]) if len(hits) else 0.0
    step = max(abs(best), 1.0) / 100
    scores = best + step * np.arange(len(front), 0, -1)
    most = max(len(hits), len(front))
    return replace(
        hits,
        scores=np.concatenate((scores, hits.scores[rest])).astype(np.float32)[:most],
        numbers=np.concatenate((front, hits.numbers[rest]))[:most],
        cited=len(front),
    )


def rank_others_last(hits: Ranking, filters: Filters, k: int) -> Ranking:
    """The hits, up to k with the other documents that pass the filters after them, the latest first, with a score of 0.

    A search with an expression alone is about a set of documents: none of them is left out.
    """
    if len(hits) >= k:
        return hits
    latest = hits.engine.latest(hits.language, hits.engine.select(filters), k)
    others = latest[~np.isin(latest, hits.numbers)][: k - len(hits)]
    return replace(
        hits,
        scores=np.concatenate((hits.scores, np.zeros(len(others), np.float32))),
        numbers=np.concatenate((hits.numbers, others)),
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


def find_citation_links(index: Engine, patent: Patent) -> CitationLinks:
    """Look up the citations of a patent in both directions, and its family, in an index."""
    keys, own = list(dict.fromkeys(citation.number.key for citation in patent.citations)), patent.known_number
    cited = index.having("patent_number", keys)
    first = dict(
        zip(cited, read_headers(index, np.array([numbers[0] for numbers in cited.values()], np.int64)), strict=True)
    )
    citing: list[DocumentHeader] = []
    if own is not None:
        citing = read_headers(index, np.array(index.having("citations", [own.key]).get(own.key, []), np.int64))
    family: list[DocumentHeader] = []
    if patent.family_id is not None:
        members = index.having("family_id", [patent.family_id]).get(patent.family_id, [])
        headers = read_headers(index, np.array(members, np.int64))
        family = [member for member in headers if member.doc_id != patent.doc_id]
    citing.sort(key=lambda header: (header.day or "", header.doc_id))
    cites = tuple(_cited_document(patent, key, first.get(key)) for key in keys)
    return CitationLinks(cites, tuple(citing[:MAX_CITING]), len(citing), tuple(family))


def _cited_document(patent: Patent, key: str, header: DocumentHeader | None) -> CitedDocument:
    """All citations of one number: the categories, the strongest first given, and the phases."""
    group = [citation for citation in patent.citations if citation.number.key == key]
    categories = ", ".join(dict.fromkeys(citation.category for citation in group if citation.category))
    phases = ", ".join(dict.fromkeys(citation.phase for citation in group if citation.phase))
    return CitedDocument(str(group[0].number), categories or None, phases or None, header)
