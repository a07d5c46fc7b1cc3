"""A format of patents, and an office whose numbers are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.patent import Patent, parse_date

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


@xml_format("disclosure", title="in-house disclosures", roots=("disclosure",), containers=("disclosures",))
def disclosure(root: Element, source: str) -> Patent:
    """One disclosure: `<disclosure id="D-7" lang="en" day="2024-05-01">` with a title, a text and claims."""
    name = root.get("id")
    if not name:
        raise DocumentError("a disclosure without an id")
    language = root.get("lang", "en")
    return Patent(
        doc_id=name,
        language=language,
        title={language: root.findtext("title", "")},
        description={language: root.findtext("text", "")},
        claims={language: tuple(claim.text or "" for claim in root.iterfind("claim"))},
        publication_date=parse_date(root.get("day", "")),
        source=source,
    )


def example_office(body: str, kind: str | None) -> str | None:
    """Numbers of an office, here that of CU: a year and a serial, `2001/123`, in normal form `2001000123`."""
    year, slash, serial = body.partition("/")
    if not slash or not (year + serial).isdecimal():
        return None
    return f"{year}{int(serial):06d}"
