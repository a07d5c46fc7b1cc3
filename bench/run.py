"""The bench: `make bench`, or `python bench/run.py --runs 4 --topics 50` for a try that takes seconds.

Exit code 0: done; 1: done, but values that should agree do not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.section import WORK, Options, Section, tell

from bench import (
    cluster,
    engine_process,
    evaluation,
    indexing,
    page,
    peers,
    querying,
    ranking,
    reading,
    results,
    robustness,
    search_peers,
    searching,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECTIONS: dict[str, Callable[[Options], Section]] = {
    "evaluation": evaluation.run,
    "robustness": robustness.run,
    "reading": reading.run,
    "indexing": indexing.run,
    "searching": searching.run,
    "search-peers": search_peers.run,
    "querying": querying.run,
    "ranking": ranking.run,
    "cluster": cluster.run,
    "page": page.run,
}
"""The parts, in the order of the results. A new part is a file with a function `run` and a line here."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    usual = Options()
    parser = argparse.ArgumentParser(prog="bench/run.py", description="Measure antecede beside its peers.")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="a part to run; may be repeated")
    parser.add_argument("--runs", type=int, default=usual.runs, help="number of runs (%(default)s)")
    parser.add_argument("--topics", type=int, default=usual.topics, help="number of topics (%(default)s)")
    parser.add_argument("--documents", type=int, default=usual.documents, help="of the indexes (%(default)s)")
    parser.add_argument("--seed", type=int, default=usual.seed, help="of the generated work (%(default)s)")
    parser.add_argument("--repeats", type=int, default=usual.repeats, help="of our own measurements (%(default)s)")
    parser.add_argument(
        "--grown", type=int, default=usual.grown, help="documents of real text beside peers; 0 for none (%(default)s)"
    )
    parser.add_argument(
        "--synthetic", type=int, default=usual.synthetic, help="of generated words beside peers, such as 1000000"
    )
    names = [*(peer.name for peer in peers.PEERS), *(each.name for each in engine_process.ENGINES[1:])]
    parser.add_argument("--peer", action="append", choices=names, help="a peer to measure; may be repeated; else all")
    parser.add_argument("--no-peers", action="store_const", const=[], dest="peer", help="measure antecede alone")
    parser.add_argument(
        "--out",
        type=Path,
        help="a CSV file, beside which a page is written; bench/results.csv, or bench/work/partial.csv for less work",
    )
    found = parser.parse_args(given)
    for name in ("runs", "topics", "repeats", "documents"):
        if getattr(found, name) < 1:
            parser.error(f"--{name} must be at least 1")
    if found.grown < 0 or found.synthetic < 0:
        parser.error("--grown and --synthetic must be at least 0")
    return found


def main() -> int:
    asked = arguments()
    chosen_peers = None if asked.peer is None else tuple(asked.peer)
    options = Options(
        asked.runs, asked.topics, asked.seed, asked.repeats, chosen_peers, asked.documents, asked.grown, asked.synthetic
    )
    chosen = [name for name in SECTIONS if asked.only is None or name in asked.only]
    # A try must not overwrite the figures that are kept in git, and a part of the bench not those of the others.
    out: Path = asked.out or (results.FIGURES if options == Options() else WORK / "partial.csv")
    about = results.machine()
    sections = [SECTIONS[name](options) for name in chosen]
    stored = results.update(results.read(out) if out.exists() else [], sections, about)
    results.write(out, results.csv_text(stored))
    results.write(out.with_suffix(".md"), results.document(stored))
    tell(f"written to {out}")
    wrong = [line for section in sections for line in section.wrong]
    for line in wrong:
        tell(f"WRONG: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
