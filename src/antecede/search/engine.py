"""Searching with a patent, a text or a query, and the patent that a user names."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, cast

from antecede.engine import Engine, Searchable, number_of, read_record
from antecede.engine import open_index as open_engine
from antecede.errors import InputError, advise, printable
from antecede.operations import Help
from antecede.ranges import PASSAGES
from antecede.search.pipeline import Ranker
from antecede.search.settings import accept_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Unpack

    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.search.results import SearchResult
    from antecede.search.settings import GivenSettings, SearchSettings


@accept_settings
def search_index(
    index: Engine,
    topic: Patent | Query | str | None = None,
    settings: SearchSettings | None = None,
    *,
    explain: Annotated[bool, Help("Show the contribution of each feature and term.")] = False,
    passages: int = 0,
    claims: Annotated[bool, Help("Show the best passage for each claim of the patent.")] = False,
    bibliography: bool = False,
    **_given: Unpack[GivenSettings],
) -> SearchResult:
    """Search an index with a patent, a query or a text, and return hits with their details.

    A patent and its family are never retrieved for itself, nor are documents marked as `relevant` or `irrelevant`.

    Args:
        index: The index, from `open_index`.
        topic: A patent, a query, or a text; without one, the documents that meet `where` are ranked by its words.
        settings: Search settings together; each may also be given as a keyword argument.
        explain: List the share of every term in the score, not only the largest.
        passages: The number of best matching passages to return per hit.
        claims: Return the best matching passage for each claim of the patent.
        bibliography: Return applicants, inventors, dates, classes and links of each hit.
    """
    PASSAGES.check(passages, "the number of passages")
    result = Ranker(index, settings).rank(topic)
    return result.show(explain=explain, passages=passages, claims=claims, bibliography=bibliography)


class Index(Engine, Protocol):
    """An opened index, in a folder or on a cluster, as a user has it."""

    def search(
        self,
        topic: Patent | Query | str | None = None,
        settings: SearchSettings | None = None,
        *,
        explain: bool = False,
        passages: int = 0,
        claims: bool = False,
        bibliography: bool = False,
        **_given: Unpack[GivenSettings],
    ) -> SearchResult:
        """Search it: `search_index`, which says what may be given."""

    def patent(self, name: str) -> Patent:
        """The complete patent, by name or number."""


def open_index(where: str | Path) -> Index:
    """Open an index for searching. This takes milliseconds; any number of processes may read while one writes.

    Args:
        where: The folder of the index, or its address on a cluster: `opensearch://host:9200/name`.
    """
    return cast("Index", open_engine(where))


def _show_settings() -> None:
    """Let `help()` and notebooks show, for `search` of an index, what `search_index` takes."""
    signature = inspect.signature(search_index)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method = signature.replace(parameters=[itself, *[*signature.parameters.values()][1:]])
    vars(Searchable.search)["__signature__"] = method


_show_settings()


def find_topic(
    index: Engine,
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
        number = number_of(index, name)
        if number is None:
            remedy = f"check the number, or search with {advise('the text', '--text')}"
            raise InputError("is neither a file nor a patent of the index", doc_id=name, remedy=remedy)
        return read_record(index, number)
    from antecede.corpus.collection import read_patents

    patent = read_patents(name, names, on_note)
    if isinstance(patent, list):
        raise InputError(
            f"holds {len(patent)} patents ({', '.join(printable(each.doc_id) for each in patent[:3])} …)",
            source="standard input" if name == "-" else name,
            remedy="choose one: antecede show FILE DOC_ID --json | antecede search INDEX -",
        )
    return patent
