"""PyTerrier: an antecede index as a retriever in pipelines, antecede's measures in experiments.

    import pyterrier as pt
    from antecede.adapters.pyterrier import PRES, qrels, retriever, topics

    tfidf = retriever("clefip.index", method="tfidf")
    pt.Experiment([tfidf, tfidf % 100], topics("topics/"), qrels("qrels.txt"), eval_metrics=[PRES @ 100, "recall_100"])

PyTerrier is loaded when `retriever` is called; `retrieval` works on frames without it. The measures come from the
adapter to ir_measures, which PyTerrier uses for evaluation.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.adapters.frames import to_pandas
from antecede.corpus import Collection
from antecede.engine import Engine, open_index
from antecede.errors import AntecedeError, UsageError
from antecede.patent import Patent
from antecede.search.engine import find_topic
from antecede.search.pipeline import Ranker
from antecede.search.results import title_of
from antecede.search.settings import SearchSettings, accept_settings
from antecede.trec import read_qrels

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from typing_extensions import Unpack

    from antecede.search.settings import GivenSettings

RESULT_COLUMNS = ("docno", "score", "rank")
"""The columns added by a retriever."""


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Retrieves documents for a frame of queries, one row per query with its `qid`.

    If the frame has a column `patent` (a Patent, a patent number in the index, or a file), the patent is the query: its
    terms are chosen by the plan's query method, and only documents before its date are retrieved, never itself.
    Otherwise the column `query` is a text.
    """

    index: Engine
    ranker: Ranker

    def __call__(self, queries: pd.DataFrame) -> pd.DataFrame:
        """The frame that PyTerrier expects: the columns of the queries, and docno, score and rank (starting at 0)."""
        import pandas as pd

        by = next((name for name in ("patent", "query") if name in queries.columns), None)
        if "qid" not in queries.columns or by is None:
            raise UsageError(
                f"queries need a qid, and a query or a patent; the columns are {', '.join(queries.columns)}"
            )
        parts = [self.retrieve(row, row[by], whole=by == "patent") for row in queries.to_dict("records")]
        rows = [row for part in parts for row in part]
        # A retriever determines the order: values of an earlier step in these columns are replaced.
        return pd.DataFrame(
            rows, columns=[*(name for name in queries.columns if name not in RESULT_COLUMNS), *RESULT_COLUMNS]
        )

    def retrieve(self, row: dict[str, Any], topic: Any, *, whole: bool) -> list[dict[str, Any]]:
        """The rows of one query. A topic that cannot be searched for is named in a warning, and the rest goes on."""
        try:
            if whole and not isinstance(topic, Patent):
                topic = find_topic(self.index, str(topic))
            ranking = self.ranker.rank(topic if whole else str(topic))
        except AntecedeError as error:
            if not whole:
                raise
            warnings.warn(f"topic {row['qid']}: {getattr(error, 'what', error)}", stacklevel=2)
            return []
        return [
            {**row, "docno": doc_id, "score": score, "rank": rank}
            for rank, (doc_id, score) in enumerate(zip(ranking.doc_ids, ranking.scores, strict=True))
        ]


@accept_settings
def retrieval(
    index: Engine | str | Path, settings: SearchSettings | None = None, **_given: Unpack[GivenSettings]
) -> Retrieval:
    """A function from a frame of queries to a frame of results; every setting of a search may be given."""
    opened = open_index(index) if isinstance(index, str | Path) else index
    return Retrieval(opened, Ranker(opened, settings))


@accept_settings
def retriever(
    index: Engine | str | Path, settings: SearchSettings | None = None, **_given: Unpack[GivenSettings]
) -> Any:
    """An index as a transformer of PyTerrier: `retriever("clefip.index", method="tfidf", k=1000) >> …`."""
    import pyterrier as pt

    work = retrieval(index, settings=settings)

    class AntecedeRetriever(pt.Transformer):  # type: ignore[misc]
        """Retrieves documents from an antecede index."""

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return work(inp)

        def __repr__(self) -> str:
            return f"antecede({work.index.name}, {work.ranker.settings.name})"

    return AntecedeRetriever()


def topics(given: str | Path | Iterable[Patent]) -> pd.DataFrame:
    """Patents as PyTerrier topics: qid, query (the title) and the patent itself."""
    import pandas as pd

    patents = Collection(given).patents() if isinstance(given, str | Path) else given
    rows = [(patent.doc_id, title_of(patent, patent.language), patent) for patent in patents]
    return pd.DataFrame(rows, columns=["qid", "query", "patent"])


def qrels(given: object) -> pd.DataFrame:
    """Qrels in any readable format as a PyTerrier frame: qid, docno, label."""
    frame = to_pandas(read_qrels(given))
    return frame.rename(columns={"topic_id": "qid", "doc_id": "docno", "relevance": "label"})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from antecede.adapters import ir_measures

    return getattr(ir_measures, name)
