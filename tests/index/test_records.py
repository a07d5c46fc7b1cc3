"""A patent comes back from its record as it was."""

from __future__ import annotations

from datetime import date

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from antecede.index.records import BROKEN, Packer, serialize, unpack
from antecede.patent import Citation, Patent, PatentNumber

text = st.text(st.characters(codec="utf-8"), max_size=30)
languages = st.sampled_from(["en", "de", "", "ja"])
names = st.lists(text.filter(bool), max_size=3).map(tuple)
numbers = st.integers(1000000, 1999999).map(lambda number: PatentNumber("EP", str(number), "A1"))
day = st.none() | st.dates(min_value=date(1800, 1, 1))
patents = st.builds(
    Patent,
    doc_id=text.filter(bool),
    number=st.none() | numbers,
    kinds=names,
    language=languages,
    title=st.dictionaries(languages, text),
    abstract=st.dictionaries(languages, text),
    claims=st.dictionaries(languages, st.lists(text, max_size=3).map(tuple)),
    description=st.dictionaries(languages, text),
    ipc=names,
    cpc=names,
    priority_date=day,
    filing_date=day,
    publication_date=day,
    applicants=names,
    inventors=names,
    family_id=st.none() | text.filter(bool),
    citations=st.lists(st.builds(Citation, numbers, st.none() | st.just("X"), st.none() | st.just("search"))).map(
        tuple
    ),
    source=text,
)


@given(patents)
def test_a_patent_comes_back_as_it_was(patent: Patent) -> None:
    found = unpack(Packer().pack(patent))
    assert found == patent
    assert [list(getattr(found, name)) for name in ("title", "claims")] == [list(patent.title), list(patent.claims)]


@given(patents, st.data())
def test_a_changed_byte_is_never_taken_for_a_record(patent: Patent, chance: st.DataObject) -> None:
    data = bytearray(Packer().pack(patent))
    data[chance.draw(st.integers(0, len(data) - 1))] ^= chance.draw(st.integers(1, 255))
    try:
        assert unpack(bytes(data)) == patent
    except (zstandard.ZstdError, ValueError, KeyError, TypeError):
        return


WHOLE = serialize(Patent("EP1000000", title={"en": "A press", "de": "Größe"}, claims={"en": ("1. A press.",)}))
PACK = zstandard.ZstdCompressor(write_checksum=True).compress


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
        PACK(b'{"lengths":{},"patent":{"doc_id":"x","title":[1]}}\n'),
        PACK(b'{"lengths":{"title":{"en":-5}},"patent":{"doc_id":"x"}}\n'),
        PACK(WHOLE[:-1]),
        PACK(WHOLE + b"x"),
        PACK(WHOLE) + b"more",
        PACK(WHOLE) * 2,
        zstandard.ZstdCompressor(write_content_size=False).compress(WHOLE),
    ],
)
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(BROKEN):
        unpack(data)
