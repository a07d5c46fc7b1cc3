"""Measures under study: cut-offs, missing judgements, the papers' own tables; and simulated runs to try them on."""

from antecede.study.cutoffs import Crossing, Cutoffs, cutoffs
from antecede.study.groups import read_groups
from antecede.study.losses import WAYS
from antecede.study.published import Published, published
from antecede.study.robustness import Robustness, robustness
from antecede.study.simulated import Simulation, simulate

__all__ = [
    "WAYS",
    "Crossing",
    "Cutoffs",
    "Published",
    "Robustness",
    "Simulation",
    "cutoffs",
    "published",
    "read_groups",
    "robustness",
    "simulate",
]
