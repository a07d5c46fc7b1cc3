"""trec_eval's habits: its groups of measures, and the names under which it prints them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.measures.registry import Measure

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
RECALL_LEVELS = tuple(f"iprec_at_recall_{level / 10:.2f}" for level in range(11))
SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")


def at_cutoffs(*names: str, cutoffs: Sequence[int] = CUTOFFS) -> Iterator[str]:
    """Each measure at each cut-off."""
    return (f"{name}_{cutoff}" for name in names for cutoff in cutoffs)


OFFICIAL = (*COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", *RECALL_LEVELS, *at_cutoffs("P"))
GROUPS: dict[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": (*COUNTS, "utility", *SETS),
    "all_trec": (
        *OFFICIAL,
        *at_cutoffs("recall"),
        *("infAP", "gm_bpref"),
        *(f"Rprec_mult_{mult / 5:.2f}" for mult in range(1, 11)),
        *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
        *at_cutoffs("ndcg_cut", "map_cut", "relative_P"),
        *at_cutoffs("success", cutoffs=(1, 5, 10)),
        *SETS,
        *("num_nonrel_judged_ret", "rbp", "rbp_resid"),
        *at_cutoffs("unj", cutoffs=(5, 10, 20)),
    ),
}
"""Groups of measures that trec_eval has a name for, in the order in which it prints them."""


def write_trec_eval_names(measures: Sequence[Measure]) -> list[str]:
    """The names under which trec_eval prints these measures; ours for one that it does not have, or that is ambiguous.

    trec_eval sets the level of relevance for all measures at once (-l), so it is not part of their names.
    """
    names = [find_name(measure) for measure in measures]
    return [
        name if name is not None and names.count(name) == 1 else str(measure).replace(" ", "")
        for name, measure in zip(names, measures, strict=True)
    ]


def find_name(measure: Measure) -> str | None:
    """The name that denotes exactly this measure in trec_eval, whatever its level of relevance."""
    given = {name: value for name, value in measure.arguments if name != "rel"}
    for pattern, fixed in measure.definition.trec_eval.items():
        places = re.findall(r"\{(\w+)\}", pattern)
        if {*places, *fixed} == {*given} and all(given[name] == value for name, value in fixed.items()):
            written = {name: f"{given[name]:.2f}" if isinstance(given[name], float) else given[name] for name in places}
            return pattern.format(**written)
    return None


def is_whole_number(measure: Measure) -> bool:
    """Whether trec_eval prints the measure without decimals: counts."""
    return any(name.startswith("num_") for name in measure.definition.trec_eval)
