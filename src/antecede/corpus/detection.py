"""What a file or a document is, detected from its bytes and never from its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus import beir
from antecede.corpus.document import DocumentError
from antecede.corpus.files import DOCX
from antecede.corpus.formats import FORMATS, by_root
from antecede.corpus.markup import skip_space
from antecede.errors import printable

if TYPE_CHECKING:
    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import Format

OTHER_ROOTS = {
    "sequence-cwu": "a sequence listing of the USPTO, not a patent",
    "sequence-listing": "a sequence listing, not a patent",
    "us-sequence-listing": "a sequence listing of the USPTO, not a patent",
    "ST26SequenceListing": "a sequence listing (WIPO ST.26), not a patent",
    "description": "a description alone: nothing in it says which publication it belongs to",
    "claims": "claims alone: nothing in them says which publication they belong to",
    "abstract": "an abstract alone: nothing in it says which publication it belongs to",
    "PubmedArticleSet": "articles of PubMed in XML, not a patent; save them in the format PubMed (.nbib)",
    "xml": "a library in XML as of EndNote, not a patent; export it as RIS",
    "html": "an HTML page, not a patent",
    "HTML": "an HTML page, not a patent",
    "svg": "an SVG drawing, not a patent",
    "stylesheet": "an XSLT stylesheet, not a patent",
    "schema": "an XML schema, not a patent",
    "fault": "an error message of a server, not a patent",
}
"""Known root elements that are not patents."""

MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xd0\xcf\x11\xe0", "a Microsoft Office file"),
    (b"{\\rtf", "an RTF text"),
    (b"Rar!", "a RAR archive; zip, tar, gzip, bzip2, xz and zstd are read"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; zip, tar, gzip, bzip2, xz and zstd are read"),
    (b"\x1f\x9d", "a file compressed by `compress`; gzip, bzip2, xz and zstd are read"),
    (b"\x04\x22\x4d\x18", "a file compressed by LZ4; gzip, bzip2, xz and zstd are read"),
    (b"\x1f\x8b", "a gzip file nested too deeply"),
)
"""The first bytes of files that do not contain patents in a supported format."""

_DTD_FILE = "a DTD or a part of one, not a patent"
ATTACHMENTS = frozenset(
    [
        *(OTHER_ROOTS[root] for root in OTHER_ROOTS if "equence" in root),
        *(OTHER_ROOTS[root] for root in ("svg", "stylesheet", "schema")),
        *(f"{name}, not a patent" for _, name in MAGIC if name.endswith((" image", "PDF file"))),
        _DTD_FILE,
        DOCX,
        beir.QUERIES,
        beir.JUDGEMENTS,
    ]
)
"""Reasons that do not indicate a faulty collection: offices distribute such files with their patents."""

_BRS_TEXT = re.compile(rb"\*\*\* BRS DOCUMENT BOUNDARY \*\*\*")
_APS_TEXT = re.compile(rb"(?:^|\n)PATN\r?\n(?:.*\n){0,3}?WKU  ")
DTD_TEXT = re.compile(rb"<!(?:ELEMENT|ENTITY|ATTLIST|NOTATION)\s|<!\[\s*(?:%|INCLUDE|IGNORE)")
HTML_TEXT = re.compile(rb"<!DOCTYPE\s+html|<html[\s>]|<head>|<body[\s>]", re.IGNORECASE)
_BIBTEX = re.compile(rb"(?:\A|\n)\s*@[A-Za-z]+\s*\{[^,\s]*,\s")
_TEXT_PATTERNS = (
    (_BRS_TEXT, "a USPTO BRS text file; only XML and SGML of the USPTO are read"),
    (_APS_TEXT, "a USPTO APS text file, as before 2001; only XML and SGML of the USPTO are read"),
    (HTML_TEXT, "an HTML page, not a patent"),
    (_BIBTEX, "references in BibTeX, not a supported format; export them as RIS"),
    (DTD_TEXT, _DTD_FILE),
)
PLAIN_TEXT = "plain text, not a supported format"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def detect_format(raw: RawDocument) -> Format:
    """The format of a document, by its root element; raises `DocumentError` if there is none."""
    found = by_root().get(raw.root)
    if found is None:
        raise DocumentError(explain_root(raw.root))
    return found


def explain_root(root: str) -> str:
    """Why a root element is not a supported document."""
    if root in OTHER_ROOTS:
        return OTHER_ROOTS[root]
    return f"unknown root element <{printable(root)}>; supported formats: {', '.join(FORMATS)}"


def describe_content(head: bytes) -> str:
    """Describe a file without documents by its first bytes: the reason why it is rejected."""
    if not head:
        return "an empty file"
    if not head.strip(b"\x00"):
        return "a file of zeros"
    start = skip_space(head, 0)
    if start == len(head):
        return "a file of white space only"
    for magic, name in MAGIC:
        if head.startswith(magic):
            return f"{name}, not a patent"
    for pattern, name in _TEXT_PATTERNS:
        if pattern.search(head) is not None:
            return name
    return PLAIN_TEXT if is_text(head) else "a binary file, not a supported format"


def is_text(head: bytes) -> bool:
    """Whether bytes may be text in some encoding: at most 1 % are control characters."""
    return len(_CONTROL.findall(head)) * 100 <= len(head)
