"""Copies of the topic among the leading documents: another publication of the same text under another number.

A family id names them where it is known. Where it is not, a copy may carry the very citations that a search is to find,
those of the topic, so that they must not be followed. A copy is recognised by its text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from antecede.query.topic import filed_under, text_of
from antecede.ranking.vectors import CandidateVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.patent import Patent
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence
    from antecede.text import Analyzer

COVERED = 0.8
"""The share of the occurrences of the topic's terms that a document must contain to be compared with it at all."""
COVERED_BY_TERMS = 0.5
"""The same where only the weights of terms are known: feedback has moved them."""
ALIKE = 0.9
"""The share of terms that a copy and the topic have in common."""
FIELDS = ("description", "claims", "abstract")
"""The first of these that both have is compared."""


def find_copies(at: Evidence, documents: Candidates) -> NDArray[np.bool_]:
    """Which documents are copies of the topic."""
    found = np.zeros(len(documents), np.bool_)
    patent, query = at.task.patent, at.task.query
    if patent is None:
        return found
    wanted = np.array(query.counts, np.float64) if query.counts else np.ones(len(query))
    matches = CandidateVectors(at.index, documents, at.task.language).match(at.term_slots)
    shared = np.minimum(matches.counts, wanted.take(matches.terms)).astype(np.float32)
    covered = matches.add_up(shared, np.ones(len(wanted))) / max(float(wanted.sum()), 1.0)
    analyzer = at.index.analyzer(at.task.language)
    for each in np.flatnonzero(covered >= (COVERED if query.counts else COVERED_BY_TERMS)).tolist():
        segment = documents.matrices[int(documents.places[each, 0])][0]
        other = segment.store.record(int(documents.documents[each]))
        found[each] = are_alike(patent, other, at.task.language, analyzer)
    return found


def are_alike(one: Patent, other: Patent, language: str, analyzer: Analyzer) -> bool:
    """Whether the first field that both patents have is nearly the same text: Σ min n(t) / Σ max n(t) is .9 or more."""
    for field in FIELDS:
        texts = [text_of(each, (field,), filed_under(each, language)) for each in (one, other)]
        if all(texts):
            first, second = (Counter(analyzer.terms(text)) for text in texts)
            return (first & second).total() >= ALIKE * max((first | second).total(), 1)
    return False
