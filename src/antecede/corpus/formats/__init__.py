"""Formats of patent files, one file each: a format is a function with a docstring, and nothing else.

    @xml_format("marec", title="MAREC and CLEF-IP", roots=("patent-document",))
    def marec(root: Element, source: str) -> Patent: …

`roots` are the elements (local names) that are one document each; `containers` those that hold many.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.registry import Listing, Registry
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
_ROOTS: dict[str, Format] = {}
"""The format that each document element belongs to."""
_CONTAINERS: dict[str, Format] = {}
"""The format that each element holding many documents belongs to."""


def xml_format(
    name: str, *, title: str, roots: tuple[str, ...], containers: tuple[str, ...] = ()
) -> Callable[[Callable[..., Patent]], Callable[..., Patent]]:
    """Register a reader of an XML format: it turns the parsed root element of a document into a patent.

    A reader with a parameter `names` also gets what the user says about the fields.
    """

    def register(read: Callable[..., Patent]) -> Callable[..., Patent]:
        takes_names = "names" in inspect.signature(read).parameters

        def parse(raw: RawDocument, names: FieldNames) -> Patent:
            from antecede.corpus.safe_xml import parse_xml

            root = parse_xml(raw)
            return read(root, raw.source, names=names) if takes_names else read(root, raw.source)

        add(Format(name, title, parse, read, roots, containers))
        return read

    return register


def add(new: Format) -> None:
    """Register a format; two formats that claim the same element are an error."""
    for root in (*new.roots, *new.containers):
        known = _ROOTS.get(root) or _CONTAINERS.get(root)
        if known is not None and known.name != new.name:
            raise ValueError(f"formats {known.name} and {new.name} both claim the element {root}")
    FORMATS.add(new.name, new)
    _ROOTS.update(dict.fromkeys(new.roots, new))
    _CONTAINERS.update(dict.fromkeys(new.containers, new))


def by_root() -> Mapping[str, Format]:
    """The format that each document element belongs to."""
    FORMATS.load()
    return _ROOTS


def containers() -> frozenset[str]:
    """Elements that hold many documents."""
    FORMATS.load()
    return frozenset(_CONTAINERS)


# The formats as a table, a page of the manual and data

_MANUAL_HEAD = """# Formats

Generated from `src/antecede/corpus/formats/`.

A format is detected from content, never from a file name. Files, folders, archives (`.zip`, `.tar`) and compressed
files (`.gz`, `.bz2`, `.xz`, `.zst`) are read, including nested ones. See also [reading patents](patents.md), and
[`list formats`](verbs/list.md#antecede-list-formats), which inspects files.
"""


def _tabulate(entries: Sequence[Format]) -> Table:
    rows = tuple((entry.name, entry.title, " ".join(_elements(entry))) for entry in entries)
    note = (
        "Details of a format: antecede list formats NAME. What files contain: antecede list formats PATH. "
        "Detected from content, not from the name."
    )
    return Table(("format", "description", "document"), rows, notes=(note,))


def _elements(each: Format) -> list[str]:
    """The elements that are one document each, as they appear in a file; a brace for JSON, a row for a table."""
    return [root if root == "{" or " " in root else f"<{root}>" for root in each.roots]


def _explain(each: Format) -> str:
    containers = f"\ncontainers: {' '.join(f'<{name}>' for name in each.containers)}" if each.containers else ""
    return f"{each.doc}\n\ndocument: {' '.join(_elements(each))}{containers}"


def _write_section(each: Format) -> str:
    roots = ", ".join(f"`{element}`" for element in _elements(each))
    containers = ", ".join(f"`<{name}>`" for name in each.containers)
    identified = f"Document: {roots}." + (f" Containers: {containers}." if containers else "")
    return f"## {each.name}\n\n{each.doc}\n\n{identified}"


LISTING = Listing(
    registry=FORMATS,
    tabulate=_tabulate,
    usage=lambda each: f"{each.name}: {each.title}",
    explain=_explain,
    describe=lambda each: {
        "name": each.name,
        "title": each.title,
        "documents": list(each.roots),
        "containers": list(each.containers),
        "doc": each.doc,
    },
    manual_head=_MANUAL_HEAD,
    write_section=_write_section,
)
