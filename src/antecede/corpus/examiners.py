"""What examiners cited: office actions of the USPTO, registers and search reports, as judgements with grades.

A citation says that a document is relevant to an application: it takes away its novelty (X; 35 U.S.C. 102), makes it
obvious with another one (Y; 103), or is background (A). Passages and claims that were named are kept.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus.citations import numbers_in
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.formats.ops import to_xml
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.table_splitter import decode_mixed
from antecede.errors import InputError, printable
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element as Element

_GROUNDS = {"102": "X", "103": "Y"}
"""The category of a ground of rejection; others, as 112 or double patenting, are no statement on prior art."""
_NUMBER_KEYS = (
    "citedDocumentIdentifier", "publicationNumber", "parsedReferenceIdentifier", "parsed", "citation_pat_pgpub_id",
    "referenceIdentifier", "cited",
)  # fmt: skip
_TOPIC_KEYS = ("patentApplicationNumber", "app_id", "applicationNumberText", "application")
_APPLICATION = re.compile(r"[0-9]{2}/[0-9]{3},?[0-9]{3}")
OPS_ANSWER = "ops:world-patent-data"
_PASSAGES = re.compile(r"\*\s*([^*]+?)\s*\*")
_IN_BRACKETS = re.compile(r"\[([XYAIEPDOTL,]+)\]\s*([0-9][0-9,\- ]*)?")
_MAX_BYTES = 256 << 20


@dataclass(frozen=True)
class ExaminerCitation:
    """One document that an examiner held against an application."""

    topic_id: str
    """The application, as the file numbers it; of a register or search report the publication."""
    number: PatentNumber
    category: str
    claims: str = ""
    """The claims that it concerns, as in `1-5, 9`."""
    passages: tuple[str, ...] = ()
    """The passages that the examiner names."""

    def to_dict(self, doc_id: str, grade: int) -> dict[str, Any]:
        """The judgement on a document and its passages, as a line of `passages.jsonl`."""
        judgement = {"topic_id": self.topic_id, "doc_id": doc_id, "relevance": grade, "category": self.category}
        return {**judgement, "claims": self.claims, "passages": list(self.passages)}


@dataclass
class ExaminerCitations:
    """The citations of a file, and how many entries of it are none, by reason."""

    citations: list[ExaminerCitation] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def read_examiners(path: str | Path) -> ExaminerCitations:
    """The citations in a file of the USPTO (JSON or a table), a register or a search report (XML or JSON)."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path), remedy="check the path") from None
    if len(data) > _MAX_BYTES:
        raise InputError(f"is longer than {_MAX_BYTES >> 20} MB", source=str(path), remedy="split it")
    made = ExaminerCitations()
    try:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            _read_report(parse_xml(RawDocument(data, "", str(path))), made)
        else:
            for entry in _read_entries(data):
                if OPS_ANSWER in entry:
                    _read_report(parse_xml(RawDocument(to_xml(dict(entry)), "", str(path))), made)
                else:
                    _read_entry(entry, made)
    except (ValueError, RecursionError, DocumentError) as error:
        reason = printable(getattr(error, "reason", None) or str(error), 120)
        remedy = "give office actions as JSON or CSV, or a register or search report as XML"
        raise InputError(f"holds no citations: {reason}", source=str(path), remedy=remedy) from None
    if not made.citations:
        reasons = ", ".join(f"{count} {reason}" for reason, count in made.dropped.items()) or "it has no entries"
        raise InputError(f"holds no citation of a patent: {reasons}", source=str(path), remedy="check the file")
    return made


def _read_entries(data: bytes) -> Iterator[Mapping[str, Any]]:
    """The records of a file: of an answer in JSON, of lines of JSON, or of a table."""
    text = decode_mixed(data)[0].lstrip("\ufeff").lstrip()
    if text.startswith(("{", "[")):
        decoder, at = json.JSONDecoder(), 0
        while at < len(text):
            answer, end = decoder.raw_decode(text, at)
            yield from _entries(answer)
            at = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n,"))
    else:
        lines = text.splitlines()
        delimiter = max(",;\t", key=lines[0].count) if lines else ","
        yield from csv.DictReader(lines, delimiter=delimiter)


def _entries(answer: Any) -> Iterator[Mapping[str, Any]]:
    """The records of an answer, whatever they are wrapped in."""
    if isinstance(answer, list):
        for item in answer:
            yield from _entries(item)
    elif isinstance(answer, dict):
        inside = [value for value in answer.values() if isinstance(value, dict) or _is_list_of_objects(value)]
        if inside and OPS_ANSWER not in answer and not answer.keys() & {*_TOPIC_KEYS}:
            for value in inside:
                yield from _entries(value)
        else:
            yield answer


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _text_of(entry: Mapping[str, Any], *keys: str) -> str:
    """The first of some values as text; some answers have each in a list of its own."""
    values = (entry.get(key) for key in keys)
    plain = (value[0] if isinstance(value, list) and value else value for value in values)
    return next((str(value).strip() for value in plain if value), "")


def _read_entry(entry: Mapping[str, Any], made: ExaminerCitations) -> None:
    topic = _text_of(entry, *_TOPIC_KEYS)
    if _APPLICATION.fullmatch(topic) is not None:  # `16/123,456`
        topic = re.sub("[/,]", "", topic)
    number = _cited_number(entry)
    sections = _text_of(entry, "legalSectionCode", "action_type")
    category = re.sub("[^A-Z]", "", _text_of(entry, "citationCategoryCode", "category")) or next(
        (letter for ground, letter in _GROUNDS.items() if ground in sections), ""
    )
    if not topic or number is None or not category:
        missing = "application" if not topic else "number of a patent" if number is None else "ground of prior art"
        made.dropped[f"without a {missing}"] += 1
        return
    named = entry.get("passageLocationText") or entry.get("passages") or []
    texts = named if isinstance(named, list) else [named]
    passages = tuple(dict.fromkeys(part.strip() for text in texts for part in str(text).split("|") if part.strip()))
    claims = _text_of(entry, "relatedClaimNumberText", "claims")
    made.citations.append(ExaminerCitation(topic, number, category, claims, passages))


def _cited_number(entry: Mapping[str, Any]) -> PatentNumber | None:
    country, kind = _text_of(entry, "countryCode") or "US", _text_of(entry, "kindCode") or None
    for key in _NUMBER_KEYS:
        text = _text_of(entry, key)
        number = PatentNumber.parse(text) or (PatentNumber.of(country, text, kind) if text[:1].isdigit() else None)
        if number is None and key == "referenceIdentifier" and (mentions := numbers_in(text, language="en")):
            number = mentions[0].number
        if number is not None:
            return number
    return None


def _read_report(root: Element, made: ExaminerCitations) -> None:
    """The citations below `references-cited`, held against the publication that the nearest element above names."""
    for reference in root.iter("references-cited", "srep-citations"):
        holder = next((above for above in reference.iterancestors() if above.find("publication-reference") is not None
                       or above.get("doc-number")), None)  # fmt: skip
        topic = _number_of(holder.find("publication-reference")) if holder is not None else None
        if topic is None and holder is not None:
            topic = PatentNumber.of(holder.get("country", ""), holder.get("doc-number", ""))
        for citation in reference.iter("citation"):
            number = _number_of(citation.find("patcit"))
            if topic is None or number is None:
                made.dropped["without a number of a patent"] += 1
                continue
            text = " ".join(map(str, citation.itertext()))
            bracket = _IN_BRACKETS.search(text)
            given = "".join(citation.findtext("category", "").split()) or (bracket[1] if bracket is not None else "")
            if given:
                claims = (bracket[2] or "").strip() if bracket is not None else _claims_of(citation)
                passages = tuple(_PASSAGES.findall(text))
                made.citations.append(ExaminerCitation(topic.key, number, given, claims, passages))
            else:
                made.dropped["without a category"] += 1


def _claims_of(citation: Element) -> str:
    return next((claims.text.strip() for claims in citation.iter("rel-claims") if claims.text), "")


def _number_of(holder: Element | None) -> PatentNumber | None:
    """The number in the first `document-id` that has one."""
    for document in holder.iter("document-id") if holder is not None else ():
        parts = (document.findtext(name, "") for name in ("country", "doc-number", "kind"))
        country, number, kind = parts
        found = PatentNumber.of(country, number, kind or None) if country else PatentNumber.parse(number)
        if found is not None:
            return found
    return None
