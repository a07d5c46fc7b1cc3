"""Cut-offs: how scores grow with the number of documents a searcher reads, and where two systems change places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.comparison import finite
from antecede.comparison.scored import DIGITS
from antecede.errors import MeasureError, UsageError, shown
from antecede.measures.parse import find_measure, parse_measure, split
from antecede.measures.ranks import Ranks
from antecede.measures.registry import Measure
from antecede.plots import Plotted
from antecede.tables import Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.evaluation.rank_table import RankTable
    from antecede.tables import Value

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FAMILIES = ("AP", "R", "PRES")
CUTOFFS = (10, 50, 100, 500, 1000)
MOST = 20_000
"""Cut-offs that are looked at one by one."""
AT_ONCE = 50
"""Cut-offs after which what measures keep in memory for each is let go."""


@dataclass(frozen=True)
class Crossing:
    """Two runs change places: up to `before` documents `first` is ahead, from `at` on `second` is."""

    measure: str
    first: str
    second: str
    before: int
    """The last cut-off at which `first` is ahead; up to `at` the two may be equal for a while."""
    at: int
    gap: float
    """By how much their scores differ at `at`."""


@dataclass(frozen=True, eq=False)
class Cutoffs(Tabled, Plotted):
    """M measures, R runs, C cut-offs."""

    figure = "cutoffs"

    measures: tuple[str, ...]
    """Without cut-off: AP, R, PRES."""
    runs: tuple[str, ...]
    at: tuple[int, ...]
    """The cut-offs asked for, rising."""
    scores: Floats
    """float64[M, R, C]."""
    crossings: tuple[Crossing, ...]
    """By measure, then by pair of runs, then by cut-off."""
    grid: Ints
    """int64[G]: every cut-off from the first of `at` to the last."""
    curves: Floats
    """float64[M, R, G]: the score at each of `grid`, for a smooth line."""
    better: tuple[str | None, ...] = ()
    """For each measure which scores are better: higher, lower, or neither."""

    def table(self) -> Table:
        """A row for each measure and run, a column for each cut-off; the best run of each is marked."""
        rows: list[tuple[Value, ...]] = []
        best: set[tuple[int, int]] = set()
        for m, measure in enumerate(self.measures):
            marked = best_of(self.scores[m].T.tolist(), [self.better[m]] * len(self.at), first=2)
            best |= {(len(rows) + row, column) for row, column in marked}
            rows += [(measure, run, *map(float, self.scores[m, r])) for r, run in enumerate(self.runs)]
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        crossed = {name: len({(c.first, c.second) for c in ordered}) for name, ordered in self._by_measure()}
        said = ", ".join(f"{name}: {count} of {pairs}" for name, count in crossed.items())
        return Table(
            ("measure", "run", *(f"@{cutoff}" for cutoff in self.at)),
            tuple(rows),
            title="Scores by cut-off",
            notes=(f"Pairs of runs that change places between {self.at[0]} and {self.at[-1]}: {said}.",)
            if pairs and len(self.at) > 1
            else (),
            best=frozenset(best),
        )

    def _by_measure(self) -> Iterator[tuple[str, list[Crossing]]]:
        """The crossings of each measure, the two runs in the order they are given in."""
        place = {run: at for at, run in enumerate(self.runs)}
        for measure in self.measures:
            found = [crossing for crossing in self.crossings if crossing.measure == measure]
            turned = [c if place[c.first] < place[c.second] else flipped(c) for c in found]
            yield measure, turned

    def crossings_table(self, *, most: int | None = None) -> Table:
        """Where runs change places, a row each; only the first so many, if so asked."""
        shown_ones = self.crossings if most is None else self.crossings[:most]
        rows = tuple((c.measure, c.first, c.before, c.second, c.at, c.gap) for c in shown_ones)
        more = len(self.crossings) - len(rows)
        columns = ("measure", "ahead first", "up to", "ahead then", "from", "gap there")
        notes = [f"{len(self.crossings)} changes of places, at every cut-off from {self.at[0]} to {self.at[-1]}."]
        notes += [f"{more} more are not shown here; --json has them all."] if more else []
        return Table(columns, rows, title="Where runs change places", notes=tuple(notes))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "measures": list(self.measures),
            "at": list(self.at),
            "runs": [
                {
                    "name": run,
                    "scores": {
                        measure: {
                            str(cutoff): finite(value) for cutoff, value in zip(self.at, self.scores[m, r], strict=True)
                        }
                        for m, measure in enumerate(self.measures)
                    },
                }
                for r, run in enumerate(self.runs)
            ],
            "crossings": [
                {
                    "measure": c.measure,
                    "first": c.first,
                    "second": c.second,
                    "before": c.before,
                    "at": c.at,
                    "gap": finite(c.gap),
                }
                for c in self.crossings
            ],
        }


def flipped(crossing: Crossing) -> Crossing:
    c = crossing
    return Crossing(c.measure, c.second, c.first, c.before, c.at, c.gap)


def cutoffs(
    table: RankTable,
    measures: str | Iterable[str] = FAMILIES,
    *,
    at: Sequence[float] = CUTOFFS,
    progress: Callable[[int, int], None] | None = None,
) -> Cutoffs:
    """Scores of every run at the cut-offs `at`, and every place between them where two runs change places.

    The study of Magdy & Jones (SIGIR 2010, figure 8). Measures are named without a cut-off: AP, PRES, nDCG(gain=exp).
    Runs change places at the smallest cut-off at which the other one is ahead; runs that are equal for a while and
    then go on as before do not. All cut-offs from the first to the last of `at` are looked at.
    """
    asked = checked_cutoffs(at)
    families = [family(text, asked[0]) for text in texts(measures)]
    grid = np.arange(asked[0], asked[-1] + 1)
    curves = scores_at(table, families, grid, progress)
    names = tuple(name_of(measure) for measure in families)
    better = tuple(measure.definition.better for measure in families)
    signs = [-1.0 if each == "lower" else 1.0 for each in better]
    found = [
        crossing
        for name, sign, totals in zip(names, signs, curves, strict=True)
        for crossing in crossings(name, table.runs, sign * np.round(totals, DIGITS), grid)
    ]
    chosen = np.array(asked) - asked[0]
    return Cutoffs(names, table.runs, asked, curves[:, :, chosen], tuple(found), grid, curves, better)


def texts(measures: str | Iterable[str]) -> list[str]:
    """Measures as they are written, each once."""
    given = [measures] if isinstance(measures, str) else list(measures)
    found = list(dict.fromkeys(part for text in given for part in split(text)))
    if not found:
        raise MeasureError("no measure is named; name some, as in PRES")
    return found


def checked_cutoffs(at: Sequence[float]) -> tuple[int, ...]:
    """The cut-offs in rising order, each once."""
    wrong = next((cutoff for cutoff in at if not (cutoff >= 1 and float(cutoff).is_integer())), None)
    if wrong is not None:
        raise UsageError(f"at: {wrong:g} is not a cut-off; give whole numbers from 1 up, as in 10,50,100")
    if not len(at):
        raise UsageError("at: no cut-off is given; give some, as in 10,50,100")
    rising = tuple(sorted({int(cutoff) for cutoff in at}))
    if rising[-1] - rising[0] > MOST:
        raise UsageError(f"at: from {rising[0]} to {rising[-1]} are too many cut-offs to look at; stay within {MOST:,}")
    return rising


def family(text: str, cutoff: int) -> Measure:
    """The measure that a text without a cut-off names, at a first one."""
    if "@" in text:
        raise MeasureError(f"{shown(text)}: name the measure without a cut-off here; the cut-offs are those of --at")
    definition = find_measure(text.partition("(")[0], text)
    if definition.at != "cutoff":
        raise MeasureError(f"{shown(text)}: {definition.name} has no cut-off to vary; take another measure")
    return parse_measure(f"{text}@{cutoff}")


def name_of(measure: Measure) -> str:
    """A measure's name without its cut-off."""
    return str(Measure(measure.definition, tuple(pair for pair in measure.arguments if pair[0] != "cutoff")))


def at_cutoff(measure: Measure, cutoff: int) -> Measure:
    given = tuple((name, cutoff if name == "cutoff" else value) for name, value in measure.arguments)
    return Measure(measure.definition, given)


def scores_at(
    table: RankTable, families: Sequence[Measure], grid: Ints, progress: Callable[[int, int], None] | None
) -> Floats:
    """float64[M, R, G]: every run's total at every cut-off."""
    ranks = table.ranks
    fresh = Ranks(ranks.ranks, ranks.relevance, ranks.offsets, ranks.retrieved, ranks.copies)
    curves = np.empty((len(families), len(table.runs), len(grid)))
    for place, cutoff in enumerate(grid.tolist()):
        for m, measure in enumerate(families):
            one = at_cutoff(measure, cutoff)
            curves[m, :, place] = one.aggregate(one.score(fresh))
        if place % AT_ONCE == AT_ONCE - 1:
            fresh.forget()
        if progress is not None:
            progress(place + 1, len(grid))
    fresh.forget()
    return curves


def crossings(measure: str, runs: Sequence[str], totals: Floats, grid: Ints) -> Iterator[Crossing]:
    """Every change of places under one measure; totals[R, G], higher is ahead."""
    for first in range(len(runs) - 1):
        lead = totals[first] - totals[first + 1 :]
        sign = np.sign(lead)
        # The last cut-off up to each at which the two were not equal; −1 before the first.
        last = np.maximum.accumulate(np.where(sign != 0, np.arange(len(grid)), -1), axis=1)
        previous = np.concatenate((np.full((len(last), 1), -1), last[:, :-1]), axis=1)
        was = np.where(previous >= 0, np.take_along_axis(sign, np.maximum(previous, 0), axis=1), 0)
        for other, place in np.argwhere(was * sign < 0).tolist():
            names = (runs[first], runs[first + 1 + other])
            ahead, then = names if was[other, place] > 0 else names[::-1]
            before, at = int(grid[previous[other, place]]), int(grid[place])
            yield Crossing(measure, ahead, then, before, at, abs(float(lead[other, place])))
