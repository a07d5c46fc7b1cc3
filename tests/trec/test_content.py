"""Files as they come: packed in any way, damaged in any way, or not what they were taken for."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from antecede import Policies, RankTable, read_qrels, read_run
from antecede.errors import InputError
from antecede.trec import content
from antecede.trec.content import PART, read_content, strip_compression_suffix
from tests.test_compression import COMPRESSORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = "".join(
    f"{topic} Q0 EP-{doc:07d} {doc} {1000 / doc} tag\n" for topic in range(3) for doc in range(1, 200)
).encode()


NOT_TEXT = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"]", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff", b"PK", b"PAR1")
"""How files begin that are called by another name."""


packings = pytest.mark.parametrize("kind", COMPRESSORS)


def content_of(folder: Path, data: bytes, name: str = "a.run") -> bytes:
    (folder / name).write_bytes(data)
    return read_content(folder / name).data


@packings
def test_a_packed_file_reads_as_the_plain_one_whatever_its_name_is(tmp_path: Path, kind: str) -> None:
    assert content_of(tmp_path, COMPRESSORS[kind](RUN)) == RUN


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip": (lambda: gzip.compress(bytes(100 << 20), compresslevel=1), "is a binary file"),
    "gzip behind text": (lambda: gzip.compress(RUN + bytes(100 << 20), compresslevel=1), "is a binary file"),
    "zstd": (lambda: zstd_bomb(bytes(1 << 20), 500), "is a binary file"),
    "text": (
        lambda: zstd_bomb(b"1 Q0 EP-0000001-A1 1 0.5 tag\n" * (1 << 15), 1000),
        "more than 1000 times its size: not read further; decompress it",
    ),
}


def zstd_bomb(block: bytes, times: int) -> bytes:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    return b"".join([*(packer.compress(block) for _ in range(times)), packer.flush()])


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path, kind: str) -> None:
    make, what = BOMBS[kind]
    (tmp_path / "bomb").write_bytes(make())
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=what):
            read_content(tmp_path / "bomb")
        assert tracemalloc.get_traced_memory()[1] < 250 << 20
    finally:
        tracemalloc.stop()


def test_a_device_is_refused_at_once() -> None:
    for read in (read_run, read_qrels, read_content):
        with pytest.raises(InputError, match="/dev/zero: is a device, not a file"):
            read("/dev/zero")


class Endless(io.RawIOBase):
    """A stream without an end."""

    def __init__(self, text: bytes, most: int) -> None:
        self.text, self.left = text * (PART // len(text)), most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        count = min(len(self.text), len(buffer))
        buffer[:count] = self.text[:count]
        self.left -= count
        assert self.left > 0, "read on for too long"
        return count


@pytest.mark.parametrize(
    ("text", "most", "what"),
    [
        (b"\0", 2, "is a binary file"),
        (b"a", 66, "has no line end in its first 64 MB"),
        (b"1 Q0 d 1 1 t\n", 35, "is too large for the memory of this machine"),
    ],
)
def test_a_stream_without_an_end_is_given_up(
    monkeypatch: pytest.MonkeyPatch, text: bytes, most: int, what: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless(text, most << 20))))
    monkeypatch.setattr(content, "get_largest_size", lambda: (32 if text.endswith(b"\n") else 1000) << 20)
    with pytest.raises(InputError, match=f"standard input: {what}"):
        read_content("-")


def test_a_file_larger_than_the_memory_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "a.run").open("wb") as file:
        file.truncate(1 << 43)
    for read in (read_run, RankTable.load):
        with pytest.raises(InputError, match="is too large for the memory of this machine"):
            read(tmp_path / "a.run")


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "table", [b"1 Q0 a 1 2.0 t\n2 Q0 b 1 1.0 t\n", b"1 Q0 \xc3\xa9 1 2.0 t\n", b"1  Q0 a 1 2.0 t\r\n"]
)
@pytest.mark.parametrize("marks", [1, 2, 3])
def test_marks_at_the_start_of_a_file_do_not_count(tmp_path: Path, table: bytes, marks: int) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(table)
    plain = read_run(path).to_polars()
    path.write_bytes(MARK * marks + table)
    for policies in (Policies(), Policies(ties="rank")):
        assert read_run(path, policies).to_polars().equals(plain)


@pytest.mark.parametrize("before", [b"# a comment\n", b" ", b"\n", b"3 Q0 d 1 1.0 t\n", b"1 Q0 \xc3\xa9 1 2.0 t\n"])
def test_a_mark_inside_a_file_is_refused(tmp_path: Path, before: bytes) -> None:
    for kind in (b"1 Q0 a 1 2.0 t\n", b"1  Q0 a 1 2.0 t x\r\n"):
        (tmp_path / "a.run").write_bytes(before + MARK + kind)
        for policies in (Policies(), Policies(ties="rank"), Policies(malformed="skip")):
            with pytest.raises(InputError, match=r"topic \\ufeff1: begins with a byte-order mark"):
                read_run(tmp_path / "a.run", policies)
    (tmp_path / "a.csv").write_bytes(b"topic_id,doc_id,score\n" + MARK + b"1,a,2.0\n")
    with pytest.raises(InputError, match=r"topic \\ufeff1: begins with a byte-order mark"):
        read_run(tmp_path / "a.csv")


@pytest.mark.parametrize("doc", ["#d", "\ufeffd", "d\ufeff"])
@pytest.mark.parametrize("text", ["1 Q0 {} 1 2.0 t\n", "1  Q0 {} 1 2.0 t x\r\n", "topic_id,doc_id,score\n1,{},2.0\n"])
def test_ids_of_documents_are_the_same_on_every_way(tmp_path: Path, doc: str, text: str) -> None:
    (tmp_path / "a").write_text(text.format(doc), "utf-8", newline="")
    for policies in (Policies(), Policies(malformed="skip")):
        assert read_run(tmp_path / "a", policies).doc_ids.to_list() == [doc]


@given(
    before=st.one_of(st.just(RUN), st.just(b"topic_id,doc_id,score\n"), st.binary(max_size=60)),
    behind=st.binary(max_size=30),
)
def test_a_zero_byte_is_refused_wherever_it_stands(
    tmp_path_factory: pytest.TempPathFactory, before: bytes, behind: bytes
) -> None:
    path = tmp_path_factory.mktemp("zeros") / "a.run"
    path.write_bytes(before + b"\0" + behind)
    for read in (read_run, read_qrels, read_content):
        with pytest.raises(InputError):
            read(path)
    if not before.startswith(NOT_TEXT):
        with pytest.raises(InputError, match="is a binary file"):
            read_run(path)


def test_what_is_no_file_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_content(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_content(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read"):
        read_content(tmp_path / ("x" * 300))

    # Permissions do not stop root, who may well run the tests.
    def refuse(_path: Path, *_how: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.run").touch()
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(InputError, match="permission denied"):
        read_content(tmp_path / "a.run")


def test_standard_input_is_a_file_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + RUN)))
    found = read_content("-")
    assert (found.data, found.source, found.name) == (RUN, "standard input", "stdin")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN)[:-9])))
    with pytest.raises(InputError, match="standard input: the gzip data ends early"):
        read_content("-")
    monkeypatch.setattr(sys, "stdin", None)  # as after <&-
    with pytest.raises(InputError, match="standard input: is empty"):
        read_content("-")


def test_a_name_loses_the_endings_of_packing_and_no_more() -> None:
    names = {"a.ok8alx.gz": "a.ok8alx", "a.run.GZ": "a.run", "a.tar.gz.xz": "a.tar", "a.zstd": "a", "a.lzma.bz2": "a"}
    names |= {name: name for name in (".gz", "gz", "a.run")}
    assert {name: strip_compression_suffix(name) for name in names} == names


def test_a_parquet_file_may_be_packed(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    # Noise, so that it is long enough for several steps of unpacking, of which bzip2's first gives nothing yet.
    noise = [draw.bytes(20).hex() for _ in range(3000)]
    frame = pl.DataFrame({"topic_id": "1", "doc_id": noise, "score": range(3000)})
    frame.write_parquet(tmp_path / "a.parquet", compression="uncompressed", use_pyarrow=False)
    for kind, pack in COMPRESSORS.items():
        (tmp_path / "b").write_bytes(pack((tmp_path / "a.parquet").read_bytes()))
        assert read_run(tmp_path / "b").doc_ids.to_list() == noise, kind
