"""The figures of docs/studies/stopping.csv, made from the results of the study of feedback, estimators and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.review.assessment import RULES, STATED
from antecede.review.reading import ACTIVE, STATIC
from antecede.review.simulation import LEVELS
from docs.site.evidence import Figure, write_figures
from docs.site.stopping_results import (
    CALIBRATED,
    CALIBRATIONS,
    COLLECTIONS,
    CONFIDENCE,
    FEWEST,
    FUSED,
    PATENTS,
    SINGLE,
    TARGET,
    mean,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from docs.site.stopping_results import Workplace

TITLES = {
    "fulltext": "full texts",
    "abstract": "abstracts",
    FUSED: "TREC-8, fused",
    SINGLE: "TREC-8, single runs",
    f"fulltext-{ACTIVE}": "full texts, active",
    f"abstract-{ACTIVE}": "abstracts, active",
}


def number(value: float, digits: int = 4) -> str:
    """A figure as it is stored; nothing for what was not computed."""
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def share(value: float) -> str:
    """`.95`: a share in the name of a system."""
    return f"{value:.2f}".removeprefix("0")


def rule_figures(at: Workplace) -> Iterator[Figure]:
    """Reliability and effort of every rule on every collection, means over lists."""
    measures = ("reliability", "effort")
    names = at.computed("rules", COLLECTIONS)
    lists = {name: [*at.lists(f"rules-{name}").values()] for name in names}
    for place, rule in enumerate(RULES):
        for name in names:
            for measure in measures:
                value = mean(each["rows"][place][measure] for each in lists[name])
                yield Figure(TITLES[name], "rule", str(rule), measure, number(value))
    level = STATED.index(TARGET)
    for name in names:
        for measure, what in zip(measures, ("observed", "effort"), strict=True):
            rule = f"{CALIBRATED}(left={1 - TARGET:.2g})"
            yield Figure(TITLES[name], "rule", rule, measure, number(mean_of(at, name, level, what)))
        ideal = mean(each["ideal"] for each in lists[name])
        yield Figure(TITLES[name], "rule", "known when to stop", "reliability", "1")
        yield Figure(TITLES[name], "rule", "known when to stop", "effort", number(ideal))


def splits_of(at: Workplace, name: str) -> list[list[dict[str, float]]]:
    """The rows of all random halves, of all lists of a collection."""
    return [rows for each in at.lists(f"calibrated-{name}").values() for rows in each["splits"]]


def mean_of(at: Workplace, name: str, level: int, what: str) -> float:
    """A figure of the calibrated rule, as a mean over random halves and lists."""
    return mean(rows[level][what] for rows in splits_of(at, name))


def stated_figures(at: Workplace) -> Iterator[Figure]:
    """Stated against observed reliability of the calibrated rule, and the share of the list that is read."""
    for place, level in enumerate(STATED):
        for name in at.computed("calibrated", CALIBRATIONS):
            for what in ("observed", "effort"):
                yield Figure(TITLES[name], "stated", share(level), what, number(mean_of(at, name, place, what)))
    for name in at.computed("calibrated", CALIBRATIONS):
        observed = [rows[STATED.index(TARGET)]["observed"] for rows in splits_of(at, name)]
        low, high = np.quantile(observed, (0.05, 0.95)).tolist()
        part = f"stated {share(TARGET)}, 5 % to 95 % of halves"
        yield Figure(TITLES[name], part, CALIBRATED, "observed", f"{share(low)} to {share(high)}")
    for name in at.computed("confidence", PATENTS):
        rows = at.result(f"confidence-{name}")["splits"]
        system = f"{share(TARGET)}, confidence .{CONFIDENCE * 10:.0f}"
        for what in ("observed", "effort"):
            yield Figure(TITLES[name], "stated", system, what, number(mean(row[what] for row in rows)))


def estimator_figures(at: Workplace) -> Iterator[Figure]:
    """Coverage, error and width of every estimator, means over lists, pairs and random halves."""
    for name in at.computed("estimators", COLLECTIONS):
        parts = [at.lists(f"estimators-{name}"), at.result(f"estimators-{name}")["chapman"]]
        found = [row for part in parts for rows in part.values() for row in rows]
        for estimator, read in dict.fromkeys((row["estimator"], row["read"]) for row in found):
            here = [row for row in found if (row["estimator"], row["read"]) == (estimator, read)]
            for what in ("coverage", "error", "width"):
                value = number(mean(row[what] for row in here))
                yield Figure(TITLES[name], "estimator", f"{estimator}, {share(read)}", what, value)


def feedback_figures(at: Workplace, fewest: int, percents: Sequence[int]) -> Iterator[Figure]:
    """The effort with each kind of feedback."""
    for name in PATENTS:
        for row in at.result(f"feedback-{name}")[str(fewest)]:
            if row["recall"] not in percents:
                continue
            group = f"{TITLES[name]}, {row['topics']} topics with {fewest} or more"
            part = "feedback" if row["recall"] == TARGET * 100 else f"feedback, {row['recall']} % recall"
            facts = {"read": row["mean"], "read, low": row["low"], "read, high": row["high"], "median": row["median"]}
            if row["feedback"] != STATIC:
                facts |= {"saved": 100 * row["saved"], "p (t)": row["p_t"], "p (Wilcoxon)": row["p_wilcoxon"]}
                facts |= {"saved, low": 100 * row["saved_low"], "saved, high": 100 * row["saved_high"]}
            for measure, value in facts.items():
                yield Figure(group, part, row["feedback"], measure, f"{value:.4g}")


def write_tables(at: Workplace) -> None:
    """Store all figures, and write the page."""
    figures = [*rule_figures(at), *stated_figures(at), *estimator_figures(at), *feedback_figures(at, FEWEST, LEVELS)]
    figures += [*feedback_figures(at, 2, (95,)), *feedback_figures(at, 1, (95,))]
    write_figures("stopping", figures)
