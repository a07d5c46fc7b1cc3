"""Hostile documents, each with the reason why it must be rejected; and how files are read here to see that."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING

from antecede.corpus.detection import detect_format
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.files import find_entries
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.splitter import split

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROOT = "patent-document"
START = f'<?xml version="1.0"?>\n<{ROOT} ucid="EP-1-A1">'.encode()
END = f"</{ROOT}>".encode()
GOOD = START + b"<p>A hinge</p>" + END
MB = 1 << 20


def rows(*paths: Path) -> tuple[list[str], list[str]]:
    """The texts of the documents that were read, and the reasons of those that were not."""
    texts, reasons = [], []
    for entry in find_entries(paths):
        for found in (entry,) if isinstance(entry, Rejected) else split(entry.stream, entry.label):
            try:
                if isinstance(found, Rejected):
                    raise DocumentError(found.reason)
                detect_format(found)
                texts.append("".join(map(str, parse_xml(found).itertext())))
            except DocumentError as error:
                reasons.append(error.reason)
    return texts, reasons


def survives(data: bytes, step: int = 64, limit: int = 2000) -> tuple[int, int]:
    """Documents read and not read; anything else than a reason is a failure."""
    read = rejected = 0
    for found in split(io.BytesIO(data), "f", limit=limit, roots=(ROOT, "PATDOC", "{"), containers=("all",), step=step):
        if isinstance(found, Rejected):
            rejected += 1
            continue
        try:
            parse_xml(found)
            read += 1
        except DocumentError as error:
            rejected += bool(error.reason)
    return read, rejected


def doctype(inner: str, text: str) -> bytes:
    return f'<?xml version="1.0"?><!DOCTYPE {ROOT} [{inner}]><{ROOT}>{text}</{ROOT}>'.encode()


@cache
def million_attributes() -> bytes:
    return b" ".join(b"a%d='x'" % n for n in range(1_000_000))


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
XML: dict[str, tuple[Callable[[], bytes], str]] = {
    "entity of a file": (
        lambda: doctype('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"),
        "the entity &x; refers to another file, which is not opened",
    ),
    "public entity": (
        lambda: doctype('<!ENTITY x PUBLIC "a" "http://127.0.0.1/x">', "&x;"),
        "the entity &x; refers to another file",
    ),
    "parameter entity": (lambda: doctype('<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;', "&y;"), "unknown entity &y;"),
    "billion laughs": (
        lambda: doctype(f'<!ENTITY l0 "lol">{LAUGHS}', "&l9;"),
        "the entity &l9; is not a short plain text",
    ),
    "quadratic blow-up": (
        lambda: doctype(f'<!ENTITY q "{"q" * 90}">', "&q;" * 100_000),
        "its entities, &q; among them, would expand it too much",
    ),
    "long entity": (
        lambda: doctype(f'<!ENTITY q "{"q" * 50_000}">', "&q;" * 50_000),
        "the entity &q; is not a short plain text",
    ),
    "entity that is itself": (lambda: doctype('<!ENTITY q "&q;">', "&q;"), "the entity &q; is not a short plain text"),
    "markup in an entity": (
        lambda: doctype('<!ENTITY q "&#60;p/>">', "&q;"),
        "the entity &q; is not a short plain text",
    ),
    "a million elements deep": (lambda: START + b"<a>" * 1_000_000, "ends inside the document: the file is cut off"),
    "deep and closed": (lambda: START + b"<a>" * 9000 + b"</a>" * 9000 + END, "elements nested more than 256 deep"),
    "a million attributes": (
        lambda: START + b"<a " + million_attributes() + b"/>" + END,
        "a single tag or text of more than 10 MB",
    ),
    "a million attributes of the root": (
        lambda: START[:-1] + b" " + million_attributes() + b"/>",
        "a tag of more than 1 MB, or one that does not end",
    ),
    "three million elements": (
        lambda: START + b"<p/>" * 3_000_000 + END,
        "has more than 2,000,000 elements and attributes",
    ),
    "a million entities": (lambda: START + b"&agr;" * 1_100_000 + END, "has more than 1,000,000 entities"),
    "a long text": (lambda: START + b"x" * (11 * MB) + END, "a single text of more than 10 MB"),
    "unending comment": (lambda: START + b"<!--" * MB + END, "ends inside the document: the file is cut off"),
    "unending CDATA": (lambda: START + b"<![CDATA[" * MB + END, "ends inside the document: the file is cut off"),
    "latin-1 called utf-8": (lambda: START + b"caf\xe9\n" + END, "byte 0xe9 on line 2 is not UTF-8"),
    "unknown encoding": (
        lambda: START.replace(b"?>", b' encoding="x-klingon"?>') + END,
        "declares the encoding 'x-klingon'",
    ),
    "encoding that is none": (
        lambda: START.replace(b"?>", b' encoding="zlib"?>') + END,
        "declares the encoding 'zlib'",
    ),
    "unknown entity": (lambda: START + b"&nosuch;" + END, "unknown entity &nosuch;"),
    "crossed tags": (lambda: START + b"<a><b></a></b>" + END, "not well-formed XML: Opening and ending tag mismatch"),
    "two million quotes": (lambda: START + b"<a b='" * 400_000 + END, "not well-formed XML: Unescaped '<' not allowed"),
    "ampersands": (lambda: START + b"& " * 1_200_000 + END, "has more than 1,000,000 entities"),
}
