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
files (`.gz`, `.bz2`, `.xz`, `.zst`) are read, also nested. The publications of one patent (A1, B1 …) are merged into
one document. What cannot be read is rejected with its reason: read = patents + merged + rejected, always. See
[the verb](verbs/formats.md) that inspects files, and [how patents are read](patents.md).
"""


def tabulate(entries: Sequence[Format]) -> Table:
    """One row per format, with the elements that identify it."""
    rows = tuple((each.name, each.title, elements(each)) for each in entries)
    note = (
        "Details of a format: antecede formats NAME. What files hold: antecede formats PATH. "
        "Detected from content, not from the name."
    )
    return Table(("format", "what it is", "document"), rows, notes=(note,))


def elements(each: Format) -> str:
    """The elements that are one document each, as they appear in a file."""
    return " ".join(root if root == "{" else f"<{root}>" for root in each.roots)


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


LISTING = Listing(
    registry=FORMATS,
    tabulate=tabulate,
    usage=lambda each: f"{each.name}: {each.title}",
    explain=explain,
    describe=describe,
    manual_head=MANUAL_HEAD,
    write_section=lambda each: f"## {each.name}\n\n{each.title}\n\n{explain(each)}",
)
