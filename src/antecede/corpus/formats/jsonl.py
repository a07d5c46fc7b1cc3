"""JSON lines: one patent per line. The format into which any other source can be converted."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from antecede.corpus.document import DocumentError
from antecede.corpus.encodings import strip_byte_order_marks
from antecede.corpus.formats.registry import Format, add
from antecede.corpus.language import detect_language, language_code
from antecede.errors import shown
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats.registry import FieldNames

Value = TypeVar("Value", str, tuple[str, ...])

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
TEXTS = ("title", "abstract", "description")
ROOT = "{"
"""The value of `RawDocument.root` for a line."""

FIELD_NAMES = {
    "doc_id": ("id", "docid", "doc_number", "docno", "_id", "patent_id", "publication_number", "number", "pub"),
    "number": ("publication_number", "pub", "ucid", "patent_number", "doc_number"),
    "kinds": ("kind",),
    "language": ("lang",),
    "title": ("invention_title", "titles"),
    "abstract": ("summary", "abstracts", "abstract_text"),
    "claims": ("claim", "claims_text"),
    "description": ("text", "body", "description_text", "full_text"),
    "ipc": ("ipcs", "ipc_codes", "ipcr", "ipc_classes"),
    "cpc": ("cpcs", "cpc_codes", "cpc_classes"),
    "priority_date": ("priority",),
    "filing_date": ("filed", "filing", "application_date"),
    "publication_date": ("date", "published", "pub_date", "grant_date", "publication"),
    "applicants": ("applicant", "assignees", "assignee", "owner", "owners"),
    "inventors": ("inventor",),
    "family_id": ("family",),
    "citations": ("refs", "cited", "references", "cites", "citation"),
}
"""Our fields, with the names that other sources use for them, in order of preference."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
CACHE_SIZE = 1 << 14
"""The size of the caches of codes and dates, which repeat often within a collection."""


def jsonl(raw: RawDocument, names: FieldNames) -> Patent:
    """One JSON object per line, with the fields of the record under their names; only `doc_id` is required.

    `title`, `abstract`, `claims` and `description` are text, or texts by language: `{"en": "…", "de": "…"}`; claims
    are a list or a single text. Dates are `2004-06-09` or `20040609`, `ipc` and `cpc` lists of codes, `citations`
    a list of numbers or of `{"number": "EP-0680812-A1", "category": "X", "phase": "search"}`. `language` is that of
    texts given without one; if it is not given, it is detected.
    `doc_id` is kept as written, to match runs and qrels of the source; citations refer to `number` (or to `doc_id`, if
    that is a patent number). Lines with the same `doc_id`, or the same `number`, are one patent; lines whose `doc_id`
    are merely similar are not. Other common field names (`id`, `lang`, `refs`, `date` …) are recognized;
    `--field ours=theirs` maps the rest. Fields with other names are ignored.
    """
    line = load_object(raw.data)
    got = select_fields(line, names)
    doc_id = read_doc_id(got)
    number = PatentNumber.parse_name(read_text(got.get("number"), "number"))
    known = number or PatentNumber.parse_name(doc_id)
    language = language_code(read_text(got.get("language"), "language"))
    texts = {ours: by_language(got.get(ours), ours, read_text) for ours in TEXTS}
    claims = by_language(got.get("claims"), "claims", read_claims)
    language = language or detect_from_texts(texts, claims)
    return Patent(
        doc_id=doc_id,
        number=number,
        kinds=read_list(got.get("kinds"), "kinds") or ((known.kind,) if known and known.kind else ()),
        language=language,
        title=assign_language(texts["title"], language),
        abstract=assign_language(texts["abstract"], language),
        claims={one or language: given for one, given in claims.items() if given},
        description=assign_language(texts["description"], language),
        ipc=parse_codes(read_list(got.get("ipc"), "ipc")),
        cpc=parse_codes(read_list(got.get("cpc"), "cpc")),
        priority_date=read_date(got, "priority_date"),
        filing_date=read_date(got, "filing_date"),
        publication_date=read_date(got, "publication_date"),
        applicants=read_list(got.get("applicants"), "applicants"),
        inventors=read_list(got.get("inventors"), "inventors"),
        family_id=read_text(got.get("family_id"), "family_id") or None,
        citations=read_citations(got.get("citations")),
        source=raw.source,
    )


def load_object(data: bytes) -> dict[str, Any]:
    """The object on a line."""
    try:
        line = json.loads(strip_byte_order_marks(data))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"not valid JSON: {error}") from None
    if not isinstance(line, dict):
        raise DocumentError(f"a line must contain one JSON object, this contains a {type(line).__name__}")
    return line


def select_fields(line: Mapping[str, Any], names: FieldNames) -> dict[str, Any]:
    """The values of our fields: under the name that the user gave, else our own, else one of the alternatives.

    It iterates over the names on the line, not over all possible names, which are ten times as many.
    """
    got: dict[str, Any] = {}
    places: dict[str, int] = {}
    known = field_meanings(frozenset(names.items()))
    for name, value in line.items():
        if name not in known or value in EMPTY:
            continue
        for ours, place in known[name]:
            if place < places.get(ours, place + 1):
                got[ours], places[ours] = value, place
    return got


@lru_cache(maxsize=16)
def field_meanings(names: frozenset[tuple[str, str]]) -> dict[str, list[tuple[str, int]]]:
    """Name → the fields it may denote, each with its rank among the names of the field."""
    given = dict(names)
    found: dict[str, list[tuple[str, int]]] = {}
    for ours, others in FIELD_NAMES.items():
        for place, name in enumerate([given[ours]] if ours in given else (ours, *others)):
            found.setdefault(name, []).append((ours, place))
    return found


def read_doc_id(got: Mapping[str, Any]) -> str:
    """The doc_id, as the source writes it."""
    given = got.get("doc_id")
    if given is None:
        raise DocumentError("no doc_id; if it has another name, use --field doc_id=NAME")
    if isinstance(given, str) and not is_encodable(given):
        raise DocumentError(f"doc_id {shown(given)} contains half a surrogate pair, which cannot be encoded")
    return read_text(given, "doc_id")


def read_text(value: Any, field: str) -> str:
    """Text, or a number as text. Half a surrogate pair, which cannot be encoded, becomes U+FFFD."""
    if value is None:
        return ""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        text = str(value)
        return text if is_encodable(text) else LONE_SURROGATE.sub("\ufffd", text)
    raise DocumentError(f"{field} must be text, this is {json.dumps(value)[:60]}")


def is_encodable(text: str) -> bool:
    """Whether a text contains no half of a surrogate pair; encoding is the fastest test."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def read_claims(value: Any, field: str) -> tuple[str, ...]:
    """Claims in order; a single text has one claim per line."""
    if isinstance(value, list):
        return tuple(read_text(each, field) for each in value if each)
    return tuple(line.strip() for line in read_text(value, field).split("\n") if line.strip())


def by_language(value: Any, field: str, read: Callable[[Any, str], Value]) -> dict[str, Value]:
    """Texts by language; a single text is under the language `""` until that is known."""
    if isinstance(value, dict):
        return {language_code(language): read(each, field) for language, each in value.items() if each}
    return {"": read(value, field)} if value is not None else {}


def detect_from_texts(texts: Mapping[str, Mapping[str, str]], claims: Mapping[str, tuple[str, ...]]) -> str:
    """The language of the texts, detected in the longest first."""
    given = [language for each in (*texts.values(), claims) for language in each if language]
    whole = (*(texts[field].get("", "") for field in ("description", "abstract")), " ".join(claims.get("", ())))
    detected = (detect_language(text) for text in (*whole, texts["title"].get("", "")) if text)
    return next((language for language in detected if language), "") or max(given, key=given.count, default="")


def assign_language(texts: Mapping[str, str], language: str) -> dict[str, str]:
    """Texts by language, where `""` is replaced by the language given."""
    return {one or language: text.strip() for one, text in texts.items() if text.strip()}


def read_list(value: Any, field: str) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one."""
    if value is None:
        return ()
    whole = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for each in whole if (text := read_text(each, field).strip())))


@lru_cache(maxsize=CACHE_SIZE)
def parse_codes(written: tuple[str, ...]) -> tuple[str, ...]:
    """Codes in normal form, cached."""
    return codes(written)


@lru_cache(maxsize=CACHE_SIZE)
def parse_cached_date(written: str) -> date | None:
    """The date in a text, cached."""
    return parse_date(written)


def read_date(got: Mapping[str, Any], field: str) -> date | None:
    """A date; an invalid one is an error of the source, not a missing date."""
    if field not in got:
        return None
    text = read_text(got[field], field).strip()
    found = parse_cached_date(text)
    if text and found is None:
        raise DocumentError(f"{field} {text[:40]!r} is not a date; write 2004-06-09 or 20040609")
    return found


def read_citations(value: Any) -> tuple[Citation, ...]:
    """Citations, as numbers or as objects; what is not a patent number (a journal article) is skipped."""
    if value is None:
        return ()
    found = (read_citation(each) for each in (value if isinstance(value, list) else [value]))
    return tuple(dict.fromkeys(citation for citation in found if citation is not None))


def read_citation(value: Any) -> Citation | None:
    """A citation, if it is that of a patent."""
    if isinstance(value, dict):
        number = PatentNumber.parse(read_text(value.get("number"), "citations"))
        category, phase = read_text(value.get("category"), "citations"), read_text(value.get("phase"), "citations")
        return Citation(number, category or None, phase or None) if number is not None else None
    number = PatentNumber.parse(read_text(value, "citations"))
    return Citation(number) if number is not None else None


add(Format("jsonl", "JSON lines, one patent per line", jsonl, jsonl, roots=(ROOT,)))
