"""Judgements of a public test collection by its name in ir_datasets: `irds:antique/test`.

The package ir_datasets is loaded only for such a name; it downloads what it does not have yet.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown, suggest_names

if TYPE_CHECKING:
    import polars as pl

PREFIXES = ("irds:", "ir_datasets:")


def is_collection_name(given: object) -> bool:
    """Whether a text names a collection of ir_datasets, rather than a file."""
    return isinstance(given, str) and given.startswith(PREFIXES) and not Path(given).exists()


def open_collection(given: str) -> Any:
    """The collection of that name; refuse one that ir_datasets does not have."""
    name = given.partition(":")[2]
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"{shown(given)}: needs the package ir_datasets, which is not installed; pip install ir_datasets, or give "
            "the qrels as a file"
        ) from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        near = suggest_names(name, list(ir_datasets.registry))
        raise InputError(
            f"ir_datasets has no such collection{near}", source=shown(given), remedy="see https://ir-datasets.com"
        ) from None


def read_named_qrels(given: str) -> pl.DataFrame:
    """topic_id, doc_id and relevance of every judgement of a collection."""
    import polars as pl

    collection = open_collection(given)
    if not collection.has_qrels():
        raise InputError(
            "this collection has no judgements", source=shown(given), remedy="name one of its parts that has qrels"
        )
    try:
        rows = [(each.query_id, each.doc_id, int(each.relevance)) for each in collection.qrels_iter()]
    except Exception as error:  # noqa: BLE001 - a download or a parser of another package may fail in any way
        raise InputError(
            f"ir_datasets cannot load it ({shown(str(error) or type(error).__name__, 200)})",
            source=shown(given),
            remedy="check the network, or give the qrels as a file",
        ) from None
    if not rows:
        raise InputError("this collection has no judgements", source=shown(given))
    return pl.DataFrame(rows, schema={"topic_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}, orient="row")
