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
INSIDE = ("mtd", "df", "maths", "over", "pre", "mfrac", "break", "invention-title", "claim-statement")
"""Further elements that text around them must not run into, in every format that has them."""
LINE = "\u2028"
"""Unicode's line separator stands for our line breaks while text is gathered: the newlines in a file are mere white
space, many offices wrap their paragraphs. XPath takes it for no white space, so it outlives `normalize-space`."""
PART = "\u2029"
"""Unicode's paragraph separator stands between texts that are wanted one by one."""
ALONE = (LINE, LINE)
SIGNS = {
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
SOFT = "\u00ad"
HYPHENS = "¬" + SOFT
"""What scanned texts have where a word was cut at the end of a line: `substan¬ tially`."""

whole_string = etree.XPath("string()", smart_strings=False)
normal_string = etree.XPath("normalize-space()", smart_strings=False)


def prose(element: Element | None, breaks: tuple[str, ...] = BREAKS) -> str:
    """The text under an element. It writes line breaks into the tree, so it is for a tree that is read once.

    Text without any mark-up falls into lines at its blank lines if it has any, else at its newlines.
    """
    if element is None:
        return ""
    if mark(element, kept_apart(breaks)):
        return cleaned("\n".join(filter(None, map(str.strip, str(normal_string(element)).split(LINE)))))
    text = text_of(element)
    return settled(broken(text, BLANK_LINE.search(text.strip()) is not None), LINE)


@cache
def kept_apart(breaks: tuple[str, ...]) -> tuple[str, ...]:
    """All names of elements that something is written around."""
    return tuple(dict.fromkeys((*breaks, *INSIDE)))


def prose_of_each(element: Element, name: str, breaks: tuple[str, ...] = BREAKS) -> list[str]:
    """The text of each element of a name under another, as `prose` has it, in a fraction of the time.

    What stands outside of them is left out.
    """
    mark(element, tuple(each for each in kept_apart(breaks) if each != name))
    texts = [str(normal_string(each)).replace(PART, LINE) for each in element.iter(name)]
    parts = cleaned(PART.join(texts)).split(PART) if texts else []
    return ["\n".join(filter(None, map(str.strip, part.split(LINE)))) for part in parts]


def mark(element: Element, names: tuple[str, ...]) -> bool:
    """Write what keeps elements apart from the text around them; whether there was any to be kept apart.

    What goes before an element is written behind its elder brother, not into its own text: that would copy every
    paragraph out of the tree and in again, which takes longer than all the rest.
    """
    each = None
    for each in element.iter(*names):
        tag = each.tag
        before, after = SIGNS.get(tag, ALONE)
        if before:
            elder = each.getprevious()
            if elder is None:
                write_before(each, before)
            elif (tail := elder.tail) is None:
                elder.tail = before
            elif before != LINE or LINE not in tail or not tail.isspace():
                elder.tail = tail + before
        each.tail = after + (each.tail or "")
        if tag in WITHIN:
            WITHIN[tag](each)
    return each is not None


def write_before(element: Element, sign: str) -> None:
    """Write a sign before an element."""
    if (elder := element.getprevious()) is not None:
        elder.tail = (elder.tail or "") + sign
    elif (parent := element.getparent()) is not None:
        parent.text = (parent.text or "") + sign


def preformatted(element: Element) -> None:
    """Keep the lines of a `<pre>`; where blank lines part its paragraphs, the newlines within them are mere wraps.

    One inside another is treated with it.
    """
    if next(element.iterancestors("pre"), None) is not None:
        return
    listing = element.get("listing-type") in {"tabular", "program-listing"}
    blank = not listing and BLANK_LINE.search(text_of(element)) is not None
    for each in element.iter():
        each.text = broken(each.text or "", blank)
        if each is not element:
            each.tail = broken(each.tail or "", blank)


def fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        write_before(each, "/")


WITHIN = {"pre": preformatted, "mfrac": fraction}
"""Elements that are changed within."""


def text_of(element: Element) -> str:
    """All text under an element, as it stands."""
    return str(whole_string(element))


def broken(text: str, at_blank_lines: bool) -> str:
    """A text whose line breaks count."""
    return BLANK_LINE.sub(LINE, text) if at_blank_lines else text.replace("\n", LINE)


def settled(text: str, separator: str = "\n") -> str:
    """Lines without white space at their ends or twice in a row, and no empty lines."""
    return cleaned("\n".join(filter(None, (" ".join(line.split()) for line in text.split(separator)))))


def cleaned(text: str) -> str:
    """Lines that are settled as far as XML knows white space, without other white space and marks of data bases."""
    for sign in SPACES:
        if sign in text:
            text = with_blanks(text.split(sign))
    if "<" in text:
        text = SCRIPT_MARK.sub("", text)
        text = with_blanks(IMAGE_MARK.split(text))
    for hyphen in HYPHENS:
        if hyphen in text:
            text = whole_words(text.split(hyphen), hyphen)
    return text


def with_blanks(parts: list[str]) -> str:
    """Parts of a text with a blank between them, but none where a line begins or ends."""
    found = [parts[0].rstrip(" ")]
    end = found[0][-1:] or "\n"
    for part in parts[1:]:
        text = part.strip(" ") if end != "\n" else part.strip(" ").lstrip("\n ")
        if text:
            found += [text] if "\n" in (end, text[0]) else [" ", text]
            end = text[-1]
    return "".join(found).rstrip("\n ")


def whole_words(parts: list[str], hyphen: str) -> str:
    """Parts of a text that a hyphen parts: joined without it where it cut a word at the end of a line."""
    found = [parts[0]]
    for left, right in pairwise(parts):
        if left[-1:].isalpha() and right[:1] == " " and right[1:2].isalpha():
            found.append(right[1:])
        else:
            found.append(right if hyphen == SOFT else hyphen + right)
    return "".join(found)


def one_line(element: Element | None) -> str:
    """The text under an element as one line: a title, a name, a code."""
    return "" if element is None else " ".join(text_of(element).split())
