"""The bytes of a TREC file → its rows, with operations on whole arrays of bytes; no text is decoded but topics.

The scanner reads clean text: UTF-8, one space or tab between columns, the same number of columns on each line, no
comments. Any other text is normalized first: runs of blanks, CRLF, comments, empty lines and surplus columns are
removed. What is not clean even then is read by `lines`, which reports the line and the reason; the scanner gives the
rows that `lines` would give.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.trec.decimals import (
    ABOVE_NINE,
    HIGH_BIT,
    LARGEST_NUMBER,
    LONGEST,
    ZEROS,
    parse_decimals,
    parse_eight_digits,
)
from antecede.trec.layout import RUN
from antecede.trec.lines import find_line_number, to_utf8
from antecede.trec.rows import Rows, Topics
from antecede.trec.texts import HALF_WORD, WINDOW, WORD, Texts, hash_texts, load_masked_windows, load_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.trec.layout import Layout
    from antecede.trec.texts import Bytes, Lengths, Places

BLOCK = 1 << 21
"""Bytes processed at a time: few enough for the cache, enough for threads to seldom wait for each other."""
MARGIN = 64
"""Bytes around the text of a block, so that no read goes beyond the buffer."""
FILLER = b"x" * MARGIN
NEWLINE, TAB, SPACE = b"\n\t "
ASCII_END = 0x80
MOST_SURPLUS = 8
"""Surplus columns that clean text may have."""
SAMPLE = 64
"""Numbers that decide whether a column is parsed as plain decimals or one by one."""
LONGEST_TOPIC = 1 << 12
"""Longer topics are read line by line."""


def scan_text(data: bytes, layout: Layout, *, with_ranks: bool = False) -> Rows | None:
    """The rows of a TREC file, normalized first if need be; None if it has to be read line by line."""
    rows = scan_clean(data, layout, with_ranks=with_ranks)
    if rows is not None:
        return rows
    if b"\0" in data:  # not text, wherever it is
        return None
    text, comments, wide = normalize(to_utf8(data), layout)
    rows = scan_clean(text, layout, with_ranks=with_ranks) if text else None
    if rows is None:
        return None
    odd = {"comments": comments, "wide": wide}
    return rows._replace(line_of=lambda row: find_line_number(data, row), odd=odd)


def scan_clean(data: bytes, layout: Layout, *, with_ranks: bool = False) -> Rows | None:
    """The rows of clean text, or None."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    width = first.count(SPACE) + first.count(TAB) + 1
    if not layout.fewest <= width <= len(layout.fields) + layout.wider * MOST_SURPLUS:
        return None
    blocks: list[Block] = []
    for begin, end in split_blocks(data, BLOCK):
        buffer = add_margins(data, begin, end, tabs=TAB in first)
        lines = find_columns(buffer, width)
        block = None if lines is None else read_block(buffer, lines, layout, with_ranks)
        if block is None:
            return None
        blocks.append(block._replace(doc_begins=block.doc_begins + (begin - MARGIN)))
    before = np.cumsum([0, *(len(block.numbers) for block in blocks)])
    starts = np.concatenate([block.starts + rows for block, rows in zip(blocks, before[:-1], strict=True)])
    topics = Topics.from_stretches([name for block in blocks for name in block.names], starts, int(before[-1]))
    arrays = list(zip(*blocks, strict=True))[2:]
    begins, lengths, hashes, numbers, ranks, rank_keys = (np.concatenate(each) for each in arrays)
    return Rows(
        topics,
        Texts(data, begins, lengths, hashes=hashes),
        numbers.astype(np.int64) if layout.whole else numbers,
        lambda row: row + 1,
        {"wide": len(numbers)} if width > len(layout.fields) else {},
        ranks if with_ranks else None,
        rank_keys if len(rank_keys) == len(numbers) else None,
    )


def split_blocks(data: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Where stretches of whole lines begin and end, each of about `size` bytes."""
    begin = 0
    while begin < len(data):
        end = begin + size
        if end < len(data):
            end = data.rfind(b"\n", begin, end) + 1 or data.find(b"\n", end) + 1 or len(data)
        end = min(end, len(data))
        yield begin, end
        begin = end


def add_margins(data: bytes, begin: int, end: int, *, tabs: bool) -> Bytes:
    """Lines with a margin on both sides: from the file, or a copy with a last newline, and spaces for tabs."""
    if not tabs and begin >= MARGIN and end + MARGIN <= len(data):
        return np.frombuffer(data, np.uint8, end - begin + 2 * MARGIN, begin - MARGIN)
    lines = memoryview(data)[begin : end - 1 if data[end - 1] == NEWLINE else end]  # copied only once
    buffer = np.frombuffer(bytearray().join((FILLER, lines, b"\n", FILLER)), np.uint8)
    if tabs:
        buffer += (buffer == TAB).view(np.uint8) * np.uint8(SPACE - TAB)
    return buffer


class LineColumns(NamedTuple):
    """Where lines begin, and for each column the distance from there to the column after it, or to the next line."""

    begins: Places
    nexts: list[Lengths]

    def column(self, at: int) -> tuple[Places, Lengths]:
        """Where a column begins on each line, and its length."""
        if at == 0:
            return self.begins, self.nexts[0] - 1
        return self.begins + self.nexts[at - 1], self.nexts[at] - self.nexts[at - 1] - 1

    def column_ends(self, at: int) -> tuple[Places, Lengths]:
        """Where a column, not the first, ends on each line, and its length."""
        return self.begins + (self.nexts[at] - 1), self.nexts[at] - self.nexts[at - 1] - 1


def find_columns(buffer: Bytes, width: int) -> LineColumns | None:
    """Find the columns of each line, and prove that there are `width`; None if there are not.

    The proof, for six columns: the only control characters are n newlines, and with 5n spaces these are all blanks.
    Each line has five spaces before its newline, none of them first, last or next to another. So these are all the
    spaces, and no column is empty.
    """
    text = buffer[MARGIN:-MARGIN]
    newlines = np.flatnonzero(text < SPACE)
    count = len(newlines)
    if not count or (text.take(newlines) != NEWLINE).any() or not is_utf8(text):
        return None
    blank = buffer <= SPACE
    blank[:MARGIN] = blank[-MARGIN:] = False
    bits = np.packbits(blank, bitorder="little")
    if count_ones(bits) != width * count:
        return None
    begins = np.empty(count, np.int64)
    begins[0] = 0
    np.add(newlines[:-1], 1, out=begins[1:])
    newlines += 1
    newlines -= begins
    begins += MARGIN
    nexts = find_blanks(bits, begins, width - 1)
    if nexts is None:
        nexts = [*(np.flatnonzero(blank).reshape(count, width)[:, :-1] + 1 - begins[:, None]).T]
    nexts.append(newlines)
    no_empty = nexts[0].min() > 1 and all((after > before + 1).all() for before, after in pairwise(nexts))
    return LineColumns(begins, nexts) if no_empty else None


def is_utf8(text: Bytes) -> bool:
    """Whether a text is ASCII, as nearly every one is, or other UTF-8."""
    if text.max() < ASCII_END:
        return True
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def count_ones(bits: Bytes) -> int:
    """How many bits are set; those of the last seven bytes, which belong to the margin, are not."""
    words = bits[: len(bits) // 8 * 8].view(np.uint64)
    return int(np.bitwise_count(words).sum(dtype=np.int64))


OUT_OF_SIGHT, ONE = 64, np.uint64(1)


def find_blanks(bits: Bytes, begins: Places, count: int) -> list[Lengths] | None:
    """The distance from `begins` to just after each of the first `count` blanks; None where one is out of sight.

    `bits` has one bit per byte of the text, set where the byte is blank. A word of them covers the next 57 bytes or
    more, which in most files reach the last column; where they do not, the search goes from column to column.
    """
    found = find_blanks_in_word(bits, begins, count)
    if found[-1].max() < OUT_OF_SIGHT:
        return found
    found, at = [], begins
    for _ in range(count):
        (distance,) = find_blanks_in_word(bits, at, 1)
        if distance.max() == OUT_OF_SIGHT:
            return None
        at = at + distance
        found.append(at - begins)
    return found


def find_blanks_in_word(bits: Bytes, begins: Places, count: int) -> list[Lengths]:
    """The distances to just after the first `count` blanks, as far as one word shows them; 64 beyond."""
    word = load_words(bits, begins >> 3)
    word >>= (begins & 7).view(np.uint64)
    found: list[Lengths] = []
    for _ in range(count):
        without_lowest = word - ONE
        found.append(np.bitwise_count(word ^ without_lowest))  # the lowest bit and all below it
        word &= without_lowest
    return found


class Block(NamedTuple):
    """The rows of one block of lines."""

    names: list[str]
    """The topic of each stretch of rows; a topic whose rows are not consecutive appears more than once."""
    starts: NDArray[np.int64]
    """The first row of each stretch."""
    doc_begins: Places
    doc_lengths: Lengths
    doc_hashes: NDArray[np.uint64]
    numbers: NDArray[np.float64]
    ranks: NDArray[np.float64]
    """Empty unless requested."""
    rank_keys: NDArray[np.unsignedinteger]
    """Empty where a rank is longer than a word, or there is no such column."""


def read_block(buffer: Bytes, lines: LineColumns, layout: Layout, with_ranks: bool) -> Block | None:
    """The rows of a block; None where a line is a comment or a number is not as it should be."""
    begins, lengths = lines.column(layout.fields.index("topic_id"))
    if lengths.max() > LONGEST_TOPIC:
        return None
    starts = find_changes(buffer, begins, lengths)
    names = slice_texts(buffer, begins[starts], lengths[starts])
    numbers = read_numbers(buffer, *lines.column(layout.fields.index(layout.value)), layout)
    if numbers is None or any(name.startswith(b"#") for name in names):  # a line that begins with # is a comment
        return None
    ranks: NDArray[np.float64] | None = np.empty(0)
    rank_keys: NDArray[np.unsignedinteger] = np.empty(0, WORD)
    if "rank" in layout.fields:
        at = layout.fields.index("rank")
        rank_keys = make_rank_keys(buffer, *lines.column_ends(at))
        ranks = read_numbers(buffer, *lines.column(at), RUN) if with_ranks else ranks
    if ranks is None:
        return None
    docs = lines.column(layout.fields.index("doc_id"))
    return Block([name.decode() for name in names], starts, *docs, hash_texts(buffer, *docs), numbers, ranks, rank_keys)


def make_rank_keys(buffer: Bytes, ends: Places, lengths: Lengths) -> NDArray[np.unsignedinteger]:
    """Ranks of up to eight digits as numbers with one digit per byte; none where one is anything else.

    Cheaper than parsing them, and enough to see in nearly every file that they do not contradict the scores.
    """
    longest = int(lengths.max())
    if longest > WORD.itemsize:
        return np.empty(0, WORD)
    kind = HALF_WORD if longest <= HALF_WORD.itemsize else WORD
    keys = load_words(buffer, ends - kind.itemsize, kind)
    keys ^= ZEROS.astype(kind)
    unused = count_unused_bits(lengths, kind)
    keys >>= unused
    keys <<= unused
    beyond = np.bitwise_or.reduce(keys) | np.bitwise_or.reduce(keys + ABOVE_NINE.astype(kind))
    if beyond & HIGH_BIT.astype(kind):
        return np.empty(0, WORD)
    return keys.byteswap(inplace=True)


def count_unused_bits(lengths: Lengths, kind: np.dtype[Any]) -> NDArray[Any]:
    """The bits of words that short texts do not fill."""
    unused: NDArray[Any] = (kind.itemsize - lengths).astype(kind)
    unused <<= 3
    return unused


def parse_rank_keys(keys: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
    """The ranks that the keys denote."""
    ranks, _ = parse_eight_digits(keys.astype(WORD).byteswap() | ZEROS, np.full(1, WORD.itemsize))
    return ranks.astype(np.float64)


def slice_texts(buffer: Bytes, begins: Places, lengths: Lengths) -> list[bytes]:
    """The bytes of some texts."""
    pairs = zip(begins.tolist(), (begins + lengths).tolist(), strict=True)
    if len(begins) < SAMPLE:
        return [buffer[begin:end].tobytes() for begin, end in pairs]
    data = buffer.tobytes()
    return [data[begin:end] for begin, end in pairs]


def find_changes(buffer: Bytes, begins: Places, lengths: Lengths) -> NDArray[np.int64]:
    """The rows whose text differs from that of the row before, including the first row."""
    new, longest = np.zeros(len(begins), bool), int(lengths.max())
    new[0] = True
    if longest <= WORD.itemsize:
        kind = HALF_WORD if longest <= HALF_WORD.itemsize else WORD
        words = load_words(buffer, begins, kind)
        words <<= count_unused_bits(lengths, kind)
        np.not_equal(words[1:], words[:-1], out=new[1:])
        return np.flatnonzero(new)
    for offset in range(0, longest, WINDOW):
        left = np.maximum(lengths, offset) - offset if offset else lengths
        rest = (np.where(left > 0, begins + offset, 0), left) if offset else (begins, lengths)
        for word in load_masked_windows(buffer, *rest):
            new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(new)


def read_numbers(buffer: Bytes, begins: Places, lengths: Lengths, layout: Layout) -> NDArray[np.float64] | None:
    """The numbers of a column, those that are not short plain decimals one by one; None where one is not a number."""
    dots = not layout.whole
    if are_plain(buffer, begins, lengths, dots=dots):
        numbers, unread = parse_decimals(buffer, begins, lengths, dots=dots)
    else:
        numbers, unread = np.empty(len(begins)), np.arange(len(begins))
    texts = slice_texts(buffer, begins[unread], lengths[unread])
    if b"".join(texts).translate(None, layout.number_characters):
        return None
    try:
        numbers[unread] = convert_numbers(texts)
    except ValueError:
        return None
    doubtful = numbers[unread] if layout.limit > LARGEST_NUMBER else numbers
    return None if (np.abs(doubtful) >= layout.limit).any() else numbers


def are_plain(buffer: Bytes, begins: Places, lengths: Lengths, *, dots: bool) -> bool:
    """Whether most numbers are short plain decimals: if they may be longer, as far as a sample shows."""
    if int(lengths.max()) <= LONGEST:
        return True
    _, unread = parse_decimals(buffer, begins[:SAMPLE], lengths[:SAMPLE], dots=dots)
    return len(unread) < SAMPLE // 2


def convert_numbers(texts: list[bytes]) -> NDArray[np.float64] | list[float]:
    """Numbers in any notation, rounded as `float` rounds; many of them by polars, which is faster."""
    if len(texts) >= SAMPLE:
        import polars as pl

        numbers = pl.Series(texts, dtype=pl.Binary).cast(pl.String).cast(pl.Float64, strict=False)
        if not numbers.null_count():
            return numbers.to_numpy()
    return [*map(float, texts)]


BLANKS = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Blanks other than the space. A carriage return ends a line; CRLF leaves an empty line, which does not count."""
COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)


class NormalText(NamedTuple):
    """The rows of a TREC file, one space between columns, each line ended by a newline."""

    text: bytes
    comments: int
    """The number of comment lines left out."""
    wide: int
    """The number of lines with surplus columns, which were left out."""


def normalize(data: bytes, layout: Layout) -> NormalText:
    """Reduce blanks to single spaces; leave out comments, empty lines and, where the layout allows, surplus columns."""
    if any(blank in data for blank in (b"\r", b"\t", b"\v", b"\f")):
        data = data.translate(BLANKS)
    if not data.endswith(b"\n"):
        data += b"\n"
    may_comment = b"#" in data
    parts: list[bytes] = []
    comments = wide = 0
    for begin, end in split_blocks(data, BLOCK):
        text = reduce_blanks(np.frombuffer(data, np.uint8, end - begin, begin))
        if may_comment:
            without, count = COMMENT.subn(b"", text.tobytes())
            text, comments = np.frombuffer(without, np.uint8), comments + count
        if layout.wider:
            text, count = cut_columns(text, len(layout.fields))
            wide += count
        parts.append(text.tobytes())
    return NormalText(b"".join(parts), comments, wide)


def reduce_blanks(text: Bytes) -> Bytes:
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
