"""Patents in: a weekly file of the USPTO cut into documents and read, beside lxml's bare parsing of the same bytes.

The same for every XML format of which there are samples, in smaller files.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measuring import ChildFailedError, Measured, measure
from bench.section import WORK, Options, Section, Table, tell

HERE = Path(__file__).resolve().parent
MEGABYTES, FORMAT_MEGABYTES = 1000, 60
FACTOR, MEMORY = 3.0, 300.0
"""The goals: reading within so many times lxml's bare parsing, in less than so many MB."""
STEPS = {
    "bare": "lxml, bare parsing",
    "split": "antecede, cutting the file into documents",
    "read": "antecede, reading: cut, parsed, made into records",
}


ALL_STEPS = tuple(STEPS)


@dataclass(frozen=True)
class Step:
    """The executions of one step."""

    documents: int
    rejected: int
    seconds: float
    cpu: float
    peak_mb: float


def run(options: Options, megabytes: int = MEGABYTES) -> Section:
    """The reading part of the bench. `megabytes` is the size of the file."""
    file = WORK / f"weekly-{megabytes}-{options.seed}.xml"
    tell(f"work: {megabytes:,} MB of US patents in bench/work/{file.name}")
    made = json.loads(measure(program("weekly_file.py", str(file), str(megabytes), str(options.seed))).output)
    steps = measured(file, options.repeats)
    formats = measured_formats(options.repeats)
    kind = "real patents" if made["real"] else "patents written for the bench"
    return Section(
        title="Reading: from a file of patents to records",
        work=f"{made['documents']:,} documents, {made['bytes'] / 1e9:.2f} GB in one file: {made['different']:,} {kind}"
        ", repeated with numbers of their own. One process, one core, the file in the page cache; start not counted.",
        tables=(figures(steps, made["bytes"]), goals(steps), format_table(formats)),
        notes=(*remarks(steps), *format_remarks(formats)),
        wrong=(
            *wrong(steps, made["documents"]),
            *(line for each in formats for line in wrong(each.steps, each.documents, f"{each.name}: ")),
        ),
    )


@dataclass(frozen=True)
class FormatSteps:
    """The steps for a file of one format: bare parsing and reading."""

    name: str
    different: int
    documents: int
    bytes: int
    steps: dict[str, Step | str]


def measured_formats(repeats: int) -> list[FormatSteps]:
    """Bare parsing and reading for each XML format of which there are samples."""
    folder = WORK / "formats"
    made = json.loads(measure(program("format_file.py", str(folder), str(FORMAT_MEGABYTES))).output)
    return [
        FormatSteps(name, **facts, steps=measured(folder / f"{name}.xml", repeats, ("bare", "read")))
        for name, facts in made.items()
    ]


def format_table(formats: list[FormatSteps]) -> Table:
    """Reading beside bare parsing, format by format."""
    rows = []
    for each in formats:
        bare, read = each.steps["bare"], each.steps["read"]
        if isinstance(bare, Step) and isinstance(read, Step):
            ratio = read.cpu / bare.cpu
            speeds = (f"{each.bytes / bare.cpu / 1e6:.0f}", f"{each.bytes / read.cpu / 1e6:.0f}")
            size = f"{each.bytes / each.documents / 1000:.0f}"
            met = "yes" if ratio <= FACTOR else "no"
            rows.append((each.name, f"{each.different:,}", size, *speeds, f"{read.peak_mb:.0f}", f"{ratio:.2f}", met))
    heads = (
        "format",
        "samples",
        "kB each",
        "bare MB/s",
        "read MB/s",
        "peak MB",
        "× lxml bare",
        f"within {FACTOR:.0f} ×",
    )
    return Table(heads, tuple(rows), "Every XML format: reading beside lxml's bare parsing, in CPU time")


def format_remarks(formats: list[FormatSteps]) -> tuple[str, ...]:
    if not formats:
        return ("No samples of formats were found; the table of formats is empty.",)
    note = (
        f"Each format: its samples repeated with numbers of their own, {FORMAT_MEGABYTES} MB. Documents that lxml does "
        "not parse as they are (SGML, undeclared entities) are left out, since there is nothing to compare with."
    )
    return (note,)


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """A file of the bench as a command. With -P its folder is not searched for imports, so it shadows nothing."""
    return (sys.executable, "-P", str(HERE / name), *arguments)


def measured(file: Path, repeats: int, names: tuple[str, ...] = ALL_STEPS) -> dict[str, Step | str]:
    """Every step, in rounds, so that a busy minute of the machine does not fall on one alone."""
    measure(program("limits.py", "read", str(file)))
    each: dict[str, list[Measured]] = {step: [] for step in names}
    failed: dict[str, str] = {}
    for turn in range(repeats):
        for step in names:
            if step in failed:
                continue
            try:
                each[step].append(measure(program("reading_steps.py", step, str(file)), one_core=True))
            except ChildFailedError as error:
                failed[step] = f"failed: {error}"
                continue
            seconds = json.loads(each[step][-1].output)["seconds"]
            taken = f"{seconds:.1f} s, {each[step][-1].peak_mb:.0f} MB"
            tell(f"{file.name}, {STEPS[step]} ({turn + 1} of {repeats}): {taken}")
    return {step: failed.get(step) or taken_together(each[step]) for step in names}


def taken_together(each: list[Measured]) -> Step:
    """The median time and the largest memory."""
    told = [json.loads(one.output) for one in each]
    seconds, cpu = (median(one[name] for one in told) for name in ("seconds", "cpu"))
    return Step(told[-1]["documents"], told[-1]["rejected"], seconds, cpu, max(one.peak_mb for one in each))


def remarks(steps: dict[str, Step | str]) -> tuple[str, ...]:
    waited = [
        f"{STEPS[name]} {1 - step.cpu / step.seconds:.0%}"
        for name, step in steps.items()
        if isinstance(step, Step) and step.cpu < 0.9 * step.seconds
    ]
    busy = f"The machine was busy, measure again. Share of time spent waiting for a processor: {', '.join(waited)}."
    meant = "Seconds are the median. Peak MB is the largest resident memory, start included (1 MB = 10⁶ bytes)."
    return (meant, busy) if waited else (meant,)


def figures(steps: dict[str, Step | str], size: int) -> Table:
    bare = steps["bare"]
    rows = []
    for name, step in steps.items():
        if isinstance(step, str):
            rows.append((STEPS[name], step, *("–",) * 5))
            continue
        share = f"{step.seconds / bare.seconds:.2f}" if isinstance(bare, Step) else "–"
        speeds = (f"{step.documents / step.seconds:,.0f}", f"{size / step.seconds / 1e6:.0f}")
        times = (f"{step.seconds:.1f}", f"{step.cpu:.1f}")
        rows.append((STEPS[name], *times, *speeds, f"{step.peak_mb:.0f}", share))
    return Table(("step", "seconds", "CPU s", "documents/s", "MB/s", "peak MB", "× lxml bare"), tuple(rows))


def goals(steps: dict[str, Step | str]) -> Table:
    bare, read = steps["bare"], steps["read"]
    rows: list[tuple[str, str, str]] = []
    if isinstance(bare, Step) and isinstance(read, Step):
        times = read.seconds / bare.seconds
        rows.append(
            (f"within {FACTOR:.0f} × lxml's bare parsing", f"{times:.2f} ×", "yes" if times <= FACTOR else "no")
        )
    if isinstance(read, Step):
        rows.append((f"less than {MEMORY:.0f} MB", f"{read.peak_mb:.0f} MB", "yes" if read.peak_mb < MEMORY else "no"))
    return Table(("goal", "measured", "met"), tuple(rows), "Goals, set for a file of 1 GB")


def wrong(steps: dict[str, Step | str], documents: int, where: str = "") -> tuple[str, ...]:
    """Documents lost or rejected, and steps that did not end."""
    found = []
    for name, step in steps.items():
        if isinstance(step, str):
            found.append(f"{where}{STEPS[name]}: {step}")
        elif (step.documents, step.rejected) != (documents, 0):
            found.append(
                f"{where}{STEPS[name]}: {step.documents:,} documents of {documents:,}, {step.rejected:,} rejected"
            )
    return tuple(found)
