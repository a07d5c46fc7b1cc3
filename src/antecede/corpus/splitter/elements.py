"""Where an element ends in a stream, found by searching bytes.

An element ends at its end tag, unless that is in a comment, a CDATA section or an instruction, or belongs to an inner
element of the same name. A few searches show whether this is possible; only then is the element scanned mark by mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.corpus.xml.markup import LONGEST_DOCTYPE, START_TAG, declared_namespaces, doctype_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.corpus.streams import Window

LONGEST_TAG = 1 << 20
SHORT_DOCTYPE = 1 << 10
CLOSED_BY = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
MARKS = ((b"<!", (b"<!--", b"<![CDATA[")), (b"<?", (b"<?",)))
"""How comments, CDATA sections and instructions begin, by their first two characters."""
NEXT_DOCUMENT = re.compile(rb"<\?xml\s|<!DOCTYPE\s")
"""What never appears inside a document, so that the previous one has ended."""
CLOSING = re.compile(rb"\s*+(?:>|(?=[^>]))")
XML_DECLARATION = re.compile(rb"<\?xml\s")


class CutOffError(Exception):
    """An element does not end: the stream ends, or the next document begins at the position `at`."""

    def __init__(self, at: int | None = None, *, searched: int = 0) -> None:
        super().__init__()
        self.at, self.searched = at, searched


class TooLongError(Exception):
    """Something exceeds its limit; it was examined up to the position `at`."""

    def __init__(self, what: str, at: int = 0) -> None:
        super().__init__(what)
        self.at = at


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag and its position in the window."""

    at: int
    end: int
    name: bytes
    """The name as written, with its prefix."""
    local: str
    text: bytes

    @property
    def empty(self) -> bool:
        return self.text.endswith(b"/>")


def read_start_tag(window: Window, at: int) -> Tag | None:
    """The start tag at a position; None if there is none."""
    while (found := window.match(START_TAG, at)) is None:
        if len(window) - at > LONGEST_TAG:
            raise TooLongError(f"a tag of more than {LONGEST_TAG >> 20} MB, or one that does not end", at)
        if not window.grow():
            return None
    text, local = bytes(found.group()), bytes(found["local"])
    return Tag(at, at + len(text), bytes(found["prefix"] or b"") + local, local.decode("utf-8", "replace"), text)


def find_mark_end(window: Window, at: int, opened_by: bytes, limit: int) -> int:
    """Where a comment, a CDATA section or an instruction ends."""
    closed_by = CLOSED_BY[opened_by]
    while (end := window.find_ahead(closed_by, at + len(opened_by))) < 0:
        if len(window) > limit:
            raise TooLongError(
                f"longer than the limit of {limit / (1 << 20):g} MB: a comment or instruction does not end",
                at,
            )
        if not window.grow():
            raise CutOffError(searched=len(window))
    return end + len(closed_by)


def check_no_declaration(window: Window, at: int, end: int) -> int:
    """The end of a mark. It must not contain an XML declaration: that would begin the next document."""
    found = window.find(b"<?xml", at + 1, end)
    if found >= 0 and window.match(XML_DECLARATION, found) is not None:
        raise CutOffError(found)
    return end


def find_doctype_end(window: Window, at: int) -> int:
    """Where a DOCTYPE ends; the search stops where the next document begins."""
    longest = SHORT_DOCTYPE
    while True:
        declared = window.find(b"<?xml", at + 1, min(len(window), at + longest))
        end = doctype_end(window.buffer, window.start + at, declared - at if declared >= 0 else longest)
        if end >= 0:
            return end - window.start
        if declared >= 0:
            raise CutOffError(declared)
        if longest == SHORT_DOCTYPE:
            longest = LONGEST_DOCTYPE
        elif len(window) - at > LONGEST_DOCTYPE:
            raise TooLongError(f"its DOCTYPE is longer than {LONGEST_DOCTYPE >> 20} MB", at + LONGEST_DOCTYPE)
        elif not window.grow():
            raise CutOffError(searched=len(window))


def find_element_end(window: Window, tag: Tag, limit: int) -> int:
    """Where the element of a start tag ends."""
    end = tag.end if tag.empty else find_end_quickly(window, tag, limit) or find_end_by_marks(window, tag, limit)
    if end > limit:
        raise TooLongError(f"longer than the limit of {limit / (1 << 20):g} MB")
    return end


def find_end_quickly(window: Window, tag: Tag, limit: int) -> int | None:
    """Where the first end tag ends, if that is certainly the right one: one search for the name finds everything.

    No inner element of the same name begins before it, so it belongs neither to that one nor to the next document if
    the end tag of this one is missing; and no comment, CDATA section or instruction is open there.
    """
    at = tag.end
    while True:
        while (found := window.find_ahead(tag.name, at)) < 0:
            if len(window) > limit or not window.grow():
                return None
        at = found + len(tag.name)
        if window.startswith(b"<", found - 1):
            return None
        if window.startswith(b"</", found - 2):
            while at == len(window) and window.grow():
                pass
            if window.startswith(b">", at):
                return at + 1 if are_marks_closed(window, tag.end, at) else None


def are_marks_closed(window: Window, begin: int, end: int) -> bool:
    """Whether no comment, CDATA section or instruction is open at `end`."""
    return all(
        window.find_pair(start, begin, end) < 0 or all(is_closed(window, mark, begin, end) for mark in marks)
        for start, marks in MARKS
    )


def is_closed(window: Window, opened_by: bytes, begin: int, end: int) -> bool:
    """Whether the last mark of a kind ends before `end`."""
    last = window.rfind(opened_by, begin, end)
    return last < 0 or window.find(CLOSED_BY[opened_by], last, end) >= 0


@lru_cache(maxsize=64)
def mark_pattern(name: bytes) -> re.Pattern[bytes]:
    """The marks to examine when scanning an element."""
    return re.compile(rb"<!--|<!\[CDATA\[|<\?xml\s|<!DOCTYPE\s|<\?|</?" + re.escape(name) + rb"(?=[\s/>])")


def find_end_by_marks(window: Window, tag: Tag, limit: int) -> int:
    """Where the element ends, scanned mark by mark."""
    nested = NestedElements()
    at = tag.end
    while True:
        found = window.search(mark_pattern(tag.name), at)
        if found is None:
            at = max(at, len(window) - len(tag.name) - 10)
            if len(window) <= limit and window.grow():
                continue
            if len(window) > limit and nested.complete is None:
                raise TooLongError(f"longer than the limit of {limit / (1 << 20):g} MB")
            raise CutOffError(nested.complete, searched=len(window))
        place, mark = found[0], bytes(found[1].group())
        if NEXT_DOCUMENT.match(mark) is not None:
            raise CutOffError(place)
        if mark in CLOSED_BY:
            at = find_mark_end(window, place, mark, limit)
            if mark == b"<?":
                check_no_declaration(window, place, at)
            continue
        at, change = read_inner_tag(window, place, mark)
        if nested.close(place, change):
            return at


class NestedElements:
    """Elements with the name of the element around them.

    Real documents contain none of their own name. If one does and does not end, its end tag is missing; then the first
    complete element inside is the next document.
    """

    DEEPEST = 256

    def __init__(self) -> None:
        self.open: list[tuple[int, int | None]] = [(0, None)]
        """The start of each open element, and of the first complete element in it."""

    @property
    def complete(self) -> int | None:
        return self.open[-1][1]

    def close(self, place: int, change: int) -> bool:
        """Count a tag; true if it ends the outermost element."""
        if change > 0:
            self.open.append((place, None))
            if len(self.open) > self.DEEPEST:
                raise TooLongError(f"nested in itself more than {self.DEEPEST} deep")
        elif change < 0:
            begun, _ = self.open.pop()
            if not self.open:
                return True
            outer, first = self.open[-1]
            self.open[-1] = (outer, begun if first is None else first)
        return False


def read_inner_tag(window: Window, at: int, mark: bytes) -> tuple[int, int]:
    """Where an inner tag of the same name ends, and the change of depth."""
    if not mark.startswith(b"</"):
        inner = read_start_tag(window, at)
        return (at + len(mark), 1) if inner is None else (inner.end, 0 if inner.empty else 1)
    while (rest := window.match(CLOSING, at + len(mark))) is None:
        if not window.grow():
            raise CutOffError(searched=len(window))
    return at + len(mark) + len(rest.group()), -1 if rest.group().endswith(b">") else 0


def skip_element(window: Window, name: bytes) -> None:
    """Skip the rest of an element after its start tag, or up to the next document, without keeping it in memory."""
    pattern = re.compile(rb"<\?xml\s|<!DOCTYPE\s|<(/?)" + re.escape(name) + rb"(?:\s[^<>]*)?(/?)>")
    depth = 1
    while True:
        while (found := window.search(pattern, 0)) is not None:
            place, match = found
            if match[1] is None:
                window.skip(place)
                return
            window.skip(place + len(match.group()))
            depth += -1 if match[1] else 0 if match[2] else 1
            if depth == 0:
                return
        window.skip(max(0, len(window) - LONGEST_TAG // 16))
        if not window.grow():
            window.skip(len(window))
            return


def extract_record(window: Window, tag: Tag, end: int, around: Sequence[Tag]) -> bytes:
    """An element as a document of its own, with the namespaces declared around it."""
    declared: dict[bytes, bytes] = {}
    for outer in around:
        declared |= declared_namespaces(outer.text)
    own = declared_namespaces(tag.text)
    added = b"".join(b" %b=%b" % each for each in declared.items() if each[0] not in own)
    name_end = tag.at + 1 + len(tag.name)
    return b"".join((window.take(tag.at, name_end), added, window.take(name_end, end)))
