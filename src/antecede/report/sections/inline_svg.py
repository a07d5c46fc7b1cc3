"""Figures inside the page: without what only a file of its own needs, and with ids that no other figure has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from antecede.report.drawing.saving import rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
FONTS = re.compile(r"font-family: [^;]*;? ?")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
DRAWN = ("d", "x", "y", "width", "height", "transform", "points")
"""Attributes that hold places."""
POINTS_PER_REM = 9.6
"""A point of the figure as a share of the page's type: figures are drawn for paper, and shown a fourth larger."""


@dataclass(frozen=True)
class Picture:
    """A figure as it stands in the page."""

    svg: str
    width: float
    """In sizes of the page's type."""
    caption: str
    wide: bool


def picture(figure: Figure, name: str, caption: str) -> Picture:
    """A figure under a name that is unique on the page."""
    root = etree.fromstring(rendered(figure, "svg"), etree.XMLParser(resolve_entities=False, huge_tree=True))
    for element in [*root.iter(etree.Comment, f"{SVG}metadata", f"{SVG}style")]:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    used = {one for element in root.iter() for one in references(element)}
    number = {old: f"{name}-{place}" for place, old in enumerate(sorted(used))}
    take_off_paper(root)
    for element in root.iter():
        rewrite(element, number)
    inches = figure.get_figwidth()
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    root.set("role", "img")
    root.set("aria-label", caption)
    etree.cleanup_namespaces(root)
    text = NAMESPACES.sub("", etree.tostring(root, encoding="unicode"))
    return Picture(re.sub(r">\s+<", "><", text), round(inches * 72 / POINTS_PER_REM, 2), caption, inches > 5)


def take_off_paper(root: etree._Element) -> None:
    """Remove the white behind the figure and behind each of its axes: the page is the paper."""
    for group in root.iter(f"{SVG}g"):
        first = group.find(f"{SVG}g") if str(group.get("id", "")).startswith(("figure_", "axes_")) else None
        path = first.find(f"{SVG}path") if first is not None else None
        if first is not None and path is not None and path.get("style") == "fill: #ffffff":
            first.clear()


def references(element: etree._Element) -> list[str]:
    """The ids that an element points to."""
    found = [one for value in element.attrib.values() for one in REFERENCE.findall(str(value))]
    link = element.get(LINK)
    return [*found, link.removeprefix("#")] if link else found


def rewrite(element: etree._Element, number: dict[str, str]) -> None:
    """Rename ids and what points to them, drop those nobody points to, and shorten numbers."""
    old = str(element.attrib.pop("id", ""))
    if old in number:
        element.set("id", number[old])
    text = str(element.attrib.pop(LINK, ""))
    if text:
        element.set("href", f"#{number[text[1:]]}" if text.startswith("#") else text)
    for key, value in element.attrib.items():
        text = REFERENCE.sub(lambda found: f"url(#{number[found[1]]})", str(value))
        if key in DRAWN:
            text = LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text)
            text = re.sub(r"\s+", " ", text).strip()
        element.set(key, FONTS.sub("", text) if key == "style" else text)
