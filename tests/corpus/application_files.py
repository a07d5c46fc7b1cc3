"""PDF and DOCX files, written byte by byte, so that tests can also write broken ones."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.corpus.hostile_files import zipped

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF file with these lines on its pages."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, lines in enumerate(pages):
        shown = b"".join(b"(%s) Tj T*\n" % protect(line) for line in lines)
        content = b"BT /F1 10 Tf 12 TL 50 780 Td\n%sET" % shown if lines else b""
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * at),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, 2)
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, each))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def protect(line: str) -> bytes:
    data = line.encode("cp1252")
    for sign in (b"\\", b"(", b")"):
        data = data.replace(sign, b"\\" + sign)
    return data


def docx(paragraphs: Sequence[str], *, numbered: Sequence[int] = (), xml: str | None = None) -> bytes:
    """A DOCX file with these paragraphs; those at `numbered` places are items of a numbered list."""
    listed = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    body = "".join(
        f'<w:p>{listed if at in numbered else ""}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
        for at, text in enumerate(paragraphs)
    )
    whole = xml or f'<w:document xmlns:w="{NAMESPACE}"><w:body>{body}</w:body></w:document>'
    return zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": whole.encode()})
