"""TREC files → rows: at once where all lines are alike, else line by line, which gives the reason for each that is not.

polars parses clean text: one space or tab between columns, the same number of columns on each line, no comments. Runs
of blanks, CRLF, comments and empty lines are removed first where there are any. What is not clean even then goes
through the careful reader, which would give the same rows of clean text too, in about ten times the time.

The fastest of what was tried, on the 48 gzipped runs of TREC-8, 2.3 million lines: loading polars takes 0.2 s and
reading a line 0.25 µs; a loop compiled by numba takes 0.13 µs, but loading it 0.7 s.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from antecede.errors import MalformedInputError, printable, spell
from antecede.trec.content import UTF8_MARK, to_utf8
from antecede.trec.layout import QRELS, RUN
from antecede.trec.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.trec.layout import FileLayout
    from antecede.trec.reader import Malformed


def read_text(data: bytes, source: str, layout: FileLayout, malformed: Malformed) -> Rows:
    """The rows of a TREC file; a line that cannot be read is refused, or left out and counted."""
    return scan_text(data, layout) or read_lines(to_utf8(data), source, layout, malformed)


MAX_SURPLUS = 20
"""Surplus columns that clean text may have."""
BLANKS = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Blanks other than the space, and the carriage return, which ends a line."""
COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)


def scan_text(data: bytes, layout: FileLayout) -> Rows | None:
    """The rows of a file whose lines are all alike, normalized first if need be; None if one is not."""
    if (rows := scan_clean(data, layout)) is not None:
        return rows
    text, comments = normalize(to_utf8(data))
    rows = scan_clean(text, layout, pl.String)  # a rank column that is not all numbers is read as texts
    if rows is None:
        return None
    return rows._replace(line_of=partial(_find_line_number, data), odd={**rows.odd, "comments": comments})


def scan_clean(data: bytes, layout: FileLayout, ranks: type[pl.DataType] = pl.Float64) -> Rows | None:
    """The rows of clean text, or None."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    separator, other_blanks = (b"\t", b" \v\f\r") if b"\t" in first else (b" ", b"\t\v\f\r")
    width = first.count(separator) + 1
    clean = layout.allows_width(width) and width <= len(layout.fields) + MAX_SURPLUS
    # polars would drop a byte-order mark, which is refused when it is seen in a topic.
    if not clean or data.startswith(UTF8_MARK) or any(blank in data for blank in other_blanks):
        return None
    types = {"rank": ranks, layout.value: pl.Int64 if layout.whole else pl.Float64}
    names = [*layout.fields, *map(str, range(MAX_SURPLUS))][:width]
    schema = {name: types.get(name, pl.String) for name in names}
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator.decode(), quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, OSError):  # the second where text begins as a compressed stream does, as x^
        return None
    # A column that is missing or empty is null; NaN is larger than any limit.
    if any(frame.null_count().row(0)) or not (frame[layout.value].abs() < layout.limit).all():
        return None
    odd = {"wide": len(frame)} if width > len(layout.fields) else {}
    rows = Rows.from_frame(frame, layout.value, partial(_find_line_number, data), odd)
    return None if any(topic.startswith("#") for topic in rows.topics.names) else rows


def normalize(data: bytes) -> tuple[bytes, int]:
    """Lines with one space between columns, without empty lines and comments; and the number of comments."""
    text = data.replace(b"\r\n", b"\n").translate(BLANKS)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    return COMMENT.subn(b"", text.strip(b" \n") + b"\n")


class Line(NamedTuple):
    """A line that counts, as in trec_eval 10: it is neither empty nor begins with `#`, after any blanks of ASCII."""

    number: int
    text: bytes
    columns: list[bytes]


def _list_lines(data: bytes) -> Iterator[Line]:
    for number, text in enumerate(data.splitlines(), 1):
        columns = text.split()
        if columns and not columns[0].startswith(b"#"):
            yield Line(number, text, columns)


def _find_line_number(data: bytes, row: int) -> int | None:
    """The number of the line that holds a row."""
    return next((line.number for at, line in enumerate(_list_lines(data)) if at == row), None)


def read_lines(data: bytes, source: str, layout: FileLayout, malformed: Malformed) -> Rows:
    """The rows of a TREC file in UTF-8, line by line."""
    columns: dict[str, list[str | float]] = {name: [] for name in layout.fields[: layout.fewest]}
    line_numbers: list[int] = []
    odd = {"malformed": 0, "bad_scores": 0, "wide": 0}
    for line in _list_lines(data):
        problem = _check_width(line, layout)
        bad_number = None if problem else _check_number(line, layout)
        if (problem or bad_number) and malformed == "error":
            raise _malformed_line(problem or bad_number or "", line, source, layout, first=not line_numbers)
        if problem or bad_number:
            odd["malformed"] += 1
            odd["bad_scores"] += bool(bad_number)
            continue
        odd["wide"] += len(line.columns) > len(layout.fields)
        for (name, texts), text in zip(columns.items(), line.columns, strict=False):
            texts.append(float(text) if name == layout.value else text.decode())
        line_numbers.append(line.number)
    if not line_numbers:
        raise MalformedInputError(
            f"no line can be read as {layout.noun}", source=source, remedy=f"its lines should be: {layout.line_format}"
        )
    odd["comments"] = data.count(b"#") and sum(text.lstrip().startswith(b"#") for text in data.splitlines())
    frame = pl.DataFrame(columns)
    if layout.whole:
        frame = frame.cast({layout.value: pl.Int64})
    return Rows.from_frame(frame, layout.value, line_numbers.__getitem__, odd)


def _check_width(line: Line, layout: FileLayout) -> str | None:
    width = len(line.columns)
    if layout.allows_width(width):
        return None
    return f"{width} column{'s' * (width != 1)} where {layout.noun} has {layout.fewest} ({layout.line_format})"


def _check_number(line: Line, layout: FileLayout) -> str | None:
    text = line.columns[layout.fields.index(layout.value)]
    if layout.number.fullmatch(text) and abs(float(text)) < layout.limit:
        return None
    return f"{layout.value} {_excerpt(text)!r} is not {layout.number_is}"


def _excerpt(text: bytes) -> str:
    """The beginning of a text, to be shown in a message; lines may be millions of bytes long."""
    return printable(text[:1000].decode("utf-8", "replace"))


def _malformed_line(problem: str, line: Line, source: str, layout: FileLayout, *, first: bool) -> MalformedInputError:
    """The error for one line; for the first one of a file, with a guess at what the file really is."""
    text = _excerpt(line.text.strip())
    remedy = f"correct it, or pass {spell('malformed', 'skip')}: «{text}»"
    other = QRELS if layout is RUN else RUN
    could_be_other = not _check_width(line, other) and not _check_number(line, other)
    if first and could_be_other and len(line.columns) != 5:  # with five it could be either
        remedy = f"it looks like {other.noun}: give the qrels first, then the runs: «{text}»"
    return MalformedInputError(problem, source=source, line=line.number, remedy=remedy)
