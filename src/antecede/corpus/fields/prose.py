"""Text from XML: one paragraph per line, white space normalized, table cells separated, words kept intact."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus.fields.lines import (
    BLANK,
    LINE,
    LINE_SEPARATOR,
    PART,
    SeparatorTable,
    read_lines,
    separate_each,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from antecede.corpus.fields.lines import Lines

BREAKS = ("p", "P", "heading", "claim", "claim-text", "row", "tr", "li", "dt", "dd", "br", "BR", "title", "entry", "td")
"""Elements after which a new line begins (`entry` and `td`: a space, see CELLS). Without a namespace, as `parse_xml`
returns them; a reader of other names passes its own."""
CELLS = frozenset({"entry", "td"})
OTHER_ELEMENTS = ("mtd", "df", "maths", "over", "pre", "mfrac", "break", "invention-title", "claim-statement")
"""Further elements to be separated from the text around them, in every format that has them."""
OWN_LINE = (LINE, LINE)
SEPARATORS = {
    **dict.fromkeys(CELLS, ("", " ")),
    **dict.fromkeys(("mtd", "df", "maths"), (" ", " ")),
    **dict.fromkeys(("br", "BR", "break"), ("", LINE)),
    "dt": (LINE, " "),
    "dd": ("", LINE),
    **dict.fromkeys(("over", "mfrac"), ("", "")),
}
"""What is written before and after an element that is not a line of its own: cells and displayed formulas are separated
by spaces, a term is on one line with its definition; fractions have rules."""
SPACES = "\xa0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000"
"""White space other than that of XML."""
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
IMAGE_MARK = re.compile(r"<(?:EMI ID\s*=[^<>]{1,20}|IMAGE|CHEM|MATH|TABLE|FORM)>")
"""Marks that databases leave in the text in place of an image or a formula."""
SCRIPT_MARK = re.compile(r"</?SU[BP]>")
"""The same for sub- and superscripts."""
ANY_MARK = re.compile(r"<(?:/?SU[BP]>|EMI ID|IMAGE>|CHEM>|MATH>|TABLE>|FORM>)")
"""How all of these begin: most texts with a `<` contain none."""
SOFT_HYPHEN = "\u00ad"
HYPHENS = "¬" + SOFT_HYPHEN
"""Hyphens in scanned texts where a word was divided at the end of a line: `substan¬ tially`."""


def prose(element: Element | None, breaks: tuple[str, ...] = BREAKS) -> str:
    """The text of an element. Rules write into the tree, which can therefore be read only once.

    Text without markup is split into lines at blank lines if it has any, else at newlines.
    """
    if element is None:
        return ""
    lines = read_lines(element, separators_of(breaks))
    if lines.separated:
        return clean_lines(lines)
    text = text_of(element)
    text = mark_line_breaks(text, BLANK_LINE.search(text.strip()) is not None).replace(LINE_SEPARATOR, LINE)
    return normalize_lines(text, LINE)


@cache
def separators_of(breaks: tuple[str, ...]) -> SeparatorTable:
    """The separators of all elements that have some."""
    separators = {name: SEPARATORS.get(name, OWN_LINE) for name in (*breaks, *OTHER_ELEMENTS)}
    return SeparatorTable(separators, rules=CONTENT_RULES)


def prose_of_each(element: Element, name: str, breaks: tuple[str, ...] = BREAKS) -> list[str]:
    """The text of each element of a name inside another, like `prose`, in a fraction of the time.

    Text outside of them is ignored. The list has another length if elements of the name are nested, or if the separator
    of the texts occurs in one.
    """
    lines = read_lines(element, separate_each(separators_of(breaks), name, after=PART))
    texts = lines.parts(every=2)
    return [clean(text) for text in texts] if lines.other_spaces or lines.marks else texts


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


def write_slash(element: Element) -> None:
    """The denominator of a fraction follows a slash, except at the beginning of a line."""
    previous = element.getprevious()
    if previous is None or previous.tag not in LINE_ENDS or (previous.tail or "").strip(BLANK):
        write_before(element, "/")


LINE_ENDS = frozenset(name for name in (*BREAKS, *OTHER_ELEMENTS) if SEPARATORS.get(name, OWN_LINE)[1] == LINE)
"""Elements after which a new line begins."""
CONTENT_RULES = {"pre": keep_lines, "mfrac": write_fraction, "over": write_slash}
"""Elements whose content is changed."""


def text_of(element: Element) -> str:
    """The complete text of an element, unchanged."""
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)


def mark_line_breaks(text: str, at_blank_lines: bool) -> str:
    """Replace the significant line breaks of a text."""
    return BLANK_LINE.sub(LINE, text) if at_blank_lines else text.replace("\n", LINE)


def normalize_lines(text: str, separator: str = "\n") -> str:
    """Normalize white space within lines and remove empty lines."""
    return clean("\n".join(filter(None, (" ".join(line.split()) for line in text.split(separator)))))


def clean_lines(lines: Lines) -> str:
    """Lines as text, cleaned if they contain anything to be removed."""
    return clean(lines.decode()) if lines.other_spaces or lines.marks else lines.decode()


def clean(text: str) -> str:
    """Remove other white space and the marks of databases from lines that are normalized in the sense of XML."""
    for space in SPACES:
        if space in text:
            text = join_with_spaces(text.split(space))
    if "<" in text and ANY_MARK.search(text) is not None:
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

    Paragraphs begin lines too, and the marks of tables (`<tb>`, `<sep>`) are spaces. The tree can be read only once.
    """
    if element is None:
        return ""
    return clean_lines(read_lines(element, separators_of(BREAKS), typed=True))
