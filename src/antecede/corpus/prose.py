"""Text from XML: one paragraph per line, white space normalized, table cells separated, words kept intact.

libxml2 writes an element as XML, and a compiled loop reads its lines from that. A table says what separates an element
from the text around it: `LINE` where a line begins or ends, a space between cells, `PART` between the texts of several
elements. Newlines in a file are only white space, since many offices wrap their paragraphs. Only rare elements are
changed in the tree, by rules: that takes far longer than all the rest.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from lxml import etree

from antecede.corpus import line_scanner as scanner
from antecede.corpus.language import CONJUNCTIONS, detect_language, language_code
from antecede.corpus.st36 import NAMES_FIRST, form_of, preference_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from lxml.etree import _Element as Element

    Rule: TypeAlias = Callable[[Element], None]
    Distance: TypeAlias = Callable[[Element], tuple[int, ...]]
    """How far a text is from the document as published; the smallest is preferred."""

LINE = "\x7f"
"""The delete character represents our line breaks until a text is read: a single byte that no document contains, since
`parse_xml` replaces it."""
LINE_SEPARATOR = "\u2028"
"""Unicode's line separator in a document is a line break too."""
PART = "\u2029"
"""Unicode's paragraph separator separates the texts of several elements."""
_BLANK = f"{LINE} \t\r\n"
"""What an empty line may consist of."""
_TYPED_LINE = re.compile(rb"\n(?![ \t]{2})")
"""A newline in a typed text; an indented line continues the one before it."""
_TABLE_MARK = re.compile(b"&lt;(?:tb|sep)&gt;")
_NO_RULES: Mapping[str, Rule] = MappingProxyType({})


class SeparatorTable:
    """What separates elements from the text around them: a text before and one after each.

    Args:
        separators: The texts by the name of the element.
        rules: Called with each element of a name, in the order of the document. They write into the tree, which can
            therefore be read only once, and take far longer than all the rest: rules are for rare elements.
    """

    def __init__(self, separators: Mapping[str, tuple[str, str]], rules: Mapping[str, Rule] = _NO_RULES) -> None:
        self.separators, self.rules = {**dict.fromkeys(rules, ("", "")), **separators}, rules
        if len(self.separators) >= scanner.SLOTS:
            raise ValueError(
                f"separators of {len(self.separators)} elements; at most {scanner.SLOTS - 1} are supported"
            )
        self.rows = np.zeros((scanner.SLOTS, scanner.COLUMNS), np.int64)
        letters = bytearray(scanner.LITERALS)
        for name, written in self.separators.items():
            parts = [each.encode() for each in (name, *written, "")]
            if max(map(len, parts[1:])) > scanner.MAX_SEPARATOR_LENGTH:
                raise ValueError(f"a separator of more than {scanner.MAX_SEPARATOR_LENGTH} bytes: {written}")
            row = scanner.hash_name(parts[0])
            while self.rows[row].any():
                row = (row + 1) % scanner.SLOTS
            for column, part in enumerate(parts):
                self.rows[row, column] = len(letters)
                letters += part
            self.rows[row, scanner.RULED] = name in rules
        self.letters = bytes(letters)


@cache
def separate_each(table: SeparatorTable, name: str) -> SeparatorTable:
    """The table with a `PART` before and after each element of a name."""
    return SeparatorTable({**table.separators, name: (PART, PART)}, table.rules)


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
        text = self.data.decode()
        return strip_lines(text) if self.other_spaces else text

    def parts(self) -> list[str]:
        """The texts between the first `PART` and the second, the third and the fourth …"""
        texts = [part.strip(" \n") for part in self.data.decode().split(PART)[1::2]]
        return [strip_lines(text) for text in texts] if self.other_spaces else texts


def read_lines(element: Element, table: SeparatorTable, *, typed: bool = False, ruled: bool = False) -> Lines:
    """The lines of an element, white space normalized as by XPath's `normalize-space`, no empty ones.

    In a `typed` text newlines begin lines, and its marks of tables become spaces. The rules of the table are applied if
    the element needs one, unless it is `ruled`: they have been applied before.
    """
    xml = etree.tostring(element, encoding="utf-8", with_tail=False)
    if typed:
        xml = _TYPED_LINE.sub(LINE.encode(), _TABLE_MARK.sub(b" ", xml))
    source = np.frombuffer(b"".join((table.letters, xml, scanner.PADDING)), np.uint8)
    lines, found = np.empty(2 * len(source), np.uint8), np.empty(scanner.FINDINGS, np.int64)
    scanner.scan_lines(source, len(table.letters), table.rows, ruled, lines, found)
    size, separated, other_spaces, marks, rule_needed = found.tolist()
    if rule_needed:
        for each in element.iter(*table.rules):
            table.rules[each.tag](each)
        return read_lines(element, table, typed=typed, ruled=True)
    return Lines(lines[:size].tobytes(), bool(separated), bool(other_spaces), bool(marks))


def strip_lines(text: str) -> str:
    """The text without white space at the beginning and end of its lines, and without empty lines."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


# Prose

_BLOCKS = ("p", "P", "heading", "claim", "claim-text", "claim-statement", "row", "tr", "li", "title", "invention-title")
_SEPARATORS = {
    **dict.fromkeys((*_BLOCKS, "pre"), (LINE, LINE)),
    **dict.fromkeys(("br", "BR", "break", "dd"), ("", LINE)),
    **dict.fromkeys(("entry", "td"), ("", " ")),
    **dict.fromkeys(("mtd", "df", "maths"), (" ", " ")),
    "dt": (LINE, " "),
}
"""What is written before and after an element, which has no namespace, as `parse_xml` returns it: cells and displayed
formulas are separated by spaces, a term is on one line with its definition."""
_LINE_ENDS = frozenset(name for name, (_, after) in _SEPARATORS.items() if after == LINE)
"""Elements after which a new line begins."""
_SPACES = [space for code in range(0x80, 0x3001) if (space := chr(code)).isspace() and space not in "\u2028\u2029"]
"""White space other than that of XML: fixed, thin and em spaces."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_IMAGE_MARK = re.compile(r"<(?:EMI ID\s*=[^<>]{1,20}|IMAGE|CHEM|MATH|TABLE|FORM)>")
"""Marks that databases leave in the text in place of an image or a formula."""
_SCRIPT_MARK = re.compile(r"</?SU[BP]>")
"""The same for sub- and superscripts."""
_ANY_MARK = re.compile(r"<(?:/?SU[BP]>|EMI ID|IMAGE>|CHEM>|MATH>|TABLE>|FORM>)")
"""How all of these begin: most texts with a `<` contain none."""
_SOFT_HYPHEN = "\u00ad"
_HYPHENS = "¬" + _SOFT_HYPHEN
"""Hyphens in scanned texts where a word was divided at the end of a line: `substan¬ tially`."""


def prose(element: Element | None) -> str:
    """The text of an element. Rules write into the tree, which can therefore be read only once.

    Text without markup is split into lines at blank lines if it has any, else at newlines.
    """
    if element is None:
        return ""
    lines = read_lines(element, _PROSE)
    if lines.separated:
        return _clean_lines(lines)
    text = text_of(element)
    text = _mark_line_breaks(text, _BLANK_LINE.search(text.strip()) is not None).replace(LINE_SEPARATOR, LINE)
    return normalize_lines(text, LINE)


def _write_before(element: Element, text: str) -> None:
    if (previous := element.getprevious()) is not None:
        previous.tail = (previous.tail or "") + text
    elif (parent := element.getparent()) is not None:
        parent.text = (parent.text or "") + text


def _keep_lines(element: Element) -> None:
    """Keep the lines of a `<pre>`; if blank lines separate its paragraphs, single newlines are only wrapping.

    A nested one is processed with the outer one.
    """
    if next(element.iterancestors("pre"), None) is not None:
        return
    listing = element.get("listing-type") in {"tabular", "program-listing"}
    blank = not listing and _BLANK_LINE.search(text_of(element)) is not None
    for each in element.iter():
        each.text = _mark_line_breaks(each.text or "", blank)
        if each is not element:
            each.tail = _mark_line_breaks(each.tail or "", blank)


def _write_fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        _write_before(each, "/")


def _write_slash(element: Element) -> None:
    """The denominator of a fraction follows a slash, except at the beginning of a line."""
    previous = element.getprevious()
    if previous is None or previous.tag not in _LINE_ENDS or (previous.tail or "").strip(_BLANK):
        _write_before(element, "/")


_PROSE = SeparatorTable(_SEPARATORS, rules={"pre": _keep_lines, "mfrac": _write_fraction, "over": _write_slash})


def texts_of_each(
    element: Element, name: str, table: SeparatorTable = _PROSE, clean: Callable[[str], str] | None = None
) -> list[tuple[Element, str]]:
    """The elements of a name inside another, except in one of their own, each with its text, like `prose`.

    All are read in one go, which takes a fraction of the time, unless they are nested or the separator of the texts
    occurs in one.
    """
    found = [*element.iter(name)]
    if not found:  # the rules of the table can be applied only once
        return []
    if len(found) > sum(1 for _ in element.iterchildren(name)):
        found = [each for each in found if next(each.iterancestors(name), None) is None]
    lines = read_lines(element, separate_each(table, name))
    texts = lines.parts()
    if len(texts) != len(found):
        texts = [read_lines(each, table, ruled=True).decode().replace(PART, "\n") for each in found]
    if lines.other_spaces or lines.marks:
        texts = [*map(clean or _clean, texts)]
    return [*zip(found, texts, strict=True)]


def text_of(element: Element) -> str:
    """The complete text of an element, unchanged."""
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)


def _mark_line_breaks(text: str, at_blank_lines: bool) -> str:
    return _BLANK_LINE.sub(LINE, text) if at_blank_lines else text.replace("\n", LINE)


def normalize_lines(text: str, separator: str = "\n") -> str:
    """Normalize white space within lines and remove empty lines."""
    return _clean("\n".join(filter(None, (" ".join(line.split()) for line in text.split(separator)))))


def _clean_lines(lines: Lines) -> str:
    return _clean(lines.decode()) if lines.other_spaces or lines.marks else lines.decode()


def _clean(text: str) -> str:
    """Remove other white space and the marks of databases from lines that are normalized in the sense of XML."""
    text = clean_spaces(text)
    if "<" in text and _ANY_MARK.search(text) is not None:
        text = _SCRIPT_MARK.sub("", text)
        text = _join_with_spaces(_IMAGE_MARK.split(text))
    for hyphen in _HYPHENS:
        if hyphen in text:
            text = _join_words(text.split(hyphen), hyphen)
    return text


def clean_spaces(text: str) -> str:
    """Replace other white space than that of XML by single spaces in lines that are normalized otherwise."""
    for space in _SPACES:
        if space in text:
            text = _join_with_spaces(text.split(space))
    return text


def _join_with_spaces(parts: list[str]) -> str:
    """Join parts of a text with a space, but none at the beginning or end of a line."""
    found = [parts[0].rstrip(" ")]
    end = found[0][-1:] or "\n"
    for part in parts[1:]:
        text = part.strip(" ") if end != "\n" else part.strip(" ").lstrip("\n ")
        if text:
            found += [text] if "\n" in (end, text[0]) else [" ", text]
            end = text[-1]
    return "".join(found).rstrip("\n ")


_CONJUNCTION = re.compile(f" {CONJUNCTIONS}")


def _join_words(parts: list[str], hyphen: str) -> str:
    """Join parts of a text separated by a hyphen, without it where it divided a word at the end of a line."""
    found = [parts[0]]
    for left, right in pairwise(parts):
        if left[-1:].isalpha() and right[:1] == " " and right[1:2].isalpha():
            found.append(f"-{right}" if _CONJUNCTION.match(right) else right[1:])
        else:
            found.append(right if hyphen == _SOFT_HYPHEN else hyphen + right)
    return "".join(found)


def one_line(element: Element | None) -> str:
    """The text of an element on one line: a title, a name, a code."""
    return "" if element is None else " ".join(text_of(element).split())


def typed_lines(element: Element | None) -> str:
    """The text of an element, line by line as it was typed, as services without other markup deliver it.

    Paragraphs begin lines too, and the marks of tables (`<tb>`, `<sep>`) are spaces. The tree can be read only once.
    """
    if element is None:
        return ""
    return _clean_lines(read_lines(element, _PROSE, typed=True))


# Texts by language, where each part of a document declares its language

Text = TypeVar("Text", str, tuple[str, ...])

_NO_LANGUAGE = frozenset({"ol", "xx", "un", "zz"})
"""Codes of databases for an unspecified language."""


@lru_cache(maxsize=1000)
def declared_language(given: str | None) -> str:
    """The language that a file declares; empty if it declares none."""
    code = language_code(given)
    return "" if code in _NO_LANGUAGE else code


def language_of(given: str | None, text: str) -> str:
    """The language that a file declares for a text, else the detected one."""
    return declared_language(given) or detect_language(text)


def collect_texts(
    elements: Iterable[Element], read: Callable[[Element], Text], distance: Distance = lambda _: (), main: str = ""
) -> dict[str, Text]:
    """All texts of each language that are equally near to the document as published, joined in order.

    A description may have several parts, and a European patent several sets of claims in one language, for different
    states. A text whose language is neither declared nor detected is in the `main` one.
    """
    found: dict[str, Text] = {}
    nearest: dict[str, tuple[int, ...]] = {}
    for far, each in sorted(((distance(element), element) for element in elements), key=lambda pair: pair[0]):
        given = declared_language(each.get("lang"))
        if nearest.get(given, far) < far or not (text := read(each)):
            continue
        language = given or detect_language(text if isinstance(text, str) else "\n".join(text[:5])) or main
        if nearest.setdefault(language, far) == far:
            found[language] = join_texts(found[language], text) if language in found else text
    return found


def choose_texts(
    elements: Iterable[Element],
    read: Callable[[Element], str],
    distance: Distance = lambda each: (preference_of(form_of(each), NAMES_FIRST),),
    main: str = "",
) -> dict[str, str]:
    """One text per language, the nearest to the document as published: the office's form before that of a database."""
    found: dict[str, str] = {}
    for element in sorted(elements, key=distance):
        given = declared_language(element.get("lang"))
        if given not in found and (text := read(element)):
            found.setdefault(given or detect_language(text) or main, text)
    return found


def join_texts(one: Text, other: Text) -> Text:
    """Join two texts, or two lists of claims; what is in both is kept once."""
    if isinstance(one, str):
        return one if other in one else f"{one}\n{other}"
    return one + tuple(each for each in other if each not in one)
