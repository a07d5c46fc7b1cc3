"""The ranking of one topic in a batch, in a form that can be saved; or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, shown
from antecede.search.coverage import undated_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.search.pipeline import Ranker

HEAVIEST = 100
"""The number of terms of a query that an answer keeps."""


@dataclass(frozen=True)
class Answer:
    """The ranking of one topic in a batch, or the reason why there is none."""

    topic_id: str
    doc_ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    terms: int = 0
    """The number of terms in the queries of all methods."""
    unmatched: int = 0
    """Terms of the topic that occur in no other document."""
    cited: int = 0
    """Documents that are ranked first because the topic names them."""
    failed: str | None = None
    queries: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    """Method → term → weight: the 100 heaviest terms of each query, heaviest first."""
    milliseconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    """Processor time for building the queries and for searching."""
    feature_milliseconds: Mapping[str, float] = field(default_factory=dict, compare=False, hash=False)
    """Processor time by feature of a ranking by evidence; `pool` is the time for gathering the candidates."""
    certificate: Mapping[str, Any] | None = field(default=None, compare=False, hash=False)
    """On a cluster, how it is known that these are the best documents."""

    def to_dict(self) -> dict[str, Any]:
        """The answer in a JSON-compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, whole: dict[str, Any]) -> Answer:
        """The answer that `to_dict` wrote."""
        lists = {name: tuple(whole[name]) for name in ("doc_ids", "scores", "notes", "milliseconds")}
        return cls(**{**whole, **lists})


def answer_topic(ranker: Ranker, patent: Patent) -> Answer:
    """The ranking of a topic as an answer; an error becomes its reason, so that the other topics continue."""
    try:
        ranking = ranker.rank(patent)
    except AntecedeError as error:
        return Answer(patent.doc_id, failed=reason_of(error))
    covered = filter(None, (ranker.coverage(ranking.searched).note(), undated_note(ranker.index, ranking.filters)))
    queries = [query for query_set in ranking.query_sets for query in query_set.queries]
    several = len(ranking.languages) > 1
    return Answer(
        patent.doc_id,
        ranking.doc_ids,
        ranking.scores,
        (*ranking.ranking_notes, *(f"topic {shown(patent.doc_id)}: {note}" for note in covered)),
        terms=sum(map(len, queries)),
        unmatched=ranking.query_sets[0].unmatched,
        cited=sum(hits.cited for hits in ranking.languages),
        queries={name_query(query, several=several): heaviest_terms(query) for query in queries},
        milliseconds=ranking.milliseconds,
        feature_milliseconds=ranking.feature_milliseconds,
        certificate=ranking.certificate,
    )


def reason_of(error: AntecedeError) -> str:
    """Why a topic has no answer, without its name, so that equal reasons are counted together.

    A file of the index that is damaged is named, with what to do.
    """
    if isinstance(error, InputError) and error.source is not None:
        return str(error)
    return getattr(error, "what", str(error))


def name_query(query: Query, *, several: bool) -> str:
    """The name of a query among those of its topic: its method, and its language where there are several."""
    return f"{query.method} ({query.language})" if several else query.method


def heaviest_terms(query: Query) -> dict[str, float]:
    """The heaviest terms of a query with their weights, heaviest first."""
    return dict(islice(zip(query.terms, query.weights.tolist(), strict=True), HEAVIEST))
