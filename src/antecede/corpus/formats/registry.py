"""The register of formats: a format is a function with a docstring in a file of this folder, and nothing else.

    @xml_format("marec", title="MAREC and CLEF-IP", roots=("patent-document",))
    def marec(root: Element, source: str) -> Patent: …

`roots` are the elements (local names) that are one document each; `containers` those that hold many.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lxml.etree import _Element as Element

    from antecede.corpus.document import RawDocument
    from antecede.patent import Patent

    FieldNames = Mapping[str, str]


@dataclass(frozen=True)
class Format:
    """One way in which patents come in files."""

    name: str
    title: str
    parse: Callable[[RawDocument, FieldNames], Patent]
    """Reads one document; raises `DocumentError` where it cannot. Only formats without names of their own heed the
    second argument, which says what a source calls our fields."""
    doc: str
    """What it is and where it comes from: the docstring of the reader."""
    roots: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()


REGISTERED: dict[str, Format] = {}


def xml_format(
    name: str, *, title: str, roots: tuple[str, ...], containers: tuple[str, ...] = ()
) -> Callable[[Callable[[Element, str], Patent]], Callable[[Element, str], Patent]]:
    """Register a reader of an XML format: it gets the parsed root element and says which patent it holds."""

    def register(read: Callable[[Element, str], Patent]) -> Callable[[Element, str], Patent]:
        def parse(raw: RawDocument, _: FieldNames) -> Patent:
            from antecede.corpus.xml.safe_xml import parse_xml

            return read(parse_xml(raw), raw.source)

        add(Format(name, title, parse, (read.__doc__ or "").strip(), roots, containers))
        return read

    return register


def add(new: Format) -> None:
    """Register a format; two of one name, or with one root, are a mistake in the source."""
    taken = {root: each.name for each in REGISTERED.values() for root in (*each.roots, *each.containers)}
    for root in (*new.roots, *new.containers):
        if root in taken:
            raise ValueError(f"formats {taken[root]} and {new.name} both claim the element {root}")
    if new.name in REGISTERED:
        raise ValueError(f"two formats are called {new.name}")
    REGISTERED[new.name] = new


@cache
def formats() -> Mapping[str, Format]:
    """Every format by its name; loads each file of this folder once."""
    from antecede.corpus import formats as folder

    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    return dict(sorted(REGISTERED.items()))


@cache
def by_root() -> Mapping[str, Format]:
    """The format that each document element belongs to."""
    return {root: each for each in formats().values() for root in each.roots}


@cache
def containers() -> frozenset[str]:
    """Elements that hold many documents."""
    return frozenset(root for each in formats().values() for root in each.containers)
