"""What learns from examples: linear weights, and gradient-boosted trees.

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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.ranking.weights import TreeModel, encode_name, load_lightgbm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.learning.examples import Examples

    Floats = NDArray[np.float64]

STRENGTHS = (0.003, 0.01, 0.03, 0.1)
"""Penalties that are tried."""
DEFAULT_STRENGTH = 0.03
_HARD, _RANDOM = 200, 100
"""Candidates of a topic that are not relevant: the highest by the default weights, and some at random."""
_SMALL = 1e-4
"""The penalty while the scale is fitted: it keeps it finite where weights separate the sample perfectly."""
_ITERATIONS = 300


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
    """Trees that rank the relevant candidates first."""
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
