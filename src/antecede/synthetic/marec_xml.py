"""A synthetic patent as MAREC `patent-document` XML: an A1 or A2 document and, after a grant, a B1 document."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from antecede.synthetic.days import compact

if TYPE_CHECKING:
    from antecede.synthetic.document import Citation, SyntheticPatent

COMMENT = "Synthetic: this document was made by a program (antecede synthesize) and describes no real invention."
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
PRODUCED = "20091231"
"""When documents say they were produced; a fixed day, so that the same seed gives the same bytes."""
MEMBERS = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "GR", "IT", "LI", "LU", "NL", "SE")
STATES = "".join(f"<country>{state}</country>" for state in MEMBERS)
GRANTED = "B1"


def documents(patent: SyntheticPatent) -> list[tuple[str, str]]:
    """The kinds and texts of a patent's documents."""
    first = document(patent, patent.kind, patent.published, [patent.language], with_report=True)
    if not patent.granted:
        return [(patent.kind, first)]
    return [(patent.kind, first), (GRANTED, document(patent, GRANTED, patent.granted, sorted(patent.claims)))]


def document(patent: SyntheticPatent, kind: str, day: int, languages: list[str], *, with_report: bool = False) -> str:
    """One document; the first one has the abstract and the search report."""
    ucid = f"EP-{patent.number}-{kind}"
    published = compact(day)
    report = searched(patent.citations) if with_report else ""
    return (
        f"{HEAD}<!-- {COMMENT} -->\n"
        f'<patent-document ucid="{ucid}" country="EP" doc-number="{patent.number}" kind="{kind}"'
        f' lang="{patent.language}" family-id="{patent.family_id}" status="new"'
        f' date-produced="{PRODUCED}" date="{published}">\n'
        f'<bibliographic-data>\n<publication-reference ucid="{ucid}" status="new">'
        f"{identified('EP', str(patent.number), kind, published, 'original')}</publication-reference>\n"
        f"{filing(patent)}"
        f'<technical-data status="new">\n{classified(patent)}{titled(patent)}{report}</technical-data>\n'
        f"{parties(patent)}"
        f"<international-convention-data><designated-states><ep-contracting-states>{STATES}"
        f"</ep-contracting-states></designated-states></international-convention-data>\n"
        f"</bibliographic-data>\n"
        f"{abstract(patent) if with_report else ''}{described(patent)}"
        f"{''.join([claimed(language, patent.claims[language]) for language in languages])}"
        f"</patent-document>\n"
    )


def identified(country: str, number: str, kind: str, day: str, form: str = "epo") -> str:
    dated = f"<date>{day}</date>" if day else ""
    return (
        f'<document-id status="new" format="{form}"><country>{country}</country><doc-number>{number}</doc-number>'
        f"<kind>{kind}</kind>{dated}</document-id>"
    )


def filing(patent: SyntheticPatent) -> str:
    """The application and the earlier application whose date it claims."""
    filed, priority = compact(patent.filed), compact(patent.priority)
    application = f"{filed[2:4]}{100_000 + patent.number % 900_000}"
    earlier = f"{priority[:4]}{100_000 + patent.family * 7 % 900_000}"
    return (
        f'<application-reference ucid="EP-{application}-A" status="new" is-representative="NO">'
        f"{identified('EP', application, 'A', filed)}</application-reference>\n"
        f'<priority-claims status="new"><priority-claim ucid="{patent.country}-{earlier}-A" status="new">'
        f"{identified(patent.country, earlier, 'A', priority)}</priority-claim></priority-claims>\n"
    )


@lru_cache(maxsize=1 << 10)
def ipcr(symbol: str, place: str) -> str:
    """An IPC group in the fixed columns of an IPCR entry; `place` is F for the first and L for later ones."""
    subclass, group = symbol.split(" ")
    main, below = group.split("/")
    return (
        f'<classification-ipcr status="new">{subclass}{main:>4}/{below:<6}    20060101A{place}I20051008RMEP        '
        f"</classification-ipcr>\n"
    )


def classified(patent: SyntheticPatent) -> str:
    entries = [ipcr(symbol, "L" if at else "F") for at, symbol in enumerate(patent.ipc)]
    return f"<classifications-ipcr>\n{''.join(entries)}</classifications-ipcr>\n"


def titled(patent: SyntheticPatent) -> str:
    return "".join(
        [
            f'<invention-title load-source="ep" status="new" lang="{language}">{title}</invention-title>\n'
            for language, title in patent.titles.items()
        ]
    )


def searched(citations: tuple[Citation, ...]) -> str:
    """The patents that the search report and the applicant cite."""
    if not citations:
        return ""
    entries = []
    for each in citations:
        category = f'category="{each.category}" ' if each.category else ""
        entries.append(
            f'<patcit ucid="{each.country}-{each.number}-{each.kind}" status="new">'
            f"{identified(each.country, each.number, each.kind, '')}"
            f'<sources><source {category}name="{each.phase}" created-by-npl="N"/></sources></patcit>\n'
        )
    return f"<citations><patent-citations>\n{''.join(entries)}</patent-citations></citations>\n"


def parties(patent: SyntheticPatent) -> str:
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


def abstract(patent: SyntheticPatent) -> str:
    return f'<abstract load-source="ep" status="new" lang="{patent.language}">\n<p>{patent.abstract}</p>\n</abstract>\n'


def described(patent: SyntheticPatent) -> str:
    lines, number = [], 0
    for heading, section in zip(patent.headings, patent.sections, strict=True):
        lines.append(f"<heading>{heading}</heading>\n")
        for paragraph in section:
            number += 1
            lines.append(f'<p num="{number:04d}">{paragraph}</p>\n')
    return f'<description load-source="ep" status="new" lang="{patent.language}">\n{"".join(lines)}</description>\n'


def claimed(language: str, claims: list[str]) -> str:
    lines = [
        f'<claim num="{number}"><claim-text>{claim}</claim-text></claim>\n' for number, claim in enumerate(claims, 1)
    ]
    return f'<claims load-source="ep" status="new" lang="{language}">\n{"".join(lines)}</claims>\n'
