"""The registry of formats: a format is a function with a docstring in a file of this folder, and nothing else.

    @xml_format("marec", title="MAREC and CLEF-IP", roots=("patent-document",))
    def marec(root: Element, source: str) -> Patent: …

`roots` are the elements (local names) that are one document each; `containers` those that hold many.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lxml.etree import _Element as Element

    from antecede.corpus.document import RawDocument
    from antecede.patent import Patent

    FieldNames = Mapping[str, str]


@dataclass(frozen=True)
class Format:
    """One file format of patents."""

    name: str
    title: str
    parse: Callable[[RawDocument, FieldNames], Patent]
    """Reads one document or raises `DocumentError`. The second argument maps our field names to those of the source;
    only formats without field names of their own use it."""
    function: Callable[..., Any]
    """The reader, whose docstring documents the format."""
    roots: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()

    @property
    def doc(self) -> str:
        """What the format is and where it comes from."""
        return inspect.getdoc(self.function) or ""


FORMATS: Registry[Format] = Registry("format", package=__package__ or "", group="antecede.formats")
ROOTS: dict[str, Format] = {}
"""The format that each document element belongs to."""
CONTAINERS: dict[str, Format] = {}
"""The format that each element holding many documents belongs to."""


def xml_format(
    name: str, *, title: str, roots: tuple[str, ...], containers: tuple[str, ...] = ()
) -> Callable[[Callable[[Element, str], Patent]], Callable[[Element, str], Patent]]:
    """Register a reader of an XML format: it turns the parsed root element of a document into a patent."""

    def register(read: Callable[[Element, str], Patent]) -> Callable[[Element, str], Patent]:
        def parse(raw: RawDocument, _: FieldNames) -> Patent:
            from antecede.corpus.xml.safe_xml import parse_xml

            return read(parse_xml(raw), raw.source)

        add(Format(name, title, parse, read, roots, containers))
        return read

    return register


def add(new: Format) -> None:
    """Register a format; two formats that claim the same element are an error."""
    for root in (*new.roots, *new.containers):
        known = ROOTS.get(root) or CONTAINERS.get(root)
        if known is not None and known.name != new.name:
            raise ValueError(f"formats {known.name} and {new.name} both claim the element {root}")
    FORMATS.add(new.name, new)
    ROOTS.update(dict.fromkeys(new.roots, new))
    CONTAINERS.update(dict.fromkeys(new.containers, new))


def by_root() -> Mapping[str, Format]:
    """The format that each document element belongs to."""
    FORMATS.load()
    return ROOTS


def containers() -> frozenset[str]:
    """Elements that hold many documents."""
    FORMATS.load()
    return frozenset(CONTAINERS)
