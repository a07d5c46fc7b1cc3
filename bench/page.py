"""The searcher's page: many users at the same time, and how soon the first result is on screen."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.evaluation import command_line, program
from bench.measuring import ChildFailedError, measure
from bench.ranking import synthesized
from bench.section import Options, Section, Table, tell

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "The page: many users at the same time"
USERS, SECONDS = 50, 120
TRY_USERS, TRY_SECONDS = 10, 10
"""Of a try with fewer documents than the published figures have."""
DEMO = 2_000
"""Documents of the demonstration."""
OPENINGS = 12
FIRST_RESULT = 2.0
KINDS = {
    "open": "open an application (read the number; create the case)",
    "search": "search and describe 25 hits",
    "edit": "show or change the query",
    "page": "a further page of hits",
    "facets": "counts of the filters",
    "read": "a document with the query terms in its texts",
    "seen": "note that it was opened",
    "mark": "mark a document, on disk when answered",
    "progress": "counts, curve, estimates, advice",
    "all": "all requests",
}


def run(options: Options) -> Section:
    """The part of the bench about the page."""
    full = options.documents >= Options().documents
    users, seconds = (USERS, SECONDS) if full else (TRY_USERS, TRY_SECONDS)
    work = (
        f"`antecede serve` on {options.documents:,} synthetic patents (antecede synthesize), server and users on this "
        f"machine. {users} users for {seconds} s, who come within the first 15 s, each with a case of their own: "
        "reading 35 %, marking 30 %, edits of "
        "the query with a new search 10 %, further pages 10 %, filters 10 %, progress 5 %; 0.5 to 3 s between requests."
    )
    tell(f"{users} users on {options.documents:,} documents for {seconds} s")
    tables: list[Table] = []
    notes: list[str] = []
    wrong: list[str] = []
    try:
        index = str(provide_index(options.documents, options.seed))
        words = (index, "--users", str(users), "--seconds", str(seconds), "--json")
        load: dict[str, Any] = json.loads(measure(program("page_load.py", *words)).output)
        tables += load_table(load), load_goals(load)
        notes.append(describe_load(load))
        wrong += find_wrong(load)
    except ChildFailedError as error:
        wrong.append(f"the load failed: {error}")
    tell("the first result on screen")
    try:
        demo = str(provide_index(min(DEMO, options.documents), options.seed))
        opening: dict[str, Any] = json.loads(measure(program("page_opening.py", demo, str(OPENINGS), "--json")).output)
        tables.append(opening_goal(opening))
        notes.append(describe_opening(opening))
    except ChildFailedError as error:
        wrong.append(f"opening an application failed: {error}")
    return Section(TITLE, work, tuple(tables), tuple(notes), tuple(wrong))


def find_wrong(load: dict[str, Any]) -> list[str]:
    """What must not happen under load."""
    found = [f"{load['failed']} requests failed, the first: {load['errors'][0]}"] if load["failed"] else []
    return [*found, *([f"{load['missing']} marks that were confirmed are missing"] if load["missing"] else [])]


def provide_index(documents: int, seed: int) -> Path:
    """An index of synthetic patents as `antecede index` builds it, made once."""
    folder = synthesized(documents, seed)
    index = folder / "plain"
    if not index.exists():
        tell(f"an index of {documents:,} synthetic patents")
        measure((command_line(), "index", str(folder / "collection" / "collection"), "--out", str(index), "-q"))
    return index


def load_table(load: dict[str, Any]) -> Table:
    """The times to answer by kind of request."""
    rows = []
    for kind, told in KINDS.items():
        if kind in load["kinds"]:
            often, *times = load["kinds"][kind]
            rows.append((told, f"{often:,}", *(f"{each:,.0f}" for each in times)))
    return Table(("request", "number", "p50, ms", "p95, ms", "p99, ms", "mean, ms"), tuple(rows))


def load_goals(load: dict[str, Any]) -> Table:
    """What the page should reach under load."""
    rows = (
        ("0 errors", str(load["failed"]), "no" if load["failed"] else "yes"),
        ("no confirmed mark missing", f"{load['missing']} of {load['marks']:,}", "no" if load["missing"] else "yes"),
    )
    return Table(("goal", "measured", "met"), rows, "Goals under load")


def opening_goal(opening: dict[str, Any]) -> Table:
    """How soon the first result should be on screen."""
    seconds = opening["seconds"]
    row = (
        f"first result within {FIRST_RESULT:.0f} s of opening an application, {opening['documents']:,} documents",
        f"{median(seconds):.2f} s, slowest of {len(seconds)} {max(seconds):.2f} s",
        "yes" if max(seconds) < FIRST_RESULT else "no",
    )
    return Table(("goal", "measured", "met"), (row,), "Goal for one user")


def describe_load(load: dict[str, Any]) -> str:
    """How much was answered."""
    number = load["kinds"]["all"][0]
    memory = f" The server's largest resident memory was {load['peak_mb']:,.0f} MB." if load["peak_mb"] else ""
    return f"{number:,} requests in {load['seconds']:.0f} s: {number / load['seconds']:.1f} per second.{memory}"


def describe_opening(opening: dict[str, Any]) -> str:
    """How the time to the first result was measured."""
    how = "in chromium, with playwright" if opening["browser"] else "with the requests that the page sends, no browser"
    return (
        f"The first result was timed {how}, after one application had been opened ({opening['first']:.2f} s, cold): "
        "from the click that reads the number to the form, and from the click that starts the search to the result."
    )
