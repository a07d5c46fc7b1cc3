"""Complete patents as compressed records: a JSON header with the lengths of the texts, then the texts, all in zstd.

Texts are stored verbatim: encoding them as JSON would take longer than compressing them.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import zstandard

from antecede.index.schema import SchemaError, describe_value, integer, list_of, record, table, text
from antecede.patent import Patent, PatentNumber
from antecede.patent.record import to_json_value

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = ("title", "abstract", "claims", "description")
OTHERS = tuple(each.name for each in fields(Patent) if each.name not in TEXTS)
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
        name: {language: append_text(text, parts) for language, text in texts.items()}
        for name in TEXTS
        if (texts := getattr(patent, name))
    }
    others = {
        name: value if isinstance(value, str) else to_json_value(value)
        for name, value in zip(OTHERS, others_of(patent), strict=True)
        if value
    }
    return b"".join([WRITE({"lengths": lengths, "patent": others}).encode(), b"\n", *parts])


def append_text(text: str | tuple[str, ...], parts: list[bytes]) -> int | list[int]:
    """Append a text, or claims, to the parts, and return the length in bytes."""
    if isinstance(text, str):
        parts.append(text.encode())
        return len(parts[-1])
    encoded = [each.encode() for each in text]
    parts += encoded
    return [len(each) for each in encoded]


def unpack(data: bytes) -> Patent:
    """The patent of a record; raises one of `BROKEN` where it is damaged."""
    if not 0 <= zstandard.frame_content_size(data) <= LARGEST:
        raise ValueError("its stated size is implausible")
    whole = zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
    head, _, texts = whole.partition(b"\n")
    return restore_patent(json.loads(head), texts)


def restore_patent(whole: Mapping[str, Any], texts: bytes) -> Patent:
    """A patent from its header and its texts."""
    HEAD(whole)
    at = 0

    def next_text(length: int) -> str:
        nonlocal at
        at += length
        return texts[at - length : at].decode()

    patent = dict(whole["patent"])
    for name, languages in whole["lengths"].items():
        patent[name] = {
            language: [next_text(each) for each in length] if isinstance(length, list) else next_text(length)
            for language, length in languages.items()
        }
    if at != len(texts):
        raise ValueError("its texts do not have the stated lengths")
    return Patent.from_dict(patent)


def day(value: Any) -> None:
    """Rule: a day, as in 2005-01-31."""
    try:
        if str(date.fromisoformat(value)) == value:
            return
    except (ValueError, TypeError):
        pass
    raise SchemaError(f"is {describe_value(value)}, not a day")


def number(value: Any) -> None:
    """Rule: a patent number in normal form."""
    if not isinstance(value, str) or PatentNumber.parse(value) is None:
        raise SchemaError(f"is {describe_value(value)}, not a patent number")


NAMES, LENGTH = list_of(text()), integer(0, LARGEST)
CITATION = record({"number": number, "category": text(), "phase": text()}, needed=("number",))
FIELD_RULES = {
    "doc_id": text(re.compile(r".+", re.DOTALL), "a name"),
    "number": number,
    **dict.fromkeys(("language", "family_id", "source"), text()),
    **dict.fromkeys(("kinds", "ipc", "cpc", "applicants", "inventors"), NAMES),
    **dict.fromkeys(("priority_date", "filing_date", "publication_date"), day),
    "citations": list_of(CITATION),
}
TEXT_RULES = {name: table(text(), list_of(LENGTH) if name == "claims" else LENGTH) for name in TEXTS}
HEAD = record({"lengths": record(TEXT_RULES, needed=()), "patent": record(FIELD_RULES, needed=("doc_id",))})
"""The schema of the header of a record."""
