"""The studies of a part: for each its figure, its table, and further tables to unfold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.comparison import Agreement
from antecede.report.figures.paper import find_figure
from antecede.report.page.pictures import Picture, embed_figure
from antecede.report.page.tables import Explained, PageTable, make_table
from antecede.study import Cutoffs, Robustness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.report.results import Part, Study
    from antecede.tables import Table

MAX_SHOWN = 20
"""Rows of a table that is shown beside its figure; a longer table is folded."""
MAX_CROSSINGS = 200
"""Crossings that are listed one by one."""

TITLES: Mapping[str, str] = {
    "robustness": "Robustness to missing judgements",
    "agreement": "Agreement of measures",
    "correlate": "Correlation of measures",
    "cutoffs": "Scores by cut-off",
    "terms": "Number of terms",
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


@dataclass(frozen=True)
class StudySection:
    """The section on one study."""

    name: str
    title: str
    figure: Picture
    table: PageTable
    folded: bool
    """Whether the table is too long to be shown beside the figure."""
    further: tuple[PageTable, ...]
    """Further tables, to unfold."""


def make_studies(part: Part, anchor: str, explained: Explained) -> tuple[StudySection, ...]:
    """A section for each study of a part, the ones with a known title first."""
    order = [*(name for name in TITLES if name in part.studies), *(n for n in part.studies if n not in TITLES)]
    return tuple(make_study(part, name, anchor, explained) for name in order)


def make_study(part: Part, name: str, anchor: str, explained: Explained) -> StudySection:
    """The section on one study."""
    study = part.studies[name]
    definition = find_figure(study)
    caption = CAPTIONS.get(definition.name) or definition.summary
    table = study.table()
    return StudySection(
        name,
        TITLES.get(name, name.capitalize()),
        embed_figure(part.figures.get(name) or definition(study), f"{anchor}-{name}", caption),
        make_table(table, explained, sortable=not spans_rows(table)),
        len(table.rows) > MAX_SHOWN,
        tuple(make_table(each, explained) for each in list_further(study)),
    )


def list_further(study: Study) -> list[Table]:
    """The further tables of a study, without empty ones."""
    found: list[Table] = []
    if isinstance(study, Agreement) and study.contradictions:
        found.append(study.contradictions_table())
    if isinstance(study, Cutoffs) and study.crossings:
        found.append(study.crossings_table(most=MAX_CROSSINGS))
    if isinstance(study, Robustness) and study.sample_names:
        found.append(study.groups_table())
    return found


def spans_rows(table: Table) -> bool:
    """Whether a name applies to the rows below it as well, so that the rows must stay together."""
    return any(row[0] == "" for row in table.rows)
