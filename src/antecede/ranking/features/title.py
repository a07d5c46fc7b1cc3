"""Similar titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.topic import filed_under
from antecede.ranking.attributes import attributes_of
from antecede.ranking.features.classes import NOT_A_PATENT
from antecede.ranking.features.registry import Absent, feature

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats

NO_TITLE = Absent("the topic has no title in the language of the search")


@feature("title", kind="metadata", cite="Robertson, Zaragoza & Taylor, CIKM 2004, on fields that count more")
def title(at: Evidence) -> Floats | Absent:
    """The cosine of the titles of topic and document, rare words counting more.

    Σ r(t)² over the shared terms / (length of the topic's vector · length of the document's), r(t) = log((N + 1) / df)
    in the whole texts, each term once. The title of a document is the one in the language of its proceedings. Helps
    where the text is short; says little where titles are general ("Apparatus and method").
    """
    patent = at.task.patent
    if patent is None:
        return NOT_A_PATENT
    written = patent.title.get(filed_under(patent, at.task.language), "")
    own = set(at.index.analyzer(at.task.language).terms(written)) if written else set()
    if not own:
        return NO_TITLE
    titles, cache = attributes_of(at.index).titles(at.pool, at.task.language)
    statistics = at.index.statistics(at.task.language)

    def weigh(terms: list[str]) -> NDArray[np.float64]:
        df = statistics.frequencies(terms).documents
        found: NDArray[np.float64] = np.log((statistics.documents + 1) / np.maximum(df, 1)) ** 2
        return found

    squares = cache.values_of(weigh)[titles.items]
    lengths = np.sqrt(titles.add_up(squares))
    shared = titles.add_up(np.where(cache.mark(own)[titles.items], squares, 0.0))
    return np.divide(shared, lengths, out=np.zeros(len(shared)), where=lengths > 0)
