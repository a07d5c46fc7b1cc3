"""Where an element ends in a stream, found by searching bytes.

The end tag of its name is the end, unless it stands in a comment, a CDATA section or an instruction, or belongs to an
inner element of the same name. Whether that can be is seen from a few searches; only where it can, the element is
gone through mark by mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.corpus.markup import LONGEST_DOCTYPE, START_TAG, doctype_end

if TYPE_CHECKING:
    from antecede.corpus.window import Window

LONGEST_TAG = 1 << 20
CLOSED_BY = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
NEXT_DOCUMENT = re.compile(rb"<\?xml\s|<!DOCTYPE\s")
"""What stands inside no document, so that one before it has ended."""
CLOSING = re.compile(rb"\s*+(?:>|(?=[^>]))")
DECLARES = re.compile(rb"<\?xml\s")


class CutOffError(Exception):
    """An element does not end: the stream does, or the next document begins `at` a place before its end."""

    def __init__(self, at: int | None = None) -> None:
        super().__init__()
        self.at = at


class TooLongError(Exception):
    """Something that begins `at` a place is longer than it may be."""

    def __init__(self, what: str, at: int = 0) -> None:
        super().__init__(what)
        self.at = at


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag, and its place in the window."""

    at: int
    end: int
    name: bytes
    """As it is written, with its prefix."""
    local: str
    text: bytes

    @property
    def empty(self) -> bool:
        return self.text.endswith(b"/>")


def start_tag(window: Window, at: int) -> Tag | None:
    """The start tag that begins there; None if it is none."""
    while (found := window.match(START_TAG, at)) is None:
        if len(window) - at > LONGEST_TAG:
            raise TooLongError(f"a tag of more than {LONGEST_TAG >> 20} MB, or one that does not end", at)
        if not window.grow():
            return None
    text, local = bytes(found.group()), bytes(found["local"])
    return Tag(at, at + len(text), bytes(found["prefix"] or b"") + local, local.decode("utf-8", "replace"), text)


def mark_end(window: Window, at: int, opened_by: bytes, limit: int) -> int:
    """Where a comment, a CDATA section or an instruction ends."""
    closed_by = CLOSED_BY[opened_by]
    searched = at + len(opened_by)
    while (end := window.find(closed_by, searched)) < 0:
        searched = max(searched, len(window) - len(closed_by))
        if len(window) > limit:
            raise TooLongError(
                f"longer than the limit of {limit / (1 << 20):g} MB: a comment or the like does not end", at
            )
        if not window.grow():
            raise CutOffError
    return end + len(closed_by)


def before_next(window: Window, at: int, end: int) -> int:
    """The end of a mark. A declaration of XML stands in none: it would be the next document's, and this is cut off."""
    found = window.find(b"<?xml", at + 1, end)
    if found >= 0 and window.match(DECLARES, found) is not None:
        raise CutOffError(found)
    return end


def doctype_ends(window: Window, at: int) -> int:
    """Where a DOCTYPE ends."""
    while (end := doctype_end(window.held, window.start + at)) < 0:
        if len(window) - at > LONGEST_DOCTYPE:
            raise TooLongError(f"its DOCTYPE is longer than {LONGEST_DOCTYPE >> 20} MB", at)
        if not window.grow():
            raise CutOffError
    return before_next(window, at, end - window.start)


def element_end(window: Window, tag: Tag, limit: int) -> int:
    """Where the element of a start tag ends."""
    end = tag.end if tag.empty else quick_end(window, tag, limit) or end_by_marks(window, tag, limit)
    if end > limit:
        raise TooLongError(f"longer than the limit of {limit / (1 << 20):g} MB")
    return end


def quick_end(window: Window, tag: Tag, limit: int) -> int | None:
    """Where the first end tag ends, if that must be the right one."""
    end_tag = b"</" + tag.name + b">"
    searched = tag.end
    while (found := window.find(end_tag, searched)) < 0:
        searched = max(searched, len(window) - len(end_tag))
        if len(window) > limit or not window.grow():
            return None
    end = found + len(end_tag)
    return end if is_plain(window, tag, end) else None


def is_plain(window: Window, tag: Tag, end: int) -> bool:
    """Whether the first end tag found must be the right one.

    No inner element of the same name begins before it; so it is neither that one's, nor that of the next document
    where this has lost its own. And no comment, CDATA section or instruction is open there. The single signs are
    looked for first, for that is ten times as fast and mostly enough.
    """
    if window.find(b"<" + tag.name, tag.end, end) >= 0:
        return False
    signs = ((b"!", b"<!--"), (b"!", b"<![CDATA["), (b"?", b"<?"))
    return all(window.find(sign, tag.end, end) < 0 or closed_before(window, mark, tag.end, end) for sign, mark in signs)


def closed_before(window: Window, opened_by: bytes, begin: int, end: int) -> bool:
    """Whether the last mark of a kind has ended before `end`."""
    last = window.rfind(opened_by, begin, end)
    return last < 0 or window.find(CLOSED_BY[opened_by], last, end) >= 0


@lru_cache(maxsize=64)
def marks_of(name: bytes) -> re.Pattern[bytes]:
    """What matters on the way through an element."""
    return re.compile(rb"<!--|<!\[CDATA\[|<\?xml\s|<!DOCTYPE\s|<\?|</?" + re.escape(name) + rb"(?=[\s/>])")


def end_by_marks(window: Window, tag: Tag, limit: int) -> int:
    """Where the element ends, gone through mark by mark.

    Real documents hold none of their own name. If an inner one was met and the outer does not end, the outer is cut
    off where the inner begins.
    """
    depth, at, inner = 1, tag.end, None
    while True:
        found = window.search(marks_of(tag.name), at)
        if found is None:
            at = max(at, len(window) - len(tag.name) - 10)
            grown_enough(window, limit, inner)
            continue
        place, mark = found[0], bytes(found[1].group())
        if NEXT_DOCUMENT.match(mark) is not None:
            raise CutOffError(place)
        if mark in CLOSED_BY:
            at = mark_end(window, place, mark, limit)
            if mark == b"<?":
                before_next(window, place, at)
            continue
        at, change = tag_end(window, place, mark)
        inner = place if inner is None and change > 0 else inner
        depth += change
        if depth == 0:
            return at


def grown_enough(window: Window, limit: int, inner: int | None) -> None:
    """Read on, if the element may be longer and there is more."""
    if len(window) <= limit and window.grow():
        return
    if inner is not None:
        raise CutOffError(inner)
    if len(window) > limit:
        raise TooLongError(f"longer than the limit of {limit / (1 << 20):g} MB")
    raise CutOffError


def tag_end(window: Window, at: int, mark: bytes) -> tuple[int, int]:
    """Where an inner tag of the same name ends, and by how much it changes the depth."""
    if not mark.startswith(b"</"):
        inner = start_tag(window, at)
        return (at + len(mark), 1) if inner is None else (inner.end, 0 if inner.empty else 1)
    while (rest := window.match(CLOSING, at + len(mark))) is None:
        if not window.grow():
            raise CutOffError
    return at + len(mark) + len(rest.group()), -1 if rest.group().endswith(b">") else 0


def pass_by(window: Window, name: bytes) -> None:
    """Go on behind the element of this name whose start tag is behind us, or to the next document. Keeps nothing."""
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
