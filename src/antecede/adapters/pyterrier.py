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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.adapters.frames import to_pandas
from antecede.corpus import Collection
from antecede.errors import UsageError
from antecede.index import Index, open_index
from antecede.patent import Patent
from antecede.search import topic_from
from antecede.search.asking import about_text
from antecede.search.plan import Plan, Ranker
from antecede.search.searching import title_of
from antecede.trec import read_qrels

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

RESULT_COLUMNS = ("docno", "score", "rank")
"""The columns added by a retriever."""


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Retrieves documents for a frame of queries, one row per query with its `qid`.

    If the frame has a column `patent` (a Patent, a patent number in the index, or a file), the patent is the query: its
    terms are chosen by the plan's query method, and only documents before its date are retrieved, never itself.
    Otherwise the column `query` is a text.
    """

    index: Index
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

    def retrieve(self, row: dict[str, Any], about: Any, *, whole: bool) -> list[dict[str, Any]]:
        """The rows of one query."""
        doc_ids, scores = self.search_patent(row["qid"], about) if whole else self.search_text(str(about))
        return [
            {**row, "docno": doc_id, "score": score, "rank": rank}
            for rank, (doc_id, score) in enumerate(zip(doc_ids, scores, strict=True))
        ]

    def search_patent(self, qid: str, about: Any) -> tuple[tuple[str, ...], list[float]]:
        """Search with a whole patent; a failure is a warning that names the topic, and the search continues."""
        patent = about if isinstance(about, Patent) else topic_from(self.index, str(about))
        answer = self.ranker.answer(patent)
        if answer.failed is not None:
            warnings.warn(f"topic {qid}: {answer.failed}", stacklevel=2)
        return answer.doc_ids, list(answer.scores)

    def search_text(self, text: str) -> tuple[tuple[str, ...], list[float]]:
        """Search with a text."""
        query = about_text(self.index, text, self.ranker.plan.language).queries[0]
        hits = self.ranker.searcher.search(query, self.ranker.plan.k)
        return hits.doc_ids, hits.scores.tolist()


def retrieval(
    index: Index | str | Path,
    *,
    method: str | Iterable[str] | None = None,
    k: int | None = None,
    plan: Plan | None = None,
) -> Retrieval:
    """A function from a frame of queries to a frame of results.

    `plan` holds all settings of the search (`antecede.Plan`); `method`, one or more query methods, and `k`, the number
    of documents per query, take precedence over it.
    """
    opened = index if isinstance(index, Index) else open_index(index)
    settings = plan or Plan()
    if method is not None:
        settings = replace(settings, methods=(method,) if isinstance(method, str) else tuple(method))
    if k is not None:
        settings = replace(settings, k=k)
    return Retrieval(opened, Ranker(opened, settings))


def retriever(
    index: Index | str | Path,
    *,
    method: str | Iterable[str] | None = None,
    k: int | None = None,
    plan: Plan | None = None,
) -> Any:
    """An index as a PyTerrier transformer: `retriever("clefip.index", method="tfidf", k=1000) >> …`.

    The parameters are those of `retrieval`.
    """
    import pyterrier as pt

    work = retrieval(index, method=method, k=k, plan=plan)

    class AntecedeRetriever(pt.Transformer):  # type: ignore[misc]
        """Retrieves documents from an antecede index."""

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return work(inp)

        def __repr__(self) -> str:
            return f"antecede({work.index.folder.name}, {work.ranker.plan.name})"

    return AntecedeRetriever()


def topics(given: str | Path | Iterable[Patent]) -> pd.DataFrame:
    """Patents as PyTerrier topics: qid, query (the title) and the patent itself."""
    import pandas as pd

    patents = Collection(given).patents() if isinstance(given, str | Path) else given
    rows = [(each.doc_id, title_of(each, each.language), each) for each in patents]
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
