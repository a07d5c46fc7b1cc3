"""Cut-offs: how scores grow with the number of documents a searcher reads, and where two systems change places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.errors import MeasureError, UsageError, advise, printable, spell
from antecede.evaluation.audit import list_caveats
from antecede.evaluation.scores import require_scores
from antecede.measures.definition import Measure
from antecede.measures.names import find_measure, parse_measure
from antecede.operations import Help
from antecede.plots import PlotMixin, draw
from antecede.ranges import LARGEST
from antecede.registry import split_list
from antecede.results import by_name, to_json
from antecede.tables import Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from antecede.comparison.inputs import Floats, Ints
    from antecede.evaluation.rank_table import RankTable
    from antecede.operations import Progress
    from antecede.tables import Value

FAMILIES = ("PRES", "AP", "R")
CUTOFFS = (10, 50, 100, 500, 1000)
MOST_CUTOFFS = 20_000
"""Cut-offs that are evaluated one by one."""
CUTOFFS_PER_RELEASE = 50
"""Cut-offs after which the arrays that measures cache are released."""


@dataclass(frozen=True)
class Crossing:
    """Two runs change places: up to `before` documents `first` is ahead, from `at` on `second` is."""

    measure: str
    first: str
    second: str
    before: int
    """The last cut-off at which `first` is ahead; between `before` and `at` the two are equal."""
    at: int
    gap: float
    """The difference of their scores at `at`."""


@dataclass(frozen=True, eq=False, repr=False)
class Cutoffs(Tabled, PlotMixin):
    """Scores of M measures and R runs at C cut-offs, and where runs change places."""

    measures: tuple[str, ...]
    """Without a cut-off: PRES, AP, R."""
    runs: tuple[str, ...]
    at: tuple[int, ...]
    """The requested cut-offs, ascending."""
    scores: Floats
    """float64[M, R, C]."""
    crossings: tuple[Crossing, ...]
    """By measure, then by pair of runs, then by cut-off."""
    grid: Ints
    """int64[G]: every cut-off from the first of `at` to the last."""
    curves: Floats
    """float64[M, R, G]: the score at each of `grid`, for a smooth line."""
    better: tuple[str | None, ...] = ()
    """For each measure, which scores are better: higher, lower, or neither."""
    advice: tuple[str, ...] = ()
    """What the runs or the qrels lack, and how it is scored."""

    def plot(self, path: str | Path | None = None, *, highlight: Sequence[str] | None = None) -> Figure:
        """Draw the scores against the cut-offs, and write the figure if a path is given.

        Args:
            path: A file ending in .svg, .png or .pdf.
            highlight: The runs to label, by default the best.
        """
        return draw(self, path, highlight=highlight)

    def table(self) -> Table:
        """One row per measure and run, one column per cut-off; the best run of each is marked."""
        rows: list[tuple[Value, ...]] = []
        best: set[tuple[int, int]] = set()
        for m, measure in enumerate(self.measures):
            marked = best_of(self.scores[m].T.tolist(), [self.better[m]] * len(self.at), first=2)
            best |= {(len(rows) + row, column) for row, column in marked}
            rows += [(measure, run, *map(float, self.scores[m, r])) for r, run in enumerate(self.runs)]
        notes = [f"Note: {text}" for text in self.advice]
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        if pairs and len(self.at) > 1:
            crossed = {(crossing.measure, frozenset((crossing.first, crossing.second))) for crossing in self.crossings}
            tally = Counter(measure for measure, _ in crossed)
            counts = ", ".join(f"{measure}: {tally[measure]} of {pairs}" for measure in self.measures)
            notes.insert(0, f"Pairs of runs that change places between {self.at[0]} and {self.at[-1]}: {counts}.")
        return Table(
            ("measure", "run", *(f"@{cutoff}" for cutoff in self.at)),
            tuple(rows),
            title="Scores by cut-off",
            notes=tuple(notes),
            best=frozenset(best),
        )

    def crossings_table(self, *, most: int | None = None) -> Table:
        """One row per crossing; at most `most` of them, if given."""
        listed = self.crossings if most is None else self.crossings[:most]
        rows = tuple((c.measure, c.first, c.before, c.second, c.at, c.gap) for c in listed)
        more = len(self.crossings) - len(rows)
        columns = ("measure", "ahead first", "up to", "ahead then", "from", "gap there")
        notes = [f"{len(self.crossings)} changes of places, at every cut-off from {self.at[0]} to {self.at[-1]}."]
        notes += [f"{more} more are not shown; {advise('crossings', '--json')} lists all of them."] if more else []
        return Table(columns, rows, title="Where runs change places", notes=tuple(notes))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        document = {
            "measures": self.measures,
            "at": self.at,
            "runs": [
                {"name": run, "scores": by_name(self.scores[:, r], self.measures, self.at)}
                for r, run in enumerate(self.runs)
            ],
            "crossings": self.crossings,
            **({"advice": self.advice} if self.advice else {}),
        }
        return dict(to_json(document))


def _check_family(text: str) -> str:
    parse_family(text, 10)
    return text


def cutoffs(
    table: RankTable,
    measures: Annotated[
        str | Iterable[str],
        Help(
            "A measure, without its cut-off; may be repeated.",
            flags="--measure -m",
            metavar="MEASURE",
            default="PRES AP R",
            check=_check_family,
        ),
    ] = FAMILIES,
    *,
    at: Annotated[Sequence[float], Help("The cut-offs.")] = CUTOFFS,
    progress: Progress | None = None,
) -> Cutoffs:
    """Score every run at several cut-offs, and find every cut-off between them at which two runs change places.

    The study of Magdy & Jones (SIGIR 2010, figure 8). Runs change places at the smallest cut-off at which the other one
    is ahead; runs that are equal for some cut-offs and then continue in the same order do not. All cut-offs from the
    first to the last of `at` are evaluated.

    Args:
        table: The rank table, from `rank_table`.
        progress: Called with (done, total).
    """
    requested = _check_cutoffs(at)
    given = [measures] if isinstance(measures, str) else measures
    notations = dict.fromkeys(notation for text in given for notation in split_list(text))
    if not notations:
        raise MeasureError("no measure is named; give at least one, as in PRES")
    families = [parse_family(notation, requested[0]) for notation in notations]
    names = [str(Measure(m.definition, tuple(pair for pair in m.arguments if pair[0] != "cutoff"))) for m in families]
    grid = np.arange(requested[0], requested[-1] + 1)
    curves = _score_cutoffs(table, families, grid, progress)
    require_scores(families, curves, table)
    better = tuple(measure.definition.better for measure in families)
    crossings = [
        crossing
        for name, direction, totals in zip(names, better, curves, strict=True)
        for crossing in find_crossings(name, table.runs, -totals if direction == "lower" else totals, grid)
    ]
    return Cutoffs(
        measures=tuple(names),
        runs=table.runs,
        at=requested,
        scores=curves[:, :, np.array(requested) - requested[0]],
        crossings=tuple(crossings),
        grid=grid,
        curves=curves,
        better=better,
        advice=list_caveats(
            table, measures=[_at_cutoff(family, cutoff) for family in families for cutoff in requested]
        ),
    )


def _check_cutoffs(at: Sequence[float]) -> tuple[int, ...]:
    wrong = next((cutoff for cutoff in at if not (1 <= cutoff <= LARGEST and float(cutoff).is_integer())), None)
    if wrong is not None:
        raise UsageError(f"at: {wrong:g} is not a cut-off; give whole numbers of at least 1, as in 10,50,100")
    if not len(at):
        raise UsageError("at: no cut-off is given; give at least one, as in 10,50,100")
    ascending = tuple(sorted({int(cutoff) for cutoff in at}))
    if ascending[-1] - ascending[0] > MOST_CUTOFFS:
        raise UsageError(
            f"at: {ascending[0]} to {ascending[-1]} are too many cut-offs; the range is limited to {MOST_CUTOFFS:,}"
        )
    return ascending


def parse_family(text: str, cutoff: int) -> Measure:
    """The measure that a text without a cut-off names, at the given cut-off."""
    if "@" in text:
        raise MeasureError(
            f"{printable(text)}: name the measure without a cut-off here; {spell('at')} sets the cut-offs"
        )
    definition = find_measure(text.partition("(")[0], text)
    if definition.at != "cutoff":
        raise MeasureError(f"{printable(text)}: {definition.name} has no cut-off to vary; choose another measure")
    return parse_measure(f"{text}@{cutoff}")


def _at_cutoff(family: Measure, cutoff: int) -> Measure:
    """A measure of a family at one cut-off."""
    arguments = tuple((name, cutoff if name == "cutoff" else value) for name, value in family.arguments)
    return Measure(family.definition, arguments)


def _score_cutoffs(
    table: RankTable, families: Sequence[Measure], grid: Ints, progress: Callable[[int, int], None] | None
) -> Floats:
    """float64[M, R, G]: every run's total at every cut-off."""
    fresh = replace(table.ranks, _selections={})
    curves = np.empty((len(families), len(table.runs), len(grid)))
    for place, cutoff in enumerate(grid.tolist()):
        for m, family in enumerate(families):
            measure = _at_cutoff(family, cutoff)
            curves[m, :, place] = measure.aggregate(measure.score(fresh))
        if place % CUTOFFS_PER_RELEASE == CUTOFFS_PER_RELEASE - 1:
            fresh.forget()
        if progress is not None:
            progress(place + 1, len(grid))
    fresh.forget()
    return curves


def find_crossings(measure: str, runs: Sequence[str], totals: Floats, grid: Ints) -> Iterator[Crossing]:
    """Every change of places under one measure; in totals[R, G], higher is ahead."""
    for first in range(len(runs) - 1):
        lead = totals[first] - totals[first + 1 :]
        sign = np.sign(lead)
        # For each cut-off, the last one up to it at which the two are not equal; −1 if there is none.
        last = np.maximum.accumulate(np.where(sign != 0, np.arange(len(grid)), -1), axis=1)
        previous = np.concatenate((np.full((len(last), 1), -1), last[:, :-1]), axis=1)
        was = np.where(previous >= 0, np.take_along_axis(sign, np.maximum(previous, 0), axis=1), 0)
        for other, place in np.argwhere(was * sign < 0).tolist():
            names = (runs[first], runs[first + 1 + other])
            ahead, then = names if was[other, place] > 0 else names[::-1]
            before, at = int(grid[previous[other, place]]), int(grid[place])
            yield Crossing(measure, ahead, then, before, at, abs(float(lead[other, place])))
