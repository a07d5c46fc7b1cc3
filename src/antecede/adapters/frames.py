"""Results as polars and pandas frames.

Input needs no adapter: `rank_table`, `read_run` and `read_qrels` accept frames of both libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from antecede.comparison import Comparison
from antecede.errors import UsageError
from antecede.evaluation import Scores
from antecede.tables import FRAME_NAMES, Table

if TYPE_CHECKING:
    import pandas as pd


def to_polars(result: object, *, per_topic: bool = False) -> pl.DataFrame:
    """Any result as a polars frame: scores, ranks, runs, qrels and hits as data, other results as their table.

    With `per_topic`, scores have one row per run and topic instead of one row per run.
    """
    if isinstance(result, Scores):
        return result.to_polars(per_topic=per_topic)
    if per_topic:
        raise UsageError(f"a {type(result).__name__} has no rows per topic; only scores have them")
    if isinstance(result, pl.DataFrame):
        return result
    if isinstance(result, Table | Comparison):
        return frame_from_table(result if isinstance(result, Table) else result.with_p_values())
    if hasattr(result, "to_polars"):
        frame: pl.DataFrame = result.to_polars()
        return frame
    if hasattr(result, "hits"):
        return frame_from_hits(result)
    if hasattr(result, "table"):
        return to_polars(result.table())
    raise UsageError(
        f"a {type(result).__name__} is not a result with a table; give scores, a comparison, hits or similar"
    )


def to_pandas(result: object, *, per_topic: bool = False) -> pd.DataFrame:
    """Any result as a pandas frame, as `to_polars` does; pandas must be installed, pyarrow need not be."""
    import pandas as pd

    return pd.DataFrame(to_polars(result, per_topic=per_topic).to_dict(as_series=False))


def frame_from_table(table: Table) -> pl.DataFrame:
    """The columns of a table; a column with both text and numbers becomes text."""
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    names = [FRAME_NAMES.get(name, name) for name in table.columns]
    return pl.DataFrame([make_series(name, list(values)) for name, values in zip(names, columns, strict=True)])


def make_series(name: str, values: list[Any]) -> pl.Series:
    """One column of a table."""
    if any(isinstance(value, str) for value in values):
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    return pl.Series(name, values, strict=False)


def frame_from_hits(result: Any) -> pl.DataFrame:
    """The documents found by a search, one row per document."""
    rows = [hit.to_dict() for hit in result.hits]
    names = {"rank": pl.Int64, "doc_id": pl.String, "score": pl.Float64, "title": pl.String, "date": pl.String}
    data = {name: pl.Series(name, [row[name] for row in rows], dtype=kind) for name, kind in names.items()}
    ipc = pl.Series("ipc", [", ".join(row["ipc"]) for row in rows], dtype=pl.String)
    return pl.DataFrame({"topic_id": pl.Series([result.topic] * len(rows), dtype=pl.String), **data, "ipc": ipc})
