"""Complete patents as compressed records: a JSON header with the lengths of the texts, then the texts, all in zstd.

Texts are stored verbatim: encoding them as JSON would take longer than compressing them.
"""

from __future__ import annotations

import json
from dataclasses import fields
from operator import attrgetter
from typing import Annotated, Any, NotRequired, Required

import zstandard
from typing_extensions import TypedDict

from antecede.errors import shown
from antecede.patent import Patent
from antecede.patent.record import to_json_value
from antecede.validation import FieldError, limited, matching, parse

TEXTS = ("title", "abstract", "claims", "description")
OTHERS = tuple(field_.name for field_ in fields(Patent) if field_.name not in TEXTS)
others_of = attrgetter(*OTHERS)
PARAMETERS = zstandard.ZstdCompressionParameters.from_level(
    1, strategy=zstandard.STRATEGY_FAST, min_match=7, hash_log=12, write_checksum=True
)
"""The fastest level, with a hash table that fits the L1 cache: a third faster, for 4 % more bytes."""
WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
BROKEN = (zstandard.ZstdError, ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError)
"""The exceptions that reading a damaged record may raise."""
LARGEST = 1 << 30
"""The limit for the size of a record: a damaged one may claim any size."""


class Packer:
    """Packs records. Not thread-safe: use one per thread."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(compression_params=PARAMETERS)

    def pack(self, patent: Patent) -> bytes:
        """A compressed record, with a checksum."""
        return self.compressor.compress(serialize(patent))


def serialize(patent: Patent) -> bytes:
    """A record before compression: the content of `Patent.to_dict` with lengths in place of texts, then the texts."""
    parts: list[bytes] = []
    lengths = {
        name: {language: _append_text(text, parts) for language, text in texts.items()}
        for name in TEXTS
        if (texts := getattr(patent, name))
    }
    others = {
        name: value if isinstance(value, str) else to_json_value(value)
        for name, value in zip(OTHERS, others_of(patent), strict=True)
        if value
    }
    return b"".join([WRITE({"lengths": lengths, "patent": others}).encode(), b"\n", *parts])


def _append_text(text: str | tuple[str, ...], parts: list[bytes]) -> int | list[int]:
    """Append a text, or claims, to the parts, and return the length in bytes."""
    if isinstance(text, str):
        parts.append(text.encode())
        return len(parts[-1])
    encoded = [each.encode() for each in text]
    parts += encoded
    return [len(encoding) for encoding in encoded]


Length = Annotated[int, limited(ge=0, le=LARGEST)]
Day = Annotated[str, matching("[0-9]{4}-[0-9]{2}-[0-9]{2}")]


class _Lengths(TypedDict, total=False):
    title: dict[str, Length]
    abstract: dict[str, Length]
    claims: dict[str, list[Length]]
    description: dict[str, Length]


class _Citation(TypedDict):
    number: str
    category: NotRequired[str]
    phase: NotRequired[str]


class _Fields(TypedDict, total=False):
    doc_id: Required[Annotated[str, limited(min_length=1)]]
    number: str
    kinds: list[str]
    language: str
    ipc: list[str]
    cpc: list[str]
    priority_date: Day
    filing_date: Day
    publication_date: Day
    applicants: list[str]
    inventors: list[str]
    family_id: str
    citations: list[_Citation]
    source: str


class _Header(TypedDict):
    lengths: _Lengths
    patent: _Fields


def decompress(data: bytes) -> bytes:
    """What a compressed value contains; raises `ValueError` or `ZstdError` where it is damaged."""
    if not 0 <= zstandard.frame_content_size(data) <= LARGEST:
        raise ValueError("its stated size is implausible")
    return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)


def unpack(data: bytes) -> Patent:
    """The patent of a record; raises one of `BROKEN` where it is damaged."""
    head, _, texts = decompress(data).partition(b"\n")
    header = parse(_Header, head)
    at = 0

    def next_text(length: int) -> str:
        nonlocal at
        at += length
        return texts[at - length : at].decode()

    values: dict[str, Any] = {**header["patent"]}
    for name, languages in header["lengths"].items():
        values[name] = {
            language: [next_text(claim) for claim in length] if isinstance(length, list) else next_text(length)
            for language, length in languages.items()  # type: ignore[attr-defined]
        }
    if at != len(texts):
        raise ValueError("its texts do not have the stated lengths")
    patent = Patent.from_dict(values)
    if patent.number is None and "number" in values:
        raise FieldError(f"{shown(values['number'])!r} is not a patent number", "patent", "number")
    return patent
