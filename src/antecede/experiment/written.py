"""Tables and figures as files: CSV for programs, Markdown to read, LaTeX for a paper, SVG to look at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from antecede.errors import AntecedeError
from antecede.experiment.folder import made
from antecede.experiment.studies import STUDIES
from antecede.files import write_whole
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from antecede.experiment.evaluated import EvaluatedPart
    from antecede.report.results import Study
    from antecede.tables import Value

ENDINGS = {"csv": "csv", "md": "md", "tex": "latex"}


def write_tables(folder: Path, tables: Mapping[str, Table | None]) -> list[Path]:
    """Each table in every form; what was written."""
    made(folder)
    outputs = []
    for name, table in tables.items():
        for ending, style in ENDINGS.items() if table is not None else ():
            path = folder / f"{name}.{ending}"
            write_whole(path, table.render(style).encode() if table is not None else b"")
            outputs.append(path)
    return outputs


def write_figures(folder: Path, figures: Mapping[str, Callable[[Path], object]], said: dict[str, str]) -> list[Path]:
    """Each figure; one that cannot be drawn is said, and the rest goes on."""
    made(folder)
    outputs = []
    for name, draw in figures.items():
        path = folder / f"{name}.svg"
        try:
            draw(path)
            outputs.append(path)
        except AntecedeError as error:
            said[f"figure {name}"] = f"figure {name}: not drawn: {error}"
    return outputs


def write_part(part: EvaluatedPart, said: dict[str, str]) -> list[Path]:
    """The tables and figures of a part: scores, comparison, cost, audit, and all topics."""
    from antecede.report.figures import FIGURES

    comparison = part.comparison
    tables: dict[str, Table | None] = {
        "scores": part.scores.table(),
        "comparison": comparison.table() if comparison is not None else None,
        "differences": comparison.details() if comparison is not None else None,
        "cost": part.cost(),
        "audit": part.audit.table(),
    }
    outputs = write_tables(part.folder / "tables", tables)
    topics = part.folder / "tables" / "topics.csv"
    write_whole(topics, part.scores.per_topic().render("csv").encode())
    figures: dict[str, Callable[[Path], object]] = {
        "relevant_per_topic": lambda path: part.ranks.plot(path),
        "systems": lambda path: part.scores.plot(path),
    }
    if len(part.ranks.runs) > 1 and len(part.scores.measures) > 1:
        figures["rank_changes"] = lambda path: FIGURES["rank_changes"].write(path, part.scores)
    if comparison is not None:
        figures["compare"] = lambda path: comparison.plot(path)
    return [*outputs, topics, *write_figures(part.folder / "figures", figures, said)]


def write_study(folder: Path, name: str, study: Study, said: dict[str, str]) -> list[Path]:
    """A study: its numbers, tables and figure."""
    path = made(folder / "studies") / f"{name}.json"
    write_whole(path, (json.dumps(study.to_dict(), ensure_ascii=False, allow_nan=False) + "\n").encode())
    tables = write_tables(folder / "tables", STUDIES[name].tables(study))
    return [path, *tables, *write_figures(folder / "figures", {name: study.plot}, said)]


def summary(parts: Sequence[EvaluatedPart]) -> Table:
    """The table of a paper: every part and run, with the marks of each part's comparison."""
    rows: list[tuple[Value, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    notes: list[str] = []
    measures = [str(measure) for measure in parts[0].scores.measures]
    for part in parts:
        scores = part.scores.table()
        compared = part.comparison.table() if part.comparison is not None else None
        first = len(rows)
        for row in scores.rows:
            rows.append((part.title if len(rows) == first else "", *row))
        best |= {(first + row, 1 + column) for row, column in scores.best}
        if compared is not None and part.comparison is not None:
            for (place, column), sign in compared.marks.items():
                marks[first + place, 2 + measures.index(part.comparison.measures[column - 1])] = sign
            notes += [f"{part.title}: {note}" for note in compared.notes]
    return Table(("part", "run", *measures), tuple(rows), "Scores", tuple(notes), frozenset(best), marks=marks)


def costs(parts: Sequence[EvaluatedPart]) -> Table | None:
    """What each method costs, in every part."""
    found = [(part.title, table) for part in parts if (table := part.cost()) is not None]
    if not found:
        return None
    rows = [(title if not at else "", *row) for title, table in found for at, row in enumerate(table.rows)]
    first = found[0][1]
    return Table(("part", *first.columns), tuple(rows), first.title, first.notes, digits=first.digits)
