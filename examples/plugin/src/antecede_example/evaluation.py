"""A measure, a study that is a verb, a function and a section of an experiment, and the figure of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.measures import Cutoff, Level, measure
from antecede.operations import Help
from antecede.plots import PlotMixin
from antecede.ranges import COUNT
from antecede.report.figures.paper import COLUMN, figure, new_figure
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from antecede.evaluation import Scores
    from antecede.measures.ranks import Ranks
    from antecede.measures.ranks import Scores as TopicScores
    from antecede.report.figures.paper import PaperFigure


@measure("HalfR", at="cutoff", cite="an example")
def half_recall(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> TopicScores:
    """Half recall: the share of the relevant documents among the first N/2.

    k at N/2, divided by n.
    """
    relevant = ranks.relevant(rel)
    return relevant.found(cutoff // 2) / relevant.n


@dataclass(frozen=True, eq=False, repr=False)
class Spread(Tabled, PlotMixin):
    """The standard deviation of the scores over the topics, for each measure and run."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    values: Any
    """float64[measures, runs]."""

    def table(self) -> Table:
        """One row per run, one column per measure."""
        rows = tuple((run, *self.values[:, at].tolist()) for at, run in enumerate(self.runs))
        return Table(("run", *self.measures), rows, title="Spread over the topics", digits=3)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {m: dict(zip(self.runs, self.values[at].tolist(), strict=True)) for at, m in enumerate(self.measures)}


def spread(
    scores: Scores,
    *,
    min_topics: Annotated[int, COUNT, Help("The fewest topics for which a spread is computed.")] = 2,
) -> Spread:
    """Show how widely the scores of each run spread over the topics.

    Args:
        scores: The scores, from `evaluate`.

    Shell:
        antecede study spread qrels.txt a.run b.run -m AP --min-topics 5
    """
    values = scores.values if len(scores.topics) >= min_topics else np.full_like(scores.values, np.nan)
    return Spread(tuple(map(str, scores.measures)), scores.runs, np.nanstd(values, axis=2))


@figure("score_spread", result="Spread")
def score_spread(result: Spread) -> PaperFigure:
    """The spread of the scores over the topics, one bar per run."""
    sheet = new_figure(COLUMN, 2.4)
    sheet.subplots().bar(list(result.runs), result.values[0])
    return sheet
