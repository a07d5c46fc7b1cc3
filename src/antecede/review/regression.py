"""Logistic and Poisson regression with a ridge penalty, by Newton's method: deterministic.

Both minimise the weighted negative log-likelihood plus ridge·|w|²/2, the intercept not penalised. Features are expected
to be standardised. SciPy's `trust-exact` gives the same weights within 4e-8 and takes 1.4 to 5 times as long on 20,000
states, and a calibration makes dozens of fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROUNDS = 60
LARGEST = 30.0
"""Linear predictors are cut here, far above the logarithm of the size of any collection."""


def fit_logistic(values: Floats, labels: Floats, weights: Floats, ridge: float) -> Floats:
    """The intercept and one weight per feature; P = 1/(1 + e^−(w₀ + w·x)).

    >>> x = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> fit_logistic(x, np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), 1e-9).round(3).tolist()[0] > 0
    True
    """

    def mean_and_curvature(predictor: Floats) -> tuple[Floats, Floats]:
        mean = special.expit(predictor)
        return mean, mean * (1 - mean)

    start = float(special.logit((labels @ weights + 0.5) / (weights.sum() + 1)))  # the share of ones, off 0 and 1
    return fit(values, labels, weights, ridge, mean_and_curvature, start)


def fit_poisson(values: Floats, counts: Floats, weights: Floats, ridge: float) -> Floats:
    """The intercept and one weight per feature; the mean is e^(w₀ + w·x)."""

    def mean_and_curvature(predictor: Floats) -> tuple[Floats, Floats]:
        mean = np.exp(predictor)
        return mean, mean

    start = float(np.log((counts @ weights + 0.5) / (weights.sum() + 0.5)))
    return fit(values, counts, weights, ridge, mean_and_curvature, start)


def fit(
    values: Floats,
    labels: Floats,
    weights: Floats,
    ridge: float,
    mean_and_curvature: Callable[[Floats], tuple[Floats, Floats]],
    start: float,
) -> Floats:
    """Newton's method with step halving on the penalised gradient; starts at the intercept alone."""
    design = np.column_stack([np.ones(len(values)), values])
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 1e-9
    found = np.zeros(design.shape[1])
    found[0] = start
    size = gradient_size(design, labels, weights, penalty, mean_and_curvature, found)
    for _ in range(ROUNDS):
        mean, curvature = mean_and_curvature(predict(design, found))
        gradient = design.T @ (weights * (mean - labels)) + penalty * found
        hessian = (design * (weights * curvature)[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(found)), gradient)
        share = 1.0
        while share > 1e-4:
            tried = found - share * step
            shrunk = gradient_size(design, labels, weights, penalty, mean_and_curvature, tried)
            if shrunk < size:
                break
            share /= 2
        if share <= 1e-4:
            break
        found, size = tried, shrunk
        if np.abs(share * step).max() < 1e-8:
            break
    return found


def predict(design: Floats, found: Floats) -> Floats:
    """The linear predictor, cut where it would overflow."""
    predictor: Floats = np.clip(design @ found, -LARGEST, LARGEST)
    return predictor


def gradient_size(
    design: Floats,
    labels: Floats,
    weights: Floats,
    penalty: Floats,
    mean_and_curvature: Callable[[Floats], tuple[Floats, Floats]],
    found: Floats,
) -> float:
    """The length of the gradient, which is 0 at the minimum of a convex function."""
    mean, _ = mean_and_curvature(predict(design, found))
    gradient = design.T @ (weights * (mean - labels)) + penalty * found
    return float(np.sqrt(gradient @ gradient))
