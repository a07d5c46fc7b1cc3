"""The tables of docs/stopping.md and of the guide to reviews, made from the results of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.review.assessment import RULES, STATED
from antecede.review.feedback import ACTIVE, STATIC
from antecede.review.simulation import LEVELS
from docs.site.stopping_results import (
    CALIBRATED,
    CALIBRATIONS,
    COLLECTIONS,
    CONFIDENCE,
    DOCS,
    FEWEST,
    FUSED,
    PATENTS,
    SINGLE,
    TARGET,
    mean,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from docs.site.stopping_results import Workplace


def number(value: float, digits: int = 2) -> str:
    """`.95`, `1.00`, `12.3`: a share without its leading zero; a dash for what was not computed."""
    if np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def p_value(value: float) -> str:
    """`.0044`, `1e-05`."""
    return f"{value:.2g}".removeprefix("0") if value >= 1e-4 else f"{value:.0e}"


def feedback_rows(at: Workplace, fewest: int, percents: Sequence[int]) -> list[list[str]]:
    """The effort with each kind of feedback."""
    rows = []
    for name in PATENTS:
        size = {"fulltext": "full texts", "abstract": "abstracts"}[name]
        found = [row for row in at.result(f"feedback-{name}")[str(fewest)] if row["recall"] in percents]
        for row in found:
            first = row["feedback"] == STATIC
            head = f"{size}, {row['topics']} topics with {fewest} or more" if row is found[0] else ""
            read = f"{row['mean']:.0f} ({row['low']:.0f}–{row['high']:.0f})"
            what = [head, f"{row['recall']} %" if first else "", row["feedback"], read, f"{row['median']:.0f}"]
            if not first:
                saved = f"{100 * row['saved']:.0f} % ({100 * row['saved_low']:.0f} to {100 * row['saved_high']:.0f})"
                what += [
                    saved.replace("-", "−"),
                    f"{row['better']} / {row['worse']}",
                    *(p_value(row[k]) for k in ("p_t", "p_wilcoxon")),
                ]
            rows.append([*what, *[""] * (9 - len(what))])
    return rows


def rule_rows(at: Workplace) -> list[list[str]]:
    """Reliability and effort of every rule on every collection, means over lists."""
    names = at.computed("rules", COLLECTIONS)
    columns = [[*at.lists(f"rules-{name}").values()] for name in names]
    rows = []
    for place, rule in enumerate(RULES):
        cells = [f"`{rule}`"]
        for lists in columns:
            found = [each["rows"][place] for each in lists]
            cells += [number(mean(row[what] for row in found)) for what in ("reliability", "effort")]
        rows.append(cells)
    level = STATED.index(TARGET)
    last = [f"**`{CALIBRATED}(left={1 - TARGET:.2g})`**"]
    for name in names:
        last += [f"**{number(mean_of(at, name, level, what))}**" for what in ("observed", "effort")]
    ideal = ["known when to stop"]
    for lists in columns:
        ideal += ["1.00", number(mean(each["ideal"] for each in lists), 3)]
    return [*rows, last, ideal]


def splits_of(at: Workplace, name: str) -> list[list[dict[str, float]]]:
    """The rows of all random halves, of all lists of a collection."""
    return [rows for each in at.lists(f"calibrated-{name}").values() for rows in each["splits"]]


def mean_of(at: Workplace, name: str, level: int, what: str) -> float:
    """A figure of the calibrated rule, as a mean over random halves and lists."""
    return mean(rows[level][what] for rows in splits_of(at, name))


def stated_rows(at: Workplace) -> list[list[str]]:
    """Stated against observed reliability, and in brackets the share of the list that is read."""
    return [
        [
            number(level),
            *(
                f"{number(mean_of(at, name, place, 'observed'), 3)} ({number(mean_of(at, name, place, 'effort'))})"
                for name in at.computed("calibrated", CALIBRATIONS)
            ),
        ]
        for place, level in enumerate(STATED)
    ]


def spread_row(at: Workplace) -> list[str]:
    """At the stated reliability of the target, the 5 % and 95 % quantiles of what is observed in random halves."""
    level = STATED.index(TARGET)
    cells = []
    for name in at.computed("calibrated", CALIBRATIONS):
        observed = [rows[level]["observed"] for rows in splits_of(at, name)]
        low, high = np.quantile(observed, (0.05, 0.95)).tolist() if observed else (float("nan"), float("nan"))
        cells.append(f"{number(low)} to {number(high)}")
    return [f"{number(TARGET)}, range", *cells]


def confidence_row(at: Workplace) -> list[str]:
    """The observed reliability with a bound that holds for most calibrations, and what is read."""
    cells = []
    columns = at.computed("calibrated", CALIBRATIONS)
    for name in at.computed("confidence", PATENTS):
        rows = at.result(f"confidence-{name}")["splits"]
        observed, read = (mean(row[what] for row in rows) for what in ("observed", "effort"))
        kept = sum(row["observed"] >= TARGET for row in rows)
        cells.append(f"{number(observed, 3)} ({number(read)}), {kept} of {len(rows)} halves")
    return [f"{number(TARGET)}, confidence {number(CONFIDENCE, 1)}", *cells, *["–"] * (len(columns) - len(cells))]


def estimator_rows(at: Workplace) -> list[list[str]]:
    """Coverage, error and width of every estimator, means over lists, pairs and random halves."""
    by_collection = []
    for name in at.computed("estimators", COLLECTIONS):
        parts = [at.lists(f"estimators-{name}"), at.result(f"estimators-{name}")["chapman"]]
        by_collection.append([row for part in parts for rows in part.values() for row in rows])
    keys = dict.fromkeys((row["estimator"], row["read"]) for rows in by_collection for row in rows)
    found: dict[tuple[str, float], list[str]] = {}
    for key in keys:
        for rows in by_collection:
            here = [row for row in rows if (row["estimator"], row["read"]) == key]
            means = [mean(row[what] for row in here) for what in ("coverage", "error", "width")]
            found.setdefault(key, []).append(f"{number(means[0])} / {number(means[1])} / {number(means[2], 1)}")
    return [[f"`{name}`, {number(share)}", *cells] for (name, share), cells in found.items()]


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def replace_table(page: Path, table: list[str]) -> None:
    """Put a table in the place of the one whose first column has the same name."""
    lines = page.read_text().split("\n")
    key = table[0].split("|")[1]
    starts = [place for place, line in enumerate(lines) if line.startswith(f"|{key}|")]
    if len(starts) != 1:
        raise ValueError(f"{page.name}: {len(starts)} tables begin with the column{key}")
    end = next(place for place in range(starts[0], len(lines) + 1) if not lines[place : place + 1][0].startswith("|"))
    lines[starts[0] : end] = table
    page.write_text("\n".join(lines))


FEEDBACK_HEAD = ("recall", "feedback", "read", "median", "saved", "better / worse", "p (t)", "p (Wilcoxon)")
TITLES = {
    "fulltext": "full texts",
    "abstract": "abstracts",
    FUSED: "TREC-8, fused",
    SINGLE: "TREC-8, single runs",
    f"fulltext-{ACTIVE}": "full texts, active",
    f"abstract-{ACTIVE}": "abstracts, active",
}


def write_tables(at: Workplace) -> None:
    """Put all tables into the pages."""
    stopping, guide = DOCS / "stopping.md", DOCS / "guides/reviews.md"
    rules, calibrated, estimators = (
        [TITLES[name] for name in at.computed(kind, CALIBRATIONS)] for kind in ("rules", "calibrated", "estimators")
    )
    pairs = [cell for each in rules for cell in (f"{each}: reliability", "effort")]
    replace_table(guide, write_table(("collection", *FEEDBACK_HEAD), feedback_rows(at, FEWEST, LEVELS)))
    fewer = [*feedback_rows(at, 2, (95,)), *feedback_rows(at, 1, (95,))]
    replace_table(guide, write_table(("more topics", *FEEDBACK_HEAD), fewer))
    replace_table(stopping, write_table(("rule", *pairs), rule_rows(at)))
    replace_table(
        stopping, write_table(("stated", *calibrated), [*stated_rows(at), spread_row(at), confidence_row(at)])
    )
    replace_table(stopping, write_table(("estimator, share read", *estimators), estimator_rows(at)))
