"""How a topic is searched for, from its text to the list: the settings of a batch, and one topic carried through."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.errors import AntecedeError, UsageError, shown
from antecede.query.cited import cited_documents
from antecede.query.making import DEFAULT, QueryMaker, check
from antecede.query.methods import parse_method
from antecede.query.topic import read_fields
from antecede.ranges import BOOST, DOCUMENTS
from antecede.search.across_languages import across_languages
from antecede.search.asking import ALL, searchable
from antecede.search.cited_first import cited_first
from antecede.search.coverage import coverage
from antecede.search.fusion import check as check_fusion
from antecede.search.fusion import fuse
from antecede.search.ipc_boost import ipc_boost
from antecede.search.prior_art import AUTO, day_of, prior_art
from antecede.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.query.making import Made, Weighing
    from antecede.search.hits import Hits

HEAVIEST = 100
"""Terms of a query that an answer carries."""


@dataclass(frozen=True)
class Plan:
    """The settings of a search for many topics."""

    methods: tuple[str, ...] = (DEFAULT,)
    """Query methods; of several the rankings are fused."""
    terms: int | None = None
    fields: str = "description"
    weights: Weighing | None = None
    language: str | None = None
    model: str = "bm25"
    k: int = 1000
    before: str = AUTO
    """`auto`: before each topic's priority; `off`; or a day."""
    fusion: str = "rrf"
    ipc_boost: float = 0.0
    cited: bool = False
    """Whether documents that a topic names in its text are put in front."""

    def checked(self) -> Plan:
        """The plan; what is wrong with it is said before any work is done."""
        if not self.methods:
            raise UsageError("no query method is named; `antecede methods` lists them")
        for method in self.methods:
            check(self.terms, self.weights or parse_method(method).definition.weights)
        read_fields(self.fields)
        check_fusion(self.fusion)
        if self.before != AUTO:
            day_of(self.before)
        BOOST.check(self.ipc_boost, "the IPC boost")
        DOCUMENTS.check(self.k, "k")
        return self

    @property
    def name(self) -> str:
        """What the run is called."""
        joined = "+".join(str(parse_method(method)) for method in self.methods)
        return "".join(sign if sign.isalnum() or sign in "+-_.=" else "-" for sign in joined).strip("-")


@dataclass(frozen=True)
class Answer:
    """What a topic gave: its ranking, or the reason why there is none."""

    topic_id: str
    doc_ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    terms: int = 0
    """Terms searched with, by all methods together."""
    unmatched: int = 0
    """Terms of the topic that no other document has."""
    cited: int = 0
    """Documents that stand in front because the topic names them."""
    failed: str | None = None
    queries: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    """Method → term → weight: what was searched with, the 100 heaviest terms of each method, heaviest first."""
    milliseconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    """Processor time that making the queries took, and searching with them."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON knows it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, whole: dict[str, Any]) -> Answer:
        """The answer that `to_dict` gave."""
        lists = {name: tuple(whole[name]) for name in ("doc_ids", "scores", "notes", "milliseconds")}
        return cls(**{**whole, **lists})


class Ranker:
    """Carries topics through a plan, from as many threads as you like."""

    def __init__(self, index: Index, plan: Plan) -> None:
        self.index, self.plan = index, plan.checked()
        self.searcher = Searcher(index, plan.model)
        self.maker = QueryMaker(index, self.searcher)
        self.methods = [parse_method(method) for method in plan.methods]
        self.coverage = lru_cache(maxsize=64)(lambda languages: coverage(index, languages))

    def answer(self, patent: Patent) -> Answer:
        """The ranking of one topic; an error becomes its reason, for the others go on."""
        try:
            return self.ranked(patent)
        except AntecedeError as error:
            return Answer(patent.doc_id, failed=getattr(error, "what", str(error)))

    def ranked(self, patent: Patent) -> Answer:
        """The ranking of one topic, in its own language or in all that it has."""
        languages: tuple[str | None, ...] = (self.plan.language,)
        if self.plan.language == ALL:
            languages = searchable(patent, self.index)
        found = [self.in_language(patent, each) for each in languages]
        places = across_languages([each.hits for each in found], self.plan.k)
        made = [each for ranking in found for each in ranking.made]
        making, searching = (sum(each.milliseconds[step] for each in found) for step in (0, 1))
        return Answer(
            patent.doc_id,
            tuple(found[each.ranking].hits.doc_ids[each.rank - 1] for each in places),
            tuple(each.score for each in places),
            (*notes_of(made), *self.unsearched(patent, made)),
            terms=sum(len(each.query) for each in made),
            unmatched=made[0].unmatched,
            cited=sum(each.cited for each in found),
            queries={name_of(each.query, found): heaviest_terms(each.query) for each in made},
            milliseconds=(making, searching),
        )

    def unsearched(self, patent: Patent, made: list[Made]) -> Iterator[str]:
        """A note where documents of the index have no text in a language that the topic was searched for in."""
        note = self.coverage(tuple(dict.fromkeys(each.query.language for each in made))).note()
        if note:
            yield f"topic {shown(patent.doc_id)}: {note}"

    def in_language(self, patent: Patent, language: str | None) -> Ranked:
        """The ranking of one topic in a language."""
        plan, begun = self.plan, time.thread_time()
        filters = prior_art(patent, plan.before)
        topic = self.maker.topic(patent, plan.fields, language)
        made = [
            self.maker.make(topic, method, terms=plan.terms, weights=plan.weights, filters=filters)
            for method in self.methods
        ]
        searched = time.thread_time()
        rankings = [self.searcher.search(each.query, plan.k, filters) for each in made]
        hits = fuse(plan.fusion, rankings, plan.k) if len(rankings) > 1 else rankings[0]
        hits = ipc_boost(hits, patent.ipc, plan.ipc_boost)
        cited = 0
        if plan.cited:
            named = cited_documents(patent, self.index)
            hits, cited = cited_first(hits, named, self.index, topic.language, filters)
        return Ranked(hits, made, cited, (1000 * (searched - begun), 1000 * (time.thread_time() - searched)))


class Ranked(NamedTuple):
    """What a topic found in one language."""

    hits: Hits
    made: list[Made]
    cited: int
    milliseconds: tuple[float, float]


def name_of(query: Query, found: list[Ranked]) -> str:
    """What a query is called among those of its topic: by its method, and its language where there are several."""
    return query.method if len(found) == 1 else f"{query.method} ({query.language})"


def heaviest_terms(query: Query) -> dict[str, float]:
    """The heaviest terms of a query with their weights; it has them in this order."""
    return dict(islice(zip(query.terms, query.weights.tolist(), strict=True), HEAVIEST))


def notes_of(made: list[Made]) -> tuple[str, ...]:
    """What was said on the way, each once."""
    return tuple(dict.fromkeys(note for each in made for note in each.notes))
