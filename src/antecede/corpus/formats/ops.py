"""Families and legal status: Open Patent Services, the European Patent Register, continuations at the USPTO."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from antecede.corpus import st36
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.event_codes import STATUS_CODES, US_STATUS, read_event_codes
from antecede.corpus.formats import field_names, xml_format
from antecede.corpus.formats.docdb import docdb
from antecede.corpus.prose import choose_texts, one_line
from antecede.corpus.safe_xml import parse_xml
from antecede.patent import LegalEvent, Patent, PatentNumber, parse_date
from antecede.patent.classification import codes as codes_of_classes
from antecede.patent.record import earliest_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from lxml.etree import _Element as Element

    from antecede.corpus.formats import FieldNames

REGISTER = "register-search"
_NO_NAMES: Mapping[str, str] = {}
_BRACKETS = re.compile(r"\s*\[[^\]]*\]")
_WORDS = {"PG25": "lapsed", "PGFP": "annual fee paid", "MAFP": "maintenance fee paid", "STCF": "granted", "STAA": ""}
"""Events in plain words; others have the office's own description."""
_REASONS = (
    ("NON-PAYMENT OF DUE FEES", "fees not paid"),
    ("FAILURE TO SUBMIT A TRANSLATION", "translation not filed or fee not paid"),
)


@xml_format(
    "ops-family", title="EPO Open Patent Services, INPADOC family", roots=("family-member",),
    containers=("patent-family",),
)  # fmt: skip
def family_member(root: Element, source: str, names: FieldNames = _NO_NAMES) -> Patent:
    """One member of an INPADOC family (`family`, `family/biblio`, `family/legal` of OPS), with its legal events.

    Members without bibliographic data have number, dates and family; all publications with one number become one
    patent. A legal event is said in words, with country, day and code: `lapsed, fees not paid`. `--field
    event_codes=FILE` names the EPO's list of legal event codes, whose words are used for the others.
    """
    document = root.find("exchange-document")
    events = tuple(dict.fromkeys(_read_events(root, _codes_of(names))))
    family = root.get("family-id") or None
    if document is not None:
        patent = docdb(document, source)
        return replace(patent, family_id=family or patent.family_id, legal_status=events)
    number, day = _read_publication(root)
    return Patent(
        number.key,
        number,
        (number.kind,) if number.kind else (),
        priority_date=earliest_date(_dates_in(root.iterfind("priority-claim"))),
        filing_date=earliest_date(_dates_in(root.iterfind("application-reference"))),
        publication_date=day,
        family_id=family,
        legal_status=events,
        source=source,
    )


def _read_publication(root: Element) -> tuple[PatentNumber, date | None]:
    for document in root.iterfind("publication-reference/document-id"):
        if (number := _number_in(document)) is not None:
            return number, parse_date(document.findtext("date"))
    raise DocumentError("no number of a publication")


def _number_in(document: Element) -> PatentNumber | None:
    country, number, kind = (document.findtext(name, "") for name in ("country", "doc-number", "kind"))
    return PatentNumber.of(country, number, kind or None) if country else PatentNumber.parse(number)


def _dates_in(references: Iterable[Element]) -> Iterator[date]:
    for reference in references:
        yield from filter(None, (parse_date(day.text) for day in reference.iter("date")))


def _codes_of(names: FieldNames) -> Mapping[tuple[str, str], str]:
    return read_event_codes(names[field_names.EVENT_CODES]) if field_names.EVENT_CODES in names else {}


def _read_events(root: Element, codes: Mapping[tuple[str, str], str]) -> Iterator[LegalEvent]:
    for legal in root.iterfind("legal"):
        facts = {fact.get("desc", ""): (fact.text or "").strip() for fact in legal.iter() if fact.get("desc")}
        code = legal.get("code", "").strip()
        free = facts.get("Free Format Text", "")
        reason = next((words for text, words in _REASONS if text in free.upper()), free.lower() or None)
        listed = codes.get((facts.get("Country Code", ""), code)) or _BRACKETS.sub("", legal.get("desc", "")).lower()
        text = _WORDS.get(code, listed.strip() or f"event {code}")
        year = facts.get("Year of Fee Payment", "")
        words = ", ".join(filter(None, (text, f"year {int(year)}" if year.isdecimal() else None, reason)))
        day = parse_date(facts.get("Effective DATE") or facts.get("Payment DATE")) or parse_date(
            facts.get("Gazette DATE")
        )
        country = facts.get("Ref Country Code") or facts.get("Country Code") or None
        yield LegalEvent(words, day, country, code or None)


@xml_format(
    "ops-equivalents", title="EPO Open Patent Services, equivalents", roots=("equivalents-inquiry",),
)  # fmt: skip
def equivalents(root: Element, source: str) -> Patent:
    """The equivalents of a publication (`equivalents` of OPS): a patent with the members of its family."""
    number, _ = _read_publication(root)
    members = (_number_in(each) for each in root.iterfind("inquiry-result/publication-reference/document-id"))
    keys = tuple(dict.fromkeys(member.key for member in members if member is not None))
    return Patent(number.key, number, (number.kind,) if number.kind else (), family_members=keys, source=source)


@xml_format("ep-register", title="European Patent Register", roots=(REGISTER,))
def register(root: Element, source: str) -> Patent:
    """An entry of the European Patent Register (`register` of OPS): bibliography, events or procedural steps.

    The states of the patent, dossier events and procedural steps are its legal status; citations have their category.
    Each of several entries in one file is a patent.
    """
    entries = [*root.iter("register-document")]
    if len(entries) != 1:
        raise DocumentError(f"{len(entries)} entries of the register")
    query = PatentNumber.parse(root.findtext("query", "").rpartition("=")[2].strip('"'))
    root = entries[0]
    biblio = root.find("bibliographic-data")
    holder = root if biblio is None else biblio
    if biblio is None and query is not None:  # events and steps alone: the query says what they belong to
        number, day = query, None
    else:
        number, day = _read_publication(holder)
    title = choose_texts(holder.iterfind("invention-title"), one_line)
    return Patent(
        number.key,
        number,
        (number.kind,) if number.kind else (),
        next(iter(title), ""),
        title,
        filing_date=earliest_date(_dates_in(holder.iterfind("application-reference"))),
        priority_date=earliest_date(_dates_in(holder.iterfind("priority-claims/priority-claim"))),
        publication_date=day,
        applicants=st36.party_names(holder.iterfind("parties/applicants/applicant")),
        inventors=st36.party_names(holder.iterfind("parties/inventors/inventor")),
        citations=st36.read_citations(holder.iterfind("references-cited/citation")),
        legal_status=tuple(dict.fromkeys(_read_register_events(root))),
        source=source,
    )


def split_register(data: bytes) -> list[bytes]:
    """An answer of the register with several entries, as one answer for each; the query belongs to a single entry."""
    from lxml import etree

    root = parse_xml(RawDocument(data, REGISTER, ""))
    entries = [*root.iter("register-document")]
    if len(entries) < 2:
        return [data]
    answers = []
    for entry in entries:
        answer = etree.Element(REGISTER)
        answer.append(entry)
        answers.append(etree.tostring(answer, encoding="utf-8"))
    return answers


def _read_register_events(root: Element) -> Iterator[LegalEvent]:
    for status in root.iterfind("ep-patent-statuses/ep-patent-status"):
        yield LegalEvent(
            one_line(status).lower(), parse_date(status.get("change-date")), "EP", status.get("status-code")
        )
    for event in root.iterfind("events-data/dossier-event"):
        text = " ".join(filter(None, (one_line(part) for part in event.iterfind("event-text"))))
        yield LegalEvent(text.lower(), next(_dates_in([event]), None), "EP", event.findtext("event-code"))
    for step in root.iterfind("procedural-data/procedural-step"):
        texts = (part for part in step.iterfind("procedural-step-text") if part.get("step-text-type") != "Kind")
        text = " ".join(filter(None, map(one_line, texts)))
        yield LegalEvent(text.lower(), next(_dates_in([step]), None), "EP", step.findtext("procedural-step-code"))


@xml_format(
    "uspto-continuity",
    title="USPTO Open Data, continuity (JSON)",
    roots=("patentFileWrapperDataBag",),
    containers=("answer",),
)
def continuity(root: Element, source: str, names: FieldNames = _NO_NAMES) -> Patent:
    """An application with its parents and children, as the Open Data Portal of the USPTO gives them (JSON).

    Parents and children that became patents are the members of its family; their states are its legal status, in the
    words of the answer or, with `--field event_codes=FILE`, of the USPTO's list of status codes. With the data of the
    application it has its title, dates, classes, parties and, if it was granted, its number.
    """
    codes = _codes_of(names)
    application = root.findtext("applicationNumberText", "")
    if not application:
        raise DocumentError("no applicationNumberText")
    bags = [*root.iterfind("parentContinuityBag"), *root.iterfind("childContinuityBag")]
    numbers = [PatentNumber.of("US", text) for bag in bags for text in _texts(bag, "PatentNumber")]
    events = []
    for bag in bags:
        side = bag.tag[:6].removesuffix("C")  # parent, child
        if text := _status_of(bag, side, codes):
            related = next(iter(_texts(bag, "ApplicationNumberText", side)), "")
            events.append(LegalEvent(f"application {related}: {text}", None, "US"))
    data = root.find("applicationMetaData")
    data = root if data is None else data
    if text := _status_of(data, "", codes):
        day = parse_date(data.findtext("applicationStatusDate"))
        events.append(LegalEvent(text, day, "US", data.findtext("applicationStatusCode")))
    number = PatentNumber.of("US", data.findtext("patentNumber", "")) or PatentNumber.parse(
        data.findtext("earliestPublicationNumber", "")
    )
    title = one_line(title) if (title := data.find("inventionTitle")) is not None else ""
    return Patent(
        number.key if number is not None else f"US-application-{application}",
        number,
        title={"en": title} if title else {},
        language="en" if title else "",
        cpc=codes_of_classes(part.text or "" for part in data.iterfind("cpcClassificationBag")),
        filing_date=parse_date(data.findtext("filingDate")),
        publication_date=parse_date(data.findtext("earliestPublicationDate") or data.findtext("grantDate")),
        applicants=tuple(part.text for part in data.iterfind("applicantBag/applicantNameText") if part.text),
        inventors=tuple(part.text for part in data.iterfind("inventorBag/inventorNameText") if part.text),
        family_members=tuple(dict.fromkeys(member.key for member in numbers if member is not None)),
        legal_status=tuple(dict.fromkeys(events)),
        source=source,
    )


def _status_of(bag: Element, side: str, codes: Mapping[tuple[str, str], str]) -> str:
    """The state of an application in words: those of the answer, else those of the list of codes."""
    given = next(iter(_texts(bag, "pplicationStatusDescriptionText", side)), "")
    code = next(iter(_texts(bag, "pplicationStatusCode", side)), "")
    return given.lower() or codes.get((US_STATUS, code), f"status {code}" if code else "")


def _texts(bag: Element, ending: str, beginning: str = "") -> list[str]:
    """The texts of the children whose names end so: a parent and a child name the same thing differently."""
    return [
        child.text
        for child in bag
        if child.text and str(child.tag).endswith(ending) and str(child.tag).startswith(beginning)
    ]


# Answers in JSON

JSON_ANSWER = re.compile(
    rb'"(?:ops:world-patent-data|patentFileWrapperDataBag|statusCodeBag)"\s*:|\A\s*\{\s*"response"\s*:\s*\{\s*"numFound"'
)
_NAME = re.compile(r"[A-Za-z_][\w.\-]*\Z")


def to_xml(answer: dict[str, Any]) -> bytes:
    """An answer in JSON as the XML that it stands for: `@name` is an attribute, `$` the text, a list repeats."""
    from lxml import etree

    if STATUS_CODES in answer:
        raise DocumentError(f"a list of status codes, not patents; {field_names.advise_codes()}")
    if "response" in answer:
        raise DocumentError("citations of examiners, not patents; antecede topics --citations FILE reads them")
    root = etree.Element("answer")
    _add_value(root, {key: value for key, value in answer.items() if isinstance(value, dict | list)}, 0)
    return etree.tostring(root[0] if len(root) == 1 else root, encoding="utf-8")


def _add_value(element: Element, value: Any, depth: int) -> None:
    from lxml import etree

    if depth > 200:
        raise DocumentError("objects nested more than 200 deep")
    if not isinstance(value, dict):
        element.text = "".join(character for character in str(value) if character >= " ") if value is not None else ""
        return
    for key, inner in value.items():
        name = key.rpartition(":")[2]
        if key == "$":
            _add_value(element, str(inner), depth)
        elif key.startswith("@") and isinstance(inner, str) and _NAME.match(name.lstrip("@")):
            element.set(name.lstrip("@"), inner)
        elif _NAME.match(name):
            for item in inner if isinstance(inner, list) else [inner]:
                _add_value(etree.SubElement(element, name), item, depth + 1)
