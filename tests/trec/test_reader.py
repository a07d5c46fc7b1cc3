"""The fast and the careful reader give what a plain reader of the specification gives, bit for bit, or an error."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from antecede.errors import InputError, MalformedInputError
from antecede.trec.content import Content, to_utf8
from antecede.trec.layout import RUN, FileLayout
from antecede.trec.reader import read_rows
from antecede.trec.text import read_lines, scan_clean, scan_text
from tests.fuzz.plain_evaluation import Reading, RefusedError, read_trec
from tests.trec.plain import (
    LAYOUTS,
    clean_file,
    clean_ids,
    lines_of,
)

if TYPE_CHECKING:
    from antecede.trec.rows import Rows

    Row = tuple[str, str, str, int | None]
    """topic, document, the number by its bits (−0.0 is not 0.0), line"""

kinds = pytest.mark.parametrize("kind", ["run", "qrels"])
RUN_LINES = "".join(f"{401 + row // 3} Q0 d{row} {row % 3} {9.5 - row / 4} tag\n" for row in range(9)).encode()
LINES = {
    "run": b"401 Q0 d1 1 3.5 tag\n401 Q0 d\xc3\xa9 2 2.25 tag\n402 Q0 d1 1 -1e3 tag\n402 Q0 d3 2 -1e4 tag\n",
    "qrels": b"401 0 d1 1\n401 0 d\xc3\xa9 0\n402 0 d1 2\n402 0 d33 -1\n9 0 d4 007\n",
}
GOOD = b"1 Q0 a 1 2.5 t\n"


def read(data: bytes, layout: FileLayout = RUN, malformed: str = "error") -> Rows:
    return read_rows(Content("a.file", "a", data), layout, malformed, with_ranks=False)  # type: ignore[arg-type]


def rows_of(rows: Rows | None) -> list[Row]:
    assert rows is not None
    return [
        (rows.topics.names[topic], rows.docs[at], rows.line_of(at), float(number).hex())  # type: ignore[misc]
        for at, (topic, number) in enumerate(zip(rows.topics.of_row, rows.numbers.tolist(), strict=True))
    ]


def plain(data: bytes, layout: FileLayout = RUN) -> list[Row]:
    rows = read_trec(data, layout.kind, Reading()).rows
    return [(row.topic, row.doc, row.line, row.number.hex()) for row in rows]  # type: ignore[misc]


def agrees(data: bytes, layout: FileLayout = RUN) -> Rows | None:
    """Check that each way to read a file gives the rows of the plain reader, or refuses it; the rows of the scanner."""
    if b"\0" in data:  # refused before it is read as rows, see test_content
        return None
    scanned = scan_clean(data, layout)
    try:
        expected = plain(data, layout)
    except RefusedError:
        assert scanned is None
        with pytest.raises(InputError):
            read(data, layout)
        return None
    rows, line_by_line = read(data, layout), read_lines(to_utf8(data), "a.file", layout, "error")
    assert rows_of(rows) == rows_of(line_by_line) == expected
    assert scanned is None or rows_of(scanned) == expected
    counts = [{name: count for name, count in each.odd.items() if count} for each in (rows, line_by_line)]
    assert counts[0] == counts[1]
    assert rows.tag == line_by_line.tag
    if rows.ranks is not None and line_by_line.ranks is not None and np.isfinite(line_by_line.ranks).all():
        assert rows.ranks.tolist() == line_by_line.ranks.tolist()
    return scanned


some_ids = st.one_of(
    clean_ids,
    st.from_regex(r"[!-~]{1,20}", fullmatch=True),
    st.from_regex(r"[!-~]{50,60}", fullmatch=True),
    st.sampled_from(["1", "a", "aa", "EP-0728164-A1", "nan", "1.5", "é", "x" * 16, "x" * 17, "x" * 3000]),
).filter(lambda text: min(text.encode()) > 32)


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_clean_file_is_scanned(kind: str, drawn: st.DataObject) -> None:
    layout = LAYOUTS[kind]
    data = clean_file(drawn.draw(lines_of(kind, some_ids)), drawn.draw(st.sampled_from([" ", "\t"])))
    data = data[: drawn.draw(st.sampled_from([None, -1]))]  # the last newline may be missing
    agrees(data, layout)
    if not data.startswith(b"x^"):  # as a stream of zlib does
        assert rows_of(scan_text(data, layout)) == plain(data, layout)


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_changed_byte_is_never_read_wrongly_in_silence(kind: str, drawn: st.DataObject) -> None:
    """The one property that matters most: what comes out is what the file says, or an error."""
    data = bytearray(LINES[kind])
    signs = st.one_of(st.integers(0, 255), st.sampled_from(list(b" \t\r\n#\"',.-+eE0123456789nai_x\v\f\x1c\xa0")))
    for _ in range(drawn.draw(st.integers(1, 4))):
        at = drawn.draw(st.integers(0, len(data) - 1))
        match drawn.draw(st.sampled_from(["change", "insert", "delete", "move"])):
            case "change":
                data[at] = drawn.draw(signs)
            case "insert":
                data.insert(at, drawn.draw(signs))
            case "delete":
                del data[at]
            case _:  # a column too few on one line and one too many on another must not cancel out
                data.insert(drawn.draw(st.integers(0, len(data) - 1)), data.pop(at))
    agrees(bytes(data), LAYOUTS[kind])


@kinds
@pytest.mark.parametrize("sign", list(b"\x00\x01\t\n\v\f\r\x1c\x1f #\"',.+-_eE019nN\x7f\x80\xa0\xc3\xff"))
def test_a_sign_at_every_place_is_never_read_wrongly_in_silence(kind: str, sign: int) -> None:
    data = LINES[kind][:48]
    for at in range(len(data) + 1):
        agrees(data[:at] + bytes([sign]) + data[at:], LAYOUTS[kind])
        agrees(data[:at] + bytes([sign]) + data[at + 1 :], LAYOUTS[kind])


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        b"1 Q0 b 2 1.5\n1 Q0 c 3 1.25 t t\n",  # one too few and one too many: as many blanks as there should be
        b"1 Q0 c 3 1.25 t t\n1 Q0 b 2 1.5\n",
        b"1 Q0 b 2 1.5 t 1 Q0 c 3 1.25 t\n\n",
        b"1 Q0 b 2\n1 Q0 c 3 1.25 t 1 1\n",
        b"1 Q0  2 1.5 t\n",
        b" Q0 b 2 1.5 t\n",
        *(b"1 Q0 b 2 1.5%b\n" % end for end in (b" ", b" t ", b" t\r", b" t\r1 Q0 c 3 1.25 t")),
        b"1 Q0 b\x0b2 1.5 t\n",
        b"1 Q0 b\x00 2 1.5 t\n",
        b"#1 Q0 b 2 1.5 t\n",
        b"# 1 Q0 b 2 1.5\n",
        b"\n",
        b"1\t\tQ0 b 2 1.5 t\n",
        *(b"1 Q0 b 2 %b t\n" % number for number in b"nan inf 1e400 1,5 1.5.5 - . -. --1 1-1 1_0 0x1".split()),
    ],
)
def test_one_unclean_line_is_enough_for_a_file_not_to_be_scanned(lines: bytes) -> None:
    for before, behind in product((0, 1, 40), repeat=2):
        assert agrees(GOOD * before + lines + GOOD * behind) is None
        assert agrees(GOOD * (before + 1)) is not None


NUMBERS = b"1e-5 -1E+2 +3 9007199254740993 0.30000000000000004 -.5 5. 1e-400 -0 123456789012.5".split()


def test_odd_forms_of_a_score_are_read_one_by_one() -> None:
    scores = [NUMBERS[row // 20] if row % 20 == 0 else b"%f" % (row / 8) for row in range(200)]
    data = b"".join(b"1 Q0 d%d 1 %b t\n" % (row, score) for row, score in enumerate(scores))
    assert agrees(data) is not None
    for form in ("{}e-1", "0.1234567890123456{}", "+{}.", ".{}E3"):  # a file full of them
        data = "".join(f"1 Q0 d{row} 1 {form.format(row)} t\n" for row in range(200)).encode()
        assert agrees(data) is not None
        assert agrees(data + b"1 Q0 d 1 1e t\n") is None


@pytest.mark.parametrize("byte", range(128, 256))
def test_a_byte_that_is_not_ascii_is_never_a_digit(byte: int) -> None:
    # In the arithmetic on words it may overflow into the byte next to it.
    for at in range(9):
        number = b"1234.5678"[:at] + bytes([byte]) + b"1234.5678"[at + 1 :]
        for digits in (b"", b"9" * 7):
            assert scan_clean(GOOD + b"1 Q0 b 2 " + digits + number + b" t\n" + GOOD, RUN) is None


@pytest.mark.parametrize("topic", ["1", "EP-1004897-A1", "x" * 16, "x" * 17, "x" * 40, "x" * 56])
def test_topics_that_differ_in_one_sign_are_told_apart(topic: str) -> None:
    topics = [topic[:at] + "y" + topic[at + 1 :] for at in range(len(topic))] + [topic + "y" * (len(topic) < 56)]
    rows = agrees("".join(f"{each} Q0 d 1 1.0 t\n{each} Q0 e 1 0.5 t\n" for each in topics).encode())
    assert rows is not None
    assert list(rows.topics.names) == topics
    assert rows.topics.lengths.tolist() == [2] * len(topics)
    assert rows.topics.of_row.tolist() == [at // 2 for at in range(2 * len(topics))], "also where a block ends"


@pytest.mark.parametrize("longest", [56, 57, 64, 200])
def test_columns_may_be_long(longest: int) -> None:
    columns = [sign * longest for sign in "1qd23"]
    assert agrees(f"{' '.join(columns)} {'t' * 5000}\n".encode() + GOOD) is not None
    for at, column in enumerate(columns):
        line = ["1", "Q0", "d", "1", "1.5", "t"]
        line[at] = column
        assert agrees(GOOD + " ".join(line).encode()) is not None


FORMS: dict[str, tuple[bytes, dict[str, int]]] = {
    "interleaved topics": ("".join(f"{row % 50} Q0 d{row} 1 1 t\n" for row in range(200)).encode(), {}),
    "surplus columns": (RUN_LINES.replace(b"\n", b" x y\n"), {"wide": 9}),
    "many surplus columns": (RUN_LINES.replace(b"\n", b" x" * 20 + b"\n"), {"wide": 9}),
    "blanks at the end": (RUN_LINES.replace(b"\n", b" \t  \n"), {}),
    "CRLF": (RUN_LINES.replace(b"\n", b"\r\n"), {}),
    "CR": (RUN_LINES.replace(b"\n", b"\r"), {}),
    "blanks": (b"  " + RUN_LINES.replace(b" ", b"   "), {}),
    "tabs": (RUN_LINES.replace(b" Q0 ", b"\tQ0\t"), {}),
    "tabs and blanks": (RUN_LINES.replace(b" Q0 ", b"\tQ0\v\f"), {}),
    "comments": (b"#\n # a\n" + RUN_LINES.replace(b"402 Q0 d3", b"# b\n402 Q0 d3"), {"comments": 3}),
    "a comment with the columns of data": (RUN_LINES + b"#1 Q0 b 2 1.0 t\n", {"comments": 1}),
    "empty lines": (b"\n\n \n" + RUN_LINES.replace(b"\n", b"\n \n\n"), {}),
    "Latin-1": (RUN_LINES.replace(b"401 Q0 d0", b"\xc3\xa9 Q0 \xe9").replace(b"tag\n", b"tag  x\r\n"), {"wide": 9}),
    "like Parquet": (b"PAR1 Q0 d1 1 2.0 t\nPAR2 Q0 d1 1 2.0 t\n", {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_not_clean_is_scanned_once_it_is_normalized(form: str) -> None:
    data, odd = FORMS[form]
    rows = scan_text(data, RUN)
    assert rows is not None
    assert {name: count for name, count in rows.odd.items() if count} == odd
    agrees(data)


def test_text_that_begins_as_a_compressed_stream_is_read_line_by_line() -> None:
    assert agrees(b"x^1 Q0 a 1 2.0 t\n") is None
    assert read(b"x^1 Q0 a 1 2.0 t\n").docs.to_list() == ["a"]


def test_bytes_that_are_not_utf8_are_read_as_latin1_in_a_later_block_too() -> None:
    rows = scan_text(GOOD * 150_000 + b"1 Q0 caf\xe9 2 1.5 t\n" + "1 Q0 naïf 3 1.25 t\n".encode(), RUN)
    assert rows is not None
    assert rows.docs.to_list()[-2:] == ["café", "naïf"]


def test_lines_left_out_are_counted_and_the_rest_keep_their_lines() -> None:
    rows = read(b"1 Q0 a 1 2.0\n# c\n1 Q0 b 2 x t\n\n1 Q0 c 3 1.0 t more\n1 Q0 d 4 0.5 t\n", RUN, "skip")
    assert rows.docs.to_list() == ["c", "d"]
    assert [rows.line_of(0), rows.line_of(1)] == [5, 6]
    assert rows.odd == {"malformed": 2, "bad_scores": 1, "wide": 1, "comments": 1}


@given(ids=st.lists(st.text(min_size=1, max_size=4).filter(lambda t: t.isprintable() and " " not in t), min_size=1))
@example(ids=["é"])
def test_an_id_is_the_same_text_whatever_else_is_in_its_file(ids: list[str]) -> None:
    # A stray Latin-1 byte in one line must not change the ids of others: they would no longer match the qrels.
    data = "\n".join(ids).encode()
    assert to_utf8(data) == data
    assert to_utf8(data + b"\n\xe9\xff") == data + "\néÿ".encode()


def test_five_columns_are_not_guessed_to_be_another_kind_of_file() -> None:
    # They may be qrels with a note or a run without a tag.
    with pytest.raises(MalformedInputError, match="5 columns where a run has 6") as caught:
        read(b"1 0 a 1 1\n")
    assert "looks like" not in str(caught.value)
