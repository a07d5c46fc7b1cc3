"""JSON lines: a patent a line. The form that any other source can be brought into."""

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
"""What stands for the root element of a line."""

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
"""Our fields, and the names under which other sources are known to have them, tried in this order."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
REMEMBERED = 1 << 14
"""Codes and dates that are kept: a collection has the same ones again and again."""


def jsonl(raw: RawDocument, names: FieldNames) -> Patent:
    """One JSON object a line, with the fields of the record by their names; only `doc_id` must be there.

    `title`, `abstract`, `claims` and `description` are a text, or texts by language: `{"en": "…", "de": "…"}`; claims
    are a list of texts or one text. Dates are `2004-06-09` or `20040609`, `ipc` and `cpc` lists of codes, `citations`
    a list of numbers or of `{"number": "EP-0680812-A1", "category": "X", "phase": "search"}`. `language` is that of
    texts given without one; it is detected where it is not said.
    `doc_id` is kept as it is written, so that runs and qrels of the source fit; `number` (or `doc_id`, if that is a
    patent number) is what citations find. Lines of the same `doc_id`, or of the same `number`, are one patent; lines
    whose `doc_id` merely look alike are not. Other names of fields that are common (`id`, `lang`, `refs`, `date` …) are
    understood; `--field ours=theirs` names the rest. What is called otherwise is not read.
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
        claims={one or language: told for one, told in claims.items() if told},
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
    """The object that a line holds."""
    try:
        line = json.loads(strip_byte_order_marks(data))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"not a line of JSON: {error}") from None
    if not isinstance(line, dict):
        raise DocumentError(f"a line must hold one JSON object, this holds a {type(line).__name__}")
    return line


def select_fields(line: Mapping[str, Any], names: FieldNames) -> dict[str, Any]:
    """The values of our fields: under the name the user gave for one, else our own, else one it also goes by.

    It goes through what the line has, not through all that it might have, which is ten times as much.
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
    """For each name that is understood: the fields it may stand for, and its place among the names of each."""
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
        raise DocumentError("no doc_id; if the source calls it otherwise, say --field doc_id=NAME")
    if isinstance(given, str) and not is_encodable(given):
        raise DocumentError(f"doc_id {shown(given)} has half a surrogate pair in it: no file could hold it")
    return read_text(given, "doc_id")


def read_text(value: Any, field: str) -> str:
    """A text, or a number taken as one. Half a surrogate pair, which no file could hold, becomes U+FFFD."""
    if value is None:
        return ""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        text = str(value)
        return text if is_encodable(text) else LONE_SURROGATE.sub("\ufffd", text)
    raise DocumentError(f"{field} must be a text, this is {json.dumps(value)[:60]}")


def is_encodable(text: str) -> bool:
    """Whether a text has no half of a surrogate pair; encoding it is the fastest way to know."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def read_claims(value: Any, field: str) -> tuple[str, ...]:
    """Claims in order; one text is one claim a line."""
    if isinstance(value, list):
        return tuple(read_text(each, field) for each in value if each)
    return tuple(line.strip() for line in read_text(value, field).split("\n") if line.strip())


def by_language(value: Any, field: str, read: Callable[[Any, str], Value]) -> dict[str, Value]:
    """Texts by language; a text alone stands under the language `""` until that is known."""
    if isinstance(value, dict):
        return {language_code(language): read(each, field) for language, each in value.items() if each}
    return {"": read(value, field)} if value is not None else {}


def detect_from_texts(texts: Mapping[str, Mapping[str, str]], claims: Mapping[str, tuple[str, ...]]) -> str:
    """The language of the texts themselves, the longest asked first."""
    given = [language for each in (*texts.values(), claims) for language in each if language]
    whole = (*(texts[field].get("", "") for field in ("description", "abstract")), " ".join(claims.get("", ())))
    told = (detect_language(text) for text in (*whole, texts["title"].get("", "")) if text)
    return next((language for language in told if language), "") or max(given, key=given.count, default="")


def assign_language(texts: Mapping[str, str], language: str) -> dict[str, str]:
    """Texts under the language they are in."""
    return {one or language: text.strip() for one, text in texts.items() if text.strip()}


def read_list(value: Any, field: str) -> tuple[str, ...]:
    """A list of texts; a text alone is a list of one."""
    if value is None:
        return ()
    whole = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for each in whole if (text := read_text(each, field).strip())))


@lru_cache(maxsize=REMEMBERED)
def parse_codes(written: tuple[str, ...]) -> tuple[str, ...]:
    """Codes in normal form, remembered."""
    return codes(written)


@lru_cache(maxsize=REMEMBERED)
def parse_cached_date(written: str) -> date | None:
    """The day that a text names, remembered."""
    return parse_date(written)


def read_date(got: Mapping[str, Any], field: str) -> date | None:
    """A date; one that cannot be read is a mistake of the source, not a missing date."""
    if field not in got:
        return None
    text = read_text(got[field], field).strip()
    found = parse_cached_date(text)
    if text and found is None:
        raise DocumentError(f"{field} {text[:40]!r} is no date; write 2004-06-09 or 20040609")
    return found


def read_citations(value: Any) -> tuple[Citation, ...]:
    """Citations, as numbers or as objects; what is no patent number (a journal article) is passed over."""
    if value is None:
        return ()
    found = (read_citation(each) for each in (value if isinstance(value, list) else [value]))
    return tuple(dict.fromkeys(citation for citation in found if citation is not None))


def read_citation(value: Any) -> Citation | None:
    """A citation, if it is one of a patent."""
    if isinstance(value, dict):
        number = PatentNumber.parse(read_text(value.get("number"), "citations"))
        category, phase = read_text(value.get("category"), "citations"), read_text(value.get("phase"), "citations")
        return Citation(number, category or None, phase or None) if number is not None else None
    number = PatentNumber.parse(read_text(value, "citations"))
    return Citation(number) if number is not None else None


add(Format("jsonl", "JSON lines, our own", jsonl, jsonl, roots=(ROOT,)))
