"""A case as it is read: its documents in their order, what comes next, every mark, and how far the reading is.

A case lives in a case store, which the terminal and the page may have open at the same time. What comes next is a
function of the searches, the marks and the seed, so that nothing else needs saving: a process that is killed at any
moment loses no confirmed mark, and the next one continues with the same document.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from antecede.errors import InputError, UsageError, printable, spell, suggest_names
from antecede.ranges import SEED
from antecede.review.database import digest_of
from antecede.review.marks import Mark, Marks, current_time
from antecede.review.reading import ACTIVE, STATIC, Reading, find_batch
from antecede.review.search_history import EMPTY_STATE
from antecede.review.store import CaseStore, find_case, open_store
from antecede.review.vote_log import KNOWN
from antecede.review.votes import Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.active_learning import ActiveLearner
    from antecede.review.mark_log import MarkChange
    from antecede.review.reading import Bools
    from antecede.review.search_history import SearchRow
    from antecede.review.store import CaseRow
    from antecede.review.vectors import DocumentVectors
    from antecede.review.workbench import Workbench


FOUND_DEPTH = 100
"""The rank down to which a search counts as having found a document."""
MOST_COMPARED = 20_000
"""Names that an unknown one is compared with, to suggest the nearest."""
TOPIC_WORDS, TOPIC_LENGTH = 5, 60
"""Words and characters of the name of a topic that is given in words."""
NAMED = 120
"""Characters of the name of a case that nobody named."""


@dataclass(frozen=True)
class ReviewPlan:
    """How the documents of a case are read."""

    topic_id: str
    feedback: str = STATIC
    """`active` re-ranks what is unread by active learning, `static` reads in the order of the ranking."""
    title: str = ""
    """The title of the topic, or the text that was searched with."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What is sought, in words, by language: the first relevant document of active learning. A text whose language is
    not known has the key ""."""
    source: str = ""
    """Where the ranking comes from, in words."""
    seed: int = 0
    """Of active learning."""
    audit: tuple[str, ...] = ()
    """A random sample of the documents that is read before the ranking; estimates that assume nothing need one."""
    maybe: bool = False
    """Whether documents marked as maybe count as relevant."""
    protocol: Protocol | None = None
    """How the records of a systematic review are screened; None for any other case."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "audit", tuple(self.audit))
        if not isinstance(self.topic_id, str) or self.topic_id.split() != [self.topic_id]:
            raise UsageError(
                f"{printable(str(self.topic_id))!r} cannot be the name of a topic; give one without blanks"
            )
        SEED.check(self.seed, "seed")
        if self.feedback not in (ACTIVE, STATIC):
            raise UsageError(f"unknown feedback {printable(self.feedback)!r}; available: {ACTIVE}, {STATIC}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ReviewPlan:
        """The plan with these fields, from JSON; anything else is a `TypeError`, a `KeyError` or a `UsageError`."""
        plan: dict[str, Any] = {"texts": {}, "audit": [], "maybe": False, "learning": {}, **values}
        learning = plan.pop("learning")
        # The methods of `dict` and `list` refuse values of another type.
        texts = [text for pair in dict.items(plan["texts"]) for text in pair] + list.copy(plan["audit"])
        texts += [plan[name] for name in ("topic_id", "feedback", "title", "source") if name in plan]
        if not all(isinstance(text, str) for text in texts) or not isinstance(plan["maybe"], bool):
            raise TypeError("a text or a choice is something else")
        protocol = plan.pop("protocol", None)
        protocol = None if protocol is None else Protocol.from_dict(protocol)
        return cls(**plan, seed=dict.get(learning, "seed", 0), protocol=protocol)

    def to_dict(self) -> dict[str, Any]:
        """The plan as `from_dict` takes it."""
        values = asdict(replace(self, protocol=None))
        values.pop("protocol")
        screened = {} if self.protocol is None else {"protocol": self.protocol.to_dict()}
        return {"learning": {"seed": values.pop("seed")}, **values, **screened}


FORMER_WEIGHTS = {"negatives": 100, "c": 10.0, "prior": 1.0, "classifier": 0.25}
"""The weights that cases of earlier versions have unless their users chose others."""


def describe_unused(plan: Mapping[str, Any]) -> str:
    """What of the plan of an imported case is not used: weights of active learning that its user chose; or empty."""
    given = {name: value for name, value in plan.get("learning", {}).items() if name != "seed"}
    others = ", ".join(f"{name} {value}" for name, value in given.items() if FORMER_WEIGHTS.get(name) != value)
    return f"its weights of active learning ({printable(others)}) are not used: it has none to choose" if others else ""


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


class Review(AbstractContextManager["Review"]):
    """A case that is read. `Review.start` creates one, `Review.open` continues it.

    It is used as a context manager: `review.next(3)` gives the next three documents to read, and
    `review.mark(doc_id, "relevant")` saves an answer before it returns. Others may mark documents meanwhile.

    Args:
        store: The case store.
        case: The case.
        vectors: The vectors of the documents, for active learning; by default those of the index of the case.
        index: The folder or address of the index, in place of the one that the case was searched in.
        workbench: The store with the opened index, where both are open already.
        user: Who has the case open.
    """

    def __init__(
        self,
        store: CaseStore,
        case: CaseRow,
        *,
        vectors: DocumentVectors | None = None,
        index: str | None = None,
        workbench: Workbench | None = None,
        user: str = "",
    ) -> None:
        self.store, self.case, self.given_vectors, self.user = store, case, vectors, user
        self.id = case.id
        place, self.calibration = store.places(case.id)
        self.place: str | None = index or place
        """The folder or address of the index with the documents, for their texts and vectors."""
        self.plan = read_plan(case)
        if self.plan.protocol is not None and not (self.place and Path(self.place).exists()):
            beside = store.path.absolute().with_suffix(".records") / "documents.index"  # both were moved
            self.place = str(beside) if beside.exists() else self.place
        self._workbench = workbench
        self._marks = Marks(case.topic_id)

    def __repr__(self) -> str:
        return f"<Review {self.case.name}: {self.marks!r}, {len(self.doc_ids)} documents>"

    @classmethod
    def start(
        cls,
        path: str | Path,
        plan: ReviewPlan,
        doc_ids: Sequence[str],
        scores: Sequence[float] | None = None,
        *,
        topic: Mapping[str, Any] | None = None,
        search: Mapping[str, Any] | None = None,
        source: str = "number",
        index: str | None = None,
        calibration: str | None = None,
        vectors: DocumentVectors | None = None,
    ) -> Self:
        """Add a case that reads documents in the order of a ranking.

        Args:
            path: The case store; it is created if it does not exist.
            plan: How they are read.
            doc_ids: The documents that can be read, best first.
            scores: Their scores, falling; NaN where there is none.
            topic: The record of the patent that is sought for; by default one with the texts of the plan.
            search: What is known of the search, as `CaseStore.add_search` takes it, besides its ranking.
            source: Where the topic comes from: `number`, `text` or `file`.
            index: The folder or address of the index with the documents.
            calibration: A file of `antecede review calibrate` for this ranking and feedback.
            vectors: The vectors of the documents, for active learning without an index.
        """
        names = [*doc_ids]
        check_documents(names, plan)
        values = [None] * len(names) if scores is None else [None if isnan(score) else float(score) for score in scores]
        if len(values) != len(names):
            raise UsageError(f"there are {len(names)} documents, but {len(values)} scores")
        if plan.feedback == ACTIVE and index is None and vectors is None:
            raise UsageError("active learning compares documents by their vectors; give an index, or read statically")
        record = topic or {  # where no patent is known, the page can show this one and search for it
            "doc_id": plan.topic_id,
            "title": {"": plan.title or f"topic {plan.topic_id}"},
            "description": {language: text for language, text in plan.texts.items() if text},
        }
        given = search or {}
        facts = {**EMPTY_FACTS, **given.get("facts", {}), "topic": digest_of(record)}
        facts["documents"] = {**facts["documents"], "searched": max(facts["documents"]["searched"], len(names))}
        found = {"facts": facts, "ranking": list(zip(names, values, strict=True))}
        described = {"label": plan.source[:300], "key": digest_of("review", plan.source, current_time())}
        store = CaseStore(path)
        if source == "text":
            plan = replace(plan, topic_id=store.distinct_topic(plan.topic_id))
            record = {**record, "doc_id": plan.topic_id}
        case_id = store.create(
            record,
            name=shorten(" ".join(f"{plan.topic_id} {plan.title}".split())),
            source=source,
            plan=plan.to_dict(),
            search={**EMPTY_SEARCH, **described, **given, **found},
        )
        store.put_places(case_id, index, calibration)
        return cls(store, store.case(case_id), vectors=vectors)

    @classmethod
    def open(
        cls,
        path: str | Path,
        case: str | None = None,
        *,
        vectors: DocumentVectors | None = None,
        index: str | None = None,
    ) -> Self:
        """Continue a case of a store: the one that is named, or the only one."""
        store = open_store(path)
        return cls(store, find_case(store, case), vectors=vectors, index=index)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def again(self) -> Self:
        """The case as it is in the store now."""
        return type(self)(self.store, self.store.case(self.id), workbench=self._workbench, user=self.user)

    @property
    def version(self) -> int:
        """The number of the latest change of the case."""
        return self.store.case(self.id).version

    # What it holds

    @cached_property
    def topic(self) -> Patent:
        """The application that prior art is sought for."""
        from antecede.review.records import read_patent

        return read_patent(self.case.topic.record)

    @property
    def searches(self) -> list[SearchRow]:
        return self.store.searches(self.id)

    def search(self, number: int) -> SearchRow:
        return self.store.search(self.id, number)

    @cached_property
    def seen(self) -> list[str]:
        return self.store.seen(self.id)

    @cached_property
    def workbench(self) -> Workbench:
        """The store with the opened index, which must be known."""
        from antecede.review.workbench import Workbench

        if self._workbench is None:
            if self.opened_index is None:
                raise UsageError(f"the case was not searched in an index; name one with {spell('index')}")
            self._workbench = Workbench(self.opened_index, self.store)
        return self._workbench

    @property
    def index(self) -> Engine:
        return self.workbench.index

    # Marks

    @property
    def marks(self) -> Marks:
        """The marks as they are in the store now, whoever made them."""
        return self.store.marks(self.case, self._marks)

    def find_document(self, doc_id: str) -> str:
        """The document of the case that a name denotes: exactly, or else but for case and punctuation."""
        if doc_id in self.places or doc_id in self.marks.current:
            return doc_id
        alike = self._names_alike.get(_bare_name(doc_id), ())
        if len(alike) == 1:
            return alike[0]
        near = suggest_names(doc_id, self.doc_ids) if len(self.doc_ids) < MOST_COMPARED else ""
        raise InputError(
            f"is not among the {len(self.doc_ids)} documents of the case{near}",
            source=str(self.store.path),
            doc_id=doc_id,
            remedy="mark one that is",
        )

    @cached_property
    def _names_alike(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for doc_id in self.doc_ids:
            names.setdefault(_bare_name(doc_id), []).append(doc_id)
        return names

    def mark(self, doc_id: str, relevance: str, **details: Any) -> Mark | None:
        """Mark a document; when this returns, the mark is on disk. The mark that it replaces is returned.

        Args:
            doc_id: The document.
            relevance: `relevant`, `maybe` or `not`.
            details: Other fields of `Mark`: grade, category, claims, note, user, query, rank.
        """
        return self.add([Mark(doc_id, relevance, **{"time": current_time(), **details})])[0]

    def change_mark(self, doc_id: str, seen: int, **values: Any) -> MarkChange:
        """Change some fields of the mark of a document of the index, or mark it.

        Args:
            doc_id: The document.
            seen: The version of the mark that the user saw, 0 for none. A mark that has changed since is left as it
                is, and `ChangedMeanwhileError` has it.
            values: Fields of `Mark`; those that are not named stay as they are.
        """
        from antecede.review.records import TITLES

        header = self.workbench.header(doc_id)
        if header is not None:
            values, doc_id = {**values, "title": header.title[:TITLES]}, header.doc_id
        elif self.store.mark(self.id, doc_id) is None:
            raise UsageError(f"document {printable(doc_id)}: is not in the index")
        if "claims" in values:
            values["claims"] = " ".join(str(values["claims"]).split())
        return self.store.change_mark(self.id, doc_id, self.user, seen, **values)

    def add(self, marks: Sequence[Mark]) -> list[Mark | None]:
        """Save marks, all or none; returns for each the mark that it replaces."""
        named = [replace(mark, doc_id=self.find_document(mark.doc_id)) for mark in marks]
        before = dict(self.marks.current)
        self.store.put_marks(self.id, named)
        replaced = []
        for mark in named:
            replaced.append(before.get(mark.doc_id))
            before[mark.doc_id] = mark
        return replaced

    # What comes next

    @cached_property
    def _ranked(self) -> dict[str, float]:
        """The documents that can be read with their scores: those of the latest query first, then of earlier ones."""
        searches = self.searches
        queries = [search for search in searches if search.kind == "query"] or searches
        scores: dict[str, float] = {}
        for search in reversed(queries):
            latest = search is queries[-1]
            for doc_id, score in search.ranking:
                scores.setdefault(doc_id, score if latest and score is not None else float("nan"))
        return scores

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents that can be read, in the order of the ranking."""
        return tuple(self._ranked)

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each document in the ranking."""
        return {doc_id: at for at, doc_id in enumerate(self.doc_ids)}

    @property
    def searched(self) -> int:
        """How many documents the last search looked at; a case lists no more of them than its searches rank."""
        searches = self.searches
        return searches[-1].facts["documents"]["searched"] if searches else 0

    @property
    def unread(self) -> int:
        """How many documents of the list are not marked."""
        marked = self.marks.current
        return sum(doc_id not in marked for doc_id in self.doc_ids)

    def next(self, number: int = 1, *, without: Sequence[str] = ()) -> list[NextDocument]:
        """The documents to be read next, the most promising first; none where everything is read.

        Args:
            number: How many.
            without: Documents that were postponed.
        """
        if number < 1:
            raise UsageError(f"the number of documents must be 1 or more, not {number}")
        marks = self.marks.current
        taken = {*without, *marks}
        chosen: list[NextDocument] = []
        for doc_id, score, by, rank in self._order(marks):
            if doc_id not in taken:
                taken.add(doc_id)
                chosen.append(NextDocument(doc_id, len(marks) + len(chosen) + 1, score, by, rank))
                if len(chosen) == number:
                    break
        return chosen

    def _order(self, marks: Mapping[str, Mark]) -> Iterator[tuple[str, float | None, str, int]]:
        """The documents in the order in which they are read: each with its score, what chose it, and its rank."""
        for rank, doc_id in enumerate(self.plan.audit, 1):
            yield doc_id, None, "random sample", rank
        listed = [doc_id for doc_id in marks if doc_id in self.places]
        if self.plan.feedback == STATIC or not listed:
            for rank, (doc_id, score) in enumerate(self._ranked.items(), 1):
                yield doc_id, None if isnan(score) else score, "ranking", rank
            return
        audit = dict.fromkeys(self.plan.audit)
        learned = [doc_id for doc_id in listed if doc_id not in audit]
        before = [
            *learned[: find_batch(len(learned))[0]],
            *(doc_id for doc_id in audit if doc_id in marks),
        ]
        good, bad = (
            np.array([self.places[doc_id] for doc_id in before if marks[doc_id].counts(maybe=True) is kind], np.int64)
            for kind in (True, False)
        )
        rows, scores = self.learner.rank_rows(good, bad)
        for rank, (row, value) in enumerate(zip(rows.tolist(), scores.tolist(), strict=True), 1):
            yield self.doc_ids[row], value, "active learning", rank

    @cached_property
    def learner(self) -> ActiveLearner:
        from antecede.review.active_learning import ActiveLearner
        from antecede.review.record_vectors import vectors_of_records
        from antecede.review.vectors import vectors_of_index

        vectors = self.given_vectors
        if vectors is None:
            if self.opened_index is None:
                raise UsageError(
                    f"{self.store.path}: active learning needs the vectors of an index; give {spell('index')}"
                )
            screened = self.plan.protocol is not None
            index = self.opened_index
            vectors = vectors_of_records(index) if screened else vectors_of_index(index, self.doc_ids)
        if vectors.doc_ids != self.doc_ids:
            at = vectors.rows_of(self.doc_ids)
            vectors = replace(vectors, doc_ids=self.doc_ids, matrix=vectors.matrix[at])
        topic = vectors.of_texts(self.plan.texts) if self.plan.texts else None
        scores = np.array([*self._ranked.values()], np.float64)
        patent = "" not in self.plan.texts  # a text in words has no language
        return ActiveLearner(vectors, scores, topic=topic, fading=patent, seed=self.plan.seed)

    @cached_property
    def opened_index(self) -> Engine | None:
        """The index with the documents; None where the case has none."""
        from antecede.engine import open_index

        if self._workbench is not None:
            return self._workbench.index
        return None if self.place is None else open_index(self.place)

    def title(self, doc_id: str) -> str:
        """The title of a document in the table that the case was started with; empty where there is none."""
        return self._titles.get(doc_id, "")

    @cached_property
    def _titles(self) -> dict[str, str]:
        titles: dict[str, str] = {}
        for search in reversed(self.searches):
            titles |= search.facts.get("titles", {})
        return titles

    # How far it is

    def reading(self) -> Reading:
        """The documents read so far, as estimators and stopping rules see them, of those that `next` can show."""
        audit = {*self.plan.audit}
        # What was known before a screening was not found by reading: it is left out, as simulations leave it out.
        current = self.marks.current
        known = {doc_id for doc_id, mark in current.items() if mark.query == KNOWN}
        marks = {doc_id: mark for doc_id, mark in current.items() if doc_id not in known}
        sample = [doc_id for doc_id in marks if doc_id in audit]
        order = [*sample, *(doc_id for doc_id in marks if doc_id not in audit)]
        flags = np.array([marks[doc_id].counts(maybe=self.plan.maybe) for doc_id in order], np.bool_)
        audited = np.arange(len(order)) < len(sample) if self.plan.audit else None
        ranks = None  # active learning would rank the sample elsewhere after every batch
        if self.plan.audit and self.plan.feedback == STATIC:
            ranks = np.array([self.places.get(doc_id, -1) + 1 for doc_id in order], np.int64)
        documents = max(len({*self.doc_ids, *order} - known), 1)
        return Reading(flags, documents, audited, ranks, found_by=self._found_by(order))

    def _found_by(self, order: Sequence[str]) -> Bools | None:
        """Which query found which document; None where there are no two that differ in kind.

        Method, text, language and model make queries of one topic differ in kind; edited weights do not.
        """
        names = ("method", "fields", "from_claim", "language", "ranking", "model")
        different = {
            tuple(str(search.settings.get(name)) for name in names): search
            for search in self.searches
            if search.kind == "query"
        }
        if len(different) < 2:
            return None
        tops = [{doc_id for doc_id, _ in search.ranking[:FOUND_DEPTH]} for search in different.values()]
        return np.array([[doc_id in top for doc_id in order] for top in tops], np.bool_)


EMPTY_FACTS: dict[str, Any] = {
    "topic": "",
    "notes": [],
    "documents": {
        "searched": 0, "unsearched": 0, "unsearched_languages": {}, "excluded": {}, "undated": 0, "dated_by_year": 0
    },
    "model": "", "terms": [], "languages": [], "new": [], "titles": {}, "relevant_marks": 0, "index": "",
    "index_documents": 0,
}  # fmt: skip
"""What is known of the search behind a run that somebody made."""
EMPTY_SEARCH: dict[str, Any] = {
    "kind": "query", "user": "", "state": EMPTY_STATE, "settings": {"relevant": [], "irrelevant": []}, "index_state": ""
}  # fmt: skip


def name_text(text: str) -> str:
    """The name of a topic that is given in words: the first of them.

    >>> name_text("A mesh network of battery-powered sensors for fields")
    'a-mesh-network-of-battery'
    """
    words = re.findall(r"\w+", text.lower())[:TOPIC_WORDS]
    return "-".join(words)[:TOPIC_LENGTH] or "text"


def shorten(name: str, most: int = NAMED) -> str:
    """The name of a case that nobody named, cut at a word where it is too long.

    >>> shorten("a valve with a spring", 12)
    'a valve …'
    """
    return name if len(name) <= most else f"{name[: most - 1].rpartition(' ')[0] or name[: most - 2]} …"


def read_plan(case: CaseRow) -> ReviewPlan:
    """How a case is read; one of the page in the order of its ranking."""
    if not case.plan:
        title = next(iter(case.topic.record.get("title", {}).values()), "")
        return ReviewPlan(case.topic_id, title=str(title), source=f"case {case.name}")
    try:
        return ReviewPlan.from_dict(case.plan)
    except (TypeError, KeyError, ValueError, UsageError):
        raise InputError("how it is read is damaged", source=f"case {case.id}", remedy="restore a copy") from None


def check_documents(names: Sequence[str], plan: ReviewPlan) -> None:
    """Refuse documents that cannot be reviewed: none, one without a name, one that occurs twice."""
    if not names:
        raise UsageError("there is no document to review; nothing was found, or the run has no such topic")
    seen: set[str] = set()
    for name in names:
        if not name or name.split() != [name]:
            raise InputError(f"{printable(name)!r} cannot be the id of a document", remedy="give ids without blanks")
        if name in seen:
            raise InputError("occurs twice in the ranking", doc_id=name)
        seen.add(name)
    unknown = next((doc_id for doc_id in plan.audit if doc_id not in seen), None)
    if unknown is not None:
        raise InputError("is in the random sample, but not in the ranking", doc_id=unknown)


def _bare_name(doc_id: str) -> str:
    """A name without punctuation, in capital letters: `EP-1234567` is `EP1234567`."""
    return "".join(filter(str.isalnum, doc_id.upper()))
