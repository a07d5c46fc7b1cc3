"""The formats as a list to read, made from their definitions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from antecede.corpus.formats import formats
from antecede.listing import Listing
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.corpus.formats import Format

MANUAL_HEAD = """# Formats

Made from the code by `make docs`; a format's documentation stands in its own file in `src/antecede/corpus/formats/`.

A format is told by content, never by name. Files, folders, archives (`.zip`, `.tar`) and packed files (`.gz`, `.bz2`,
`.xz`, `.zst`) are read, also one in the other. Documents of one patent (A1, B1 …) are merged into one. What cannot be
read is rejected with its reason: read = patents + merged + rejected, always. See [the verb](verbs/formats.md) that
looks into files, and [how patents are read](patents.md).
"""


def table(entries: Sequence[Format]) -> Table:
    """What each format is, and by which element it is known."""
    rows = tuple((each.name, each.title, elements(each)) for each in entries)
    note = (
        "A format in full: antecede formats NAME. What files hold: antecede formats PATH. Told by content, not by name."
    )
    return Table(("format", "what it is", "document"), rows, notes=(note,))


def elements(each: Format) -> str:
    """The elements that are one document each, as they stand in a file."""
    return " ".join(root if root == "{" else f"<{root}>" for root in each.roots)


def in_full(each: Format) -> str:
    """What a reader says of its format, with the elements it is known by."""
    held = f"\nheld in: {' '.join(f'<{name}>' for name in each.containers)}" if each.containers else ""
    return f"{inspect.cleandoc(each.doc)}\n\ndocument: {elements(each)}{held}"


def data(each: Format) -> dict[str, Any]:
    """A format as JSON knows it."""
    return {
        "name": each.name,
        "title": each.title,
        "documents": list(each.roots),
        "containers": list(each.containers),
        "doc": inspect.cleandoc(each.doc),
    }


LISTING = Listing(
    registered=formats,
    called=lambda name: formats()[name],
    table=table,
    usage=lambda each: f"{each.name}: {each.title}",
    in_full=in_full,
    data=data,
    manual_head=MANUAL_HEAD,
    manual_section=lambda each: f"## {each.name}\n\n{each.title}\n\n{in_full(each)}",
)
