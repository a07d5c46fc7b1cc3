"""Text from XML: one paragraph per line, white space normalized, table cells separated, words kept intact."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BREAKS = ("p", "P", "heading", "claim", "claim-text", "row", "tr", "li", "dt", "dd", "br", "BR", "title", "entry", "td")
"""Elements after which a new line begins (`entry` and `td`: a space, see CELLS). Without a namespace, as `parse_xml`
returns them; a reader of other names passes its own."""
CELLS = frozenset({"entry", "td"})
OTHER_ELEMENTS = ("mtd", "df", "maths", "over", "pre", "mfrac", "break", "invention-title", "claim-statement")
"""Further elements to be separated from the text around them, in every format that has them."""
LINE = "\u2028"
"""Unicode's line separator represents our line breaks while text is gathered: the newlines in a file are only white
space, since many offices wrap their paragraphs. It is not white space to XPath, so it survives `normalize-space`."""
PART = "\u2029"
"""Unicode's paragraph separator separates the texts of several elements."""
OWN_LINE = (LINE, LINE)
SEPARATORS = {
    **dict.fromkeys(CELLS, ("", " ")),
    **dict.fromkeys(("mtd", "df", "maths"), (" ", " ")),
    **dict.fromkeys(("br", "BR", "break"), ("", LINE)),
    "dt": (LINE, " "),
    "dd": ("", LINE),
    "over": ("/", ""),
    "mfrac": ("", ""),
}
"""What is written before and after an element that is not a line of its own: cells and displayed formulas are separated
by spaces, a term is on one line with its definition, the parts of a fraction are separated by a slash."""
SPACES = "\xa0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000"
"""White space other than that of XML."""
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
IMAGE_MARK = re.compile(r"<(?:EMI ID\s*=[^<>]{1,20}|IMAGE|CHEM|MATH|TABLE|FORM)>")
"""Marks that databases leave in the text in place of an image or a formula."""
SCRIPT_MARK = re.compile(r"</?SU[BP]>")
"""The same for sub- and superscripts."""
SOFT_HYPHEN = "\u00ad"
HYPHENS = "¬" + SOFT_HYPHEN
"""Hyphens in scanned texts where a word was divided at the end of a line: `substan¬ tially`."""
INDENTED = re.compile(r"\n[ \t]{2,}")
"""A line feed inserted for indentation; typed lines are not indented."""
TABLE_MARK = re.compile("<(?:tb|sep)>")
"""Marks for the rows and cells of a table."""

whole_string = etree.XPath("string()", smart_strings=False)
normal_string = etree.XPath("normalize-space()", smart_strings=False)


def prose(element: Element | None, breaks: tuple[str, ...] = BREAKS) -> str:
    """The text of an element. It writes line breaks into the tree, which can therefore be read only once.

    Text without markup is split into lines at blank lines if it has any, else at newlines.
    """
    if element is None:
        return ""
    if write_separators(element, separated_elements(breaks)):
        return clean("\n".join(filter(None, map(str.strip, str(normal_string(element)).split(LINE)))))
    text = text_of(element)
    return normalize_lines(mark_line_breaks(text, BLANK_LINE.search(text.strip()) is not None), LINE)


@cache
def separated_elements(breaks: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all elements that get separators."""
    return tuple(dict.fromkeys((*breaks, *OTHER_ELEMENTS)))


def prose_of_each(element: Element, name: str, breaks: tuple[str, ...] = BREAKS) -> list[str]:
    """The text of each element of a name inside another, like `prose`, in a fraction of the time.

    Text outside of them is ignored.
    """
    write_separators(element, tuple(each for each in separated_elements(breaks) if each != name))
    texts = [str(normal_string(each)).replace(PART, LINE) for each in element.iter(name)]
    parts = clean(PART.join(texts)).split(PART) if texts else []
    return ["\n".join(filter(None, map(str.strip, part.split(LINE)))) for part in parts]


def write_separators(element: Element, names: tuple[str, ...]) -> bool:
    """Write separators around elements; true if there was any such element.

    The separator before an element is appended to the tail of the preceding sibling, not to its own text: that would
    copy every paragraph out of the tree and back, which takes longer than everything else.
    """
    each = None
    for each in element.iter(*names):
        tag = each.tag
        before, after = SEPARATORS.get(tag, OWN_LINE)
        if before:
            previous = each.getprevious()
            if previous is None:
                write_before(each, before)
            elif (tail := previous.tail) is None:
                previous.tail = before
            elif before != LINE or LINE not in tail or not tail.isspace():
                previous.tail = tail + before
        each.tail = after + (each.tail or "")
        if tag in CONTENT_RULES:
            CONTENT_RULES[tag](each)
    return each is not None


def write_before(element: Element, text: str) -> None:
    """Insert text before an element."""
    if (previous := element.getprevious()) is not None:
        previous.tail = (previous.tail or "") + text
    elif (parent := element.getparent()) is not None:
        parent.text = (parent.text or "") + text


def keep_lines(element: Element) -> None:
    """Keep the lines of a `<pre>`; if blank lines separate its paragraphs, single newlines are only wrapping.

    A nested one is processed with the outer one.
    """
    if next(element.iterancestors("pre"), None) is not None:
        return
    listing = element.get("listing-type") in {"tabular", "program-listing"}
    blank = not listing and BLANK_LINE.search(text_of(element)) is not None
    for each in element.iter():
        each.text = mark_line_breaks(each.text or "", blank)
        if each is not element:
            each.tail = mark_line_breaks(each.tail or "", blank)


def write_fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        write_before(each, "/")


CONTENT_RULES = {"pre": keep_lines, "mfrac": write_fraction}
"""Elements whose content is changed."""


def text_of(element: Element) -> str:
    """The complete text of an element, unchanged."""
    return str(whole_string(element))


def mark_line_breaks(text: str, at_blank_lines: bool) -> str:
    """Replace the significant line breaks of a text."""
    return BLANK_LINE.sub(LINE, text) if at_blank_lines else text.replace("\n", LINE)


def normalize_lines(text: str, separator: str = "\n") -> str:
    """Normalize white space within lines and remove empty lines."""
    return clean("\n".join(filter(None, (" ".join(line.split()) for line in text.split(separator)))))


def clean(text: str) -> str:
    """Remove other white space and the marks of databases from lines that are normalized in the sense of XML."""
    for space in SPACES:
        if space in text:
            text = join_with_spaces(text.split(space))
    if "<" in text:
        text = SCRIPT_MARK.sub("", text)
        text = join_with_spaces(IMAGE_MARK.split(text))
    for hyphen in HYPHENS:
        if hyphen in text:
            text = join_words(text.split(hyphen), hyphen)
    return text


def join_with_spaces(parts: list[str]) -> str:
    """Join parts of a text with a space, but none at the beginning or end of a line."""
    found = [parts[0].rstrip(" ")]
    end = found[0][-1:] or "\n"
    for part in parts[1:]:
        text = part.strip(" ") if end != "\n" else part.strip(" ").lstrip("\n ")
        if text:
            found += [text] if "\n" in (end, text[0]) else [" ", text]
            end = text[-1]
    return "".join(found).rstrip("\n ")


def join_words(parts: list[str], hyphen: str) -> str:
    """Join parts of a text separated by a hyphen, without it where it divided a word at the end of a line."""
    found = [parts[0]]
    for left, right in pairwise(parts):
        if left[-1:].isalpha() and right[:1] == " " and right[1:2].isalpha():
            found.append(right[1:])
        else:
            found.append(right if hyphen == SOFT_HYPHEN else hyphen + right)
    return "".join(found)


def one_line(element: Element | None) -> str:
    """The text of an element on one line: a title, a name, a code."""
    return "" if element is None else " ".join(text_of(element).split())


def typed_lines(element: Element | None) -> str:
    """The text of an element, line by line as it was typed, as services without other markup deliver it.

    Paragraphs begin lines too. Like `prose`, it writes into the tree, and leaves the normalization of white space to
    XPath, which is fast.
    """
    if element is None:
        return ""
    write_separators(element, separated_elements(BREAKS))
    text = text_of(element)
    if "<" in text:
        text = TABLE_MARK.sub(" ", text)
    whole = etree.Element("text")
    whole.text = INDENTED.sub(" ", text).replace("\n", LINE)
    return clean("\n".join(filter(None, map(str.strip, str(normal_string(whole)).split(LINE)))))
