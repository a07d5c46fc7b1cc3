"""Bytes of a TREC file that cannot be scanned → columns. Three ways with one result, the fastest that fits is taken:

1. *clean*: single separators, the right number of columns on each line: one pass of a parallel CSV reader;
2. *normalized*: runs of blanks, tabs, CRLF, comments, empty lines and surplus columns are removed first;
3. *line by line*: whatever is left, with the line number and the reason for each line that cannot be read.

What counts as a line, a comment and a separator is as in trec_eval 10: columns are parted by any white space,
empty lines do not count, a line whose first sign is `#` is a comment.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from antecede.errors import InputError, MalformedInputError, shown
from antecede.trec.content import UTF8_MARK
from antecede.trec.layout import QRELS, RUN, Layout
from antecede.trec.normalization import data_lines, normalize, nth_data_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.trec.content import Content
    from antecede.trec.normalization import Line
    from antecede.trec.policies import Malformed


@dataclass(frozen=True)
class Columns:
    """The columns that matter, in the order of the file, and what was odd on the way."""

    frame: pl.DataFrame
    line_of: Callable[[int], int | None]
    """The line of the file that a row of the frame stands on."""
    odd: dict[str, int] = field(default_factory=dict)
    """Counts of `malformed` lines left out, of `bad_scores` among them, `comments`, and `wide` lines."""


def read_columns(content: Content, layout: Layout, malformed: Malformed, wanted: tuple[str, ...]) -> Columns:
    """The columns `wanted` of a TREC file."""
    frame = clean(content.data, layout, wanted)
    if frame is not None:
        return Columns(frame, lambda row: row + 1)
    data = as_utf8(content.data)
    text, comments, wide = normalize(data, layout)
    frame = clean(text, layout, wanted)
    if frame is not None:
        return Columns(frame, lambda row: nth_data_line(data, row), {"comments": comments, "wide": wide})
    return by_line(data, content.source, layout, malformed, wanted)


def clean(data: bytes, layout: Layout, wanted: tuple[str, ...]) -> pl.DataFrame | None:
    """The columns of a clean file, or None if anything in it is not clean.

    The CSV reader is fast because it reads only the columns asked for, and so does not see what is wrong with the
    others. `blanks` sees it: if each line reaches its last column, no two blanks touch, and there are just as many
    blanks as lines × columns, then every line has exactly its columns.
    """
    separator, width = shape_of(data, layout)
    if not width:
        return None
    fields = layout.fields[:width]
    # The last column is always read: it is null where a line does not reach it.
    columns = dict.fromkeys([*wanted, fields[-1]])
    try:
        frame = (
            pl.scan_csv(
                data,
                separator=separator,
                has_header=False,
                quote_char=None,
                schema={name: number_type(layout) if name == layout.value else pl.String for name in fields},
            )
            .select(*columns)
            .collect()
        )
    except (pl.exceptions.PolarsError, OSError):  # the reader takes a file that begins with x^ for a packed one
        return None
    missing = sum(frame.null_count().row(0))
    if missing or blanks(data) != frame.height * width or not within(frame[layout.value].to_numpy(), layout.limit):
        return None
    return frame.select(*wanted)


def number_type(layout: Layout) -> type[pl.DataType]:
    return pl.Int64 if layout.whole else pl.Float64


def shape_of(data: bytes, layout: Layout) -> tuple[str, int]:
    """The separator and the number of columns of the first line; 0 columns where the file cannot be clean."""
    first = data[: data.find(b"\n") + 1 or len(data)].rstrip(b"\n")
    separator = "\t" if b"\t" in first else " "
    width = first.count(separator.encode()) + 1
    comments = first.startswith(b"#") or (b"#" in data and b"\n#" in data)
    # The CSV reader would leave out a byte-order mark, wherever normalization brought it from.
    ok = layout.fewest <= width <= len(layout.fields) and not comments and not first.startswith(UTF8_MARK)
    return separator, width if ok else 0


def within(values: NDArray[np.float64], limit: float) -> bool:
    """Whether all numbers lie between −limit and limit; NaN does not."""
    return bool(values.min() > -limit and values.max() < limit)


CHUNK = 1 << 18


def blanks(data: bytes) -> int:
    """How many bytes are blanks or control signs, a last newline always counted; −1 where two touch or one leads."""
    signs = np.frombuffer(data, np.uint8)
    count, before = 0, True
    for begin in range(0, len(signs), CHUNK):  # in pieces that stay in the cache
        blank = signs[begin : begin + CHUNK] <= 32
        if (before and blank[0]) or (blank[1:] & blank[:-1]).any():
            return -1
        count += int(np.count_nonzero(blank))
        before = bool(blank[-1])
    return count + (not data.endswith(b"\n"))


def as_latin1(error: UnicodeError) -> tuple[str, int]:
    """The signs that bytes stand for in Latin-1 where they are not UTF-8."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("antecede.latin1", as_latin1)


def as_utf8(data: bytes) -> bytes:
    """`data` with whatever is not UTF-8 read as Latin-1: equal ids stay equal, whatever else is in their files."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "antecede.latin1").encode()
    return data


def by_line(data: bytes, source: str, layout: Layout, malformed: Malformed, wanted: tuple[str, ...]) -> Columns:
    """Read line by line: slow, and right about every line."""
    at = [layout.fields.index(name) for name in wanted]
    rows: list[tuple[str | float, ...]] = []
    numbers: list[int] = []
    odd = {"malformed": 0, "bad_scores": 0, "wide": 0}
    for line in data_lines(data):
        problem = columns_problem(line, layout) or number_problem(line, layout)
        if problem and malformed == "error":
            raise malformed_line(problem, line, source, layout)
        if problem:
            odd["malformed"] += 1
            odd["bad_scores"] += columns_problem(line, layout) is None
            continue
        odd["wide"] += len(line.columns) > len(layout.fields)
        rows.append(tuple(line.columns[c].decode() for c in at))
        numbers.append(line.number)
    if not rows:
        raise MalformedInputError(
            f"no line can be read as {layout.called}", source=source, remedy=f"its lines should be: {layout.written}"
        )
    odd["comments"] = data.count(b"#") and sum(text.lstrip().startswith(b"#") for text in data.splitlines())
    frame = pl.DataFrame(rows, schema=dict.fromkeys(wanted, pl.String), orient="row")
    frame = frame.with_columns(
        pl.Series(layout.value, [float(v) for v in frame[layout.value]]).cast(number_type(layout))
    )
    return Columns(frame, numbers.__getitem__, odd)


def columns_problem(line: Line, layout: Layout) -> str | None:
    """What is wrong with the number of columns of a line."""
    width = len(line.columns)
    if width < layout.fewest or (width > len(layout.fields) and not layout.wider):
        return f"{width} column{'s' * (width != 1)} where {layout.called} has {layout.fewest} ({layout.written})"
    return None


def number_problem(line: Line, layout: Layout) -> str | None:
    """What is wrong with the number of a line."""
    text = line.columns[layout.fields.index(layout.value)]
    if layout.number.fullmatch(text) and abs(float(text)) < layout.limit:
        return None
    return f"{layout.value} {readable(text)!r} is not {layout.number_is}"


def readable(text: bytes) -> str:
    """The beginning of a text, to be shown in a message; lines may be millions of bytes long."""
    return shown(text[:1000].decode("utf-8", "replace"))


def malformed_line(problem: str, line: Line, source: str, layout: Layout) -> InputError:
    """The error for one line, with a guess at what the file really is."""
    text = readable(line.text.strip())
    remedy = f"correct it, or pass --malformed skip: «{text}»"
    for other in (RUN, QRELS):
        if other is not layout and not columns_problem(line, other) and not number_problem(line, other):
            if len(line.columns) == 5:  # could be either, so say no more than is known
                break
            remedy = f"it looks like {other.called}: give the qrels first, then the runs: «{text}»"
    return MalformedInputError(problem, source=source, line=line.number, remedy=remedy)
