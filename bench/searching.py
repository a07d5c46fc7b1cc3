"""From a query to the 1,000 best documents: antecede beside tantivy, and beside the limit that memory sets."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from bench.evaluation import command_line, program
from bench.indexing import OURS, PEER, provided, sizes, texts
from bench.measuring import ChildFailedError, Measured, Repeated, measure
from bench.section import Options, Section, Table, tell

from bench import peers

KINDS = ("q75", "full")
QUERIES, ROUNDS = 40, 7
NAMED, LIMIT = "antecede, with names", "limit"
TEXT = "boza cuvi dafe gema"
RANKINGS = {"the default ranking": (), "`--ranking classic`": ("--ranking", "classic")}
START, FIRST_START = 0.6, 3.0
"""The goals for a search from the shell, in seconds: when the kernels are compiled, and on a machine without them."""
REPEATS = 5


@dataclass(frozen=True)
class Searched:
    """What `search_contest.py` told of one index."""

    documents: int
    kinds: dict[str, dict[str, Any]]

    def milliseconds(self, kind: str, engine: str) -> list[float]:
        return [1000 * each for each in self.kinds[kind]["best"][engine]]

    def middle(self, kind: str, engine: str) -> float:
        return median(self.milliseconds(kind, engine))

    def knows(self, engine: str) -> bool:
        return engine in self.kinds["full"]["best"]


def run(options: Options) -> Section:
    """The searching part of the bench."""
    with_peer = (options.peers is None or PEER in options.peers) and peers.installed(PEER)() is not None
    searched = {size: search(options, size, with_peer and size == options.documents) for size in sizes(options)}
    main = searched[options.documents]
    first = first_searches(options)
    found = [each for each in searched.values() if each is not None]
    tables = [growth_table(found), first_table(first)]
    if main is not None:
        tables = [contest_table(main), goals(main, found, first), *tables]
    return Section(
        title="Searching: from a query to the best 1,000 documents",
        work=f"{options.documents:,} documents, {QUERIES} topics that are not among them. q75: the 75 terms of a topic "
        "with the largest n(t)·log(N/df), so weighted; full: all its terms with n(t). BM25 everywhere. All queries "
        f"go to each engine in turn, {ROUNDS} rounds; the best time of each query counts, p50 and p95 are over the "
        "queries. The limit is the time to read eight bytes for each posting of the query, measured in between.",
        tables=tuple(tables),
        notes=remarks(main),
        wrong=tuple(f"the search of {size:,} documents failed" for size, each in searched.items() if each is None)
        + (("the first search failed",) if first is None else ()),
    )


def search(options: Options, size: int, with_peer: bool) -> Searched | None:
    """Search an index of so many documents, beside the peer's if it is wanted."""
    index, peer = provided(OURS, size, options.seed), provided(PEER, size, options.seed) if with_peer else None
    if index is None:
        return None
    tell(f"searching {size:,} documents")
    topics = texts(size, options.seed).topics
    command = program("search_contest.py", str(index), str(peer or "-"), topics, str(QUERIES), str(ROUNDS))
    try:
        told = json.loads(measure(command).output)
    except ChildFailedError as error:
        tell(f"the search failed: {error}")
        return None
    return Searched(size, {kind: told[kind] for kind in KINDS})


@dataclass(frozen=True)
class Start:
    """Searches from the shell with one ranking: the first, which compiles, and the median of later ones."""

    ranking: str
    first: Measured
    later: Repeated


def first_searches(options: Options) -> list[Start] | None:
    """The program's first search on a machine that never compiled it, and those after that, for each ranking."""
    index = provided(OURS, sizes(options)[0], options.seed)
    tell("the first search of a fresh machine")
    before = {name: os.environ.pop(name, None) for name in ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")}
    found = []
    try:
        for ranking, words in RANKINGS.items():
            with tempfile.TemporaryDirectory() as empty:
                os.environ["NUMBA_CACHE_DIR"] = empty
                command = (command_line(), "search", str(index), "--text", TEXT, "--language", "en", "--json", *words)
                first = measure(command)
                found.append(Start(ranking, first, Repeated(tuple(measure(command) for _ in range(REPEATS)))))
    except (ChildFailedError, FileNotFoundError) as error:
        tell(f"the first search failed: {error}")
        return None
    finally:
        os.environ.pop("NUMBA_CACHE_DIR", None)
        os.environ.update({name: value for name, value in before.items() if value is not None})
    return found


def contest_table(main: Searched) -> Table:
    rows = []
    for name in (OURS, NAMED, PEER, LIMIT):
        if not main.knows(name):
            continue
        figures: list[str] = []
        for kind in KINDS:
            times = main.milliseconds(kind, name)
            figures += [f"{median(times):.2f}", f"{quantiles(times, n=20)[-1]:.2f}"]
            base = main.middle(kind, PEER) if main.knows(PEER) else None
            figures.append(f"{base / median(times):.1f}" if base is not None and name != LIMIT else "–")
            rates = main.kinds[kind]["rates"].get(name)
            figures.append(f"{rates['1']:,.0f} → {rates['2']:,.0f}" if rates else "–")
        ratio = f"{main.middle('full', name) / main.middle('full', LIMIT):.2f}"
        rows.append((name, *figures, ratio))
    columns = [
        f"{kind} {what}" for kind in KINDS for what in ("p50 ms", "p95 ms", "× faster", "queries/s, 1 → 2 threads")
    ]
    return Table(("engine", *columns, "full ÷ limit"), tuple(rows))


def goals(main: Searched, found: list[Searched], starts: list[Start] | None) -> Table:
    """What `performance.md` asks for, beside what was measured."""
    rows: list[tuple[str, str, bool]] = []
    if main.knows(PEER):
        for kind, wanted in (("q75", 4), ("full", 5)):
            ratio = main.middle(kind, PEER) / main.middle(kind, OURS)
            rows.append((f"{kind} at least {wanted} × faster than tantivy", f"{ratio:.1f} ×", ratio >= wanted))
    ratio = main.middle("full", OURS) / main.middle("full", LIMIT)
    rows.append(("full within 3 × of the limit", f"{ratio:.2f} ×", ratio <= 3))
    rates = main.kinds["full"]["rates"][OURS]
    rows.append(("two threads 1.7 × as fast, full", f"{rates['2'] / rates['1']:.2f} ×", rates["2"] / rates["1"] >= 1.7))
    for each in starts or ():
        wall = each.first.wall
        rows.append(
            (
                f"first search from the shell within {FIRST_START:.0f} s, {each.ranking}",
                f"{wall:.1f} s",
                wall <= FIRST_START,
            )
        )
        wall = each.later.wall
        rows.append((f"later ones within {START} s, {each.ranking}", f"{wall:.2f} s", wall <= START))
    if len(found) > 1:
        large, small = found[-1], found[-2]
        per = large.middle("full", OURS) / small.middle("full", OURS) / (large.documents / small.documents)
        rows.append(("linear growth: at most 1.3 × the time a document", f"{per:.2f} ×", per <= 1.3))
    lines = tuple((goal, got, "yes" if met else "no") for goal, got, met in rows)
    return Table(("goal", "measured", "met"), lines, "Goals, set for 100,000 documents")


def growth_table(found: list[Searched]) -> Table:
    rows = []
    for each in found:
        figures: list[str] = []
        for kind in KINDS:
            told = each.kinds[kind]
            figures += [
                f"{told['postings'] / 1e6:.2f}",
                f"{each.middle(kind, OURS):.2f}",
                f"{1000 * told['first']:.1f}",
            ]
        rows.append((f"{each.documents:,}", *figures, f"{each.middle('full', OURS) / each.middle('full', LIMIT):.2f}"))
    heads = [f"{kind}, {what}" for kind in KINDS for what in ("million postings", "p50 ms", "the first time, ms")]
    return Table(("documents", *heads, "full ÷ limit"), tuple(rows), "Growth, antecede")


def first_table(starts: list[Start] | None) -> Table:
    rows = []
    for each in starts or ():
        for kind, taken in (("the first time, compiling included", each.first), ("after that", each.later)):
            rows.append((f"{each.ranking}, {kind}", f"{taken.wall:.2f}", f"{taken.cpu:.2f}"))
    return Table(("`antecede search`, from start to end", "s", "CPU s"), tuple(rows), "The program, start included")


def remarks(main: Searched | None) -> tuple[str, ...]:
    notes = [
        "Times are those that the searching thread was running; with the machine to oneself they are what passes.",
        "The first time: terms are decoded and weighed when a query first has them. The mean over the queries in turn.",
    ]
    if main is not None and main.knows(PEER):
        shares = [main.kinds[kind]["agreement"] for kind in KINDS]
        told = ", ".join(
            f"{kind} {each['overlap']:.1%} (least {each['worst']:.1%})"
            for kind, each in zip(KINDS, shares, strict=True)
        )
        ahead = ", ".join(f"{kind} {1000 * main.kinds[kind]['prepare']:.2f} ms" for kind in KINDS)
        notes.append(f"tantivy's queries are built beforehand, which is not in its times: {ahead} a query.")
        notes.append(
            f"Of the first 1,000 documents of tantivy, antecede has: {told}; scores differ by up to "
            f"{max(each['gap'] for each in shares):.1%}. tantivy keeps a document's length in one byte, exact up to 40 "
            "words only; where lengths are exact, the rankings are the same (tests/search/test_tantivy.py)."
        )
    return tuple(notes)
