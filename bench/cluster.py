"""An index on a cluster beside one in a folder: the time to load it, and the processor time of a query."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.evaluation import command_line, program
from bench.indexing import texts
from bench.measuring import ChildFailedError, Measured, measure, spent_by
from bench.section import WORK, Options, Section, Table, tell
from tests.opensearch.local_cluster import LocalCluster, NoClusterError

TITLE = "Cluster: the same index on OpenSearch"
NODES, SHARDS, REPLICAS = 3, 3, 1
HEAP = "1g"
QUERIES = 40
WARM_UP_DOCUMENTS, WARM_UP_LOADS = 20_000, 3
"""Loads before anything is measured: a node compiles its code while it is first used."""
GOAL = 0.5
"""The part of the rate of a folder at which a cluster is to be loaded."""


@dataclass(frozen=True)
class Load:
    """One load of a collection on the cluster."""

    documents: int
    program: Measured
    nodes: float
    """Seconds of processor time of the nodes."""


@dataclass(frozen=True)
class Loaded:
    """One size of collection on both engines."""

    documents: int
    built: Measured
    """The index in a folder."""
    load: Load
    """The index on the cluster."""
    found: dict[str, Any]
    """What `cluster_search` prints."""


def run(options: Options) -> Section:
    """The part of the bench on clusters; skipped with a reason where none can be started."""
    WORK.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="nodes-", dir=WORK))
    work = (
        f"{NODES} nodes of OpenSearch on this machine, {HEAP} of memory each, {SHARDS} shards, {REPLICAS} replica; the "
        "short texts. Loading is `antecede index` from texts to a complete index, on all cores; "
        f"{WARM_UP_LOADS} loads of {WARM_UP_DOCUMENTS:,} documents come first, since a node compiles its code while it "
        f"is first used. A search is one of {QUERIES} topics that are not among the documents, by BM25, one after "
        "the other: q75, the 75 terms with the largest n(t)·log(N/df); full, all terms. Processor time is that of "
        "all nodes and of the program."
    )
    try:
        tell("starting a cluster")
        cluster = LocalCluster.start(folder, NODES, heap=HEAP, options=())
    except NoClusterError as error:
        shutil.rmtree(folder, ignore_errors=True)
        return Section(TITLE, work, (), notes=(f"Skipped: {error}.",))
    try:
        first = [warm_up(cluster, options, number) for number in range(WARM_UP_LOADS)]
        found = [compare(cluster, options, size) for size in sizes(options)]
    except ChildFailedError as error:
        return Section(TITLE, work, (), wrong=(str(error),))
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    wrong = tuple(
        f"{each.documents:,} documents, {kind}: {facts['wrong']} of {facts['queries']} rankings differ"
        for each in found
        for kind, facts in each.found.items()
        if facts["wrong"]
    )
    tables = (load_table(found), first_table(first), search_table(found), goals(found))
    return Section(TITLE, work, tables, (*map(remainder, found), *remarks()), wrong)


def sizes(options: Options) -> tuple[int, ...]:
    """Documents of the collections."""
    return (options.documents * 6 // 10, options.documents * 3)


def warm_up(cluster: LocalCluster, options: Options, number: int) -> Load:
    """Load some documents on nodes that were started just before; the next load replaces them."""
    tell(f"warm-up load {number + 1} of {WARM_UP_LOADS}")
    return load(cluster, "bench-warm", texts(WARM_UP_DOCUMENTS, options.seed).files, WARM_UP_DOCUMENTS, "--overwrite")


def load(cluster: LocalCluster, name: str, files: tuple[str, ...], size: int, *more: str) -> Load:
    """Load a collection on the cluster."""
    pids = [*cluster.pids.values()]
    before = spent_by(pids)
    where = ("--out", cluster.address(name), "--shards", str(SHARDS), "--replicas", str(REPLICAS))
    program = measure((command_line(), "index", *files, *where, *more, "--quiet"))
    return Load(size, program, spent_by(pids) - before)


def compare(cluster: LocalCluster, options: Options, size: int) -> Loaded:
    """Build and search both indexes of a size."""
    text = texts(size, options.seed)
    out, name = WORK / "index-of-cluster", f"bench-{size}"
    shutil.rmtree(out, ignore_errors=True)
    tell(f"an index of {size:,} documents in a folder")
    built = measure((command_line(), "index", *text.files, "--out", str(out), "--quiet"))
    tell(f"an index of {size:,} documents on the cluster")
    loaded = load(cluster, name, text.files, size)
    tell(f"searching {size:,} documents")
    pids = ",".join(map(str, cluster.pids.values()))
    command = program("cluster_search.py", str(out), cluster.address(name), text.topics, str(QUERIES), pids)
    found = json.loads(measure(command).output)
    shutil.rmtree(out, ignore_errors=True)
    return Loaded(size, built, loaded, found)


def load_table(found: list[Loaded]) -> Table:
    rows = []
    for each in found:
        folder, cluster = (each.documents / seconds for seconds in (each.built.wall, each.load.program.wall))
        name = f"{each.documents:,}"
        rows.append((name, "folder", f"{each.built.wall:.1f}", f"{folder:,.0f}", "1.00", f"{each.built.cpu:.1f}", "–"))
        times = (f"{each.load.program.wall:.1f}", f"{cluster:,.0f}", f"{cluster / folder:.2f}")
        rows.append((name, "cluster", *times, f"{each.load.program.cpu:.1f}", f"{each.load.nodes:.1f}"))
    columns = ("documents", "index", "s", "documents/s", "× folder", "CPU s of the program", "CPU s of the nodes")
    return Table(columns, tuple(rows), "Loading")


def first_table(first: list[Load]) -> Table:
    rows = tuple(
        (f"{number}", f"{each.documents:,}", f"{each.program.wall:.1f}", f"{each.program.cpu:.1f}", f"{each.nodes:.1f}")
        for number, each in enumerate(first, 1)
    )
    columns = ("load since the nodes were started", "documents", "s", "CPU s of the program", "CPU s of the nodes")
    return Table(columns, rows, "Warm-up loads")


def search_table(found: list[Loaded]) -> Table:
    rows = []
    for each in found:
        for kind, facts in each.found.items():
            spent = facts["nodes"] + facts["client"]
            figures = (facts["folder"], facts["nodes"], facts["client"], facts["wall"], facts["first"])
            times = tuple(f"{figure:.1f}" for figure in figures)
            name, terms = f"{each.documents:,}, {kind}", f"{facts['terms']:.0f}"
            candidates = (f"{facts['candidates']:,}", f"{facts['widened']} of {facts['queries']}")
            rows.append((name, terms, *times, f"{spent / facts['folder']:.0f}", *candidates))
    columns = (
        "documents, query",
        "terms",
        "folder, CPU ms",
        "nodes, CPU ms",
        "program, CPU ms",
        "cluster, wall ms",
        "nodes at first, CPU ms",
        "× folder",
        "most candidates",
        "widened",
    )
    return Table(columns, tuple(rows), "Processor time per query")


def goals(found: list[Loaded]) -> Table:
    rows = []
    for each in found:
        ratio = each.built.wall / each.load.program.wall
        name = f"loading {each.documents:,} documents at {GOAL} × the rate of a folder or more"
        rows.append((name, f"{ratio:.2f} ×", "yes" if ratio >= GOAL else "no"))
        few = max(facts["candidates"] - 1.1 * int(kind.rpartition("= ")[2].replace(",", "")) for kind, facts in
                  each.found.items())  # fmt: skip
        name = f"at most 1.1 · k + 50 candidates, {each.documents:,} documents"
        rows.append((name, f"1.1 · k + {max(few, 0):.0f}", "yes" if few <= 50 else "no"))
    return Table(("goal", "measured", "met"), tuple(rows), "Goals")


def remainder(each: Loaded) -> str:
    """How much processor time the goal leaves to the nodes, where they share the cores with the program."""
    cores = os.cpu_count() or 1
    whole = each.built.wall / GOAL * cores
    left = whole - each.load.program.cpu
    return (
        f"{each.documents:,} documents at {GOAL} × the rate of a folder are {each.built.wall / GOAL:.1f} s on "
        f"{cores} cores, {whole:.0f} s of processor time. The program took {each.load.program.cpu:.0f} s, which leaves "
        f"{left:.0f} s to the nodes; they took {each.load.nodes:.0f} s."
    )


def remarks() -> tuple[str, ...]:
    first = (
        "A node compiles its code while it is first used: `nodes at first` is the first time that queries of a kind "
        "are searched, the other figures are the sixth. The folder has decoded the terms of the queries before."
    )
    dense = (
        "The certificate needs more candidates where scores are dense: the generated patents have about the same "
        "length and score alike; for real texts it needs 1.06 · k + 40."
    )
    return (
        "Every ranking of the cluster was compared with that of the folder: names and scores are the same.",
        "All nodes share the cores of this machine with the program; on a real cluster they have their own.",
        first,
        "Before each kind of query the program has no document of the cluster in memory.",
        dense,
    )
