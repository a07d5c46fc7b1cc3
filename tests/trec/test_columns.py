"""The three ways to read a file give one result, the one of the plain reader; and never a wrong one in silence."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antecede.errors import InputError, MalformedInputError
from antecede.trec.columns import Columns, as_utf8, by_line, clean, read_columns
from antecede.trec.content import Content
from antecede.trec.layout import QRELS, RUN, Layout
from antecede.trec.normalization import normalize
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

kinds = pytest.mark.parametrize("kind", ["run", "qrels"])


PLAIN_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]+)?(e-?[0-9]+)?")


def read(data: bytes, layout: Layout, wanted: tuple[str, ...]) -> Columns:
    return read_columns(Content("a.file", "a", data), layout, "error", wanted)


def rows_of(columns: Columns) -> list[Row]:
    rows = enumerate(columns.frame.rows())
    return [Row(topic_id, doc_id, number, columns.line_of(at) or 0) for at, (topic_id, doc_id, number) in rows]


def exact(rows: list[Row]) -> list[tuple[str, str, str, int]]:
    """Rows that differ wherever a bit does: −0.0 from 0.0 too."""
    return [(row.topic_id, row.doc_id, float(row.number).hex(), row.line) for row in rows]


@kinds
@given(drawn=st.data())
def test_the_three_ways_agree_on_a_clean_file(kind: str, drawn: st.DataObject) -> None:
    layout, wanted = LAYOUTS[kind]
    lines = drawn.draw(lines_of(kind, clean_ids))
    separator = drawn.draw(st.sampled_from([" ", "\t"]))
    data = clean_file(lines, separator)
    expected = exact(plain_rows(data, layout))
    assert exact(rows_of(by_line(data, "a.file", layout, "error", wanted))) == expected
    assert exact(rows_of(read(data, layout, wanted))) == expected
    plain_numbers = all(PLAIN_NUMBER.fullmatch(line[layout.fields.index(layout.value)]) for line in lines)
    for text in (data, normalize(data, layout).text):
        frame = clean(text, layout, wanted)
        # What the fast way does not know, such as a + sign, the others do; but it must know the common forms.
        assert frame is not None or not plain_numbers or text.startswith(b"x^")
        if frame is not None:
            assert [(t, d, float(n).hex()) for t, d, n in frame.rows()] == [row[:3] for row in expected]


@kinds
@given(drawn=st.data())
def test_a_messy_file_reads_as_the_clean_one(kind: str, drawn: st.DataObject) -> None:
    layout, wanted = LAYOUTS[kind]
    lines = drawn.draw(lines_of(kind))
    data = drawn.draw(messy_file(lines, kind))
    found = exact(rows_of(read(data, layout, wanted)))
    assert found == exact(plain_rows(data, layout))
    # The lines stand elsewhere, all else is the same.
    assert [row[:3] for row in found] == [row[:3] for row in exact(plain_rows(clean_file(lines), layout))]
    assert exact(rows_of(by_line(data, "a.file", layout, "error", wanted))) == found


PLAIN_FILES = {
    "run": b"401 Q0 d1 1 3.5 tag\n401 Q0 d\xc3\xa9 2 2.25 tag\n402 Q0 d1 1 -1e3 tag\n402 Q0 d3 2 -1e4 tag\n",
    "qrels": b"401 0 d1 1\n401 0 d\xc3\xa9 0\n402 0 d1 2\n402 0 d3 -1\n",
}
BYTES = st.one_of(st.integers(0, 255), st.sampled_from(list(b" \t\r\n#\"',.-+eE0123456789nai_x\v\f\x1c\xa0")))


@kinds
@settings(max_examples=300)
@given(drawn=st.data())
def test_a_changed_byte_is_never_read_wrongly_in_silence(kind: str, drawn: st.DataObject) -> None:
    """The one property that matters most: what comes out is what the file says, or an error."""
    layout, wanted = LAYOUTS[kind]
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
    agrees_with_the_plain_reader(bytes(data), layout, wanted)


@kinds
@pytest.mark.parametrize("sign", list(b"\x01\t\n\v\f\r\x1c\x1f #\"',.+-_eE019nN\x7f\x80\xa0\xc3\xff"))
def test_a_sign_at_every_place_is_never_read_wrongly_in_silence(kind: str, sign: int) -> None:
    layout, wanted = LAYOUTS[kind]
    data = PLAIN_FILES[kind][: 45 if kind == "run" else 24]
    for at in range(len(data) + 1):
        agrees_with_the_plain_reader(data[:at] + bytes([sign]) + data[at:], layout, wanted)


def agrees_with_the_plain_reader(data: bytes, layout: Layout, wanted: tuple[str, ...]) -> None:
    fast = clean(data, layout, wanted)
    assert fast is None or is_clean(data, layout)
    try:
        expected = exact(plain_rows(data, layout))
    except RefusedError:
        assert fast is None
        with pytest.raises(InputError):
            read(data, layout, wanted)
        return
    assert exact(rows_of(read(data, layout, wanted))) == expected


@pytest.mark.parametrize(
    ("kind", "text"), [("run", "1 Q0 a 1 2.0 t\n#1 Q0 b 2 1.0 t\n"), ("qrels", "1 0 a 2\n#1 0 b 1\n")]
)
def test_a_comment_with_the_right_columns_is_still_a_comment(kind: str, text: str) -> None:
    # It looks just like data to a CSV reader, and would add a topic to the mean.
    columns = read(text.encode(), *LAYOUTS[kind])
    assert columns.frame.rows() == [("1", "a", 2)]
    assert columns.odd["comments"] == 1


@pytest.mark.parametrize("relevance", ["1000000000", "4294967297", "-4294967296", "9" * 30, "-9223372036854775808"])
def test_a_relevance_that_does_not_fit_is_refused(relevance: str) -> None:
    # 4294967297 is 1 in 32 bits.
    with pytest.raises(MalformedInputError, match="not a whole number"):
        read(f"1 0 a 1\n1 0 b {relevance}\n".encode(), QRELS, ("topic_id", "relevance"))


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-inf", "Infinity", "1e400", "abc", "1,5", "1_000", "0x1p3"])
def test_a_score_that_is_no_finite_number_is_refused_and_counted(score: str) -> None:
    data = f"1 Q0 a 1 2.0 t\n1 Q0 b 2 {score} t\n".encode()
    with pytest.raises(MalformedInputError, match=r"line 2: score '.*' is not a finite number"):
        read(data, RUN, ("topic_id", "score"))
    columns = read_columns(Content("a", "a", data), RUN, "skip", ("topic_id", "doc_id", "score"))
    assert columns.frame.rows() == [("1", "a", 2.0)]
    assert (columns.odd["malformed"], columns.odd["bad_scores"]) == (1, 1)


def test_lines_left_out_are_counted_and_the_rest_keep_their_lines() -> None:
    data = b"1 Q0 a 1 2.0\n# c\n1 Q0 b 2 x t\n\n1 Q0 c 3 1.0 t more\n1 Q0 d 4 0.5 t\n"
    columns = read_columns(Content("a", "a", data), RUN, "skip", ("topic_id", "doc_id", "score"))
    assert columns.frame["doc_id"].to_list() == ["c", "d"]
    assert [columns.line_of(0), columns.line_of(1)] == [5, 6]
    assert columns.odd == {"malformed": 2, "bad_scores": 1, "wide": 1, "comments": 1}


def test_a_file_that_begins_like_a_packed_one_is_read_as_it_is() -> None:
    # x^ is how a zlib stream may begin, and the CSV reader would unpack it.
    columns = read(b"x^1 Q0 a 1 2.0 t\n", RUN, ("topic_id", "doc_id", "score"))
    assert columns.frame.rows() == [("x^1", "a", 2.0)]


@given(ids=st.lists(st.text(min_size=1, max_size=4).filter(lambda t: t.isprintable() and " " not in t), min_size=1))
@example(ids=["é"])
def test_an_id_is_the_same_text_whatever_else_is_in_its_file(ids: list[str]) -> None:
    # A stray Latin-1 byte in one line must not change the ids of others: they would no longer match the qrels.
    data = "\n".join(ids).encode()
    assert as_utf8(data) == data
    assert as_utf8(data + b"\n\xe9\xff") == data + "\néÿ".encode()


def test_the_guess_at_swapped_files_is_right() -> None:
    with pytest.raises(MalformedInputError, match="looks like qrels"):
        read(b"1 0 a 1\n", RUN, ("topic_id",))
    with pytest.raises(MalformedInputError, match="looks like a run"):
        read(b"1 Q0 a 1 2.0 t\n", QRELS, ("topic_id",))
    # Five columns may be qrels with a note or a run without a tag: nothing is claimed.
    with pytest.raises(MalformedInputError, match="5 columns where a run has 6") as caught:
        read(b"1 0 a 1 1\n", RUN, ("topic_id",))
    assert "looks like" not in str(caught.value)
