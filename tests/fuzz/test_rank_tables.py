"""Saved rank tables with any byte changed: refused in one line, or read as they were saved."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from antecede import InputError, RankTable, rank_table

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.fuzz.outcomes import Fuzz

def draw_table(draw: random.Random) -> RankTable:
    """A rank table as it is built from runs and qrels."""
    topics = draw.sample(["1", "2", "10", "é"], draw.randint(1, 3))
    docs = ["a", "b", "c", "d", "é", "f"]
    qrels = {topic: {doc: draw.choice([-1, 0, 1, 1, 2, 3]) for doc in draw.sample(docs, 4)} for topic in topics}
    qrels[topics[0]]["a"] = 3
    runs = {
        name: {topic: {doc: draw.random() for doc in draw.sample(docs, draw.randint(1, 6))} for topic in topics}
        for name in ("r", "s")[: draw.randint(1, 2)]
    }
    return rank_table(qrels, runs)


def change_file(draw: random.Random, data: bytes) -> bytes:
    """Headers that claim too much, members compressed or stored twice, and plain damage to bytes."""
    match draw.randrange(5):
        case 0:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                stored = {name: archive.read(name) for name in archive.namelist()}
            name = draw.choice([*stored])
            claim = draw.choice([b"(1000000000000000,)", b"(0,)", b"(-1,)", b"(4,1000000000)", b"()", b"(2,3,4)"])
            head, _, rest = stored[name].partition(b"(")
            shape, _, rest = rest.partition(b")")
            stored[name] = head + claim + rest[max(0, len(claim) - len(shape) - 2) :]
            return zipped(stored, zipfile.ZIP_STORED)
        case 1:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                stored = {name: archive.read(name) for name in archive.namelist()}
            return zipped(stored, draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))
        case 2:
            return data[: draw.randrange(len(data))]
        case _:
            at = draw.randrange(len(data))
            return data[:at] + draw.randbytes(draw.randint(1, 3)) + data[at + draw.randint(0, 3) :]


def zipped(members: dict[str, bytes], method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_changed_bytes(fuzz: Fuzz, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    for number, draw in fuzz.cases(500):
        table = draw_table(draw)
        table.save(path)
        path.write_bytes(change_file(draw, path.read_bytes()))
        try:
            found = RankTable.load(path)
        except InputError:
            fuzz.count("refused")
            continue
        # What is not covered by a checksum, such as the times of the members, may change.
        assert found.to_polars().equals(table.to_polars()), f"case {number}"
        fuzz.count("exact")
