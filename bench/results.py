"""The figures of the bench: `results.csv` holds every one of them, `results.md` shows those that readers ask for.

    python bench/results.py    # writes the page again from the stored figures

A row of the CSV file is one cell of a table: part, table, row, column, value. The rows of the table `about` say when,
on which machine and on what work a part was measured.
"""

from __future__ import annotations

import csv
import os
import platform
import sys
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.section import Section

FIGURES = Path(__file__).resolve().parent / "results.csv"
ABOUT = """# Benchmark

Every tool does the same work on the same machine{machine}; times depend on the machine, ratios less so. This page is
made from [every figure that was measured](results.csv), by `python bench/results.py`; `make bench` measures again.
Goals that are not met are listed at the end.
"""
GOALS = {
    "3 × the documents a second of tantivy": "indexing 3 × as fast as tantivy",
    "5 × the fastest of tantivy, Lucene, bm25s": "searching 5 × as fast as the fastest of tantivy, Lucene and bm25s",
    "0.5 × the rate of a folder or more": "loading a cluster at 0.5 × the rate of a folder",
    "at most 1.1 · k + 50 candidates": "at most 1.1 · k + 50 candidates on a cluster",
}
"""Goals that are set for several collections or queries, and what they are called in one line."""


class Shown(NamedTuple):
    """A table of the page: its title in the figures, and its rows and columns; all of them where none are named."""

    table: str
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


class Joined(NamedTuple):
    """A table of the page made of several: one column each, with its first figure and the second in brackets."""

    title: str
    tables: dict[str, str]
    """The columns, and the title of each one's table in the figures."""
    columns: tuple[str, str]


class Part(NamedTuple):
    """A part of the page: a few words, and the tables that are shown."""

    words: str
    tables: tuple[Shown | Joined, ...]


ENGINES = ("k = 100, p50 ms", "k = 100, × antecede")
TEXTS = {
    "real, 4,960 documents": "4,960 real",
    "grown, 100,000 documents": "100,000 grown",
    "grown, 1,000,000 documents": "1,000,000 grown",
}
SHOWN_EXPRESSIONS = (
    "radar OR sonar",
    '"semiconductor device"',
    '"of the"',
    "(radar OR sonar) NEAR/10 (antenna* OR array*)",
    "pressur*",
)
PARTS = {
    "Evaluation: from files to scores": Part(
        "48 generated runs of 500 topics, 1.07 GB, five measures, start included. The values equal those of "
        "pytrec_eval to 1e-9.",
        (Shown("tools", ("wall s", "× antecede", "peak MB")),),
    ),
    "Evaluation of real runs": Part(
        "The 48 runs of TREC-8, 50 topics, compressed; the same five measures, start included, on a machine in use.",
        (Shown("tools"),),
    ),
    "Evaluation of runs in memory": Part(
        "Ten runs of TREC-8 and the judgements as dictionaries, or as frames; the same five measures.",
        (Shown("tools"),),
    ),
    "Agreement with trec_eval 9": Part(
        "Topic by topic on the same runs beside pytrec_eval, which contains version 9; a value differs if it does by "
        "more than 1e-6. Bpref, Rprec, P@10, R@100 and RR never do.",
        (Shown("tools", rows=("IPrec at a level", "IPrec11", "AP", "nDCG", "infAP")),),
    ),
    "Robustness: scores under incomplete judgements": Part(
        "400 samples at each of four levels, 48 runs of 500 topics, six measures.",
        (Shown("tools", rows=("study, s", "peak MB")),),
    ),
    "Reading: from a file of patents to records": Part(
        "1 GB of real patents in one file, one process, beside lxml's bare parsing of the same bytes.",
        (Shown("tools", ("seconds", "MB/s", "peak MB", "× lxml bare")),),
    ),
    "Indexing: from texts to an index on disk": Part(
        "100,000 real patents of 2,900 words each, as JSON lines; each engine may take 1,000 MB. antecede writes "
        "postings in both directions and every record, tantivy postings alone.",
        (Shown("The real texts", ("cores", "s", "documents/s", "× tantivy", "peak MB", "disk MB")),),
    ),
    "Searching: from a query to the best 1,000 documents": Part(
        "100,000 generated documents. q75: the 75 terms of a topic with the largest n(t)·log(N/df), weighted; "
        "full: all its terms. The limit is the time to read eight bytes for each posting of the query.",
        (
            Shown("tools", ("q75 p50 ms", "q75 × faster", "full p50 ms", "full × faster", "full ÷ limit")),
            Shown("The program, start included"),
        ),
    ),
    "Searching real text beside other engines": Part(
        "All engines index the terms of antecede's analyser and rank by BM25, in one thread: milliseconds of the "
        "processor for the best 100 documents of the middle query, and in brackets how many times antecede's that is. "
        "*Real*: US patents; *grown*: real ones with half of their paragraphs exchanged within a class. bm25s has no "
        "query weights; BMP has impacts in eight bits; Lucene and tantivy keep lengths in one byte.",
        tuple(
            Joined(query, {label: f"{text}: {query}" for text, label in TEXTS.items()}, ENGINES)
            for query in ("q75", "full")
        ),
    ),
    "Boolean expressions": Part(
        "Milliseconds until all documents of an expression are known, the best of several rounds, beside Lucene with "
        "the same words at the same places. Both find the same documents; long expressions use both cores here, one in "
        "Lucene.",
        (Shown("summary"), Shown("expressions", rows=SHOWN_EXPRESSIONS)),
    ),
    "Large indexes": Part(
        "Synthetic patents of 170 distinct terms, one thread, median. Exact impacts add every posting; the compact "
        "layer adds or looks up the given share of them, with the same documents and scores (`bench/pruning.py`).",
        (
            Shown(
                "synthetic",
                ("exact impacts", "compact layer", "postings added or looked up"),
                tuple(
                    f"{number} documents, {query}, k = 100"
                    for number in ("100,000", "1,000,000", "3,000,000")
                    for query in ("75 terms", "whole patent")
                ),
            ),
            Shown("cost"),
        ),
    ),
    "Ranking: from a topic to a weighted sum of evidence": Part(
        "100,000 synthetic patents, 1,000 documents per topic, processor time of one thread, median. *First*: the "
        "first search for a topic after the index is opened; *again*: the best of two further rounds.",
        (Shown("tools", ("first, ms", "again, ms", "candidates"), ("classic", "the default")),),
    ),
    "Translations: how many parallel claims are needed": Part(
        "3,000 synthetic patents in three languages, 150 topics; tables learned from claims of another collection.",
        (Shown("claims", ("cross-language R@100", "R@100 of all", "R@100 of all, classic")),),
    ),
    "The page: many users at the same time": Part(
        "`antecede serve` on 100,000 synthetic patents: 50 users, each with a case of their own, 0.5 to 3 s "
        "between requests, on the same two cores.",
        (
            Shown(
                "tools",
                ("p50, ms", "p95, ms"),
                (
                    "open an application (read the number; create the case)",
                    "search and describe 25 hits",
                    "a document with the query terms in its texts",
                    "mark a document, on disk when answered",
                    "all requests",
                ),
            ),
        ),
    ),
    "Cluster: the same index on OpenSearch": Part(
        "Three nodes on the same two cores as the program, three shards, one replica. Every ranking and score "
        "equals that of a folder.",
        (
            Shown("Loading", ("documents/s", "× folder", "CPU s of the program", "CPU s of the nodes")),
            Shown(
                "Processor time per query",
                ("folder, CPU ms", "nodes, CPU ms", "program, CPU ms"),
                tuple(f"{number}, {query}, k = 100" for number in ("60,000", "300,000") for query in ("q75", "full")),
            ),
        ),
    ),
}
"""The parts of the page in their order, and what is shown of each."""
Row = tuple[str, str, str, str, str]


def machine() -> tuple[str, ...]:
    """What the figures depend on, a line each. Taken before the work starts, for the load to be that of others."""
    load = f"; load before the start {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Date: {datetime.now(UTC):%Y-%m-%d}",
        f"Machine: {_processor()}, {_cores()} cores, {_memory()}{load}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    )


def figures(section: Section, lines: Sequence[str]) -> Iterator[Row]:
    """Every figure of a part, as rows of the CSV file."""
    about = [*lines, f"Work: {section.work}", *(f"Note: {note}" for note in section.notes)]
    about += [f"Wrong: {line}" for line in section.wrong]
    for number, line in enumerate(about, 1):
        name, _, text = line.partition(": ")
        yield section.title, "about", f"{number} {name}", "", text
    for table in section.tables:
        names = [row[0] for row in table.rows]
        for row in table.rows:
            # Rows that share a name are told apart by their second column.
            name = row[0] if names.count(row[0]) == 1 else f"{row[0]}, {row[1]} {table.columns[1]}"
            for column, value in zip(table.columns[1:], row[1:], strict=True):
                yield section.title, table.title or "tools", name, column, value


def read(file: Path = FIGURES) -> list[Row]:
    """The stored figures."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]


def update(stored: Iterable[Row], sections: Sequence[Section], lines: Sequence[str]) -> list[Row]:
    """The stored figures with those of the parts that were measured again replaced."""
    titles = {section.title for section in sections}
    fresh = [row for section in sections for row in figures(section, lines)]
    return [row for row in stored if row[0] not in titles] + fresh


def csv_text(rows: Iterable[Row]) -> str:
    """The CSV file."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(("part", "table", "row", "column", "value"))
    writer.writerows(rows)
    return written.getvalue()


def document(rows: Sequence[Row]) -> str:
    """The page."""
    machines = {each for title in PARTS if (each := _facts(rows, title).get("Machine", "").partition(";")[0])}
    machine = f" ({next(iter(machines)).replace('(R)', '')})" if len(machines) == 1 else ""
    parts = [ABOUT.format(machine=machine)]
    for title, part in PARTS.items():
        own = [row for row in rows if row[0] == title]
        if own:
            facts = _facts(rows, title)
            where = "" if machine else f" on {facts['Machine'].partition(';')[0].replace('(R)', '')}"
            parts.append(f"## {title}\n\n{part.words} Measured {facts['Date']}{where}.\n")
            parts += [text for shown in part.tables if (text := _table(own, shown))]
    parts.append("## Goals that are not met\n")
    parts.append("".join(f"- {line}\n" for line in _missed(rows)))
    return "\n".join(parts)


def _facts(rows: Sequence[Row], title: str) -> dict[str, str]:
    """When, where and on what a part was measured."""
    return {row[2].partition(" ")[2]: row[4] for row in rows if row[0] == title and row[1] == "about"}


def _missed(rows: Sequence[Row]) -> Iterator[str]:
    """The goals that are not met, each with what was measured; those of several collections or queries in one line."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row[1].startswith("Goal") and row[3] == "met" and row[4] == "no":
            goal = next((told for text, told in GOALS.items() if text in row[2]), row[2])
            found.setdefault(goal, []).append(_find(rows, *row[:3], "measured").partition(", ")[0].partition(" (")[0])
    for goal, measured in found.items():
        ends = [*dict.fromkeys([min(measured, key=_number), max(measured, key=_number)])]
        cases = f", not met in {len(measured)} cases" if len(measured) > 1 else ""
        yield f"{goal}{cases}: {' to '.join(ends)}"


def _number(text: str) -> float:
    return float(text.partition(" ")[0])


def _table(rows: Sequence[Row], shown: Shown | Joined) -> str:
    if isinstance(shown, Joined):
        return _joined_table(rows, shown)
    own = [row for row in rows if row[1] == shown.table]
    if not own:
        return ""
    absent = {row[2] for row in own if row[4] == "not installed"}
    names = list(shown.rows or dict.fromkeys(row[2] for row in own if row[2] not in absent))
    columns = list(shown.columns or dict.fromkeys(row[3] for row in own))
    cells = {(row[2], row[3]): row[4] for row in own}
    lines = [[name.replace("*", r"\*"), *(cells.get((name, column), "–") for column in columns)] for name in names]
    title = [] if shown.table == "tools" else [f"**{shown.table}**", ""]
    head = [f"| {' | '.join(['', *columns])} |", "|---|" + "---:|" * len(columns)]
    return "\n".join([*title, *head, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def _joined_table(rows: Sequence[Row], shown: Joined) -> str:
    cells = {row[1:4]: row[4] for row in rows}
    names = dict.fromkeys(row[2] for row in rows if row[1] in shown.tables.values())
    first, second = shown.columns
    lines = [
        [
            name,
            *(
                f"{cells[table, name, first]} ({cells[table, name, second]})" if (table, name, first) in cells else "–"
                for table in shown.tables.values()
            ),
        ]
        for name in names
    ]
    head = [f"**{shown.title}**", "", f"| {' | '.join(['', *shown.tables])} |", "|---|" + "---:|" * len(shown.tables)]
    return "\n".join([*head, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def _find(rows: Sequence[Row], *key: str) -> str:
    return next(row[4] for row in rows if row[:4] == key)


def write(file: Path, text: str) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(file.name + ".unfinished")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        described = ""
    names = [line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB memory"


if __name__ == "__main__":
    write(FIGURES.with_suffix(".md"), document(read()))
