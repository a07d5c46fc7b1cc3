"""Generates a patent collection of any size in the shape of CLEF-IP, with topics and qrels."""

from __future__ import annotations

import gc
import math
import secrets
import shutil
import signal
import time
from collections import Counter, deque
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.errors import AntecedeError, UsageError
from antecede.files import cannot_write
from antecede.parallel import pause_garbage_collection
from antecede.results import concise_repr
from antecede.synthetic.formats import (
    LINES,
    OUTPUT_FORMATS,
    format_day,
    locate_patent,
    prepare_folder,
    write_patents,
)
from antecede.synthetic.lexicon import LANGUAGES
from antecede.synthetic.plan import FIRST_NUMBER, RandomStreams, make_plan
from antecede.synthetic.text import compose
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.synthetic.plan import Plan
    from antecede.synthetic.text import SyntheticPatent

FEWEST_PATENTS, MOST_PATENTS = 100, 5_000_000
SHORTEST, LONGEST = 300, 50_000
DEFAULT_LENGTH = 1300
SPREAD = 0.45
"""Standard deviation of the logarithm of a description's length."""
LENGTHS = 256
LARGEST_SEED = 2**63 - 1
BATCH_SIZE = 256
"""Patents per batch. It determines where the frames of a compressed file end, so changing it changes the bytes."""
AHEAD = 4
"""Batches submitted per worker before the first result is taken, which bounds the memory."""
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

    plan: Plan
    folder: Path
    form: str
    lengths: tuple[int, ...]


class Batch(NamedTuple):
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
    out: Path,
    patents: int,
    seed: int = 1,
    *,
    topics: int | None = None,
    form: str = "marec",
    length: int = DEFAULT_LENGTH,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Synthesis:
    """Write a synthetic collection with topics and qrels.

    The same patents, topics, form, length and seed give the same bytes on every machine and with any number of workers.

    Args:
        out: A new or empty folder; it appears only when it is complete.
        patents: The number of patents.
        seed: Random seed.
        topics: The number of topics; by default one per twenty patents, at least 25 and at most 500.
        form: `marec`: one XML file per document; `jsonl`: a single file with one patent per line.
        length: The mean number of tokens of a description.
        workers: The number of processes.
        progress: Called with (done, total).
    """
    started = time.monotonic()
    topics = choose_topic_count(patents) if topics is None else topics
    check_request(patents, topics, seed, form, length, workers)
    out = Path(out)
    partial = _make_partial_folder(out)
    try:
        task = WritingTask(make_plan(patents, topics, seed), partial, form, compute_lengths(length))
        counts = _write_collection(task, workers, progress)
        seconds = round(time.monotonic() - started, 2)
        synthesis = Synthesis(str(out), form, seed, patents, **counts, seconds=seconds)
        (partial / "README.md").write_text(_compose_readme(synthesis, length), encoding="utf-8")
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return synthesis


def choose_topic_count(patents: int) -> int:
    """The default number of topics: one per twenty patents, between 25 and 500."""
    return min(max(patents // 20, 25), 500)


def check_request(patents: int, topics: int, seed: int, form: str, length: int, workers: int) -> None:
    """Reject a request that is out of range."""
    if not FEWEST_PATENTS <= patents <= MOST_PATENTS:
        raise UsageError(f"cannot generate {patents} patents; choose {FEWEST_PATENTS} to {MOST_PATENTS:,}")
    if not 1 <= topics <= patents:
        raise UsageError(f"cannot generate {topics} topics for {patents} patents; choose 1 to {patents}")
    if not 0 <= seed <= LARGEST_SEED:
        raise UsageError(f"the seed {seed} is out of range; choose 0 to {LARGEST_SEED}")
    if form not in OUTPUT_FORMATS:
        raise UsageError(f"unknown form {form!r}; choose one of {', '.join(OUTPUT_FORMATS)}")
    if not SHORTEST <= length <= LONGEST:
        raise UsageError(f"cannot generate descriptions of {length} tokens; choose {SHORTEST} to {LONGEST:,}")
    if workers < 1:
        raise UsageError(f"cannot run {workers} workers; choose 1 or more")


def _make_partial_folder(out: Path) -> Path:
    """Create a sibling of the output folder, to be renamed when it is complete. Nothing is overwritten."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: already exists and is not an empty folder; remove it or choose another --out")
    try:
        parent = out.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        partial = parent / f".{out.name}-{secrets.token_hex(4)}.partial"
        partial.mkdir()
    except OSError as error:
        raise cannot_write(out, error, "cannot be created") from None
    return partial


def compute_lengths(mean: int) -> tuple[int, ...]:
    """Equally likely lengths of descriptions in tokens that approximate a lognormal distribution."""
    normal = NormalDist()
    logs = [SPREAD * normal.inv_cdf((at + 0.5) / LENGTHS) - SPREAD**2 / 2 for at in range(LENGTHS)]
    return tuple(round(mean * math.exp(each)) for each in logs)


def _write_collection(task: WritingTask, workers: int, progress: Callable[[int, int], None] | None) -> dict[str, Any]:
    """Write all patents, topics and qrels; returns the counts of `Synthesis`."""
    plan, folder, first = task.plan, task.folder, FIRST_NUMBER
    total = plan.patents + plan.topics
    prepare_folder(task.form, folder / "collection", first, first + plan.patents)
    prepare_folder(task.form, folder / "topics", first + plan.patents, first + total)
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
    for name, lines in (("topics.tsv", topics), ("qrels.txt", [line for each in judgements for line in each])):
        size += (folder / name).write_bytes("".join(lines).encode())
    counts = [len(each) for each in judgements]
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
    """The README.md of the folder."""
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


# Batches, written by this process or by several workers


def write_batches(task: WritingTask, workers: int) -> Iterator[Batch]:
    """Write all patents, topics last; the results come in the order of the plan, whichever worker wrote them."""
    rows = [
        (first, min(first + BATCH_SIZE, last))
        for start, last in ((0, task.plan.patents), (task.plan.patents, task.plan.patents + task.plan.topics))
        for first in range(start, last, BATCH_SIZE)
    ]
    if workers == 1:
        with pause_garbage_collection():
            yield from (_write_batch(task, *each) for each in rows)
        return
    pending: deque[Future[Batch]] = deque()
    with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (task,)) as pool:
        try:
            for each in rows:
                pending.append(pool.submit(_write_batch_in_worker, *each))
                if len(pending) >= workers * AHEAD:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenExecutor:
            raise AntecedeError("a worker process was terminated; try again with fewer --workers") from None
        finally:
            for future in pending:
                future.cancel()


def _write_batch(task: WritingTask, first: int, last: int) -> Batch:
    """Write the patents in some rows of the plan, either all topics or none."""
    plan, streams = task.plan, RandomStreams(task.plan.seed)
    languages: Counter[str] = Counter()
    topics: list[str] = []
    judgements: list[list[str]] = []

    def compose_patents() -> Iterator[SyntheticPatent]:
        for row in range(first, last):
            patent = compose(plan, row, streams.open_stream(row), task.lengths)
            languages[patent.language] += 1
            if row >= plan.patents:
                place, day = f"topics/{locate_patent(task.form, patent)}", format_day(patent.priority)
                topics.append(f"{patent.doc_id}\t{patent.language}\t{place}\t{day}\n")
                judgements.append(_judge(patent))
            yield patent

    folder = task.folder / ("topics" if first >= plan.patents else "collection")
    return Batch(*write_patents(task.form, folder, compose_patents()), languages, topics, judgements)


def _judge(topic: SyntheticPatent) -> list[str]:
    """The qrels of a topic: the documents of the collection that it cites, graded by category."""
    cited = sorted((each.number, GRADES[each.category[0]]) for each in topic.citations if each.row >= 0)
    return [f"{topic.doc_id} 0 EP{number} {relevance}\n" for number, relevance in cited]


_task: list[WritingTask] = []
"""The task of this process, if it is a worker."""


def _start_worker(task: WritingTask) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process receives it too, and ends its workers
    _task[:] = [task]
    gc.disable()


def _write_batch_in_worker(first: int, last: int) -> Batch:
    return _write_batch(_task[0], first, last)
