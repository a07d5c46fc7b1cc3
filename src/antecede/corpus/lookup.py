"""One patent of a collection, or the list of patents to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.applications import is_application, read_application
from antecede.corpus.collection import Collection
from antecede.corpus.detection import PLAIN_TEXT
from antecede.corpus.merge import Merger, identity
from antecede.errors import InputError, shown
from antecede.patent import Patent, PatentNumber
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_NAMED = 5
"""Patents listed in a message."""


def find_patent(collection: Collection, doc_id: str) -> Patent:
    """The patent with this doc_id, else with this number in any customary form, merged from all its documents."""
    number = PatentNumber.parse_name(doc_id)
    named: dict[str, Merger] = {}
    exact: set[str] = set()
    for document in collection.documents():
        known = document.known_number
        if document.doc_id == doc_id or (known is not None and number is not None and known.key == number.key):
            named.setdefault(identity(document), Merger()).add(document)
            exact |= {identity(document)} if document.doc_id == doc_id else set()
    found = [merger.patent() for key, merger in named.items() if not exact or key in exact]
    if not found:
        raise InputError("not found", source=source_of(collection), doc_id=doc_id, remedy="omit the name to list all")
    if len(found) > 1:
        names = ", ".join(shown(each.doc_id) for each in found[:MOST_NAMED]) + (" …" if len(found) > MOST_NAMED else "")
        reason = f"is the name of {len(found)} patents" if exact else f"is the number of {len(found)} patents: {names}"
        remedy = "rename all but one" if exact else "name one of these"
        raise InputError(reason, source=source_of(collection), doc_id=doc_id, remedy=remedy)
    return found[0]


def read_patents(
    path: str,
    names: Mapping[str, str] | None = None,
    on_note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Patent | list[Patent]:
    """The patent in a file, folder or archive, or the application that a text, PDF or DOCX file is.

    Of several patents one record each, without long texts, to choose from.
    """
    if path != "-" and is_application(path):
        return read_application(path, on_note)
    return only_patent(Collection(path, names=names, on_note=on_note, progress=progress))


def only_patent(collection: Collection) -> Patent | list[Patent]:
    """The patent, if all documents belong to one; else one record per patent, without long texts, to choose from."""
    whole: Merger | None = Merger()
    groups: dict[str, Merger] = {}
    for document in collection.documents():
        groups.setdefault(identity(document), Merger()).add(strip_texts(document))
        if len(groups) > 1:  # more than one patent: from here on only what a list shows is needed
            whole = None
        elif whole is not None:
            whole.add(document)
    if not groups:
        reason = next(iter(collection.ledger.reasons), "contains no document")
        text = reason == PLAIN_TEXT and [*map(str, collection.paths)] == ["-"]
        remedy = "search --text - reads a text" if text else "`antecede formats` lists what can be read"
        raise InputError(reason, source=source_of(collection), remedy=remedy)
    return [merger.patent() for merger in groups.values()] if whole is None else whole.patent()


def strip_texts(patent: Patent) -> Patent:
    """The fields of a patent that a list shows."""
    return Patent(
        patent.doc_id,
        patent.number,
        patent.kinds,
        patent.language,
        patent.title,
        ipc=patent.ipc[:1],
        publication_date=patent.publication_date,
        source=patent.source,
    )


def tabulate_patents(patents: Sequence[Patent]) -> Table:
    """One row per patent: name, kinds, date, first class, title."""
    rows = tuple(
        (
            each.doc_id,
            " ".join(each.kinds) or None,
            str(each.publication_date) if each.publication_date else None,
            each.ipc[0] if each.ipc else None,
            each.title.get(each.language) or next(iter(each.title.values()), None),
        )
        for each in patents
    )
    note = f"{len(patents)} patents; name one to see it"
    return Table(("patent", "kinds", "published", "IPC", "title"), rows, notes=(note,))


def source_of(collection: Collection) -> str:
    """The paths of a collection, for a message."""
    return shown(" ".join(str(path) for path in collection.paths), 200)
