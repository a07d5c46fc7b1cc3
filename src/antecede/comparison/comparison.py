"""What a comparison of systems returns, as a table and as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.comparison.letters import letter, letters
from antecede.plots import Plotted
from antecede.tables import Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.comparison.family import Plan
    from antecede.comparison.paired import Flags
    from antecede.comparison.pairs import Ints, Pairs
    from antecede.comparison.ranks import Floats
    from antecede.comparison.validation import Better
    from antecede.tables import Value

MARKS: Mapping[int, str] = {1: "†", -1: "‡", 0: ""}
"""Behind a score beside a baseline: significantly better, significantly worse, neither."""


@dataclass(frozen=True, eq=False)
class Differences:
    """One measure; every array over the pairs, first run minus second (with a baseline: run minus baseline)."""

    difference: Floats
    """Mean over the topics both runs have."""
    low: Floats
    high: Floats
    effect: Floats
    """Cohen's d_z; ±∞ where all differences are the same and not zero."""
    p: Floats
    adjusted: Floats
    significant: Flags
    verdicts: Ints
    """+1 first run significantly better, −1 second, 0 neither."""
    topics: Ints
    """Topics used for the pair."""
    identical: Flags


@dataclass(frozen=True, eq=False)
class Comparison(Tabled, Plotted):
    """Systems side by side, from `compare`."""

    figure = "compare"

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    baseline: str | None
    plan: Plan
    pairs: Pairs
    scores: Mapping[str, Floats]
    """Mean over each run's own topics, by measure."""
    topics: int
    """Topics in the input, left out or not."""
    better: Better
    by_measure: Mapping[str, Differences]
    advice: tuple[str, ...] = ()

    def beaten(self, measure: str, run: int) -> list[int]:
        """The runs, by place, that this one is significantly better than."""
        sides = zip(self.pairs.first, self.pairs.second, self.by_measure[measure].verdicts, strict=True)
        found = [(a, b) if verdict > 0 else (b, a) for a, b, verdict in sides if verdict]
        return [int(loser) for winner, loser in found if winner == run]

    def table(self) -> Table:
        """Scores, a row a run: † and ‡ beside a baseline, else the letters of the runs that are beaten."""
        head = ("run",) if self.baseline is not None else ("", "run")
        rows: list[tuple[Value, ...]] = []
        for place, name in enumerate(self.runs):
            lead = (name,) if self.baseline is not None else (letter(place), name)
            rows.append((*lead, *(float(self.scores[measure][place]) for measure in self.measures)))
        best = best_of(
            [self.scores[measure].tolist() for measure in self.measures],
            [self.better[measure] for measure in self.measures],
            first=len(head),
        )
        return Table(
            (*head, *self.measures),
            tuple(rows),
            title="Comparison of runs",
            notes=(self._legend(), *(f"Note: {text}" for text in self.advice)),
            best=best,
            marks=self._marks(len(head)),
        )

    def _legend(self) -> str:
        topics = f"{self.topics:,} topics"
        if self.baseline is None:
            return f"A letter: significantly better than the run of that letter ({self.plan}; {topics})."
        return f"† significantly better, ‡ significantly worse than {self.baseline} ({self.plan}; {topics})."

    def _marks(self, first: int) -> dict[tuple[int, int], str]:
        marks: dict[tuple[int, int], str] = {}
        for column, measure in enumerate(self.measures, start=first):
            if self.baseline is None:
                found = {place: letters(self.beaten(measure, place)) for place in range(len(self.runs))}
                signs = {place: f" {beaten}" for place, beaten in found.items() if beaten}
            else:
                verdicts = self.by_measure[measure].verdicts
                signs = {int(run): MARKS[int(v)] for run, v in zip(self.pairs.first, verdicts, strict=True)}
            marks.update({(row, column): sign for row, sign in signs.items() if sign})
        return marks

    def details(self) -> Table:
        """A row for each pair and measure, with all figures."""
        columns = ("measure", "run", "against", "difference", "low", "high", "d", "p", "adjusted p", "topics")
        rows: list[tuple[Value, ...]] = []
        marks: dict[tuple[int, int], str] = {}
        for measure, found in self.by_measure.items():
            for i, (first, second) in enumerate(zip(self.pairs.first, self.pairs.second, strict=True)):
                figures = (found.difference, found.low, found.high, found.effect, found.p, found.adjusted)
                if found.significant[i]:
                    marks[len(rows), columns.index("adjusted p")] = MARKS[1]
                names = (measure, self.runs[int(first)], self.runs[int(second)])
                rows.append((*names, *(float(figure[i]) for figure in figures), int(found.topics[i])))
        level = f"{100 * (1 - self.plan.alpha):g} %"
        notes = (
            f"† significant ({self.plan}). Low to high: {level} bootstrap interval of the difference, not corrected.",
            *(f"Note: {text}" for text in self.advice),
        )
        return Table(columns, tuple(rows), title="Differences between runs", notes=notes, marks=marks)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`: the figures beside a baseline stand with each run, those of all pairs in `pairs`.

        What is not a number, or not finite, is None; so is everything about the baseline but its scores.
        """
        data: dict[str, Any] = {
            "baseline": self.baseline,
            "measures": [*self.measures],
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "topics": self.topics,
            "runs": [],
            "advice": [*self.advice],
        }
        place_of = {int(run): i for i, run in enumerate(self.pairs.first)} if self.baseline is not None else {}
        for place, name in enumerate(self.runs):
            scores = {measure: finite(self.scores[measure][place]) for measure in self.measures}
            run: dict[str, Any] = {"name": name, "scores": scores}
            if self.baseline is not None:
                run |= self._figures(place_of.get(place))
            else:
                run["letter"] = letter(place)
                run["better_than"] = {m: [self.runs[i] for i in self.beaten(m, place)] for m in self.measures}
            data["runs"].append(run)
        if self.baseline is None:
            data["pairs"] = [
                {"first": self.runs[int(a)], "second": self.runs[int(b)], **self._figures(i)}
                for i, (a, b) in enumerate(zip(self.pairs.first, self.pairs.second, strict=True))
            ]
        return data

    def _figures(self, pair: int | None) -> dict[str, dict[str, Any]]:
        """Everything about one pair, by figure and measure; the baseline beside itself has none."""
        if pair is None:
            empty = dict.fromkeys(self.measures)
            named = ("p", "p_adjusted", "effect", "difference", "interval", "topics")
            return {**{name: dict(empty) for name in named}, "significant": dict.fromkeys(self.measures, False)}
        found = self.by_measure
        return {
            "p": {m: finite(found[m].p[pair]) for m in self.measures},
            "p_adjusted": {m: finite(found[m].adjusted[pair]) for m in self.measures},
            "significant": {m: bool(found[m].significant[pair]) for m in self.measures},
            "effect": {m: finite(found[m].effect[pair]) for m in self.measures},
            "difference": {m: finite(found[m].difference[pair]) for m in self.measures},
            "interval": {m: [finite(found[m].low[pair]), finite(found[m].high[pair])] for m in self.measures},
            "topics": {m: int(found[m].topics[pair]) for m in self.measures},
        }


def finite(value: float) -> float | None:
    """A number that JSON can hold, or None."""
    return float(value) if math.isfinite(value) else None
