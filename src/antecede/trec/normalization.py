"""Any TREC text → the same rows in the form that the fast readers take: single spaces, no comments, no empty lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.trec.layout import Layout
    from antecede.trec.texts import Bytes

BLOCK = 1 << 21
"""How many bytes are worked on at a time: few enough for the cache, enough for threads to seldom meet."""
NEWLINE, SPACE = b"\n "
BLANKS = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Blanks that are not spaces. A carriage return ends a line; CRLF leaves an empty line, which does not count."""
COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)


class NormalText(NamedTuple):
    """The rows of a TREC file, one space between columns, each line ended by a newline."""

    text: bytes
    comments: int
    """How many comment lines were left out."""
    wide: int
    """How many lines had more columns than the layout, which were left out."""


def normalize(data: bytes, layout: Layout) -> NormalText:
    """Reduce blanks to single spaces; leave out comments, empty lines and, where the layout allows, surplus columns."""
    if any(blank in data for blank in (b"\r", b"\t", b"\v", b"\f")):
        data = data.translate(BLANKS)
    if not data.endswith(b"\n"):
        data += b"\n"
    may_comment = b"#" in data
    parts: list[bytes] = []
    comments = wide = 0
    for begin, end in blocks(data):
        text = single_blanks(np.frombuffer(data, np.uint8, end - begin, begin))
        if may_comment:
            without, found = COMMENT.subn(b"", text.tobytes())
            text, comments = np.frombuffer(without, np.uint8), comments + found
        if layout.wider:
            text, cut = cut_columns(text, len(layout.fields))
            wide += cut
        parts.append(text.tobytes())
    return NormalText(b"".join(parts), comments, wide)


def single_blanks(text: Bytes) -> Bytes:
    """Whole lines with one space between columns, and without empty lines.

    A pass leaves at most one blank too many of each run of blanks, so there are three at most.
    """
    while len(text):
        space, newline = text == SPACE, text == NEWLINE
        after_newline = np.concatenate(([True], newline[:-1]))
        surplus = newline & after_newline
        after_newline[1:] |= space[:-1]
        after_newline[:-1] |= newline[1:]
        surplus |= space & after_newline
        if not surplus.any():
            break
        text = text[~surplus]
    return text


def cut_columns(text: Bytes, count: int) -> tuple[Bytes, int]:
    """Whole lines with single blanks, without the columns after the first `count`; and how many lines had any."""
    newline = text == NEWLINE
    blank = newline | (text == SPACE)
    if np.count_nonzero(blank) <= count * np.count_nonzero(newline):
        # No line is wider; or one is too short, so that the file is read line by line and this text is not used.
        return text, 0
    blanks = np.flatnonzero(blank)
    ends = np.flatnonzero(newline[blanks])
    before = np.concatenate(([-1], ends[:-1]))
    longer = np.flatnonzero(ends - before > count)
    edges = np.zeros(len(text), np.int8)
    edges[blanks[before[longer] + count]] = 1
    edges[blanks[ends[longer]]] = -1
    return text[np.cumsum(edges, dtype=np.int8) == 0], len(longer)


def blocks(data: bytes, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Stretches of whole lines."""
    begin = 0
    while begin < len(data):
        end = begin + size
        if end < len(data):
            end = data.rfind(b"\n", begin, end) + 1 or data.find(b"\n", end) + 1 or len(data)
        end = min(end, len(data))
        yield begin, end
        begin = end


class Line(NamedTuple):
    number: int
    text: bytes
    columns: list[bytes]


def data_lines(data: bytes) -> Iterator[Line]:
    """The lines that count: neither empty nor comments."""
    for number, text in enumerate(data.splitlines(), 1):
        columns = text.split()
        if columns and not columns[0].startswith(b"#"):
            yield Line(number, text, columns)


def nth_data_line(data: bytes, row: int) -> int | None:
    return next((line.number for at, line in enumerate(data_lines(data)) if at == row), None)
