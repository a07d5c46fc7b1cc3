"""The scanner and the line reader give the result of the plain reader, or an error; never a wrong result silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from antecede.errors import InputError, MalformedInputError
from antecede.trec.content import Content, to_utf8
from antecede.trec.reader import QRELS, RUN, Layout, read_lines, read_rows
from antecede.trec.scanner import normalize, scan_clean
from tests.trec.plain import (
    LAYOUTS,
    RefusedError,
    Row,
    clean_file,
    clean_ids,
    is_clean,
    lines_of,
    messy_file,
    plain_rows,
)

if TYPE_CHECKING:
    from antecede.trec.rows import Rows

kinds = pytest.mark.parametrize("kind", ["run", "qrels"])


def read(data: bytes, layout: Layout) -> Rows:
    return read_rows(Content("a.file", "a", data), layout, "error", with_ranks=False)


def skip_malformed(data: bytes) -> Rows:
    return read_rows(Content("a", "a", data), RUN, "skip", with_ranks=False)


def rows_of(found: Rows) -> list[Row]:
    places = map(found.locate, range(len(found.numbers)))
    return [
        Row(topic_id, doc_id, float(number), line or 0)
        for (topic_id, doc_id, line), number in zip(places, found.numbers.tolist(), strict=True)
    ]


def values_of(found: Rows) -> list[tuple[str, str, float]]:
    return [(row.topic_id, row.doc_id, row.number) for row in rows_of(found)]


def exact(rows: list[Row]) -> list[tuple[str, str, str, int]]:
    """Rows that differ wherever a bit does: −0.0 from 0.0 too."""
    return [(row.topic_id, row.doc_id, float(row.number).hex(), row.line) for row in rows]


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_the_two_ways_agree_on_a_clean_file(kind: str, drawn: st.DataObject) -> None:
    layout, _ = LAYOUTS[kind]
    lines = drawn.draw(lines_of(kind, clean_ids))
    separator = drawn.draw(st.sampled_from([" ", "\t"]))
    data = clean_file(lines, separator)
    expected = exact(plain_rows(data, layout))
    assert exact(rows_of(read_lines(data, "a.file", layout, "error"))) == expected
    assert exact(rows_of(read(data, layout))) == expected
    for text in (data, normalize(data)[0]):
        rows = scan_clean(text, layout)
        assert rows is not None
        assert exact(rows_of(rows)) == expected


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_messy_file_reads_as_the_clean_one(kind: str, drawn: st.DataObject) -> None:
    layout, _ = LAYOUTS[kind]
    lines = drawn.draw(lines_of(kind))
    data = drawn.draw(messy_file(lines, kind))
    found = exact(rows_of(read(data, layout)))
    assert found == exact(plain_rows(data, layout))
    # Only the line numbers differ.
    assert [row[:3] for row in found] == [row[:3] for row in exact(plain_rows(clean_file(lines), layout))]
    assert exact(rows_of(read_lines(data, "a.file", layout, "error"))) == found


PLAIN_FILES = {
    "run": b"401 Q0 d1 1 3.5 tag\n401 Q0 d\xc3\xa9 2 2.25 tag\n402 Q0 d1 1 -1e3 tag\n402 Q0 d3 2 -1e4 tag\n",
    "qrels": b"401 0 d1 1\n401 0 d\xc3\xa9 0\n402 0 d1 2\n402 0 d3 -1\n",
}
BYTES = st.one_of(st.integers(0, 255), st.sampled_from(list(b" \t\r\n#\"',.-+eE0123456789nai_x\v\f\x1c\xa0")))


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_changed_byte_is_never_read_wrongly_in_silence(kind: str, drawn: st.DataObject) -> None:
    """The one property that matters most: what comes out is what the file says, or an error."""
    layout, _ = LAYOUTS[kind]
    data = bytearray(PLAIN_FILES[kind])
    for _ in range(drawn.draw(st.integers(1, 4))):
        at = drawn.draw(st.integers(0, len(data) - 1))
        match drawn.draw(st.sampled_from(["change", "insert", "delete", "move"])):
            case "change":
                data[at] = drawn.draw(BYTES)
            case "insert":
                data.insert(at, drawn.draw(BYTES))
            case "delete":
                del data[at]
            case _:  # a column too few on one line and one too many on another must not cancel out
                data.insert(drawn.draw(st.integers(0, len(data) - 1)), data.pop(at))
    agrees_with_the_plain_reader(bytes(data), layout)


@kinds
@pytest.mark.parametrize("sign", list(b"\x01\t\n\v\f\r\x1c\x1f #\"',.+-_eE019nN\x7f\x80\xa0\xc3\xff"))
def test_a_sign_at_every_place_is_never_read_wrongly_in_silence(kind: str, sign: int) -> None:
    layout, _ = LAYOUTS[kind]
    data = PLAIN_FILES[kind][: 45 if kind == "run" else 24]
    for at in range(len(data) + 1):
        agrees_with_the_plain_reader(data[:at] + bytes([sign]) + data[at:], layout)


def agrees_with_the_plain_reader(data: bytes, layout: Layout) -> None:
    fast = scan_clean(to_utf8(data), layout)
    assert fast is None or is_clean(data.replace(b"\t", b" "), layout)
    if b"\0" in data:  # no text contains one: refused before it is read as rows, see test_content
        assert fast is None
        return
    try:
        expected = exact(plain_rows(data, layout))
    except RefusedError:
        assert fast is None
        with pytest.raises(InputError):
            read(data, layout)
        return
    assert exact(rows_of(read(data, layout))) == expected


@pytest.mark.parametrize(
    ("kind", "text"), [("run", "1 Q0 a 1 2.0 t\n#1 Q0 b 2 1.0 t\n"), ("qrels", "1 0 a 2\n#1 0 b 1\n")]
)
def test_a_comment_with_the_right_columns_is_still_a_comment(kind: str, text: str) -> None:
    # It has the columns of data, and would add a topic to the mean.
    rows = read(text.encode(), LAYOUTS[kind][0])
    assert values_of(rows) == [("1", "a", 2)]
    assert rows.odd["comments"] == 1


@pytest.mark.parametrize("relevance", ["1000000000", "4294967297", "-4294967296", "9" * 30, "-9223372036854775808"])
def test_a_relevance_that_does_not_fit_is_refused(relevance: str) -> None:
    # 4294967297 is 1 in 32 bits.
    with pytest.raises(MalformedInputError, match="not a whole number"):
        read(f"1 0 a 1\n1 0 b {relevance}\n".encode(), QRELS)


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-inf", "Infinity", "1e400", "abc", "1,5", "1_000", "0x1p3"])
def test_a_score_that_is_no_finite_number_is_refused_and_counted(score: str) -> None:
    data = f"1 Q0 a 1 2.0 t\n1 Q0 b 2 {score} t\n".encode()
    with pytest.raises(MalformedInputError, match=r"line 2: score '.*' is not a finite number"):
        read(data, RUN)
    rows = skip_malformed(data)
    assert values_of(rows) == [("1", "a", 2.0)]
    assert (rows.odd["malformed"], rows.odd["bad_scores"]) == (1, 1)


def test_lines_left_out_are_counted_and_the_rest_keep_their_lines() -> None:
    data = b"1 Q0 a 1 2.0\n# c\n1 Q0 b 2 x t\n\n1 Q0 c 3 1.0 t more\n1 Q0 d 4 0.5 t\n"
    rows = skip_malformed(data)
    assert rows.docs.to_list() == ["c", "d"]
    assert [rows.line_of(0), rows.line_of(1)] == [5, 6]
    assert rows.odd == {"malformed": 2, "bad_scores": 1, "wide": 1, "comments": 1}


def test_a_file_that_begins_like_a_zlib_stream_is_read_as_text() -> None:
    assert values_of(read(b"x^1 Q0 a 1 2.0 t\n", RUN)) == [("x^1", "a", 2.0)]


@given(ids=st.lists(st.text(min_size=1, max_size=4).filter(lambda t: t.isprintable() and " " not in t), min_size=1))
@example(ids=["é"])
def test_an_id_is_the_same_text_whatever_else_is_in_its_file(ids: list[str]) -> None:
    # A stray Latin-1 byte in one line must not change the ids of others: they would no longer match the qrels.
    data = "\n".join(ids).encode()
    assert to_utf8(data) == data
    assert to_utf8(data + b"\n\xe9\xff") == data + "\néÿ".encode()


def test_the_guess_at_swapped_files_is_right() -> None:
    with pytest.raises(MalformedInputError, match="looks like qrels"):
        read(b"1 0 a 1\n", RUN)
    with pytest.raises(MalformedInputError, match="looks like a run"):
        read(b"1 Q0 a 1 2.0 t\n", QRELS)
    # Five columns may be qrels with a note or a run without a tag: nothing is claimed.
    with pytest.raises(MalformedInputError, match="5 columns where a run has 6") as caught:
        read(b"1 0 a 1 1\n", RUN)
    assert "looks like" not in str(caught.value)
