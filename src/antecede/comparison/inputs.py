"""What comparisons take: array types, the checks of arguments, and tables of scores as printed in papers."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from antecede.errors import InputError, MalformedInputError, UsageError, advise, printable, suggest_names
from antecede.evaluation.rank_table import unknown_run
from antecede.evaluation.scores import require_scores
from antecede.ranges import ALPHA, write_number
from antecede.registry import split_list
from antecede.tables import plain_text
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.evaluation.scores import Scores


Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def average_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Ranks along the last axis, 1 for the smallest, tied values sharing the mean of their ranks; and group sizes.

    The second array gives, for each value, how many values equal it (itself included). A NaN ranks after everything
    else and is tied with nothing.
    """
    count = values.shape[-1]
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    opens = np.ones(values.shape, dtype=bool)
    opens[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    closes = np.ones(values.shape, dtype=bool)
    closes[..., :-1] = opens[..., 1:]
    place = np.arange(count)
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(closes, place, count)[..., ::-1], axis=-1)[..., ::-1]
    ranks, sizes = np.empty(values.shape), np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    np.put_along_axis(sizes, order, last - first + 1.0, axis=-1)
    return ranks, sizes


# Checks of arguments; each raises a UsageError of one line


Entry = TypeVar("Entry")

Better = Mapping[str, str | None]
"""By measure, which scores are better: `higher` (the default), `lower`, or None for neither."""

_DIRECTIONS: Mapping[str, int] = {"higher": 1, "lower": -1}
"""The sign that turns a difference into an advantage."""


def find_entry(entries: Mapping[str, Entry], name: str, kind: str) -> Entry:
    """The entry with this name; the error for an unknown name lists the available ones."""
    if name not in entries:
        hint = suggest_names(name, entries)
        raise UsageError(f"unknown {kind} '{printable(name)}'{hint}; available: {', '.join(entries)}")
    return entries[name]


def check_level(alpha: float) -> None:
    """Refuse a significance level outside (0, 1)."""
    if alpha not in ALPHA:
        raise UsageError(f"{advise('alpha', '--alpha')} must lie {ALPHA}, not {write_number(alpha)}; 0.05 is usual")


def check_runs(runs: Sequence[str]) -> None:
    """Require at least two runs with distinct names."""
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two runs, but got {len(runs)}; add another run")
    repeated = [name for name, count in Counter(runs).items() if count > 1]
    if repeated:
        raise UsageError(f"two runs are named {printable(repeated[0])}; rename one of them")


def check_values(values_by_measure: Mapping[str, Floats], runs: Sequence[str]) -> dict[str, Floats]:
    """The scores of each measure as float64[runs, topics], NaN where a topic is left out; infinity is refused."""
    if not values_by_measure:
        raise UsageError("no measure was given to compare by; give at least one")
    checked = {name: np.asarray(values, dtype=np.float64) for name, values in values_by_measure.items()}
    for name, values in checked.items():
        if values.ndim != 2 or len(values) != len(runs):
            raise UsageError(f"{name}: the scores have shape {values.shape}; expected {len(runs)} runs × topics")
        infinite = np.isinf(values).any(axis=1)
        if infinite.any():
            run = printable(runs[int(infinite.argmax())])
            raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    return checked


def check_totals(totals: Floats, measures: Sequence[object], runs: Sequence[str]) -> None:
    """Refuse infinite totals[measures, …, runs]: the run does not reach the requested recall on some topic."""
    infinite = np.argwhere(np.isinf(totals))
    if len(infinite):
        measure, run = measures[infinite[0][0]], printable(runs[infinite[0][-1]])
        raise UsageError(
            f"{measure}: run {run} does not reach this recall on every topic; set docs=, or choose another measure"
        )


class TopicValues(NamedTuple):
    """Scores per topic, as an evaluation has them or computed elsewhere."""

    by_measure: Mapping[str, Floats]
    """float64[runs, topics] for each measure, NaN where a topic is left out."""
    runs: Sequence[str]
    better: Better = MappingProxyType({})
    """`lower` for a measure where lower scores are better; by default `higher`."""
    caveats: tuple[str, ...] = ()
    """What the input lacks or is doubtful."""

    @property
    def directions(self) -> dict[str, int]:
        """−1 for a measure where lower scores are better, otherwise +1, also where neither direction is better."""
        given = {name: self.better.get(name, "higher") or "higher" for name in self.by_measure}
        return {name: find_entry(_DIRECTIONS, direction, "direction") for name, direction in given.items()}


def find_baseline(scores: Scores | TopicValues, name: str | None) -> str | None:
    """The run that a baseline denotes: by its name or, in an evaluation, by its path or tag."""
    if name is None or name in scores.runs:
        return name
    if isinstance(scores, TopicValues):
        raise unknown_run(name, scores.runs, "baseline")
    return scores.rank_table.find_run(name, "baseline")


def topic_values(scores: Scores | TopicValues) -> TopicValues:
    """The scores per topic, checked: two runs or more, and no infinite score or measure without scores per topic."""
    check_runs(scores.runs)
    if isinstance(scores, TopicValues):
        return scores._replace(by_measure=check_values(scores.by_measure, scores.runs))
    whole = next((measure for measure in scores.measures if measure.definition.aggregate_only), None)
    if whole is not None:
        raise UsageError(f"{whole}: is defined for a set of topics only, so it cannot be tested; leave it out")
    require_scores(scores.measures, scores.values, scores.rank_table)
    values = {str(measure): scores.of(str(measure)) for measure in scores.measures}
    for name, of in values.items():
        endless = np.argwhere(np.isinf(of))
        if len(endless):
            run, topic = printable(scores.runs[endless[0][0]]), printable(scores.topics[endless[0][1]])
            raise UsageError(
                f"{name}: run {run} never reaches this recall on topic {topic}; set docs=, leave the topic out "
                f"({advise('select_topics', f'--without-topics {topic}')}), or choose another measure"
            )
    better = {str(measure): measure.definition.better for measure in scores.measures}
    return TopicValues(values, scores.runs, better, scores.caveats())


# Tables of scores: one line per run, one column per measure


_NO_VALUE = {"", "-", "–", "na", "n/a", "nan", "null", "none"}
"""What a cell without a score may contain, in lower case."""


class ScoreTable(NamedTuple):
    """One score per run and measure, read from a file."""

    runs: tuple[str, ...]
    scores: dict[str, Floats]

    def select(self, columns: Sequence[str] | None) -> ScoreTable:
        """The table restricted to the named columns, ignoring case; the whole table if none are named."""
        names = [name for text in columns or () for name in split_list(text)]
        if not names:
            return self
        known = {name.lower(): name for name in self.scores}
        for name in names:
            if name.lower() not in known:
                hint = suggest_names(name, self.scores) or f"; available: {', '.join(map(printable, self.scores))}"
                raise UsageError(f"the table has no column '{printable(name)}'{hint}")
        return ScoreTable(self.runs, {known[name.lower()]: self.scores[known[name.lower()]] for name in names})


def read_score_table(path: str | Path) -> ScoreTable:
    """Read a table of scores: the first line names the measures, each further line starts with the name of a run.

    Columns are separated by commas, semicolons, tabs or blanks. An empty cell, – or NaN means that there is no score.

    Args:
        path: The file.
    """
    content = read_content(path)
    if content.is_parquet:
        raise InputError("is Parquet", source=content.source, remedy="save the table of scores as CSV")
    lines = content.data.decode("utf-8", "replace").splitlines()
    numbered = [(at, line) for at, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    head = _split_cells(numbered[0][1], lines) if numbered else []
    measures = head[1:]
    if len(measures) < 2 or len(numbered) < 2 or any(_parse_score(name) is not None for name in measures):
        raise InputError(
            "is not a table of scores",
            source=content.source,
            remedy="name two or more measures in its first line, then one run per line; or give qrels and runs",
        )
    rows: dict[str, list[float]] = {}
    for at, line in numbered[1:]:
        name, *given = _split_cells(line, lines)
        if len(given) != len(measures):
            raise MalformedInputError(
                f"has {len(given)} scores, but {len(measures)} measures are named", source=content.source, line=at
            )
        if name in rows:
            raise InputError(f"run {printable(name)} appears twice", source=content.source, line=at)
        values = [_parse_score(text) for text in given]
        if None in values:
            wrong = printable(given[values.index(None)])
            raise MalformedInputError(f"{wrong!r} is not a number", source=content.source, line=at)
        rows[name] = [value for value in values if value is not None]
    table = np.array([*rows.values()])
    return ScoreTable(tuple(rows), {name: table[:, at] for at, name in enumerate(measures)})


def _split_cells(line: str, lines: Sequence[str]) -> list[str]:
    """The cells of a line, split at the separator of the table's first line."""
    first = next(each for each in lines if each.strip() and not each.startswith("#"))
    separator = next((character for character in ("\t", ",", ";") if character in first), None)
    parts = line.split() if separator is None else next(csv.reader([line], delimiter=separator))
    return [plain_text(part.strip()) for part in parts]


def _parse_score(text: str) -> float | None:
    """The score in a cell, NaN where there is none, None where the text is not a finite number."""
    if text.lower() in _NO_VALUE:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
