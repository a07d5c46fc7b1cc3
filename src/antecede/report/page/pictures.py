"""Pictures of the page: inline SVG with a caption.

There are two kinds. Figures (`report/figures/`) are drawn by matplotlib for paper, on a white background with fixed
colours; they are the same in files, notebooks and the report, and `embed_figure` makes them part of the page. Charts
(`page/charts.py`) exist only on the page: they use the colours of its style sheet, so that they follow its theme, and
its script redraws one of them when the reader chooses other runs. A chart that a paper could print is a figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from antecede.report.figures import render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
FONTS = re.compile(r"font-family: [^;]*;? ?")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
COORDINATES = ("d", "x", "y", "width", "height", "transform", "points")
"""Attributes that hold coordinates."""
POINTS_PER_REM = 9.6
"""A point of the figure relative to the page's font size: figures are shown a quarter larger than on paper."""


@dataclass(frozen=True)
class Picture:
    """A figure or chart of the page."""

    svg: str
    width: float
    """In rem."""
    caption: str
    wide: bool


def embed_figure(figure: Figure | bytes, name: str, caption: str) -> Picture:
    """A figure, or the SVG file of one, as part of the page, without what only a separate file needs.

    `name` must be unique on the page.
    """
    svg = figure if isinstance(figure, bytes) else render(figure, "svg")
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, huge_tree=True))
    for element in [*root.iter(etree.Comment, f"{SVG}metadata", f"{SVG}style")]:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    used = {one for element in root.iter() for one in find_references(element)}
    ids = {old: f"{name}-{place}" for place, old in enumerate(sorted(used))}
    remove_background(root)
    for element in root.iter():
        rewrite_attributes(element, ids)
    inches = float(root.get("width", "").removesuffix("pt")) / 72
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    root.set("role", "img")
    root.set("aria-label", caption)
    etree.cleanup_namespaces(root)
    text = NAMESPACES.sub("", etree.tostring(root, encoding="unicode"))
    return Picture(re.sub(r">\s+<", "><", text), round(inches * 72 / POINTS_PER_REM, 2), caption, inches > 5)


def remove_background(root: etree._Element) -> None:
    """Remove the white background of the figure and of each of its axes."""
    for group in root.iter(f"{SVG}g"):
        first = group.find(f"{SVG}g") if str(group.get("id", "")).startswith(("figure_", "axes_")) else None
        path = first.find(f"{SVG}path") if first is not None else None
        if first is not None and path is not None and path.get("style") == "fill: #ffffff":
            first.clear()


def find_references(element: etree._Element) -> list[str]:
    """The ids that an element refers to."""
    found = [one for value in element.attrib.values() for one in REFERENCE.findall(str(value))]
    link = element.get(LINK)
    return [*found, link.removeprefix("#")] if link else found


def rewrite_attributes(element: etree._Element, ids: dict[str, str]) -> None:
    """Rename ids and references to them, drop ids without references, and round coordinates."""
    old = str(element.attrib.pop("id", ""))
    if old in ids:
        element.set("id", ids[old])
    text = str(element.attrib.pop(LINK, ""))
    if text:
        element.set("href", f"#{ids[text[1:]]}" if text.startswith("#") else text)
    for key, value in element.attrib.items():
        text = REFERENCE.sub(lambda found: f"url(#{ids[found[1]]})", str(value))
        if key in COORDINATES:
            text = LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text)
            text = re.sub(r"\s+", " ", text).strip()
        element.set(key, FONTS.sub("", text) if key == "style" else text)
