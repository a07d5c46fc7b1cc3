"""Text out of XML: paragraphs one a line, white space settled, table cells kept apart, nothing glued or torn."""

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
gives them; a reader of other names passes its own."""
CELLS = frozenset({"entry", "td"})
OTHER_ELEMENTS = ("mtd", "df", "maths", "over", "pre", "mfrac", "break", "invention-title", "claim-statement")
"""Further elements that text around them must not run into, in every format that has them."""
LINE = "\u2028"
"""Unicode's line separator stands for our line breaks while text is gathered: the newlines in a file are mere white
space, many offices wrap their paragraphs. XPath takes it for no white space, so it outlives `normalize-space`."""
PART = "\u2029"
"""Unicode's paragraph separator stands between texts that are wanted one by one."""
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
"""What is written before and after an element, where it does not stand on a line alone: cells and displayed
formulas stand apart on their line, a term stands on one line with its definition, a fraction is no product."""
SPACES = "\xa0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000"
"""White space that XML does not know as such."""
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
IMAGE_MARK = re.compile(r"<(?:EMI ID\s*=[^<>]{1,20}|IMAGE|CHEM|MATH|TABLE|FORM)>")
"""Marks that data bases leave in the text where the original has an image or a formula."""
SCRIPT_MARK = re.compile(r"</?SU[BP]>")
"""The same for sub- and superscripts."""
SOFT_HYPHEN = "\u00ad"
HYPHENS = "¬" + SOFT_HYPHEN
"""What scanned texts have where a word was cut at the end of a line: `substan¬ tially`."""
INDENTED = re.compile(r"\n[ \t]{2,}")
"""A line feed that an editor put in to indent; typed lines are not indented."""
TABLE_MARK = re.compile("<(?:tb|sep)>")
"""What stands for the rows and cells of a table."""

whole_string = etree.XPath("string()", smart_strings=False)
normal_string = etree.XPath("normalize-space()", smart_strings=False)


def prose(element: Element | None, breaks: tuple[str, ...] = BREAKS) -> str:
    """The text under an element. It writes line breaks into the tree, so it is for a tree that is read once.

    Text without any mark-up falls into lines at its blank lines if it has any, else at its newlines.
    """
    if element is None:
        return ""
    if write_separators(element, separated_elements(breaks)):
        return clean("\n".join(filter(None, map(str.strip, str(normal_string(element)).split(LINE)))))
    text = text_of(element)
    return normalize_lines(mark_line_breaks(text, BLANK_LINE.search(text.strip()) is not None), LINE)


@cache
def separated_elements(breaks: tuple[str, ...]) -> tuple[str, ...]:
    """All names of elements that something is written around."""
    return tuple(dict.fromkeys((*breaks, *OTHER_ELEMENTS)))


def prose_of_each(element: Element, name: str, breaks: tuple[str, ...] = BREAKS) -> list[str]:
    """The text of each element of a name under another, as `prose` has it, in a fraction of the time.

    What stands outside of them is left out.
    """
    write_separators(element, tuple(each for each in separated_elements(breaks) if each != name))
    texts = [str(normal_string(each)).replace(PART, LINE) for each in element.iter(name)]
    parts = clean(PART.join(texts)).split(PART) if texts else []
    return ["\n".join(filter(None, map(str.strip, part.split(LINE)))) for part in parts]


def write_separators(element: Element, names: tuple[str, ...]) -> bool:
    """Write what keeps elements apart from the text around them; whether there was any to be kept apart.

    What goes before an element is written behind its elder brother, not into its own text: that would copy every
    paragraph out of the tree and in again, which takes longer than all the rest.
    """
    each = None
    for each in element.iter(*names):
        tag = each.tag
        before, after = SEPARATORS.get(tag, OWN_LINE)
        if before:
            elder = each.getprevious()
            if elder is None:
                write_before(each, before)
            elif (tail := elder.tail) is None:
                elder.tail = before
            elif before != LINE or LINE not in tail or not tail.isspace():
                elder.tail = tail + before
        each.tail = after + (each.tail or "")
        if tag in CONTENT_RULES:
            CONTENT_RULES[tag](each)
    return each is not None


def write_before(element: Element, sign: str) -> None:
    """Write a sign before an element."""
    if (elder := element.getprevious()) is not None:
        elder.tail = (elder.tail or "") + sign
    elif (parent := element.getparent()) is not None:
        parent.text = (parent.text or "") + sign


def keep_lines(element: Element) -> None:
    """Keep the lines of a `<pre>`; where blank lines part its paragraphs, the newlines within them are mere wraps.

    One inside another is treated with it.
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
"""Elements that are changed within."""


def text_of(element: Element) -> str:
    """All text under an element, as it stands."""
    return str(whole_string(element))


def mark_line_breaks(text: str, at_blank_lines: bool) -> str:
    """A text whose line breaks count."""
    return BLANK_LINE.sub(LINE, text) if at_blank_lines else text.replace("\n", LINE)


def normalize_lines(text: str, separator: str = "\n") -> str:
    """Lines without white space at their ends or twice in a row, and no empty lines."""
    return clean("\n".join(filter(None, (" ".join(line.split()) for line in text.split(separator)))))


def clean(text: str) -> str:
    """Lines that are settled as far as XML knows white space, without other white space and marks of data bases."""
    for sign in SPACES:
        if sign in text:
            text = join_with_spaces(text.split(sign))
    if "<" in text:
        text = SCRIPT_MARK.sub("", text)
        text = join_with_spaces(IMAGE_MARK.split(text))
    for hyphen in HYPHENS:
        if hyphen in text:
            text = join_words(text.split(hyphen), hyphen)
    return text


def join_with_spaces(parts: list[str]) -> str:
    """Parts of a text with a blank between them, but none where a line begins or ends."""
    found = [parts[0].rstrip(" ")]
    end = found[0][-1:] or "\n"
    for part in parts[1:]:
        text = part.strip(" ") if end != "\n" else part.strip(" ").lstrip("\n ")
        if text:
            found += [text] if "\n" in (end, text[0]) else [" ", text]
            end = text[-1]
    return "".join(found).rstrip("\n ")


def join_words(parts: list[str], hyphen: str) -> str:
    """Parts of a text that a hyphen parts: joined without it where it cut a word at the end of a line."""
    found = [parts[0]]
    for left, right in pairwise(parts):
        if left[-1:].isalpha() and right[:1] == " " and right[1:2].isalpha():
            found.append(right[1:])
        else:
            found.append(right if hyphen == SOFT_HYPHEN else hyphen + right)
    return "".join(found)


def one_line(element: Element | None) -> str:
    """The text under an element as one line: a title, a name, a code."""
    return "" if element is None else " ".join(text_of(element).split())


def typed_lines(element: Element | None) -> str:
    """The text under an element, line by line as it was typed; paragraphs begin lines too, wherever they stand.

    Like `prose`, it writes into the tree, and leaves the settling of white space to XPath, which is quick at it.
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
