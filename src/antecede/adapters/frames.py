"""Results as frames of polars and pandas.

The way in needs no adapter: `rank_table`, `read_run` and `read_qrels` take frames of both as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from antecede.errors import UsageError
from antecede.tables import Table

if TYPE_CHECKING:
    import pandas as pd


def to_polars(result: object, **how: Any) -> pl.DataFrame:
    """Any result as a frame: scores, ranks, runs, qrels and hits as numbers; whatever else has a table, as that.

    `how` goes to the result: `to_polars(scores, per_topic=True)`.
    """
    if isinstance(result, pl.DataFrame):
        return result
    if isinstance(result, Table):
        return table_frame(result)
    if hasattr(result, "to_polars"):
        frame: pl.DataFrame = result.to_polars(**how)
        return frame
    if hasattr(result, "hits"):
        return hits_frame(result)
    if hasattr(result, "table"):
        return to_polars(result.table(**how))
    raise UsageError(
        f"a {type(result).__name__} is no result with a table; give scores, a comparison, hits or the like"
    )


def to_pandas(result: object, **how: Any) -> pd.DataFrame:
    """Any result as a frame of pandas, which must be installed; pyarrow need not be."""
    import pandas as pd

    return pd.DataFrame(to_polars(result, **how).to_dict(as_series=False))


def table_frame(table: Table) -> pl.DataFrame:
    """A table, a column each; a column that has words among its numbers is one of words."""
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    return pl.DataFrame([as_series(name, list(values)) for name, values in zip(table.columns, columns, strict=True)])


def as_series(name: str, values: list[Any]) -> pl.Series:
    """A column of a table."""
    if any(isinstance(value, str) for value in values):
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    return pl.Series(name, values, strict=False)


def hits_frame(found: Any) -> pl.DataFrame:
    """The documents that a search found, a row each."""
    rows = [hit.to_dict() for hit in found.hits]
    names = {"rank": pl.Int64, "doc_id": pl.String, "score": pl.Float64, "title": pl.String, "date": pl.String}
    data = {name: pl.Series(name, [row[name] for row in rows], dtype=kind) for name, kind in names.items()}
    ipc = pl.Series("ipc", [", ".join(row["ipc"]) for row in rows], dtype=pl.String)
    return pl.DataFrame({"topic_id": pl.Series([found.topic] * len(rows), dtype=pl.String), **data, "ipc": ipc})
