"""The SGML that the USPTO published until 2001, converted to XML."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

SGML_ROOTS = frozenset({"PATDOC"})

EMPTY = (
    b"B221US B473US B597US CHEMCDX CHEMMOL CITED-BY-EXAMINER CITED-BY-OTHER COLSPEC CRF CUSTOM-CHARACTER DEL-E DEL-S "
    b"DFREF EMI EMR FOR INS-E INS-S LSTREF MATHEMATICA PAREF SEQREF SPANSPEC TBLREF colspec spanspec"
).split()
"""Empty elements of the USPTO's ST.32, which have no end tag in SGML."""

OPEN_EMPTY = re.compile(
    rb"<(" + b"|".join(EMPTY) + rb")((?:\s(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)?)>(?:\s*</\1\s*>)?"
)
UNQUOTED = re.compile(rb"(\s[\w.\-]+\s*=\s*)([^\s\"'<>]+)(?=[\s>/])")
TAG = re.compile(rb"<[A-Za-z][\w.\-]*\s(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+>")
BARE_AMPERSAND = re.compile(rb"&(?!(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z][\w.\-]*);)")
NOT_TEXT = re.compile(
    rb"<!--(?>.*?-->|.*)|<\?(?>.*?>|.*)|<!\[CDATA\[|\]\]>|</?[A-Za-z](?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+>", re.DOTALL
)


def to_xml(data: bytes) -> bytes:
    """Convert SGML to XML: close empty elements, quote attributes, escape bare ampersands."""
    data = TAG.sub(lambda tag: UNQUOTED.sub(rb'\1"\2"', tag.group()), data)
    data = OPEN_EMPTY.sub(close_tag, data)
    return BARE_AMPERSAND.sub(b"&amp;", data)


def close_tag(tag: re.Match[bytes]) -> bytes:
    name, attributes = tag.groups()
    return b"<" + name + attributes.rstrip(b"/") + b"/>"


def has_same_text(data: bytes, root: Element) -> bool:
    """Whether a tree recovered from broken markup contains all text of the document."""
    meant = html.unescape(NOT_TEXT.sub(b"", data).decode("utf-8", "replace"))
    try:
        read = "".join(map(str, root.itertext()))
    except UnicodeDecodeError:  # half a surrogate pair, by number, which the recovering parser lets through
        return False
    return "".join(meant.split()) == "".join(read.split())
