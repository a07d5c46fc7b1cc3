"""Studies of measures: cut-offs, missing judgements, the published tables; and simulated runs to apply them to."""

from antecede.study.cutoffs import Crossing, Cutoffs, cutoffs
from antecede.study.judgement_loss import read_groups
from antecede.study.judges import judges
from antecede.study.meta_evaluation import measures
from antecede.study.published import Published, published
from antecede.study.retrievability import retrievability
from antecede.study.robustness import Robustness, robustness
from antecede.study.simulation import Simulation, simulate

__all__ = [
    "Crossing",
    "Cutoffs",
    "Published",
    "Robustness",
    "Simulation",
    "cutoffs",
    "judges",
    "measures",
    "published",
    "read_groups",
    "retrievability",
    "robustness",
    "simulate",
]
