"""Estimators: how many relevant documents there are in all, one file each."""

from antecede.review.estimators.registry import (
    ESTIMATORS,
    Bounds,
    Estimate,
    Estimator,
    EstimatorDefinition,
    estimate,
    estimator,
    parse_estimator,
)

__all__ = [
    "ESTIMATORS",
    "Bounds",
    "Estimate",
    "Estimator",
    "EstimatorDefinition",
    "estimate",
    "estimator",
    "parse_estimator",
]
