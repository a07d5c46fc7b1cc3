"""Comparisons of scores per topic that are given as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.comparison import Agreement, Anova, Comparison, TopicValues, agreement, anova, compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def compare_values(
    values: Mapping[str, Any], runs: Sequence[str], *, better: Mapping[str, str | None] | None = None, **options: Any
) -> Comparison:
    return compare(TopicValues(values, runs, better or {}), **options)


def agreement_of_values(
    values: Mapping[str, Any], runs: Sequence[str], *, better: Mapping[str, str | None] | None = None, **options: Any
) -> Agreement:
    return agreement(TopicValues(values, runs, better or {}), **options)


def anova_of_values(values: Mapping[str, Any], runs: Sequence[str], **options: Any) -> Anova:
    return anova(TopicValues(values, runs), **options)
