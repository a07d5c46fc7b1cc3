"""The lines of a text: libxml2 writes an element as XML, and a compiled loop reads its lines from that.

A table says what separates an element from the text around it: `LINE` where a line begins or ends, a space between
cells, `PART` between the texts of several elements. Newlines in a file are only white space, since many offices wrap
their paragraphs. Only rare elements are changed in the tree, by rules: that takes far longer than all the rest.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from lxml import etree

from antecede.corpus.xml.line_scanner import (
    BETWEEN,
    COLUMNS,
    FINDINGS,
    LITERALS,
    LONGEST_SEPARATOR,
    OMITTED,
    PADDING,
    RULED,
    SLOTS,
    hash_name,
    scan_lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    from lxml.etree import _Element as Element

    Rule: TypeAlias = Callable[[Element], None]

LINE = "\x7f"
"""The delete character represents our line breaks until a text is read: a single byte that no document contains, since
`parse_xml` replaces it."""
LINE_SEPARATOR = "\u2028"
"""Unicode's line separator in a document is a line break too."""
PART = "\u2029"
"""Unicode's paragraph separator separates the texts of several elements."""
BLANK = f"{LINE} \t\r\n"
"""What an empty line may consist of."""
NO_RULES: Mapping[str, Rule] = MappingProxyType({})


class SeparatorTable:
    """What separates elements from the text around them: a text before and one after each.

    Args:
        separators: The texts by the name of the element.
        omitted: Elements whose own text is omitted, up to the first element in it.
        between: Elements that are separated only from an element that follows them.
        rules: Called with each element of a name, in the order of the document. They write into the tree, which can
            therefore be read only once, and take far longer than all the rest: rules are for rare elements.
    """

    def __init__(
        self,
        separators: Mapping[str, tuple[str, str]],
        *,
        omitted: Collection[str] = (),
        between: Collection[str] = (),
        rules: Mapping[str, Rule] = NO_RULES,
    ) -> None:
        self.separators, self.rules = {**dict.fromkeys(rules, ("", "")), **separators}, rules
        self.omitted, self.between = omitted, between
        if len(self.separators) >= SLOTS:
            raise ValueError(f"separators of {len(self.separators)} elements; at most {SLOTS - 1} are supported")
        self.rows = np.zeros((SLOTS, COLUMNS), np.int64)
        letters = bytearray(LITERALS)
        for name, written in self.separators.items():
            parts = [each.encode() for each in (name, *written, "")]
            if max(map(len, parts[1:])) > LONGEST_SEPARATOR:
                raise ValueError(f"a separator of more than {LONGEST_SEPARATOR} bytes: {written}")
            row = hash_name(parts[0])
            while self.rows[row].any():
                row = (row + 1) % SLOTS
            for column, part in enumerate(parts):
                self.rows[row, column] = len(letters)
                letters += part
            self.rows[row, [OMITTED, BETWEEN, RULED]] = name in omitted, name in between, name in rules
        self.letters = bytes(letters)

    def apply_rules(self, element: Element) -> None:
        """Apply the rules to an element and all elements in it."""
        for each in element.iter(*self.rules):
            self.rules[each.tag](each)


@cache
def separate_each(table: SeparatorTable, name: str, after: str = "") -> SeparatorTable:
    """The table with a `PART` before each element of a name, and something after it."""
    separators = {**table.separators, name: (PART, after)}
    return SeparatorTable(separators, omitted=table.omitted, between=table.between, rules=table.rules)


class Lines(NamedTuple):
    """The lines of an element, in UTF-8, one per line."""

    data: bytes
    separated: bool
    """Whether the element is one of those that have separators, or contains one."""
    other_spaces: bool
    """Whether they contain white space other than that of XML, or U+2029."""
    marks: bool
    """Whether they contain `<`, `¬` or a soft hyphen."""

    def decode(self) -> str:
        """The lines as text."""
        text = self.data.decode()
        return strip_lines(text) if self.other_spaces else text

    def parts(self, every: int = 1) -> list[str]:
        """The texts after each `PART`, or after every second one."""
        texts = [part.strip(" \n") for part in self.data.decode().split(PART)[1::every]]
        return [strip_lines(text) for text in texts] if self.other_spaces else texts


def read_lines(element: Element, table: SeparatorTable, *, typed: bool = False, ruled: bool = False) -> Lines:
    """The lines of an element, white space normalized as by XPath's `normalize-space`, no empty ones.

    In a `typed` text newlines begin lines, and its marks of tables become spaces. The rules of the table are applied if
    the element needs one, unless it is `ruled`: they have been applied before.
    """
    xml = etree.tostring(element, encoding="utf-8", with_tail=False)
    source = np.frombuffer(b"".join((table.letters, xml, PADDING)), np.uint8)
    lines, found = np.empty(2 * len(source), np.uint8), np.empty(FINDINGS, np.int64)
    scan_lines(source, len(table.letters), table.rows, typed, ruled, lines, found)
    size, separated, other_spaces, marks, rule_needed = found.tolist()
    if rule_needed:
        table.apply_rules(element)
        return read_lines(element, table, typed=typed, ruled=True)
    return Lines(lines[:size].tobytes(), bool(separated), bool(other_spaces), bool(marks))


def strip_lines(text: str) -> str:
    """The text without white space at the beginning and end of its lines, and without empty lines."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
