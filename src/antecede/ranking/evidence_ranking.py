"""From a topic to a ranking: the pool is gathered, each feature scores it, the normalised scores are added up.

The score of a document is Σ_f w(f) · s(f, d) / max over the pool of s(f, ·); for a feature whose scores mean something
by themselves, such as citations, w(f) · min(1, s(f, d) / the score that counts fully). Sums are made of 32-bit numbers,
one feature after the other, so that the shares of the features, added up in the same way, are the score itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.evidence import Candidates, Evidence, Leaders
from antecede.ranking.features import Absent, parse_feature
from antecede.ranking.weights import CLASSIC, Weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antecede.arrays import F32, Floats
    from antecede.ranking.evidence import RankingTask
    from antecede.ranking.features import Feature
    from antecede.ranking.weights import TreeModel


POOL = 1000
"""Documents that each search brings into the pool at least."""
_LEADERS = 50
"""The best candidates by the text features, whose citations are followed."""


@dataclass(frozen=True, eq=False)
class ScoredPool:
    """The candidates of a topic with what each feature says of them: what weights are applied to, or learned from."""

    candidates: Candidates
    features: tuple[str, ...]
    """The features that were computed, in the order in which they are added up."""
    scores: F32
    """One row per feature, one column per candidate: from 0 to 1 for the best of the pool."""
    absent: Mapping[str, Absent]
    """The features that could not be computed, with the reason."""
    milliseconds: Mapping[str, float]
    """Processor time by feature; `pool` is the time for gathering the candidates."""
    of_text: frozenset[str]
    """Which of the features look at the text."""
    sources: Mapping[str, int]
    """How many documents each feature brought; several may bring the same."""


@dataclass(frozen=True, eq=False)
class EvidenceRanking:
    """The best candidates of a pool, with what each feature contributes."""

    candidates: Candidates
    """Best first."""
    scores: F32
    shares: F32
    """One row per feature, one column per candidate; a column adds up to the score."""
    pool: ScoredPool
    retrieves: bool
    """Whether a feature of the text finds documents: else those of the search that the settings describe are ranked."""

    @property
    def features(self) -> tuple[tuple[str, bool], ...]:
        """The features, in the order in which they are added up, and whether each looks at the text."""
        return tuple((name, name in self.pool.of_text) for name in self.pool.features)


@dataclass(eq=False)
class _Scoring:
    """The scores of one topic as they are computed."""

    weights: Weights
    absent: dict[str, Absent] = field(default_factory=dict)
    scores: dict[str, Floats] = field(default_factory=dict)
    milliseconds: dict[str, float] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)

    def gather(self, at: Evidence, features: Iterable[Feature]) -> Candidates:
        """The documents that features bring into the pool, each once, by their number."""
        begun = time.thread_time()
        parts = {str(feature): part for feature in features if (part := feature.retrieve(at)) is not None}
        self.sources |= {name: len(part) for name, part in parts.items()}
        numbers = np.concatenate([np.zeros(0, np.int64), *(part.numbers for part in parts.values())])
        pool = Candidates(np.unique(numbers), at.index)
        self.spend("pool", begun)
        return pool

    def compute(self, at: Evidence, features: Iterable[Feature]) -> None:
        """Score a pool by features; those of a further part of the pool are appended."""
        for feature in features:
            name, begun = str(feature), time.thread_time()
            scores = feature.scores(at)
            if isinstance(scores, Absent):
                self.absent[name] = scores
            else:
                before = self.scores.get(name)
                self.scores[name] = scores if before is None else np.concatenate((before, scores))
            self.spend(name, begun)

    def spend(self, name: str, begun: float) -> None:
        self.milliseconds[name] = self.milliseconds.get(name, 0.0) + 1000 * (time.thread_time() - begun)

    def normalized(self) -> tuple[tuple[str, ...], F32]:
        """The features that were computed, in the order of the weights, and the normalised scores of each."""
        used = [feature for feature, _ in self.weights.used if str(feature) in self.scores]
        rows = [normalize(self.scores[str(feature)], feature.definition.full) for feature in used]
        return tuple(map(str, used)), np.stack(rows) if rows else np.zeros((0, 0), np.float32)


def normalize(scores: Floats, full: float | None = None) -> F32:
    """Scores divided by the largest, so that they reach from 0 to 1; scores below 0 are first moved up to 0.

    With `full`, scores divided by it, and 1 for larger ones: the best of the pool need not be good.
    """
    moved = scores - min(float(scores.min(initial=0.0)), 0.0)
    if full is not None:
        return np.minimum(moved / full, 1.0).astype(np.float32)
    most = float(moved.max(initial=0.0))
    return (moved / most if most > 0 else np.zeros_like(moved)).astype(np.float32)


def _weigh(weights: Weights, names: Sequence[str], scores: F32) -> F32:
    by_name = {str(feature): weight for feature, weight in weights.used}
    return np.array([by_name[name] for name in names], np.float32)[:, None] * scores


def _add_up(shares: F32, size: int) -> F32:
    """The sum of each column, in 32 bits, one row after the other."""
    total = np.zeros(size, np.float32)
    for row in shares:
        total += row
    return total


def score_pool(task: RankingTask, weights: Weights) -> ScoredPool:
    """Gather the candidates for a topic and score them by every feature that has a weight."""
    scoring = _Scoring(weights)
    chosen = [feature for feature, _ in weights.used]
    text = [feature for feature in chosen if feature.kind == "text"]
    others = [feature for feature in chosen if feature.kind != "text"]
    nothing = Candidates(np.zeros(0, np.int64), task.index)
    at = Evidence(task, nothing)
    pool = scoring.gather(at, text)
    # Where no feature of the text finds documents, the search that the settings describe does: others only score them.
    search = parse_feature(CLASSIC)
    at = at.with_pool(pool if len(pool) else scoring.gather(at, [search]))
    scoring.compute(at, text)
    leading = scoring
    if not scoring.scores:
        leading = _Scoring(Weights(((search, 1.0),)))
        leading.compute(at, [search])
    at = at.with_pool(at.pool, _lead(at.pool, leading))
    further = scoring.gather(at, others)
    further = further.take(at.pool.find(further) < 0)
    if len(further):
        scoring.compute(at.with_pool(further), [feature for feature in text if str(feature) in scoring.scores])
        at = at.with_pool(Candidates(np.concatenate((at.pool.numbers, further.numbers)), task.index))
    scoring.compute(at, others)
    names, scores = scoring.normalized()
    candidates = at.pool if names else nothing  # without a score there is no ranking
    of_text = frozenset(map(str, text))
    return ScoredPool(candidates, names, scores, scoring.absent, scoring.milliseconds, of_text, scoring.sources)


def _lead(pool: Candidates, scoring: _Scoring) -> Leaders:
    total = _add_up(_weigh(scoring.weights, *scoring.normalized()), len(pool))
    order = np.lexsort((pool.name_order, -total))[:_LEADERS]
    best = total[order].astype(np.float64)
    most = float(best.max(initial=0.0))
    return Leaders(pool.take(order), best / most if most > 0 else best)


def rank_by_evidence(task: RankingTask, weights: Weights, k: int) -> EvidenceRanking:
    """The k best documents for a topic by a weighted sum of features; equal scores by name."""
    pool = score_pool(task, weights)
    retrieves = any(feature.kind == "text" and feature.definition.retrieve is not None for feature, _ in weights.used)
    if weights.trees is not None:
        return _rank_by_trees(pool, weights, weights.trees, k, retrieves)
    shares = _weigh(weights, pool.features, pool.scores)
    total = _add_up(shares, len(pool.candidates))
    order = np.lexsort((pool.candidates.name_order, -total))[:k]
    shares = np.ascontiguousarray(shares[:, order])
    return EvidenceRanking(pool.candidates.take(order), total[order], shares, pool, retrieves)


def _rank_by_trees(pool: ScoredPool, weights: Weights, trees: TreeModel, k: int, retrieves: bool) -> EvidenceRanking:
    """The k best candidates by trees. What features contribute is computed for these only: it takes longer."""
    names = {name: at for at, name in enumerate(pool.features)}
    values = np.zeros((len(pool.candidates), len(weights.features)), np.float32)
    for column, (feature, _) in enumerate(weights.features):
        if str(feature) in names:  # a feature that is absent for the topic is 0, as it was in learning
            values[:, column] = pool.scores[names[str(feature)]]
    scores = trees.score(values) if len(values) else np.zeros(0, np.float32)
    best = np.lexsort((pool.candidates.name_order, -scores))[:k]
    rows = [at for at, (feature, _) in enumerate(weights.features) if str(feature) in names]
    every = trees.shares(values[best]) if len(best) else np.zeros((len(weights.features), 0), np.float32)
    shares = every[rows]
    if len(shares):  # what absent features contribute, by interaction, is part of the last share
        shares[-1] += np.delete(every, rows, axis=0).sum(axis=0, dtype=np.float32)
    total = _add_up(shares, len(best))
    order = np.lexsort((pool.candidates.name_order[best], -total))
    shares = np.ascontiguousarray(shares[:, order])
    return EvidenceRanking(pool.candidates.take(best[order]), total[order], shares, pool, retrieves)
