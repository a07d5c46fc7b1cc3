"""PyTerrier: an index of ours as a retriever in its pipelines, our measures in its experiments.

    import pyterrier as pt
    from antecede.adapters.pyterrier import PRES, qrels, retriever, topics

    ours = retriever("clefip.index", method="tfidf")
    pt.Experiment([ours, ours % 100], topics("topics/"), qrels("qrels.txt"), eval_metrics=[PRES @ 100, "recall_100"])

PyTerrier is loaded when `retriever` is called, no sooner; `retrieve` works on frames without it. The measures come from
the adapter of ir_measures, which PyTerrier evaluates with.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError
from antecede.index import Index, open_index
from antecede.patent import Patent
from antecede.search import topic_from
from antecede.search.asking import about_text
from antecede.search.plan import Plan, Ranker
from antecede.search.searching import title_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

FOUND = ("docno", "score", "rank")
"""The columns that a retriever adds."""


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Retrieves for a frame of queries, a row each with its `qid`.

    Where the frame has a column `patent` (a Patent, a patent's number in the index, or a file), that is searched with:
    its terms by the plan's query method, only what came before it, never itself. Else the column `query` is a text.
    """

    index: Index
    ranker: Ranker

    def __call__(self, queries: pd.DataFrame) -> pd.DataFrame:
        """The frame that PyTerrier expects: the columns of the queries, and docno, score and rank (from 0)."""
        import pandas as pd

        by = next((name for name in ("patent", "query") if name in queries.columns), None)
        if "qid" not in queries.columns or by is None:
            raise UsageError(f"queries need a qid, and a query or a patent; columns are {', '.join(queries.columns)}")
        parts = [self.found(row, row[by], whole=by == "patent") for row in queries.to_dict("records")]
        rows = [row for part in parts for row in part]
        # A retriever decides the order: what an earlier step put into these columns is gone.
        return pd.DataFrame(rows, columns=[*(name for name in queries.columns if name not in FOUND), *FOUND])

    def found(self, row: dict[str, Any], about: Any, *, whole: bool) -> list[dict[str, Any]]:
        """The rows of one query."""
        doc_ids, scores = self.with_patent(row["qid"], about) if whole else self.with_text(str(about))
        return [
            {**row, "docno": doc_id, "score": score, "rank": rank}
            for rank, (doc_id, score) in enumerate(zip(doc_ids, scores, strict=True))
        ]

    def with_patent(self, qid: str, about: Any) -> tuple[tuple[str, ...], list[float]]:
        """Search with a whole patent. One that cannot be searched for is named in a warning, and the rest goes on."""
        patent = about if isinstance(about, Patent) else topic_from(self.index, str(about))
        answer = self.ranker.answer(patent)
        if answer.failed is not None:
            warnings.warn(f"topic {qid}: {answer.failed}", stacklevel=2)
        return answer.doc_ids, list(answer.scores)

    def with_text(self, text: str) -> tuple[tuple[str, ...], list[float]]:
        """Search with words."""
        query = about_text(self.index, text, self.ranker.plan.language).queries[0]
        hits = self.ranker.searcher.search(query, self.ranker.plan.k)
        return hits.doc_ids, hits.scores.tolist()


def retrieval(index: Index | str | Path, *, method: str | Iterable[str] | None = None, **plan: Any) -> Retrieval:
    """A function from a frame of queries to a frame of results; `plan` as in `antecede.search.plan.Plan`."""
    opened = index if isinstance(index, Index) else open_index(index)
    if method is not None:
        plan["methods"] = (method,) if isinstance(method, str) else tuple(method)
    return Retrieval(opened, Ranker(opened, Plan(**plan)))


def retriever(index: Index | str | Path, *, method: str | Iterable[str] | None = None, **plan: Any) -> Any:
    """An index as a transformer of PyTerrier: `retriever("clefip.index", method="tfidf", k=1000) >> …`."""
    import pyterrier as pt

    work = retrieval(index, method=method, **plan)

    class Antecede(pt.Transformer):  # type: ignore[misc]
        """Retrieves from an index of antecede."""

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return work(inp)

        def __repr__(self) -> str:
            return f"antecede({work.index.folder.name}, {work.ranker.plan.name})"

    return Antecede()


def topics(given: str | Path | Iterable[Patent]) -> pd.DataFrame:
    """Patents as topics of PyTerrier: qid, query (the title) and the patent itself."""
    import pandas as pd

    from antecede.corpus import Collection

    patents = Collection(given).patents() if isinstance(given, str | Path) else given
    rows = [(each.doc_id, title_of(each, each.language), each) for each in patents]
    return pd.DataFrame(rows, columns=["qid", "query", "patent"])


def qrels(given: object) -> pd.DataFrame:
    """Qrels that we can read, as PyTerrier wants them: qid, docno, label."""
    from antecede.adapters.frames import to_pandas
    from antecede.trec import read_qrels

    frame = to_pandas(read_qrels(given))
    return frame.rename(columns={"topic_id": "qid", "doc_id": "docno", "relevance": "label"})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from antecede.adapters import ir_measures

    return getattr(ir_measures, name)
