"""Where a review begins: a search of an index, or a run that somebody made."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from antecede.engine import number_of, read_record
from antecede.errors import InputError, UsageError, printable, spell, suggest_names
from antecede.operations import Bundle, Help, Seed, operation
from antecede.ranges import DOCUMENTS, SEED, Range
from antecede.review.calibration import read_calibration, read_suitable
from antecede.review.case import EMPTY_FACTS, EMPTY_SEARCH, Review, ReviewPlan, name_text
from antecede.review.database import digest_of
from antecede.review.marks import read_marks, read_marks_from_qrels
from antecede.review.reading import ACTIVE, STATIC
from antecede.review.search_history import DEPTH, FILTERS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypedDict

    from typing_extensions import Unpack

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.review.marks import Mark
    from antecede.search import Ranker, SearchResult, SearchSettings

    class GivenOptions(TypedDict, total=False):
        """How documents are read, as keyword arguments, for type checkers."""

        feedback: Literal["active", "static"] | None
        depth: int | None
        audit: int
        maybe: bool
        seed: int
        calibration: str | Path | None


AUDIT = Range(0, 10**9, whole=True)
COUNTED = ("relevant", "irrelevant")
"""What a mark of maybe may count as."""
TITLE_LENGTH = 200
LONGEST_TITLE = 500


def _parse_maybe(text: str) -> bool:
    if text.lower() not in COUNTED:
        raise UsageError(f"{spell('maybe')}: {printable(text)!r} is not {' or '.join(COUNTED)}")
    return text.lower() == COUNTED[0]


@dataclass(frozen=True)
class ReadingOptions(Bundle):
    """How the documents of a case are read."""

    feedback: Annotated[
        Literal["active", "static"] | None,
        Help(
            "Rank unread documents again by active learning, or keep the first ranking.",
            default="that of the calibration, or active with an index",
        ),
    ] = None
    depth: Annotated[
        int | None,
        DOCUMENTS,
        Help("The maximum number of documents.", default="10,000 of an index, all of a run"),
    ] = None
    audit: Annotated[int, AUDIT, Help("The size of a random sample that is read first.", flags="--random-sample")] = 0
    maybe: Annotated[
        bool,
        Help("What a mark of maybe counts as.", metavar="|".join(COUNTED), default=COUNTED[1], parse=_parse_maybe),
    ] = False
    seed: Seed = 0
    calibration: Annotated[
        str | Path | None,
        Help("A file of review calibrate, to estimate and stop by.", metavar="FILE.json", path=True),
    ] = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            DOCUMENTS.check(self.depth, "depth")
        SEED.check(self.seed, "seed")


@operation
def start_review(
    path: str | Path,
    index: Engine | str | Path,
    topic: Patent | Query | str,
    settings: SearchSettings | None = None,
    *,
    topic_id: Annotated[
        str | None,
        Help(
            "With a text, the name of the topic; of references, the name of the review.",
            flags="--name",
            metavar="NAME",
            default="the first words of the text, or that of the first file",
        ),
    ] = None,
    options: ReadingOptions = ReadingOptions(),
    **_given: Unpack[GivenOptions],
) -> Review:
    """Search an index, and start a review of what can be found.

    Documents that pass the filters of the search but match no term come after those that it finds, in the order of
    their names, down to `depth`: active learning may find them.

    Args:
        path: The case store that the case is added to; it is created if it does not exist.
        index: The index, its folder, or its address on a cluster.
        topic: What to search for: a patent, a query or a text.
        settings: Search settings; k is ignored in favour of `depth`.
        topic_id: The name of the topic; by default that of the patent, or the first words of the text.
        maybe: Whether documents marked as maybe count as relevant.
        calibration: A file written by `antecede review calibrate` for the same ranking and feedback.
        options: How documents are read, as one value.
    """
    from antecede.engine import open_index
    from antecede.patent import Patent
    from antecede.review.vectors import texts_of_patent
    from antecede.search import Ranker, SearchSettings
    from antecede.search.results import title_of

    depth, seed = options.depth or DEPTH, options.seed
    opened = open_index(index) if isinstance(index, str | Path) else index
    ranker = Ranker(opened, replace(settings or SearchSettings(), k=min(depth, max(opened.documents, 1))))
    ranking = ranker.rank(topic)
    names, scores, search = _list_documents(ranker, ranking, depth)
    patent = topic if isinstance(topic, Patent) else None
    text = topic if isinstance(topic, str) else ""
    chosen, file = choose_feedback(options.feedback, options.calibration, ranker.settings.name)
    plan = ReviewPlan(
        topic_id or (patent.doc_id if patent is not None else ranking.topic_id or name_text(text)),
        chosen,
        title=(title_of(patent, ranking.queries[0].language) if patent is not None else text)[:TITLE_LENGTH],
        texts=texts_of_patent(opened, patent) if patent is not None else {"": text} if text else {},
        source=f"search of {opened.name}, {ranker.settings.name}",
        seed=seed,
        audit=draw_sample(names, options.audit, seed),
        maybe=options.maybe,
    )
    record, kind = (patent.to_dict(), "number") if patent is not None else (None, "text")
    return Review.start(
        path, plan, names, scores, topic=record, search=search, source=kind, index=opened.where, calibration=file
    )


def _list_documents(ranker: Ranker, ranking: SearchResult, depth: int) -> tuple[list[str], list[float], dict[str, Any]]:
    """What can be read after a search: the documents that it ranks, their scores, and what is known of the search."""
    names = [*ranking.doc_ids][:depth]
    names += ranker.index.select(ranking.filters).names(names, depth - len(names))
    search = {
        "state": state_of(ranker.settings),
        "settings": ranker.settings.to_dict(),
        "index_state": ranker.index.state,
        "facts": facts_of(ranking, ranker.index),
    }
    return names, [*ranking.scores, *[float("nan")] * len(names)][: len(names)], search


def extend_review(review: Review, index: Engine, topic: Patent | str, settings: SearchSettings) -> int:
    """Rank all documents of an index that has grown, so that the new ones can be read; returns how many there are."""
    from antecede.search import Ranker

    depth = max(1, index.documents)
    ranker = Ranker(index, replace(settings, k=depth))
    ranking = ranker.rank(topic)
    names, scores, search = _list_documents(ranker, ranking, depth)
    new = len({*names} - {*review.doc_ids})
    if new:
        source = f"search of {index.name}, {ranker.settings.name}"
        search["facts"] = {**EMPTY_FACTS, **search["facts"], "topic": review.case.topic.digest}
        ranked = [(name, None if isnan(score) else score) for name, score in zip(names, scores, strict=True)]
        described = {"label": source, "key": digest_of("review", source, index.state), "ranking": ranked}
        review.store.add_search(review.case.id, {**EMPTY_SEARCH, **search, **described})
    return new


def facts_of(result: SearchResult, index: Engine) -> dict[str, Any]:
    """What is kept of a search besides its ranking."""
    return {
        "notes": list(result.query_notes),
        "documents": result.coverage.to_dict(),
        "model": result.model,
        "terms": _shown_terms(result.queries),
        "languages": list(result.searched),
        "index": index.name,
        "index_documents": index.documents,
    }


def _shown_terms(queries: Sequence[Query]) -> list[dict[str, Any]]:
    """The terms of all queries, each once."""
    terms: dict[tuple[str, str], dict[str, Any]] = {}
    for query in queries:
        for term, word, weight in zip(query.terms, query.words or query.terms, query.weights.tolist(), strict=True):
            described = {"term": term, "word": word, "weight": weight, "language": query.language}
            terms.setdefault((query.language, term), described)
    return [*terms.values()]


def state_of(settings: SearchSettings) -> dict[str, Any]:
    """The query of the page that searches with these settings, as far as they name no file."""
    from antecede.search.settings import SearchSettings, search_options

    usual, given = SearchSettings().to_dict(), settings.to_dict()
    files = {option.name for option in search_options() if option.may_be_file and "/" in str(given[option.name])}
    differing = {name: value for name, value in given.items() if value != usual[name] and name not in files}
    return {
        "settings": {name: differing[name] for name in SETTINGS if name in differing},
        "filters": {name: differing[name] for name in FILTERS if name in differing},
        "terms": [],
        "phrases": [
            {"words": words.replace('"', ""), "exclude": name == "must_not", "off": False}
            for name in ("must", "must_not")
            for words in given[name]
        ],
    }


@operation
def start_review_of_run(
    path: str | Path,
    run: object,
    topic_id: str,
    *,
    index: Annotated[
        Engine | str | Path | None,
        Help("With a run: an index of its documents, for texts and active learning.", metavar="INDEX", path=True),
    ] = None,
    titles: Annotated[
        str | Path | None,
        Help("With a run: a table of ids and titles, if there is no index.", metavar="FILE.csv", path=True),
    ] = None,
    text: Annotated[
        str | None,
        Help("The subject in words: in place of TOPIC, or besides the topic of a run.", metavar="WORDS"),
    ] = None,
    options: ReadingOptions = ReadingOptions(),
    **_given: Unpack[GivenOptions],
) -> Review:
    """Start a review of the documents that a run ranks for a topic; what is not named here is as in `start_review`.

    Args:
        run: The run, in any form that `read_run` reads.
        options: How documents are read, as one value; without an index, by default without feedback.
    """
    from antecede.engine import open_index
    from antecede.trec import read_run

    found, text = read_run(run), text or ""
    if topic_id not in found.topics:
        near = suggest_names(topic_id, found.topics)
        raise InputError(f"is not in the run{near}", source=found.source, topic_id=topic_id)
    rows = [row for row in found.to_polars().iter_rows() if row[0] == topic_id][: options.depth]
    names, scores = [row[1] for row in rows], [row[3] for row in rows]
    opened = open_index(index) if isinstance(index, str | Path) else index
    if opened is not None and -1 in (numbers := opened.numbers(names).tolist()):
        missing, what = names[numbers.index(-1)], "is in the run, but not in the index"
        raise InputError(what, source=opened.where, doc_id=missing, remedy="index all documents")
    chosen, file = choose_feedback(options.feedback or (None if opened is not None else STATIC), options.calibration)
    plan = ReviewPlan(
        topic_id,
        chosen,
        title=text[:TITLE_LENGTH],
        texts={"": text} if text else {},
        source=f"run {found.name}",
        seed=options.seed,
        audit=draw_sample(names, options.audit, options.seed),
        maybe=options.maybe,
    )
    number = number_of(opened, topic_id) if opened is not None else None
    record = read_record(opened, number).to_dict() if opened is not None and number is not None else None
    known = read_titles(titles) if titles is not None else {}
    search = {"facts": {"titles": {name: known[name] for name in names if name in known}}}
    where = None if opened is None else opened.where
    return Review.start(path, plan, names, scores, topic=record, search=search, index=where, calibration=file)


def read_titles(path: str | Path) -> dict[str, str]:
    """The titles in a table whose first two columns are ids and titles; tabs separate the columns of a .tsv file."""
    try:
        with Path(path).open(newline="", encoding="utf-8-sig", errors="replace") as file:
            rows = [*csv.reader(file, delimiter="\t" if Path(path).suffix == ".tsv" else ",")]
    except (OSError, csv.Error) as error:
        raise InputError(f"cannot be read ({error})", source=str(path), remedy="give a table of them") from None
    short = next((number for number, row in enumerate(rows, 1) if len(row) == 1), None)
    if short is not None:
        raise InputError("has a single column", source=str(path), line=short, remedy="give ids and titles")
    return {row[0].strip(): " ".join(row[1].split())[:LONGEST_TITLE] for row in rows if row}


def choose_feedback(
    given: str | None, calibration: str | Path | None, ranking: str | None = None
) -> tuple[str, str | None]:
    """The kind of feedback, by default that of the calibration, else active; and where a calibration is that suits."""
    if calibration is None:
        return given or ACTIVE, None
    made_with = read_calibration(calibration).feedback
    chosen = given or (made_with if made_with in (ACTIVE, STATIC) else ACTIVE)
    read_suitable(calibration, chosen, ranking)
    return chosen, str(Path(calibration).absolute())


def draw_sample(names: Sequence[str], size: int, seed: int) -> tuple[str, ...]:
    """A random sample of the documents; it depends on the seed and on nothing else."""
    AUDIT.check(size, "audit")
    if size > len(names):
        raise UsageError(f"a random sample of {printable(str(size))} documents is more than there are ({len(names)})")
    chosen = np.random.default_rng([seed, 1]).permutation(len(names))[:size]
    return tuple(names[at] for at in chosen.tolist())


def read_foreign_marks(path: str, topic_id: str) -> list[Mark]:
    """The marks of a topic in a file: lines of JSON as a review has them, or qrels; `-` is standard input."""
    from antecede.trec.content import read_content

    head = read_content(path).data.lstrip()[:1] if path != "-" else b"{"
    if head == b"{":
        return [*read_marks(path, topic_id)]
    by_topic = read_marks_from_qrels(path)
    if topic_id not in by_topic:
        what = f"has no mark of this topic{suggest_names(topic_id, [*by_topic])}"
        raise InputError(what, source=path, topic_id=topic_id)
    return [*by_topic[topic_id]]
