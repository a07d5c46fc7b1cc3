"""Classification symbols as ST.36 marks them up: as one text, as a `<classification-symbol>`, or part by part."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.patent import codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element as Element

PARTS = ("section", "class", "subclass")
FIRST = re.compile(r"\d{8}[ACS ]?F")
"""In a symbol of fifty signs the position behind the version: `…20060101AFI…` is the first, `ALI` a later one."""


def in_order(elements: Iterable[Element]) -> tuple[str, ...]:
    """The codes of several elements, those marked as first before the others, each once."""
    return codes(symbol(each) for each in sorted(elements, key=lambda each: not is_first(each)))


def symbol(element: Element) -> str:
    """The symbol of one element as a text; empty where it holds none."""
    if (written := element.findtext("classification-symbol") or element.findtext("text")) is not None:
        return written
    subclass = "".join((element.findtext(part) or "").strip() for part in PARTS)
    group, subgroup = ((element.findtext(part) or "").strip() for part in ("main-group", "subgroup"))
    if subclass:
        return f"{subclass} {group}/{subgroup}" if group and subgroup else subclass
    return element.text or ""


def is_first(element: Element) -> bool:
    """Whether the office put a symbol before all others."""
    position = (element.findtext("symbol-position") or "").strip()
    return position.upper() == "F" or FIRST.search(element.findtext("text") or "") is not None
