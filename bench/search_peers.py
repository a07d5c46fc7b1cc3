"""From a query to the best documents of real text: antecede beside the engines that others search with.

Every engine indexes the same terms, ranks by BM25 with the same parameters and is asked the same queries in the same
run, in turns; each is a process of its own (`engine_process.py`). What is measured on generated words is in
`searching.py`: they have too few postings for each term of a query, which flatters everybody.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import TYPE_CHECKING

from bench.engine_process import ENGINES, JAVA, EngineKind, EngineProcess, MissingEngineError, build
from bench.evaluation import HERE, program
from bench.indexing import DATA, MEMORY_MB, OURS, SOURCE, texts
from bench.measuring import ChildFailedError, measure
from bench.section import WORK, Options, Section, Table, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("q75", "full")
DEPTHS = (100, 1000)
QUERIES = {"q75": 40, "full": 20}
ROUNDS = 5
SLOW = 15.0
"""Seconds of a round after which an engine has no more than two."""
COMPARED = 10
"""Queries whose rankings are compared with ours."""
FEW = 100
"""Documents up to which a search from Python may take twice as long as bm25s; for more, four times."""
RIVALS = ("tantivy", "Lucene", "bm25s")
"""Those that the goals name, beside BMP."""
NEAR = 1e-5
"""How far scores that are equal may be apart."""

NOTES = (
    "index.search is antecede as a person has it in Python, with its settings and its result; antecede is its engine.",
    "× antecede: how many times as long as antecede an engine takes for the middle query.",
    (
        "Among ours: the share of an engine's first documents that are among antecede's, those of exact BM25; equal "
        f"scores may be in any order. The mean over {COMPARED} queries."
    ),
    "Lucene and tantivy keep the length of a document in one byte, exact up to 40 words.",
    (
        "bm25s has no query weights: it is timed with each term once, which costs it less than weights would, and is "
        "compared with antecede on the same queries without weights. It is given antecede's impacts as its matrix."
    ),
    (
        "BMP and PISA are given antecede's impacts in eight bits and query weights as whole numbers (up to 32 and 20). "
        "BMP numbers terms in 16 bits: it has those of the queries and the most frequent others, 65,536 in all. PISA "
        "answers by MaxScore. The times of both include the names of the documents, those of the others do not."
    ),
    "Terrier answers document at a time without pruning (daat.Full).",
    "Threads: – where an engine's Python package searches in one thread only, and for Terrier.",
)


@dataclass(frozen=True)
class Collection:
    """What all engines index."""

    name: str
    folder: Path
    files: tuple[str, ...]
    topics: str
    documents: int
    words: float
    """Terms of a document, on average."""
    made: str


@dataclass
class Contest:
    """What was measured on one collection."""

    collection: Collection
    versions: dict[str, str]
    missing: dict[str, str] = field(default_factory=dict)
    """Engine → why it has no figures."""
    best: dict[tuple[str, str, int], list[float]] = field(default_factory=dict)
    """Engine, kind of query, k → the best seconds of each query."""
    rates: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    """Engine, kind → queries a second with one thread and with two."""
    shares: dict[tuple[str, str, int], float] = field(default_factory=dict)
    """Engine, kind, k → the share of its best k documents that are among ours."""

    def middle(self, engine: str, kind: str, k: int) -> float | None:
        found = self.best.get((engine, kind, k))
        return median(found) if found else None

    def ratio(self, engine: str, kind: str, k: int) -> float | None:
        """How many times as long as ours an engine takes."""
        ours, theirs = self.middle(OURS, kind, k), self.middle(engine, kind, k)
        return theirs / ours if ours and theirs else None


def run(options: Options) -> Section:
    """The part of the bench that searches real text beside peers."""
    return section_of([compete(each, chosen(options)) for each in collections(options)])


def section_of(contests: list[Contest]) -> Section:
    """What was measured, as a part of the results."""
    given = [each.collection for each in contests]
    return Section(
        title="Searching real text beside other engines",
        work="; ".join(
            f"{each.name}: {each.documents:,} documents of {each.words:,.0f} terms, {each.made}" for each in given
        )
        + (". " if given else f"Not run: there are no real patents in {DATA.name} ($ANTECEDE_DATA). ")
        + "All engines index the terms of antecede's analyser and rank by BM25 (k1 = 1.2, b = 0.75). q75: the 75 terms "
        "of a topic with the largest n(t)·log(N/df), weighted; full: all its terms with n(t); "
        f"{QUERIES['q75']} and {QUERIES['full']} topics, none of them in the collection. All queries go to each engine "
        f"in turn, {ROUNDS} rounds (two where one takes more than {SLOW:.0f} s), each engine in a process of its own, "
        "one thread, queries built and Java warmed up beforehand; the best time of each query counts, p50 and p95 are "
        "over the queries. Times are of the processor.",
        tables=tuple(table for each in contests for table in tables(each)) + ((goals(contests),) if contests else ()),
        notes=remarks(contests),
        wrong=tuple(
            f"{name} on {each.collection.name}: {reason}"
            for each in contests
            for name, reason in each.missing.items()
            if name == OURS or not reason.startswith("not installed")
        ),
    )


def chosen(options: Options) -> list[EngineKind]:
    """Ours and the engines that are wanted."""
    return [each for each in ENGINES if each.name == OURS or options.peers is None or each.name in options.peers]


def collections(options: Options) -> list[Collection]:
    """The collections: real, grown, and generated if that is asked for."""
    found = []
    source = DATA / "patents-fulltext" / "patents.jsonl.gz"
    if source.exists():
        for name, documents in (("real", 0), ("grown", options.grown)):
            if name == "real" or documents:
                tell(f"{name} texts as terms in bench/work")
                found.append(real_collection(name, source, documents, options.seed))
    if options.synthetic:
        given = texts(options.synthetic, options.seed)
        folder = WORK / f"searched-synthetic-{options.synthetic}-{options.seed}"
        made = "generated words"
        found.append(Collection("synthetic", folder, given.files, given.topics, options.synthetic, 1500, made))
    return found


def real_collection(name: str, source: Path, documents: int, seed: int) -> Collection:
    """Real patents, and if more are asked for than there are, such as are made of their paragraphs."""
    folder = WORK / f"searched-{name}-{documents}-{seed}"
    told = json.loads(measure(program("searched_texts.py", str(source), str(folder), str(documents), str(seed))).output)
    made = "US patents as they are" if told["real"] == told["documents"] else (
        f"{told['real']:,} of them real, the others real ones with half of their paragraphs from others of their class"
    )  # fmt: skip
    return Collection(name, folder, tuple(told["files"]), told["topics"], told["documents"], told["words"], made)


def compete(collection: Collection, engines: list[EngineKind]) -> Contest:
    """Have all engines index a collection and answer the queries, in turns."""
    contest = Contest(collection, {})
    folders = {kind.name: folder for kind in engines if (folder := prepare(contest, kind)) is not None}
    if OURS not in folders:
        return contest
    with contextlib.ExitStack() as stack:
        running: dict[str, EngineProcess] = {}
        for kind in engines:
            if kind.name in folders:
                with surviving(contest, kind.name):
                    running[kind.name] = stack.enter_context(
                        EngineProcess(kind, folders[kind.name], queries_of(collection))
                    )
        taking_part = [kind for kind in engines if kind.name in running]
        for kind in taking_part:
            with surviving(contest, kind.name):
                compare(contest, kind, running)
        for query in KINDS:
            for kind in taking_part:
                with surviving(contest, kind.name):
                    running[kind.name].warm_up(query, DEPTHS[-1], kind.warm_up)
            for k in DEPTHS:
                tell(f"{collection.name}: {query}, the best {k:,}")
                take_turns(contest, running, query, k)
            measure_rates(contest, taking_part, running, query)
    return contest


def prepare(contest: Contest, kind: EngineKind) -> Path | None:
    """The index of an engine; without one it is noted why."""
    try:
        contest.versions[kind.name] = kind.version()
        return provide(kind, contest.collection)
    except MissingEngineError as error:
        contest.missing[kind.name] = f"not installed: {error}"
    except ChildFailedError as error:
        contest.missing[kind.name] = f"failed: {error}"
    tell(f"{kind.name}: {contest.missing[kind.name]}")
    return None


def measure_rates(contest: Contest, engines: list[EngineKind], running: dict[str, EngineProcess], query: str) -> None:
    """Queries a second with one thread and with two, the better of two turns."""
    for kind in engines:
        if kind.threads and kind.name not in contest.missing:
            with surviving(contest, kind.name):
                engine = running[kind.name]
                one, two = (max(engine.rate(query, DEPTHS[-1], each) for _ in range(2)) for each in (1, 2))
                contest.rates[kind.name, query] = (one, two)


@contextlib.contextmanager
def surviving(contest: Contest, name: str) -> Iterator[None]:
    """An engine that ends is noted, and the others go on."""
    try:
        yield
    except ChildFailedError as error:
        contest.missing[name] = f"failed: {error}"
        tell(f"{name}: {error}")


def take_turns(contest: Contest, running: dict[str, EngineProcess], query: str, k: int) -> None:
    """All queries of a kind to each engine in turn, round after round; the best time of each query counts."""
    for turn in range(ROUNDS):
        for name, engine in running.items():
            key = (name, query, k)
            if name in contest.missing or (turn >= 2 and sum(contest.best[key]) > SLOW):
                continue
            with surviving(contest, name):
                found = engine.times(query, k)
                before = contest.best.get(key, found)
                contest.best[key] = [min(pair) for pair in zip(before, found, strict=True)]


def compare(contest: Contest, kind: EngineKind, running: dict[str, EngineProcess]) -> None:
    """Compare the rankings of an engine with ours; equal scores may be in any order."""
    if kind.name == OURS:
        return
    for query in KINDS:
        asked = query if kind.weights else query + "-plain"
        for k in DEPTHS:
            theirs = running[kind.name].answers(asked, k, QUERIES[query])
            ours = running[OURS].answers(asked, 2 * k, QUERIES[query])
            contest.shares[kind.name, query, k] = fmean(
                share(one, other, k) for one, other in zip(ours[:COMPARED], theirs[:COMPARED], strict=True)
            )


def share(ours: list[tuple[str, float]], theirs: list[tuple[str, float]], k: int) -> float:
    """The share of a ranking of k documents that are among our best k; `ours` are more, to see which are equal."""
    least = ours[min(k, len(ours)) - 1][1]
    among = {name for name, score in ours if score >= least * (1 - NEAR)}
    return sum(name in among for name, _ in theirs) / max(1, min(k, len(ours)))


def queries_of(collection: Collection) -> Path:
    return collection.folder / "queries.tsv"


def provide(kind: EngineKind, collection: Collection) -> Path:
    """The folder of an engine's index of a collection, built if it is not there or the code has changed."""
    out = collection.folder / f"index-{kind.name}"
    stamp, now = out.with_suffix(".stamp"), fingerprint(kind, collection)
    if not (stamp.exists() and stamp.read_text() == now):
        tell(f"{kind.name} indexes the {collection.name} texts")
        stamp.unlink(missing_ok=True)
        collection.folder.mkdir(parents=True, exist_ok=True)
        ours = collection.folder / f"index-{OURS}"
        build(kind, out, collection.files, ours, queries_of(collection), MEMORY_MB)
        stamp.write_text(now)
    if kind.name == OURS:
        write_queries(collection, out)
    return out


def write_queries(collection: Collection, ours: Path) -> None:
    """The queries of all kinds, as many of each as are asked."""
    file = queries_of(collection)
    measure(
        program("search_engines.py", "queries", str(ours), collection.topics, str(max(QUERIES.values())), str(file))
    )
    kept: dict[str, int] = {}
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        kind = line.partition("\t")[0]
        kept[kind] = kept.get(kind, 0) + 1
        if kept[kind] <= QUERIES[kind.partition("-")[0]]:
            lines.append(line)
    file.write_text("".join(lines), encoding="utf-8")


def fingerprint(kind: EngineKind, collection: Collection) -> str:
    """Changes with the texts, and with the code that builds the index."""
    sources = [Path(collection.files[0]).with_name("facts.json")]
    if kind.name == OURS:
        sources += [each for room in ("index", "text") for each in sorted((SOURCE / room).rglob("*.py"))]
    if kind.reads == "impacts":
        sources.append(HERE / "impact_indexes.py")
    if kind.reads == "terms":
        sources += sorted((JAVA / kind.name.lower()).iterdir())
    else:
        sources.append(HERE / "index_building.py")
    return hashlib.sha256(b"".join(each.read_bytes() for each in sources if each.exists())).hexdigest()


def tables(contest: Contest) -> list[Table]:
    """A table for each kind of query."""
    return [contest_table(contest, kind) for kind in KINDS]


def contest_table(contest: Contest, kind: str) -> Table:
    rows: list[tuple[str, ...]] = []
    names = [each.name for each in ENGINES if each.name in contest.versions or each.name in contest.missing]
    for name in names:
        version = contest.versions.get(name, "–")
        if name in contest.missing:
            rows.append((name, version, contest.missing[name].partition(":")[0], *("–",) * 7))
            continue
        figures: list[str] = []
        for k in DEPTHS:
            times = [1000 * each for each in contest.best[name, kind, k]]
            ratio = contest.ratio(name, kind, k)
            figures += [f"{median(times):.2f}", f"{highest(times):.2f}", f"{ratio:.1f}" if ratio else "–"]
        rates = contest.rates.get((name, kind))
        figures.append(f"{rates[0]:,.0f} → {rates[1]:,.0f}" if rates else "–")
        shares = [contest.shares.get((name, kind, k)) for k in DEPTHS]
        figures.append(" / ".join("–" if each is None else f"{each:.1%}" for each in shares) if name != OURS else "–")
        rows.append((name, version, *figures))
    depths = [f"k = {k:,}, {what}" for k in DEPTHS for what in ("p50 ms", "p95 ms", "× antecede")]
    heads = ("engine", "version", *depths, "queries/s, 1 → 2 threads", "of its first 100 / 1,000, among ours")
    return Table(heads, tuple(rows), f"{contest.collection.name}, {contest.collection.documents:,} documents: {kind}")


def highest(times: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


def goals(contests: list[Contest]) -> Table:
    """What `performance.md` asks for, beside what was measured."""
    rows: list[tuple[str, float, float, str]] = []
    for contest in contests:
        where = f"{contest.collection.name}, {contest.collection.documents:,} documents"
        for k in DEPTHS:
            ratios = {name: contest.ratio(name, "q75", k) for name in RIVALS}
            known = {name: each for name, each in ratios.items() if each is not None}
            if known:
                fastest = min(known, key=lambda name: known[name])
                goal = f"{where}, q75, k = {k:,}: 5 × the fastest of {', '.join(known)}"
                rows.append((goal, known[fastest], 5, f" ({fastest})"))
            for kind, name, wanted in (("full", "tantivy", 5), ("q75", "BMP", 1), ("full", "BMP", 1)):
                ratio = contest.ratio(name, kind, k)
                if ratio is not None:
                    level = f"at least level with {name}" if wanted == 1 else f"{wanted} × {name}"
                    rows.append((f"{where}, {kind}, k = {k:,}: {level}", ratio, wanted, ""))
            python, bm25s = contest.middle("index.search", "q75", k), contest.middle("bm25s", "q75", k)
            if python and bm25s:
                allowed = 2 if k <= FEW else 4
                rows.append(
                    (f"{where}, q75, k = {k:,}: index.search in {allowed} × bm25s", allowed * bm25s / python, 1, "")
                )
    lines = tuple((goal, f"{got:.2f} ×{who}", "yes" if got >= wanted else "no") for goal, got, wanted, who in rows)
    return Table(("goal", "measured", "met"), lines, "Goals, set for real text")


def remarks(contests: list[Contest]) -> tuple[str, ...]:
    missing = {name: reason for contest in contests for name, reason in contest.missing.items()}
    return (*(f"{name}: {reason}." for name, reason in missing.items()), *NOTES)
