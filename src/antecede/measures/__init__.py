"""Measures: ranks → scores, one file per family, looked up by name."""

from antecede.measures.parse import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.measures.ranks import Ranks
from antecede.measures.registry import MEASURES, Measure, MeasureDefinition, measure
from antecede.measures.single_ranking import score

__all__ = [
    "DEFAULT_MEASURES",
    "MEASURES",
    "Measure",
    "MeasureDefinition",
    "Ranks",
    "measure",
    "parse_measure",
    "parse_measures",
    "score",
]
