"""Studies of measures: cut-offs, missing judgements, the published tables; and simulated runs to apply them to."""

from antecede.study.cutoffs import Crossing, Cutoffs, cutoffs
from antecede.study.judgement_loss import read_groups
from antecede.study.judges import compare_judges
from antecede.study.meta_evaluation import meta_evaluate
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
    "compare_judges",
    "cutoffs",
    "meta_evaluate",
    "published",
    "read_groups",
    "retrievability",
    "robustness",
    "simulate",
]
