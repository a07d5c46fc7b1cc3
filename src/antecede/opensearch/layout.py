"""What is stored on a cluster: the settings and fields of the two indices of a generation, and the facts about it.

    NAME             an alias of the current generation
    NAME-000001      to be searched: fields for filters, postings, exact lengths and term counts as doc values
    NAME-000001-records   the complete patents, compressed, by number

`_source` of the first is off: nothing is stored twice. Its mapping has our facts in `_meta`: how it was built, and how
many documents and tokens each language has. The words of each field are a text in order, `migration|=migrat of …`: a
word as written and its term are two tokens at one place. A document has a number, its position in the collection; both
indices have it under that number.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.fields import FACETS, WORDS
from antecede.conditions.values import name_key
from antecede.engine import split_values
from antecede.index.documents import COLUMNS, LISTS, PEOPLE, day_number, days_of_year
from antecede.index.records import decompress
from antecede.patent.texts import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.opensearch.cluster import Cluster
    from antecede.text.folding import Folding

FORMAT = 4
META = "antecede"
RECORDS = "-records"
MAX_DOCUMENTS = 1_000_000
"""The most documents that one request may return."""
WORD_TERM = "="
"""What a term begins with among the words of a text: no word has it."""
K1, B = 1.2, 0.75
"""The parameters of the cluster's BM25, which finds candidates."""
MAX_TOKEN_LENGTH = 1 << 20
EXACT = tuple(name for name in COLUMNS if name not in (*PEOPLE, "title", "day"))
"""Columns that are compared as a whole."""
COUNTED = tuple(field.column for field in FACETS.values() if field.match == WORDS)
"""Lists of names that are counted."""
MAX_NAME_LENGTH = 8000
"""Characters of a name that is counted: a value has at most 32,766 bytes."""
WHOLE_DAYS = ("day", "year_first", "year_last")


@dataclass(frozen=True)
class Generation:
    """One pair of indices on a cluster; what the cluster says of them is not known while they are made."""

    cluster: Cluster
    name: str
    uuid: str = ""
    shards: int = 0
    replicas: int = 0
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def records(self) -> str:
        return self.name + RECORDS

    @property
    def both(self) -> str:
        return f"{self.name},{self.records}"


def shard_settings(shards: int, replicas: int) -> dict[str, Any]:
    """The settings that both indices of a generation have while documents are sent."""
    filling = {"refresh_interval": "-1", "replication.type": "SEGMENT", "translog.durability": "async"}
    return {"number_of_shards": shards, "number_of_replicas": replicas, **filling}


def field_of(kind: str, language: str) -> str:
    """The name of a field of a language: `t` for postings, `v` for counts, `length`."""
    return f"{kind}_{language or 'unknown'}"


def whole_field(column: str) -> str:
    """The field that has each name of a list as it is written, as a whole."""
    return column.removesuffix("s")


def key_field(column: str) -> str:
    """The field that has each name of a list as names are compared, as a whole."""
    return f"{whole_field(column)}_key"


def words_field(language: str, field: str) -> str:
    """The name of the field that has the words of a text in order."""
    return f"{field_of('w', language)}_{field}"


def search_settings(shards: int, replicas: int) -> dict[str, Any]:
    return {
        "index": {
            **shard_settings(shards, replicas),
            "max_result_window": MAX_DOCUMENTS,
            "max_docvalue_fields_search": 200,
            "merge.policy.expunge_deletes_allowed": 0,
            "similarity": {"candidates": {"type": "BM25", "k1": K1, "b": B}},
        },
        "analysis": {  # "term|3 other|1": each term once, with its count
            "tokenizer": {"terms": {"type": "whitespace", "max_token_length": MAX_TOKEN_LENGTH}},
            "filter": {
                "counts": {"type": "delimited_term_freq", "delimiter": "|"},
                "forms": {"type": "pattern_capture", "preserve_original": False, "patterns": ["^([^|]+)", "[|](.+)$"]},
            },
            "analyzer": {
                "words": {"type": "custom", "tokenizer": "terms", "filter": ["forms"]},
                "counted": {"type": "custom", "tokenizer": "terms", "filter": ["counts"]},
                "names": {"type": "custom", "tokenizer": "terms", "filter": []},
            },
        },
    }


def record_index(shards: int, replicas: int) -> dict[str, Any]:
    """Settings and fields of the index of records: nothing in it is searched."""
    return {
        "settings": {"index": shard_settings(shards, replicas)},
        "mappings": {"dynamic": False, "properties": {"record": {"type": "binary"}}},
    }


def column_fields() -> dict[str, Any]:
    """The fields that the columns of a document have."""
    properties: dict[str, Any] = {name: {"type": "keyword", "norms": False} for name in EXACT}
    properties |= {name: {"type": "text", "analyzer": "names", "norms": False} for name in PEOPLE}
    properties |= {name: {"type": "integer"} for name in WHOLE_DAYS}
    # A name as a whole, to be counted; a longer one could not be stored.
    counted = {"type": "keyword", "norms": False, "ignore_above": MAX_NAME_LENGTH}
    return properties | {name: counted for column in COUNTED for name in (whole_field(column), key_field(column))}


def search_mapping(languages: Iterable[str], meta: Mapping[str, Any]) -> dict[str, Any]:
    properties = {"n": {"type": "long"}, "head": {"type": "binary", "doc_values": True}, **column_fields()}
    for language in languages:
        properties |= language_fields(language)
    return {"dynamic": False, "_source": {"enabled": False}, "_meta": {META: dict(meta)}, "properties": properties}


def language_fields(language: str) -> dict[str, Any]:
    postings = {"type": "text", "index_options": "freqs", "similarity": "candidates", "analyzer": "counted"}
    words = {"type": "text", "analyzer": "words", "search_analyzer": "names", "norms": False}
    return {
        **{words_field(language, name): words for name in FIELDS},
        field_of("t", language): postings,
        field_of("v", language): {"type": "binary", "doc_values": True},
        field_of("length", language): {"type": "integer"},
    }


def encode(data: bytes) -> str:
    """Bytes as a value of a document."""
    return base64.b64encode(data).decode()


def decode(value: str) -> bytes:
    """Bytes from a doc value, which comes without padding."""
    return base64.b64decode(value + "=" * (-len(value) % 4))


def pack_counts(terms: bytes, counts: NDArray[np.uint32]) -> bytes:
    """The vector of a document before compression: its terms in byte order, one per line, then their counts."""
    return b"%b\0%b" % (terms, counts.astype("<u4").tobytes())


def split_counts(data: bytes) -> tuple[bytes, NDArray[np.uint32]]:
    """The terms that `pack_counts` was given, each followed by a newline, and their counts."""
    terms, _, counts = decompress(data).partition(b"\0")
    lines = terms + b"\n" if terms else b""
    found = np.frombuffer(counts, "<u4").astype(np.uint32)
    lines.decode()  # raises a ValueError where it is no text
    if len(found) != lines.count(b"\n"):
        raise ValueError("it has more terms than counts, or fewer")
    return lines, found


def document_of(number: int, row: Sequence[Any], lengths: Mapping[str, int], folding: Folding) -> dict[str, Any]:
    """The fields of a document without its texts; `row` has the columns of `index.documents`.

    `folding` is that of names.
    """
    columns = dict(zip(COLUMNS, row, strict=True))
    lists = {name: split_values(columns[name]) for name in LISTS}
    names = {name: lists[name] for name in COUNTED}
    lists |= {name: tuple(dict.fromkeys(name_key(each, folding) for each in lists[name])) for name in PEOPLE}
    fields: dict[str, Any] = {name: columns[name] for name in EXACT if name not in LISTS} | lists
    fields |= days_of(columns["day"], columns["patent_number"])
    head = json.dumps([list(row), dict(lengths)], ensure_ascii=False, separators=(",", ":")).encode()
    # An empty language is a value: it is searched for.
    kept = {name: value for name, value in fields.items() if value not in (None, (), "") or name == "language"}
    for name, written in names.items():
        kept |= {whole_field(name): written, key_field(name): lists[name]} if written else {}
    kept |= {field_of("length", language): length for language, length in lengths.items()}
    return {"n": number, "head": encode(head), **kept}


def days_of(day: str | None, patent_number: str | None) -> dict[str, int]:
    """The day of a document since 1970; for one without, the first and last day of the year in its number."""
    if day is not None:
        return {"day": day_number(day)}
    year = days_of_year(patent_number)
    return {} if year is None else {"year_first": year[0], "year_last": year[1]}
