"""The fast reader: the bytes of a TREC file → its rows, by operations on whole arrays; only topics are decoded.

The scanner reads clean text: UTF-8, one space or tab between columns, the same number of columns on each line, no
comments. Runs of blanks, CRLF, comments and empty lines are removed first where there are any. What is not clean even
then is left to the careful reader, which reports the line and the reason; the scanner gives the rows that the careful
reader would give.

Arrays rather than a compiled loop, as evaluating takes a second or less for most users: loading numba and its first
kernel takes 0.7 s, the time in which this scanner reads about two million lines of real runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.trec.content import find_line_number, to_utf8
from antecede.trec.rows import WINDOW, Rows, Texts, Topics, hash_texts, load_masked_windows, load_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.trec.reader import Layout
    from antecede.trec.rows import Bytes, Places, Words

BLOCK = 1 << 20
"""Bytes processed at a time: few enough for the cache, enough for threads to seldom wait for each other."""
MARGIN = 64
"""Bytes around the text of a block, so that no read goes beyond the buffer."""
FILLER = b"x" * MARGIN
NEWLINE, TAB, SPACE, DOT, MINUS = b"\n\t .-"
MOST_SURPLUS = 20
"""Surplus columns that clean text may have."""
LONGEST_TOPIC = 1 << 12
"""Longer topics are read line by line."""


def scan_text(data: bytes, layout: Layout) -> Rows | None:
    """The rows of a TREC file, normalized first if need be; None if it has to be read line by line."""
    rows = scan_clean(data, layout)
    if rows is not None:
        return rows
    text, comments = normalize(to_utf8(data))
    rows = scan_clean(text, layout) if text else None
    if rows is None:
        return None
    return rows._replace(line_of=lambda row: find_line_number(data, row), odd={**rows.odd, "comments": comments})


def scan_clean(data: bytes, layout: Layout) -> Rows | None:
    """The rows of clean text, or None."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    width = first.count(SPACE) + first.count(TAB) + 1
    if not layout.fewest <= width <= len(layout.fields) + layout.wider * MOST_SURPLUS or to_utf8(data) is not data:
        return None
    blocks: list[_Block] = []
    for begin, end in _split_blocks(data):
        block = _read_block(_add_margins(data, begin, end), width, layout)
        if block is None:
            return None
        blocks.append(block._replace(doc_begins=block.doc_begins + (begin - MARGIN)))
    before = np.cumsum([0, *(len(block.numbers) for block in blocks)])
    starts = np.concatenate([block.starts + rows for block, rows in zip(blocks, before[:-1], strict=True)])
    topics = Topics.from_stretches([name for block in blocks for name in block.names], starts, int(before[-1]))
    arrays = list(zip(*blocks, strict=True))[2:]
    begins, lengths, hashes, numbers, ranks = (np.concatenate(arrays_of_blocks) for arrays_of_blocks in arrays)
    return Rows(
        topics,
        Texts(data, begins, lengths, hashes=hashes),
        numbers.astype(np.int64) if layout.whole else numbers,
        lambda row: row + 1,
        {"wide": len(numbers)} if width > len(layout.fields) else {},
        ranks if "rank" in layout.fields else None,
    )


def _split_blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Where stretches of whole lines begin and end, each of about `BLOCK` bytes."""
    begin = 0
    while begin < len(data):
        end = begin + BLOCK
        if end < len(data):
            end = data.rfind(b"\n", begin, end) + 1 or data.find(b"\n", end) + 1 or len(data)
        end = min(end, len(data))
        yield begin, end
        begin = end


def _add_margins(data: bytes, begin: int, end: int) -> Bytes:
    """Lines with a margin on both sides: from the file, or a copy with a last newline."""
    if begin >= MARGIN and end + MARGIN <= len(data):
        return np.frombuffer(data, np.uint8, end - begin + 2 * MARGIN, begin - MARGIN)
    lines = memoryview(data)[begin : end - 1 if data[end - 1] == NEWLINE else end]  # copied only once
    return np.frombuffer(b"".join((FILLER, lines, b"\n", FILLER)), np.uint8)


class _Columns(NamedTuple):
    """Where each column of each line begins, and its length: int64[lines, columns]."""

    begins: Places
    lengths: Places

    def of(self, at: int) -> tuple[Places, Places]:
        """One column, copied: what is kept of a block must not keep all of its columns."""
        return self.begins[:, at].copy(), self.lengths[:, at].copy()


def _find_columns(buffer: Bytes, width: int) -> _Columns | None:
    """Find the columns of each line; None unless each has `width`, with one space or tab between them.

    No other byte may be blank or a control character: every `width`-th blank is a newline and all others are spaces or
    tabs, none of them first on a line or next to another.
    """
    ends = np.flatnonzero(buffer[MARGIN:-MARGIN] <= SPACE)
    if not len(ends) or len(ends) % width:
        return None
    ends += MARGIN
    blanks = buffer[ends]
    lines, separators = len(ends) // width, np.count_nonzero(blanks == SPACE) + np.count_nonzero(blanks == TAB)
    if (blanks[width - 1 :: width] != NEWLINE).any() or separators != lines * (width - 1):
        return None
    begins = np.empty_like(ends)
    begins[0] = MARGIN
    np.add(ends[:-1], 1, out=begins[1:])
    ends -= begins
    return _Columns(begins.reshape(-1, width), ends.reshape(-1, width)) if ends.min() > 0 else None


class _Block(NamedTuple):
    """The rows of one block of lines."""

    names: list[str]
    """The topic of each stretch of rows; a topic whose rows are not consecutive appears more than once."""
    starts: NDArray[np.int64]
    """The first row of each stretch."""
    doc_begins: Places
    doc_lengths: Places
    doc_hashes: Words
    numbers: NDArray[np.float64]
    ranks: NDArray[np.number[Any]]
    """Empty where there is no such column."""


def _read_block(buffer: Bytes, width: int, layout: Layout) -> _Block | None:
    """The rows of a block; None where it is not clean, a line is a comment or a number is not as it should be."""
    columns = _find_columns(buffer, width)
    if columns is None:
        return None
    begins, lengths = columns.of(layout.fields.index("topic_id"))
    if lengths.max() > LONGEST_TOPIC:
        return None
    starts = _find_changes(buffer, begins, lengths)
    places = zip(begins[starts].tolist(), lengths[starts].tolist(), strict=True)
    names = [buffer[begin : begin + length].tobytes() for begin, length in places]
    numbers = read_numbers(buffer, *columns.of(layout.fields.index(layout.value)), layout)
    if numbers is None or any(name.startswith(b"#") for name in names):  # a line that begins with # is a comment
        return None
    ranks: NDArray[np.number[Any]] = np.empty(0)
    if "rank" in layout.fields:
        ranks = _read_ranks(buffer, *columns.of(layout.fields.index("rank")), layout)
    docs = columns.of(layout.fields.index("doc_id"))
    return _Block([name.decode() for name in names], starts, *docs, hash_texts(buffer, *docs), numbers, ranks)


def _read_ranks(buffer: Bytes, begins: Places, lengths: Places, layout: Layout) -> NDArray[np.number[Any]]:
    """The ranks of a block, all NaN where one is not a number; those of up to eight digits are whole numbers."""
    if int(lengths.max()) <= 8:
        ranks, wrong = parse_digits(load_words(buffer, begins + lengths - 8), lengths)
        if not wrong.any():
            return ranks.view(np.int64)
    numbers = read_numbers(buffer, begins, lengths, layout)
    return np.full(len(begins), np.nan) if numbers is None else numbers


def _find_changes(buffer: Bytes, begins: Places, lengths: Places) -> NDArray[np.int64]:
    """The rows whose text differs from that of the row before, including the first row."""
    new = np.zeros(len(begins), bool)
    new[0] = True
    for offset in range(0, int(lengths.max()), WINDOW):
        left = np.maximum(lengths - offset, 0) if offset else lengths
        for word in load_masked_windows(buffer, np.where(left > 0, begins + offset, 0) if offset else begins, left):
            new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(new)


def read_numbers(buffer: Bytes, begins: Places, lengths: Places, layout: Layout) -> NDArray[np.float64] | None:
    """The numbers of a column, those that are not short plain decimals one by one; None where one is not a number."""
    numbers, unread = parse_decimals(buffer, begins, lengths, dots=not layout.whole)
    data = buffer.tobytes() if len(unread) else b""
    places = zip(begins[unread].tolist(), (begins + lengths)[unread].tolist(), strict=True)
    texts = [data[begin:end] for begin, end in places]
    if b"".join(texts).translate(None, layout.number_characters):
        return None
    try:
        numbers[unread] = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    doubtful = numbers[unread] if layout.limit > LARGEST_NUMBER else numbers
    return None if (np.abs(doubtful) >= layout.limit).any() else numbers


LONGEST = 16
"""Digits that are parsed. A number of at most 16 digits is a whole number M below 2^53 divided by 10^k, k ≤ 16. Floats
represent both exactly, and the division of two floats is rounded once, as `float` rounds (Clinger, PLDI 1990)."""
LARGEST_NUMBER = 2**53
"""The largest number that is parsed, its decimal point disregarded."""
FLOAT_POWERS = np.array([10.0**k for k in range(LONGEST + 1)])


def _repeat_byte(value: int) -> np.uint64:
    """A word of eight equal bytes."""
    return np.uint64(value * 0x0101010101010101)


ZEROS, DOTS, ONES = _repeat_byte(ord("0")), _repeat_byte(DOT), _repeat_byte(1)
ABOVE_NINE, HIGH_BIT, ONE = _repeat_byte(0x80 - 10), _repeat_byte(0x80), np.uint64(1)
LANES = ((10, 8, 0x00FF00FF00FF00FF), (100, 16, 0x0000FFFF0000FFFF), (10_000, 32, 0xFFFFFFFF))
"""How adjacent digits are combined into pairs, then fours, then eights: factor, bits of a lane, and the lanes to
keep."""


def _count_unused_bits(counts: Places) -> Words:
    """The bits of a word that texts of so many characters, up to eight, do not fill."""
    return ((8 - counts) << 3).view(np.uint64)


def parse_digits(word: Words, counts: Places) -> tuple[Words, Words]:
    """The numbers in the last `counts` characters of words, and a word that is not zero where one is not a digit.

    All eight lanes of a word are combined at once.
    """
    word = word ^ ZEROS
    unused = _count_unused_bits(counts)
    word >>= unused  # a shift by all bits gives 0
    word <<= unused
    wrong = word + ABOVE_NINE
    wrong |= word  # a byte above 127 may overflow into the next lane
    wrong &= HIGH_BIT
    for factor, bits, mask in LANES:
        word *= np.uint64((factor << bits) + 1)
        word >>= np.uint64(bits)
        word &= np.uint64(mask)
    return word, wrong


def parse_decimals(
    buffer: Bytes, begins: Places, lengths: Places, *, dots: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers at these places; and the rows of those that were not parsed, whose values are meaningless.

    Numbers that have more than 16 digits or an exponent are not parsed; without `dots`, neither are those with a
    decimal point, which is removed by moving the digits before it one place on. The buffer must begin at least 33
    bytes before the first number.
    """
    ends = begins + lengths
    negative = buffer[begins] == MINUS
    lengths = lengths - negative
    last = load_words(buffer, ends - 8)
    decimals = _find_decimals(buffer, ends, lengths, last) if dots else NO_DOT
    digits = lengths - (decimals <= LONGEST)
    fewest, most = int(digits.min()), int(digits.max())
    number, wrong = parse_digits(_join_digits(buffer, ends, decimals, last), np.minimum(digits, 8))
    if most > 8:
        before = _join_digits(buffer, ends - 8, decimals - 8, load_words(buffer, ends - 16))
        high, wrong_too = parse_digits(before, np.clip(digits, 8, LONGEST) - 8)
        number += high * np.uint64(10**8)
        wrong |= wrong_too
    values = number / FLOAT_POWERS.take(np.where(decimals > LONGEST, 0, decimals))
    np.negative(values, out=values, where=negative)
    unread = wrong != 0
    if fewest < 1 or most >= LONGEST:
        unread |= (digits < 1) | (digits > LONGEST) | (number > LARGEST_NUMBER)
    return values, np.flatnonzero(unread)


NO_DOT = np.int64(LONGEST + 8)


def _find_decimals(buffer: Bytes, ends: Places, lengths: Places, last: Words) -> NDArray[np.int64] | np.int64:
    """The digits after the decimal point of each number, in one number where all have equally many; or `NO_DOT`."""
    first = buffer[ends[0] - lengths[0] : ends[0]].tobytes()
    decimals = len(first) - 1 - first.rfind(b".")
    if decimals < min(lengths.min(), 8):
        shift = 56 - 8 * decimals
        if ((last & np.uint64(0xFF << shift)) == np.uint64(DOT << shift)).all():
            return np.int64(decimals)
    places = np.full(len(ends), NO_DOT)
    for word, behind in ((load_words(buffer, ends - 16), 8), (last, 0)):
        unused = _count_unused_bits(np.clip(lengths, behind, behind + 8) - behind)
        word = (word >> unused << unused) ^ DOTS
        # The lowest byte that is a point: subtracting borrows only from the bytes above it.
        dot = (word - ONES) & ~word & HIGH_BIT
        upto = np.bitwise_count(dot ^ (dot - ONE)) >> 3
        np.copyto(places, behind + 8 - upto.astype(np.int64), where=dot != 0)
    return places


def _join_digits(buffer: Bytes, ends: Places, decimals: NDArray[np.int64] | np.int64, last: Words) -> Words:
    """The last eight digits before `ends`, without the point that is followed by so many of them.

    `last` has the last eight characters.
    """
    behind = np.clip(decimals, 0, 8)
    if behind.min() == 8:
        return last
    fraction = ~np.uint64(0) << (64 - 8 * behind).astype(np.uint64)
    word = load_words(buffer, ends - 9)
    word &= ~fraction
    word |= last & fraction
    return word


BLANKS = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Blanks other than the space, and the carriage return, which ends a line."""
COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)


def normalize(data: bytes) -> tuple[bytes, int]:
    """Lines with one space between columns, without empty lines and comments; and the number of comments."""
    text = data.replace(b"\r\n", b"\n").translate(BLANKS)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    return COMMENT.subn(b"", text.strip(b" \n") + b"\n")
