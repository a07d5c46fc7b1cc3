"""A test collection from citations, in the manner of CLEF-IP: what a later patent cites is relevant to it.

A topic is a patent of the collection; relevant to it are the patents it cites that are in the collection, except itself
and its family. The examiner's category determines the grade: X 3, Y 2, anything else 1.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

import numpy as np

from antecede.corpus.merge import identity, merge
from antecede.errors import InputError, UsageError, advise, spell
from antecede.files import cannot_write, write_whole
from antecede.operations import Help, parse_day
from antecede.patent import Citation
from antecede.patent.record import earliest_date
from antecede.plots import PlotMixin
from antecede.ranges import COUNT
from antecede.results import concise_repr
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.corpus.collection import Collection
    from antecede.patent import Patent

_GRADES = {"X": 3, "I": 3, "N": 3, "Y": 2}
Grading = Literal["category", "one"]
Origin = Literal["fields", "text", "both"]


@dataclass(frozen=True)
class CitingPatent:
    """The fields of a patent needed here, without its texts, so that a large collection fits in memory."""

    doc_id: str
    number: str | None
    """Its number in normal form, by which it is cited."""
    language: str
    published: date | None
    day: date | None
    family_id: str | None
    citations: list[Citation]


@dataclass(frozen=True)
class Topics(Tabled, PlotMixin):
    """Topics with their relevant documents, and the counts of citations that were dropped."""

    __repr__ = concise_repr

    relevant: Mapping[str, Mapping[str, int]]
    """Topic → relevant document → grade."""
    languages: Mapping[str, str]
    """Topic → its language."""
    documents: int
    """Patents in the collection."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Citations without a judgement, by reason."""
    records: Mapping[str, Patent] = field(default_factory=dict)
    passages: Sequence[Mapping[str, Any]] = ()
    """What an examiner named, where the judgements come from citations of examiners."""

    def relevant_per_topic(self) -> tuple[Sequence[str], NDArray[np.int64]]:
        """The topics, and the number of relevant documents of each."""
        return tuple(self.relevant), np.array([len(documents) for documents in self.relevant.values()], np.int64)

    def to_dict(self) -> dict[str, Any]:
        """The statistics in a JSON-compatible form."""
        _, counts = self.relevant_per_topic()
        return {
            "documents": self.documents,
            "topics": len(counts),
            "judgements": int(counts.sum()),
            "relevant_per_topic": {
                "min": int(counts.min()),
                "median": float(np.median(counts)),
                "mean": float(counts.mean()),
                "max": int(counts.max()),
                "distribution": {str(n): int(k) for n, k in zip(*np.unique(counts, return_counts=True), strict=True)},
            },
            "grades": {str(grade): count for grade, count in sorted(self.grades().items())},
            "languages": dict(Counter(self.languages.values()).most_common()),
            "dropped": dict(self.dropped),
        }

    def grades(self) -> Counter[int]:
        """The number of judgements of each grade."""
        return Counter(grade for documents in self.relevant.values() for grade in documents.values())

    def table(self) -> Table:
        """The statistics of the test collection."""
        facts = self.to_dict()
        spread = facts["relevant_per_topic"]
        rows: list[tuple[str, str | int | float]] = [
            ("patents in the collection", facts["documents"]),
            ("topics", facts["topics"]),
            ("judgements", facts["judgements"]),
            *((f"  of grade {grade}", count) for grade, count in facts["grades"].items()),
            ("relevant per topic, fewest", spread["min"]),
            ("relevant per topic, median", f"{spread['median']:g}"),
            ("relevant per topic, mean", f"{spread['mean']:.2f}"),
            ("relevant per topic, most", spread["max"]),
            *((f"topics in {language or 'an unknown language'}", n) for language, n in facts["languages"].items()),
            *((f"citations dropped: {reason}", count) for reason, count in facts["dropped"].items()),
        ]
        return Table(("test collection", ""), tuple(rows))

    def qrels(self) -> str:
        """The judgements in TREC format."""
        lines = (f"{t} 0 {d} {grade}" for t, documents in self.relevant.items() for d, grade in documents.items())
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> None:
        """Write `qrels.txt`, the topics as `topics.jsonl`, and passages, if any, as `passages.jsonl` into a folder."""
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder}: is a file; name another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error, "cannot be created") from None
        records = [self.records[topic].to_dict() for topic in self.relevant if topic in self.records]
        for name, values in (("topics.jsonl", records), ("passages.jsonl", self.passages)):
            if values or name == "topics.jsonl":
                lines = (json.dumps(value, ensure_ascii=False) for value in values)
                write_whole(folder / name, "".join(f"{line}\n" for line in lines).encode())
        write_whole(folder / "qrels.txt", self.qrels().encode())


def make_topics(
    collection: Collection,
    *,
    after: Annotated[
        date | None,
        Help("Only patents published on this day or later become topics.", metavar="DATE", parse=parse_day),
    ] = None,
    grading: Annotated[
        Grading,
        Help("The relevance of a citation: by category (X 3, Y 2, others 1), or 1 for all.", flags="--grades"),
    ] = "category",
    citations: Annotated[
        Origin | str | Path,
        Help(
            "Citations from the fields, numbers in the description, or both; or a file of what examiners cited.",
            metavar="fields|text|both|FILE",
            path=True,
        ),
    ] = "fields",
    fewest: Annotated[int, COUNT, Help("The fewest relevant documents of a topic.")] = 1,
    most: Annotated[int | None, COUNT, Help("The most relevant documents of a topic.")] = None,
    languages: Annotated[
        Sequence[str] | None, Help("Only topics in this language; may be repeated.", flags="--language")
    ] = None,
) -> Topics:
    """Build topics and judgements from the citations of a collection's patents.

    Args:
        collection: The patents.
    """
    COUNT.check(fewest, "fewest")
    if most is not None:
        COUNT.check(most, "most")
    if citations not in get_args(Origin):
        if (after, fewest, most, languages) != (None, 1, None, None):
            raise UsageError("what examiners cited is taken as it is; leave out the choice of topics")
        return topics_of_examiners(collection, citations, grading=grading)
    patents = _gather_citations(collection, cast("Origin", citations))
    places = group_by_name(patents.values())
    wanted = frozenset(languages) if languages is not None else None
    dropped: Counter[str] = Counter()
    relevant: dict[str, dict[str, int]] = {}
    for patent in patents.values():
        if after is not None and (patent.published is None or patent.published < after):
            continue
        if wanted is not None and patent.language not in wanted:
            continue
        judged = judge(patent, places, grading, dropped)
        if len(judged) >= max(fewest, 1) and (most is None or len(judged) <= most):
            relevant[patent.doc_id] = judged
    if not relevant:
        read = advise("the ledger of the collection", "`antecede list formats PATH`")
        raise InputError(
            f"no topic: of {len(patents)} patents, none cites another one of them",
            remedy=f"see {read} for what was read, or use {spell('citations', 'both')}",
        )
    records = _load_records(collection, relevant)
    topic_languages = {patent.doc_id: patent.language for patent in patents.values() if patent.doc_id in relevant}
    return Topics(relevant, topic_languages, len(patents), dict(dropped.most_common()), records)


def topics_of_examiners(collection: Collection, path: str | Path, *, grading: Grading = "category") -> Topics:
    """Topics and judgements from what examiners cited: office actions of the USPTO, registers, search reports.

    An application that is not in the collection has judgements, but no text to search with.

    Args:
        collection: The patents; only citations of these are judgements.
        path: The file of `read_examiners`.
        grading: `category`: X (or 102) is 3, Y (or 103) is 2, anything else 1; `one`: 1 for all.
    """
    from antecede.corpus.examiners import read_examiners

    given = read_examiners(path)
    patents = _gather_citations(collection, "fields")
    places, dropped = group_by_name(patents.values()), Counter(given.dropped)
    by_doc_id = {patent.doc_id: patent for patent in patents.values()}
    relevant: dict[str, dict[str, int]] = {}
    passages = []
    for citation in given.citations:
        cited = places.get(citation.number.key, ())
        dropped["not in the collection"] += not cited
        grades = (_GRADES.get(letter, 1) for letter in citation.category)  # `YX`
        grade = max(grades, default=1) if grading == "category" else 1
        for patent in cited:
            judged = relevant.setdefault(citation.topic_id, {})
            judged[patent.doc_id] = max(grade, judged.get(patent.doc_id, 0))
            passages.append(citation.to_dict(patent.doc_id, grade))
    if not relevant:
        reason = f"no judgement: none of its {len(given.citations)} citations is one of {len(patents)} patents"
        raise InputError(reason, source=str(path), remedy="give a collection that holds what was cited")
    records = _load_records(collection, {topic: 1 for topic in relevant if topic in by_doc_id})
    dropped["topics that are not in the collection"] += len(relevant) - len(records)
    languages = {topic: by_doc_id[topic].language if topic in by_doc_id else "" for topic in relevant}
    return Topics(relevant, languages, len(patents), {k: v for k, v in dropped.items() if v}, records, passages)


def _gather_citations(collection: Collection, origin: Origin) -> dict[str, CitingPatent]:
    """Every patent of the collection by its identity, without its texts, with the citations of all its documents."""
    found: dict[str, CitingPatent] = {}
    for document in collection.documents():
        key = identity(document)
        number = document.known_number
        new = CitingPatent(
            document.doc_id,
            number.key if number is not None else None,
            document.language,
            document.publication_date,
            document.date,
            document.family_id,
            [*citations_of(document, origin)],
        )
        if (old := found.get(key)) is not None:
            collection.ledger.merged += 1
            new = _combine(old, new)
        found[key] = new
    return found


def citations_of(document: Patent, origin: Origin) -> tuple[Citation, ...]:
    """The citations in the fields of a document, in its text, or in both."""
    fields = document.citations if origin != "text" else ()
    if origin == "fields":
        return fields
    from antecede.corpus.citations import numbers_in  # compiles its patterns

    texts = document.description.items()
    numbers = (mention.number for language, text in texts for mention in numbers_in(text, language=language))
    return (*fields, *(Citation(number, phase="description") for number in dict.fromkeys(numbers)))


def _combine(old: CitingPatent, new: CitingPatent) -> CitingPatent:
    """Combine two documents of a patent; the list of citations of the first is extended, not copied."""
    old.citations.extend(new.citations)
    return replace(
        old,
        language=old.language or new.language,
        published=earliest_date((old.published, new.published)),
        day=earliest_date((old.day, new.day)),
        family_id=old.family_id or new.family_id,
    )


def group_by_name(patents: Iterable[CitingPatent]) -> dict[str, list[CitingPatent]]:
    """Number in normal form → the patents with this doc_id, else all with this number."""
    names: dict[str, list[CitingPatent]] = {}
    numbers: dict[str, list[CitingPatent]] = {}
    for patent in patents:
        names.setdefault(patent.doc_id, []).append(patent)
        if patent.number is not None:
            numbers.setdefault(patent.number, []).append(patent)
    return numbers | {name: names[name] for name in numbers.keys() & names.keys()}


def judge(
    patent: CitingPatent, places: Mapping[str, Sequence[CitingPatent]], grading: Grading, dropped: Counter[str]
) -> dict[str, int]:
    """The relevant documents of one topic with their grades, ordered by doc_id.

    If several documents of a collection have a cited number, all of them are relevant.
    """
    judged: dict[str, int] = {}
    for citation in patent.citations:
        key = citation.number.key
        found = places.get(key, ())
        if not found:
            dropped["not in the collection"] += 1
        for cited in found:
            if cited is patent or key == patent.number:
                dropped["the topic itself"] += 1
            elif cited.family_id is not None and cited.family_id == patent.family_id:
                dropped["of the topic's family"] += 1
            else:
                grade = _GRADES.get((citation.category or "")[:1], 1) if grading == "category" else 1
                judged[cited.doc_id] = max(grade, judged.get(cited.doc_id, 0))
    return dict(sorted(judged.items()))


def _load_records(collection: Collection, wanted: Mapping[str, object]) -> dict[str, Patent]:
    """The complete records of the topics, from a second pass over the files, which reports no rejections."""
    collection = copy.copy(collection)
    collection.on_reject = None
    parts: dict[str, list[Patent]] = {}
    names: dict[str, str] = {}
    for document in collection.documents():
        key = identity(document)
        names.setdefault(key, document.doc_id)
        if names[key] in wanted:
            parts.setdefault(names[key], []).append(document)
    return {doc_id: merge(documents) for doc_id, documents in parts.items()}
