"""A review on disk: what is read in which order, and every mark, saved before it is confirmed.

A review is a folder:

    review.json    what is reviewed and how; written last, so that a folder with it is complete
    ranking.run    the documents that can be read, in the order of the first ranking, in TREC form
    marks.jsonl    the marks, appended one by one; each is on disk before it is confirmed
    review.lock    held by the process that writes

What comes next is a function of the ranking, the marks and the seed, so that nothing else needs saving: a process that
is killed at any moment loses no confirmed mark, and the next one continues with the same document. One process writes;
any number may read.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from antecede.errors import InputError, UsageError, shown, suggest_names
from antecede.files import cannot_write, clear_temporary, write_whole
from antecede.locks import lock_exclusive
from antecede.review.batches import LearningSettings, batch_start
from antecede.review.marks import Mark, Marks, current_time, parse_line, write_line
from antecede.review.reading import Reading
from antecede.trec.content import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from antecede.review.active_learning import ActiveLearner
    from antecede.review.vectors import DocumentVectors

    Ints = NDArray[np.int64]

FORMAT, VERSION = "antecede review", 1
HEAD, RANKING, MARKS, LOCK = "review.json", "ranking.run", "marks.jsonl", "review.lock"
FILES = frozenset((HEAD, RANKING, MARKS, LOCK))
ACTIVE, STATIC = "active", "static"
FEEDBACK = (ACTIVE, STATIC)
TAG = "review"
PLAN_TEXTS = ("topic_id", "feedback", "title", "source", "index", "calibration", "created")


@dataclass(frozen=True)
class ReviewPlan:
    """What is reviewed, and how: everything about a review but its ranking and its marks."""

    topic_id: str
    feedback: str = STATIC
    """`active` re-ranks what is unread by active learning, `static` reads in the order of the first ranking."""
    title: str = ""
    """The title of the topic, or the text that was searched with."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What is sought, in words, by language: the first relevant document of active learning. A text whose language is
    not known has the key ""."""
    queries: tuple[Mapping[str, Any], ...] = ()
    """The queries of the first ranking, as `Query.to_dict` writes them, for the best passages of documents."""
    source: str = ""
    """Where the ranking comes from, in words."""
    index: str | None = None
    """The folder or address of the index with the documents, for their texts and vectors."""
    learning: LearningSettings = field(default_factory=LearningSettings)
    audit: tuple[str, ...] = ()
    """A random sample of the documents that is read before the ranking; estimates that assume nothing need one."""
    maybe: bool = True
    """Whether documents marked as maybe count as relevant."""
    calibration: str | None = None
    """A file written by `antecede review calibrate`, for the estimate and the stopping rule of this review."""
    created: str = field(default_factory=current_time)

    def __post_init__(self) -> None:
        object.__setattr__(self, "audit", tuple(self.audit))
        object.__setattr__(self, "queries", tuple(self.queries))
        if not isinstance(self.topic_id, str) or self.topic_id.split() != [self.topic_id]:
            raise UsageError(f"{shown(str(self.topic_id))!r} cannot be the name of a topic; give one without blanks")
        if self.feedback not in FEEDBACK:
            raise UsageError(f"unknown feedback {shown(self.feedback)!r}; available: {', '.join(FEEDBACK)}")

    def to_dict(self) -> dict[str, Any]:
        """The plan in a JSON-compatible form."""
        return {**asdict(self), "audit": list(self.audit), "queries": list(self.queries)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ReviewPlan:
        """The plan that `to_dict` wrote; anything else is a `TypeError`, a `KeyError` or a `UsageError`."""
        plan = {"texts": {}, "audit": [], "queries": [], "maybe": True, **values}
        # The methods of `dict` and `list` refuse values of another type.
        texts = [each for pair in dict.items(plan["texts"]) for each in pair] + list.copy(plan["audit"])
        texts += [plan[name] for name in PLAN_TEXTS if plan.get(name) is not None]
        if not all(isinstance(each, str) for each in texts) or not isinstance(plan["maybe"], bool):
            raise TypeError("a text or a choice is something else")
        if not all(isinstance(each, dict) for each in list.copy(plan["queries"])):
            raise TypeError("a query is something else")
        return cls(**{**plan, "learning": LearningSettings(**plan["learning"])})


@dataclass(frozen=True)
class NextDocument:
    """A document that is to be read next."""

    doc_id: str
    number: int
    """How many documents are read with it."""
    score: float | None
    """Its score, where the ranking or the learner gives one."""
    shown_by: str
    """What chose it: `ranking`, `active learning` or `random sample`."""
    rank: int
    """Its rank, from 1, in the order of the ranking, of the learner when its batch began, or of the random sample."""

    def to_dict(self) -> dict[str, Any]:
        """The document in a JSON-compatible form."""
        return asdict(self)


class Review:
    """A review on disk. `Review.start` creates one, `Review.open` continues it.

    It is used as a context manager: `review.next(3)` gives the next three documents to read, and
    `review.mark(doc_id, "relevant")` saves an answer before it returns.

    Args:
        folder: The folder of the review.
        writing: Whether marks will be made: only one process at a time may.
        vectors: The vectors of the documents, for active learning; by default those of the index of the review.
    """

    def __init__(self, folder: str | Path, *, writing: bool = True, vectors: DocumentVectors | None = None) -> None:
        self.folder = Path(folder)
        self.given_vectors = vectors
        self.handle: int | None = None
        if not (self.folder / HEAD).is_file():
            what = "is not a review" if self.folder.is_dir() else "there is no such review"
            raise InputError(what, source=str(folder), remedy="`antecede review start` creates one")
        if writing:
            self.lock()
        try:
            self.plan, self.digest = read_head(self.folder)
            self.doc_ids, self.scores = read_ranking(self.folder, self.digest, self.plan)
            self.notes: list[str] = []
            """What happened when it was opened, one line each."""
            self.marks = self.read_marks(repair=writing)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<Review {self.folder}: {self.marks!r}, {len(self.doc_ids)} documents>"

    @classmethod
    def start(
        cls,
        folder: str | Path,
        plan: ReviewPlan,
        doc_ids: Sequence[str],
        scores: Sequence[float] | None = None,
        *,
        vectors: DocumentVectors | None = None,
    ) -> Self:
        """Create a review of documents in the order of a ranking.

        Args:
            folder: The folder of the review; it must be new or empty.
            plan: What is reviewed, and how.
            doc_ids: The documents that can be read, best first.
            scores: Their scores, falling; NaN where there is none.
            vectors: The vectors of the documents, for active learning without an index.
        """
        names = [*doc_ids]
        check_documents(names, plan)
        values = [float("nan")] * len(names) if scores is None else [float(each) for each in scores]
        if len(values) != len(names):
            raise UsageError(f"there are {len(names)} documents, but {len(values)} scores")
        if plan.feedback == ACTIVE and plan.index is None and vectors is None:
            raise UsageError("active learning compares documents by their vectors; give an index, or read statically")
        place = Path(folder)
        handle = prepare_folder(place)
        try:
            data = "".join(
                f"{plan.topic_id} Q0 {name} {rank} {score!r} {TAG}\n"
                for rank, (name, score) in enumerate(zip(names, values, strict=True), 1)
            ).encode()
            write_whole(place / RANKING, data)
            write_whole(place / MARKS, b"")
            head = {
                "format": FORMAT,
                "version": VERSION,
                "plan": plan.to_dict(),
                "documents": len(names),
                "ranking": hashlib.sha256(data).hexdigest(),
            }
            write_whole(place / HEAD, (json.dumps(head, ensure_ascii=False, indent=1) + "\n").encode())
            sync_folder(place)
        finally:
            os.close(handle)
        return cls(place, vectors=vectors)

    @classmethod
    def open(cls, folder: str | Path, *, writing: bool = True, vectors: DocumentVectors | None = None) -> Self:
        """Continue a review, or look at it if `writing` is false."""
        return cls(folder, writing=writing, vectors=vectors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock."""
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None

    def lock(self) -> None:
        """Refuse to write while another process does."""
        self.handle = take_lock(self.folder)

    # Marks

    def read_marks(self, *, repair: bool) -> Marks:
        """The marks on disk. A line that a killed process did not finish was not confirmed: it is left out."""
        path = self.folder / MARKS
        data = read_part(path)
        whole, newline, tail = data.rpartition(b"\n")
        marks = Marks(self.plan.topic_id)
        for number, line in enumerate(whole.decode("utf-8", "replace").split("\n") if newline else (), 1):
            topic, mark = parse_line(line, str(path), number)
            if topic not in (None, self.plan.topic_id):
                raise InputError(f"is a mark of topic {shown(topic)}", source=str(path), line=number)
            if mark.doc_id not in self.places:
                raise InputError("is not in the ranking", source=str(path), line=number, doc_id=mark.doc_id)
            marks.add(mark)
        if tail:
            self.notes.append("the last mark was not complete when the process that wrote it ended; it is left out")
            if repair:
                with path.open("r+b") as file:
                    file.truncate(len(whole + newline))
                    os.fsync(file.fileno())
        return marks

    def find_document(self, doc_id: str) -> str:
        """The document of the review that a name denotes: exactly, or else but for case and punctuation."""
        if doc_id in self.places:
            return doc_id
        alike = self.names_alike.get(bare_name(doc_id), ())
        if len(alike) == 1:
            return alike[0]
        near = suggest_names(doc_id, self.doc_ids) if len(self.doc_ids) < MOST_COMPARED else ""
        raise InputError(
            f"is not among the {len(self.doc_ids)} documents of the review{near}",
            source=str(self.folder),
            doc_id=doc_id,
            remedy="mark one that is",
        )

    @cached_property
    def names_alike(self) -> dict[str, list[str]]:
        """The documents by their names without punctuation, in capital letters."""
        found: dict[str, list[str]] = {}
        for doc_id in self.doc_ids:
            found.setdefault(bare_name(doc_id), []).append(doc_id)
        return found

    def mark(self, doc_id: str, relevance: str, **details: Any) -> Mark | None:
        """Mark a document; when this returns, the mark is on disk. The mark that it replaces is returned.

        Args:
            doc_id: The document.
            relevance: `relevant`, `maybe` or `not`.
            details: Other fields of `Mark`: grade, category, claims, note, user, query, rank.
        """
        return self.add(Mark(self.find_document(doc_id), relevance, **{"time": current_time(), **details}))

    def add(self, mark: Mark) -> Mark | None:
        """Append a mark that was made elsewhere; when this returns, it is on disk."""
        if self.handle is None:
            raise UsageError(f"{self.folder}: is open for reading only; open it for writing to mark documents")
        mark = replace(mark, doc_id=self.find_document(mark.doc_id))
        path = self.folder / MARKS
        line = (write_line(self.plan.topic_id, mark) + "\n").encode()
        try:
            with path.open("r+b") as file:
                end = file.seek(0, os.SEEK_END)
                try:
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    with suppress(OSError):
                        file.truncate(end)
                    raise
        except OSError as error:
            raise cannot_write(path, error, "the mark cannot be saved") from None
        return self.marks.add(mark)

    # What comes next

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each document in the first ranking."""
        return {doc_id: at for at, doc_id in enumerate(self.doc_ids)}

    @property
    def unread(self) -> int:
        """How many documents are not marked."""
        return len(self.doc_ids) - len(self.marks.current)

    def next(self, number: int = 1, *, without: Sequence[str] = ()) -> list[NextDocument]:
        """The documents to be read next, the most promising first; none where everything is read.

        Args:
            number: How many.
            without: Documents that were postponed.
        """
        if number < 1:
            raise UsageError(f"the number of documents must be 1 or more, not {number}")
        marked, put_off = self.marks.current, {*without}
        chosen: list[tuple[str, float | None, str, int]] = []
        taken = {*put_off, *marked}
        for rank, doc_id in enumerate(self.plan.audit, 1):
            if doc_id not in taken and len(chosen) < number:
                chosen.append((doc_id, None, "random sample", rank))
                taken.add(doc_id)
        if len(chosen) < number:
            left = (each for each in self.order() if each[0] not in taken)
            chosen += islice(left, number - len(chosen))
        return [
            NextDocument(doc_id, len(marked) + at, score, by, rank)
            for at, (doc_id, score, by, rank) in enumerate(chosen, 1)
        ]

    def order(self) -> Iterator[tuple[str, float | None, str, int]]:
        """The documents in the order in which they are read: each with its score, what chose it, and its rank."""
        learned = [doc_id for doc_id in self.marks.current if doc_id not in self.audited]
        start = batch_start(len(learned))
        if self.plan.feedback == STATIC or not self.marks.current:
            for rank, doc_id in enumerate(self.doc_ids, 1):
                score = float(self.scores[rank - 1])
                yield doc_id, None if isnan(score) else score, "ranking", rank
            return
        before = [*learned[:start], *(each for each in self.plan.audit if each in self.marks.current)]
        good = self.rows([each for each in before if self.marks.current[each].counts()])
        bad = self.rows([each for each in before if not self.marks.current[each].counts()])
        rows, scores = self.learner.rank_rows(good, bad)
        for rank, (row, value) in enumerate(zip(rows.tolist(), scores.tolist(), strict=True), 1):
            yield self.doc_ids[row], value, "active learning", rank

    @cached_property
    def audited(self) -> frozenset[str]:
        """The documents of the random sample."""
        return frozenset(self.plan.audit)

    def rows(self, doc_ids: Sequence[str]) -> Ints:
        """The positions of documents in the first ranking, which are their rows in the vectors."""
        return np.array([self.places[each] for each in doc_ids], np.int64)

    @cached_property
    def learner(self) -> ActiveLearner:
        """What re-ranks the unread documents."""
        from antecede.review.active_learning import ActiveLearner

        vectors = self.given_vectors or self.load_vectors()
        if vectors.doc_ids != self.doc_ids:
            at = vectors.rows_of(self.doc_ids)
            vectors = replace(vectors, doc_ids=self.doc_ids, matrix=vectors.matrix[at])
        topic = vectors.of_texts(self.plan.texts) if self.plan.texts else None
        return ActiveLearner(vectors, self.scores, topic=topic, settings=self.plan.learning)

    def load_vectors(self) -> DocumentVectors:
        """The vectors of the documents in the index of the review."""
        if self.plan.index is None:
            raise UsageError(f"{self.folder}: active learning needs vectors; give those the review was started with")
        from antecede.engine import open_index
        from antecede.review.vectors import vectors_of_index

        return vectors_of_index(open_index(self.plan.index), self.doc_ids)

    # How far it is

    def reading(self) -> Reading:
        """The documents read so far, as estimators and stopping rules see them."""
        marks = self.marks.current
        sample = [each for each in marks if each in self.audited]
        ranked = [each for each in marks if each not in self.audited]
        order = [*sample, *ranked]
        flags = np.array([marks[each].counts(maybe=self.plan.maybe) for each in order], np.bool_)
        if not self.plan.audit:
            return Reading(flags, len(self.doc_ids))
        audited = np.array([True] * len(sample) + [False] * len(ranked), np.bool_)
        return Reading(flags, len(self.doc_ids), audited=audited)


MOST_COMPARED = 20_000
"""Names that an unknown one is compared with, to suggest the nearest."""


def bare_name(doc_id: str) -> str:
    """A name without punctuation, in capital letters: `EP-1234567` is `EP1234567`."""
    return "".join(filter(str.isalnum, doc_id.upper()))


def check_documents(names: Sequence[str], plan: ReviewPlan) -> None:
    """Refuse documents that cannot be reviewed: none, one without a name, one that occurs twice."""
    if not names:
        raise UsageError("there is no document to review; nothing was found, or the run has no such topic")
    seen: set[str] = set()
    for name in names:
        if not name or name.split() != [name]:
            raise InputError(f"{shown(name)!r} cannot be the id of a document", remedy="give ids without blanks")
        if name in seen:
            raise InputError("occurs twice in the ranking", doc_id=name)
        seen.add(name)
    unknown = next((each for each in plan.audit if each not in seen), None)
    if unknown is not None:
        raise InputError("is in the random sample, but not in the ranking", doc_id=unknown)


def prepare_folder(place: Path) -> int:
    """Make the folder of a new review and lock it; an existing review or foreign files are refused."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place, error, "cannot be made") from None
    inside = {each.name for each in place.iterdir()} - {LOCK}
    if HEAD in inside:
        raise UsageError(
            f"{place}: is a review already; continue it with `antecede review next`, or name another folder"
        )
    foreign = sorted(name for name in inside - FILES if not name.startswith(".antecede-"))
    if foreign:
        raise UsageError(f"{place}: has other files ({shown(foreign[0])}); name a new folder")
    handle = take_lock(place)
    clear_temporary(place)
    return handle


def take_lock(folder: Path) -> int:
    """Hold the lock of a review; one that another process holds is an error in one line."""
    path = folder / LOCK
    try:
        # A link could lead to any file of the user, which would be overwritten.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise cannot_write(path, error) from None
    if not lock_exclusive(handle):
        holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip() if hasattr(os, "pread") else ""
        os.close(handle)
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise UsageError(
            f"{folder}: is in use by {who}; finish there first, or look at it with `antecede review status`"
        )
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())
    return handle


def sync_folder(folder: Path) -> None:
    """Make the names of new files durable, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_part(path: Path) -> bytes:
    """The bytes of a file of a review; a link, a device or a pipe in its place is refused."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError("is not a regular file", source=str(path), remedy="restore it from a backup")
    return read_file(path, str(path))


def read_head(folder: Path) -> tuple[ReviewPlan, str]:
    """The plan of a review, and the checksum of its ranking."""
    path = folder / HEAD
    data = read_part(path)
    try:
        found = json.loads(data)
        json.dumps(found, ensure_ascii=False).encode()  # raises an error for half a surrogate pair
        if found["format"] != FORMAT:
            raise ValueError("another format")
        if found["version"] != VERSION:
            raise InputError(
                f"was written by another version (format {shown(str(found['version']))})",
                source=str(path),
                remedy="use the version of antecede that started it",
            )
        return ReviewPlan.from_dict(found["plan"]), str(found["ranking"])
    except (ValueError, KeyError, TypeError, UsageError, RecursionError):
        raise InputError("is damaged", source=str(path), remedy="restore it from a backup") from None


def read_ranking(folder: Path, digest: str, plan: ReviewPlan) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The documents of a review with their scores, in the order of the first ranking."""
    path = folder / RANKING
    data = read_part(path)
    if hashlib.sha256(data).hexdigest() != digest:
        raise InputError("is not what was written", source=str(path), remedy="restore it from a backup")
    try:
        words = [line.split(" ") for line in data.decode().split("\n")[:-1]]
        names, scores = tuple(each[2] for each in words), np.array([float(each[4]) for each in words], np.float64)
        check_documents(names, plan)
    except (ValueError, IndexError, InputError, UsageError):
        raise InputError("is damaged", source=str(path), remedy="restore it from a backup") from None
    return names, scores
