"""The text of an element as lines: gathered by libxml2 in one call, white space normalized as bytes.

Readers first write separators into the tree: `LINE` where a line begins or ends, `PART` between the texts of several
elements. Newlines in a file are only white space, since many offices wrap their paragraphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LINE = "\x7f"
"""The delete character represents our line breaks while text is gathered: a single byte that no document contains,
since `parse_xml` replaces it."""
LINE_SEPARATOR = "\u2028"
"""Unicode's line separator in a document is a line break too."""
PART = "\u2029"
"""Unicode's paragraph separator separates the texts of several elements."""
LINE_BYTE, PART_BYTES = LINE.encode(), PART.encode()
SPACE = ord(" ")
BLANK = f"{LINE} \t\r\n"
"""What an empty line may consist of."""


def text_bytes(element: Element) -> bytes:
    """The complete text of an element in UTF-8, unchanged."""
    return etree.tostring(element, encoding="utf-8", method="text", with_tail=False)


def normal_lines(text: bytes) -> bytes:
    """The lines of a text, separated by `LINE`: white space normalized as by XPath's `normalize-space`, no empty ones.

    The time is that of a few searches for single bytes, where `normalize-space` examines every character.
    """
    lines = LINE_BYTE.join(filter(None, map(bytes.strip, text.split(LINE_BYTE))))
    if b"\n" in lines:  # a line that is wrapped
        lines = b" ".join(filter(None, map(bytes.strip, lines.split(b"\n"))))
    for space in (b"\t", b"\r"):
        if space in lines:
            lines = lines.replace(space, b" ")
    return collapse_spaces(lines)


def collapse_spaces(text: bytes) -> bytes:
    """The text with one space in place of several; an array finds them ten times as fast as a search for two spaces."""
    characters = np.frombuffer(text, np.uint8)
    spaces = characters == SPACE
    repeated = spaces[1:] & spaces[:-1]
    return text[:1] + characters[1:][~repeated].tobytes() if repeated.any() else text


def decode_lines(lines: bytes) -> str:
    """Normal lines as text, one per line."""
    text = lines.replace(LINE_BYTE, b"\n").decode()
    return text if text.isascii() else strip_lines(text.replace(LINE_SEPARATOR, "\n"))


def strip_lines(text: str) -> str:
    """The text without white space at the beginning and end of its lines, and without empty lines."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


def split_parts(lines: bytes, every: int = 1) -> list[str]:
    """The texts after each `PART`, or after every second one."""
    return [decode_lines(part.strip(b" " + LINE_BYTE)) for part in lines.split(PART_BYTES)[1::every]]
