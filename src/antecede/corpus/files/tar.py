"""A tar archive read as a stream, member by member: nothing is sought, kept or written.

(The standard library's reader keeps a record of every member, loads headers of any length into memory, and ends
without a word where an archive is cut off between two members.)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.files.archives import DROPPINGS, Member, refused
from antecede.corpus.files.window import read_fully

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.compression import Stream

BLOCK = 512
ZEROS = bytes(BLOCK)
LONGEST_HEADER = 1 << 20
FILES, FOLDERS = (b"\x00", b"0", b"7"), (b"5", b"D")
EXTENDED = (b"x", b"X", b"g", b"L", b"K")
WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
OTHERS = {
    b"1": "a link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"S": "a sparse file",
    b"M": "a part of a file",
}
"""Kinds of members that are no whole files."""
RECORD = re.compile(rb"([1-9]\d{0,8}) ([^=]{1,200})=")
CUT_OFF = "the tar archive ends early: it is cut off"


def is_tar(head: bytes) -> bool:
    """Whether bytes begin with the header of a member; also for archives from before there was a magic word."""
    return len(head) >= BLOCK and head[0] not in b"\x00" and checksum_holds(head[:BLOCK])


def checksum_holds(header: bytes) -> bool:
    """A header carries the sum of its bytes, its own place counted as blanks."""
    told = number(header[148:156])
    return told is not None and told == sum(header[:148]) + 8 * 32 + sum(header[156:])


def number(field: bytes) -> int | None:
    """A number in octal digits, or in binary where it would be too long for them; None if it is neither."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\x00 ")
    return int(digits, 8) if digits and not digits.strip(b"01234567") else None


class TarStream:
    """The content of a member; what is left of it is passed over when the next one is wanted."""

    def __init__(self, stream: Stream, size: int) -> None:
        self.stream, self.left, self.padding = stream, size, -size % BLOCK

    def read(self, size: int, /) -> bytes:
        if not self.left:
            return b""
        out = self.stream.read(min(size, self.left))
        if not out:
            raise DocumentError(CUT_OFF)
        self.left -= len(out)
        return out

    def pass_over(self) -> None:
        while self.left:
            self.read(1 << 20)
        read_fully(self.stream, self.padding)


def tar_members(stream: Stream) -> Iterator[Member]:
    """The members of a tar archive in their order; raises `DocumentError` where it is damaged."""
    told: dict[str, str] = {}
    ended = False
    while block := read_fully(stream, BLOCK):
        ended = block == ZEROS
        if ended:
            continue
        if len(block) < BLOCK or not checksum_holds(block):
            raise DocumentError(CUT_OFF if len(block) < BLOCK else "a damaged tar archive: no header where one must be")
        kind, size = block[156:157], number(block[124:136]) or 0
        if kind in EXTENDED:
            told |= extended(kind, stream, size)
            continue
        size = int(told.get("size", size))
        if kind == b"S":
            pass_sparse_map(stream, block[482])
        content = TarStream(stream, 0 if kind in WITHOUT_CONTENT else size)
        name = told.get("path") or name_of(block)
        told = {}
        if not (kind in FOLDERS or name.endswith("/") or DROPPINGS.search(name)):
            yield member(kind, name, content)
        content.pass_over()
    if not ended:
        raise DocumentError(CUT_OFF)


def member(kind: bytes, name: str, content: TarStream) -> Member:
    if kind in FILES:
        reason = refused(name)
        return Member(name, None if reason else content, reason)
    return Member(name, None, f"{OTHERS.get(kind, 'an unknown kind of member')} in the tar archive, not read")


def name_of(header: bytes) -> str:
    """The name in a header, which may be in two parts."""
    name, magic, prefix = header[:100], header[257:262], header[345:500]
    parts = [prefix, name] if magic == b"ustar" and header[263:265] == b"00" else [name]
    return "/".join(part.split(b"\x00")[0].decode("utf-8", "replace") for part in parts if part.strip(b"\x00"))


def extended(kind: bytes, stream: Stream, size: int) -> dict[str, str]:
    """What a header says of the member behind it, where that is too long for the member's own."""
    if size > LONGEST_HEADER:
        raise DocumentError(f"a tar header of more than {LONGEST_HEADER >> 20} MB")
    data = read_fully(stream, size)
    if len(data) < size:
        raise DocumentError(CUT_OFF)
    read_fully(stream, -size % BLOCK)
    if kind == b"L":
        return {"path": data.rstrip(b"\x00").decode("utf-8", "replace")}
    return pax(data) if kind in (b"x", b"X") else {}


def pass_sparse_map(stream: Stream, goes_on: int) -> None:
    """The map of a sparse file may go on in blocks of its own."""
    while goes_on:
        block = read_fully(stream, BLOCK)
        goes_on = block[504] if len(block) == BLOCK else 0


def pax(data: bytes) -> dict[str, str]:
    """Records of the form `length key=value`; of their keys, two matter."""
    told: dict[str, str] = {}
    at = 0
    while at < len(data):
        found = RECORD.match(data, at)
        end = at + int(found[1]) if found is not None else 0
        if found is None or not found.end() <= end <= len(data):
            raise DocumentError("a damaged tar archive: an extended header cannot be read")
        if found[2] in (b"path", b"size"):
            told[found[2].decode()] = data[found.end() : end].rstrip(b"\n").decode("utf-8", "replace")
        at = end
    if re.fullmatch(r"[0-9]{1,18}", told.get("size", "0")) is None:
        raise DocumentError("a damaged tar archive: a size that is no number")
    return told
