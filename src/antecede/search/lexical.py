"""Searching and scoring by terms for the features of a ranking, which are below this package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.models import CollectionFacts, Postings, parse_model
from antecede.search.searcher import further_searcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.filters import Filters
    from antecede.index.statistics import Frequencies
    from antecede.query import Query
    from antecede.ranking.vectors import TermMatches
    from antecede.search.hits import Hits
    from antecede.search.searcher import RowScores, Searcher

model_of = lru_cache(maxsize=64)(parse_model)


@dataclass(frozen=True, eq=False)
class ScoredHits:
    """The documents that a search found, and the scores of all others."""

    hits: Hits
    scores: Sequence[RowScores]
    """The score of every row of each matrix; none where only those of the hits are known."""

    @property
    def places(self) -> NDArray[np.int64]:
        """One row per document that was found: the position of its matrix, and its row there."""
        return self.hits.places

    def scores_at(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The score of documents; 0 for one that was not found, where only those of the hits are known."""
        found = np.zeros(len(places), np.float32)
        if not self.scores:
            known = {tuple(place): score for place, score in zip(self.places.tolist(), self.hits.scores, strict=True)}
            return np.array([known.get(tuple(place), 0.0) for place in places.tolist()], np.float32)
        for at, scores in enumerate(self.scores):
            here = places[:, 0] == at
            found[here] = scores[places[here, 1]]
        return found


class LexicalSearch:
    """Searches for one topic with the queries of features."""

    def __init__(self, searcher: Searcher) -> None:
        """`searcher` is the one of the search itself: a feature with the same model shares its impacts."""
        self.main = searcher
        self.found: dict[tuple[str, ...], Hits] = {}
        """What the model of the search itself found, by the terms of the query."""

    def searcher(self, model: str) -> Searcher:
        """The searcher with a ranking model."""
        chosen = model_of(model)
        return self.main if self.main.model == chosen else further_searcher(self.main.index, chosen)

    def search(self, query: Query, k: int, filters: Filters, model: str) -> ScoredHits:
        """The best documents by a ranking model, and the scores of all."""
        searcher = self.searcher(model)
        found = ScoredHits(*searcher.search_scored(query, k, filters, keep_scores=True))
        if searcher is self.main:
            self.found[query.terms] = found.hits
        return found

    def impacts(self, model: str, language: str, matches: TermMatches, frequencies: Frequencies) -> NDArray[np.float32]:
        """What each match is worth to a ranking model, per unit of query weight."""
        statistics = self.main.index.statistics(language)
        facts = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        df, cf = (each.astype(np.float64) for each in (frequencies.documents, frequencies.occurrences))
        chosen, found = model_of(model), np.empty(len(matches.terms), np.float32)
        for here, counts, lengths in matches.blocks():
            terms = matches.terms[here]
            found[here] = chosen.impacts(Postings(counts, lengths, df.take(terms), cf.take(terms)), facts)
        return found
