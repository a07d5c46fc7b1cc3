"""Tables of scores, as papers print them: a line a run, a column a measure."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.comparison.validation import near
from antecede.errors import InputError, MalformedInputError, UsageError, shown
from antecede.measures.parse import split
from antecede.tables import plain_text
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antecede.comparison.ranks import Floats

NO_VALUE = {"", "-", "–", "na", "n/a", "nan", "null", "none"}
"""What people write where there is no score."""


class ScoreTable(NamedTuple):
    """One score for each run and measure, from a file."""

    runs: tuple[str, ...]
    scores: dict[str, Floats]

    def only(self, written: Sequence[str] | None) -> ScoreTable:
        """The columns of those names, whatever their capitals; all, if none are named."""
        names = [name for text in written or () for name in split(text)]
        if not names:
            return self
        known = {name.lower(): name for name in self.scores}
        for name in names:
            if name.lower() not in known:
                hint = near(name, self.scores) or f"; there are {', '.join(map(shown, self.scores))}"
                raise UsageError(f"the table has no column '{shown(name)}'{hint}")
        return ScoreTable(self.runs, {known[name.lower()]: self.scores[known[name.lower()]] for name in names})


def read_score_table(path: str | Path) -> ScoreTable:
    """A table of scores: names of measures in the first line, then a line a run, its name first.

    Commas, semicolons, tabs or blanks stand between the columns. An empty place, – or NaN is no score.
    """
    content = read_content(path)
    if content.is_parquet:
        raise InputError("is Parquet", source=content.source, remedy="save the table of scores as CSV")
    lines = content.data.decode("utf-8", "replace").splitlines()
    numbered = [(at, line) for at, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    head = cells(numbered[0][1], lines) if numbered else []
    measures = head[1:]
    if len(measures) < 2 or len(numbered) < 2 or any(value_of(name) is not None for name in measures):
        raise InputError(
            "is not a table of scores",
            source=content.source,
            remedy="name two or more measures in its first line, then a run a line; or give qrels and runs",
        )
    rows: dict[str, list[float]] = {}
    for at, line in numbered[1:]:
        name, *given = cells(line, lines)
        if len(given) != len(measures):
            raise MalformedInputError(
                f"has {len(given)} scores, but {len(measures)} measures are named", source=content.source, line=at
            )
        if name in rows:
            raise InputError(f"run {shown(name)} stands there twice", source=content.source, line=at)
        values = [value_of(text) for text in given]
        if None in values:
            wrong = shown(given[values.index(None)])
            raise MalformedInputError(f"{wrong!r} is not a number", source=content.source, line=at)
        rows[name] = [value for value in values if value is not None]
    table = np.array([*rows.values()])
    return ScoreTable(tuple(rows), {name: table[:, at] for at, name in enumerate(measures)})


def cells(line: str, lines: Sequence[str]) -> list[str]:
    """The cells of a line, split as the table's first line asks for."""
    first = next(each for each in lines if each.strip() and not each.startswith("#"))
    separator = next((sign for sign in ("\t", ",", ";") if sign in first), None)
    parts = line.split() if separator is None else next(csv.reader([line], delimiter=separator))
    return [plain_text(part.strip()) for part in parts]


def value_of(text: str) -> float | None:
    """The number that a cell holds, NaN for none, None for what is not a number."""
    if text.lower() in NO_VALUE:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
