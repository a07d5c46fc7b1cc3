"""The embedded engine: an index on this machine that can be searched with a patent, a text or a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import InputError, shown
from antecede.opensearch.address import is_address, parse_address
from antecede.search.index_search import SearchableIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.index.index import Index
    from antecede.patent import Patent
    from antecede.search.cluster_engine import ClusterEngine


class EmbeddedEngine(SearchableIndex):
    """One state of an index, opened for searching. `open_index` creates one.

    Args:
        folder: The folder of the index.
        manifest: The manifest of the state to open.
    """


def open_index(where: str | Path) -> EmbeddedEngine | ClusterEngine:
    """Open an index for searching. This takes milliseconds; any number of processes may read while one writes.

    Args:
        where: The folder of the index, or its address on a cluster: `opensearch://host:9200/name`.
    """
    if is_address(where):
        from antecede.search.cluster_engine import ClusterEngine

        return ClusterEngine(parse_address(where))
    return EmbeddedEngine.open(where)


def find_topic(
    index: Index,
    name: str,
    *,
    names: Mapping[str, str] | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Patent:
    """The patent that a user names: a file, `-` for standard input, or a patent of the index.

    A file is one of the formats of collections, or the text of an application (text, PDF, DOCX). `names` is what a JSON
    source or a table calls our fields; `on_note` is called with notes on how the file was read.
    """
    if name != "-" and not Path(name).exists():
        found = index.find(name)
        if found is None:
            remedy = "check the number, or search with --text"
            raise InputError("is neither a file nor a patent of the index", doc_id=name, remedy=remedy)
        return found[0].store.record(found[1])
    from antecede.corpus.collection import read_patents

    patent = read_patents(name, names, on_note)
    if isinstance(patent, list):
        raise InputError(
            f"holds {len(patent)} patents ({', '.join(shown(each.doc_id) for each in patent[:3])} …)",
            source="standard input" if name == "-" else name,
            remedy="choose one: antecede show FILE DOC_ID --json | antecede search INDEX -",
        )
    return patent
