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
from antecede.errors import shown
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import FieldNames
    from antecede.corpus.formats.field_names import Shape

_Value = TypeVar("_Value", str, tuple[str, ...])

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")
ROOT = "{"
"""The value of `RawDocument.root` for a line."""


def jsonl(raw: RawDocument, names: FieldNames) -> Patent:
    """One JSON object per line, with the fields of the record under their names; only `doc_id` is required.

    `title`, `abstract`, `claims` and `description` are text, or texts by language: `{"en": "…", "de": "…"}`; claims
    are a list or a single text. Dates are `2004-06-09` or `20040609`, `ipc` and `cpc` lists of codes, `citations`
    a list of numbers or of `{"number": "EP-0680812-A1", "category": "X", "phase": "search"}`. `language` is that of
    texts given without one; if it is not given, it is detected. Other fields are ignored.
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
    texts = {ours: _by_language(got.get(ours), ours, _read_text) for ours in field_names.TEXTS}
    claims = _by_language(got.get("claims"), "claims", _read_claims)
    language = language or _detect_from_texts(texts, claims)
    return Patent(
        doc_id=doc_id,
        number=number,
        kinds=_read_list(got.get("kinds"), "kinds") or ((known.kind,) if known and known.kind else ()),
        language=language,
        title=_assign_language(texts["title"], language),
        abstract=_assign_language(texts["abstract"], language),
        claims={one or ("" if language in claims else language): given for one, given in claims.items() if given},
        description=_assign_language(texts["description"], language),
        ipc=codes(_read_list(got.get("ipc"), "ipc")),
        cpc=codes(_read_list(got.get("cpc"), "cpc")),
        priority_date=_read_date(got, "priority_date"),
        filing_date=_read_date(got, "filing_date"),
        publication_date=_read_date(got, "publication_date"),
        applicants=_read_list(got.get("applicants"), "applicants"),
        inventors=_read_list(got.get("inventors"), "inventors"),
        family_id=_read_family(got.get("family_id"), shape),
        citations=read_citations(got.get("citations")),
        source=source,
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


def _read_doc_id(got: Mapping[str, Any], missing: Callable[[], str]) -> str:
    """The doc_id, as the source writes it; a patent number with spaces, which no run could hold, in normal form."""
    given = got.get("doc_id")
    if given is None:
        raise DocumentError(missing())
    if isinstance(given, str) and not _is_encodable(given):
        raise DocumentError(f"doc_id {shown(given)} contains half a surrogate pair, which cannot be encoded")
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


def _detect_from_texts(texts: Mapping[str, Mapping[str, str]], claims: Mapping[str, tuple[str, ...]]) -> str:
    """The language of the texts, detected in the longest first."""
    given = [language for each in (*texts.values(), claims) for language in each if language]
    whole = (*(texts[field].get("", "") for field in ("description", "abstract")), " ".join(claims.get("", ())))
    detected = (detect_language(text) for text in (*whole, texts["title"].get("", "")) if text)
    return next((language for language in detected if language), "") or max(given, key=given.count, default="")


def _assign_language(texts: Mapping[str, str], language: str) -> dict[str, str]:
    """Texts by language, where `""` is replaced by the language given, unless another text is in that language."""
    unknown = "" if language in texts else language
    return {one or unknown: text.strip() for one, text in texts.items() if text.strip()}


def _read_list(value: Any, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    whole = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for each in whole if (text := _read_text(each, field).strip())))


def _read_date(got: Mapping[str, Any], field: str) -> date | None:
    """A date, of several the earliest; an invalid one is an error of the source, 0 and an empty text are no date."""
    given = got.get(field)
    days = []
    for value in given if isinstance(given, list) else [given]:
        text = _read_text(value, field).strip()
        if text in ("", "0"):
            continue
        if (day := parse_date(text)) is None:
            raise DocumentError(f"{field} {text[:40]!r} is not a date; write 2004-06-09 or 20040609")
        days.append(day)
    return min(days, default=None)


def _read_family(value: Any, shape: Shape | None) -> str | None:
    """The family; where a source lists its members, the first of them in alphabetical order stands for it."""
    if value is None:
        return None
    family = min(_read_list(value, "family_id"), default="")
    return family if family and (shape is None or family not in shape.no_family) else None


def read_citations(value: Any) -> tuple[Citation, ...]:
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


add(Format("jsonl", "JSON lines, one patent per line", jsonl, jsonl, roots=(ROOT,)))
