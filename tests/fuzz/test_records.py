"""Records of all wrong shapes: what comes back is a patent whose every field has its type, or an error."""

from __future__ import annotations

import copy
import json
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import zstandard

from antecede.errors import InputError
from antecede.index import build_index
from antecede.index.files import RECORDS, RECORDS_PTR, SEGMENTS
from antecede.index.records import BROKEN, serialize, unpack
from antecede.patent import Citation, Patent, PatentNumber
from antecede.search import open_index
from tests.fuzz.index_worlds import seal
from tests.index.worlds import write

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.fuzz.outcomes import Fuzz

PATENT = Patent(
    "EP1000000",
    PatentNumber("EP", "1000000", "A1"),
    kinds=("A1",),
    language="en",
    title={"en": "A press", "de": "Größe"},
    abstract={"en": "It presses."},
    claims={"en": ("1. A press.", "2. The press of claim 1.")},
    description={"en": "Presses are known.\nThis one is new."},
    ipc=("H04L 12/56",),
    cpc=("H04L 12/5601",),
    priority_date=date(1999, 1, 2),
    filing_date=date(2000, 1, 2),
    publication_date=date(2001, 1, 2),
    applicants=("Größe & Söhne",),
    inventors=("A. Mustermann",),
    family_id="7",
    citations=(Citation(PatentNumber("EP", "1000001", "A1"), "X", "search"),),
    source="a.jsonl#1",
)
BAD: tuple[Any, ...] = (
    None, True, -1, 0, 5, 10**30, 1.5, float("nan"), "", "x", [], [1], ["x"], {}, {"en": 1}, {"x": []},
)  # fmt: skip
PACK = zstandard.ZstdCompressor(write_checksum=True).compress


def mutate(chance: random.Random, head: dict[str, Any]) -> None:
    """Change one value, key or list of a head."""
    part: Any = head
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(part[key], dict | list) and part[key] and chance.random() < 0.7:
            part = part[key]
            continue
        break
    kind = chance.choice(["replace", "replace", "remove", "add"])
    if kind == "replace":
        part[key] = copy.deepcopy(chance.choice(BAD))
    elif kind == "remove":
        del part[key]
    elif isinstance(part, dict):
        part[chance.choice(["title", "doc_id", "more", "en", ""])] = copy.deepcopy(chance.choice(BAD))
    else:
        part.append(copy.deepcopy(chance.choice(BAD)))


def is_typed(patent: Patent) -> bool:
    """Whether every field of a patent is what its class says."""

    def texts(value: Any) -> bool:
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)

    def table(value: Any, of: Any) -> bool:
        return isinstance(value, dict) and all(isinstance(key, str) and of(each) for key, each in value.items())

    days = (patent.priority_date, patent.filing_date, patent.publication_date)
    plain = (patent.title, patent.abstract, patent.description)
    return (
        isinstance(patent.doc_id, str)
        and patent.doc_id != ""
        and isinstance(patent.number, PatentNumber | None)
        and all(isinstance(each, str) for each in (patent.language, patent.source, patent.family_id or ""))
        and all(map(texts, (patent.kinds, patent.ipc, patent.cpc, patent.applicants, patent.inventors)))
        and all(table(each, lambda text: isinstance(text, str)) for each in plain)
        and table(patent.claims, texts)
        and all(type(day) in (date, type(None)) for day in days)
        and all(isinstance(each.number, PatentNumber) for each in patent.citations)
        and all(isinstance(text, str | None) for each in patent.citations for text in (each.category, each.phase))
    )


def test_heads_of_wrong_shapes(fuzz: Fuzz) -> None:
    head, _, texts = serialize(PATENT).partition(b"\n")
    for number, chance in fuzz.cases(4000):
        whole = json.loads(head)
        for _ in range(chance.choice([1, 1, 2])):
            mutate(chance, whole)
        try:
            found = unpack(PACK(json.dumps(whole).encode() + b"\n" + texts))
        except BROKEN as error:
            fuzz.count("refused" if "\n" not in str(error) else "several lines")
            continue
        assert is_typed(found), f"case {number}: {whole}"
        fuzz.count("exact" if found == PATENT else "another")
    assert fuzz.outcomes["several lines"] == 0
    assert fuzz.outcomes["refused"] > fuzz.outcomes.total() // 2


def test_changed_bytes(fuzz: Fuzz) -> None:
    """With a checksum made anew, since the bytes are changed before they are packed."""
    whole = serialize(PATENT)
    for number, chance in fuzz.cases(3000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.choice([0, 10, 34, 44, 48, 91, 123, 125, 128, 255])
        try:
            found = unpack(PACK(bytes(data)))
        except BROKEN:
            fuzz.count("refused")
            continue
        assert is_typed(found), f"case {number}"
        fuzz.count("another")


def frame_of(size: int) -> bytes:
    """The beginning of a frame that says it holds so many bytes."""
    return b"\x28\xb5\x2f\xfd\xe0" + size.to_bytes(8, "little") + b"\x01\x00\x00"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        frame_of(2**62),
        frame_of(2**40),
        frame_of(2**31),
        PACK(b"[" * 1_000_000),
        PACK(b"{}\n"),
        PACK(b"null\n"),
        PACK(serialize(PATENT)[:-1]),
        PACK(serialize(PATENT) + b"x"),
        PACK(serialize(PATENT)) + b"more",
        PACK(serialize(PATENT)) * 2,
        zstandard.ZstdCompressor(write_content_size=False).compress(serialize(PATENT)),
    ],
)
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(BROKEN):
        unpack(data)


def test_a_record_of_a_wrong_shape_is_named_with_its_file(tmp_path: Path) -> None:
    build_index(write(tmp_path / "a.jsonl", [PATENT.to_dict()]), tmp_path / "index", workers=1)
    folder = tmp_path / "index" / SEGMENTS / "s000001"
    data = PACK(b'{"lengths":{},"patent":{"doc_id":"EP1000000","applicants":"x"}}\n')
    (folder / RECORDS).write_bytes(data)
    (folder / RECORDS_PTR).write_bytes(np.array([0, len(data)], np.int64).tobytes())
    seal(tmp_path / "index")
    with pytest.raises(InputError, match=r"records\.u8: is damaged .*patent\.applicants: .*valid array"):
        open_index(tmp_path / "index").patent("EP1000000")
