"""XML and SGML markup as bytes: where a tag, a declaration or a DOCTYPE ends. Not a parser."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = rb"[A-Za-z_\x80-\xff][\w.\-\x80-\xff]*+"

START_TAG = re.compile(
    rb"<(?P<prefix>" + NAME + rb":)?(?P<local>" + NAME + rb")(?P<rest>(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)>"
)
"""A start tag with its attributes, which may contain `>` in quotes; `rest` ends in `/` if the element is empty."""

NAMESPACE = re.compile(rb"\s(xmlns(?::" + NAME + rb")?)\s*=\s*(\"[^\"]*\"|'[^']*')")

LONGEST_DOCTYPE = 4 << 20
"""In bytes. The longest real ones list some thousands of drawings as entities."""

_QUOTED = rb"\"[^\"]*+\"|'[^']*+'|<!--(?>.*?-->)|<\?(?>.*?\?>)|<(?!!--|\?)"
_IN_DOCTYPE = re.compile(rb"(?:[^\"'\[\]<>]++|" + _QUOTED + rb")*+", re.DOTALL)
"""What a DOCTYPE consists of except its brackets. Quotes, comments and instructions inside may contain `]` and `>`."""
_IN_SUBSET = re.compile(rb"(?:[^\"'\[\]<]++|" + _QUOTED + rb")*+", re.DOTALL)
"""The same inside its brackets, where declarations end with `>`: long lists of entities are skipped in one match."""


def doctype_end(data: bytes | bytearray, start: int, longest: int = LONGEST_DOCTYPE) -> int:
    """Where the DOCTYPE that begins at `start` ends, with its subset; −1 if it does not end within the limit."""
    inside = 0
    position, stop = start + len(b"<!DOCTYPE"), start + longest
    while (found := (_IN_SUBSET if inside else _IN_DOCTYPE).match(data, position, stop)) is not None:
        mark, position = data[found.end() : min(found.end() + 1, stop)], found.end() + 1
        if mark == b"[":
            inside += 1
        elif mark == b"]":
            inside = max(0, inside - 1)
        else:  # the end, or something that does not end
            return position if mark == b">" else -1
    return -1


def doctype_start(data: bytes) -> int:
    """Where the DOCTYPE of a document begins, −1 if it has none: only comments and instructions come before it."""
    position = 0
    while True:
        position = skip_space(data, position)
        if data.startswith(b"<!DOCTYPE", position):
            return position
        closed_by = next(
            (end for start, end in ((b"<!--", b"-->"), (b"<?", b"?>")) if data.startswith(start, position)), b""
        )
        if not closed_by or (at := data.find(closed_by, position + 2)) < 0:
            return -1
        position = at + len(closed_by)


_SPACE = re.compile(rb"(?:\s|\xef\xbb\xbf|[\x00\x1a])*+")
"""White space, byte order marks, and the NUL and end-of-file characters that old systems pad with."""


def skip_space(data: bytes | bytearray, position: int) -> int:
    """The first position that is not white space or padding."""
    found = _SPACE.match(data, position)
    return position if found is None else found.end()


MOST_SEARCHES = 100
"""Searches for the second byte of a pair; where it is not rare, the pair itself is searched for."""


def find_pair(data: bytes | bytearray, pair: bytes, begin: int, end: int) -> int:
    """The first position of two bytes, −1 if they do not occur: a search for one byte is ten times as fast."""
    at = begin
    for _ in range(MOST_SEARCHES):
        at = data.find(pair[1:], at + 1, end)
        if at < 0 or data.startswith(pair, at - 1):
            return at - 1 if at > 0 else -1
    return data.find(pair, at, end)


@lru_cache(maxsize=8)
def declared_namespaces(tag: bytes) -> Mapping[bytes, bytes]:
    """The namespaces that a start tag declares: attribute name → quoted value.

    Cached, because the tag of a container is looked up for every record in it."""
    return dict(NAMESPACE.findall(tag))


@lru_cache(maxsize=8)
def document_start(names: frozenset[str]) -> re.Pattern[bytes]:
    """The pattern of the beginning of a supported document."""
    known = b"|".join(re.escape(name.encode()) for name in sorted(names))
    return re.compile(rb"<(?:\?xml\s|!DOCTYPE\s|(?:" + NAME + rb":)?(?:" + known + rb")[\s/>])")
