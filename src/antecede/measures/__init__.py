"""Ranks → scores: every measure, one file a family, found by its name."""

from antecede.measures.parse import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.measures.ranks import Ranks
from antecede.measures.registry import Definition, Measure, definitions, measure
from antecede.measures.single import score

__all__ = [
    "DEFAULT_MEASURES",
    "Definition",
    "Measure",
    "Ranks",
    "definitions",
    "measure",
    "parse_measure",
    "parse_measures",
    "score",
]
