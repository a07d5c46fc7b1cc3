"""The formats as a table, a manual page and data, generated from their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.corpus.formats import FORMATS
from antecede.registry import Listing
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.corpus.formats import Format

MANUAL_HEAD = """# Formats

Generated from the code by `make docs`; each format is documented in its own file in `src/antecede/corpus/formats/`.

A format is detected from content, never from a file name. Files, folders, archives (`.zip`, `.tar`) and compressed
files (`.gz`, `.bz2`, `.xz`, `.zst`) are read, including nested ones. The publications of one patent (A1, B1 …) are
merged into one document. What cannot be read is rejected with a reason, so that always read = patents + merged +
rejected. See also the verb [formats](verbs/formats.md), which inspects files, and [reading patents](patents.md).
"""


def tabulate(entries: Sequence[Format]) -> Table:
    """One row per format, with the elements that identify it."""
    rows = tuple((each.name, each.title, elements(each)) for each in entries)
    note = (
        "Details of a format: antecede formats NAME. What files contain: antecede formats PATH. "
        "Detected from content, not from the name."
    )
    return Table(("format", "description", "document"), rows, notes=(note,))


def elements(each: Format) -> str:
    """The elements that are one document each, as they appear in a file; a brace for JSON, a row for a table."""
    return " ".join(root if root == "{" or " " in root else f"<{root}>" for root in each.roots)


def explain(each: Format) -> str:
    """The documentation of a format, with the elements that identify it."""
    containers = f"\ncontainers: {' '.join(f'<{name}>' for name in each.containers)}" if each.containers else ""
    return f"{each.doc}\n\ndocument: {elements(each)}{containers}"


def describe(each: Format) -> dict[str, Any]:
    """A format in a JSON-compatible form."""
    return {
        "name": each.name,
        "title": each.title,
        "documents": list(each.roots),
        "containers": list(each.containers),
        "doc": each.doc,
    }


def write_section(each: Format) -> str:
    """A format as a section of the manual page."""
    roots = ", ".join(f"`{root}`" if root == "{" or " " in root else f"`<{root}>`" for root in each.roots)
    containers = ", ".join(f"`<{name}>`" for name in each.containers)
    identified = f"Document: {roots}." + (f" Containers: {containers}." if containers else "")
    return f"## {each.name}\n\n{each.title}.\n\n{each.doc}\n\n{identified}"


LISTING = Listing(
    registry=FORMATS,
    tabulate=tabulate,
    usage=lambda each: f"{each.name}: {each.title}",
    explain=explain,
    describe=describe,
    manual_head=MANUAL_HEAD,
    write_section=write_section,
)
