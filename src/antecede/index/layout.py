"""The files of a segment with their required sizes: the only place where their names are defined.

documents.sqlite                  the metadata of each document
records.u8, records_ptr.i64       the complete documents, packed, and the offset of each
doc_ids.u8, doc_ids_ptr.i64       their names, and the offset of each
order.u32, days.i32               the rank of each name among the sorted names; the day from which it is prior art
class_order.u32                   the documents in the order of class and day; optional
rejects.jsonl                     the rejected documents
LANGUAGE/documents.u32            the document of each row of the language's matrix
LANGUAGE/terms.u8, terms_sizes.u8 the vocabulary, front-coded
LANGUAGE/by_term*, by_row*        the matrix in both directions: lists, list headers, checksums
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from typing_extensions import TypedDict

from antecede.index.validation import Count  # noqa: TC001 - pydantic evaluates the annotations

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("title", "abstract", "claims", "description")
"""The text fields that can be indexed."""
SEGMENTS = "segments"
METADATA = "documents.sqlite"
RECORDS, RECORDS_PTR = "records.u8", "records_ptr.i64"
NAMES, NAMES_PTR = "doc_ids.u8", "doc_ids_ptr.i64"
ORDER, DAYS = "order.u32", "days.i32"
CLASS_ORDER = "class_order.u32"
REJECTS = "rejects.jsonl"
SEGMENT_NAME = re.compile(r"s[0-9]{6,15}")
MOST_GENERATIONS = 10**15 - 1
LANGUAGE = r"[^\x00-\x20/\\\x7f-\x9f]{0,40}"
"""What the name of a language may be."""
DELETIONS_NAME = re.compile(r"(s[0-9]{6,15})-deleted-[0-9]{6,15}\.u32")


MOST_DOCUMENTS = MOST_TERMS = (1 << 31) - 1
"""In one segment: rows and terms are numbered with 31 bits."""


class LanguageCounts(TypedDict):
    """The size of the matrix of a language."""

    rows: Annotated[int, Field(ge=1, le=MOST_DOCUMENTS)]
    terms: Annotated[int, Field(ge=0, le=MOST_TERMS)]
    postings: Count


def segment_name(generation: int) -> str:
    """The name of the segment that a generation adds."""
    return f"s{generation:06d}"


def deletions_name(segment: str, generation: int) -> str:
    """The name of the list of documents of a segment that were replaced as of a generation."""
    return f"{segment}-deleted-{generation:06d}.u32"


def folder_of(language: str) -> str:
    """The folder of a language's matrix; a language name from an input file is not trusted as a folder name."""
    if language.isascii() and language.isalpha() and len(language) <= 3:
        return language
    return f"other-{language.encode().hex()}" if language else "unknown"


def segment_sizes(documents: int, languages: Mapping[str, LanguageCounts]) -> dict[str, int | None]:
    """Every file of a segment with its required size in bytes; None where the size depends on the content."""
    sizes: dict[str, int | None] = {
        METADATA: None,
        RECORDS: None,
        RECORDS_PTR: 8 * (documents + 1),
        NAMES: None,
        NAMES_PTR: 8 * (documents + 1),
        ORDER: 4 * documents,
        DAYS: 4 * documents,
        REJECTS: None,
    }
    for language, counts in languages.items():
        folder = folder_of(language)
        for name in ("terms.u8", "terms_sizes.u8", "by_term.u8", "by_term_heads.u8", "by_row.u8", "by_row_heads.u8"):
            sizes[f"{folder}/{name}"] = None
        sizes[f"{folder}/documents.u32"] = sizes[f"{folder}/by_row_sums.u32"] = 4 * counts["rows"]
        sizes[f"{folder}/by_term_sums.u32"] = 4 * counts["terms"]
    return sizes


def optional_sizes(documents: int) -> dict[str, int]:
    """The files that a segment may lack, since earlier versions did not write them, with their sizes in bytes."""
    return {CLASS_ORDER: 4 * documents}
