"""The formats a synthetic collection can be written in: MAREC XML with one file per document, or JSON lines.

A patent has an A1 or A2 document and, if it was granted, a B1 document. MAREC `patent-document` XML keeps them apart;
a line of JSON merges them, which suits collections too large for a file per document.
"""

from __future__ import annotations

import json
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

import zstandard

from antecede.synthetic.plan import EPOCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from antecede.synthetic.citations import SyntheticCitation
    from antecede.synthetic.composition import SyntheticPatent


@lru_cache(maxsize=1 << 14)
def format_day(day: int) -> str:
    """A day as 1999-11-08."""
    return (EPOCH + timedelta(days=day)).isoformat()


@lru_cache(maxsize=1 << 14)
def format_compact_day(day: int) -> str:
    """A day as 19991108."""
    return format_day(day).replace("-", "")


# MAREC XML

COMMENT = "Synthetic: this document was made by a program (antecede synthesize) and describes no real invention."
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
PRODUCED = "20091231"
"""The production date in every document, fixed so that the same seed gives the same bytes."""
MEMBERS = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "GR", "IT", "LI", "LU", "NL", "SE")
STATES = "".join(f"<country>{state}</country>" for state in MEMBERS)
GRANTED = "B1"


def render_documents(patent: SyntheticPatent) -> list[tuple[str, str]]:
    """The kinds and texts of a patent's documents."""
    first = render_document(patent, patent.kind, patent.published, [patent.language], is_first=True)
    if not patent.granted:
        return [(patent.kind, first)]
    return [(patent.kind, first), (GRANTED, render_document(patent, GRANTED, patent.granted, sorted(patent.claims)))]


def render_document(
    patent: SyntheticPatent, kind: str, day: int, languages: list[str], *, is_first: bool = False
) -> str:
    """One document; the first one of a patent has the abstract and the search report."""
    ucid = f"EP-{patent.number}-{kind}"
    published = format_compact_day(day)
    report = render_citations(patent.citations) if is_first else ""
    return (
        f"{HEAD}<!-- {COMMENT} -->\n"
        f'<patent-document ucid="{ucid}" country="EP" doc-number="{patent.number}" kind="{kind}"'
        f' lang="{patent.language}" family-id="{patent.family_id}" status="new"'
        f' date-produced="{PRODUCED}" date="{published}">\n'
        f'<bibliographic-data>\n<publication-reference ucid="{ucid}" status="new">'
        f"{render_document_id('EP', str(patent.number), kind, published, 'original')}</publication-reference>\n"
        f"{render_filing(patent)}"
        f'<technical-data status="new">\n{render_classes(patent)}{render_titles(patent)}{report}</technical-data>\n'
        f"{render_parties(patent)}"
        f"<international-convention-data><designated-states><ep-contracting-states>{STATES}"
        f"</ep-contracting-states></designated-states></international-convention-data>\n"
        f"</bibliographic-data>\n"
        f"{render_abstract(patent) if is_first else ''}{render_description(patent)}"
        f"{''.join([render_claims(language, patent.claims[language]) for language in languages])}"
        f"</patent-document>\n"
    )


def render_document_id(country: str, number: str, kind: str, day: str, form: str = "epo") -> str:
    dated = f"<date>{day}</date>" if day else ""
    return (
        f'<document-id status="new" format="{form}"><country>{country}</country><doc-number>{number}</doc-number>'
        f"<kind>{kind}</kind>{dated}</document-id>"
    )


def render_filing(patent: SyntheticPatent) -> str:
    """The application, and the earlier application whose priority it claims."""
    filed, priority = format_compact_day(patent.filed), format_compact_day(patent.priority)
    application = f"{filed[2:4]}{100_000 + patent.number % 900_000}"
    earlier = f"{priority[:4]}{100_000 + patent.family * 7 % 900_000}"
    return (
        f'<application-reference ucid="EP-{application}-A" status="new" is-representative="NO">'
        f"{render_document_id('EP', application, 'A', filed)}</application-reference>\n"
        f'<priority-claims status="new"><priority-claim ucid="{patent.country}-{earlier}-A" status="new">'
        f"{render_document_id(patent.country, earlier, 'A', priority)}</priority-claim></priority-claims>\n"
    )


@lru_cache(maxsize=1 << 10)
def render_ipcr(symbol: str, place: str) -> str:
    """An IPC group in the fixed columns of an IPCR entry; `place` is F for the first and L for later groups."""
    subclass, group = symbol.split(" ")
    main, below = group.split("/")
    return (
        f'<classification-ipcr status="new">{subclass}{main:>4}/{below:<6}    20060101A{place}I20051008RMEP        '
        f"</classification-ipcr>\n"
    )


def render_classes(patent: SyntheticPatent) -> str:
    entries = [render_ipcr(symbol, "L" if at else "F") for at, symbol in enumerate(patent.ipc)]
    return f"<classifications-ipcr>\n{''.join(entries)}</classifications-ipcr>\n"


def render_titles(patent: SyntheticPatent) -> str:
    return "".join(
        [
            f'<invention-title load-source="ep" status="new" lang="{language}">{title}</invention-title>\n'
            for language, title in patent.titles.items()
        ]
    )


def render_citations(citations: tuple[SyntheticCitation, ...]) -> str:
    """The patents cited in the search report and by the applicant."""
    if not citations:
        return ""
    entries = []
    for each in citations:
        category = f'category="{each.category}" ' if each.category else ""
        entries.append(
            f'<patcit ucid="{each.country}-{each.number}-{each.kind}" status="new">'
            f"{render_document_id(each.country, each.number, each.kind, '')}"
            f'<sources><source {category}name="{each.phase}" created-by-npl="N"/></sources></patcit>\n'
        )
    return f"<citations><patent-citations>\n{''.join(entries)}</patent-citations></citations>\n"


def render_parties(patent: SyntheticPatent) -> str:
    applicant, capitals, country = escape(patent.applicant), escape(patent.applicant.upper()), patent.country
    inventors = "".join(
        [
            f'<inventor status="new" format="original"><addressbook><last-name>{name}</last-name>'
            f"<address><country>{country}</country></address></addressbook></inventor>\n"
            for name in patent.inventors
        ]
    )
    return (
        f'<parties>\n<applicants><applicant status="new" format="epo"><addressbook><name>{capitals}</name>'
        f"<address><country>{country}</country></address></addressbook></applicant>"
        f'<applicant status="new" format="original"><addressbook><last-name>{applicant}</last-name><address>'
        f"<city>{patent.city}</city><country>{country}</country></address></addressbook></applicant></applicants>\n"
        f"<inventors>\n{inventors}</inventors>\n</parties>\n"
    )


def render_abstract(patent: SyntheticPatent) -> str:
    return f'<abstract load-source="ep" status="new" lang="{patent.language}">\n<p>{patent.abstract}</p>\n</abstract>\n'


def render_description(patent: SyntheticPatent) -> str:
    lines, number = [], 0
    for heading, section in zip(patent.headings, patent.sections, strict=True):
        lines.append(f"<heading>{heading}</heading>\n")
        for paragraph in section:
            number += 1
            lines.append(f'<p num="{number:04d}">{paragraph}</p>\n')
    return f'<description load-source="ep" status="new" lang="{patent.language}">\n{"".join(lines)}</description>\n'


def render_claims(language: str, claims: list[str]) -> str:
    lines = [
        f'<claim num="{number}"><claim-text>{claim}</claim-text></claim>\n' for number, claim in enumerate(claims, 1)
    ]
    return f'<claims load-source="ep" status="new" lang="{language}">\n{"".join(lines)}</claims>\n'


# JSON lines

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
NEW_LINE = r"\n"
"""As it is escaped in JSON."""
PHASES = {"SEA": "search", "EXA": "examination", "OPP": "opposition", "APP": "applicant"}
"""The citation phases of MAREC and their names in antecede's JSON lines."""


def render_json_line(patent: SyntheticPatent) -> str:
    """The merged content of a patent's documents as one line, under the field names of antecede's JSON lines.

    Texts are quoted without escaping, which is six times as fast: `lexicon.read_lines` ensures that the vocabulary
    contains no quotes and no backslashes.
    """
    parts = zip(patent.headings, patent.sections, strict=True)
    description = NEW_LINE.join([text for heading, section in parts for text in (heading, *section)])
    fields = {
        "title": render_by_language({language: quote(title) for language, title in patent.titles.items()}),
        "abstract": render_by_language({patent.language: quote(patent.abstract)}),
        "claims": render_by_language({language: render_json_claims(each) for language, each in patent.claims.items()}),
        "description": render_by_language({patent.language: quote(description)}),
    }
    texts = ",".join([f'"{name}":{text}' for name, text in fields.items()])
    return f"{render_bibliography(patent)[:-1]},{texts}}}\n"


def quote(text: str) -> str:
    return f'"{text}"'


def render_by_language(texts: Mapping[str, str]) -> str:
    return "{" + ",".join([f'"{language.lower()}":{text}' for language, text in texts.items()]) + "}"


def render_json_claims(claims: Iterable[str]) -> str:
    """Claims, each with its number."""
    return "[" + ",".join([f'"{number}. {claim}"' for number, claim in enumerate(claims, 1)]) + "]"


def render_bibliography(patent: SyntheticPatent) -> str:
    """Everything but the texts."""
    return encode(
        {
            "doc_id": patent.doc_id,
            "number": f"EP-{patent.number}-{patent.kind}",
            "kinds": [patent.kind, "B1"] if patent.granted else [patent.kind],
            "language": patent.language.lower(),
            "ipc": list(patent.ipc),
            "cpc": [],
            "priority_date": format_day(patent.priority),
            "filing_date": format_day(patent.filed),
            "publication_date": format_day(patent.published),
            "applicants": [patent.applicant],
            "inventors": list(patent.inventors),
            "family_id": patent.family_id,
            "citations": [
                {
                    "number": f"{each.country}-{each.number}-{each.kind}",
                    "category": each.category[:1] or None,
                    "phase": PHASES[each.phase],
                }
                for each in patent.citations
            ],
        }
    )


# Files

FOLDERS = 10_000
"""MAREC's folders are the last four digits of a number, in two levels."""
COMPRESSION_LEVEL = 3


class WrittenBatch(NamedTuple):
    """What was written for a batch of patents."""

    documents: int
    size: int
    """In bytes."""
    stream: bytes = b""
    """What is to be appended to the single file of the format, if it has one."""


class OutputFormat(NamedTuple):
    """A format in which patents are written."""

    write: Callable[[Path, Iterable[SyntheticPatent]], WrittenBatch]
    """Writes patents into a folder, or returns them as a stream."""
    prepare: Callable[[Path, int, int], None]
    """Prepares a folder for the patents from one number up to, but not including, another."""
    locate: Callable[[SyntheticPatent], str]
    """The path of a patent within the folder."""
    file: str = ""
    """The name of the single file that streams are appended to."""
    description: str = ""
    """Its description in the README."""


def locate_folder(number: int) -> str:
    """MAREC's folder for a European patent: EP/34/56 for 1123456."""
    return f"EP/{number // 100 % 100:02d}/{number % 100:02d}"


def make_folders(folder: Path, first: int, last: int) -> None:
    for number in range(first, min(first + FOLDERS, last)):
        (folder / locate_folder(number)).mkdir(parents=True, exist_ok=True)


def write_documents(folder: Path, patents: Iterable[SyntheticPatent]) -> WrittenBatch:
    """Write one file per document."""
    documents = size = 0
    for patent in patents:
        place = f"{folder}/{locate_folder(patent.number)}/EP-{patent.number}-"
        for kind, text in render_documents(patent):
            data = text.encode()
            with open(f"{place}{kind}.xml", "wb", buffering=0) as file:  # noqa: PTH123 (a Path per file costs 10 %)
                file.write(data)
            documents += 1
            size += len(data)
    return WrittenBatch(documents, size)


def locate_first_document(patent: SyntheticPatent) -> str:
    return f"{locate_folder(patent.number)}/EP-{patent.number}-{patent.kind}.xml"


def make_folder(folder: Path, _first: int, _last: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def compress_lines(_folder: Path, patents: Iterable[SyntheticPatent]) -> WrittenBatch:
    """A zstd frame with one line per patent; concatenated frames are a valid file."""
    lines = [render_json_line(patent) for patent in patents]
    data = "".join(lines).encode()
    packed = zstandard.ZstdCompressor(COMPRESSION_LEVEL).compress(data)
    return WrittenBatch(len(lines), len(packed), packed)


LINES = "patents.jsonl.zst"
OUTPUT_FORMATS: dict[str, OutputFormat] = {
    "marec": OutputFormat(
        write_documents,
        make_folders,
        locate_first_document,
        description="MAREC `patent-document` XML, a file a document, in folders by the last four digits of the number",
    ),
    "jsonl": OutputFormat(
        compress_lines,
        make_folder,
        lambda _patent: LINES,
        LINES,
        description=f"JSON lines, a patent a line, its documents merged (`{LINES}`)",
    ),
}
