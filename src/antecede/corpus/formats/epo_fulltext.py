"""Texts that the EPO's Open Patent Services deliver for many offices: `fulltext-document`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.claims import typed_claims
from antecede.corpus.formats import xml_format
from antecede.corpus.prose import collect_texts, one_line, typed_lines
from antecede.corpus.st36 import read_publication
from antecede.patent import Patent

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


@xml_format(
    "epo-fulltext",
    title="EPO Open Patent Services, full text",
    roots=("fulltext-document",),
    containers=("fulltext-documents",),
)
def epo_fulltext(root: Element, source: str) -> Patent:
    """Description or claims of one publication, as EPO Open Patent Services delivers them (`fulltext-document`).

    Line breaks in a text are kept. Claims are often a single text, which is split where 1, 2, 3 … begin a line or a
    sentence. A description or claims saved without the surrounding document cannot be read, because they do not say
    which publication they belong to.
    """
    number, day = read_publication(root)
    texts = {part: collect_texts(root.iterfind(part), typed_lines) for part in ("description", "abstract")}
    claims = collect_texts(root.iterfind("claims"), typed_claims)
    title = collect_texts(root.iterfind("bibliographic-data/invention-title"), one_line)
    languages = [*texts["description"], *claims, *texts["abstract"], *title]
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=next(filter(None, languages), ""),
        title=title,
        abstract=texts["abstract"],
        claims=claims,
        description=texts["description"],
        publication_date=day,
        source=source,
    )
