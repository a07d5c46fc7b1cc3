"""Measures: ranks → scores, one file per family, looked up by name."""

from antecede.measures.definition import MEASURES, Cutoff, Level, Measure, MeasureDefinition, measure
from antecede.measures.names import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.measures.ranks import Ranks
from antecede.measures.single_ranking import score

__all__ = [
    "DEFAULT_MEASURES",
    "MEASURES",
    "Cutoff",
    "Level",
    "Measure",
    "MeasureDefinition",
    "Ranks",
    "measure",
    "parse_measure",
    "parse_measures",
    "score",
]
