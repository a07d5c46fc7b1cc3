"""Texts that were typed as lines into one element, as services deliver them that know no other mark-up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus.fields.prose import BREAKS, LINE, cleaned, kept_apart, mark, normal_string, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

INDENTED = re.compile(r"\n[ \t]{2,}")
"""A line feed that an editor put in to indent; typed lines are not indented."""
TABLE_MARK = re.compile("<(?:tb|sep)>")
"""What stands for the rows and cells of a table."""


def typed_lines(element: Element | None) -> str:
    """The text under an element, line by line as it was typed; paragraphs begin lines too, wherever they stand.

    Like `prose`, it writes into the tree, and leaves the settling of white space to XPath, which is quick at it.
    """
    if element is None:
        return ""
    mark(element, kept_apart(BREAKS))
    text = text_of(element)
    if "<" in text:
        text = TABLE_MARK.sub(" ", text)
    whole = etree.Element("text")
    whole.text = INDENTED.sub(" ", text).replace("\n", LINE)
    return cleaned("\n".join(filter(None, map(str.strip, str(normal_string(whole)).split(LINE)))))
