"""The fast reader: the bytes of a TREC file → its rows, by operations on whole arrays; only topics are decoded.

The scanner reads clean text: UTF-8, one space or tab between columns, the same number of columns on each line, no
comments. Runs of blanks, CRLF, comments and empty lines are removed first where there are any. What is not clean even
then is left to the careful reader, which reports the line and the reason; the scanner gives the rows that the careful
reader would give.

Arrays rather than a compiled loop, as evaluating takes a second or less for most users. Loading numba and its first
kernel takes 0.7 s of processor time. A plain loop then reads a line in 0.09 µs and this scanner in 0.15 to 0.3, so that
the loop is ahead from three to twelve million lines on. polars takes 0.2 s to load, and then 0.15 µs.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.trec.content import find_line_number, to_utf8
from antecede.trec.rows import (
    WINDOW,
    ByteTexts,
    Rows,
    RowTopics,
    count_tags,
    hash_texts,
    load_masked_windows,
    load_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.trec.reader import Layout
    from antecede.trec.rows import Bytes, Lengths, Places, Words

BLOCK = 1 << 21
"""Bytes processed at a time: few enough for the cache, enough for threads to seldom wait for each other."""
MARGIN = 64
"""Bytes around the text of a block, so that no read goes beyond the buffer."""
FILLER = b"x" * MARGIN
NEWLINE, TAB, SPACE, DOT, MINUS = b"\n\t .-"
ASCII_END = 0x80
MAX_SURPLUS = 20
"""Surplus columns that clean text may have."""
MAX_TOPIC_LENGTH = 1 << 12
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
    if not layout.fewest <= width <= len(layout.fields) + layout.wider * MAX_SURPLUS:
        return None
    blocks: list[_Block] = []
    for begin, end in _split_blocks(data):
        buffer = _add_margins(data, begin, end)
        lines = _find_columns(buffer, width)
        block = None if lines is None else _read_block(buffer, lines, layout)
        if block is None:
            return None
        blocks.append(block._replace(doc_begins=block.doc_begins + (begin - MARGIN)))
    before = np.cumsum([0, *(len(block.numbers) for block in blocks)])
    starts = np.concatenate([block.starts + rows for block, rows in zip(blocks, before[:-1], strict=True)])
    topics = RowTopics.from_changes([name for block in blocks for name in block.names], starts, int(before[-1]))
    arrays = list(zip(*blocks, strict=True))[3:]
    begins, lengths, hashes, numbers, ranks = (np.concatenate(arrays_of_blocks) for arrays_of_blocks in arrays)
    odd = {"wide": len(numbers)} if width > len(layout.fields) else {}
    return Rows(
        topics,
        ByteTexts(data, begins, lengths, hashes=hashes),
        numbers.astype(np.int64) if layout.whole else numbers,
        lambda row: row + 1,
        odd | count_tags({tag for block in blocks for tag in block.tags}),
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


class _LineColumns(NamedTuple):
    """Where lines begin, and for each column the distance from there to the column after it, or to the next line."""

    begins: Places
    nexts: list[Lengths]

    def column(self, at: int) -> tuple[Places, Lengths]:
        """Where a column begins on each line, and its length."""
        if at == 0:
            return self.begins, self.nexts[0] - 1
        return self.begins + self.nexts[at - 1], self.nexts[at] - self.nexts[at - 1] - 1


def _find_columns(buffer: Bytes, width: int) -> _LineColumns | None:
    """Find the columns of each line, and prove that there are `width`; None if there are not.

    The proof, for six columns: there are n newlines, and 5n spaces and tabs; no other byte is blank or a control
    character. Each line has five separators before its newline, none of them first, last or next to another. So these
    are all the separators, and no column is empty.
    """
    text = buffer[MARGIN:-MARGIN]
    newlines = np.flatnonzero(text == NEWLINE)
    count = len(newlines)
    separators = np.count_nonzero(text == SPACE)
    if separators != (width - 1) * count:
        separators += np.count_nonzero(text == TAB)
    if not count or separators != (width - 1) * count or not _is_utf8(text):
        return None
    blank = buffer <= SPACE
    blank[:MARGIN] = blank[-MARGIN:] = False
    bits = np.packbits(blank, bitorder="little")
    # The bits of the last seven bytes, which may be too few for a word, belong to the margin.
    if int(np.bitwise_count(bits[: len(bits) // 8 * 8].view(np.uint64)).sum(dtype=np.int64)) != width * count:
        return None
    begins = np.empty(count, np.int64)
    begins[0] = 0
    np.add(newlines[:-1], 1, out=begins[1:])
    newlines += 1
    newlines -= begins
    begins += MARGIN
    nexts = _find_blanks(bits, begins, width - 1)
    if nexts is None:
        nexts = [*(np.flatnonzero(blank).reshape(count, width)[:, :-1] + 1 - begins[:, None]).T]
    nexts.append(newlines)
    no_empty = nexts[0].min() > 1 and all((after > before + 1).all() for before, after in pairwise(nexts))
    return _LineColumns(begins, nexts) if no_empty else None


def _is_utf8(text: Bytes) -> bool:
    if text.max() < ASCII_END:
        return True
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


ONE = np.uint64(1)


def _find_blanks(bits: Bytes, begins: Places, count: int) -> list[Lengths] | None:
    """The distance from `begins` to just after each of the first `count` blanks; None where one is out of sight.

    `bits` has one bit per byte of the text, set where the byte is blank. A word of them covers the next 57 bytes or
    more, which in most files reach the last column.
    """
    (word,) = load_words(bits, begins >> 3, 1)
    word = word >> (begins & 7).view(np.uint64)
    distances: list[Lengths] = []
    for _ in range(count):
        without_lowest = word - ONE
        distances.append(np.bitwise_count(word ^ without_lowest))  # the lowest bit and all below it, or all 64
        word &= without_lowest
    return distances if distances[-1].max() < 64 else None


class _Block(NamedTuple):
    names: list[str]
    """The topic of each stretch of rows; a topic whose rows are not consecutive appears more than once."""
    starts: NDArray[np.int64]
    """The first row of each stretch."""
    tags: set[bytes]
    """The different texts of the tag column; empty where there is no such column."""
    doc_begins: Places
    doc_lengths: Lengths
    doc_hashes: Words
    numbers: NDArray[np.float64]
    ranks: NDArray[np.number[Any]]
    """Empty where there is no such column."""


def _read_block(buffer: Bytes, lines: _LineColumns, layout: Layout) -> _Block | None:
    """The rows of a block; None where a line is a comment or a number is not as it should be."""
    begins, lengths = lines.column(layout.fields.index("topic_id"))
    if lengths.max() > MAX_TOPIC_LENGTH:
        return None
    starts = _find_changes(buffer, begins, lengths)
    names = _slice_texts(buffer, begins[starts], lengths[starts])
    numbers = read_numbers(buffer, *lines.column(layout.fields.index(layout.value)), layout)
    if numbers is None or any(name.startswith(b"#") for name in names):  # a line that begins with # is a comment
        return None
    ranks: NDArray[np.number[Any]] = np.empty(0)
    if "rank" in layout.fields:
        ranks = _read_ranks(buffer, *lines.column(layout.fields.index("rank")), layout)
    tags = _find_distinct(buffer, *lines.column(layout.fields.index("tag"))) if "tag" in layout.fields else set()
    docs = lines.column(layout.fields.index("doc_id"))
    return _Block([name.decode() for name in names], starts, tags, *docs, hash_texts(buffer, *docs), numbers, ranks)


def _read_ranks(buffer: Bytes, begins: Places, lengths: Lengths, layout: Layout) -> NDArray[np.number[Any]]:
    """The ranks of a block, all NaN where one is not a number; those of up to eight digits are whole numbers."""
    if lengths.max() <= 8:
        ranks, wrong = parse_digits(load_words(buffer, begins + lengths - 8, 1)[0], lengths)
        if not wrong.any():
            return ranks
    numbers = read_numbers(buffer, begins, lengths, layout)
    return np.full(len(begins), np.nan) if numbers is None else numbers


FEW = 64
"""Texts that are copied one by one; for more of them, the bytes of the block are copied once."""


def _slice_texts(buffer: Bytes, begins: Places, lengths: Lengths) -> list[bytes]:
    pairs = zip(begins.tolist(), (begins + lengths).tolist(), strict=True)
    if len(begins) < FEW:
        return [buffer[begin:end].tobytes() for begin, end in pairs]
    data = buffer.tobytes()
    return [data[begin:end] for begin, end in pairs]


def _find_changes(buffer: Bytes, begins: Places, lengths: Lengths) -> NDArray[np.int64]:
    """The rows whose text differs from that of the row before, including the first row."""
    new = np.zeros(len(begins), bool)
    new[0] = True
    for offset in range(0, int(lengths.max()), WINDOW):
        left = np.maximum(lengths, offset) - offset if offset else lengths
        places = np.where(left > 0, begins + offset, 0) if offset else begins
        for word in load_masked_windows(buffer, places, left):
            new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(new)


def _find_distinct(buffer: Bytes, begins: Places, lengths: Lengths) -> set[bytes]:
    """The different texts of a column. That all are one short text, as in most runs, is found first and fast."""
    rows = np.arange(len(begins))
    if _are_equal(buffer, begins, lengths):
        rows = rows[:1]
    elif lengths.max() <= MAX_TOPIC_LENGTH:
        rows = _find_changes(buffer, begins, lengths)
    return {*_slice_texts(buffer, begins[rows], lengths[rows])}


def _are_equal(buffer: Bytes, begins: Places, lengths: Lengths) -> bool:
    """Whether texts of up to 16 characters are all the same; never true of longer ones."""
    length = int(lengths[0])
    if length > WINDOW or (lengths != length).any():
        return False
    places = (begins, begins + (length - 8)) if length > 8 else (begins,)
    words = (load_words(buffer, at, 1)[0] << np.uint64(8 * max(8 - length, 0)) for at in places)
    return all(bool((word == word[0]).all()) for word in words)


def read_numbers(buffer: Bytes, begins: Places, lengths: Lengths, layout: Layout) -> NDArray[np.float64] | None:
    """The numbers of a column, those that are not short plain decimals one by one; None where one is not a number."""
    numbers, unread = np.empty(len(begins)), np.arange(len(begins))
    if 2 * np.count_nonzero(lengths > MAX_LENGTH + 1) <= len(begins):  # else most would be read twice
        numbers, unread = parse_decimals(buffer, begins, lengths, dots=not layout.whole)
    texts = _slice_texts(buffer, begins[unread], lengths[unread])
    if b"".join(texts).translate(None, layout.number_characters):
        return None
    try:
        numbers[unread] = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    doubtful = numbers[unread] if layout.limit > LARGEST_NUMBER else numbers
    return None if (np.abs(doubtful) >= layout.limit).any() else numbers


MAX_LENGTH = 16
"""Digits that are parsed. A number of at most 16 digits is a whole number M below 2^53 divided by 10^k, k ≤ 16. Floats
represent both exactly, and the division of two floats is rounded once, as `float` rounds (Clinger, PLDI 1990)."""
LARGEST_NUMBER = 2**53
"""The largest number that is parsed, its decimal point disregarded."""
FLOAT_POWERS = np.array([10.0**k for k in range(MAX_LENGTH + 1)])


def _repeat_byte(value: int) -> np.uint64:
    return np.uint64(value * 0x0101010101010101)


ZEROS, DOTS, ONES = _repeat_byte(ord("0")), _repeat_byte(DOT), _repeat_byte(1)
ABOVE_NINE, HIGH_BIT = _repeat_byte(0x80 - 10), _repeat_byte(0x80)
LANES = ((10, 8, 0x00FF00FF00FF00FF), (100, 16, 0x0000FFFF0000FFFF), (10_000, 32, 0))
"""How adjacent digits are combined into pairs, then fours, then eights: factor, bits of a lane, and the lanes to keep;
after the last step there is only one."""


def parse_digits(word: Words, counts: Lengths) -> tuple[Words, Words]:
    """The numbers in the last `counts` characters of words, and a word that is not zero where one is not a digit.

    All lanes of a word are combined at once.
    """
    unused = _count_unused_bits(counts)
    word = (word ^ ZEROS) >> unused  # a shift by all bits gives 0
    word <<= unused
    wrong = word + ABOVE_NINE
    wrong |= word  # a byte above 127 may overflow into the next lane
    wrong &= HIGH_BIT
    for factor, bits, mask in LANES:
        word *= np.uint64((factor << bits) + 1)
        word >>= np.uint64(bits)
        if mask:
            word &= np.uint64(mask)
    return word, wrong


def _count_unused_bits(counts: Lengths) -> Words:
    """The bits of words that fewer than eight characters do not fill."""
    unused: Words = (8 - counts).astype(np.uint64)
    unused <<= 3
    return unused


def parse_decimals(
    buffer: Bytes, begins: Places, lengths: Lengths, *, dots: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers at these places; and the rows of those that were not parsed, whose values are meaningless.

    Numbers that have more than 16 digits or an exponent are not parsed; without `dots`, neither are those with a
    decimal point. The buffer must begin at least 24 bytes before the end of the first number.
    """
    values, unread = _parse_unsigned(buffer, begins + lengths, lengths, dots)
    negative = buffer.take(begins[unread]) == MINUS
    if negative.any():
        rows = unread[negative]
        values_below, unread_below = _parse_unsigned(buffer, (begins + lengths)[rows], lengths[rows] - 1, dots)
        values[rows] = -values_below
        unread = np.sort(np.concatenate((unread[~negative], rows[unread_below])))
    return values, unread


def _parse_unsigned(
    buffer: Bytes, ends: Places, lengths: Lengths, dots: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The same for numbers without a sign. A decimal point is removed by moving the digits before it one place on."""
    first, middle, last = load_words(buffer, ends - 24, 3)
    decimals = _find_decimals(middle, last, lengths) if dots else NO_DOT
    digits = lengths - (decimals <= MAX_LENGTH)
    number, wrong = parse_digits(_join_digits(middle, last, decimals), np.minimum(digits, 8))
    if digits.max() > 8:
        high, wrong_too = parse_digits(_join_digits(first, middle, decimals - 8), np.clip(digits, 8, MAX_LENGTH) - 8)
        number += high * np.uint64(10**8)
        wrong |= wrong_too
    values = number / FLOAT_POWERS.take(np.where(decimals > MAX_LENGTH, 0, decimals))
    unread = (wrong != 0) | (digits < 1) | (digits > MAX_LENGTH) | (number > LARGEST_NUMBER)
    return values, np.flatnonzero(unread)


NO_DOT = np.int64(MAX_LENGTH + 8)


def _find_decimals(middle: Words, last: Words, lengths: Lengths) -> NDArray[np.int64] | np.int64:
    """The digits after the decimal point of each number, in one number where all have equally many; or `NO_DOT`."""
    characters = last[:1].tobytes()[-int(lengths[0]) :]
    decimals = len(characters) - 1 - characters.rfind(b".")
    if decimals < min(lengths.min(), 8):
        shift = 56 - 8 * decimals
        if ((last & np.uint64(0xFF << shift)) == np.uint64(DOT << shift)).all():
            return np.int64(decimals)
    places = np.full(len(last), NO_DOT)
    for word, behind in ((middle, 8), (last, 0)):
        unused = _count_unused_bits(np.clip(lengths, behind, behind + 8) - behind)
        word = (word >> unused << unused) ^ DOTS
        # The lowest byte that is a point: subtracting borrows only from the bytes above it.
        dot = (word - ONES) & ~word & HIGH_BIT
        upto = np.bitwise_count(dot ^ (dot - ONE)) >> 3
        np.copyto(places, behind + 8 - upto.astype(np.int64), where=dot != 0)
    return places


def _join_digits(before: Words, last: Words, decimals: NDArray[np.int64] | np.int64) -> Words:
    """The last eight digits of two words of characters, without the point that is followed by so many of them."""
    behind = np.clip(decimals, 0, 8)
    if behind.min() == 8:
        return last
    fraction = ~np.uint64(0) << (64 - 8 * behind).astype(np.uint64)
    word = last << np.uint64(8)
    word |= before >> np.uint64(56)
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
