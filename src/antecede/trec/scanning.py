"""The bytes of a clean TREC file → its rows, with arrays over bytes and none of the texts spelt out.

Clean means: ASCII, one space or tab between columns, the same number of columns on each line, no comments. A file that
is not clean is scanned once `normalization` has made it so. Whatever is still not clean, or not worth it, is left to
`columns`, which reads any file; what is read here is what `columns` would read.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.trec.decimals import MOST, decimals
from antecede.trec.normalization import BLOCK, blocks
from antecede.trec.ordering import topics_from
from antecede.trec.rows import Rows
from antecede.trec.texts import WINDOW, Texts, beginnings, hashes, words_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.layout import Layout
    from antecede.trec.texts import Bytes, Lengths, Places

MARGIN = 64
"""How many bytes stand around the text of a block, so that nothing outside is read."""
FILLER = b"x" * MARGIN
NEWLINE, TAB, SPACE = b"\n\t "
ASCII = 127
MOST_SURPLUS = 8
"""How many columns more than its layout a file may have that is scanned."""
MANY_TOPICS, FEW = 1 << 14, 16
"""What is looked at one by one must not be much: topics of a block, and one in so many of its numbers."""


def scan(data: bytes, layout: Layout) -> Rows | None:
    """The rows of a clean file, or None."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    width = first.count(SPACE) + first.count(TAB) + 1
    if not layout.fewest <= width <= len(layout.fields) + layout.wider * MOST_SURPLUS:
        return None
    parts: list[Part] = []
    for begin, end in blocks(data, BLOCK):
        buffer = framed(data, begin, end, tabs=TAB in first)
        lines = split(buffer, width)
        part = None if lines is None else read(buffer, lines, layout)
        if part is None:
            return None
        parts.append(part._replace(doc_begins=part.doc_begins + (begin - MARGIN)))
    before = np.cumsum([0, *(len(part.numbers) for part in parts)])
    starts = np.concatenate([part.starts + rows for part, rows in zip(parts, before[:-1], strict=True)])
    topics = topics_from([name for part in parts for name in part.names], starts, int(before[-1]))
    begins, lengths, hashed, numbers = (np.concatenate(each) for each in list(zip(*parts, strict=True))[2:])
    docs = Texts(data, begins, lengths, hashed=hashed)
    odd = {"wide": len(numbers)} if width > len(layout.fields) else {}
    return Rows(topics, docs, numbers.astype(np.int64) if layout.whole else numbers, lambda row: row + 1, odd)


def framed(data: bytes, begin: int, end: int, *, tabs: bool) -> Bytes:
    """Some lines with a margin on both sides: from the file, or a copy with a last newline, and spaces for tabs."""
    if not tabs and begin >= MARGIN and end + MARGIN <= len(data):
        return np.frombuffer(data, np.uint8, end - begin + 2 * MARGIN, begin - MARGIN)
    lines = data[begin:end].removesuffix(b"\n") + b"\n"
    buffer = np.frombuffer(bytearray().join((FILLER, lines, FILLER)), np.uint8)
    if tabs:
        buffer += (buffer == TAB).view(np.uint8) * np.uint8(SPACE - TAB)
    return buffer


class Lines(NamedTuple):
    """Where lines begin, and how far behind that the next column begins, or the next line."""

    begins: Places
    nexts: list[Lengths]

    def column(self, at: int) -> tuple[Places, Lengths]:
        """Where a column begins, and its length."""
        if at == 0:
            return self.begins, self.nexts[0] - 1
        return self.begins + self.nexts[at - 1], self.nexts[at] - self.nexts[at - 1] - 1


def split(buffer: Bytes, width: int) -> Lines | None:
    """Find the columns of each line, and prove that there are `width`; None where that is not so.

    The proof, for six columns: all is ASCII, the only control signs are n newlines, and with 5n spaces these are all
    blanks. Each line holds five spaces in front of its newline, none of them first, last or beside another. So that is
    where they all are, and no column is empty.
    """
    text = buffer[MARGIN:-MARGIN]
    newlines = np.flatnonzero(text < SPACE)
    count = len(newlines)
    if not count or (text.take(newlines) != NEWLINE).any() or text.max() > ASCII:
        return None
    blank = buffer <= SPACE
    blank[:MARGIN] = blank[-MARGIN:] = False
    bits = np.packbits(blank, bitorder="little")
    if ones(bits) != width * count:
        return None
    begins = np.empty(count, np.int64)
    begins[0] = 0
    np.add(newlines[:-1], 1, out=begins[1:])
    newlines += 1
    newlines -= begins
    begins += MARGIN
    nexts = behind_blanks(bits, begins, width - 1)
    if nexts is None:
        return None
    nexts.append(newlines)
    no_empty = nexts[0].min() > 1 and all((after - before > 1).all() for before, after in pairwise(nexts))
    return Lines(begins, nexts) if no_empty else None


def ones(bits: Bytes) -> int:
    """How many bits are set; those of the last seven bytes, which are in the margin, are not."""
    words = bits[: len(bits) // 8 * 8].view(np.uint64)
    return int(np.bitwise_count(words).sum(dtype=np.int64))


UNSEEN, ONE = 64, np.uint64(1)


def behind_blanks(bits: Bytes, begins: Places, count: int) -> list[Lengths] | None:
    """How far from `begins` it is to behind each of the first `count` blanks; None where two are too far apart."""
    found = blanks_in_sight(bits, begins, count)
    if found[-1].max() < UNSEEN:
        return found
    found, at = [], begins
    for _ in range(count):
        (further,) = blanks_in_sight(bits, at, 1)
        if further.max() == UNSEEN:
            return None
        at = at + further
        found.append(at - begins)
    return found


def blanks_in_sight(bits: Bytes, begins: Places, count: int) -> list[Lengths]:
    """The same as far as can be seen at once; 64 where it is further.

    A bit of `bits` tells of each byte whether it is blank. A word of them shows the next 57 bytes or more.
    """
    word = words_at(bits, begins >> 3)
    word >>= (begins & 7).view(np.uint64)
    found: list[Lengths] = []
    for _ in range(count):
        without_lowest = word - ONE
        found.append(np.bitwise_count(word ^ without_lowest))  # the lowest bit and all below it
        word &= without_lowest
    return found


class Part(NamedTuple):
    """The rows of one block."""

    names: list[str]
    """Topics, in the order of the lines; one whose lines do not stand together comes more than once."""
    starts: NDArray[np.int64]
    """The row at which each of them begins."""
    doc_begins: Places
    doc_lengths: Lengths
    doc_hashes: NDArray[np.uint64]
    numbers: NDArray[np.float64]


def read(buffer: Bytes, lines: Lines, layout: Layout) -> Part | None:
    """The rows of a block; None where a number is not as it should be, or too much is to be looked at one by one."""
    begins, lengths = lines.column(layout.fields.index("topic_id"))
    starts = changes(buffer, begins, lengths)
    if len(starts) > MANY_TOPICS:
        return None
    names = texts_at(buffer, begins[starts], lengths[starts])
    numbers = numbers_of(buffer, *lines.column(layout.fields.index(layout.value)), layout)
    if numbers is None or any(name.startswith(b"#") for name in names):  # a line that begins so is a comment
        return None
    docs = lines.column(layout.fields.index("doc_id"))
    return Part([name.decode() for name in names], starts, *docs, hashes(buffer, *docs), numbers)


def texts_at(buffer: Bytes, begins: Places, lengths: Lengths) -> list[bytes]:
    ends = (begins + lengths).tolist()
    return [buffer[begin:end].tobytes() for begin, end in zip(begins.tolist(), ends, strict=True)]


def changes(buffer: Bytes, begins: Places, lengths: Lengths) -> NDArray[np.int64]:
    """The rows whose text is not that of the row before, the first of all among them."""
    new = np.zeros(len(begins), bool)
    new[0] = True
    for seen in range(0, int(lengths.max()), WINDOW):
        rest = (begins + seen, np.maximum(lengths, seen) - seen) if seen else (begins, lengths)
        for word in beginnings(buffer, *rest):
            new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(new)


def numbers_of(buffer: Bytes, begins: Places, lengths: Lengths, layout: Layout) -> NDArray[np.float64] | None:
    """The numbers; the few that are not plain decimals are read one by one."""
    numbers, unread = decimals(buffer, begins, lengths, dots=not layout.whole)
    if len(unread) > max(FEW, len(numbers) / FEW):
        return None
    texts = texts_at(buffer, begins[unread], lengths[unread])
    if not all(map(layout.number.fullmatch, texts)):
        return None
    numbers[unread] = [float(text) for text in texts]
    doubtful = numbers[unread] if layout.limit > MOST else numbers
    return None if (np.abs(doubtful) >= layout.limit).any() else numbers
