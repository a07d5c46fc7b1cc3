"""TREC files line by line: slow, able to read every file, and with the reason for each line that cannot be read.

What counts as a line, a comment and a separator is as in trec_eval 10: columns are separated by any white space of
ASCII, empty lines do not count, and a line whose first character is `#` is a comment.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import MalformedInputError, shown
from antecede.trec.layout import QRELS, RUN, Layout
from antecede.trec.rows import Rows, Topics
from antecede.trec.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.trec.policies import Malformed


class Line(NamedTuple):
    """A line that counts."""

    number: int
    text: bytes
    columns: list[bytes]


def data_lines(data: bytes) -> Iterator[Line]:
    """The lines that count: neither empty nor comments."""
    for number, text in enumerate(data.splitlines(), 1):
        columns = text.split()
        if columns and not columns[0].startswith(b"#"):
            yield Line(number, text, columns)


def find_line_number(data: bytes, row: int) -> int | None:
    """The number of the line that holds a row."""
    return next((line.number for at, line in enumerate(data_lines(data)) if at == row), None)


def decode_latin1(error: UnicodeError) -> tuple[str, int]:
    """The Latin-1 characters of bytes that are not UTF-8, as an error handler of `bytes.decode`."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("antecede.latin1", decode_latin1)


def to_utf8(data: bytes) -> bytes:
    """`data` with bytes that are not UTF-8 read as Latin-1. Equal ids stay equal, whatever else is in their files."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "antecede.latin1").encode()
    return data


def read_lines(data: bytes, source: str, layout: Layout, malformed: Malformed) -> Rows:
    """The rows of a TREC file in UTF-8; a line that cannot be read is refused, or left out and counted."""
    topic_at, doc_at, value_at = (layout.fields.index(name) for name in ("topic_id", "doc_id", layout.value))
    topics, docs, values, ranks = list[str](), list[str](), list[float](), list[float]()
    line_numbers: list[int] = []
    odd = {"malformed": 0, "bad_scores": 0, "wide": 0}
    rank_at = layout.fields.index("rank") if "rank" in layout.fields else None
    for line in data_lines(data):
        problem = check_columns(line, layout) or check_number(line, layout)
        if problem and malformed == "error":
            raise malformed_line(problem, line, source, layout)
        if problem:
            odd["malformed"] += 1
            odd["bad_scores"] += check_columns(line, layout) is None
            continue
        odd["wide"] += len(line.columns) > len(layout.fields)
        topics.append(line.columns[topic_at].decode())
        docs.append(line.columns[doc_at].decode())
        values.append(float(line.columns[value_at]))
        if rank_at is not None:
            ranks.append(parse_rank(line.columns[rank_at]))
        line_numbers.append(line.number)
    if not topics:
        raise MalformedInputError(
            f"no line can be read as {layout.noun}", source=source, remedy=f"its lines should be: {layout.line_format}"
        )
    odd["comments"] = data.count(b"#") and sum(text.lstrip().startswith(b"#") for text in data.splitlines())
    return Rows(
        Topics.from_stretches(topics, np.arange(len(topics)), len(topics)),
        Texts.from_list(docs),
        np.array(values, np.int64 if layout.whole else np.float64),
        line_numbers.__getitem__,
        odd,
        np.array(ranks) if rank_at is not None else None,
    )


def parse_rank(text: bytes) -> float:
    """A rank; NaN where it is not a number."""
    return float(text) if RUN.number.fullmatch(text) else float("nan")


def check_columns(line: Line, layout: Layout) -> str | None:
    """What is wrong with the number of columns of a line, if anything."""
    width = len(line.columns)
    if width < layout.fewest or (width > len(layout.fields) and not layout.wider):
        return f"{width} column{'s' * (width != 1)} where {layout.noun} has {layout.fewest} ({layout.line_format})"
    return None


def check_number(line: Line, layout: Layout) -> str | None:
    """What is wrong with the number on a line, if anything."""
    text = line.columns[layout.fields.index(layout.value)]
    if layout.number.fullmatch(text) and abs(float(text)) < layout.limit:
        return None
    return f"{layout.value} {excerpt(text)!r} is not {layout.number_is}"


def excerpt(text: bytes) -> str:
    """The beginning of a text, to be shown in a message; lines may be millions of bytes long."""
    return shown(text[:1000].decode("utf-8", "replace"))


def malformed_line(problem: str, line: Line, source: str, layout: Layout) -> MalformedInputError:
    """The error for one line, with a guess at what the file really is."""
    text = excerpt(line.text.strip())
    remedy = f"correct it, or pass --malformed skip: «{text}»"
    for other in (RUN, QRELS):
        if other is not layout and not check_columns(line, other) and not check_number(line, other):
            if len(line.columns) == 5:  # could be either, so say no more than is known
                break
            remedy = f"it looks like {other.noun}: give the qrels first, then the runs: «{text}»"
    return MalformedInputError(problem, source=source, line=line.number, remedy=remedy)
