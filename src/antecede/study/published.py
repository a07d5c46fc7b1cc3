"""The papers' own tables, recomputed: what is printed, what comes out, and where the two differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.evaluation.rank_table import RankTable
from antecede.measures.ranks import Ranks
from antecede.plots import Plotted
from antecede.study import printed
from antecede.study.clefip2009 import TABLE_4
from antecede.study.printed_sections import Section, averages, correlations, ranges, table_1, table_2, table_3
from antecede.study.robustness import Robustness, robustness
from antecede.study.simulated import simulate
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from antecede.tables import Value

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Published(Tabled, Plotted):
    """Everything that can be recomputed, and the robustness study on simulated runs."""

    figure = "published"

    sections: tuple[Section, ...]
    robustness: Robustness
    """On the SIMULATED evaluation: AP, R and PRES at 100 and 1000, keeping 0.2, 0.4, 0.6 and 0.8."""
    printed_tau: Mapping[str, Floats]
    """float64[4, 3] for each of those measures: levels × the three printed samples."""
    table_4: Mapping[str, Floats]
    """float64[48] for MAP, Recall and PRES: the printed scores of the 48 runs."""

    @property
    def misprints(self) -> tuple[str, ...]:
        return tuple(text for section in self.sections for text in section.misprints)

    def robustness_table(self) -> Table:
        """The averages of Robustness, table 1, beside the means on simulated runs."""
        study = self.robustness
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (f"{100 * share:g} %", *(cell for m in range(len(study.measures)) for cell in self._tau_cells(level, m)))
            for level, share in enumerate(study.keep)
        )
        heads = [head for measure in study.measures for head in (measure, f"{measure} sim.")]
        simulated = (
            f"SIMULATED: the runs of CLEF-IP 2009 are not public. The study was done on {len(study.runs)} made-up runs "
            f"with the published scores, on {study.topics} made-up topics ({study.samples} samples a level, "
            f"seed {study.seed})."
        )
        notes = (
            f"{printed.ROBUSTNESS}, averages of 3 samples. AP is what the paper calls MAP.",
            simulated,
            "Compare the shape, not the digits: recall and PRES hold, MAP falls off.",
        )
        title = "Robustness, table 1: τ with part of the relevant documents, printed and on simulated runs"
        return Table(("kept", *heads), rows, title=title, notes=notes, digits=2)

    def _tau_cells(self, level: int, measure: int) -> tuple[Value, Value]:
        return printed.ROBUSTNESS_AVERAGES[level][measure], float(self.robustness.mean[measure, level])

    def tables(self) -> tuple[Table, ...]:
        """All of it, in the order of the papers."""
        return (*(section.table() for section in self.sections), self.robustness_table())

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "sections": [
                {
                    "title": section.title,
                    "cite": section.cite,
                    "figures": [
                        {
                            "row": figure.row,
                            "measure": figure.measure,
                            "printed": figure.printed,
                            "ours": figure.ours,
                            "agrees": figure.agrees,
                        }
                        for figure in section.figures
                    ],
                    "misprints": list(section.misprints),
                    "remarks": list(section.remarks),
                }
                for section in self.sections
            ],
            "robustness": {
                "simulated": True,
                "printed": {
                    measure: {
                        level: {"average": float(printed.ROBUSTNESS_AVERAGES[at][m]), "values": samples[at].tolist()}
                        for at, level in enumerate(self.robustness.levels)
                    }
                    for m, (measure, samples) in enumerate(self.printed_tau.items())
                },
                **self.robustness.to_dict(),
            },
        }


def published(*, samples: int = 100, seed: int = 0, progress: Callable[[int, int], None] | None = None) -> Published:
    """Recompute what the papers on PRES and on robustness print, from their own figures.

    The robustness study needs the 48 runs themselves, which are not public: it is done on simulated ones.
    """
    scores = {
        "MAP": np.array([row.map for row in TABLE_4]),
        "Recall": np.array([row.recall for row in TABLE_4]),
        "PRES": np.array([row.pres for row in TABLE_4]),
    }
    tau = np.array(printed.ROBUSTNESS_SAMPLES, dtype=np.float64)
    study = robustness(
        simulated_table(seed),
        printed.ROBUSTNESS_MEASURES,
        keep=printed.ROBUSTNESS_KEEP,
        samples=samples,
        seed=seed,
        progress=progress,
    )
    sections = (table_1(), table_2(), table_3(), ranges(), correlations(scores), averages(tau))
    by_measure = {measure: tau[:, :, m] for m, measure in enumerate(printed.ROBUSTNESS_MEASURES)}
    return Published(sections, study, by_measure, scores)


def simulated_table(seed: int) -> RankTable:
    """The rank table of the simulated evaluation, without the way through files."""
    drawn = simulate(seed=seed)
    relevance = np.ones(len(drawn.doc_ids), np.int32)
    ranks = Ranks(drawn.ranks, relevance, drawn.offsets, drawn.retrieved)
    return RankTable(drawn.runs, drawn.topic_ids, pl.Series("doc_id", drawn.doc_ids), ranks)
