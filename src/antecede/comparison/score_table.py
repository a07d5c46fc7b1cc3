"""Tables of scores as printed in papers: one line per run, one column per measure."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError, MalformedInputError, UsageError, shown, suggest_names
from antecede.registry import split_list
from antecede.tables import plain_text
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antecede.comparison.arrays import Floats

NO_VALUE = {"", "-", "–", "na", "n/a", "nan", "null", "none"}
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
                hint = suggest_names(name, self.scores) or f"; available: {', '.join(map(shown, self.scores))}"
                raise UsageError(f"the table has no column '{shown(name)}'{hint}")
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
    head = split_cells(numbered[0][1], lines) if numbered else []
    measures = head[1:]
    if len(measures) < 2 or len(numbered) < 2 or any(parse_score(name) is not None for name in measures):
        raise InputError(
            "is not a table of scores",
            source=content.source,
            remedy="name two or more measures in its first line, then one run per line; or give qrels and runs",
        )
    rows: dict[str, list[float]] = {}
    for at, line in numbered[1:]:
        name, *given = split_cells(line, lines)
        if len(given) != len(measures):
            raise MalformedInputError(
                f"has {len(given)} scores, but {len(measures)} measures are named", source=content.source, line=at
            )
        if name in rows:
            raise InputError(f"run {shown(name)} appears twice", source=content.source, line=at)
        values = [parse_score(text) for text in given]
        if None in values:
            wrong = shown(given[values.index(None)])
            raise MalformedInputError(f"{wrong!r} is not a number", source=content.source, line=at)
        rows[name] = [value for value in values if value is not None]
    table = np.array([*rows.values()])
    return ScoreTable(tuple(rows), {name: table[:, at] for at, name in enumerate(measures)})


def split_cells(line: str, lines: Sequence[str]) -> list[str]:
    """The cells of a line, split at the separator of the table's first line."""
    first = next(each for each in lines if each.strip() and not each.startswith("#"))
    separator = next((character for character in ("\t", ",", ";") if character in first), None)
    parts = line.split() if separator is None else next(csv.reader([line], delimiter=separator))
    return [plain_text(part.strip()) for part in parts]


def parse_score(text: str) -> float | None:
    """The score in a cell, NaN where there is none, None where the text is not a finite number."""
    if text.lower() in NO_VALUE:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
