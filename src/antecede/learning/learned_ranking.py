"""Learn the weights of a ranking from topics, and say what they are worth: `antecede learn weights`.

How well weights rank is measured on topics that they were not learned from. Topics are sorted by date and cut into
blocks of equal size. Each block but the first is ranked with weights that were learned from the blocks before it:
nobody can learn from the future.

Linear weights are found by logistic regression on relevant documents and the hardest of the others, starting from the
default. With the score s(d) = Σ_f w(f) · x(f, d) + b, the loss of a topic is the mean of log(1 + exp(−s)) over its
relevant candidates plus the mean of log(1 + exp(s)) over candidates that are not relevant: the 200 that the default
weights rank highest, and 100 drawn at random. A penalty λ/2 · Σ_f (w(f) − c·w₀(f))² keeps the weights near the default
w₀, whose scale c is fitted first: few topics change little, and a feature that no topic has keeps its weight. No weight
is below 0, so that a share never counts against a document. The loss is convex.

Trees are LambdaMART (Burges, 2010) with LightGBM, the extra `antecede[learn]`. They see interactions that a sum cannot
express, such as a class that counts only for short texts. They pay with some hundred topics; with fewer, linear weights
are better. LightGBM is deterministic here: one thread, a fixed seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from antecede.comparison import TopicValues, compare
from antecede.errors import InputError
from antecede.measures.definition import mean
from antecede.measures.names import parse_measure
from antecede.measures.ranks import Ranks
from antecede.ranking.weights import TreeModel, Weights, encode_name, load_lightgbm, weigh, write_weights
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.arrays import F32, I32, Floats
    from antecede.comparison import Comparison
    from antecede.learning.examples import Example, Examples

    Scorer = Callable[[F32], NDArray[np.floating]]
    """The scores of candidates from their features."""
    Learner = Callable[[Examples], Scorer]

_CLASSIC, _FIXED, _LINEAR, _TREES = "classic", "fixed weights", "learned weights", "learned trees"
_MIN_TOPICS_TO_CHOOSE = 20
"""Topics that it takes to choose the penalty."""
_MIN_TOPICS = 5
"""Topics that it takes to learn at all."""
_DECIMALS = 4
"""Of a weight in a file."""
MEASURES = ("R@100", "AP@1000", "PRES@1000")
DEPTH = 1000
"""Documents of a ranking that count."""
_BLOCKS = 5
STRENGTHS = (0.003, 0.01, 0.03, 0.1)
"""Penalties that are tried."""
DEFAULT_STRENGTH = 0.03
_HARD, _RANDOM = 200, 100
"""Candidates of a topic that are not relevant: the highest by the default weights, and some at random."""
_SMALL = 1e-4
"""The penalty while the scale is fitted: it keeps it finite where weights separate the sample perfectly."""
_ITERATIONS = 300


@dataclass(frozen=True, eq=False)
class Learned(Tabled):
    """Weights learned from topics, and how they rank topics that they were not learned from."""

    weights: Weights
    strength: float
    """The penalty on large weights that was chosen."""
    topics: int
    failed: Mapping[str, int]
    """Topics that could not be used, by reason."""
    days: tuple[str | None, str | None]
    """The dates of the earliest and of the latest topic."""
    pool_recall: float
    """The share of relevant documents among the candidates: no weights can find more."""
    comparison: Comparison | None
    """The classic search, the default weights and the learned ones on later topics; None where there are too few."""
    worth: Mapping[str, Floats] = field(default_factory=dict)
    """Feature → what each measure loses when weights are learned without it."""
    trees: TreeModel | None = None
    """Trees learned from the same topics, where they were asked for."""
    curve: Table | None = None
    """The figures of weights learned from fewer topics, where they were asked for."""

    @property
    def ranking(self) -> Weights:
        """What is written: the trees if there are any, else the weights."""
        if self.trees is None:
            return self.weights
        return Weights(tuple((feature, 1.0) for feature, _ in self.weights.features), trees=self.trees)

    def table(self) -> Table:
        """The weights, and what each feature is worth."""
        rows = [
            (str(feature), round(weight, _DECIMALS), *([*self.worth[str(feature)]] if self.worth else []))
            for feature, weight in self.weights.features
        ]
        worth = tuple(f"worth, {measure}" for measure in MEASURES) if self.worth else ()
        first, last = self.days
        title = f"Weights learned from {self.topics} topics" + (f", {first} to {last}" if first and last else "")
        notes = [f"the candidates include {self.pool_recall:.1%} of the relevant documents"]
        if self.worth:
            notes.append("worth: what a measure loses on later topics if weights are learned without the feature")
        notes += [f"{count} topics not used: {why}" for why, count in self.failed.items()]
        return Table(("feature", "weight", *worth), tuple(rows), title=title, notes=tuple(notes))

    def tables(self) -> tuple[Table, ...]:
        """The weights, and the comparison on later topics."""
        return (self.table(), *(self.comparison.tables() if self.comparison is not None else ()))

    def to_dict(self) -> dict[str, Any]:
        """The result in a JSON-compatible form."""
        worth = {name: dict(zip(MEASURES, values.tolist(), strict=True)) for name, values in self.worth.items()}
        return {
            "weights": {str(feature): weight for feature, weight in self.weights.features},
            "strength": self.strength,
            "topics": self.topics,
            "failed": dict(self.failed),
            "days": list(self.days),
            "pool_recall": self.pool_recall,
            "worth": worth,
            "comparison": self.comparison.to_dict() if self.comparison is not None else None,
        }

    def write(self, path: Path) -> None:
        """Write the ranking to a file for `--ranking`, with what they were learned from."""
        about = {"topics": self.topics, "days": list(self.days), "strength": self.strength}
        if self.comparison is not None:
            about["scores"] = {
                measure: dict(zip(self.comparison.runs, map(float, values), strict=True))
                for measure, values in self.comparison.scores.items()
            }
        write_weights(self.ranking, path, learned=about)


def learn_ranking(
    examples: Examples,
    *,
    kind: Literal["linear", "trees"] = "linear",
    worth: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Learned:
    """Learn a ranking from examples, and validate it by date.

    `kind` is `linear` for weights, none below 0, or `trees` for gradient-boosted trees. `worth` says whether to learn
    weights again without each feature, to see what it is worth.
    """
    if len(examples) < _MIN_TOPICS:
        raise InputError(f"{len(examples)} topics are too few to learn from; at least {_MIN_TOPICS} are needed")
    steps = 2 + (len(examples.features) if worth else 0)

    def report(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    weights, strength = fit_linear(examples)
    if not weights.any():
        raise InputError("no feature tells relevant documents from others, so there is no ranking to learn")
    report(1)
    learners: dict[str, Learner] = {_LINEAR: lambda earlier: partial(weigh_candidates, weights=fit_linear(earlier)[0])}
    if kind == "trees":
        learners[_TREES] = lambda earlier: fit_trees(earlier).score
    comparison = _compare_on_later(examples, learners)
    report(2)
    losses: dict[str, Floats] = {}
    if worth and comparison is not None:
        scores = _validated_means(examples, strength)
        for number, name in enumerate(examples.features, 3):
            others = examples.choose_features(other for other in examples.features if other != name)
            losses[name] = scores - _validated_means(others, strength)
            report(number)
    days = [str(topic.day) for topic in examples.topics if topic.day is not None]
    return Learned(
        weigh({name: round(float(weight), _DECIMALS) for name, weight in zip(examples.features, weights, strict=True)}),
        strength,
        len(examples),
        examples.failed,
        (days[0], days[-1]) if days else (None, None),
        examples.pool_recall,
        comparison,
        losses,
        fit_trees(examples) if kind == "trees" else None,
    )


def _compare_on_later(examples: Examples, learners: Mapping[str, Learner]) -> Comparison | None:
    """Compare the classic search, the default and what learners learn on topics later than those learned from."""
    tested = [at for _, block in blocks_by_date(examples) for at in block]
    if len(tested) < _MIN_TOPICS:
        return None
    later = examples.take(tested).topics
    learned = [_validate(examples, learner)[1] for learner in learners.values()]
    systems = [[topic.classic for topic in later], _ranks_by_weights(later, examples.fixed), *learned]
    by_measure = dict(zip(MEASURES, score_ranks(later, systems), strict=True))
    return compare(TopicValues(by_measure, (_CLASSIC, _FIXED, *learners)))


def _validated_means(examples: Examples, strength: float) -> Floats:
    """The mean of each measure on later topics, by weights learned with a penalty."""
    tested, ranks = _validate(examples, lambda earlier: partial(weigh_candidates, weights=fit(earlier, strength)))
    means: Floats = mean(score_ranks(examples.take(tested).topics, [ranks])[:, 0])
    return means


def fit_linear(examples: Examples) -> tuple[Floats, float]:
    """Linear weights, and the penalty that ranks the latest quarter of the topics best when learned from the others."""
    strength = DEFAULT_STRENGTH
    folds = blocks_by_date(examples, 4)
    if len(examples) >= _MIN_TOPICS_TO_CHOOSE and folds:
        earlier, later = (examples.take(which) for which in folds[-1])
        systems = [_ranks_by_weights(later.topics, fit(earlier, each)) for each in STRENGTHS]
        recall = mean(score_ranks(later.topics, systems)[0]).tolist()
        _, strength = max(zip(recall, STRENGTHS, strict=True))
    return fit(examples, strength), strength


def fit(examples: Examples, strength: float) -> Floats:
    return fit_weights(draw_sample(examples), examples.fixed, strength)


def learning_curve(examples: Examples, sizes: Sequence[int] = (10, 25, 50, 100, 200, 400), *, draws: int = 5) -> Table:
    """How good weights learned from so many of the earlier 60 % of topics are on the others, mean over draws."""
    cut = round(len(examples) * 0.6)
    test = examples.take(range(cut, len(examples))).topics
    base = mean(score_ranks(test, [[topic.classic for topic in test], _ranks_by_weights(test, examples.fixed)]))
    rows: list[tuple[str | float, ...]] = [(_CLASSIC, *base[:, 0]), (_FIXED, *base[:, 1])]
    for size in [*(size for size in sizes if size < cut), cut]:
        means = []
        for draw in range(draws if size < cut else 1):
            chosen = np.sort(np.random.default_rng(draw).permutation(cut)[:size])
            weights, _ = fit_linear(examples.take(chosen.tolist()))
            means.append(mean(score_ranks(test, [_ranks_by_weights(test, weights)])[:, 0]))
        rows.append((f"{size} topics", *mean(np.array(means).T)))
    return Table(("learned from", *MEASURES), tuple(rows), title=f"Learning curve, tested on {len(test)} later topics")


# Validation


def relevant_ranks(example: Example, scores: NDArray[np.floating]) -> I32:
    """The ranks of the relevant candidates that are among the best; equal scores by name."""
    order = np.argsort(-scores, kind="stable")[:DEPTH]  # candidates are ordered by name
    return (np.flatnonzero(example.relevant[order]) + 1).astype(np.int32)


def score_ranks(examples: Sequence[Example], systems: Sequence[Sequence[I32]]) -> Floats:
    """float64[measures, systems, topics] from the ranks that each system gives to relevant documents of each topic."""
    totals = np.array([example.total for example in examples], np.int64)
    offsets = np.concatenate(([0], np.cumsum(totals)))
    ranks = np.zeros((len(systems), int(offsets[-1])), np.int32)
    for row, system in zip(ranks, systems, strict=True):
        for start, own in zip(offsets, system, strict=False):
            row[start : start + len(own)] = own
    retrieved = np.full((len(systems), len(examples)), DEPTH, np.int32)
    table = Ranks(ranks, np.ones(len(ranks[0]), np.int32), offsets, retrieved)
    return np.stack([parse_measure(measure).score(table) for measure in MEASURES])


def blocks_by_date(examples: Examples, blocks: int = _BLOCKS) -> list[tuple[list[int], list[int]]]:
    """For each block of topics but the first: the topics before it, and its own. Topics of one day stay together."""
    days = [topic.day for topic in examples.topics]
    cuts = [0]
    for part in range(1, blocks):
        at = max(len(days) * part // blocks, cuts[-1])
        while 0 < at < len(days) and days[at] == days[at - 1]:
            at += 1
        cuts.append(at)
    cuts.append(len(days))
    pairs = [([*range(start)], [*range(start, end)]) for start, end in pairwise(cuts[1:])]
    return [pair for pair in pairs if pair[0] and pair[1]]


def _validate(examples: Examples, learn: Learner) -> tuple[list[int], list[I32]]:
    """The topics that were tested, and the ranks of their relevant documents by weights learned from earlier topics."""
    tested: list[int] = []
    ranks: list[I32] = []
    for earlier, later in blocks_by_date(examples):
        scorer = learn(examples.take(earlier))
        tested += later
        ranks += [relevant_ranks(topic, scorer(topic.values)) for topic in examples.take(later).topics]
    return tested, ranks


def _ranks_by_weights(topics: Sequence[Example], weights: Floats) -> list[I32]:
    return [relevant_ranks(topic, weigh_candidates(topic.values, weights)) for topic in topics]


# Linear weights


@dataclass(frozen=True, eq=False)
class Sample:
    """Candidates of several topics."""

    values: Floats
    """float64[features, candidates]."""
    signs: Floats
    """1 for a relevant candidate, −1 for another."""
    importance: Floats
    """What each counts: every topic counts the same, and so do its relevant and its other candidates."""


def draw_sample(examples: Examples) -> Sample:
    """The candidates that weights are learned from; topics without a relevant or without another one teach nothing."""
    random = np.random.default_rng(0)
    rows, signs, importance = [np.zeros((0, len(examples.fixed)))], [np.zeros(0)], [np.zeros(0)]
    for topic in examples.topics:
        others = np.flatnonzero(~topic.relevant)
        if not topic.relevant.any() or not len(others):
            continue
        hardest = others[np.argsort(-weigh_candidates(topic.values[others], examples.fixed), kind="stable")[:_HARD]]
        drawn = random.choice(others, min(_RANDOM, len(others)), replace=False)
        for chosen, sign in ((np.flatnonzero(topic.relevant), 1.0), (np.union1d(hardest, drawn), -1.0)):
            rows.append(topic.values[chosen].astype(np.float64))
            signs.append(np.full(len(chosen), sign))
            importance.append(np.full(len(chosen), 1 / len(chosen)))
    every = np.concatenate(importance)
    values = np.ascontiguousarray(np.concatenate(rows).T)
    return Sample(values, np.concatenate(signs), every / max(every.sum() / 2, 1.0))


def _weigh(values: NDArray[np.floating], weights: Floats) -> Floats:
    """Σ_f w(f) · x(f, d) for each candidate, from x[features, candidates].

    Not by the linear algebra library: its threads would compete with those of others, and change the last digits.
    """
    total = np.zeros(values.shape[1])
    for weight, row in zip(weights, values, strict=True):
        total += weight * row
    return total


def weigh_candidates(values: NDArray[np.floating], weights: Floats) -> Floats:
    """Σ_f w(f) · x(f, d) for each candidate, from x[candidates, features]."""
    return _weigh(values.T, weights)


def fit_weights(sample: Sample, default: Floats, strength: float) -> Floats:
    """The weights of least loss, the largest of them 1; the default where there is nothing to learn from."""
    from scipy.optimize import minimize

    if not len(sample.signs):
        return default / max(float(default.max(initial=0)), 1e-300)
    none = np.zeros_like(default)

    def scaled(at: Floats) -> tuple[float, Floats]:
        value, slope = loss(np.append(at[0] * default, at[1]), sample, none, _SMALL)
        return value, np.array([slope[:-1] @ default, slope[-1]])

    scale, constant = minimize(scaled, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    centre = max(float(scale), 0.0) * default
    fitted = minimize(
        loss,
        np.append(centre, constant),
        args=(sample, centre, strength),
        jac=True,
        method="L-BFGS-B",
        bounds=[*[(0, None)] * len(default), (None, None)],
        options={"maxiter": _ITERATIONS},
    )
    weights: Floats = np.maximum(fitted.x[:-1], 0)
    largest = float(weights.max(initial=0))
    return weights / largest if largest > 0 else weights


def loss(at: Floats, sample: Sample, centre: Floats, strength: float) -> tuple[float, Floats]:
    """The loss of weights and a constant, with the penalty, and its gradient."""
    margins = sample.signs * (_weigh(sample.values, at[:-1]) + at[-1])
    aside = at[:-1] - centre
    value = float((sample.importance * np.logaddexp(0, -margins)).sum()) + strength / 2 * float((aside**2).sum())
    slope = -sample.importance * sample.signs * np.exp(-np.logaddexp(0, margins))
    return value, np.append(np.einsum("n,fn->f", slope, sample.values) + strength * aside, slope.sum())


# Trees

_FEW_TOPICS = 200
"""With fewer topics the trees are smaller and fewer."""
_PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "min_data_in_leaf": 50,
    "lambdarank_truncation_level": 100,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "label_gain": [0, 1],
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}


def fit_trees(examples: Examples) -> TreeModel:
    lightgbm = load_lightgbm()
    topics = [topic for topic in examples.topics if topic.relevant.any()]
    few = len(topics) < _FEW_TOPICS
    data = lightgbm.Dataset(
        np.concatenate([topic.values for topic in topics]),
        np.concatenate([topic.relevant for topic in topics]).astype(np.int8),
        group=[len(topic.relevant) for topic in topics],
        feature_name=[*map(encode_name, examples.features)],
        free_raw_data=True,
    )
    parameters = {**_PARAMETERS, "num_leaves": 7 if few else 15}
    return TreeModel("learned trees", lightgbm.train(parameters, data, 100 if few else 200).model_to_string())
