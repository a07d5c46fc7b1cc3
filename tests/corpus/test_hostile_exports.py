"""Exports that are cut off, doubled or saved in another encoding; very large cells, millions of empty lines."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.corpus.identities import RecordIdentities
from antecede.corpus.splitter import split
from tests.corpus.source_variants import VARIANTS

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = ("exports", "screening/exports", "families", "office-actions")
MAX_BYTES = 100_000
"""Larger files are of the same kinds."""
LIMIT = 4 << 20
ENCODINGS = ("utf-16", "utf-8-sig", "cp1252")


def counts(path: Path, data: bytes) -> tuple[int, int, int, int]:
    """What was read of some bytes: all, kept, merged, rejected; nothing is dropped, each reason is one line."""
    path.write_bytes(data)
    collection = Collection(path)
    kept = len([*collection.patents()])
    ledger = collection.ledger
    assert ledger.read == kept + ledger.merged + ledger.rejected
    assert all(reason.isprintable() and len(reason) < 500 for reason in ledger.reasons)
    assert ledger.read > 0 or not data.strip()
    return ledger.read, kept, ledger.merged, ledger.rejected


def damage(path: Path, data: bytes) -> None:
    """Read a file whole, cut, doubled, and in other encodings."""
    _, kept, _, _ = counts(path, data)
    for share in (0.1, 0.5, 0.97):
        assert counts(path, data[: int(len(data) * share)])[1] <= kept + 1
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    if data.startswith((b"PK", b"\x1f\x8b")):
        return
    assert counts(path, data + b"\n" + data)[1] <= 2 * kept + 1  # records without an id stay apart
    for encoding in ENCODINGS:
        try:
            other = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        if not text.lstrip().startswith("<?xml"):  # which declares another encoding
            assert counts(path, other)[1] == kept, encoding


@pytest.mark.parametrize("name", VARIANTS)
def test_damaged_variants(name: str, tmp_path: Path) -> None:
    text, encoding = VARIANTS[name]
    damage(tmp_path / "file", text.encode(encoding))


def test_damaged_files_that_programs_and_offices_wrote(data: Path, tmp_path: Path) -> None:
    paths = [path for folder in FOLDERS for path in sorted((data / folder).rglob("*")) if path.is_file()]
    if not paths:
        pytest.skip("there are no exports")
    for path in paths:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        if len(content) <= MAX_BYTES or path.suffix == ".xlsx":
            damage(tmp_path / "file", content)


class Repeated(io.RawIOBase):
    """A stream of one piece after a beginning, without being in memory."""

    def __init__(self, start: bytes, piece: bytes, size: int) -> None:
        self.start, self.piece, self.left = start, piece, size

    def read(self, size: int = -1, /) -> bytes:
        if self.start:
            start, self.start = self.start, b""
            return start
        count = min(self.left, max(size, len(self.piece)))
        self.left -= count
        return (self.piece * (count // len(self.piece) + 1))[:count]


@pytest.mark.parametrize(
    ("start", "piece", "size", "rejected"),
    [
        (b"Publication Number,Title\nEP1000000A1,", b"a" * (1 << 20), 20 << 20, 1),
        (b'Publication Number,Title\nEP1000000A1,"', b"a" * (1 << 20), 20 << 20, 1),
        (b"Publication Number,Title\nEP1000000A1,Press\n", b"\n" * (1 << 20), 3_000_000, 0),
        (b"TY  - JOUR\nTI  - Press\nER  - \n", b"\n" * (1 << 20), 3_000_000, 0),
        (b"TY  - JOUR\nTI  - ", b"a" * (1 << 20), 20 << 20, 1),
    ],
)
def test_memory_is_bounded_by_the_longest_record(start: bytes, piece: bytes, size: int, rejected: int) -> None:
    tracemalloc.start()
    outcomes = [*split(Repeated(start, piece, size), "file", limit=LIMIT, identities=RecordIdentities({}))]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * LIMIT
    reasons = [outcome.reason for outcome in outcomes if hasattr(outcome, "reason")]
    assert len(reasons) == rejected, reasons
    assert len(outcomes) <= 2
