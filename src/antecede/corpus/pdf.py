"""The text of a PDF file, page by page, through pypdf.

A PDF file can make any reader loop or run out of memory, so it is read in a process of its own with bounds on time and,
where the system has them, on memory.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import IO, Any

from antecede.corpus.document import DocumentError
from antecede.corpus.language import CONJUNCTIONS

LARGEST = 256 << 20
_MAX_PAGES = 3000
_MAX_CHARACTERS = 30_000_000
SECONDS = 120
_MEMORY = 2 << 30
"""Bytes that the process may take."""
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from antecede.corpus.pdf import serve; serve()"
_HYPHENATED = re.compile(rf"(?<=[^\W\d_])[-\u00ad]\n(?!{CONJUNCTIONS})(?=[a-zß-öø-ÿ])")
"""A word divided at the end of a line."""
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*+(?:page|seite)?\s*+[0-9]{1,4}\s*+(?:(?:/|of|von|sur)\s*+[0-9]{1,4})?[-–—\s]*+", re.IGNORECASE
)
_ENCRYPTED = "encrypted; save it without a password"
_DAMAGED = "a PDF file that is cut off or damaged"


def read_pdf(file: IO[bytes]) -> tuple[list[str], list[str]]:
    """The lines of a PDF file, and notes; raises `DocumentError` if it cannot be read. The file must be on disk."""
    file.seek(0)
    words = [sys.executable, "-P", "-c", START, json.dumps(sys.path)]
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            words, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise DocumentError(f"a PDF file that takes longer than {SECONDS} seconds to read") from None
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise DocumentError(f"{_DAMAGED}, or takes more than {_MEMORY >> 30} GB of memory to read") from None
    if "failed" in answer:
        raise DocumentError(answer["failed"])
    return _lines_of(answer["pages"])


def _lines_of(pages: list[str]) -> tuple[list[str], list[str]]:
    """The lines of the pages, without page numbers, and a note on pages without text."""
    empty = sum(not page.strip() for page in pages)
    if empty == len(pages):
        raise DocumentError("a PDF file without text; if it is a scan, run text recognition (OCR) on it first")
    lines = [line for page in pages for line in _HYPHENATED.sub("", page).split("\n")]
    lines = [line for line in lines if not line.strip() or _PAGE_NUMBER.fullmatch(line) is None]
    return lines, [f"{empty} of {len(pages)} pages have no text"] if empty else []


def serve() -> None:
    """Read the PDF file on standard input and write its pages as JSON: the process of its own."""
    limit_memory()
    try:
        found: dict[str, Any] = {"pages": _extract_pages()}
    except DocumentError as error:
        found = {"failed": error.reason}
    sys.stdout.write(json.dumps(found))


def limit_memory() -> None:
    """Bound the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    bound = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))


_BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What pypdf raises on broken files besides its own errors; the messages mean nothing to a user."""


def _extract_pages() -> list[str]:
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, PyPdfError

    try:
        return _read_pages()
    except (DependencyError, FileNotDecryptedError):
        raise DocumentError(_ENCRYPTED) from None
    except LimitReachedError:
        raise DocumentError("a PDF file that unpacks to too much") from None
    except MemoryError:
        raise DocumentError(f"a PDF file that takes more than {_MEMORY >> 30} GB of memory to read") from None
    except (PyPdfError, *_BROKEN):
        raise DocumentError(_DAMAGED) from None


def _read_pages() -> list[str]:
    """The text of each page, with the errors of pypdf."""
    from pypdf import PdfReader

    reader = PdfReader(open(0, "rb", closefd=False))  # noqa: SIM115 - standard input, seekable
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError(_ENCRYPTED)
    if len(reader.pages) > _MAX_PAGES:
        raise DocumentError(f"a PDF file of more than {_MAX_PAGES:,} pages")
    pages: list[str] = []
    size = 0
    for page in reader.pages:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > _MAX_CHARACTERS:
            raise DocumentError(f"a PDF file of more than {_MAX_CHARACTERS:,} characters")
    if not pages:
        raise DocumentError("a PDF file without pages")
    return pages
