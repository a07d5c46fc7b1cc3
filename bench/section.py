"""What a part of the bench is given and what it hands back. Later parts (search, index, …) use the same two."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

WORK = Path(__file__).resolve().parent / "work"
"""Generated files: not kept in git, made once, used again."""


@dataclass(frozen=True)
class Options:
    """How large the work is and how often it is done; the defaults are those of the published figures."""

    runs: int = 48
    topics: int = 500
    seed: int = 0
    repeats: int = 3
    peers: tuple[str, ...] | None = None
    """The names of those to measure beside us; None for all."""
    documents: int = 100_000
    """Of the indexes that are built and searched; a tenth and three times as many show growth."""
    grown: int = 100_000
    """Documents of the real text that is searched beside peers, grown from what there is; 0 for none."""
    synthetic: int = 0
    """Documents of generated words that are searched beside peers; 0 for none."""


@dataclass(frozen=True)
class Table:
    """Cells as they will be printed; the first column is a name, the others are figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the results. `wrong` names values that should agree and do not: no time ever stands there."""

    title: str
    work: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def tell(message: str) -> None:
    """A line of progress, for whoever waits."""
    print(f"bench: {message}", file=sys.stderr, flush=True)
