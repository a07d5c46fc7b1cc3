"""Marks: what a person decided about documents, as lines of JSON and as qrels, without loss in either direction.

The marks of a case are a log: a later mark of a document replaces an earlier one, and both are kept.

In qrels a document has one line with its current relevance (relevant 2 or its grade; maybe 1 where the case counts it
as relevant, and 0 otherwise; not 0), so that an evaluation counts what the status of the case counts. Everything else
is in the second column, which TREC calls the iteration and which no evaluation program reads: a percent-encoded JSON
list of all marks of the document, each with its place in the log. A qrels file of other origin becomes marks whose
grade is the relevance of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from antecede.errors import DuplicateDocumentError, InputError, MalformedInputError, UsageError, printable
from antecede.files import write_whole
from antecede.ranges import RELEVANCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

RELEVANT, MAYBE, NOT = "relevant", "maybe", "not"
LEVELS = {RELEVANT: 2, MAYBE: 1, NOT: 0}
"""The relevance in qrels of a mark without a grade."""
WITHDRAWN = "withdrawn"
"""The relevance of an entry of the log that takes a mark back."""
CATEGORY = re.compile(r"[XYADELOPT](,[XYADELOPT])*")
"""The categories of search reports (WIPO ST.14), one or several, as in `X` or `X,P`."""
ENCODED = "marks="
"""Begins the second column of a line of qrels that holds marks."""


@dataclass(frozen=True)
class Mark:
    """What a person decided about one document: the row of the store, the line of a file, the answer of the API."""

    doc_id: str
    relevance: str
    """`relevant`, `maybe` or `not`; `withdrawn` where an earlier mark is taken back."""
    grade: int | None = None
    """A graded relevance, as in qrels: 1 or more if relevant or maybe, otherwise 0 or less."""
    category: str | None = None
    """The category of a search report: X, Y, A and others, as in `X` or `X,P`."""
    claims: str = ""
    """The claims of the topic that the document concerns, as in `1,3-5`."""
    note: str = ""
    user: str = ""
    time: str = ""
    """When it was made: a date and time in ISO form."""
    search: int | None = None
    """The number of the search that showed the document."""
    query: str = ""
    """What showed the document in the terminal: the ranking, active learning or the random sample."""
    rank: int | None = None
    """The rank at which it was shown."""
    title: str = ""
    """The title that the document had."""
    version: int = field(default=0, compare=False)
    """The number of the change of the store that it was made by; it means nothing elsewhere, and is never exported."""

    def __post_init__(self) -> None:
        if not self.doc_id or not isinstance(self.doc_id, str):
            raise UsageError("a mark needs the id of a document")
        refuse = partial(InputError, doc_id=self.doc_id)
        if self.relevance not in LEVELS and self.relevance != WITHDRAWN:
            what = f"{printable(str(self.relevance))!r} is not one of {', '.join(LEVELS)}"
            raise refuse(what, remedy="mark it as one of these")
        if self.grade is not None:
            RELEVANCE.check(self.grade, "the grade")
            if (self.grade > 0) != (self.relevance in (RELEVANT, MAYBE)):
                what = f"is marked {self.relevance}, but its grade is {self.grade}"
                raise refuse(what, remedy="give 1 or more if it is relevant or maybe, 0 or less if not")
        if self.category is not None and not CATEGORY.fullmatch(self.category):
            what = f"{printable(self.category)!r} is not a category of search reports"
            raise refuse(what, remedy="write one or more of X, Y, A, D, E, L, O, P, T, as in X or X,P")

    @property
    def level(self) -> int:
        """Its relevance in qrels."""
        return LEVELS[self.relevance] if self.grade is None else self.grade

    def level_of(self, *, maybe: bool) -> int:
        """Its relevance in qrels; a mark of maybe is 0 there where it does not count as relevant."""
        return self.level if maybe or self.relevance != MAYBE else 0

    def counts(self, *, maybe: bool) -> bool:
        """Whether it counts as relevant; `maybe` says whether such a mark does."""
        return self.relevance == RELEVANT or (maybe and self.relevance == MAYBE)

    def to_dict(self) -> dict[str, Any]:
        """The mark in a JSON-compatible form, without what is not known."""
        return {name: value for name in MARK_FIELDS if (value := getattr(self, name)) not in (None, "")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Mark:
        """A mark from what `to_dict` gives; anything else is an error."""
        for name, value in values.items():
            if name not in MARK_FIELDS:
                what = f"a mark has no field {printable(str(name))!r}"
                raise InputError(what, remedy=f"it has {', '.join(sorted(MARK_FIELDS))}")
            kind = int if name in ("grade", "rank", "search") else str
            if not isinstance(value, kind) or isinstance(value, bool):
                raise InputError(f"{printable(str(value))!r} is not a {name} of a mark")
        if not {"doc_id", "relevance"} <= {*values}:
            raise InputError("a mark needs doc_id and relevance")
        return cls(**values)

    def __str__(self) -> str:
        return f"{self.doc_id}: {self.relevance}" + (f" ({self.category})" if self.category else "")


MARK_FIELDS = tuple(each.name for each in fields(Mark) if each.name != "version")
"""What leaves and enters with a mark."""


def current_time() -> str:
    """Now, in ISO form, in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Marks(Sequence[Mark]):
    """The marks of one topic, in the order in which they were made.

    Args:
        topic_id: The topic.
        marks: The marks; a later mark of a document replaces an earlier one.
    """

    def __init__(self, topic_id: str, marks: Iterable[Mark] = ()) -> None:
        self.topic_id = topic_id
        self.log: list[Mark] = []
        """Every mark, in order."""
        self.current: dict[str, Mark] = {}
        """The mark of each document that holds, in the order in which documents were first marked."""
        for mark in marks:
            self.add(mark)

    def add(self, mark: Mark) -> Mark | None:
        """Append a mark; the mark that it replaces is returned."""
        before = self.current.get(mark.doc_id)
        self.log.append(mark)
        if mark.relevance == WITHDRAWN:
            self.current.pop(mark.doc_id, None)
        else:
            self.current[mark.doc_id] = mark
        return before

    def __len__(self) -> int:
        return len(self.log)

    def __getitem__(self, at: Any) -> Any:
        return self.log[at]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {relevance}" for relevance, count in self.counts.items())
        return f"<Marks of {printable(self.topic_id)}: {len(self.current)} documents, {counts}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many documents are marked as relevant, maybe and not."""
        return {relevance: len(self.having(relevance)) for relevance in LEVELS}

    def having(self, relevance: str) -> list[str]:
        """The documents that are currently marked so."""
        return [doc_id for doc_id, mark in self.current.items() if mark.relevance == relevance]

    @property
    def changes(self) -> list[tuple[Mark, Mark]]:
        """The marks that contradict an earlier mark of the same document, each after the one that it replaced."""
        last: dict[str, Mark] = {}
        changes = []
        for mark in self.log:
            before, last[mark.doc_id] = last.get(mark.doc_id, mark), mark
            if before.relevance != mark.relevance and WITHDRAWN not in (before.relevance, mark.relevance):
                changes.append((before, mark))
        return changes

    # Qrels

    def to_qrels_lines(self, *, maybe: bool = False) -> Iterator[str]:
        """One line of qrels per document, in the order in which documents were first marked.

        `maybe` says whether such a mark counts as relevant; its relevance is 0 where it does not.
        """
        _check_word(self.topic_id, "topic")
        history: dict[str, list[list[Any]]] = {}
        for place, mark in enumerate(self.log):
            rest = {name: value for name, value in mark.to_dict().items() if name != "doc_id"}
            history.setdefault(mark.doc_id, []).append([place, rest])
        for doc_id, mark in self.current.items():
            _check_word(doc_id, "document")
            text = json.dumps(history[doc_id], ensure_ascii=True, separators=(",", ":"))
            yield f"{self.topic_id} {ENCODED}{quote(text, safe=':,')} {doc_id} {mark.level_of(maybe=maybe)}"

    def write_qrels(self, path: str | Path, *, maybe: bool = False) -> None:
        """Write the marks as TREC qrels that `read_marks_from_qrels` reads without loss."""
        write_whole(path, "".join(f"{line}\n" for line in self.to_qrels_lines(maybe=maybe)).encode())


def _parse_line(line: str, source: str, number: int) -> tuple[str | None, Mark]:
    """The topic, if it is given, and the mark of a line of JSON."""
    try:
        values = dict(dict.items(json.loads(line)))  # which refuses what is no object
        topic_id = values.pop("topic_id", None)
        if not isinstance(topic_id, str | None):
            raise TypeError
        return topic_id, Mark.from_dict(values)
    except (ValueError, TypeError, RecursionError):
        what, remedy = f"{printable(line)!r} is not a mark", "correct or remove the line"
        raise MalformedInputError(what, source=source, line=number, remedy=remedy) from None
    except (InputError, UsageError) as error:
        raise MalformedInputError(str(error), source=source, line=number) from None


def read_marks(path: str | Path, topic_id: str) -> Marks:
    """The marks of a topic from lines of JSON; `-` is standard input."""
    from antecede.trec.content import read_content

    content = read_content(str(path))
    by_topic: dict[str | None, list[Mark]] = {}
    for number, line in enumerate(content.data.decode("utf-8", "replace").split("\n"), 1):
        if line.strip():
            topic, mark = _parse_line(line, content.source, number)
            by_topic.setdefault(topic, []).append(mark)
    if by_topic and not {topic_id, None} & {*by_topic}:
        raise InputError("has no mark of this topic", source=content.source, topic_id=topic_id)
    return Marks(topic_id, [*by_topic.get(None, ()), *by_topic.get(topic_id, ())])  # without a topic: of the given one


def read_marks_from_qrels(path: str | Path) -> dict[str, Marks]:
    """The marks of each topic of a qrels file, whether it was written from marks or not.

    A line that was not written from marks becomes a mark with the relevance of the line as its grade.
    """
    from antecede.trec import read_qrels
    from antecede.trec.content import read_content

    source = str(path)
    data = read_content(source).data if source != "-" else b""
    if f" {ENCODED}".encode() not in data:
        by_topic: dict[str, Marks] = {}
        try:
            qrels = read_qrels(path)
        except DuplicateDocumentError as error:  # two marks of one document, in an order that qrels do not have
            facts = {name: getattr(error, name) for name in ("source", "line", "topic_id", "doc_id")}
            raise DuplicateDocumentError(error.what, **facts, remedy="remove the line that does not hold") from None
        for topic, doc_id, relevance in qrels.to_polars().iter_rows():
            by_topic.setdefault(topic, Marks(topic)).add(_mark_of_level(doc_id, int(relevance)))
        return by_topic
    history: dict[str, list[tuple[int, int, Mark]]] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        words = line.split()
        if not words:
            continue
        try:
            topic, column, doc_id, level = words
            history.setdefault(topic, []).extend(
                (place, number, mark) for place, mark in _decode_column(column, doc_id, int(level), number)
            )
        except (ValueError, TypeError, KeyError, InputError, UsageError):
            what = f"{printable(line)!r} is not a line of qrels with marks"
            raise MalformedInputError(what, source=source, line=number) from None
    return {
        topic: Marks(topic, [mark for _, _, mark in sorted(marks, key=itemgetter(0, 1))])
        for topic, marks in history.items()
    }


def _decode_column(column: str, doc_id: str, level: int, number: int) -> Iterator[tuple[int, Mark]]:
    """The marks of a document from the second column of its line, each with its place in the log."""
    if not column.startswith(ENCODED):
        yield number, _mark_of_level(doc_id, level)
        return
    marks = [
        (int(place), Mark.from_dict({"doc_id": doc_id, **values}))
        for place, values in json.loads(unquote(column.removeprefix(ENCODED), errors="strict"))
    ]
    if not marks:
        raise ValueError("no mark")
    place, last = marks[-1]
    if level not in {last.level_of(maybe=maybe) for maybe in (True, False)}:  # somebody edited it: they are right
        marks[-1] = place, replace(last, relevance=_mark_of_level(doc_id, level).relevance, grade=level)
    yield from marks


def _mark_of_level(doc_id: str, level: int) -> Mark:
    return Mark(doc_id, RELEVANT if level > 0 else NOT, grade=level)


def _check_word(text: str, what: str) -> None:
    if not text or text.split() != [text]:
        raise InputError(f"{printable(text)!r} has white space, and cannot be a {what} of qrels")
