"""Figures, as papers print them: each draws one result, the same that its table shows.

    from antecede.report import figures
    figures.robustness(result, "robustness.svg")     # .svg, .png or .pdf
    figures.robustness(result)                       # in a notebook

Every function returns the matplotlib figure, and writes it where a path is given, whole or not at all. The same result
gives the same bytes. Figures are told apart without colour, and are sized for one or both columns of a paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.report.drawing.agreement import agreement as draw_agreement
from antecede.report.drawing.compare import compare as draw_compare
from antecede.report.drawing.correlation import correlation as draw_correlation
from antecede.report.drawing.cutoffs import cutoffs as draw_cutoffs
from antecede.report.drawing.pres_curves import pres_recall as draw_pres_recall
from antecede.report.drawing.pres_curves import pres_rr as draw_pres_rr
from antecede.report.drawing.published import published as draw_published
from antecede.report.drawing.rank_changes import rank_changes as draw_rank_changes
from antecede.report.drawing.relevant_per_topic import relevant_per_topic as draw_relevant_per_topic
from antecede.report.drawing.robustness import robustness as draw_robustness
from antecede.report.drawing.saving import drawn, kind_of, rendered
from antecede.report.drawing.systems import systems as draw_systems
from antecede.report.drawing.term_counts import term_counts as draw_term_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from antecede.comparison.agreement import Agreement
    from antecede.comparison.comparison import Comparison
    from antecede.comparison.correlation import Correlations
    from antecede.corpus.topics import Topics
    from antecede.evaluation.rank_table import RankTable
    from antecede.evaluation.scores import Scores
    from antecede.study.cutoffs import Cutoffs
    from antecede.study.published_tables import Published
    from antecede.study.robustness import Robustness
    from antecede.study.term_counts import TermCounts

    Where = str | Path | None

__all__ = [
    "FIGURES",
    "agreement",
    "compare",
    "correlation",
    "cutoffs",
    "kind_of",
    "pres_recall",
    "pres_rr",
    "published",
    "rank_changes",
    "relevant_per_topic",
    "rendered",
    "robustness",
    "summary",
    "systems",
    "term_counts",
]


def systems(scores: Scores, path: Where = None, *, sort: str | None = None) -> Figure:
    """Systems sorted by one measure (the first, if none is named), with the others beside it (PRES, figure 5)."""
    return drawn(path, draw_systems, scores, sort)


def rank_changes(scores: Scores, path: Where = None, *, measures: Sequence[str] | None = None) -> Figure:
    """How the ranks of the systems change from measure to measure (PRES, figure 6)."""
    return drawn(path, draw_rank_changes, scores, measures)


def agreement(result: Agreement, path: Where = None) -> Figure:
    """How often measures agree on pairs of systems, and what each tells apart (PRES, figure 7)."""
    return drawn(path, draw_agreement, result)


def cutoffs(result: Cutoffs, path: Where = None) -> Figure:
    """Scores against the number of documents read, and where two systems change places (PRES, figure 8)."""
    return drawn(path, draw_cutoffs, result)


def term_counts(result: TermCounts, path: Where = None) -> Figure:
    """Scores against the number of terms in the queries (Queries, figures 1–3)."""
    return drawn(path, draw_term_counts, result)


def pres_recall(path: Where = None, *, n: int = 10, cutoff: int = 100) -> Figure:
    """PRES against recall and rank: between n·R²/N and R (PRES, figure 4a)."""
    return drawn(path, draw_pres_recall, n, cutoff)


def pres_rr(path: Where = None, *, cutoff: int = 10) -> Figure:
    """PRES and the reciprocal rank of the only relevant document (PRES, figure 4b)."""
    return drawn(path, draw_pres_rr, cutoff)


def relevant_per_topic(result: RankTable | Topics, path: Where = None) -> Figure:
    """How many relevant documents the topics have (Robustness, figure 2)."""
    return drawn(path, draw_relevant_per_topic, result)


def robustness(result: Robustness, path: Where = None) -> Figure:
    """How well measures keep the order of the systems when judgements are lost (Robustness, figures 3 and 4)."""
    return drawn(path, draw_robustness, result)


def compare(result: Comparison, path: Where = None) -> Figure:
    """Differences to a baseline with their intervals, or without a baseline who beats whom."""
    return drawn(path, draw_compare, result)


def correlation(result: Correlations, path: Where = None) -> Figure:
    """How alike measures order the systems: a matrix for each coefficient."""
    return drawn(path, draw_correlation, result)


def published(result: Published, path: Where = None) -> Figure:
    """The papers' figures again: table 4 of PRES, and the robustness study beside simulated runs."""
    return drawn(path, draw_published, result)


FIGURES: dict[str, Callable[..., Figure]] = {
    function.__name__: function
    for function in (
        systems,
        rank_changes,
        agreement,
        cutoffs,
        term_counts,
        pres_recall,
        pres_rr,
        relevant_per_topic,
        robustness,
        compare,
        correlation,
        published,
    )
}
"""Every figure by name."""


def summary(name: str) -> str:
    """What a figure shows, in one line."""
    if name not in FIGURES:
        raise UsageError(f"there is no figure {name!r}; there are {', '.join(FIGURES)}")
    return (FIGURES[name].__doc__ or "").split("\n", 1)[0]
