"""A file that is scanned gives what the plain reader and the line reader give; what is not clean is never scanned."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import InputError, Policies, Qrels, Run, read_qrels, read_run
from antecede.trec import reader, scanner
from antecede.trec.content import to_utf8
from antecede.trec.reader import RUN, Layout
from antecede.trec.scanner import scan_clean, scan_text
from tests.trec.plain import LAYOUTS, RefusedError, clean_file, is_clean, lines_of, messy_file, plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

kinds = pytest.mark.parametrize("kind", ["run", "qrels"])
RUN_LINES = "".join(f"{401 + row // 3} Q0 d{row} {row % 3} {9.5 - row / 4} tag\n" for row in range(9)).encode()
LINES = {"run": RUN_LINES, "qrels": b"401 0 d1 1\n401 0 d2 0\n402 0 d1 2\n402 0 d33 -1\n9 0 d4 007\n"}

ascii_ids = st.one_of(
    st.from_regex(r"[!-~]{1,20}", fullmatch=True),
    st.from_regex(r"[!-~]{50,60}", fullmatch=True),
    st.sampled_from(["a", "b", "EP-0728164-A1", "nan", "1.5", "\x7f", "x" * 3000]),
)


sizes = st.sampled_from([None, 40, 200])
small_blocks = pytest.mark.parametrize("block", [None, 40, 200])


@contextmanager
def blocks_of(size: int | None) -> Iterator[None]:
    """Blocks of every size: with small ones, what is odd stands at their edges too."""
    with pytest.MonkeyPatch.context() as patch:
        if size is not None:
            patch.setattr(scanner, "BLOCK", size)
        yield


def scanned(data: bytes, layout: Layout) -> list[tuple[str, str, str, int | None]] | None:
    """The rows, which differ wherever a bit does."""
    rows = scan_clean(to_utf8(data), layout)
    if rows is None:
        return None
    numbers = [float(number).hex() for number in rows.numbers.tolist()]
    return [
        (topic, doc, numbers[at], line) for at, (topic, doc, line) in enumerate(map(rows.locate, range(len(numbers))))
    ]


def plain(data: bytes, layout: Layout) -> list[tuple[str, str, str, int]] | None:
    try:
        return [(row.topic_id, row.doc_id, float(row.number).hex(), row.line) for row in plain_rows(data, layout)]
    except RefusedError:
        return None


def agrees(data: bytes, layout: Layout, block: int | None = None) -> None:
    with blocks_of(block):
        found = scanned(data, layout)
    assert found is None or is_clean(data.replace(b"\t", b" "), layout)
    assert found is None or found == plain(data, layout)


@kinds
@given(drawn=st.data())
def test_a_clean_file_is_scanned_and_gives_what_the_plain_reader_gives(kind: str, drawn: st.DataObject) -> None:
    layout, _ = LAYOUTS[kind]
    lines = drawn.draw(lines_of(kind, ascii_ids))
    data = clean_file(lines, drawn.draw(st.sampled_from([" ", "\t"])))
    data = data[: drawn.draw(st.sampled_from([None, -1]))]  # the last newline may be missing
    with blocks_of(drawn.draw(sizes)):
        found = scanned(data, layout)
    assert found == plain(data, layout)


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_messy_file_is_left_alone_or_read_as_it_is(kind: str, drawn: st.DataObject) -> None:
    agrees(drawn.draw(messy_file(drawn.draw(lines_of(kind)), kind)), LAYOUTS[kind][0], drawn.draw(sizes))


@pytest.mark.slow
@kinds
@given(drawn=st.data())
def test_a_changed_byte_is_never_read_wrongly(kind: str, drawn: st.DataObject) -> None:
    data = bytearray(LINES[kind])
    for _ in range(drawn.draw(st.integers(1, 4))):
        at = drawn.draw(st.integers(0, len(data) - 1))
        sign = drawn.draw(
            st.one_of(st.integers(0, 255), st.sampled_from(list(b" \t\r\n#.-+eE0123456789n\v\f\x1c\xa0")))
        )
        match drawn.draw(st.sampled_from(["change", "insert", "delete", "move"])):
            case "change":
                data[at] = sign
            case "insert":
                data.insert(at, sign)
            case "delete":
                del data[at]
            case _:  # a column too few on one line and one too many on another must not cancel out
                data.insert(drawn.draw(st.integers(0, len(data) - 1)), data.pop(at))
    agrees(bytes(data), LAYOUTS[kind][0], drawn.draw(sizes))


@kinds
@pytest.mark.parametrize("sign", list(b"\x00\x01\t\n\v\f\r\x1c\x1f #.+-_eE019nN\x7f\x80\xa0\xff"))
def test_a_sign_at_every_place_is_never_read_wrongly(kind: str, sign: int) -> None:
    data = LINES[kind][:48]
    for at in range(len(data) + 1):
        agrees(data[:at] + bytes([sign]) + data[at:], LAYOUTS[kind][0])
        agrees(data[:at] + bytes([sign]) + data[at + 1 :], LAYOUTS[kind][0])


GOOD = b"1 Q0 a 1 2.5 t\n"


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
        b"1 Q0 b 2 1.5 \n",
        b"1 Q0 b 2 1.5 t \n",
        b"1 Q0 b 2 1.5 t\r\n",
        b"1 Q0 b 2 1.5 t\r1 Q0 c 3 1.25 t\n",
        b"1 Q0 b\x0b2 1.5 t\n",
        b"1 Q0 b\x00 2 1.5 t\n",
        b"#1 Q0 b 2 1.5 t\n",
        b"# 1 Q0 b 2 1.5\n",
        b"\n",
        b"1 Q0 b 2 nan t\n",
        b"1 Q0 b 2 inf t\n",
        b"1 Q0 b 2 1e400 t\n",
        b"1 Q0 b 2 1,5 t\n",
        b"1 Q0 b 2 1.5.5 t\n",
        b"1 Q0 b 2 - t\n",
        b"1 Q0 b 2 . t\n",
        b"1 Q0 b 2 -. t\n",
        b"1 Q0 b 2 --1 t\n",
        b"1 Q0 b 2 1-1 t\n",
        b"1 Q0 b 2 1_0 t\n",
        b"1 Q0 b 2 0x1 t\n",
    ],
)
@small_blocks
def test_one_unclean_line_is_enough_for_a_file_not_to_be_scanned(lines: bytes, block: int | None) -> None:
    for before, behind in product((0, 1, 40), repeat=2):
        data = GOOD * before + lines + GOOD * behind
        with blocks_of(block):
            assert scan_clean(data, RUN) is None
            assert scan_clean(GOOD * (before + 1), RUN) is not None
        agrees(data, RUN, block)


@pytest.mark.parametrize("line", [b"1 Q0 b\t2 1.5 t\n", b"1\tQ0\tb\t2\t1.5\tt\n"])
def test_tabs_are_separators_like_spaces(line: bytes) -> None:
    for data in (line + GOOD * 3 + line, GOOD + line):
        assert scanned(data, RUN) == plain(data, RUN) is not None
    assert scan_clean(line + b"1\t\tQ0 b 2 1.5 t\n", RUN) is None


NUMBERS = [
    "1e-5",
    "-1E+2",
    "+3",
    "9007199254740993",
    "0.30000000000000004",
    "-.5",
    "5.",
    "1e-400",
    "-0",
    "123456789012.5",
]


@small_blocks
def test_odd_forms_of_a_score_are_read_one_by_one(block: int | None) -> None:
    lines = [f"1 Q0 d{row} 1 {NUMBERS[row // 20] if row % 20 == 0 else row / 8} t\n" for row in range(200)]
    data = "".join(lines).encode()
    with blocks_of(block):
        assert scanned(data, RUN) == plain(data, RUN)


def test_a_file_full_of_them_is_scanned_too() -> None:
    for form in ("{}e-1", "0.1234567890123456{}", "+{}.", ".{}E3"):
        data = "".join(f"1 Q0 d{row} 1 {form.format(row)} t\n" for row in range(200)).encode()
        assert scanned(data, RUN) == plain(data, RUN) is not None
        assert scan_clean(data + b"1 Q0 d 1 1e t\n", RUN) is None


def test_a_file_whose_topics_are_interleaved_is_scanned() -> None:
    data = "".join(f"{row % 50} Q0 d{row} 1 1 t\n" for row in range(200)).encode()
    assert scanned(data, RUN) == plain(data, RUN) is not None


@pytest.mark.parametrize("byte", range(128, 256))
def test_a_byte_that_is_not_ascii_is_never_a_digit(byte: int) -> None:
    # In the arithmetic on words it may overflow into the byte next to it.
    for at in range(9):
        number = b"1234.5678"[:at] + bytes([byte]) + b"1234.5678"[at + 1 :]
        for digits in (b"", b"9" * 7):
            data = GOOD + b"1 Q0 b 2 " + digits + number + b" t\n" + GOOD
            assert scan_clean(data, RUN) is None


@pytest.mark.parametrize("topic", ["1", "EP-1004897-A1", "x" * 16, "x" * 17, "x" * 40, "x" * 56])
@small_blocks
def test_topics_that_differ_in_one_sign_are_told_apart(topic: str, block: int | None) -> None:
    topics = [topic[:at] + "y" + topic[at + 1 :] for at in range(len(topic))] + [topic + "y" * (len(topic) < 56)]
    data = "".join(f"{each} Q0 d 1 1.0 t\n{each} Q0 e 1 0.5 t\n" for each in topics).encode()
    with blocks_of(block):
        rows = scan_clean(data, RUN)
    assert rows is not None
    assert list(rows.topics.names) == topics
    assert rows.topics.lengths.tolist() == [2] * len(topics)
    assert len(rows.topics.codes) == len(topics), "a topic is not torn apart where a block ends"


@pytest.mark.parametrize("longest", [56, 57, 64, 200])
def test_columns_may_be_long(longest: int) -> None:
    columns = [sign * longest for sign in "1qd23"]
    data = f"{' '.join(columns)} {'t' * 5000}\n1 Q0 d 1 1.5 t\n".encode()
    assert scanned(data, RUN) == plain(data, RUN) is not None
    for column in range(5):
        line = ["1", "Q0", "d", "1", "1.5", "t"]
        line[column] = columns[column]
        data = f"1 Q0 d 1 1.5 t\n{' '.join(line)}".encode()
        assert scanned(data, RUN) == plain(data, RUN) is not None


def everything(read: Any, path: Path, policies: Policies) -> object:
    """All that comes out of reading a file, or the message."""
    try:
        found: Run | Qrels = read(path, policies)
    except InputError as error:
        return str(error)
    numbers = found.scores if isinstance(found, Run) else found.relevance
    ranks = (
        (found.ranks.tolist(), None if found.tied is None else found.tied.tolist(), found.lengths.tolist())
        if isinstance(found, Run)
        else found.offsets.tolist()
    )
    odd = {key: count for key, count in found.odd.items() if count}
    return (
        found.topics,
        found.topic.tolist(),
        found.doc_ids.to_list(),
        [n.hex() for n in map(float, numbers)],
        ranks,
        odd,
    )


@pytest.mark.slow
@kinds
@pytest.mark.parametrize("policies", [Policies(), Policies("first", "skip", "input", 2), Policies("keep", "skip")])
@given(drawn=st.data())
def test_whether_a_file_is_scanned_makes_no_difference(
    kind: str, policies: Policies, drawn: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    few = st.one_of(st.sampled_from(["1", "2", "a", "b", "aa", "é", "x" * 17, "x" * 16, "x" * 200]), ascii_ids)
    lines = drawn.draw(lines_of(kind, few))
    data = clean_file(lines) if drawn.draw(st.booleans()) else drawn.draw(messy_file(lines, kind))
    path = tmp_path_factory.mktemp("files") / "a.file"
    path.write_bytes(data)
    read = read_run if kind == "run" else read_qrels
    fast = everything(read, path, policies)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "scan_text", lambda *_given, **_options: None)
        assert everything(read, path, policies) == fast


FORMS: dict[str, tuple[bytes, dict[str, int]]] = {
    "surplus columns": (RUN_LINES.replace(b"\n", b" x y\n"), {"wide": 9}),
    "many surplus columns": (RUN_LINES.replace(b"\n", b" x" * 20 + b"\n"), {"wide": 9}),
    "a blank at the end": (RUN_LINES.replace(b"\n", b" \n"), {}),
    "blanks at the end": (RUN_LINES.replace(b"\n", b" \t  \n"), {}),
    "CRLF": (RUN_LINES.replace(b"\n", b"\r\n"), {}),
    "CR": (RUN_LINES.replace(b"\n", b"\r"), {}),
    "blanks": (b"  " + RUN_LINES.replace(b" ", b"   "), {}),
    "tabs and blanks": (RUN_LINES.replace(b" Q0 ", b"\tQ0\v\f"), {}),
    "comments": (b"#\n # a\n" + RUN_LINES.replace(b"402 Q0 d3", b"# b\n402 Q0 d3"), {"comments": 3}),
    "empty lines": (b"\n\n \n" + RUN_LINES.replace(b"\n", b"\n \n\n"), {}),
}


@pytest.mark.parametrize("form", FORMS)
@small_blocks
def test_what_is_not_clean_is_scanned_once_it_is_normalized(form: str, block: int | None) -> None:
    data, odd = FORMS[form]
    with blocks_of(block):
        rows = scan_text(data, RUN)
    assert rows is not None
    plainly = plain_rows(data, RUN)
    assert [rows.locate(at) for at in range(len(rows.numbers))] == [(r.topic_id, r.doc_id, r.line) for r in plainly]
    assert rows.numbers.tolist() == [row.number for row in plainly]
    assert {key: count for key, count in rows.odd.items() if count} == odd


def test_surplus_columns_are_not_read_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in a file that is not ASCII, nor where ranks are read."""

    def fail(*_given: object) -> None:
        raise AssertionError

    monkeypatch.setattr("antecede.trec.reader.read_lines", fail)
    path = tmp_path / "a.run"
    for data in (
        RUN_LINES.replace(b"tag", b"t x"),
        RUN_LINES.replace(b"401 Q0 d0", b"\xc3\xa9 Q0 \xe9").replace(b"tag\n", b"tag  x\r\n"),
    ):
        path.write_bytes(data)
        for policies in (Policies(), Policies(ties="rank")):
            run = read_run(path, policies)
            assert len(run) == 9
            assert run.odd["wide"] == data.count(b" x")


@pytest.mark.parametrize("before", [0, 3, 120_000])
def test_bytes_that_are_not_utf8_are_read_as_latin1_wherever_they_are(before: int) -> None:
    data = GOOD * before + b"1 Q0 caf\xe9 2 1.5 t\n" + "1 Q0 naïf 3 1.25 t\n".encode()
    assert scan_clean(data, RUN) is None
    rows = scan_text(data, RUN)
    assert rows is not None
    assert rows.docs.to_list()[-2:] == ["café", "naïf"]
    assert rows.numbers[-2:].tolist() == [1.5, 1.25]
