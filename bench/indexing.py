"""From texts to an index on disk: antecede beside tantivy, with the same texts and the same cores."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.contest import seconds
from bench.evaluation import HERE, program
from bench.measuring import ChildFailedError, measure
from bench.memory import watching
from bench.section import WORK, Options, Section, Table, tell

from bench import peers

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS, PEER = "antecede", "tantivy"
MEMORY_MB = 1000
"""What each engine is allowed."""
SOURCE = HERE.parent / "src" / "antecede"
NAMES = {
    OURS: "antecede: both directions, texts kept",
    PEER: "tantivy: postings alone",
    "tantivy-stored": "tantivy, texts kept",
    "antecede-english": "antecede, stemmed, stop words out",
    "tantivy-english": "tantivy, stemmed",
}


ROWS = tuple(
    (engine, cores)
    for cores in (1, 2)
    for engine in (OURS, PEER, "tantivy-stored", "antecede-english", "tantivy-english")
)
"""Engines and cores, in the order of the table."""


@dataclass(frozen=True)
class Kind:
    """A kind of text: how many words a patent has, and what part of the documents of the bench there are of it."""

    name: str
    words: int
    part: float
    turns: int = 1
    """How often each engine builds it, in turn with the others."""


KINDS = (Kind("short", 1_500, 0.2), Kind("long", 10_000, 0.03))
"""Parts of patents, a thousand different words in each; and whole ones, which are long and have as many different."""


REAL = Kind("real", 2_900, 0, turns=3)
"""Patents that somebody wrote, where they are at hand: in $ANTECEDE_DATA, or beside the project."""
DATA = Path(os.environ.get("ANTECEDE_DATA", HERE.parent.parent / "shared" / "data"))


@dataclass(frozen=True)
class Text:
    """The files that all engines are given."""

    files: tuple[str, ...]
    topics: str
    bytes: int


@dataclass(frozen=True)
class Built:
    """One build."""

    engine: str
    cores: int
    documents: int
    seconds: float
    peak_mb: float | None
    bytes: int
    postings_bytes: int
    turns: tuple[float, ...] = ()
    """The seconds of all builds, where there were several; `seconds` is the middle one."""

    @property
    def rate(self) -> float:
        return self.documents / self.seconds


Outcome = Built | str
"""The figures, or in words why there are none."""


Contest = dict[tuple[str, int], Outcome]
"""Engine and cores → what came of it."""


def run(options: Options) -> Section:
    """The indexing part of the bench."""
    tell(f"texts of {options.documents * 3:,} documents in bench/work")
    whole = texts(options.documents * 3, options.seed)
    with_peer = options.peers is None or PEER in options.peers
    rows = [each for each in ROWS if with_peer or each[0].startswith(OURS)]
    given = {kind: texts(max(int(options.documents * kind.part), 1000), options.seed, kind.words) for kind in KINDS}
    if (real := real_texts()) is not None:
        given[REAL] = real
    contests = {kind: contest(kind, rows, text) for kind, text in given.items()}
    growth = [grown(options, each) for each in sizes(options)]
    described = "; ".join(f"{kind.name}: {kind.words:,} words, {given[kind].bytes / 1e6:.0f} MB" for kind in given)
    return Section(
        title="Indexing: from texts to an index on disk",
        work=f"Patents as JSON lines ({described}); all but the real ones are generated, a thousand different words in "
        f"each. The growing collection is of the short ones, {whole.bytes / 1e9:.2f} GB. Words are analysed already "
        "unless a row says "
        f"otherwise. Each engine may take {MEMORY_MB:,} MB. Time is from the first byte read to the index on disk, "
        "without the start of the program.",
        tables=(
            *(contest_table(contests[kind], text, kind) for kind, text in given.items()),
            growth_table(growth),
            goals(contests, growth),
        ),
        notes=remarks(),
        wrong=tuple(
            f"{engine} on {cores} cores {found}"
            for contest in contests.values()
            for (engine, cores), found in contest.items()
            if isinstance(found, str)
        )
        + tuple(f"a growing index {found}" for found in growth if isinstance(found, str)),
    )


def sizes(options: Options) -> tuple[int, ...]:
    """Documents of the indexes that show growth, the middle one that of all comparisons."""
    return (max(options.documents // 10, 1000), options.documents, options.documents * 3)


def texts(documents: int, seed: int, words: int = KINDS[0].words) -> Text:
    """Generate the texts, or take what is there."""
    folder = WORK / (f"collection-{seed}" if words == KINDS[0].words else f"collection-{words}-{seed}")
    command = program("collection_work.py", str(folder), str(documents), str(seed), "--words", str(words))
    told = json.loads(measure(command).output)
    return Text(tuple(told["files"]), told["topics"], told["bytes"])


def real_texts() -> Text | None:
    """Real patents, if they are at hand."""
    source, out = DATA / "patents-fulltext" / "patents.jsonl.gz", WORK / "real-patents.jsonl"
    if not source.exists():
        return None
    measure(program("real_texts.py", str(source), str(out)))
    return Text((str(out),), str(out), out.stat().st_size)


def stemming(engine: str) -> bool:
    """Whether an engine goes from a raw text to stemmed words; the others are given words that are analysed already."""
    return engine.endswith("english")


def contest(kind: Kind, rows: list[tuple[str, int]], text: Text) -> Contest:
    """Have the engines build an index of a text in turn; of the real ones, only those that go from raw texts."""
    taking_part = [each for each in rows if kind != REAL or stemming(each[0])]
    turns = [{each: build(each[0], text, each[1]) for each in taking_part} for _ in range(kind.turns)]
    return {each: middle([turn[each] for turn in turns]) for each in taking_part}


def middle(found: list[Outcome]) -> Outcome:
    """Of several builds the middle one by time, with the times of all; the failure if one failed."""
    built = [each for each in found if isinstance(each, Built)]
    if len(built) < len(found) or len(built) == 1:
        return next((each for each in found if isinstance(each, str)), found[0])
    seconds = tuple(each.seconds for each in built)
    return replace(sorted(built, key=lambda each: each.seconds)[len(built) // 2], turns=seconds)


def build(engine: str, text: Text, cores: int, out: Path | None = None) -> Outcome:
    """Build an index in a process of its own; thrown away unless it is to stay."""
    if engine.startswith(PEER) and peers.installed(PEER)() is None:
        return "not installed"
    where = out or WORK / "index-thrown-away"
    command = program("index_building.py", engine, str(where), str(cores), str(MEMORY_MB), *text.files)
    try:
        with watching() as watched:
            told: dict[str, Any] = json.loads(measure(command, one_core=cores == 1).output)
    except ChildFailedError as error:
        tell(f"{engine} failed: {error}")
        return "failed"
    finally:
        if out is None:
            shutil.rmtree(where, ignore_errors=True)
    tell(f"{engine}, {cores} cores, {told['documents']:,} documents: {told['seconds']:.1f} s")
    return Built(
        engine, cores, told["documents"], told["seconds"], watched.peak_mb, told["bytes"], told["postings_bytes"]
    )


def folder_of(engine: str, documents: int, seed: int) -> Path:
    """Where an index stays for the searches."""
    return WORK / f"index-{engine}-{documents}-{seed}"


def fingerprint(engine: str) -> str:
    """Changes with the texts, and with the code that builds indexes of ours."""
    rooms = ("index", "text") if engine == OURS else ()
    sources = [each for room in rooms for each in sorted((SOURCE / room).rglob("*.py"))]
    sources.append(HERE / "collection_work.py")
    return hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()


def grown(options: Options, documents: int) -> Outcome:
    """Build an index of ours that stays for the searches."""
    out = folder_of(OURS, documents, options.seed)
    found = build(OURS, texts(documents, options.seed), 2, out)
    if isinstance(found, Built):
        out.with_suffix(".stamp").write_text(fingerprint(OURS))
    return found


def provided(engine: str, documents: int, seed: int) -> Path | None:
    """The folder of an index for the searches, built if it is not there or the code has changed; None if it cannot."""
    out = folder_of(engine, documents, seed)
    stamp, now = out.with_suffix(".stamp"), fingerprint(engine)
    if not (stamp.exists() and stamp.read_text() == now):
        tell(f"an index of {documents:,} documents by {engine}, for the searches")
        stamp.unlink(missing_ok=True)
        if isinstance(build(engine, texts(documents, seed), 2, out), str):
            return None
        stamp.write_text(now)
    return out


def contest_table(contest: Contest, text: Text, kind: Kind) -> Table:
    rows = []
    for (engine, cores), found in contest.items():
        if isinstance(found, str):
            rows.append((NAMES[engine], str(cores), found, *("–",) * 6))
            continue
        base = contest.get((PEER + "-english" if stemming(engine) else PEER, cores))
        times = f"{found.rate / base.rate:.2f}" if isinstance(base, Built) else "–"
        figures = (f"{found.rate:,.0f}", f"{text.bytes / 1e6 / found.seconds:.1f}", times, memory(found))
        disk = (f"{found.bytes / 1e6:.0f}", f"{found.postings_bytes / 1e6:.0f}")
        rows.append((NAMES[engine], str(cores), seconds(found.seconds), *figures, *disk))
    heads = ("engine", "cores", "s", "documents/s", "MB/s", "× tantivy", "peak MB", "disk MB", "without texts, MB")
    return Table(heads, tuple(rows), f"The {kind.name} texts")


def memory(found: Built) -> str:
    return "–" if found.peak_mb is None else f"{found.peak_mb:.0f}"


def growth_table(growth: list[Outcome]) -> Table:
    rows = tuple(
        (
            f"{each.documents:,}",
            seconds(each.seconds),
            f"{each.rate:,.0f}",
            memory(each),
            f"{each.bytes / 1e6:,.0f}",
            f"{each.postings_bytes / 1e6:,.0f}",
            f"{each.postings_bytes / each.documents:,.0f}",
        )
        for each in growth
        if isinstance(each, Built)
    )
    heads = (
        "documents",
        "s",
        "documents/s",
        "peak MB",
        "disk MB",
        "without texts, MB",
        "without texts, bytes a document",
    )
    return Table(heads, rows, "Growth, antecede on two cores")


def ratios(contest: Contest, kind: Kind) -> Iterator[tuple[str, str, bool]]:
    """How many times as fast we are, and how many times as much we write, as tantivy."""
    for ending, treated in (("", ""), ("-english", ", both stemming")):
        for cores in (1, 2):
            us, them = contest.get((OURS + ending, cores)), contest.get((PEER + ending, cores))
            if isinstance(us, Built) and isinstance(them, Built):
                ratio = us.rate / them.rate
                goal = f"{kind.name} texts: 3 × the documents a second of tantivy{treated}, {cores} cores"
                each = ", ".join(f"{their / our:.2f}" for our, their in zip(us.turns, them.turns, strict=True))
                yield goal, f"{ratio:.2f} ×" + (f" ({each})" if each else ""), ratio >= 3
    us, them = contest.get((OURS, 1)), contest.get((PEER, 1))
    if isinstance(us, Built) and isinstance(them, Built):
        disk = us.postings_bytes / them.postings_bytes
        yield f"{kind.name} texts: postings in both directions at most 2 × tantivy's", f"{disk:.2f} ×", disk <= 2


def goals(contests: dict[Kind, Contest], growth: list[Outcome]) -> Table:
    """What `performance.md` asks for, beside what was measured."""
    rows = [row for kind, contest in contests.items() for row in ratios(contest, kind)]
    built = [each for each in growth if isinstance(each, Built)]
    if built and all(each.peak_mb is not None for each in built):
        peak = max(each.peak_mb or 0.0 for each in built)
        rows.append((f"within the {MEMORY_MB:,} MB allowed", f"{peak:.0f} MB", peak <= MEMORY_MB))
    if len(built) > 1:
        slower = built[1].rate / built[-1].rate if len(built) > 2 else built[0].rate / built[-1].rate
        rows.append(("linear growth: at most 1.2 × the time a document", f"{slower:.2f} ×", slower <= 1.2))
    lines = tuple((goal, got, "yes" if met else "no") for goal, got, met in rows)
    return Table(("goal", "measured", "met"), lines, "Goals, set for 300,000 documents")


def remarks() -> tuple[str, ...]:
    return (
        "antecede writes postings in both directions and every record; tantivy texts only where a row says so.",
        "Peak MB is the memory of all processes together, pages of files left out, looked at twenty times a second.",
        "Each engine builds the real texts three times, in turn: given is the middle time, in brackets every ratio.",
        "Both read the same JSON lines; tantivy is fed through its Python package, which parses them in one thread.",
    )
