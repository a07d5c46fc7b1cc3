"""JSON lines: one patent per line. The format into which any other source can be converted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from antecede.corpus.claims import find_starts, heaviest_chain, split_claims
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import Format, add, field_names
from antecede.corpus.language import detect_language, language_code
from antecede.corpus.streams import strip_byte_order_marks
from antecede.errors import printable
from antecede.patent import Citation, LegalEvent, Patent, PatentNumber, codes, parse_date
from antecede.patent.fields import CELLS, CLAIMS, CLASSES, CODE, CODES, DAY, PEOPLE, TEXT, TEXTS, YEAR
from antecede.patent.record import CITATIONS, EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import FieldNames
    from antecede.corpus.formats.field_names import Shape
    from antecede.patent.fields import Codec

_Value = TypeVar("_Value")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")
_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")
ROOT = "{"
"""The value of `RawDocument.root` for a line."""


def jsonl(raw: RawDocument, names: FieldNames) -> Patent:
    """One JSON object per line, with the fields of the record under their names; only `doc_id` is required.

    `title`, `abstract`, `claims` and `description` are text, or texts by language: `{"en": "…", "de": "…"}`; claims
    are a list or a single text. Dates are `2004-06-09` or `20040609`, `ipc` and `cpc` lists of codes, `citations`
    a list of numbers or of `{"number": "EP-0680812-A1", "category": "X", "phase": "search"}`. `language` is that of
    texts given without one; if it is not given, it is detected. Articles may
    have `authors`, `journal`, `publication_year`, `doi` and `keywords`. Other fields are ignored.
    Other names and nested keys: `--field title=title_localized.text`. Exports of Google Patents (BigQuery) and The Lens
    are recognised, or chosen by `--preset`.
    """
    line = load_object(raw.data)
    shape = field_names.shape_of(line, names)
    return read_record(
        field_names.select_fields(line, names, shape),
        raw.source,
        lambda: field_names.explain_missing(line, "doc_id", names),
        shape,
    )


def read_record(got: Mapping[str, Any], source: str, missing: Callable[[], str], shape: Shape | None = None) -> Patent:
    """The patent that the values of our fields describe; `missing` explains why there is no doc_id."""
    doc_id = _read_doc_id(got, missing)
    number = PatentNumber.parse_name(_read_text(got.get("number"), "number"))
    known = number or PatentNumber.parse_name(doc_id)
    language = language_code(_read_text(got.get("language"), "language"))
    texts = {
        declared.name: _by_language(got.get(declared.name), declared.name, _TEXT_READERS[declared.codec])
        for declared in field_names.READ_FIELDS
        if declared.codec in _TEXT_READERS
    }
    language = language or _detect_from_texts(texts)
    values: dict[str, Any] = {
        declared.name: _READERS[declared.codec](got.get(declared.name), declared.name)
        for declared in field_names.READ_FIELDS
        if declared.codec in _READERS
    }
    values |= {name: _assign_language(by_language, language) for name, by_language in texts.items()}
    values["kinds"] = values["kinds"] or ((known.kind,) if known and known.kind else ())
    values["family_id"] = _read_family(got.get("family_id"), shape)
    return Patent(**{**values, "doc_id": doc_id, "number": number, "language": language, "source": source})


def load_object(data: bytes) -> dict[str, Any]:
    """The object on a line."""
    try:
        line = json.loads(strip_byte_order_marks(data))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"not valid JSON: {error}") from None
    if not isinstance(line, dict):
        raise DocumentError(f"a line must contain one JSON object, this contains a {type(line).__name__}")
    return line


def _read_doc_id(got: Mapping[str, Any], missing: Callable[[], str]) -> str:
    """The doc_id, as the source writes it; a patent number with spaces, which no run could hold, in normal form."""
    given = got.get("doc_id")
    if given is None:
        raise DocumentError(missing())
    if isinstance(given, str) and not _is_encodable(given):
        raise DocumentError(f"doc_id {printable(given)} contains half a surrogate pair, which cannot be encoded")
    doc_id = _read_text(given, "doc_id")
    if _SPACE.search(doc_id) is None:
        return doc_id
    number = PatentNumber.parse_name(doc_id.strip())
    return doc_id if number is None or _SPACE.search(doc_id.strip()) is None else number.key


def _read_text(value: Any, field: str) -> str:
    """Text, or a number as text. Half a surrogate pair, which cannot be encoded, becomes U+FFFD."""
    if value is None:
        return ""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        text = str(value)
        return text if _is_encodable(text) else _LONE_SURROGATE.sub("\ufffd", text)
    raise DocumentError(f"{field} must be text, this is {json.dumps(value)[:60]}")


def _is_encodable(text: str) -> bool:
    """Whether a text contains no half of a surrogate pair; encoding is the fastest test."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _read_claims(value: Any, field: str) -> tuple[str, ...]:
    """Claims in order; a single text is split at the numbers of the claims, else has one claim per line."""
    if isinstance(value, list):
        return tuple(_read_text(each, field) for each in value if each)
    text = _read_text(value, field)
    if len(heaviest_chain(find_starts(text))) > 1:
        return tuple(split_claims(text))
    return tuple(line.strip() for line in text.split("\n") if line.strip())


def _by_language(value: Any, field: str, read: Callable[[Any, str], _Value]) -> dict[str, _Value]:
    """Texts by language; a single text is under the language `""` until that is known."""
    if isinstance(value, list) and field in field_names.TEXTS:
        value = field_names.localized_texts(value, field)
    if isinstance(value, dict):
        return {language_code(language): read(each, field) for language, each in value.items() if each}
    return {"": read(value, field)} if value is not None else {}


def _detect_from_texts(texts: Mapping[str, Mapping[str, Any]]) -> str:
    """The language of the texts, detected in the longest first."""
    given = [language for name in (*field_names.TEXTS, "claims") for language in texts[name] if language]
    unknown = {name: by_language.get("", "") for name, by_language in texts.items()}
    unknown["claims"] = " ".join(unknown["claims"])
    detected = (detect_language(unknown[name]) for name in _LONGEST_FIRST if unknown[name])
    return next((language for language in detected if language), "") or max(given, key=given.count, default="")


def _assign_language(texts: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Texts by language, where `""` is replaced by the language given, unless another text is in that language."""
    unknown = "" if language in texts else language
    stripped = ((one or unknown, text.strip() if isinstance(text, str) else text) for one, text in texts.items())
    return {one: text for one, text in stripped if text}


def _read_list(value: Any, field: str) -> tuple[str, ...]:
    """Texts; an object with a `name` is that name."""
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    names = (item["name"] if isinstance(item, dict) and "name" in item else item for item in items)
    return tuple(dict.fromkeys(text for name in names if (text := _read_text(name, field).strip())))


def _read_first(value: Any, field: str) -> str:
    return next(iter(_read_list(value, field)), "")


def _read_date(value: Any, field: str) -> date | None:
    """A date, of several the earliest; an invalid one is an error of the source, 0 and an empty text are no date."""
    days = []
    for written in value if isinstance(value, list) else [value]:
        text = _read_text(written, field).strip()
        if text in ("", "0"):
            continue
        if (day := parse_date(text)) is None:
            raise DocumentError(f"{field} {text[:40]!r} is not a date; write 2004-06-09 or 20040609")
        days.append(day)
    return min(days, default=None)


def _read_year(value: Any, field: str) -> int | None:
    """The year in a text such as `2014` or `2014 Mar`."""
    match = _YEAR.search(_read_text(value, field))
    return int(match[0]) if match is not None else None


def _read_events(value: Any, field: str) -> tuple[LegalEvent, ...]:
    """Events, as texts or as objects."""
    items = value if isinstance(value, list) else [value] if value is not None else []
    return tuple(
        LegalEvent(
            _read_text(item.get("text"), field),
            _read_date(item.get("day"), field),
            _read_text(item.get("country"), field) or None,
            _read_text(item.get("code"), field) or None,
        )
        if isinstance(item, dict)
        else LegalEvent(_read_text(item, field))
        for item in items
    )


def _read_cells(value: Any, field: str) -> dict[str, str]:
    if not isinstance(value, dict | None):
        raise DocumentError(f"{field} must be an object of texts, this is {json.dumps(value)[:60]}")
    return {_read_text(name, field): _read_text(text, field) for name, text in (value or {}).items()}


def _read_family(value: Any, shape: Shape | None) -> str | None:
    """The family; where a source lists its members, the first of them in alphabetical order stands for it."""
    if value is None:
        return None
    family = min(_read_list(value, "family_id"), default="")
    return family if family and (shape is None or family not in shape.no_family) else None


def read_citations(value: Any, _: str = "") -> tuple[Citation, ...]:
    """Citations, as numbers or as objects; what is not a patent number (a journal article) is skipped."""
    if value is None:
        return ()
    found = (_read_citation(each) for each in (value if isinstance(value, list) else [value]))
    return tuple(dict.fromkeys(citation for citation in found if citation is not None))


def _read_citation(value: Any) -> Citation | None:
    if not isinstance(value, dict):
        number = PatentNumber.parse(_read_text(value, "citations"))
        return Citation(number) if number is not None else None
    number = cited_number(value)
    category, phase = _first_text(value.get("category")), _first_text(value.get("phase"))
    if "type" in value:  # Google: the type is the examiner's category, and the category is the phase
        category, phase = _first_text(value["type"]), phase or _PHASES.get(category, category.lower())
    phase = phase or _PHASES.get(_first_text(value.get("cited_phase")), "")
    return Citation(number, category or None, phase or None) if number is not None else None


_PHASES = {
    "APP": "applicant",
    **dict.fromkeys(("SEA", "ISR", "SUP", "PRS"), "search"),
    **dict.fromkeys(("EXA", "PCE"), "examination"),
    "OPP": "opposition",
}
"""How databases abbreviate the phase of a citation."""


def cited_number(value: Mapping[str, Any]) -> PatentNumber | None:
    """The number in a citation: given as such, or in parts, directly or one level deeper."""
    for name in ("number", "publication_number"):
        if value.get(name) not in field_names.EMPTY:
            return PatentNumber.parse(_read_text(value[name], "citations"))
    if value.get("doc_number") not in field_names.EMPTY:
        parts = (_read_text(value.get(name), "citations") for name in ("jurisdiction", "doc_number", "kind"))
        country, number, kind = parts
        return PatentNumber.of(country, number, kind or None)
    inner = next((each for name in ("patcit", "document_id") for each in field_names.objects_in(value.get(name))), None)
    return cited_number(inner) if inner is not None else None


def _first_text(value: Any) -> str:
    return _read_text((value or [None])[0] if isinstance(value, list) else value, "citations").strip()


_LONGEST_FIRST = ("description", "abstract", "claims", "title")
_TEXT_READERS: dict[Codec, Callable[[Any, str], Any]] = {TEXTS: _read_text, CLAIMS: _read_claims}
_READERS: dict[Codec, Callable[[Any, str], Any]] = {
    TEXT: _read_first,
    CODE: lambda value, field: _read_first(value, field) or None,
    DAY: _read_date,
    YEAR: _read_year,
    CODES: _read_list,
    PEOPLE: _read_list,
    CLASSES: lambda value, field: codes(_read_list(value, field)),
    CITATIONS: read_citations,
    EVENTS: _read_events,
    CELLS: _read_cells,
}
"""How the fields that need nothing else are read, by their codecs."""


add(Format("jsonl", "JSON lines, one patent per line", jsonl, jsonl, roots=(ROOT,)))
