"""Generates a patent collection of any size in the shape of CLEF-IP, with topics and qrels."""

from __future__ import annotations

import math
import os
import secrets
import shutil
import time
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import zstandard
from pydantic_core import to_json

from antecede.errors import UsageError
from antecede.files import cannot_write
from antecede.operations import Help, Workers
from antecede.parallel import AHEAD, map_in_order, pause_garbage_collection, process_pool
from antecede.results import concise_repr
from antecede.synthetic.lexicon import LANGUAGES
from antecede.synthetic.plan import EPOCH, FIRST_NUMBER, Plan, RandomStreams, make_plan
from antecede.synthetic.text import compose
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from antecede.synthetic.text import SyntheticPatent

Form = Literal["marec", "jsonl"]
MIN_PATENTS, MAX_PATENTS = 100, 5_000_000
MIN_LENGTH, MAX_LENGTH = 300, 50_000
DEFAULT_LENGTH = 1300
SPREAD = 0.45
"""Standard deviation of the logarithm of a description's length."""
LENGTHS = 256
LARGEST_SEED = 2**63 - 1
WORTH_SHARING = 5000
"""The number of patents from which more than one process is faster."""
BATCH_SIZE = 256
"""Patents per batch. It determines where the frames of a compressed file end, so changing it changes the bytes."""
GRADES = {"X": 3, "Y": 2, "A": 1}


@dataclass(frozen=True)
class Synthesis:
    """Counts of what was written."""

    __repr__ = concise_repr

    folder: str
    form: str
    seed: int
    patents: int
    documents: int
    languages: dict[str, int]
    topics: int
    relevant: int
    fewest_relevant: int
    mean_relevant: float
    most_relevant: int
    bytes: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def table(self) -> Table:
        """The counts, one per row."""
        rows = (
            ("patents", f"{self.patents:,}"),
            ("documents", f"{self.documents:,}"),
            *((f"patents in {language}", f"{count:,}") for language, count in self.languages.items()),
            ("topics", f"{self.topics:,}"),
            ("relevant per topic, fewest", str(self.fewest_relevant)),
            ("relevant per topic, mean", f"{self.mean_relevant:.2f}"),
            ("relevant per topic, most", str(self.most_relevant)),
            ("megabytes", f"{self.bytes / 1e6:,.1f}"),
            ("seconds", f"{self.seconds:.1f}"),
        )
        note = f"Synthetic, seed {self.seed}, in {self.folder}: no patent in it is real."
        return Table(("", "count"), rows, notes=(note,))


class WritingTask(NamedTuple):
    """What every worker needs to know."""

    patents: int
    topics: int
    seed: int
    folder: Path
    form: str
    length: int


class SyntheticBatch(NamedTuple):
    """What was written for some patents, and for topics the lines of topics.tsv and qrels.txt."""

    documents: int
    size: int
    """In bytes."""
    stream: bytes
    """What is to be appended to the file of JSON lines."""
    languages: Counter[str]
    topics: list[str]
    judgements: list[list[str]]


def synthesize(
    out: str | Path,
    patents: Annotated[int, Help("The number of patents.")] = 2000,
    seed: Annotated[int, Help("Random seed; the same seed gives the same bytes.")] = 1,
    *,
    topics: Annotated[int | None, Help("The number of topics.", default="one to 20 patents, 25 to 500")] = None,
    form: Annotated[Form, Help("MAREC's XML folders, or one file of JSON lines.")] = "marec",
    length: Annotated[int, Help("Tokens of a description, on average.")] = DEFAULT_LENGTH,
    workers: Workers = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Synthesis:
    """Write a synthetic collection with topics and qrels.

    The same patents, topics, form, length and seed give the same bytes on every machine and with any number of workers.

    Args:
        out: A new or empty folder; it appears only when it is complete.
        progress: Called with (done, total).
    """
    started = time.monotonic()
    if workers is None:
        workers = (os.cpu_count() or 1) if patents >= WORTH_SHARING else 1
    topics = choose_topic_count(patents) if topics is None else topics
    check_request(patents, topics, seed, form, length, workers)
    out = Path(out)
    unfinished = _make_partial_folder(out)
    try:
        counts = _write_collection(WritingTask(patents, topics, seed, unfinished, form, length), workers, progress)
        seconds = round(time.monotonic() - started, 2)
        synthesis = Synthesis(str(out), form, seed, patents, **counts, seconds=seconds)
        (unfinished / "README.md").write_text(_compose_readme(synthesis, length), encoding="utf-8")
        if out.exists():
            out.rmdir()
        unfinished.rename(out)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return synthesis


def choose_topic_count(patents: int) -> int:
    """The default number of topics: one per twenty patents, between 25 and 500."""
    return min(max(patents // 20, 25), 500)


def check_request(patents: int, topics: int, seed: int, form: str, length: int, workers: int) -> None:
    """Reject a request that is out of range."""
    if not MIN_PATENTS <= patents <= MAX_PATENTS:
        raise UsageError(f"cannot generate {patents} patents; choose {MIN_PATENTS} to {MAX_PATENTS:,}")
    if not 1 <= topics <= patents:
        raise UsageError(f"cannot generate {topics} topics for {patents} patents; choose 1 to {patents}")
    if not 0 <= seed <= LARGEST_SEED:
        raise UsageError(f"the seed {seed} is out of range; choose 0 to {LARGEST_SEED}")
    if form not in OUTPUT_FORMATS:
        raise UsageError(f"unknown form {form!r}; choose one of {', '.join(OUTPUT_FORMATS)}")
    if not MIN_LENGTH <= length <= MAX_LENGTH:
        raise UsageError(f"cannot generate descriptions of {length} tokens; choose {MIN_LENGTH} to {MAX_LENGTH:,}")
    if workers < 1:
        raise UsageError(f"cannot run {workers} workers; choose 1 or more")


def _make_partial_folder(out: Path) -> Path:
    """Create a sibling of the output folder, to be renamed when it is complete. Nothing is overwritten."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: already exists and is not an empty folder; remove it or choose another folder")
    try:
        parent = out.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        partial = parent / f".{out.name}-{secrets.token_hex(4)}.partial"
        partial.mkdir()
    except OSError as error:
        raise cannot_write(out, error, "cannot be created") from None
    return partial


@lru_cache(maxsize=1)
def compute_lengths(mean: int) -> tuple[int, ...]:
    """Equally likely lengths of descriptions in tokens that approximate a lognormal distribution."""
    normal = NormalDist()
    logs = [SPREAD * normal.inv_cdf((at + 0.5) / LENGTHS) - SPREAD**2 / 2 for at in range(LENGTHS)]
    return tuple(round(mean * math.exp(log)) for log in logs)


def _write_collection(task: WritingTask, workers: int, progress: Callable[[int, int], None] | None) -> dict[str, Any]:
    """Write all patents, topics and qrels; returns the counts of `Synthesis`."""
    folder, total = task.folder, task.patents + task.topics
    _prepare_folder(task.form, folder / "collection", FIRST_NUMBER, FIRST_NUMBER + task.patents)
    _prepare_folder(task.form, folder / "topics", FIRST_NUMBER + task.patents, FIRST_NUMBER + total)
    documents = size = 0
    languages: Counter[str] = Counter()
    topics, judgements = ["topic_id\tlanguage\tpath\tpriority_date\n"], []
    for batch in write_batches(task, workers):
        documents += batch.documents
        size += batch.size
        if batch.stream:
            with (folder / ("topics" if batch.topics else "collection") / LINES).open("ab") as stream:
                stream.write(batch.stream)
        topics += batch.topics
        judgements += batch.judgements
        languages += batch.languages
        if progress is not None:
            progress(languages.total(), total)
    for name, lines in (
        ("topics.tsv", topics),
        ("qrels.txt", [line for judgement in judgements for line in judgement]),
    ):
        size += (folder / name).write_bytes("".join(lines).encode())
    counts = [len(judgement) for judgement in judgements]
    return {
        "documents": documents,
        "languages": {language: languages[language] for language in LANGUAGES},
        "topics": len(counts),
        "relevant": sum(counts),
        "fewest_relevant": min(counts),
        "mean_relevant": sum(counts) / len(counts),
        "most_relevant": max(counts),
        "bytes": size,
    }


def _compose_readme(synthesis: Synthesis, length: int) -> str:
    languages = ", ".join(f"{count:,} {language}" for language, count in synthesis.languages.items())
    return f"""# A synthetic patent collection

Nothing in this folder is real: a program wrote every patent, name, number and citation, and what bears the number of a
real patent is not that patent. Use it to test and to measure software, never as prior art.

Made by antecede {version("antecede")}: `antecede synthesize --patents {synthesis.patents} --topics {synthesis.topics} \
--seed {synthesis.seed} --form {synthesis.form} --length {length}`. The same call gives the same bytes.

| | |
|---|---|
| `collection/` | {synthesis.patents:,} patents; {OUTPUT_FORMATS[synthesis.form]} |
| `topics/` | {synthesis.topics:,} later patents that are not in the collection, in the same form |
| `topics.tsv` | topic, language, file, priority date |
| `qrels.txt` | {synthesis.relevant:,} TREC judgements: what a topic cites in the collection, X = 3, Y = 2, A = 1 |

{synthesis.documents:,} documents; with the topics {languages}. Relevant documents per topic: \
{synthesis.fewest_relevant} to {synthesis.most_relevant}, {synthesis.mean_relevant:.2f} on average. \
Other patents may be just as relevant and are not judged, as
in real collections made from citations.
"""


# The formats


@lru_cache(maxsize=1 << 14)
def format_day(day: int) -> str:
    """A day as 1999-11-08."""
    return (EPOCH + timedelta(days=day)).isoformat()


# MAREC XML: an A1 or A2 document and, if the patent was granted, a B1 document, each a file

PRODUCED = "20091231"
"""The production date in every document, fixed so that the same seed gives the same bytes."""
MEMBERS = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "GR", "IT", "LI", "LU", "NL", "SE")
STATES = "".join([f"<country>{state}</country>" for state in MEMBERS])
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Synthetic: this document was made by a program (antecede synthesize) and describes no real invention. -->
"""


def _render_document(patent: SyntheticPatent, kind: str) -> str:
    """One document; the first one of a patent has the abstract and the search report, the B1 document all claims."""
    is_first, language, country = kind == patent.kind, patent.language, patent.country
    date, filed, priority = (
        format_day(day).replace("-", "")
        for day in (patent.published if is_first else patent.granted, patent.filed, patent.priority)
    )
    ucid, application = f"EP-{patent.number}-{kind}", f"{filed[2:4]}{100_000 + patent.number % 900_000}"
    earlier = f"{priority[:4]}{100_000 + patent.family * 7 % 900_000}"
    classes = [_render_class(symbol, "L" if at else "F") for at, symbol in enumerate(patent.ipc)]
    titles = [
        f'<invention-title load-source="ep" status="new" lang="{each}">{title}</invention-title>\n'
        for each, title in patent.titles.items()
    ]
    inventors = [
        f'<inventor status="new" format="original"><addressbook><last-name>{name}</last-name>'
        f"<address><country>{country}</country></address></addressbook></inventor>\n"
        for name in patent.inventors
    ]
    abstract = f'<abstract load-source="ep" status="new" lang="{language}">\n<p>{patent.abstract}</p>\n</abstract>\n'
    claims = [_render_claims(patent, each) for each in ([language] if is_first else sorted(patent.claims))]
    return (
        f'{HEAD}<patent-document ucid="{ucid}" country="EP" doc-number="{patent.number}" kind="{kind}"'
        f' lang="{language}" family-id="{patent.family_id}" status="new" date-produced="{PRODUCED}" date="{date}">\n'
        f'<bibliographic-data>\n<publication-reference ucid="{ucid}" status="new">'
        f"{_render_id('EP', str(patent.number), kind, date, 'original')}</publication-reference>\n"
        f'<application-reference ucid="EP-{application}-A" status="new" is-representative="NO">'
        f"{_render_id('EP', application, 'A', filed)}</application-reference>\n"
        f'<priority-claims status="new"><priority-claim ucid="{country}-{earlier}-A" status="new">'
        f"{_render_id(country, earlier, 'A', priority)}</priority-claim></priority-claims>\n"
        f'<technical-data status="new">\n<classifications-ipcr>\n{"".join(classes)}</classifications-ipcr>\n'
        f"{''.join(titles)}{_render_citations(patent) if is_first and patent.citations else ''}</technical-data>\n"
        '<parties>\n<applicants><applicant status="new" format="epo"><addressbook>'
        f"<name>{patent.applicant.upper()}</name><address><country>{country}</country></address></addressbook></applicant>"
        f'<applicant status="new" format="original"><addressbook><last-name>{patent.applicant}</last-name><address>'
        f"<city>{patent.city}</city><country>{country}</country></address></addressbook></applicant></applicants>\n"
        f"<inventors>\n{''.join(inventors)}</inventors>\n</parties>\n"
        f"<international-convention-data><designated-states><ep-contracting-states>{STATES}"
        "</ep-contracting-states></designated-states></international-convention-data>\n</bibliographic-data>\n"
        f"{abstract if is_first else ''}{_render_description(patent)}{''.join(claims)}</patent-document>\n"
    )


def _render_id(country: str, number: str, kind: str, day: str, form: str = "epo") -> str:
    dated = f"<date>{day}</date>" if day else ""
    return (
        f'<document-id status="new" format="{form}"><country>{country}</country><doc-number>{number}</doc-number>'
        f"<kind>{kind}</kind>{dated}</document-id>"
    )


@lru_cache(maxsize=1 << 10)
def _render_class(symbol: str, place: str) -> str:
    """An IPC group in the fixed columns of an IPCR entry; `place` is F for the first and L for later groups."""
    subclass, group = symbol.split(" ")
    main, below = group.split("/")
    return (
        f'<classification-ipcr status="new">{subclass}{main:>4}/{below:<6}    20060101A{place}I20051008RMEP        '
        f"</classification-ipcr>\n"
    )


def _render_citations(patent: SyntheticPatent) -> str:
    entries = []
    for citation in patent.citations:
        category = f'category="{citation.category}" ' if citation.category else ""
        entries.append(
            f'<patcit ucid="{citation.country}-{citation.number}-{citation.kind}" status="new">'
            f"{_render_id(citation.country, citation.number, citation.kind, '')}"
            f'<sources><source {category}name="{citation.phase}" created-by-npl="N"/></sources></patcit>\n'
        )
    return f"<citations><patent-citations>\n{''.join(entries)}</patent-citations></citations>\n"


def _render_description(patent: SyntheticPatent) -> str:
    lines, number = [], 0
    for heading, section in patent.sections.items():
        lines.append(f"<heading>{heading}</heading>\n")
        for paragraph in section:
            number += 1
            lines.append(f'<p num="{number:04d}">{paragraph}</p>\n')
    return f'<description load-source="ep" status="new" lang="{patent.language}">\n{"".join(lines)}</description>\n'


def _render_claims(patent: SyntheticPatent, language: str) -> str:
    lines = [
        f'<claim num="{number}"><claim-text>{claim}</claim-text></claim>\n'
        for number, claim in enumerate(patent.claims[language], 1)
    ]
    return f'<claims load-source="ep" status="new" lang="{language}">\n{"".join(lines)}</claims>\n'


# JSON lines: a line merges the documents of a patent, which suits collections too large for a file per document

PHASES = {"SEA": "search", "EXA": "examination", "OPP": "opposition", "APP": "applicant"}
"""The citation phases of MAREC and their names in antecede's JSON lines."""


def _render_json_line(patent: SyntheticPatent) -> bytes:
    """The merged content of a patent's documents as one line, under the field names of antecede's JSON lines."""
    language = patent.language.lower()
    record = {
        "doc_id": patent.doc_id,
        "number": f"EP-{patent.number}-{patent.kind}",
        "kinds": [patent.kind, "B1"] if patent.granted else [patent.kind],
        "language": language,
        "ipc": patent.ipc,
        "cpc": [],
        "priority_date": format_day(patent.priority),
        "filing_date": format_day(patent.filed),
        "publication_date": format_day(patent.published),
        "applicants": [patent.applicant],
        "inventors": patent.inventors,
        "family_id": patent.family_id,
        "citations": [
            {
                "number": f"{citation.country}-{citation.number}-{citation.kind}",
                "category": citation.category[:1] or None,
                "phase": PHASES[citation.phase],
            }
            for citation in patent.citations
        ],
        "title": {each.lower(): title for each, title in patent.titles.items()},
        "abstract": {language: patent.abstract},
        "claims": {
            each.lower(): [f"{number}. {claim}" for number, claim in enumerate(claims, 1)]
            for each, claims in patent.claims.items()
        },
        "description": {
            language: "\n".join([text for heading, section in patent.sections.items() for text in (heading, *section)])
        },
    }
    return to_json(record) + b"\n"


# Files

LINES = "patents.jsonl.zst"
OUTPUT_FORMATS: Mapping[str, str] = {
    "marec": "MAREC `patent-document` XML, a file a document, in folders by the last four digits of the number",
    "jsonl": f"JSON lines, a patent a line, its documents merged (`{LINES}`)",
}
"""The formats and their descriptions in the README."""
FOLDERS = 10_000
"""MAREC's folders are the last four digits of a number, in two levels."""
COMPRESSION_LEVEL = 3


def _prepare_folder(form: str, folder: Path, first: int, last: int) -> None:
    """Make the folders for the patents from one number up to, but not including, another."""
    folder.mkdir(parents=True)
    for number in range(first, min(first + FOLDERS, last) if form == "marec" else first):
        (folder / _locate_folder(number)).mkdir(parents=True, exist_ok=True)


def _locate_folder(number: int) -> str:
    """MAREC's folder for a European patent: EP/34/56 for 1123456."""
    return f"EP/{number // 100 % 100:02d}/{number % 100:02d}"


def _write_patents(form: str, folder: Path, patents: Iterable[SyntheticPatent]) -> tuple[int, int, bytes]:
    """Write patents; returns the numbers of documents and of bytes, and what to append to the file of JSON lines."""
    if form == "jsonl":  # a zstd frame with one line per patent; concatenated frames are a valid file
        lines = [_render_json_line(patent) for patent in patents]
        packed = zstandard.ZstdCompressor(COMPRESSION_LEVEL).compress(b"".join(lines))
        return len(lines), len(packed), packed
    documents = size = 0
    for patent in patents:
        place = f"{folder}/{_locate_folder(patent.number)}/EP-{patent.number}-"
        for kind in (patent.kind, "B1") if patent.granted else (patent.kind,):
            data = _render_document(patent, kind).encode()
            with open(f"{place}{kind}.xml", "wb", buffering=0) as file:  # noqa: PTH123 (a Path per file costs 10 %)
                file.write(data)
            documents += 1
            size += len(data)
    return documents, size, b""


# Batches, written by this process or by several workers


def write_batches(task: WritingTask, workers: int) -> Iterator[SyntheticBatch]:
    """Write all patents, topics last; the results come in the order of the plan, whichever worker wrote them."""
    rows = [
        (first, min(first + BATCH_SIZE, last))
        for start, last in ((0, task.patents), (task.patents, task.patents + task.topics))
        for first in range(start, last, BATCH_SIZE)
    ]
    with process_pool(workers) as pool:
        write = partial(_write_batch, task)
        yield from map(write, rows) if pool is None else map_in_order(write, rows, pool, workers * AHEAD)


@lru_cache(maxsize=1)
def _plan_of(patents: int, topics: int, seed: int) -> Plan:
    """The plan, which each process makes for itself: that takes less time than to write a hundredth of the patents."""
    return make_plan(patents, topics, seed)


def _write_batch(task: WritingTask, rows: tuple[int, int]) -> SyntheticBatch:
    """Write the patents in some rows of the plan, either all topics or none."""
    plan, streams, lengths = _plan_of(*task[:3]), RandomStreams(task.seed), compute_lengths(task.length)
    languages: Counter[str] = Counter()
    topics: list[str] = []
    judgements: list[list[str]] = []

    def compose_patents() -> Iterator[SyntheticPatent]:
        for row in range(*rows):
            patent = compose(plan, row, streams.open_stream(row), lengths)
            languages[patent.language] += 1
            if row >= task.patents:
                first_document = f"{_locate_folder(patent.number)}/EP-{patent.number}-{patent.kind}.xml"
                place = f"topics/{first_document if task.form == 'marec' else LINES}"
                topics.append(f"{patent.doc_id}\t{patent.language}\t{place}\t{format_day(patent.priority)}\n")
                cited = sorted(
                    (citation.number, GRADES[citation.category[0]])
                    for citation in patent.citations
                    if citation.row >= 0
                )
                judgements.append([f"{patent.doc_id} 0 EP{number} {relevance}\n" for number, relevance in cited])
            yield patent

    folder = task.folder / ("topics" if rows[0] >= task.patents else "collection")
    with pause_garbage_collection():
        return SyntheticBatch(*_write_patents(task.form, folder, compose_patents()), languages, topics, judgements)
