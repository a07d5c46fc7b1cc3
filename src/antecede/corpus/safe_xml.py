"""Hardened XML parsing: no external entities, no DTD, no network, no expansion; character entities from a table.

The DOCTYPE is removed before parsing, so the parser has nothing to expand or fetch. Entities that the document defines
are replaced if they are short plain text (or character references); others lead to rejection. Two unambiguous errors of
real files are repaired: characters that XML forbids (vertical tabs, U+FFFF) become a space, and an ampersand that does
not begin an entity (`Kador & Partner`) is escaped. The delete character, which XML allows, becomes a space too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from lxml import etree

from antecede.corpus import markup
from antecede.corpus.document import DocumentError
from antecede.corpus.streams import decode, to_utf8
from antecede.errors import printable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from antecede.corpus.document import RawDocument

_MAX_MARKS = 2_000_000
"""The maximum number of elements and attributes of a document, which bounds its tree to a few hundred MB."""
_MAX_REFERENCES = 1_000_000
"""The maximum number of entities and ampersands of a document; real ones have some thousands."""
_MAX_GROWTH = 1 << 20
"""The maximum number of bytes that entities defined in a document may add to it."""

_DELETE = b"\x7f"
"""The delete character. XML allows it, but it means nothing in a text; readers use it as a separator of lines."""
_DELETE_BY_NUMBER = rb"#(?:0*127|x0*7[Ff])"
_REFERENCE = re.compile(
    rb"&(?:" + _DELETE_BY_NUMBER + rb"|(?!(?:lt|gt|amp|quot|apos);)([A-Za-z_:\x80-\xff][\w.:\-\x80-\xff]{0,99}));"
)
_NO_TEXT = rb"<!\[CDATA\[(?>.*?\]\]>|.*)|<!--(?>.*?-->|.*)|"
"""What contains no references. One that does not end extends to the end of the document, for linear time."""
_REFERENCE_OUTSIDE = re.compile(_NO_TEXT + _REFERENCE.pattern, re.DOTALL)
_AMPERSAND_OUTSIDE = re.compile(_NO_TEXT + markup.BARE_AMPERSAND.pattern, re.DOTALL)
_COMMENT = re.compile(rb"<!--(?>.*?-->|.*)", re.DOTALL)
_ENTITY_DEFINITION = re.compile(rb"<!ENTITY\s+([\w.:\-\x80-\xff]{1,100})\s+(\"[^\"]*\"|'[^']*'|SYSTEM|PUBLIC)")
_PLAIN_VALUE = re.compile(rb"(?:[^&%<]|&#(?:\d{1,7}|x[0-9A-Fa-f]{1,6});){0,100}")
"""Allowed values of an entity: text, and character references other than those that begin markup."""
_MARKUP_BY_NUMBER = re.compile(rb"&#(?:0*(?:38|60)|x0*(?:26|3[Cc]));")
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r")
_SPACES = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))
_ILLEGAL_CHARACTER = re.compile(
    rb"\xef\xbf[\xbe\xbf]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|x0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF]));"
)
_LIMITS = {
    "Excessive depth": "elements nested more than 256 deep",
    "Text node too long": "a single text of more than 10 MB",
    "CData section too big": "a single text of more than 10 MB",
    "Buffer size limit": "a single tag or text of more than 10 MB",
}
"""libxml2's messages when one of its limits is exceeded, and ours."""
_DEFAULT_NAMESPACE = re.compile(
    rb"<[A-Za-z_][\w.:\-]*+(?:\s++[\w.:\-]++=\"[^\"<>]*+\")*?(\s++xmlns=\"[^\"<>]*+\")(?=[\s/>])"
)
"""The default namespace that a start tag declares, after other attributes."""
_MAX_ROOT_TAG_LENGTH = 1 << 10
"""The bytes at the beginning of a document that are searched for a default namespace."""
_namespaced_elements = etree.XPath("descendant-or-self::*[namespace-uri()]", smart_strings=False)


def parse_xml(raw: RawDocument) -> Element:
    """The root element of a document: local names only, without comments and instructions, all entities resolved.

    Raises `DocumentError` with the reason, and the line where there is one. A `PATDOC` that is not well-formed is
    read as the SGML it was until 2001.
    """
    data, doctype = _remove_doctype(to_utf8(raw.data).replace(_DELETE, b" "))
    try:
        return _parse(_resolve_entities(data, doctype))
    except DocumentError:
        if raw.root not in markup.SGML_ROOTS:
            raise
    return parse_sgml(raw)


def parse_sgml(raw: RawDocument) -> Element:
    """The root element of a document in the SGML of the USPTO; it is rejected if any text would be lost."""
    data, doctype = _remove_doctype(to_utf8(raw.data).replace(_DELETE, b" "))
    data = _resolve_entities(markup.to_xml(data), doctype)
    try:
        return _parse(data)
    except DocumentError as error:
        root = _parse(data, recover=True)
        if not markup.has_same_text(data, root):
            raise DocumentError(f"SGML that cannot be read completely: {error.reason}") from None
        return root


def _remove_doctype(data: bytes) -> tuple[bytes, bytes]:
    """Remove the DOCTYPE, keeping line numbers: the document without it, and the DOCTYPE itself."""
    start = markup.doctype_start(data)
    if start < 0:
        return data, b""
    end = markup.doctype_end(data, start)
    if end < 0:
        raise DocumentError(f"its DOCTYPE does not end, or is longer than {markup.MAX_DOCTYPE_LENGTH >> 20} MB")
    doctype = data[start:end]
    return b"".join((data[:start], b"\n" * doctype.count(b"\n"), memoryview(data)[end:])), doctype


def _resolve_entities(data: bytes, doctype: bytes) -> bytes:
    """Replace all entities by character references; a document without entities is not copied."""
    many = data.count(b"&") if len(data) > _MAX_REFERENCES else 0
    if many > _MAX_REFERENCES and many - data.count(b"&#") > _MAX_REFERENCES:
        raise DocumentError(f"has more than {_MAX_REFERENCES:,} entities")
    first = data.find(b"&")
    if first < 0 or _REFERENCE.search(data, first) is None:
        return data
    definitions = _ENTITY_DEFINITION.findall(_COMMENT.sub(b"", doctype)) if b"<!ENTITY" in doctype else []
    defined: dict[bytes, bytes] = dict(reversed(definitions))  # the first definition of a name counts
    grown = 0

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal grown
        name = found.group(1)
        if name is None:  # the delete character, a comment or a CDATA section
            return b" " if found.group().startswith(b"&") else found.group()
        text = _expand_entity(name, defined[name]) if name in defined else _to_reference(name)
        grown += len(text)
        if name in defined and grown > len(data) + _MAX_GROWTH:
            raise DocumentError(f"its entities, &{_show_name(name)}; among them, would expand it too much")
        return text

    guarded = b"<![CDATA[" in data or b"<!--" in data
    return (_REFERENCE_OUTSIDE if guarded else _REFERENCE).sub(replace, data)


def _expand_entity(name: bytes, value: bytes) -> bytes:
    if value in (b"SYSTEM", b"PUBLIC"):
        raise DocumentError(f"the entity &{_show_name(name)}; refers to another file, which is not opened")
    text = re.sub(b"&" + _DELETE_BY_NUMBER + b";", b" ", value[1:-1])
    if _PLAIN_VALUE.fullmatch(text) is None or _MARKUP_BY_NUMBER.search(text) is not None:
        raise DocumentError(f"the entity &{_show_name(name)}; is not a short plain text, and is not expanded")
    for character, reference in ((b'"', b"&#34;"), (b"'", b"&#39;"), (b">", b"&#62;")):
        text = text.replace(character, reference)  # inside a value, or after `]]`, they would be markup
    return text


@lru_cache(maxsize=4096)
def _to_reference(name: bytes) -> bytes:
    """An entity as character references, which are the same in every encoding and never markup."""
    text = markup.find_character(name.decode("utf-8", "replace"))
    if text is None:
        raise DocumentError(f"unknown entity &{_show_name(name)};")
    return b"".join(b"&#%d;" % ord(character) for character in text)


def _show_name(name: bytes) -> str:
    return printable(name.decode("utf-8", "replace"))


def _parse(data: bytes, *, recover: bool = False) -> Element:
    """Parse a document; if that fails, parse it again after a repair, or without undeclared namespaces."""
    if len(data) > _MAX_MARKS * len(b"<p/>") and (
        data.count(b"<") - data.count(b"</") + data.count(b'="') + data.count(b"='") > _MAX_MARKS
    ):
        raise DocumentError(f"has more than {_MAX_MARKS:,} elements and attributes")
    parser = _new_parser(recover=recover)
    try:
        root = etree.fromstring(_remove_default_namespace(data), parser)
    except etree.XMLSyntaxError as error:
        root = _retry(data, parser, error)
    except ValueError as error:  # what lxml refuses before it parses
        raise DocumentError(f"not XML: {printable(str(error), 200)}") from None
    if root is None:  # the recovering parser found nothing at all
        raise DocumentError("not XML: it contains no element")
    if root.getroottree().docinfo.internalDTD is not None:
        raise DocumentError("a DOCTYPE in an invalid position")
    if b"xmlns" in data or b"<xml:" in data:  # readers need not know which dialect uses a namespace
        for element in cast("list[Element]", _namespaced_elements(root)):
            _leave_local_name(element)
    return root


def _remove_default_namespace(data: bytes) -> bytes:
    """The document without the default namespace of its root element: renaming all elements takes as long as parsing.

    One that is not written in the usual way is kept, and the elements are renamed.
    """
    root = markup.START_TAG.search(data, 0, _MAX_ROOT_TAG_LENGTH)
    declared = None if root is None else _DEFAULT_NAMESPACE.match(data, root.start())
    if declared is None:
        return data
    begin, end = declared.span(1)
    return b"".join((data[:begin], b" " * (end - begin), memoryview(data)[end:]))  # messages give columns


def _new_parser(*, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
        recover=recover,
    )


def _retry(data: bytes, parser: etree.XMLParser, error: etree.XMLSyntaxError) -> Element:
    """Repair unambiguous errors and ignore undeclared prefixes; anything else raises `DocumentError`."""
    kinds = {(entry.domain, entry.type) for entry in parser.error_log}
    faults, repaired = {kind for _, kind in kinds}, data
    if etree.ErrorTypes.ERR_INVALID_CHAR in faults:
        repaired = _ILLEGAL_CHARACTER.sub(b" ", repaired.translate(_SPACES))
    if faults & {etree.ErrorTypes.ERR_NAME_REQUIRED, etree.ErrorTypes.ERR_ENTITYREF_SEMICOL_MISSING}:
        repaired = _AMPERSAND_OUTSIDE.sub(lambda mark: b"&amp;" if mark.group() == b"&" else mark.group(), repaired)
    if repaired != data:
        return _parse(repaired)
    if kinds and all(domain == etree.ErrorDomains.NAMESPACE for domain, _ in kinds):
        root = etree.fromstring(data, _new_parser(recover=True))
        for element in root.iter(etree.Element):
            _leave_local_name(element)
        return root
    decode(data, "utf-8")
    message = error.msg or "no reason given"
    limit = next((reason for start, reason in _LIMITS.items() if start in message), None)
    raise DocumentError(limit or f"not well-formed XML: {printable(' '.join(message.split()), 200)}") from None


def _leave_local_name(element: Element) -> None:
    """Take the namespace, or a prefix that nobody declared, off the name of an element."""
    name = str(element.tag)
    local = name.rpartition("}")[2].rpartition(":")[2]
    if local == name:
        return
    try:
        element.tag = local
    except ValueError:  # `x:` and `x:1`
        raise DocumentError(f"not well-formed XML: {printable(name)!r} cannot be the name of an element") from None
