"""Exports of references: RIS, PubMed, Web of Science, EndNote. `corpus.references` splits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.formats import Format, add
from antecede.corpus.formats.jsonl import load_object, read_record

if TYPE_CHECKING:
    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import FieldNames
    from antecede.patent import Patent


def ris(raw: RawDocument, _: FieldNames) -> Patent:
    """References in RIS, as Zotero, EndNote, Mendeley, Embase, Ovid, ProQuest, EBSCO, Scopus and Rayyan write them.

    A record is named by its `ID` or accession number, else by its DOI, its PubMed number, or file and position. Labels
    of ASReview and Rayyan in its notes are kept. Two records with one DOI, or with the same title, year and first
    author, become one, and are counted; `--field duplicates=keep` keeps them apart. Records with one id and different
    texts are kept apart. A patent (`TY  - PAT`) has its number.
    """
    return read_record(load_object(raw.data), raw.source, lambda: "no doc_id")


def nbib(raw: RawDocument, names: FieldNames) -> Patent:
    """References as PubMed saves them (`.nbib`, the format "PubMed"); otherwise as [ris](#ris)."""
    return ris(raw, names)


def wos(raw: RawDocument, names: FieldNames) -> Patent:
    """References as Web of Science saves them, plain text; otherwise as [ris](#ris)."""
    return ris(raw, names)


def refer(raw: RawDocument, names: FieldNames) -> Patent:
    """References in the format of EndNote's import (`%0 Journal Article`); otherwise as [ris](#ris)."""
    return ris(raw, names)


for _reader, _title in (
    (ris, "RIS"),
    (nbib, "PubMed (nbib)"),
    (wos, "Web of Science, plain text"),
    (refer, "EndNote, refer"),
):
    add(Format(_reader.__name__, f"{_title}, references", _reader, _reader, roots=(f"{_reader.__name__} record",)))
