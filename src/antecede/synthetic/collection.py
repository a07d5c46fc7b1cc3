"""antecede's own collection of patents: as large as asked for, shaped like CLEF-IP, and made up from end to end."""

from __future__ import annotations

import math
import secrets
import shutil
import time
from collections import Counter
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError
from antecede.synthetic.days import iso
from antecede.synthetic.forms import FORMS
from antecede.synthetic.lexicon import LANGUAGES
from antecede.synthetic.plan import FIRST_NUMBER, make_plan
from antecede.synthetic.shares import Task, Topic, shares
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FEWEST_PATENTS, MOST_PATENTS = 100, 5_000_000
SHORTEST, LONGEST = 300, 50_000
LENGTH = 1300
SPREAD = 0.45
"""Standard deviation of the logarithm of a description's length."""
LENGTHS = 256
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Synthesis:
    """What was written."""

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
        """The counts, one a row."""
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


def synthesize(
    out: Path,
    patents: int,
    seed: int = 1,
    *,
    topics: int | None = None,
    form: str = "marec",
    length: int = LENGTH,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Synthesis:
    """Write a synthetic collection with topics and qrels into a folder that is new or empty.

    The same patents, topics, form, length and seed give the same bytes, whatever the machine and the workers. `length`
    is how many tokens a description has on average. The folder appears when it is complete.
    """
    started = time.monotonic()
    topics = usual_topics(patents) if topics is None else topics
    check(patents, topics, seed, form, length, workers)
    out = Path(out)
    refuse_what_is_there(out)
    building = made_beside(out)
    try:
        task = Task(make_plan(patents, topics, seed), building, form, lengths(length))
        found = write(task, workers, progress)
        seconds = time.monotonic() - started
        done = Synthesis(str(out), form, seed, patents, *found, round(seconds, 2))
        (building / "README.md").write_text(readme(done, length), encoding="utf-8")
        if out.exists():
            out.rmdir()
        building.rename(out)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return done


def usual_topics(patents: int) -> int:
    """One topic to twenty patents, between 25 and 500."""
    return min(max(patents // 20, 25), 500)


def check(patents: int, topics: int, seed: int, form: str, length: int, workers: int) -> None:
    """Refuse what cannot be made."""
    if not FEWEST_PATENTS <= patents <= MOST_PATENTS:
        raise UsageError(f"{patents} patents cannot be made; ask for {FEWEST_PATENTS} to {MOST_PATENTS:,}")
    if not 1 <= topics <= patents:
        raise UsageError(f"{topics} topics cannot be made for {patents} patents; ask for 1 to {patents}")
    if not 0 <= seed <= LARGEST_SEED:
        raise UsageError(f"the seed {seed} is out of range; it goes from 0 to {LARGEST_SEED}")
    if form not in FORMS:
        raise UsageError(f"unknown form {form!r}; there are {', '.join(FORMS)}")
    if not SHORTEST <= length <= LONGEST:
        raise UsageError(f"descriptions of {length} tokens cannot be made; ask for {SHORTEST} to {LONGEST:,}")
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work; ask for 1 or more")


def refuse_what_is_there(out: Path) -> None:
    """Nothing is written over."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: is there already and not an empty folder; remove it or choose another --out")


def made_beside(out: Path) -> Path:
    """A folder beside the one asked for, in which it is built."""
    try:
        parent = out.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        building = parent / f".{out.name}-{secrets.token_hex(4)}.partial"
        building.mkdir()
    except OSError as error:
        raise UsageError(f"{out}: cannot be made ({error.strerror or error}); choose another --out") from None
    return building


def lengths(mean: int) -> tuple[int, ...]:
    """Lengths of descriptions in tokens, by which a lognormal distribution is drawn: each is as likely as another."""
    normal = NormalDist()
    logs = [SPREAD * normal.inv_cdf((at + 0.5) / LENGTHS) - SPREAD**2 / 2 for at in range(LENGTHS)]
    return tuple(round(mean * math.exp(each)) for each in logs)


def write(
    task: Task, workers: int, progress: Callable[[int, int], None] | None
) -> tuple[int, dict[str, int], int, int, int, float, int, int]:
    """Write all patents, topics and qrels; the counts of `Synthesis` from `documents` to `bytes`."""
    form, plan, folder = FORMS[task.form], task.plan, task.folder
    first, total = FIRST_NUMBER, plan.patents + plan.topics
    form.prepare(folder / "collection", first, first + plan.patents)
    form.prepare(folder / "topics", first + plan.patents, first + total)
    documents = size = done = 0
    languages: Counter[str] = Counter()
    topics: list[Topic] = []
    for share in shares(task, workers):
        documents += share.written.documents
        size += share.written.size
        if form.file:
            with (folder / ("topics" if share.topics else "collection") / form.file).open("ab") as stream:
                stream.write(share.written.stream)
        topics += share.topics
        languages += share.languages
        done += share.languages.total()
        if progress is not None:
            progress(done, total)
    size += write_topics(folder, topics)
    counts = [len(topic.relevant) for topic in topics]
    ordered = {language: languages[language] for language in LANGUAGES}
    mean = sum(counts) / len(counts)
    return documents, ordered, len(topics), sum(counts), min(counts), mean, max(counts), size


def write_topics(folder: Path, topics: Iterable[Topic]) -> int:
    """Write topics.tsv and qrels.txt; how many bytes they have."""
    listed, judged = ["topic_id\tlanguage\tpath\tpriority_date\n"], []
    for topic in topics:
        listed.append(f"{topic.topic_id}\t{topic.language}\t{topic.path}\t{iso(topic.priority)}\n")
        judged += [f"{topic.topic_id} 0 {doc_id} {relevance}\n" for doc_id, relevance in topic.relevant]
    size = 0
    for name, lines in (("topics.tsv", listed), ("qrels.txt", judged)):
        data = "".join(lines).encode()
        (folder / name).write_bytes(data)
        size += len(data)
    return size


def readme(made: Synthesis, length: int) -> str:
    """What the folder says of itself."""
    languages = ", ".join(f"{count:,} {language}" for language, count in made.languages.items())
    return f"""# A synthetic patent collection

Nothing in this folder is real: a program wrote every patent, name, number and citation, and what bears the number of a
real patent is not that patent. Use it to test and to measure software, never as prior art.

Made by antecede {version("antecede")}: `antecede synthesize --patents {made.patents} --topics {made.topics} \
--seed {made.seed} --form {made.form} --length {length}`. The same call gives the same bytes.

| | |
|---|---|
| `collection/` | {made.patents:,} patents; {FORMS[made.form].told} |
| `topics/` | {made.topics:,} later patents that are not in the collection, in the same form |
| `topics.tsv` | topic, language, file, priority date |
| `qrels.txt` | {made.relevant:,} TREC judgements: what a topic cites in the collection, X = 3, Y = 2, A = 1 |

{made.documents:,} documents; with the topics {languages}. Relevant documents per topic: {made.fewest_relevant} to \
{made.most_relevant}, {made.mean_relevant:.2f} on average. Other patents may be just as relevant and are not judged, as
in real collections made from citations.
"""
