"""The papers' tables one by one: every figure that is printed, with ours, and the misprints named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.comparison.correlation import correlation
from antecede.measures import score
from antecede.study import printed
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antecede.study.printed import Ranking
    from antecede.tables import Value

    Floats = NDArray[np.float64]

NOT_EQUAL = " ≠"


@dataclass(frozen=True)
class Figure:
    """One figure of a paper beside ours."""

    row: str
    measure: str
    printed: str
    """As printed, with its digits."""
    ours: float

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded to as many digits, is what is printed."""
        if self.printed.startswith("~"):
            return round(self.ours, 3) == float(self.printed[1:])
        return f"{self.ours:.{len(self.printed.partition('.')[2])}f}" == self.printed


@dataclass(frozen=True)
class Section:
    """One table or statement of a paper."""

    title: str
    cite: str
    figures: tuple[Figure, ...]
    misprints: tuple[str, ...] = ()
    """Where the paper differs from its own figures, and what must be meant."""
    remarks: tuple[str, ...] = ()

    def table(self) -> Table:
        """A row for each row of theirs; printed and ours side by side, ≠ where ours rounds to something else."""
        measures = list(dict.fromkeys(figure.measure for figure in self.figures))
        by_place = {(figure.row, figure.measure): figure for figure in self.figures}
        rows: list[tuple[Value, ...]] = []
        marks: dict[tuple[int, int], str] = {}
        for row in dict.fromkeys(figure.row for figure in self.figures):
            cells: list[Value] = [row]
            for measure in measures:
                figure = by_place.get((row, measure))
                if figure is not None and not figure.agrees:
                    marks[len(rows), len(cells) + 1] = NOT_EQUAL
                cells += [None, None] if figure is None else [figure.printed, figure.ours]
            rows.append(tuple(cells))
        heads = [head for measure in measures for head in (measure, f"{measure} ours")]
        notes = (f"{self.cite}.", *(f"Misprint: {text}" for text in self.misprints), *self.remarks)
        return Table(("", *heads), tuple(rows), title=self.title, notes=notes, marks=marks)


def rescored(rankings: Sequence[Ranking]) -> tuple[Figure, ...]:
    """Each printed score of some rankings, with ours."""
    return tuple(
        Figure(
            f"{ranking.name} {{{', '.join(map(str, ranking.found))}}}",
            measure,
            text,
            score(measure, ranking.found, ranking.relevant),
        )
        for ranking in rankings
        for measure, text in ranking.scores.items()
    )


def table_1() -> Section:
    ranks = (
        "the ranks of system 2 are printed as {50, 51, 53, 54}; every score printed for it belongs to {50, 51, 52, 53}."
    )
    cut_off = "F′ (β = 1) of system 2 is 0.09178: printed 0.0917, cut off and not rounded."
    title = "PRES, table 1: scores of four systems, 4 relevant documents, 100 read"
    return Section(title, printed.PRES, rescored(printed.TABLE_1), (ranks, cut_off))


def table_2() -> Section:
    ranks = "system 2 as in table 1: with the ranks printed, PRES is 0.505."
    formulas = (
        "equation 3 lacks the division of Σ r_i by n; equation 4 has nR where n − nR belongs, the number of documents "
        "that are missing. The scores in the tables are computed with both in their place."
    )
    title = "PRES, table 2: the same four systems with PRES"
    return Section(title, printed.PRES, rescored(printed.TABLE_2), (ranks, formulas))


def table_3() -> Section:
    misprints = (
        "AP of {41, 54} is 0.0205, so 0.020: printed 0.021.",
        "the column N is n, the number of relevant documents of the topic.",
    )
    figures = rescored((*printed.TABLE_3, printed.WITHIN_100))
    return Section("PRES, table 3: eight topics, 1000 read", printed.PRES, figures, misprints)


def ranges() -> Section:
    """Section 5: with the same recall PRES is lowest where all finds come last, and highest where they come first."""
    figures = []
    for n, found, cutoff in ((4, 1, 100), (4, 4, 100), (10, 7, 100), (41, 2, 1000), (6, 3, 1000), (200, 50, 100)):
        recall = found / n
        row = f"n = {n}, R = {recall:.3g}, N = {cutoff}"
        last, first = range(cutoff - found + 1, cutoff + 1), range(1, found + 1)
        lowest, highest = (score(f"PRES@{cutoff}", list(ranks), n) for ranks in (last, first))
        figures.append(Figure(row, "n·R²/N, finds last", f"{n * recall**2 / cutoff:.6f}", lowest))
        figures.append(Figure(row, "R, finds first", f"{recall:.6f}", highest))
    return Section("PRES, section 5: the range of PRES at a given recall", printed.PRES, tuple(figures))


COEFFICIENTS = {"kendall": "Kendall τ-b", "spearman": "Spearman ρ"}


def correlations(scores: Mapping[str, Floats]) -> Section:
    """The order of the 48 runs of table 4 under its three measures."""
    figures = tuple(
        Figure(f"{first} – {second}", name, texts[method], correlation(scores[first], scores[second], method))
        for method, name in COEFFICIENTS.items()
        for (first, second), texts in printed.CORRELATIONS.items()
    )
    cut_off = (
        "from the scores printed τ of recall and PRES is 0.878, that of MAP and PRES 0.665: printed 0.87 and 0.66, "
        "cut off and not rounded."
    )
    unnamed = (
        "the AsPIRe paper prints 0.71, 0.97 and 0.82 and calls them only a correlation: they are Spearman's ρ, and "
        "the last is 0.812 from the scores printed."
    )
    runs = "section 6.3 compares R12 with R23, which is none of the three runs of figure 8 (R12, R18, R21)."
    return Section(
        "PRES, table 4: how alike MAP, recall and PRES order the 48 runs",
        "τ: Magdy & Jones, PRES, SIGIR 2010; ρ: the same at AsPIRe 2010",
        figures,
        (cut_off, unnamed, runs),
    )


def averages(tau: Floats) -> Section:
    """Robustness, table 1 against itself: the averages it prints, and those of the samples it prints."""
    means = tau.mean(axis=1)
    figures = tuple(
        Figure(f"{100 * share:g} %", measure, printed.ROBUSTNESS_AVERAGES[level][m], float(means[level, m]))
        for level, share in enumerate(printed.ROBUSTNESS_KEEP)
        for m, measure in enumerate(printed.ROBUSTNESS_MEASURES)
    )
    differ = sum(not figure.agrees for figure in figures)
    rounding = (
        f"{differ} of {len(figures)} averages are 0.01 off those of the samples beside them; all could come from "
        "samples with more digits than are printed."
    )
    claim = (
        "Recall and PRES are said to keep τ at 0.9 or more with 20 % of the judgements. On average they do; sample 2 "
        "has 0.88 for recall at 100 and 0.89 for PRES at 1000."
    )
    return Section(
        "Robustness, table 1 against itself: averages printed, and those of the samples printed",
        f"{printed.ROBUSTNESS}. AP is what the paper calls MAP",
        figures,
        ("equation 2, PRES again, lacks the division by N_max in the text at hand.",),
        (rounding, claim),
    )
