"""The studies that an experiment can make, each with the options its file may give: a new one is an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.comparison import CORRECTIONS, TESTS
from antecede.experiment.values import flag, many, number, path, text, whole, word
from antecede.study.cutoffs import CUTOFFS, FAMILIES
from antecede.study.judgement_loss import LOSSES, LOST
from antecede.study.term_counts import COUNTS
from antecede.study.term_counts import MEASURES as TERM_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.evaluation import RankTable
    from antecede.experiment.values import Kind
    from antecede.report.results import Study
    from antecede.tables import Table

MEASURES = ("AP@1000", "R@1000", "PRES@1000")
"""What the papers hold beside each other."""
FEWEST_RUNS = 2


def measure(value: Any, at: Any) -> str:
    """A measure in its normal form."""
    from antecede.measures import parse_measure

    return str(at.passed_on(lambda: parse_measure(text(value, at))))


def family(value: Any, at: Any) -> str:
    """A measure without its cut-off."""
    from antecede.study.cutoffs import parse_family

    at.passed_on(lambda: parse_family(text(value, at), 10))
    return str(value)


def query_method(value: Any, at: Any) -> str:
    """A query method in its normal form."""
    from antecede.query.methods import parse_method

    return str(at.passed_on(lambda: parse_method(text(value, at))))


def groups(value: Any, at: Any) -> dict[str, str]:
    """Which group made which run, from a file."""
    from antecede.study import read_groups

    found: dict[str, str] = at.passed_on(lambda: read_groups(path(value, at)))
    return found


TESTING: dict[str, Kind] = {
    "test": word(*TESTS),
    "correction": word(*CORRECTIONS),
    "alpha": number(0, 1),
    "samples": whole(1),
    "seed": whole(),
}


@dataclass(frozen=True)
class Kept:
    """A study of the runs in a rank table."""

    keys: Mapping[str, Kind]
    defaults: Mapping[str, Any]
    make: Callable[[RankTable, Mapping[str, Any]], Study] | None
    """None where the study searches, and so cannot be made from ranks alone."""
    tables: Callable[[Any], Mapping[str, Table]]
    usual: bool = True
    """Whether it is made where the file does not say."""
    orders: bool = False
    """Whether it looks at the order of the runs: a measure under which all are equal has none."""


def robustness(ranks: RankTable, options: Mapping[str, Any]) -> Study:
    from antecede.study import robustness

    return robustness(
        ranks, options["measures"], **{name: each for name, each in options.items() if name != "measures"}
    )


def agreement(ranks: RankTable, options: Mapping[str, Any]) -> Study:
    from antecede.comparison import agreement
    from antecede.evaluation import evaluate

    how = {name: each for name, each in options.items() if name != "measures"}
    return agreement(evaluate(ranks, options["measures"]), **how)


def correlate(ranks: RankTable, options: Mapping[str, Any]) -> Study:
    from antecede.comparison import correlate
    from antecede.evaluation import evaluate

    return correlate(evaluate(ranks, options["measures"]))


def cutoffs(ranks: RankTable, options: Mapping[str, Any]) -> Study:
    from antecede.study import cutoffs

    return cutoffs(ranks, options["measures"], at=options["at"])


STUDIES: dict[str, Kept] = {
    "robustness": Kept(
        {
            "measures": many(measure),
            "keep": many(number()),
            "samples": whole(1, 100_000),
            "seed": whole(),
            "lose": word(*LOSSES),
            "lost": word(*LOST),
            "groups": groups,
            "rel": whole(1),
        },
        {"measures": MEASURES, "samples": 100},
        robustness,
        lambda found: {
            "robustness": found.table(),
            **({"robustness-groups": found.groups_table()} if found.sample_names else {}),
        },
        orders=True,
    ),
    "agreement": Kept(
        {"measures": many(measure), **TESTING},
        {"measures": MEASURES},
        agreement,
        lambda found: {"agreement": found.table(), "contradictions": found.contradictions_table()},
    ),
    "correlate": Kept(
        {"measures": many(measure)}, {"measures": MEASURES}, correlate, lambda found: {"correlate": found.table()}
    ),
    "cutoffs": Kept(
        {"measures": many(family), "at": many(whole(1))},
        {"measures": FAMILIES, "at": CUTOFFS},
        cutoffs,
        lambda found: {"cutoffs": found.table(), "crossings": found.crossings_table()},
    ),
    "terms": Kept(
        {"measures": many(measure), "methods": many(query_method), "at": many(whole(1))},
        {"measures": TERM_MEASURES, "at": COUNTS},
        None,
        lambda found: {"terms": found.table()},
        usual=False,
    ),
}
"""By the name of the verb. `terms` sweeps the number of terms, and needs the index."""


def wanted(value: Any, at: Any) -> dict[str, Any] | None:
    """A study's options in the file: true, false, or a table; None for a study that is not wanted."""
    from antecede.experiment.values import table

    kept = STUDIES[at.key[-1]]
    if isinstance(value, bool) or not isinstance(value, dict):
        return dict(kept.defaults) if flag(value, at) else None
    return {**kept.defaults, **table(kept.keys)(value, at)}
