"""Stopping rules: whether to stop reading, one file each."""

from antecede.review.stopping.registry import (
    DEFAULT_TARGET,
    STOPPING_RULES,
    Decision,
    RuleDefinition,
    StoppingRule,
    decide,
    missable,
    parse_rule,
    required,
    stopping_rule,
)

__all__ = [
    "DEFAULT_TARGET",
    "STOPPING_RULES",
    "Decision",
    "RuleDefinition",
    "StoppingRule",
    "decide",
    "missable",
    "parse_rule",
    "required",
    "stopping_rule",
]
