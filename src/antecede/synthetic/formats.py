"""The formats a synthetic collection can be written in: MAREC XML with one file per document, or JSON lines.

A patent has an A1 or A2 document and, if it was granted, a B1 document. MAREC `patent-document` XML keeps them apart;
a line of JSON merges them, which suits collections too large for a file per document. XML is written without escaping:
`lexicon.FORBIDDEN` ensures that nothing has to be escaped.
"""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import zstandard
from pydantic_core import to_json

from antecede.synthetic.plan import EPOCH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from antecede.synthetic.text import SyntheticPatent


@lru_cache(maxsize=1 << 14)
def format_day(day: int) -> str:
    """A day as 1999-11-08."""
    return (EPOCH + timedelta(days=day)).isoformat()


# MAREC XML

PRODUCED = "20091231"
"""The production date in every document, fixed so that the same seed gives the same bytes."""
MEMBERS = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "GR", "IT", "LI", "LU", "NL", "SE")
STATES = "".join([f"<country>{state}</country>" for state in MEMBERS])
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Synthetic: this document was made by a program (antecede synthesize) and describes no real invention. -->
"""


def _render_document(patent: SyntheticPatent, kind: str) -> str:
    """One document; the first one of a patent has the abstract and the search report, the B1 document all claims."""
    is_first, language, country = kind == patent.kind, patent.language, patent.country
    date, filed, priority = (
        format_day(day).replace("-", "")
        for day in (patent.published if is_first else patent.granted, patent.filed, patent.priority)
    )
    ucid, application = f"EP-{patent.number}-{kind}", f"{filed[2:4]}{100_000 + patent.number % 900_000}"
    earlier = f"{priority[:4]}{100_000 + patent.family * 7 % 900_000}"
    classes = [_render_class(symbol, "L" if at else "F") for at, symbol in enumerate(patent.ipc)]
    titles = [
        f'<invention-title load-source="ep" status="new" lang="{each}">{title}</invention-title>\n'
        for each, title in patent.titles.items()
    ]
    inventors = [
        f'<inventor status="new" format="original"><addressbook><last-name>{name}</last-name>'
        f"<address><country>{country}</country></address></addressbook></inventor>\n"
        for name in patent.inventors
    ]
    abstract = f'<abstract load-source="ep" status="new" lang="{language}">\n<p>{patent.abstract}</p>\n</abstract>\n'
    claims = [_render_claims(patent, each) for each in ([language] if is_first else sorted(patent.claims))]
    return (
        f'{HEAD}<patent-document ucid="{ucid}" country="EP" doc-number="{patent.number}" kind="{kind}"'
        f' lang="{language}" family-id="{patent.family_id}" status="new" date-produced="{PRODUCED}" date="{date}">\n'
        f'<bibliographic-data>\n<publication-reference ucid="{ucid}" status="new">'
        f"{_render_id('EP', str(patent.number), kind, date, 'original')}</publication-reference>\n"
        f'<application-reference ucid="EP-{application}-A" status="new" is-representative="NO">'
        f"{_render_id('EP', application, 'A', filed)}</application-reference>\n"
        f'<priority-claims status="new"><priority-claim ucid="{country}-{earlier}-A" status="new">'
        f"{_render_id(country, earlier, 'A', priority)}</priority-claim></priority-claims>\n"
        f'<technical-data status="new">\n<classifications-ipcr>\n{"".join(classes)}</classifications-ipcr>\n'
        f"{''.join(titles)}{_render_citations(patent) if is_first and patent.citations else ''}</technical-data>\n"
        '<parties>\n<applicants><applicant status="new" format="epo"><addressbook>'
        f"<name>{patent.applicant.upper()}</name><address><country>{country}</country></address></addressbook></applicant>"
        f'<applicant status="new" format="original"><addressbook><last-name>{patent.applicant}</last-name><address>'
        f"<city>{patent.city}</city><country>{country}</country></address></addressbook></applicant></applicants>\n"
        f"<inventors>\n{''.join(inventors)}</inventors>\n</parties>\n"
        f"<international-convention-data><designated-states><ep-contracting-states>{STATES}"
        "</ep-contracting-states></designated-states></international-convention-data>\n</bibliographic-data>\n"
        f"{abstract if is_first else ''}{_render_description(patent)}{''.join(claims)}</patent-document>\n"
    )


def _render_id(country: str, number: str, kind: str, day: str, form: str = "epo") -> str:
    dated = f"<date>{day}</date>" if day else ""
    return (
        f'<document-id status="new" format="{form}"><country>{country}</country><doc-number>{number}</doc-number>'
        f"<kind>{kind}</kind>{dated}</document-id>"
    )


@lru_cache(maxsize=1 << 10)
def _render_class(symbol: str, place: str) -> str:
    """An IPC group in the fixed columns of an IPCR entry; `place` is F for the first and L for later groups."""
    subclass, group = symbol.split(" ")
    main, below = group.split("/")
    return (
        f'<classification-ipcr status="new">{subclass}{main:>4}/{below:<6}    20060101A{place}I20051008RMEP        '
        f"</classification-ipcr>\n"
    )


def _render_citations(patent: SyntheticPatent) -> str:
    """The patents cited in the search report and by the applicant."""
    entries = []
    for each in patent.citations:
        category = f'category="{each.category}" ' if each.category else ""
        entries.append(
            f'<patcit ucid="{each.country}-{each.number}-{each.kind}" status="new">'
            f"{_render_id(each.country, each.number, each.kind, '')}"
            f'<sources><source {category}name="{each.phase}" created-by-npl="N"/></sources></patcit>\n'
        )
    return f"<citations><patent-citations>\n{''.join(entries)}</patent-citations></citations>\n"


def _render_description(patent: SyntheticPatent) -> str:
    lines, number = [], 0
    for heading, section in patent.sections.items():
        lines.append(f"<heading>{heading}</heading>\n")
        for paragraph in section:
            number += 1
            lines.append(f'<p num="{number:04d}">{paragraph}</p>\n')
    return f'<description load-source="ep" status="new" lang="{patent.language}">\n{"".join(lines)}</description>\n'


def _render_claims(patent: SyntheticPatent, language: str) -> str:
    lines = [
        f'<claim num="{number}"><claim-text>{claim}</claim-text></claim>\n'
        for number, claim in enumerate(patent.claims[language], 1)
    ]
    return f'<claims load-source="ep" status="new" lang="{language}">\n{"".join(lines)}</claims>\n'


# JSON lines

PHASES = {"SEA": "search", "EXA": "examination", "OPP": "opposition", "APP": "applicant"}
"""The citation phases of MAREC and their names in antecede's JSON lines."""


def _render_json_line(patent: SyntheticPatent) -> bytes:
    """The merged content of a patent's documents as one line, under the field names of antecede's JSON lines."""
    language = patent.language.lower()
    record = {
        "doc_id": patent.doc_id,
        "number": f"EP-{patent.number}-{patent.kind}",
        "kinds": [patent.kind, "B1"] if patent.granted else [patent.kind],
        "language": language,
        "ipc": patent.ipc,
        "cpc": [],
        "priority_date": format_day(patent.priority),
        "filing_date": format_day(patent.filed),
        "publication_date": format_day(patent.published),
        "applicants": [patent.applicant],
        "inventors": patent.inventors,
        "family_id": patent.family_id,
        "citations": [
            {
                "number": f"{each.country}-{each.number}-{each.kind}",
                "category": each.category[:1] or None,
                "phase": PHASES[each.phase],
            }
            for each in patent.citations
        ],
        "title": {each.lower(): title for each, title in patent.titles.items()},
        "abstract": {language: patent.abstract},
        "claims": {
            each.lower(): [f"{number}. {claim}" for number, claim in enumerate(claims, 1)]
            for each, claims in patent.claims.items()
        },
        "description": {
            language: "\n".join([text for heading, section in patent.sections.items() for text in (heading, *section)]),
        },
    }
    return to_json(record) + b"\n"


# Files

LINES = "patents.jsonl.zst"
OUTPUT_FORMATS = {
    "marec": "MAREC `patent-document` XML, a file a document, in folders by the last four digits of the number",
    "jsonl": f"JSON lines, a patent a line, its documents merged (`{LINES}`)",
}
"""The formats and their descriptions in the README."""
FOLDERS = 10_000
"""MAREC's folders are the last four digits of a number, in two levels."""
COMPRESSION_LEVEL = 3


def prepare_folder(form: str, folder: Path, first: int, last: int) -> None:
    """Make the folders for the patents from one number up to, but not including, another."""
    folder.mkdir(parents=True)
    for number in range(first, min(first + FOLDERS, last) if form == "marec" else first):
        (folder / _locate_folder(number)).mkdir(parents=True, exist_ok=True)


def locate_patent(form: str, patent: SyntheticPatent) -> str:
    """The path of a patent's first document within the folder."""
    return f"{_locate_folder(patent.number)}/EP-{patent.number}-{patent.kind}.xml" if form == "marec" else LINES


def write_patents(form: str, folder: Path, patents: Iterable[SyntheticPatent]) -> tuple[int, int, bytes]:
    """Write patents; returns the numbers of documents and of bytes, and what to append to the file of JSON lines."""
    return _write_documents(folder, patents) if form == "marec" else _compress_lines(patents)


def _locate_folder(number: int) -> str:
    """MAREC's folder for a European patent: EP/34/56 for 1123456."""
    return f"EP/{number // 100 % 100:02d}/{number % 100:02d}"


def _write_documents(folder: Path, patents: Iterable[SyntheticPatent]) -> tuple[int, int, bytes]:
    """Write one file per document."""
    documents = size = 0
    for patent in patents:
        place = f"{folder}/{_locate_folder(patent.number)}/EP-{patent.number}-"
        for kind in (patent.kind, "B1") if patent.granted else (patent.kind,):
            data = _render_document(patent, kind).encode()
            with open(f"{place}{kind}.xml", "wb", buffering=0) as file:  # noqa: PTH123 (a Path per file costs 10 %)
                file.write(data)
            documents += 1
            size += len(data)
    return documents, size, b""


def _compress_lines(patents: Iterable[SyntheticPatent]) -> tuple[int, int, bytes]:
    """A zstd frame with one line per patent; concatenated frames are a valid file."""
    lines = [_render_json_line(patent) for patent in patents]
    packed = zstandard.ZstdCompressor(COMPRESSION_LEVEL).compress(b"".join(lines))
    return len(lines), len(packed), packed
