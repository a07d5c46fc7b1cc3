"""The sections of the report with scores: overview, scores, comparison and studies, as data for the templates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison import Agreement, Comparison
from antecede.evaluation.scores import format_total
from antecede.measures.definition import mean
from antecede.report.display_text import clean, clean_name, count_noun, join_words
from antecede.report.figures import FIGURES
from antecede.report.figures.comparisons import means
from antecede.report.figures.paper import find_figure
from antecede.report.page import Explained, PageTable, Picture, embed_figure, make_table
from antecede.report.results import KeptStudy, ReportPart, RunFacts
from antecede.study import Cutoffs, Robustness
from antecede.tables import Table, best_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.report.results import Study
    from antecede.tables import Value

HEADLINE_MEASURES = 4
"""Measures in the first table."""
METHOD_MEASURES = ("PRES", "AP", "R")
"""The measures of the table of methods: PRES, and those of the papers' first table, MAP and recall."""


def make_overview(parts: Sequence[ReportPart], explained: Explained) -> dict[str, Any]:
    """The overview of all parts: their numbers in one line, and tables across parts."""
    runs, topics = sum(len(part.scores.runs) for part in parts), sum(len(part.scores.topics) for part in parts)
    several = f"{count_noun(len(parts), 'part')}, " if len(parts) > 1 else ""
    return {
        "facts": f"{several}{count_noun(runs, 'run')}, {count_noun(topics, 'topic')} evaluated",
        "headline": _make_headline(parts, explained),
        "methods": _make_methods_table(parts, explained),
        "robustness": _make_robustness_table(parts, explained),
    }


def _make_headline(parts: Sequence[ReportPart], explained: Explained) -> PageTable:
    names = list(dict.fromkeys(str(measure) for part in parts for measure in part.scores.measures[:HEADLINE_MEASURES]))
    names = names[:HEADLINE_MEASURES]
    rows: list[tuple[Value, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    for part in parts:
        best, baseline, signs = part.best_run, part.baseline_run, _collect_marks(part.comparison)[0]
        roles = {best: "best" if best != baseline else "best, baseline"}
        if baseline is not None:
            roles.setdefault(baseline, "baseline")
        for place, (run, role) in enumerate(roles.items()):
            name = part.scores.runs[run]
            values = [_find_total(part, measure, run) for measure in names]
            marks |= {(len(rows), 3 + m): signs[name, n] for m, n in enumerate(names) if (name, n) in signs}
            rows.append(("" if place else clean(part.title), role if len(part.scores.runs) > 1 else "", name, *values))
    notes = [f"Best by {parts[0].scores.measures[0]}."] if any(len(part.scores.runs) > 1 for part in parts) else []
    if not any(part.comparison is not None and part.comparison.baseline is not None for part in parts):
        marks = {}
    if marks:
        notes.append("† significantly better, ‡ significantly worse than the baseline of the part.")
    table = Table(("part", "", "run", *names), tuple(rows), notes=(" ".join(notes),) if notes else (), marks=marks)
    return make_table(table, explained, caption="The best run and the baseline", sortable=False)


def _find_total(part: ReportPart, measure: str, run: int) -> Value:
    """The score of a run as the tables show it; None where the part lacks that measure."""
    for at, known in enumerate(part.scores.measures):
        if str(known) == measure:
            return format_total(part.scores.totals[at, run], int(part.scores.never()[at, run]))
    return None


def _make_methods_table(parts: Sequence[ReportPart], explained: Explained) -> PageTable | None:
    """Methods × parts for PRES, MAP and recall; None where no run occurs in two parts."""
    names = [{clean_name(run): at for at, run in enumerate(part.scores.runs)} for part in parts]
    methods = list(dict.fromkeys(name for runs in names for name in runs))
    if len(methods) == sum(map(len, names)):
        return None
    measures = _choose_measures(parts)
    columns, better = [], []
    for measure in measures:
        for part, places in zip(parts, names, strict=True):
            columns.append([_find_total(part, measure, places[name]) if name in places else None for name in methods])
            better.append(next((m.definition.better for m in part.scores.measures if str(m) == measure), None))
    numbers = [[v if isinstance(v, int | float) else float("nan") for v in column] for column in columns]
    table = Table(
        ("method", *(clean(part.title) for _ in measures for part in parts)),
        tuple((name, *values) for name, values in zip(methods, zip(*columns, strict=True), strict=True)),
        best=best_of(numbers, better),
    )
    heads = {"": 1, **dict.fromkeys(measures, len(parts))}
    spans = tuple({"text": head, "columns": n, "entry": explained.get(head, "")} for head, n in heads.items())
    return make_table(table, caption=f"Methods by part: {join_words(measures)}", spans=spans)


def _choose_measures(parts: Sequence[ReportPart]) -> list[str]:
    """The first PRES, the first average precision and the first recall; without any, the first two measures."""
    measures = [measure for part in parts for measure in part.scores.measures]
    by_name = {measure.definition.name: str(measure) for measure in reversed(measures)}
    chosen = [by_name[name] for name in METHOD_MEASURES if name in by_name]
    return chosen or list(dict.fromkeys(map(str, measures)))[:2]


def _make_robustness_table(parts: Sequence[ReportPart], explained: Explained) -> PageTable | None:
    """The mean τ of each part and level, one column per measure; None unless two parts have the study."""
    studies = [(part, study) for part in parts if isinstance(study := part.studies.get("robustness"), Robustness)]
    if len(studies) < 2:
        return None
    measures = list(dict.fromkeys(name for _, study in studies for name in study.measures))
    rows: list[tuple[Value, ...]] = []
    best: set[tuple[int, int]] = set()
    for part, study in studies:
        for at, level in enumerate(study.levels):
            means = dict(zip(study.measures, study.mean[:, at].tolist(), strict=True))
            values = [means.get(name, float("nan")) for name in measures]
            known = {value for value in values if not np.isnan(value)}
            if len(known) > 1:
                best |= {(len(rows), 2 + m) for m, value in enumerate(values) if value == max(known)}
            rows.append((clean(part.title) if not at else "", level, *values))
    note = "Kendall’s τ with the order of the runs under all judgements; means over the samples."
    table = Table(("part", "kept", *measures), tuple(rows), notes=(note,), best=frozenset(best), digits=3)
    return make_table(table, explained, caption="Robustness by part", sortable=False)


def make_scores(part: ReportPart, anchor: str, explained: Explained) -> dict[str, Any]:
    """The section on the scores of a part."""
    caption = f"Runs sorted by {part.scores.measures[0]}, best first"
    figure = embed_figure(part.figures.get("systems") or FIGURES["systems"](part.scores), f"{anchor}-systems", caption)
    return {"table": _make_scores_table(part, explained), "figure": figure, "means": _embed_means(part, anchor)}


def _embed_means(part: ReportPart, anchor: str) -> Picture | None:
    """The means with their intervals, by the first measure whose score is a mean over topics for all runs."""
    scores, baseline = part.scores, part.baseline_run
    averaged = [m for m in part.topic_measures if scores.measures[m].definition.aggregate is mean]
    chosen = next((m for m in averaged if np.isfinite(scores.totals[m]).all()), None)
    if chosen is None or len(scores.topics) < 2:
        return None
    caption = f"Means of {scores.measures[chosen]} with 95 % bootstrap intervals over topics, best first"
    caption += f"; hollow: the baseline, {clean_name(scores.runs[baseline])}" if baseline is not None else ""
    return embed_figure(part.figures.get("means") or means(scores, chosen, baseline), f"{anchor}-means", caption)


def _make_scores_table(part: ReportPart, explained: Explained) -> PageTable:
    scores, (marks, legend) = part.scores, _collect_marks(part.comparison)
    facts = [part.runs.get(run, RunFacts()) for run in scores.runs]
    costs: dict[str, list[float | None]] = {
        "terms": [fact.terms for fact in facts],
        "ms per topic": [fact.milliseconds for fact in facts],
        "ms for the query": [fact.making for fact in facts],
    }
    costs = {name: values for name, values in costs.items() if any(value is not None for value in values)}
    pairs = part.comparison if part.comparison is not None and part.comparison.baseline is None else None
    letters = {} if pairs is None else {str(row[1]): str(row[0]) for row in pairs.table().rows}
    names = [str(measure) for measure in scores.measures]
    never = scores.never()
    rows: list[tuple[Value, ...]] = [
        (
            *([letters[run]] if letters else []),
            run,
            *map(format_total, scores.totals[:, at], never[:, at]),
            *(values[at] for values in costs.values()),
        )
        for at, run in enumerate(scores.runs)
    ]
    first = 2 if letters else 1
    better = [measure.definition.better for measure in scores.measures]
    table = Table(
        (*([""] if letters else []), "run", *names, *costs),
        tuple(rows),
        notes=(*scores.notes(), *legend),
        best=best_of([list(map(float, column)) for column in scores.totals], better, first=first),
        marks={
            (row, first + m): marks[run, name]
            for row, run in enumerate(scores.runs)
            for m, name in enumerate(names)
            if (run, name) in marks
        },
    )
    baseline = part.baseline_run
    tags = {} if baseline is None else {clean_name(scores.runs[baseline]): "baseline"}
    lower = {name for name, kind in zip(names, better, strict=True) if kind == "lower"} | set(costs)
    return make_table(table, explained, caption="Scores by run", lower=lower, one_digit=costs, tags=tags)


def _collect_marks(comparison: Comparison | None) -> tuple[dict[tuple[str, str], str], tuple[str, ...]]:
    if comparison is None:
        return {}, ()
    table = comparison.table()
    names = table.columns.index("run")
    marks = {(str(table.rows[r][names]), table.columns[c]): mark.strip() for (r, c), mark in table.marks.items()}
    return marks, table.notes


MAX_ALL_PAIRS = 12
"""Up to so many runs, a comparison without a baseline lists all pairs."""
MAX_DRAWN = 400
"""Differences that are drawn one by one."""


def make_comparison(part: ReportPart, anchor: str, explained: Explained) -> dict[str, Any] | None:
    """The section on the comparison of a part; None for a single run."""
    if part.comparison is None:
        return None
    figure = _embed_comparison(part.comparison, f"{anchor}-compare", part.figures.get("compare"))
    return {"figure": figure, "details": _make_details_table(part, part.comparison, explained)}


def _make_details_table(part: ReportPart, comparison: Comparison, explained: Explained) -> PageTable:
    """Every difference with interval, effect and p; of all pairs of many runs, only those with the best run."""
    table = comparison.details()
    best = part.scores.runs[part.best_run]
    if comparison.baseline is None and len(part.scores.runs) > MAX_ALL_PAIRS:
        kept = [row for row, values in enumerate(table.rows) if best in values[1:3]]
        place = {old: new for new, old in enumerate(kept)}
        table = replace(
            table,
            rows=tuple(table.rows[row] for row in kept),
            marks={(place[row], column): mark for (row, column), mark in table.marks.items() if row in place},
            notes=(*table.notes, f"Only the pairs with {clean_name(best)}, the best run by {part.scores.measures[0]}."),
        )
    return make_table(table, explained)


def _embed_comparison(comparison: Comparison, name: str, drawn_before: bytes | None) -> Picture:
    """The figure of a comparison; with many runs for the first measures only, since the table has them all."""
    drawn = comparison.measures[: max(1, MAX_DRAWN // max(len(comparison.pairs), 1))]
    whole = drawn_before if drawn == comparison.measures else None
    figure = whole or FIGURES["compare"](replace(comparison, measures=drawn))
    if comparison.baseline is None:
        caption = "Significant differences between all pairs of runs"
    else:
        level = f"{100 * (1 - comparison.plan.alpha):g} %"
        caption = f"Differences from {clean_name(comparison.baseline)} with {level} bootstrap intervals"
    left = comparison.measures[len(drawn) :]
    return embed_figure(figure, name, f"{caption}; {', '.join(left)}: see the table" if left else caption)


MAX_SHOWN = 20
"""Rows of a table that is shown beside its figure; a longer table is folded."""
MAX_CROSSINGS = 200
"""Crossings that are listed one by one."""

TITLES: Mapping[str, str] = {
    "robustness": "Robustness to missing judgements",
    "agreement": "Agreement of measures",
    "correlation": "Correlation of measures",
    "cutoffs": "Scores by cut-off",
    "query_length": "Number of terms",
    "judges": "Two sets of judgements",
}
"""Titles by the name of the verb, in the order of the page."""

CAPTIONS: Mapping[str, str] = {
    "robustness": "How well each measure preserves the order of the runs when judgements are missing",
    "agreement": "How often the measures agree on pairs of runs, and how many pairs each distinguishes",
    "correlation": "How similarly the measures order the runs",
    "cutoffs": "Scores against the number of documents read",
    "term_counts": "Scores against the number of terms in the queries",
}
"""Captions by the name of the figure; the summary of the figure where there is none."""


def make_studies(part: ReportPart, anchor: str, explained: Explained) -> list[dict[str, Any]]:
    """A section for each study of a part, the ones with a known title first."""
    order = sorted(part.studies, key=lambda name: [*TITLES, name].index(name))
    return [_make_study(part, name, anchor, explained) for name in order]


def _make_study(part: ReportPart, name: str, anchor: str, explained: Explained) -> dict[str, Any]:
    study = part.studies[name]
    definition = FIGURES[study.figure] if isinstance(study, KeptStudy) else find_figure(study)
    caption = CAPTIONS.get(definition.name) or definition.summary
    table = study.table()
    grouped = any(row[0] == "" for row in table.rows)  # a name applies to the rows below it: they stay together
    return {
        "name": name,
        "title": TITLES.get(name, name.capitalize()),
        "figure": embed_figure(part.figures.get(name) or definition(study), f"{anchor}-{name}", caption),
        "table": make_table(table, explained, sortable=not grouped),
        "folded": len(table.rows) > MAX_SHOWN,
        "further": [make_table(further, explained) for further in _list_further(study)],
    }


def _list_further(study: Study) -> list[Table]:
    if isinstance(study, Agreement) and study.contradictions:
        return [study.contradictions_table()]
    if isinstance(study, Cutoffs) and study.crossings:
        return [study.crossings_table(most=MAX_CROSSINGS)]
    return [*study.tables()[1:]]
