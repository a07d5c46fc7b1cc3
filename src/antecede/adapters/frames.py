"""Results as polars and pandas frames.

Input needs no adapter: `rank_table`, `read_run` and `read_qrels` accept frames of both libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from antecede.errors import UsageError
from antecede.evaluation import Scores
from antecede.results import make_pandas

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
    if hasattr(result, "hits"):
        return frame_from_hits(result)
    if hasattr(result, "to_polars"):
        frame: pl.DataFrame = result.to_polars()
        return frame
    if hasattr(result, "table"):
        return to_polars(result.table())
    raise UsageError(
        f"a {type(result).__name__} is not a result with a table; give scores, a comparison, hits or similar"
    )


def to_pandas(result: object, *, per_topic: bool = False) -> pd.DataFrame:
    """Any result as a pandas frame, as `to_polars` does; pandas must be installed, pyarrow need not be."""
    return make_pandas(to_polars(result, per_topic=per_topic).to_dict(as_series=False))


def frame_from_hits(result: Any) -> pl.DataFrame:
    """The documents found by a search, one row per document."""
    rows = [hit.to_dict() for hit in result.hits]
    names = {"rank": pl.Int64, "doc_id": pl.String, "score": pl.Float64, "title": pl.String, "date": pl.String}
    data = {name: pl.Series(name, [row[name] for row in rows], dtype=kind) for name, kind in names.items()}
    ipc = pl.Series("ipc", [", ".join(row["ipc"]) for row in rows], dtype=pl.String)
    return pl.DataFrame({"topic_id": pl.Series([result.topic] * len(rows), dtype=pl.String), **data, "ipc": ipc})
