"""Many topics → rankings, on several threads, in the order of the topics; or why a topic has none.

Each answer is written to a file as soon as it is known, `FILE.run.partial`, so that an interrupted batch can
be resumed:

    antecede unfinished run 5 <fingerprint>
    <checksum> ["<digest of the topic>", {the answer}]
    …

The fingerprint covers everything that answers depend on besides the topic. The checksum covers the fingerprint and the
line, so a line that is damaged, truncated or copied from another file is ignored, and its topic is searched again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from antecede.engine import Capability
from antecede.errors import AntecedeError, UsageError, printable, reason_of
from antecede.files import cannot_write, mode_of, refuse_special
from antecede.operations import Help, Threads
from antecede.parallel import map_threads
from antecede.query.query_maker import first_terms
from antecede.ranges import THREADS
from antecede.results import concise_repr
from antecede.search.hits import fuse_languages
from antecede.search.pipeline import Ranker
from antecede.search.results import undated_note
from antecede.search.settings import SearchSettings, accept_settings
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from typing_extensions import Unpack

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.search.query_sets import QuerySet
    from antecede.search.settings import GivenSettings

HEAVIEST = 100
"""The number of terms of a query that an answer keeps."""
MAGIC = b"antecede unfinished run "
VERSION = 5
IN_FLIGHT = 8
"""Topics that are searched for on a cluster at the same time."""
MAX_NAMED = 3
"""The number of topics that a table names for each reason."""


@dataclass(frozen=True)
class Answer:
    """The ranking of one topic in a batch, or the reason why there is none."""

    topic_id: str
    doc_ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    terms: int = 0
    """The number of terms in the queries of all methods."""
    unmatched: int = 0
    """Terms of the topic that occur in no other document."""
    cited: int = 0
    """Documents that are ranked first because the topic names them."""
    failed: str | None = None
    queries: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    """Method → term → weight: the 100 heaviest terms of each query, heaviest first."""
    milliseconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    """Processor time for building the queries and for searching."""
    feature_milliseconds: Mapping[str, float] = field(default_factory=dict, compare=False, hash=False)
    """Processor time by feature of a ranking by evidence; `pool` is the time for gathering the candidates."""
    certificate: Mapping[str, Any] | None = field(default=None, compare=False, hash=False)
    """On a cluster, how it is known that these are the best documents."""
    pool_recall: float | None = None
    """The share of its relevant documents among the candidates of a ranking by evidence, where these were given."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, answer: dict[str, Any]) -> Answer:
        lists = {name: tuple(answer[name]) for name in ("doc_ids", "scores", "notes", "milliseconds")}
        return cls(**{**answer, **lists})


def _answer_topic(ranker: Ranker, patent: Patent, relevant: Collection[str]) -> Answer:
    """The ranking of a topic as an answer; an error becomes its reason, so that the other topics continue."""
    try:
        ranking = ranker.rank(patent)
    except AntecedeError as error:
        return Answer(patent.doc_id, failed=reason_of(error))
    covered = filter(None, (ranker.coverage(ranking.searched).note(), undated_note(ranker.index, ranking.filters)))
    queries = [query for query_set in ranking.query_sets for query in query_set.queries]
    several = len(ranking.languages) > 1  # then a query is named by its language, too
    return Answer(
        patent.doc_id,
        ranking.doc_ids,
        ranking.scores,
        (*ranking.ranking_notes, *(f"topic {printable(patent.doc_id)}: {note}" for note in covered)),
        terms=sum(map(len, queries)),
        unmatched=ranking.query_sets[0].unmatched,
        cited=sum(hits.cited for hits in ranking.languages),
        queries={
            f"{query.method} ({query.language})" if several else query.method: dict(
                zip(query.terms[:HEAVIEST], query.weights[:HEAVIEST].tolist(), strict=True)
            )
            for query in queries
        },
        milliseconds=ranking.milliseconds,
        feature_milliseconds=ranking.feature_milliseconds,
        certificate=ranking.certificate,
        pool_recall=ranking.pool_recall(relevant),
    )


class AnswerCache:
    """The answers of a batch so far, in a file."""

    def __init__(self, path: Path, fingerprint: str, *, resume: bool) -> None:
        """Load the existing answers if `resume` is set and they are of the same batch.

        A file that is not an unfinished run is refused: it belongs to the user.
        """
        self.path, self.used, self.lock = path, 0, threading.Lock()
        self.header = MAGIC + f"{VERSION} {fingerprint}\n".encode()
        try:
            mode = mode_of(path)
            refuse_special(path, mode)
            data = path.read_bytes() if mode is not None else b""
            if data and not data.startswith(MAGIC):
                what = "is not an unfinished run of antecede, or a damaged one"
                raise UsageError(f"{path}: {what}; remove it, or write the run to another file")
            self.known = self.answers(data) if resume else {}
            self.file = path.open("ab" if self.known else "wb")
            self.file.write((b"" if data.endswith(b"\n") else b"\n") if self.known else self.header)
            self.file.flush()
        except OSError as error:
            raise cannot_write(path, error) from None

    def answers(self, data: bytes) -> dict[str, Answer]:
        """The valid answers, by the digest of their topic."""
        if not data.startswith(self.header):
            return {}
        answers: dict[str, Answer] = {}
        for line in data[len(self.header) :].split(b"\n")[:-1]:
            checksum, _, content = line.partition(b" ")
            if checksum == self.checksum(content):
                topic_digest, answer = json.loads(content)
                answers[topic_digest] = Answer.from_dict(answer)
        return answers

    def checksum(self, line: bytes) -> bytes:
        return hashlib.sha256(self.header + line).hexdigest()[:32].encode()

    def answer(self, topic_digest: str) -> Answer | None:
        """The answer to a topic, if the interrupted batch had it."""
        answer = self.known.get(topic_digest)
        with self.lock:
            self.used += answer is not None
        return answer

    def put(self, topic_digest: str, answer: Answer) -> None:
        line = json.dumps([topic_digest, answer.to_dict()]).encode()
        try:
            with self.lock:
                self.file.write(self.checksum(line) + b" " + line + b"\n")
                self.file.flush()
        except OSError as error:
            raise cannot_write(self.path, error) from None


@dataclass(frozen=True, eq=False)
class Batch(Tabled):
    """The results of a batch of topics."""

    __repr__ = concise_repr

    settings: SearchSettings
    answers: tuple[Answer, ...]
    """In the order of the topics."""
    seconds: float
    resumed: int = 0
    """Topics that an interrupted batch had already answered."""

    @property
    def rankings(self) -> dict[str, dict[str, float]]:
        """Topic → document → score, as accepted by `rank_table`; topics without results are left out."""
        return {
            answer.topic_id: dict(zip(answer.doc_ids, answer.scores, strict=True))
            for answer in self.answers
            if answer.doc_ids
        }

    @property
    def failed(self) -> dict[str, list[str]]:
        """The topics without results, by reason."""
        topics: dict[str, list[str]] = {}
        for answer in self.answers:
            if not answer.doc_ids:
                topics.setdefault(answer.failed or "nothing was found", []).append(answer.topic_id)
        return topics

    @property
    def notes(self) -> Counter[str]:
        """Notes about topics, with the number of topics each applies to."""
        return Counter(note.partition(": ")[2] or note for answer in self.answers for note in answer.notes)

    @property
    def milliseconds(self) -> tuple[float, float]:
        """The median processor time per topic, for building its queries and for searching."""
        times = [answer.milliseconds for answer in self.answers if answer.doc_ids] or [(0.0, 0.0)]
        making, searching = zip(*times, strict=True)
        return median(making), median(searching)

    @property
    def feature_milliseconds(self) -> dict[str, float]:
        """The median processor time per topic of each feature of a ranking by evidence."""
        times: dict[str, list[float]] = {}
        for answer in self.answers:
            for name, value in answer.feature_milliseconds.items():
                times.setdefault(name, []).append(value)
        return {name: median(values) for name, values in times.items()}

    @property
    def pool_recall(self) -> float | None:
        """The mean share of the relevant documents of a topic that are candidates of a ranking by evidence."""
        shares = [answer.pool_recall for answer in self.answers if answer.pool_recall is not None]
        return sum(shares) / len(shares) if shares else None

    @property
    def certificate(self) -> dict[str, Any] | None:
        """How it is known that searches on a cluster found the best documents; None on one machine."""
        every = [answer.certificate for answer in self.answers if answer.certificate is not None]
        if not every:
            return None
        return {
            "exact": sum(each["exact"] for each in every),
            "topics": len(every),
            "searches": sum(each["searches"] for each in every),
            "candidates": max(each["candidates"] for each in every),
            "widened": sum(each["widened"] for each in every),
        }

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        answered = sum(bool(answer.doc_ids) for answer in self.answers)
        return {
            "name": self.settings.name,
            "settings": self.settings.to_dict(),
            "topics": len(self.answers),
            "answered": answered,
            "failed": self.failed,
            "notes": dict(self.notes.most_common()),
            "terms": sum(answer.terms for answer in self.answers) / max(answered, 1),
            "milliseconds": dict(zip(("making", "searching"), self.milliseconds, strict=True)),
            **({"feature_milliseconds": times} if (times := self.feature_milliseconds) else {}),
            **({"certificate": certificate} if (certificate := self.certificate) is not None else {}),
            **({"pool_recall": share} if (share := self.pool_recall) is not None else {}),
            "unmatched": sum(answer.unmatched for answer in self.answers),
            "cited": sum(answer.cited for answer in self.answers),
            "resumed": self.resumed,
            "seconds": self.seconds,
        }

    def table(self) -> Table:
        """The numbers of topics searched and failed."""
        facts = self.to_dict()
        rows: list[tuple[str, str | int | float]] = [
            ("topics", facts["topics"]),
            ("answered", facts["answered"]),
            *((f"  not answered: {why}", _count_and_name(topics)) for why, topics in facts["failed"].items()),
            *((f"  {note}", count) for note, count in facts["notes"].items()),
            ("terms per topic", f"{facts['terms']:.1f}"),
            ("terms that no other document has", facts["unmatched"]),
            *([("documents in front because a topic names them", facts["cited"])] if self.settings.cited else []),
            *([("answered by an earlier batch", self.resumed)] if self.resumed else []),
            ("seconds", f"{self.seconds:.1f}"),
        ]
        return Table((f"run {self.settings.name}", ""), tuple(rows))


def _count_and_name(topics: Sequence[str]) -> str:
    some = ", ".join(printable(topic) for topic in topics[:MAX_NAMED])
    return f"{len(topics)} ({some}{' …' if len(topics) > MAX_NAMED else ''})"


@accept_settings
def run_topics(
    index: Engine,
    topics: Iterable[Patent | Answer],
    settings: SearchSettings | None = None,
    *,
    judged: Mapping[str, Collection[str]] | None = None,
    threads: Threads = None,
    keep: Path | None = None,
    resume: Annotated[bool, Help("Continue a run that was interrupted.")] = False,
    progress: Callable[[int, int], None] | None = None,
    **_given: Unpack[GivenSettings],
) -> Batch:
    """Search for many topics. A topic that fails is counted with its reason, and the others are still searched.

    Args:
        index: The index, from `open_index`.
        topics: The patents to search for. An `Answer` among them represents a topic that could not be read.
        settings: Search settings together; each may also be given as a keyword argument.
        judged: The relevant documents of each topic, to know how many of them are among its candidates.
        keep: A file for the answers so far; it is removed in the end.
        resume: Use the answers in `keep` that are undamaged and belong to the same index, settings, topic and version;
            search for the others again.
        progress: Called with (done, total).
    """
    if threads is not None:
        THREADS.check(threads, "threads")
    started = time.monotonic()
    ranker = Ranker(index, settings)
    all_topics = list(topics)
    cache = AnswerCache(keep, fingerprint(index, ranker.settings), resume=resume) if keep is not None else None
    answers: list[Answer] = []
    at_once = threads or (IN_FLIGHT if Capability.PROCESSES not in index.capabilities else os.cpu_count() or 1)
    with cache.file if cache is not None else nullcontext():
        for answer in _answer_topics(ranker, all_topics, judged or {}, at_once, cache):
            answers.append(answer)
            if progress is not None:
                progress(len(answers), len(all_topics))
    if cache is not None:
        cache.path.unlink(missing_ok=True)
    seconds = time.monotonic() - started
    for name, times in Counter(answer.topic_id for answer in answers).most_common(1):
        if times > 1:  # a run identifies a topic by its name
            raise UsageError(
                f"{times} topics are called {printable(name)}; give each a name of its own, or leave all but one out"
            )
    return Batch(ranker.settings, tuple(answers), seconds, cache.used if cache is not None else 0)


def _answer_topics(
    ranker: Ranker,
    topics: Sequence[Patent | Answer],
    relevant: Mapping[str, Collection[str]],
    threads: int,
    cache: AnswerCache | None,
) -> Iterator[Answer]:
    """The answers in the order of the topics; each is written to the cache as soon as it is known."""

    def work(topic: Patent | Answer) -> Answer:
        if isinstance(topic, Answer):
            return topic
        own = relevant.get(topic.doc_id, ())
        if cache is None:
            return _answer_topic(ranker, topic, own)
        # The same topic wherever it was read from.
        topic_digest = digest({**topic.to_dict(), "source": "", "relevant": sorted(own)})
        answer = cache.answer(topic_digest)
        if answer is None:
            answer = _answer_topic(ranker, topic, own)
            if answer.failed is None:  # a failed topic is tried again when the batch is resumed
                cache.put(topic_digest, answer)
        return answer

    return map_threads(work, topics, threads)


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:32]


def fingerprint(index: Engine, settings: SearchSettings) -> str:
    """A digest of what answers depend on besides the topic: the version, the state of the index, and the settings."""
    return digest([version("antecede"), index.state, settings.to_dict()])


class TermSweep:
    """Topics that are searched repeatedly, with different methods and numbers of terms."""

    def __init__(
        self, index: Engine, topics: Iterable[Patent | Answer], settings: SearchSettings, most: int, threads: int = 1
    ) -> None:
        """`most` is the largest number of terms of the sweep; that of the settings is not used."""
        self.index, self.settings, self.most, self.threads = index, settings, most, threads
        self.topics = [topic for topic in topics if not isinstance(topic, Answer)]
        self.prepared: dict[str, tuple[Ranker, list[tuple[Patent, list[QuerySet]]]]] = {}
        self.failed: dict[str, str] = {}
        """Topics that could not be made into a query, with the reason."""

    def prepare(self, method: str) -> tuple[Ranker, list[tuple[Patent, list[QuerySet]]]]:
        """The longest queries of each topic by a method."""
        if method not in self.prepared:
            ranker = Ranker(self.index, replace(self.settings, method=(method,), terms=self.most))
            prepared: list[tuple[Patent, list[QuerySet]]] = []
            for topic in self.topics:
                try:
                    prepared.append((topic, [*ranker.query_sets(topic)]))
                except AntecedeError as error:
                    self.failed[topic.doc_id] = reason_of(error)
            self.prepared[method] = ranker, prepared
        return self.prepared[method]

    def rankings(self, method: str, terms: int) -> dict[str, dict[str, float]]:
        """Topic → document → score with the first `terms` terms of each query."""
        ranker, prepared = self.prepare(method)

        def rank_topic(entry: tuple[Patent, list[QuerySet]]) -> tuple[str, dict[str, float]]:
            topic, sets = entry
            filters = ranker.filters(topic)
            cut = (replace(each, queries=tuple(first_terms(query, terms) for query in each.queries)) for each in sets)
            hits = [ranker.rank_in_language(ranker.with_feedback(each), topic, filters) for each in cut]
            merged = fuse_languages(hits, ranker.settings.k)
            return topic.doc_id, dict(zip(self.index.names(merged.numbers), merged.scores, strict=True))

        rankings = map_threads(rank_topic, prepared, self.threads)
        return {topic_id: ranking for topic_id, ranking in rankings if ranking}
