"""Splitting XML, or the SGML of the USPTO, into documents: one after another, or records in a container."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.detection import DTD_TEXT, HTML_TEXT, PLAIN_TEXT, describe_content, explain_root
from antecede.corpus.document import RawDocument, Rejected
from antecede.corpus.encodings import ENCODING
from antecede.corpus.splitter.elements import (
    LONGEST_TAG,
    NEXT_DOCUMENT,
    XML_DECLARATION,
    CutOffError,
    Tag,
    TooLongError,
    check_no_declaration,
    extract_record,
    find_doctype_end,
    find_element_end,
    find_mark_end,
    read_start_tag,
    skip_element,
)
from antecede.corpus.xml.markup import START_TAG, declared_namespaces, document_start, skip_space
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from antecede.corpus.streams import Window

NO_DOCUMENT = "an XML prolog without a document"
DEEPEST = 256
"""The maximum number of open elements around a record."""
MOST_NAMESPACES = 100
"""The maximum number of namespaces declared around a record: each record repeats them. Real files declare a handful."""
CHILD = re.compile(rb"(?:\s++|<!--(?>.*?-->)|<\?(?>.*?\?>))*+", re.DOTALL)
"""What may appear between a start tag and the first child."""
MOST_WASTED = 1 << 30
"""The maximum number of bytes searched for missing end tags: a malicious file could otherwise be searched forever."""
TAG_START = re.compile(rb"<[A-Za-z_\x80-\xff]")
UTF8 = re.compile(rb"utf-?8", re.IGNORECASE)


class XmlSplitter:
    """Splits one stream. The next document begins at the start of the window."""

    def __init__(
        self, window: Window, file: str, limit: int, roots: Collection[str], containers: Collection[str]
    ) -> None:
        self.window, self.file, self.limit = window, file, limit
        self.roots, self.containers = roots, containers
        self.number = 0
        self.leading = skip_space(window.buffer, window.start) - window.start
        """The length of leading white space and byte order marks: a document after them is at offset 0."""
        self.open_tags: list[Tag] = []
        """The open elements around the next record."""
        self.in_document = False
        """Whether the end of a document is being searched."""
        self.wasted = 0
        """Bytes that were searched without success and must be searched again."""
        self.records = 0
        """Records found in the open container."""
        self.declaration = b""
        """The XML declaration of the container, if it is not UTF-8."""
        self.any_document = document_start(frozenset((*roots, *containers)))
        self.marks: tuple[tuple[bytes, Callable[[int], int | Tag | Rejected]], ...] = (
            (b"<?", self.handle_instruction),
            (b"<!--", lambda at: find_mark_end(self.window, at, b"<!--", self.limit)),
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
            except CutOffError as cut:
                yield self.reject_cut_off(cut)
            except TooLongError as error:
                yield self.reject_too_long(error)
            if self.wasted > MOST_WASTED:
                yield self.reject("too much of it is damaged; the rest is not read")
                self.window.stop()

    def next_tag(self) -> Tag | Rejected | None:
        """The next start tag. What precedes it at the top level (comments, DOCTYPE) stays in the window."""
        at = 0
        while True:
            at = self.skip_space(at)
            if at == len(self.window):
                return self.finish(at)
            if at > self.limit:
                raise TooLongError(f"longer than the limit of {self.limit / (1 << 20):g} MB before it begins", at)
            found = next(handle for mark, handle in self.marks if self.window.startswith(mark, at))(at)
            if not isinstance(found, int):
                return found
            at = found

    def skip_space(self, begin: int) -> int:
        """Skip white space and read enough bytes to recognise what follows; before a document it is discarded."""
        at = begin
        while True:
            at = skip_space(self.window.buffer, self.window.start + at) - self.window.start
            if len(self.window) - at >= len(b"<![CDATA[") + 1 or not self.window.grow():
                break
        if begin and not self.open_tags:
            return at
        self.window.skip(at)
        return 0

    def finish(self, at: int) -> Rejected | None:
        """Handle the end of the stream: regular, inside an element, or because of a read error."""
        if self.open_tags:
            raise CutOffError
        prolog, failure = self.window.take(0, at), self.window.failure
        self.window.stop()
        if failure is not None:
            return self.reject(failure)
        if prolog and (not self.number or NEXT_DOCUMENT.search(prolog) is not None):
            content = describe_content(prolog)
            return self.reject(NO_DOCUMENT if content == PLAIN_TEXT else content)
        return None

    # What may appear between documents

    def handle_instruction(self, at: int) -> int | Rejected:
        if NEXT_DOCUMENT.match(self.window.take(at, at + 10)) is None or (at == 0 and not self.open_tags):
            return check_no_declaration(self.window, at, find_mark_end(self.window, at, b"<?", self.limit))
        if self.open_tags:
            raise CutOffError(at)
        orphan = NEXT_DOCUMENT.search(self.window.take(0, at)) is not None
        rejected = self.reject(NO_DOCUMENT)
        self.window.skip(at)
        return rejected if orphan else 0

    def handle_doctype(self, at: int) -> int:
        if self.open_tags:
            raise CutOffError(at)
        return find_doctype_end(self.window, at)

    def handle_cdata(self, at: int) -> int | Rejected:
        return find_mark_end(self.window, at, b"<![CDATA[", self.limit) if self.open_tags else self.reject_junk(at)

    def handle_declaration(self, at: int) -> Rejected:
        """Handle a DTD declaration outside a DOCTYPE: the whole file is a DTD (or HTML with a lower-case doctype)."""
        head = self.window.take(at, at + 64)
        if self.open_tags or self.number or not (DTD_TEXT.match(head) or HTML_TEXT.match(head)):
            return self.reject_junk(at)
        self.window.stop()
        return self.reject(describe_content(head))

    def handle_end_tag(self, at: int) -> int | Rejected:
        """Handle the end of one of the elements around the records."""
        while (end := self.window.find(b">", at)) < 0 and len(self.window) - at < LONGEST_TAG and self.window.grow():
            pass
        if not self.open_tags or end < 0:
            return self.reject_junk(at)
        self.window.skip(end + 1)
        return self.leave(self.open_tags.pop()) or 0

    def leave(self, tag: Tag) -> Rejected | None:
        """Reject the outermost element at its end if it contained no record."""
        if self.open_tags or self.records:
            return None
        return self.reject(f"<{shown(tag.local)}> contains no document of a supported format")

    def handle_start_tag(self, at: int) -> Tag | int | Rejected:
        tag = read_start_tag(self.window, at)
        if tag is not None:
            return tag
        if TAG_START.match(self.window.take(at, at + 2)) is None:
            return self.reject_junk(at)
        found = self.window.search(self.any_document, at + 1)
        raise CutOffError(None if found is None else found[0])

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
        reason = f"{self.window.offset - rejected.offset:,} bytes outside any document: {show_bytes(head)}"
        return Rejected(self.file, reason, 0, rejected.offset)

    # Documents

    def handle_element(self, tag: Tag) -> RawDocument | Rejected | None:
        """Split off a document, enter a container, or skip anything else."""
        if tag.local in self.roots:
            return self.split_document(tag)
        if tag.local in self.containers or self.open_tags or self.holds_documents(tag):
            return self.enter_container(tag)
        rejected = self.reject(explain_root(tag.local), counted=True)
        self.skip_to_document(tag.end)
        return rejected

    def split_document(self, tag: Tag) -> RawDocument | Rejected:
        offset = self.window.offset if self.window.offset > self.leading else 0
        self.in_document = True
        try:
            end = find_element_end(self.window, tag, self.limit)
        except TooLongError as error:
            return self.skip_document(tag, f"{error}", offset)
        data = extract_record(self.window, tag, end, self.open_tags) if self.open_tags else self.window.take(0, end)
        self.in_document = False
        self.records += 1
        self.number += 1
        self.window.skip(end)
        return RawDocument(
            self.declaration + data if self.open_tags else data, tag.local, self.file, self.number, offset
        )

    def skip_document(self, tag: Tag, reason: str, offset: int) -> Rejected:
        """Skip a document that is too long, without keeping it in memory."""
        searched, before = len(self.window), self.window.offset
        self.window.skip(tag.end)
        skip_element(self.window, tag.name)
        self.wasted += max(0, searched - (self.window.offset - before))
        self.in_document = False
        self.records += 1
        self.number += 1
        return Rejected(self.file, f"{reason}{self.window.take_failure(', and ')}", self.number, offset)

    def enter_container(self, tag: Tag) -> Rejected | None:
        """Enter an element; the records in it are documents, whatever is between them."""
        if not self.open_tags:
            self.records = 0
            declared = ENCODING.match(self.window.take(0, min(tag.at, 1024)))
            foreign = declared is not None and UTF8.fullmatch(declared[2]) is None
            self.declaration = declared[1] + b'"' + declared[2] + b'"?>' if declared and foreign else b""
        self.window.skip(tag.end)
        if tag.empty:
            return self.leave(tag)
        self.open_tags.append(tag)
        if len(self.open_tags) > DEEPEST:
            raise TooLongError(f"elements nested more than {DEEPEST} deep around the documents")
        if sum(len(declared_namespaces(each.text)) for each in self.open_tags) > MOST_NAMESPACES:
            raise TooLongError(f"more than {MOST_NAMESPACES} namespaces declared around the documents")
        return None

    def holds_documents(self, tag: Tag) -> bool:
        """Whether an unknown element contains documents: its first child is one."""
        if tag.empty:
            return False
        while len(self.window) - tag.end < 4096 and self.window.grow():
            pass
        begin = self.window.take(tag.end, tag.end + 4096)
        between = CHILD.match(begin)
        child = START_TAG.match(begin, between.end() if between else 0)
        local = child["local"].decode("utf-8", "replace") if child else ""
        return local in self.roots or local in self.containers

    # Errors

    def reject_cut_off(self, cut: CutOffError) -> Rejected:
        """Reject something that does not end. Reading continues at the next document, if there is one."""
        whole = self.in_document or not self.open_tags
        inside = "the document" if whole else f"<{shown(self.open_tags[-1].local)}>"
        rejected = self.reject("", counted=whole)
        self.wasted += cut.searched
        declared = self.window.search(XML_DECLARATION, 1) if cut.at is None else None
        at = cut.at if declared is None else declared[0]
        if at is None:
            reason = self.window.take_failure() or "the file is cut off"
            self.window.stop()
        else:
            self.window.skip(at)
            reason = f"the next one begins at byte {self.window.offset:,}"
        if at is None or NEXT_DOCUMENT.match(self.window.take(0, 10)) is not None:
            self.open_tags.clear()
        self.in_document = False
        return Rejected(self.file, f"ends inside {inside}: {reason}", rejected.number, rejected.offset)

    def reject_too_long(self, error: TooLongError) -> Rejected:
        self.wasted += len(self.window)
        rejected = self.reject(str(error), counted=not self.open_tags)
        self.open_tags.clear()
        self.skip_to_document(error.at + 1)
        self.window.take_failure()
        return rejected

    def skip_to_document(self, at: int) -> None:
        """Skip to the next position where a document seems to begin."""
        while (found := self.window.search(self.any_document, at)) is None:
            self.window.skip(max(at, len(self.window) - 128))
            at = 0
            if not self.window.grow():
                self.window.skip(len(self.window))
                return
        self.window.skip(found[0])

    def reject(self, reason: str, *, counted: bool = False) -> Rejected:
        """Reject what begins here; `counted` if it counts as a document."""
        self.number += counted
        return Rejected(self.file, reason, self.number if counted else 0, self.window.offset)


def show_bytes(head: bytes) -> str:
    return shown(head.decode("utf-8", "replace"), 40)
