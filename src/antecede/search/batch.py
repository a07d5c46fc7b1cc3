"""Many topics → rankings, on several threads, in the order of the topics.

Each answer is written to a file as soon as it is known, so that an interrupted batch can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.parallel import map_threads
from antecede.ranges import THREADS
from antecede.results import concise_repr
from antecede.search.answer_cache import AnswerCache
from antecede.search.answers import Answer, answer_topic
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings, accept_settings
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from antecede.index import Index
    from antecede.patent import Patent

IN_FLIGHT = 8
"""Topics that are searched for on a cluster at the same time."""
MAX_NAMED = 3
"""The number of topics that a table names for each reason."""


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
            each.topic_id: dict(zip(each.doc_ids, each.scores, strict=True)) for each in self.answers if each.doc_ids
        }

    @property
    def failed(self) -> dict[str, list[str]]:
        """The topics without results, by reason."""
        found: dict[str, list[str]] = {}
        for each in self.answers:
            if not each.doc_ids:
                found.setdefault(each.failed or "nothing was found", []).append(each.topic_id)
        return found

    @property
    def notes(self) -> Counter[str]:
        """Notes about topics, with the number of topics each applies to."""
        return Counter(note.partition(": ")[2] or note for each in self.answers for note in each.notes)

    @property
    def milliseconds(self) -> tuple[float, float]:
        """The median processor time per topic, for building its queries and for searching."""
        times = [each.milliseconds for each in self.answers if each.doc_ids] or [(0.0, 0.0)]
        making, searching = zip(*times, strict=True)
        return median(making), median(searching)

    @property
    def feature_milliseconds(self) -> dict[str, float]:
        """The median processor time per topic of each feature of a ranking by evidence."""
        times: dict[str, list[float]] = {}
        for each in self.answers:
            for name, value in each.feature_milliseconds.items():
                times.setdefault(name, []).append(value)
        return {name: median(values) for name, values in times.items()}

    @property
    def certificate(self) -> dict[str, Any] | None:
        """How it is known that searches on a cluster found the best documents; None on one machine."""
        every = [each.certificate for each in self.answers if each.certificate is not None]
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
        answered = sum(bool(each.doc_ids) for each in self.answers)
        return {
            "name": self.settings.name,
            "settings": self.settings.to_dict(),
            "topics": len(self.answers),
            "answered": answered,
            "failed": self.failed,
            "notes": dict(self.notes.most_common()),
            "terms": sum(each.terms for each in self.answers) / max(answered, 1),
            "milliseconds": dict(zip(("making", "searching"), self.milliseconds, strict=True)),
            **({"feature_milliseconds": times} if (times := self.feature_milliseconds) else {}),
            **({"certificate": found} if (found := self.certificate) is not None else {}),
            "unmatched": sum(each.unmatched for each in self.answers),
            "cited": sum(each.cited for each in self.answers),
            "resumed": self.resumed,
            "seconds": self.seconds,
        }

    def table(self) -> Table:
        """The numbers of topics searched and failed."""
        facts = self.to_dict()
        rows: list[tuple[str, str | int | float]] = [
            ("topics", facts["topics"]),
            ("answered", facts["answered"]),
            *((f"  not answered: {why}", count_and_name(topics)) for why, topics in facts["failed"].items()),
            *((f"  {note}", count) for note, count in facts["notes"].items()),
            ("terms per topic", f"{facts['terms']:.1f}"),
            ("terms that no other document has", facts["unmatched"]),
            *([("documents in front because a topic names them", facts["cited"])] if self.settings.cited else []),
            *([("answered by an earlier batch", self.resumed)] if self.resumed else []),
            ("seconds", f"{self.seconds:.1f}"),
        ]
        return Table((f"run {self.settings.name}", ""), tuple(rows))


def count_and_name(topics: Sequence[str]) -> str:
    """The number of topics, and the names of some."""
    some = ", ".join(shown(topic) for topic in topics[:MAX_NAMED])
    return f"{len(topics)} ({some}{' …' if len(topics) > MAX_NAMED else ''})"


@accept_settings
def run_topics(
    index: Index,
    topics: Iterable[Patent | Answer],
    settings: SearchSettings | None = None,
    *,
    threads: int | None = None,
    keep: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """Search for many topics. A topic that fails is counted with its reason, and the others are still searched.

    Args:
        index: The index, from `open_index`.
        topics: The patents to search for. An `Answer` among them represents a topic that could not be read.
        settings: Search settings together; each may also be given as a keyword argument.
        threads: The number of topics searched at the same time; one per core by default.
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
    with ExitStack() as stack:
        cache = AnswerCache(keep, fingerprint(index, ranker.settings), resume=resume) if keep is not None else None
        if cache is not None:
            stack.enter_context(cache)
        found: list[Answer] = []
        for answer in answer_topics(ranker, all_topics, threads or default_threads(index), cache):
            found.append(answer)
            if progress is not None:
                progress(len(found), len(all_topics))
    if cache is not None:
        cache.remove()
    seconds = time.monotonic() - started
    check_names(found)
    return Batch(ranker.settings, tuple(found), seconds, cache.used if cache is not None else 0)


def default_threads(index: Index) -> int:
    """The number of topics that are searched at the same time: one per core, more where a cluster does the work."""
    return IN_FLIGHT if index.on_cluster else os.cpu_count() or 1


def check_names(answers: Sequence[Answer]) -> None:
    """Refuse topics of the same name: a run identifies a topic by its name."""
    name, times = Counter(each.topic_id for each in answers).most_common(1)[0] if answers else ("", 1)
    if times > 1:
        raise UsageError(
            f"{times} topics are called {shown(name)}; give each a name of its own, or leave all but one out"
        )


def answer_topics(
    ranker: Ranker, topics: Sequence[Patent | Answer], threads: int, cache: AnswerCache | None
) -> Iterator[Answer]:
    """The answers in the order of the topics; each is written to the cache as soon as it is known."""

    def work(topic: Patent | Answer) -> Answer:
        if isinstance(topic, Answer):
            return topic
        if cache is None:
            return answer_topic(ranker, topic)
        topic_digest = digest({**topic.to_dict(), "source": ""})  # the same topic wherever it was read from
        answer = cache.answer(topic_digest)
        if answer is None:
            answer = answer_topic(ranker, topic)
            if answer.failed is None:  # a failed topic is tried again when the batch is resumed
                cache.put(topic_digest, answer)
        return answer

    yield from map_threads(work, topics, threads)


def digest(whole: Any) -> str:
    """A short digest of JSON-compatible data."""
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()[:32]


def fingerprint(index: Index, settings: SearchSettings) -> str:
    """A digest of what answers depend on besides the topic: the version, the state of the index, and the settings."""
    return digest([version("antecede"), index.state, settings.to_dict()])
