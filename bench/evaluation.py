"""Files to scores: antecede beside trec_eval, pytrec_eval, ir_measures and ranx, and beside the machine's limits."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from bench.contest import Contender, Outcome, compete, seconds
from bench.measuring import ChildFailedError, Repeated, least_mb, measure
from bench.section import WORK, Options, Section, Table, tell

from bench import peers

HERE = Path(__file__).resolve().parent
OURS, MANY, ONE_CORE = "antecede", "antecede, 30 measures", "antecede, one core"
REFERENCE = "pytrec_eval"
TOLERANCE = 1e-9
TREC8 = Path(os.environ.get("ANTECEDE_DATA", HERE.parent.parent / "shared" / "data")) / "trec8"
GZIP_READERS = (REFERENCE, "ir_measures")
"""The peers that read gzipped runs."""
REAL_TOLERANCE = 1e-6
"""trec_eval's code holds scores as 32-bit floats, so that one of the real runs (Dm8Nbn, with 32 decimals) has equal
scores where we have different ones; with its scores rounded so, our values are the same to the last digits."""
RIVALS = ("trec_eval", REFERENCE)
"""Those that the goals name. They are measured twice, the others once, as they take minutes."""

THIRTY = (
    *peers.MEASURES, "PRES@1000", "PRES@100", "PRES@50", "PRESest@1000", "PRESest@100", "AP", "AP@100", "P@100",
    "R@50", "F(beta=1)@100", "F(beta=2)@1000", "Fprime(beta=4)@1000", "nDCG@10", "nDCG@100", "RR", "RR@10", "Rprec",
    "Bpref", "infAP", "RBP(p=0.8)", "RBPresidual(p=0.8)", "Success@10", "Judged@100", "NumRelRet", "GMAP",
)  # fmt: skip
"""Five and twenty-five more, of every family."""


@dataclass(frozen=True)
class Work:
    """The files all tools are given."""

    qrels: str
    runs: tuple[str, ...]
    bytes: int
    lines: int
    judged: int


def run(options: Options) -> Section:
    """The evaluation part of the bench."""
    work = files(options)
    read, parse = limits(work)
    contenders = ours(work, options.repeats) + others(work, options.peers)
    outcomes = compete(contenders)
    gaps = differences(outcomes)
    real, wrong = real_runs(options)
    saved = saved_table(work, options.repeats)
    start = start_up()
    tables = (
        contest_table(contenders, outcomes, gaps),
        *real,
        goals(outcomes, gaps, saved, start),
        saved_rows(saved),
        limit_rows(work, read, parse, outcomes),
    )
    return Section(
        title="Evaluation: from files to scores",
        work=f"{options.runs} runs × {options.topics} topics × up to 1,000 documents: {work.lines:,} lines, "
        f"{work.bytes / 1e9:.2f} GB, {work.judged:,} judged pairs. Five measures: {', '.join(peers.MEASURES)}. "
        "Each tool in a process of its own, start included, files in the page cache, its compiled code on disk.",
        tables=tables,
        notes=remarks(contenders, outcomes, gaps),
        wrong=(*wrong_values(gaps, outcomes), *wrong),
    )


def real_runs(options: Options) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The same contest on the real runs of TREC-8, gzipped, where they are at hand; and what is wrong."""
    runs = tuple(str(file) for file in sorted((TREC8 / "runs").glob("*.gz")))
    if not runs:
        tell("the runs of TREC-8 are not at hand")
        return (), ()
    tell(f"{len(runs)} real runs")
    work = Work(str(TREC8 / "qrels.txt"), runs, sum(Path(file).stat().st_size for file in runs), 0, 0)
    rivals = tuple(name for name in GZIP_READERS if options.peers is None or name in options.peers)
    contenders = tuple(each for each in ours(work, options.repeats) if each.name != MANY) + others(work, rivals)
    outcomes = compete(contenders)
    gaps = differences(outcomes)
    title = f"{len(runs)} real runs of TREC-8, gzipped ({work.bytes / 1e6:.0f} MB)"
    wrong = (f"TREC-8: {line}" for line in wrong_values(gaps, outcomes, REAL_TOLERANCE))
    return (replace(contest_table(contenders, outcomes, gaps), title=title),), tuple(wrong)


def files(options: Options) -> Work:
    """Generate the work, or take what is there."""
    folder = WORK / f"evaluation-{options.runs}x{options.topics}-{options.seed}"
    tell(f"work: {options.runs} runs × {options.topics} topics in bench/work/{folder.name}")
    size = (str(options.runs), str(options.topics), str(options.seed))
    made = json.loads(measure(program("work.py", str(folder), *size)).output)
    runs = tuple(str(folder / name) for name in made["files"])
    return Work(str(folder / "qrels.txt"), runs, made["bytes"], made["lines"], made["judged"])


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """A file of the bench as a command. With -P its folder is not searched for imports, so it shadows nothing."""
    return (sys.executable, "-P", str(HERE / name), *arguments)


def command_line() -> str:
    return str(Path(sysconfig.get_path("scripts")) / "antecede")


def ours(work: Work, repeats: int) -> tuple[Contender, ...]:
    """antecede through its command line: as it is, with more measures, and on one core."""
    try:
        found: str | None = version("antecede")
    except PackageNotFoundError:
        found = None

    def contender(name: str, measures: tuple[str, ...], one_core: bool = False) -> Contender:
        asked = [part for measure in measures for part in ("-m", measure)]
        command = (command_line(), "evaluate", *asked, "--json", "--quiet", work.qrels)
        return Contender(name, found, (*command, *work.runs), (*command, work.runs[0]), repeats, one_core)

    return (
        contender(OURS, peers.MEASURES),
        contender(MANY, THIRTY),
        contender(ONE_CORE, peers.MEASURES, one_core=True),
    )


def others(work: Work, chosen: tuple[str, ...] | None) -> tuple[Contender, ...]:
    found = []
    for peer in peers.PEERS:
        if chosen is not None and peer.name not in chosen:
            continue
        command = program("peers.py", peer.name, work.qrels)
        repeats = 2 if peer.name in RIVALS else 1
        found.append(Contender(peer.name, peer.version(), (*command, *work.runs), (*command, work.runs[0]), repeats))
    return tuple(found)


def means(output: str) -> peers.Means:
    """Per run, in the order given, the means of the five measures."""
    told = json.loads(output)
    scores = [each["scores"] for each in told["runs"]] if isinstance(told, dict) else told
    return [{name: float(run[name]) for name in peers.MEASURES} for run in scores]


def differences(outcomes: dict[str, Outcome]) -> dict[str, float]:
    """The largest difference of each tool from the reference, over all runs and measures."""
    values = {name: means(found.output) for name, found in outcomes.items() if isinstance(found, Repeated)}
    reference = values.get(REFERENCE)
    if reference is None:
        return {}
    return {
        name: max(abs(a[m] - b[m]) for a, b in zip(theirs, reference, strict=True) for m in peers.MEASURES)
        for name, theirs in values.items()
        if name != REFERENCE
    }


def wrong_values(gaps: dict[str, float], outcomes: dict[str, Outcome], tolerance: float = TOLERANCE) -> tuple[str, ...]:
    """What no reader may overlook: our values differ, or we gave none."""
    mine = (OURS, MANY, ONE_CORE)
    return (
        *(f"{name} {outcomes[name]}" for name in mine if isinstance(outcomes.get(name), str)),
        *(f"{name} differs from {REFERENCE} by {gaps[name]:.1e}" for name in mine if gaps.get(name, 0) > tolerance),
    )


def remarks(contenders: tuple[Contender, ...], outcomes: dict[str, Outcome], gaps: dict[str, float]) -> tuple[str, ...]:
    listed = {contender.name for contender in contenders}
    # With warm files, a tool on one core computes all the time unless somebody else takes the core from it.
    waited = [
        f"{name} {1 - found.cpu / found.wall:.0%}"
        for name, found in outcomes.items()
        if name not in (OURS, MANY) and isinstance(found, Repeated) and found.cpu < 0.9 * found.wall
    ]
    busy = f"The machine was busy, measure again. Share of time spent waiting for a processor: {', '.join(waited)}."
    reasons = {peer.name: peer.remark for peer in peers.PEERS if peer.name in listed}
    return (
        "CPU s counts all cores. Peak MB is the largest resident memory of the process (1 MB = 10⁶ bytes).",
        "The tools take turns, so that a busy minute does not fall on one alone.",
        "Of several executions the median time and the largest memory are given; in brackets the ratio of each turn.",
        *(
            f"{name} differs from {REFERENCE} because it {reason}."
            for name, reason in reasons.items()
            if gaps.get(name, 0) > TOLERANCE and reason
        ),
        *((busy,) if waited else ()),
    )


def contest_table(contenders: tuple[Contender, ...], outcomes: dict[str, Outcome], gaps: dict[str, float]) -> Table:
    us, least = outcomes[OURS], least_mb()
    rows = []
    for contender in contenders:
        found = outcomes[contender.name]
        if isinstance(found, str):
            rows.append((contender.name, contender.version or "–", found, *("–",) * 6))
            continue
        times = f"{found.wall / us.wall:.1f}" if isinstance(us, Repeated) else "–"
        work = f"{found.cpu / us.cpu:.1f}" if isinstance(us, Repeated) else "–"
        gap = f"{gaps[contender.name]:.0e}" if contender.name in gaps else "–"
        each = ", ".join(seconds(one.wall) for one in found.each)
        memory = f"{'≤ ' if found.peak_mb < least * 1.02 else ''}{found.peak_mb:.0f}"
        figures = (seconds(found.wall), times, seconds(found.cpu), work, memory, gap, each)
        rows.append((contender.name, contender.version or "–", *figures))
    differs = f"difference from {REFERENCE}"
    heads = ("tool", "version", "wall s", f"× {OURS}", "CPU s", f"× {OURS}", "peak MB", differs, "all walls")
    return Table(heads, tuple(rows))


@dataclass(frozen=True)
class SavedTable:
    """Seconds from a saved rank table to the means, by number of measures; and the file's size."""

    work: dict[int, float]
    imports: dict[int, float]
    whole: dict[int, float]
    megabytes: float


def saved_table(work: Work, repeats: int) -> SavedTable | None:
    """Save the rank table once, then score from it with five and with thirty measures."""
    file = Path(work.qrels).with_name("ranks.npz")
    tell("from a saved rank table")
    try:
        measure(program("saved_table.py", "build", str(file), work.qrels, *work.runs))
        each = {
            len(measures): [measure(program("saved_table.py", "score", str(file), *measures)) for _ in range(repeats)]
            for measures in (peers.MEASURES, THIRTY)
        }
    except ChildFailedError as error:
        tell(f"the saved rank table failed: {error}")
        return None

    def inside(name: str) -> dict[int, float]:
        return {count: median(json.loads(one.output)[name] for one in found) for count, found in each.items()}

    whole = {count: median(one.wall for one in found) for count, found in each.items()}
    return SavedTable(inside("work"), inside("imports"), whole, file.stat().st_size / 1e6)


def start_up() -> float | None:
    """`antecede --help`: the median of ten."""
    tell("start-up")
    try:
        return median(measure((command_line(), "--help")).wall for _ in range(10))
    except (ChildFailedError, FileNotFoundError):
        return None


def limits(work: Work) -> tuple[float, float]:
    """Seconds to read the bytes and to split them. Reading comes first and twice: it also warms the page cache."""
    tell("the machine's limits: reading and splitting the same bytes")
    measure(program("limits.py", "read", work.qrels, *work.runs))
    read, parse = (
        json.loads(measure(program("limits.py", step, *work.runs)).output)["seconds"] for step in ("read", "parse")
    )
    return read, parse


def goals(outcomes: dict[str, Outcome], gaps: dict[str, float], saved: SavedTable | None, start: float | None) -> Table:
    """What `performance.md` asks for, beside what was measured."""
    us, many = outcomes[OURS], outcomes[MANY]
    rows: list[tuple[str, str, bool]] = []
    if isinstance(us, Repeated):
        for name in RIVALS:
            found = outcomes.get(name)
            if isinstance(found, Repeated):
                ratio = found.wall / us.wall
                turns = zip(found.each, us.each, strict=False)
                each = ", ".join(f"{theirs.wall / ours.wall:.1f}" for theirs, ours in turns)
                rows.append((f"at least 8 × faster than {name}", f"{ratio:.1f} × ({each})", ratio >= 8))
        rows.append(("less than 400 MB", f"{us.peak_mb:.0f} MB", us.peak_mb < 400))
        if isinstance(many, Repeated):
            more = many.wall / us.wall - 1
            alone = f" (scoring alone {saved.work[30] - saved.work[5]:+.2f} s)" if saved is not None else ""
            rows.append(("30 measures cost less than 10 % more than 5", f"{more:+.1%}{alone}", more < 0.1))
    if OURS in gaps:
        rows.append((f"values equal to {REFERENCE}'s to 1e-9", f"{gaps[OURS]:.0e}", gaps[OURS] <= TOLERANCE))
    if saved is not None:
        rows.append(("from a saved rank table less than 0.1 s", f"{saved.work[5]:.3f} s", saved.work[5] < 0.1))
    if start is not None:
        rows.append(("`antecede --help` within 0.3 s", f"{start:.3f} s", start <= 0.3))
    lines = tuple((goal, got, "yes" if met else "no") for goal, got, met in rows)
    return Table(("goal", "measured", "met"), lines, "Goals, set for 48 runs × 500 topics")


def saved_rows(saved: SavedTable | None) -> Table:
    if saved is None:
        return Table(("from a saved rank table", "s"), (("failed", "–"),))
    rows = tuple(
        (f"{count} measures", *(seconds(taken[count]) for taken in (saved.work, saved.imports, saved.whole)))
        for count in saved.work
    )
    title = f"From a saved rank table ({saved.megabytes:.1f} MB)"
    return Table(("", "load and score, s", "imports, s", "whole process, s"), rows, title)


def limit_rows(work: Work, read: float, parse: float, outcomes: dict[str, Outcome]) -> Table:
    """How far we are from doing nothing but reading, and nothing but splitting lines."""
    us = outcomes[OURS]
    steps = [("read every byte", read), ("polars splits the lines into columns, nothing more", parse)]
    steps += [("antecede, files to scores", us.wall)] if isinstance(us, Repeated) else []
    rows = tuple((name, seconds(taken), f"{work.bytes / 1e6 / taken:,.0f}") for name, taken in steps)
    return Table(("", "s", "MB/s"), rows, "The machine's limits, same bytes, page cache warm")
