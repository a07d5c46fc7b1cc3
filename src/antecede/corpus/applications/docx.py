"""The text of a DOCX file, paragraph by paragraph: a zip archive with XML, read with the limits of any other."""

from __future__ import annotations

import zipfile
from collections import Counter
from typing import IO, TYPE_CHECKING

from antecede.compression import PATENT_RATIO, Meter, MeteredFile
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.files.archives import DOCUMENT, DOCX, ZipStream, check_directory, check_member, explain_office
from antecede.corpus.streams import read_fully

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

LARGEST_XML = 64 << 20
BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
SKIPPED = ("del", "moveFrom", "Fallback", "pPr", "rPr", "instrText")
"""Deleted and moved text, and the second form of what an older program could not show."""
DEEPEST = 200


def office_kind(file: IO[bytes]) -> str:
    """What an archive is: empty for a DOCX file, a reason for another office file, `archive` for anything else."""
    try:
        check_directory(file)
        with zipfile.ZipFile(file) as archive:
            names = {*archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, DocumentError):
        return "archive"
    reason = explain_office(names)
    return "" if reason == DOCX else reason or "archive"


def read_docx(file: IO[bytes]) -> tuple[list[str], list[str]]:
    """The paragraphs of a DOCX file, and no notes; raises `DocumentError` if it cannot be read."""
    meter = Meter(DocumentError, PATENT_RATIO)
    metered = MeteredFile(file, meter)
    check_directory(file)
    try:
        with zipfile.ZipFile(metered) as archive:
            info = archive.getinfo(DOCUMENT)
            if reason := check_member(info, meter):
                raise DocumentError(f"{DOCUMENT}: {reason}")
            if info.file_size > LARGEST_XML:
                raise DocumentError(f"its text is longer than the limit of {LARGEST_XML >> 20} MB")
            with archive.open(info) as stream:
                data = read_fully(ZipStream(stream, meter), LARGEST_XML + 1)
    except (zipfile.BadZipFile, KeyError, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DocumentError(f"a DOCX file that is cut off or damaged: {error}") from None
    if len(data) > LARGEST_XML:
        raise DocumentError(f"its text is longer than the limit of {LARGEST_XML >> 20} MB")
    from antecede.corpus.xml.safe_xml import parse_xml  # loads lxml, which a search rarely needs

    root = parse_xml(RawDocument(data, "document", DOCUMENT))
    numbers: Counter[str] = Counter()
    return [number_of(each, numbers) + "".join(text_in(each)) for each in root.iter("p") if not is_skipped(each)], []


def number_of(paragraph: Element, numbers: Counter[str]) -> str:
    """The number that a word processor puts before a paragraph of a numbered list, as claims are."""
    level = paragraph.find("pPr/numPr/ilvl")
    listed = paragraph.find("pPr/numPr/numId")
    if listed is None or value_of(level) not in ("", "0") or value_of(listed) in ("", "0"):
        return ""
    numbers[value_of(listed)] += 1
    return f"{numbers[value_of(listed)]}. "


def value_of(element: Element | None) -> str:
    """The attribute `val`, whatever its namespace."""
    given = () if element is None else element.attrib.items()
    return next((str(value) for name, value in given if str(name).rpartition("}")[2] == "val"), "")


def is_skipped(element: Element) -> bool:
    """Whether a paragraph is inside of what is not read."""
    return any(each.tag in SKIPPED for each in element.iterancestors())


def text_in(element: Element, depth: int = 0) -> Iterator[str]:
    """The text of a paragraph, without paragraphs inside of it, which are read by themselves."""
    if depth > DEEPEST:
        raise DocumentError(f"elements nested more than {DEEPEST} deep")
    for each in element:
        if each.tag == "t":
            yield each.text or ""
        elif each.tag in BREAKS:
            yield BREAKS[str(each.tag)]
        elif each.tag not in SKIPPED and each.tag != "p":
            yield from text_in(each, depth + 1)
