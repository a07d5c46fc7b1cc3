"""Splitting XML, or the SGML of the USPTO, into documents: one after another, or records in a container.

An element ends at its end tag, unless that is in a comment, a CDATA section or an instruction, or belongs to an inner
element of the same name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.corpus import markup
from antecede.corpus.detection import DTD_TEXT, HTML_TEXT, PLAIN_TEXT, describe_content, explain_root
from antecede.corpus.document import RawDocument, Rejected
from antecede.corpus.streams import ENCODING
from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from antecede.corpus.streams import Window


_MAX_TAG_LENGTH = 1 << 20
_SHORT_DOCTYPE = 1 << 10
_DEEPEST = 256
"""The maximum number of open elements around a record, and of elements nested in another of the same name."""
_CLOSED_BY = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_NEXT_DOCUMENT = re.compile(rb"<\?xml\s|<!DOCTYPE\s")
"""What never appears inside a document, so that the previous one has ended."""
_CLOSING = re.compile(rb"\s*+(?:>|(?=[^>]))")
_XML_DECLARATION = re.compile(rb"<\?xml\s")


class _CutOffError(Exception):
    """An element does not end: the stream ends, or the next document begins at the position `at`."""

    def __init__(self, at: int | None = None, *, searched: int = 0) -> None:
        super().__init__()
        self.at, self.searched = at, searched


class _TooLongError(Exception):
    """Something exceeds its limit; it was examined up to the position `at`."""

    def __init__(self, what: str, at: int = 0) -> None:
        super().__init__(what)
        self.at = at


@dataclass(frozen=True, slots=True)
class _Tag:
    at: int
    end: int
    name: bytes
    """The name as written, with its prefix."""
    local: str
    text: bytes

    @property
    def empty(self) -> bool:
        return self.text.endswith(b"/>")


def _read_start_tag(window: Window, at: int) -> _Tag | None:
    while (found := window.match(markup.START_TAG, at)) is None:
        if len(window) - at > _MAX_TAG_LENGTH:
            raise _TooLongError(f"a tag of more than {_MAX_TAG_LENGTH >> 20} MB, or one that does not end", at)
        if not window.grow():
            return None
    text, local = bytes(found.group()), bytes(found["local"])
    return _Tag(at, at + len(text), bytes(found["prefix"] or b"") + local, local.decode("utf-8", "replace"), text)


def _find_mark_end(window: Window, at: int, opened_by: bytes) -> int:
    closed_by = _CLOSED_BY[opened_by]
    begin = at + len(opened_by)
    while (end := window.find(closed_by, begin)) < 0:
        if len(window) > window.limit:
            raise _TooLongError(f"{window.too_long}: a comment or instruction does not end", at)
        begin = max(begin, len(window) - len(closed_by) + 1)
        if not window.grow():
            raise _CutOffError(searched=len(window))
    return end + len(closed_by)


def _check_no_declaration(window: Window, at: int, end: int) -> int:
    """The end of a mark. It must not contain an XML declaration: that would begin the next document."""
    found = window.find(b"<?xml", at + 1, end)
    if found >= 0 and window.match(_XML_DECLARATION, found) is not None:
        raise _CutOffError(found)
    return end


def _find_doctype_end(window: Window, at: int) -> int:
    """Where a DOCTYPE ends; the search stops where the next document begins."""
    longest = _SHORT_DOCTYPE
    while True:
        declared = window.find(b"<?xml", at + 1, min(len(window), at + longest))
        end = markup.doctype_end(window.buffer, window.start + at, declared - at if declared >= 0 else longest)
        if end >= 0:
            return end - window.start
        if declared >= 0:
            raise _CutOffError(declared)
        if longest == _SHORT_DOCTYPE:
            longest = markup.MAX_DOCTYPE_LENGTH
        elif len(window) - at > markup.MAX_DOCTYPE_LENGTH:
            raise _TooLongError(
                f"its DOCTYPE is longer than {markup.MAX_DOCTYPE_LENGTH >> 20} MB", at + markup.MAX_DOCTYPE_LENGTH
            )
        elif not window.grow():
            raise _CutOffError(searched=len(window))


@lru_cache(maxsize=64)
def _mark_pattern(name: bytes) -> re.Pattern[bytes]:
    """The marks to examine when scanning an element; the form with the fewest steps at any other `<`."""
    own = re.escape(name) + rb"(?=[\s/>])"
    return re.compile(rb"<(?:/" + own + rb"|" + own + rb"|\?(?:xml\s)?|!(?:--|\[CDATA\[|DOCTYPE\s))")


def _find_element_end(window: Window, tag: _Tag) -> int:
    """Where an element ends, scanned mark by mark.

    Real documents contain no element of their own name. If one does and does not end, its end tag is missing; then the
    first complete element inside is the next document.
    """
    opened: list[tuple[int, int | None]] = [] if tag.empty else [(0, None)]
    """The start of each open element of the name, and of the first complete element in it."""
    at = tag.end
    while opened:
        found = window.search(_mark_pattern(tag.name), at)
        if found is None:
            at = max(at, len(window) - len(tag.name) - 10)
            if len(window) <= window.limit and window.grow():
                continue
            complete = opened[-1][1]
            if len(window) > window.limit and complete is None:
                raise _TooLongError(window.too_long)
            raise _CutOffError(complete, searched=len(window))
        place, mark = found[0], bytes(found[1].group())
        if _NEXT_DOCUMENT.match(mark) is not None:
            raise _CutOffError(place)
        if mark in _CLOSED_BY:
            at = _find_mark_end(window, place, mark)
            if mark == b"<?":
                _check_no_declaration(window, place, at)
            continue
        at, change = _read_inner_tag(window, place, mark)
        _count_tag(opened, place, change)
    if at > window.limit:
        raise _TooLongError(window.too_long)
    return at


def _count_tag(opened: list[tuple[int, int | None]], place: int, change: int) -> None:
    if change > 0:
        opened.append((place, None))
        if len(opened) > _DEEPEST:
            raise _TooLongError(f"nested in itself more than {_DEEPEST} deep")
    elif change < 0:
        begun, _ = opened.pop()
        if opened and opened[-1][1] is None:
            opened[-1] = opened[-1][0], begun


def _read_inner_tag(window: Window, at: int, mark: bytes) -> tuple[int, int]:
    """Where an inner tag of the same name ends, and the change of depth."""
    if not mark.startswith(b"</"):
        inner = _read_start_tag(window, at)
        return (at + len(mark), 1) if inner is None else (inner.end, 0 if inner.empty else 1)
    while (rest := window.match(_CLOSING, at + len(mark))) is None:
        if not window.grow():
            raise _CutOffError(searched=len(window))
    return at + len(mark) + len(rest.group()), -1 if rest.group().endswith(b">") else 0


def _extract_record(window: Window, tag: _Tag, end: int, around: Sequence[_Tag]) -> bytes:
    """An element as a document of its own, with the namespaces declared around it."""
    declared: dict[bytes, bytes] = {}
    for outer in around:
        declared |= markup.declared_namespaces(outer.text)
    own = markup.declared_namespaces(tag.text)
    added = b"".join(b" %b=%b" % each for each in declared.items() if each[0] not in own)
    name_end = tag.at + 1 + len(tag.name)
    return b"".join((window.take(tag.at, name_end), added, window.take(name_end, end)))


# Documents

_NO_DOCUMENT = "an XML prolog without a document"
_MAX_NAMESPACES = 100
"""The maximum number of namespaces declared around a record: each record repeats them. Real files declare a handful."""
_CHILD = re.compile(rb"(?:\s++|<!--(?>.*?-->)|<\?(?>.*?\?>))*+", re.DOTALL)
"""What may appear between a start tag and the first child."""
_MAX_WASTED = 1 << 30
"""The maximum number of bytes searched for missing end tags: a malicious file could otherwise be searched forever."""
_TAG_START = re.compile(rb"<[A-Za-z_\x80-\xff]")
_UTF8 = re.compile(rb"utf-?8", re.IGNORECASE)


class XmlSplitter:
    """Splits one stream. The next document begins at the start of the window."""

    def __init__(self, window: Window, file: str, roots: Collection[str], containers: Collection[str]) -> None:
        self.window, self.file, self.roots, self.containers = window, file, roots, containers
        self.number = 0
        self.leading = markup.skip_space(window.buffer, window.start) - window.start
        """The length of leading white space and byte order marks: a document after them is at offset 0."""
        self.open_tags: list[_Tag] = []
        """The open elements around the next record."""
        self.in_document = False
        """Whether the end of a document is being searched."""
        self.wasted = 0
        """Bytes that were searched without success and must be searched again."""
        self.records = 0
        """Records found in the open container."""
        self.declaration = b""
        """The XML declaration of the container, if it is not UTF-8."""
        self.any_document = markup.document_start(frozenset((*roots, *containers)))
        self.marks: tuple[tuple[bytes, Callable[[int], int | _Tag | Rejected]], ...] = (
            (b"<?", self.handle_instruction),
            (b"<!--", lambda at: _find_mark_end(self.window, at, b"<!--")),
            (b"<!DOCTYPE", self.handle_doctype),
            (b"<![CDATA[", self.handle_cdata),
            (b"<!", self.handle_declaration),
            (b"</", self.handle_end_tag),
            (b"<", self.handle_start_tag),
            (b"", self.handle_text),
        )

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        while True:
            try:
                found = self.next_tag()
                if found is None:
                    return
                if isinstance(found, Rejected):
                    yield found
                elif (made := self.handle_element(found)) is not None:
                    yield made
            except _CutOffError as cut:
                yield self.reject_cut_off(cut)
            except _TooLongError as error:
                yield self.reject_too_long(error)
            if self.wasted > _MAX_WASTED:
                yield self.reject("too much of it is damaged; the rest is not read")
                self.window.stop()

    def next_tag(self) -> _Tag | Rejected | None:
        """The next start tag. What precedes it at the top level (comments, DOCTYPE) stays in the window."""
        at = 0
        while True:
            at = self.skip_space(at)
            if at == len(self.window):
                return self.finish(at)
            if at > self.window.limit:
                raise _TooLongError(f"{self.window.too_long} before it begins", at)
            found = next(handle for mark, handle in self.marks if self.window.startswith(mark, at))(at)
            if not isinstance(found, int):
                return found
            at = found

    def skip_space(self, begin: int) -> int:
        """Skip white space and read enough bytes to recognise what follows; before a document it is discarded."""
        at = begin
        while True:
            at = markup.skip_space(self.window.buffer, self.window.start + at) - self.window.start
            if len(self.window) - at >= len(b"<![CDATA[") + 1 or not self.window.grow():
                break
        if begin and not self.open_tags:
            return at
        self.window.skip(at)
        return 0

    def finish(self, at: int) -> Rejected | None:
        """Handle the end of the stream: regular, inside an element, or because of a read error."""
        if self.open_tags:
            raise _CutOffError
        prolog, failure = self.window.take(0, at), self.window.failure
        self.window.stop()
        if failure is not None:
            return self.reject(failure)
        if prolog and (not self.number or _NEXT_DOCUMENT.search(prolog) is not None):
            content = describe_content(prolog)
            return self.reject(_NO_DOCUMENT if content == PLAIN_TEXT else content)
        return None

    # What may appear between documents

    def handle_instruction(self, at: int) -> int | Rejected:
        if _NEXT_DOCUMENT.match(self.window.take(at, at + 10)) is None or (at == 0 and not self.open_tags):
            return _check_no_declaration(self.window, at, _find_mark_end(self.window, at, b"<?"))
        if self.open_tags:
            raise _CutOffError(at)
        orphan = _NEXT_DOCUMENT.search(self.window.take(0, at)) is not None
        rejected = self.reject(_NO_DOCUMENT)
        self.window.skip(at)
        return rejected if orphan else 0

    def handle_doctype(self, at: int) -> int:
        if self.open_tags:
            raise _CutOffError(at)
        return _find_doctype_end(self.window, at)

    def handle_cdata(self, at: int) -> int | Rejected:
        return _find_mark_end(self.window, at, b"<![CDATA[") if self.open_tags else self.reject_junk(at)

    def handle_declaration(self, at: int) -> Rejected:
        """Handle a DTD declaration outside a DOCTYPE: the whole file is a DTD (or HTML with a lower-case doctype)."""
        head = self.window.take(at, at + 64)
        if self.open_tags or self.number or not (DTD_TEXT.match(head) or HTML_TEXT.match(head)):
            return self.reject_junk(at)
        self.window.stop()
        return self.reject(describe_content(head))

    def handle_end_tag(self, at: int) -> int | Rejected:
        """Handle the end of one of the elements around the records."""
        while (
            (end := self.window.find(b">", at)) < 0 and len(self.window) - at < _MAX_TAG_LENGTH and self.window.grow()
        ):
            pass
        if not self.open_tags or end < 0:
            return self.reject_junk(at)
        self.window.skip(end + 1)
        return self.leave(self.open_tags.pop()) or 0

    def leave(self, tag: _Tag) -> Rejected | None:
        """Reject the outermost element at its end if it contained no record."""
        if self.open_tags or self.records:
            return None
        return self.reject(f"<{printable(tag.local)}> contains no document of a supported format")

    def handle_start_tag(self, at: int) -> _Tag | int | Rejected:
        tag = _read_start_tag(self.window, at)
        if tag is not None:
            return tag
        if _TAG_START.match(self.window.take(at, at + 2)) is None:
            return self.reject_junk(at)
        found = self.window.search(self.any_document, at + 1)
        raise _CutOffError(None if found is None else found[0])

    def handle_text(self, at: int) -> int | Rejected:
        if not self.open_tags:
            return self.reject_junk(at)
        found = self.window.find(b"<", at)
        return found if found >= 0 else len(self.window)

    def reject_junk(self, at: int) -> Rejected:
        """Skip and reject bytes that do not belong to a document."""
        self.window.skip(at)
        rejected, head = self.reject(""), self.window.take(0, 40)
        self.open_tags.clear()
        self.skip_to_document(1)
        beginning = printable(head.decode("utf-8", "replace"), 40)
        reason = f"{self.window.offset - rejected.offset:,} bytes outside any document: {beginning}"
        return Rejected(self.file, reason, 0, rejected.offset)

    # Documents

    def handle_element(self, tag: _Tag) -> RawDocument | Rejected | None:
        """Split off a document, enter a container, or skip anything else."""
        if tag.local in self.roots:
            return self.split_document(tag)
        if tag.local in self.containers or self.open_tags or self.holds_documents(tag):
            return self.enter_container(tag)
        rejected = self.reject(explain_root(tag.local), counted=True)
        self.skip_to_document(tag.end)
        return rejected

    def split_document(self, tag: _Tag) -> RawDocument | Rejected:
        offset = self.window.offset if self.window.offset > self.leading else 0
        self.in_document = True
        try:
            end = _find_element_end(self.window, tag)
        except _TooLongError as error:
            return self.skip_document(tag, f"{error}", offset)
        data = _extract_record(self.window, tag, end, self.open_tags) if self.open_tags else self.window.take(0, end)
        self.in_document = False
        self.records += 1
        self.number += 1
        self.window.skip(end)
        return RawDocument(
            self.declaration + data if self.open_tags else data, tag.local, self.file, self.number, offset
        )

    def skip_document(self, tag: _Tag, reason: str, offset: int) -> Rejected:
        """Skip a document that is too long, or up to the next one, without keeping it in memory."""
        searched, before = len(self.window), self.window.offset
        end_tag = rb"</" + re.escape(tag.name) + rb"\s{0,64}>"
        self.window.skip(tag.end)
        self.window.skip_to(re.compile(rb"<\?xml\s|<!DOCTYPE\s|" + end_tag), longest=len(tag.name) + 128)
        if (closing := self.window.match(re.compile(end_tag), 0)) is not None:
            self.window.skip(len(closing.group()))
        self.wasted += max(0, searched - (self.window.offset - before))
        self.in_document = False
        self.records += 1
        self.number += 1
        return Rejected(self.file, f"{reason}{self.window.take_failure(', and ')}", self.number, offset)

    def enter_container(self, tag: _Tag) -> Rejected | None:
        """Enter an element; the records in it are documents, whatever is between them."""
        if not self.open_tags:
            self.records = 0
            declared = ENCODING.match(self.window.take(0, min(tag.at, 1024)))
            foreign = declared is not None and _UTF8.fullmatch(declared[2]) is None
            self.declaration = declared[1] + b'"' + declared[2] + b'"?>' if declared and foreign else b""
        self.window.skip(tag.end)
        if tag.empty:
            return self.leave(tag)
        self.open_tags.append(tag)
        if len(self.open_tags) > _DEEPEST:
            raise _TooLongError(f"elements nested more than {_DEEPEST} deep around the documents")
        if sum(len(markup.declared_namespaces(each.text)) for each in self.open_tags) > _MAX_NAMESPACES:
            raise _TooLongError(f"more than {_MAX_NAMESPACES} namespaces declared around the documents")
        return None

    def holds_documents(self, tag: _Tag) -> bool:
        """Whether an unknown element contains documents: its first child is one."""
        if tag.empty:
            return False
        self.window.fill(tag.end + 4096)
        begin = self.window.take(tag.end, tag.end + 4096)
        between = _CHILD.match(begin)
        child = markup.START_TAG.match(begin, between.end() if between else 0)
        local = child["local"].decode("utf-8", "replace") if child else ""
        return local in self.roots or local in self.containers

    # Errors

    def reject_cut_off(self, cut: _CutOffError) -> Rejected:
        """Reject something that does not end. Reading continues at the next document, if there is one."""
        whole = self.in_document or not self.open_tags
        inside = "the document" if whole else f"<{printable(self.open_tags[-1].local)}>"
        rejected = self.reject("", counted=whole)
        self.wasted += cut.searched
        declared = self.window.search(_XML_DECLARATION, 1) if cut.at is None else None
        at = cut.at if declared is None else declared[0]
        if at is None:
            reason = self.window.take_failure() or "the file is cut off"
            self.window.stop()
        else:
            self.window.skip(at)
            reason = f"the next one begins at byte {self.window.offset:,}"
        if at is None or _NEXT_DOCUMENT.match(self.window.take(0, 10)) is not None:
            self.open_tags.clear()
        self.in_document = False
        return Rejected(self.file, f"ends inside {inside}: {reason}", rejected.number, rejected.offset)

    def reject_too_long(self, error: _TooLongError) -> Rejected:
        self.wasted += len(self.window)
        rejected = self.reject(str(error), counted=not self.open_tags)
        self.open_tags.clear()
        self.skip_to_document(error.at + 1)
        self.window.take_failure()
        return rejected

    def skip_to_document(self, at: int) -> None:
        """Skip to the next position where a document seems to begin."""
        self.window.skip_to(self.any_document, at, longest=128)

    def reject(self, reason: str, *, counted: bool = False) -> Rejected:
        """Reject what begins here; `counted` if it counts as a document."""
        self.number += counted
        return Rejected(self.file, reason, self.number if counted else 0, self.window.offset)
