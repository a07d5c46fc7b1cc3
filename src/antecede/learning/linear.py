"""Linear weights: each relevant document should be ranked above those that are not known to be relevant.

With the score s(d) = Σ_f w(f) · x(f, d), the loss of a topic is the mean over its relevant candidates r of

    log(exp s(r) + Σ_n exp s(n)) − s(r),        n: candidates that are not relevant

which is the softmax loss of ListNet (Cao et al., ICML 2007) with one relevant document at a time, so that relevant
documents do not compete with each other. It is convex in w. A penalty keeps the weights small where there are few
topics; none is below 0, so that a share never counts against a document.

>>> examples = stack([np.array([[1.0, 0.2], [0.0, 0.9], [0.1, 0.1]])], [np.array([True, False, False])])
>>> [round(float(each), 2) for each in fit_weights(examples, strength=0.01)]
[1.0, 0.0]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRENGTHS = (0.003, 0.03, 0.3)
"""Penalties that are tried."""
ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Stack:
    """The candidates of several topics, one topic after the other. Every topic has relevant and other candidates."""

    values: NDArray[np.float32]
    """float32[candidates, features]."""
    relevant: NDArray[np.int64]
    """The relevant candidates."""
    starts: NDArray[np.int64]
    """The first candidate of each topic."""
    topics: NDArray[np.int64]
    """The topic of each candidate."""

    @property
    def importance(self) -> Floats:
        """What each relevant candidate counts: every topic counts the same."""
        topics = self.topics[self.relevant]
        return 1 / (np.bincount(topics, minlength=len(self.starts))[topics] * len(self.starts))


def stack(values: Sequence[NDArray[np.floating]], relevant: Sequence[NDArray[np.bool_]]) -> Stack:
    """The candidates of topics; topics without a relevant candidate, or without another, teach nothing."""
    kept = [at for at, each in enumerate(relevant) if 0 < np.count_nonzero(each) < len(each)]
    sizes = np.array([len(relevant[at]) for at in kept], np.int64)
    width = values[0].shape[1] if len(values) else 0
    return Stack(
        np.concatenate([np.zeros((0, width), np.float32), *(values[at] for at in kept)]).astype(np.float32),
        np.flatnonzero(np.concatenate([np.zeros(0, np.bool_), *(relevant[at] for at in kept)])),
        np.cumsum(sizes) - sizes,
        np.repeat(np.arange(len(kept)), sizes),
    )


def fit_weights(examples: Stack, strength: float) -> Floats:
    """The weights of least loss, the largest of them 1; all 0 where there is nothing to learn from."""
    from scipy.optimize import minimize

    width = examples.values.shape[1]
    if not len(examples.starts) or not width:
        return np.zeros(width)
    found = minimize(
        loss,
        np.ones(width),
        args=(examples, strength),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * width,
        options={"maxiter": ITERATIONS},
    )
    weights: Floats = np.maximum(found.x, 0)
    largest = float(weights.max())
    return weights / largest if largest > 0 else weights


def loss(weights: Floats, examples: Stack, strength: float) -> tuple[float, Floats]:
    """The loss with its penalty, and its gradient."""
    scores = (examples.values @ weights.astype(np.float32)).astype(np.float64)
    scores -= np.maximum.reduceat(scores, examples.starts)[examples.topics]
    powers = np.exp(scores)
    good, topics, importance = examples.relevant, examples.topics[examples.relevant], examples.importance
    others = powers.copy()
    others[good] = 0
    total = powers[good] + np.add.reduceat(others, examples.starts)[topics]
    value = float(importance @ (np.log(total) - scores[good]))
    slope = others * np.bincount(topics, importance / total, len(examples.starts))[examples.topics]
    slope[good] = importance * (powers[good] / total - 1)
    gradient = (slope.astype(np.float32) @ examples.values).astype(np.float64)
    return value + strength / 2 * float(weights @ weights), gradient + strength * weights
