"""An application in a file, as a patent to search with: its text, and its parts where headings make them plain."""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from antecede.corpus.applications.docx import office_kind, read_docx
from antecede.corpus.applications.parts import recognise_parts
from antecede.corpus.applications.pdf import LARGEST, read_pdf
from antecede.corpus.detection import PLAIN_TEXT, describe_content
from antecede.corpus.document import DocumentError
from antecede.corpus.encodings import decode, strip_byte_order_marks, wide_encoding
from antecede.corpus.files.folders import label
from antecede.corpus.files.sources import ZIP
from antecede.corpus.splitter.json_splitter import JSON_START
from antecede.corpus.splitter.splitter import XML_START
from antecede.corpus.splitter.table_splitter import detect_table
from antecede.errors import InputError, shown
from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = 1 << 16
STDIN = "-"
LARGEST_TEXT = 64 << 20
PDF, OLE, RTF = b"%PDF-", b"\xd0\xcf\x11\xe0", b"{\\rtf"
REFUSED = {
    OLE: "a Microsoft Office file that is encrypted or in the format before 2007; save it as DOCX without a password",
    RTF: "an RTF text; save it as DOCX or as plain text",
}
NOT_IN_NAMES = re.compile(r"[\s\x00\ufeff]+|\A#+")


def is_application(path: str | Path) -> bool:
    """Whether a file is the text of an application, and not patents in one of the formats of collections."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return kind_of(file) != ""
    except (OSError, ValueError):
        return False


def kind_of(file: IO[bytes]) -> str:
    """The kind of a file: `pdf`, `docx`, `text`, or why one that resembles them is refused; empty for all others."""
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(PDF):
        return "pdf"
    if head.startswith(ZIP):
        kind = office_kind(file)
        file.seek(0)
        return "docx" if not kind else "" if kind == "archive" else kind
    refused = next((reason for start, reason in REFUSED.items() if head.startswith(start)), None)
    return refused if refused is not None else "text" if is_prose(head) else ""


def is_prose(head: bytes) -> bool:
    """Whether a file begins as a plain text: no markup, no JSON, no table."""
    if (wide := wide_encoding(head[:4])) is not None:
        head = head[: len(head) // 4 * 4].decode(wide, "replace").lstrip("\ufeff").encode()
    head = strip_byte_order_marks(head).lstrip()
    if head.startswith(b"<") or JSON_START.match(head) is not None or XML_START.search(head) is not None:
        return False
    return describe_content(head) == PLAIN_TEXT and detect_table(head, {}) is None


def read_application(path: str | Path, on_note: Callable[[str], None] | None = None) -> Patent:
    """The application in a text, PDF or DOCX file, as a patent to search with.

    Title, abstract, claims and description are those that its headings name; without headings all is description. Its
    doc_id is the name of the file, so it is never taken for a document of an index. A file that cannot be read raises
    `InputError`.

    Args:
        path: The file; `-` is standard input.
        on_note: Called with notes on how the file was read.
    """
    lines = read_lines(path, on_note)
    parts = recognise_parts(lines)
    if not any((parts.title, parts.abstract, parts.claims, parts.description)):
        raise InputError("has no text", source=named(path))
    name = "standard-input" if str(path) == STDIN else NOT_IN_NAMES.sub("_", label(Path(Path(path).name)))
    return Patent(
        name,
        language=parts.language,
        title=parts.title,
        abstract=parts.abstract,
        claims=parts.claims,
        description=parts.description,
        source=label(Path(path)),
    )


def read_text(path: str | Path, on_note: Callable[[str], None] | None = None) -> str:
    """The whole text of a text, PDF or DOCX file, or of standard input (`-`)."""
    text = "\n".join(read_lines(path, on_note)).strip()
    if not text:
        raise InputError("has no text", source=named(path))
    return text


def read_lines(path: str | Path, on_note: Callable[[str], None] | None) -> list[str]:
    """The lines of a file."""
    try:
        with open_file(path) as file:
            kind = kind_of(file)
            if kind not in READERS:
                raise DocumentError(kind or explain_content(file))
            largest, read = READERS[kind]
            check_size(file, largest)
            lines, notes = read(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=named(path)) from None
    except DocumentError as error:
        raise InputError(error.reason, source=named(path)) from None
    if on_note is not None:
        for note in notes:
            on_note(f"{named(path)}: {note}")
    return lines


def explain_content(file: IO[bytes]) -> str:
    """Why a file is not an application."""
    head = file.read(HEAD)
    if head.startswith(ZIP):
        return "a zip archive, or a DOCX file that is cut off or damaged"
    content = describe_content(head)
    structured = "markup, JSON or a table, not a plain text; give it as the patent to search with"
    return structured if content == PLAIN_TEXT else content


@contextmanager
def open_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A seekable file; standard input and pipes are copied to a temporary one."""
    with nullfile() if str(path) == STDIN else Path(path).open("rb") as file:
        if file is not None and file.seekable():
            yield file
            return
        stream = sys.stdin.buffer if file is None else file
        with tempfile.TemporaryFile(prefix="antecede-") as copy:
            while part := stream.read(1 << 20):
                copy.write(part)
                if copy.tell() > LARGEST:
                    raise DocumentError(f"longer than the limit of {LARGEST >> 20} MB")
            copy.seek(0)
            yield cast("IO[bytes]", copy)


@contextmanager
def nullfile() -> Iterator[None]:
    yield None


def check_size(file: IO[bytes], largest: int) -> None:
    """Refuse a file that is too large, before it is read."""
    size = file.seek(0, 2)
    file.seek(0)
    if size > largest:
        raise DocumentError(f"longer than the limit of {largest >> 20} MB")


def read_plain(file: IO[bytes]) -> tuple[list[str], list[str]]:
    """The lines of a plain text in UTF-8, or in UTF-16 with a byte order mark."""
    data = file.read()
    if b"\x00" in data and wide_encoding(data[:4]) is None:
        raise DocumentError("a binary file, not text")
    wide = wide_encoding(data[:4])
    try:
        text = decode(strip_byte_order_marks(data), wide or "utf-8").lstrip("\ufeff")
    except DocumentError as error:
        raise DocumentError(f"{error.reason}; save it as UTF-8") from None
    return re.split(r"\r\n?|\n|\f", text), []


READERS: dict[str, tuple[int, Callable[[IO[bytes]], tuple[list[str], list[str]]]]] = {
    "text": (LARGEST_TEXT, read_plain),
    "pdf": (LARGEST, read_pdf),
    "docx": (LARGEST, read_docx),
}
"""Kind of file → its largest size, and the function that gives its lines and notes."""


def named(path: str | Path) -> str:
    """The name of a file for a message."""
    return "standard input" if str(path) == STDIN else shown(label(Path(path)), 200)
