"""Reading and scoring runs as the specification says, line by line in plain Python: slow, and obviously right.

None of the code under test is used here. `evaluate_plainly` is what `rank_table` and `evaluate` must agree with.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

MARK = b"\xef\xbb\xbf"
NOT_TREC = (
    b"\xff\xfe",
    b"\xfe\xff",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"BZh",
    b"\xfd7zXZ\0",
    b"]\0\0",
    b"\x28\xb5\x2f\xfd",
)
LINE_ENDS = re.compile(rb"\r\n|\r|\n")
BLANKS = re.compile(rb"[ \t\v\f]+")
SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
GRADE = re.compile(rb"[+-]?[0-9]+")


class RefusedError(Exception):
    """The input is refused, for this reason."""


@dataclass(frozen=True)
class Reading:
    """The options of reading."""

    duplicates: str = "error"
    malformed: str = "error"
    ties: str = "docid"
    depth: int | None = None


@dataclass(frozen=True)
class Row:
    topic: str
    doc: str
    number: float
    rank: str = ""
    line: int = 0


@dataclass
class Rows:
    rows: list[Row] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number


def text_of(column: bytes) -> str:
    """UTF-8, and Latin-1 for each byte that is not."""
    escaped = column.decode("utf-8", "surrogateescape")
    return "".join(chr(ord(sign) - 0xDC00) if "\udc80" <= sign <= "\udcff" else sign for sign in escaped)


def read_trec(data: bytes, kind: str, reading: Reading) -> Rows:
    """The rows of a TREC file."""
    while data.startswith(MARK):
        data = data[len(MARK) :]
    if not data.strip() or b"\0" in data or data.startswith(NOT_TREC):
        raise RefusedError("not text")
    found, tags = Rows(), set[str]()
    fewest, value = (6, 4) if kind == "run" else (4, 3)
    for place, line in enumerate(LINE_ENDS.split(data), 1):
        columns = [column for column in BLANKS.split(line) if column]
        if columns and columns[0].startswith(b"#"):
            found.count("comments")
        if not columns or columns[0].startswith(b"#"):
            continue
        wrong_width = len(columns) < fewest or (kind == "qrels" and len(columns) > 5)
        number = None if wrong_width else number_of(columns[value], kind)
        if number is None:
            if reading.malformed == "error":
                raise RefusedError(f"line {line!r}")
            found.count("malformed")
            found.count("bad_scores", not wrong_width)
            continue
        if kind == "run":
            found.count("wide", len(columns) > 6)
            tags.add(text_of(columns[5]))
        found.rows.append(Row(text_of(columns[0]), text_of(columns[2]), number, text_of(columns[3]), place))
    found.count("other_tags", max(0, len(tags) - 1))
    return checked(found)


def number_of(text: bytes, kind: str) -> float | None:
    """The number that a column holds; None where it holds none."""
    if (SCORE if kind == "run" else GRADE).fullmatch(text) is None:
        return None
    number = float(text if kind == "run" else int(text))
    return number if abs(number) < (math.inf if kind == "run" else 1e9) else None


def checked(found: Rows) -> Rows:
    if not found.rows:
        raise RefusedError("no line can be read")
    if any(row.topic.startswith("\ufeff") for row in found.rows):
        raise RefusedError("a byte-order mark inside the file")
    return found


def without_duplicates(found: Rows, policy: str) -> list[Row]:
    """The rows that the policy keeps, in the order of the file."""
    places: dict[tuple[str, str], list[int]] = {}
    for at, row in enumerate(found.rows):
        places.setdefault((row.topic, row.doc), []).append(at)
    found.counts["duplicates"] = sum(len(each) - 1 for each in places.values())
    if policy == "error" and found.counts["duplicates"]:
        raise RefusedError("a document twice")
    chosen = {"first": slice(0, 1), "last": slice(-1, None)}.get(policy, slice(None))
    kept = {at for each in places.values() for at in each[chosen]}
    return [row for at, row in enumerate(found.rows) if at in kept]


def rank_of(row: Row) -> float:
    try:
        rank = float(row.rank)
    except ValueError:
        rank = math.nan
    if not math.isfinite(rank):
        raise RefusedError("a rank that is not a number")
    return rank


@dataclass(frozen=True)
class PlainRun:
    ranking: dict[str, list[Row]]
    """The documents of each topic, best first, cut at the depth."""
    tied: set[tuple[str, float]]
    """(topic, score) of groups of equal scores."""
    counts: dict[str, int]


def plain_run(found: Rows, reading: Reading) -> PlainRun:
    if reading.ties == "rank":
        for row in found.rows:
            rank_of(row)
    found.counts["self_retrieved"] = len({row.topic for row in found.rows if row.topic == row.doc})
    ranking: dict[str, list[Row]] = {}
    tied: set[tuple[str, float]] = set()
    topics: dict[str, list[Row]] = {}
    for row in without_duplicates(found, reading.duplicates):
        topics.setdefault(row.topic, []).append(row)
    unsorted_topics = 0
    for topic, rows in topics.items():
        unsorted_topics += any(later.number > row.number for row, later in pairwise(rows))
        scores = [row.number for row in rows]
        tied |= {(topic, score) for score in scores if scores.count(score) > 1}
        if reading.ties == "docid":  # as trec_eval: score descending, then document id descending, byte by byte
            best_first = sorted(rows, key=lambda row: (row.number, row.doc.encode()), reverse=True)
        elif reading.ties == "rank":
            best_first = sorted(rows, key=lambda row: (-row.number, rank_of(row)))
        else:
            best_first = sorted(rows, key=lambda row: -row.number)
        ranking[topic] = best_first[: reading.depth]
    lines = sum(map(len, ranking.values()))
    found.counts["equal_scores"] = sum(len(rows) > 1 == len({row.number for row in rows}) for rows in topics.values())
    found.counts["rank_conflicts"] = sum(map(contradicts_ranks, topics.values())) if has_ranks(found.rows) else 0
    every: dict[str, list[Row]] = {}
    for row in found.rows:
        every.setdefault(row.topic, []).append(row)
    readable = has_ranks(found.rows)
    found.counts["odd_ranks"] = sum(map(has_odd_ranks, every.values())) if readable else len(every)
    found.counts["swapped_columns"] = sum(map(looks_swapped, every.values())) if readable else 0
    return PlainRun(
        ranking, tied, {**found.counts, "unsorted_topics": unsorted_topics, "lines": lines, "topics": len(ranking)}
    )


def has_ranks(rows: list[Row]) -> bool:
    """Whether the rank in every line is a number, also in those of duplicates."""
    try:
        return all(row.rank.isascii() and math.isfinite(rank_of(row)) for row in rows)
    except RefusedError:
        return False


def contradicts_ranks(rows: list[Row]) -> bool:
    """Whether a document that is ranked above another scores less."""
    return any(rank_of(one) < rank_of(other) and one.number < other.number for one in rows for other in rows)


def has_odd_ranks(rows: list[Row]) -> bool:
    """Whether the ranks are not 1, 2, 3 …"""
    return sorted(map(rank_of, rows)) != [*range(1, len(rows) + 1)]


def looks_swapped(rows: list[Row]) -> bool:
    """Whether the scores appear to be ranks, and the ranks scores."""
    ranks, scores = [rank_of(row) for row in rows], [row.number for row in rows]
    if sorted(ranks) in ([*range(1, len(rows) + 1)], [*range(len(rows))]):
        return False
    fractions = all(score % 1 == 0 for score in scores) and any(rank % 1 for rank in ranks)
    counting = scores in ([*range(1, len(rows) + 1)], [*range(len(rows))])
    return fractions or (counting and ranks == sorted(ranks, reverse=True) and ranks[0] > ranks[-1])


def plain_qrels(found: Rows, reading: Reading) -> dict[str, dict[str, int]]:
    policy = "error" if reading.duplicates == "keep" else reading.duplicates
    judged: dict[str, dict[str, int]] = {}
    for row in without_duplicates(found, policy):
        judged.setdefault(row.topic, {})[row.doc] = int(row.number)
    if not any(grade > 0 for own in judged.values() for grade in own.values()):
        raise RefusedError("no topic has a relevant document")
    return judged


MEASURES = ("RR", "AP", "AP@3", "P@3", "R@2", "R", "nDCG", "nDCG@3", "Success@2", "Judged@3", "NumRet")


def plain_scores(judged: dict[str, int], ranking: list[Row]) -> dict[str, float]:
    """The measures of one topic that has a relevant document."""
    grades = [judged.get(row.doc, -1) for row in ranking]
    n = sum(grade > 0 for grade in judged.values())
    hits = [rank for rank, grade in enumerate(grades, 1) if grade > 0]

    def average_precision(cutoff: float) -> float:
        return sum(ith / rank for ith, rank in enumerate(hits, 1) if rank <= cutoff) / n

    def ndcg(cutoff: float) -> float:
        gain = sum(g / math.log2(rank + 1) for rank, g in enumerate(grades, 1) if g > 0 and rank <= cutoff)
        best = sorted((g for g in judged.values() if g > 0), reverse=True)
        return gain / sum(g / math.log2(rank + 1) for rank, g in enumerate(best, 1) if rank <= cutoff)

    def within(cutoff: float) -> int:
        return sum(rank <= cutoff for rank in hits)

    top = grades[:3]
    return {
        "RR": 1 / hits[0] if hits else 0.0,
        "AP": average_precision(math.inf),
        "AP@3": average_precision(3),
        "P@3": within(3) / 3,
        "R@2": within(2) / n,
        "R": within(math.inf) / n,
        "nDCG": ndcg(math.inf),
        "nDCG@3": ndcg(3),
        "Success@2": float(within(2) > 0),
        "Judged@3": sum(grade >= 0 for grade in top) / len(top) if top else 0.0,
        "NumRet": float(len(ranking)),
    }


def evaluate_plainly(qrels: Rows, run: Rows, reading: Reading) -> dict[str, Any]:
    """Ranks, scores and counts; raises `RefusedError`."""
    judged = plain_qrels(qrels, reading)
    ran = plain_run(run, reading)
    if not {*judged} & {*ran.ranking}:
        raise RefusedError("no topic in common")
    ties = {
        (topic, row.number)
        for topic, rows in ran.ranking.items()
        for row in rows
        if (topic, row.number) in ran.tied and judged.get(topic, {}).get(row.doc, -1) >= 0
    }
    ranks = {
        topic: {doc: [rank for rank, row in enumerate(ran.ranking.get(topic, []), 1) if row.doc == doc] for doc in own}
        for topic, own in judged.items()
    }
    scores = {
        topic: plain_scores(own, ran.ranking.get(topic, []))
        for topic, own in judged.items()
        if any(grade > 0 for grade in own.values())
    }
    counts = {**ran.counts, "ties": len(ties), "topics_unjudged": len({*ran.ranking} - {*judged})}
    return {
        "ranks": ranks,
        "scores": scores,
        "counts": {name: count for name, count in counts.items() if count},
        "qrels_counts": {
            name: qrels.counts.get(name, 0) for name in ("duplicates", "malformed") if qrels.counts.get(name)
        },
    }
