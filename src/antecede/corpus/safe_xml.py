"""Hardened XML: no external entity, no DTD, no network, no expansion; named characters from our own table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus.document import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from antecede.corpus.document import RawDocument


def parse_xml(raw: RawDocument) -> Element:
    """The root element of a document; raises `DocumentError` with the parser's reason and line."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        return etree.fromstring(raw.data, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentError(f"not well-formed XML: {error.msg}") from None
