"""Simulated reviews: judged topics are read as a reviewer would read them, and every stopping rule is asked.

    ranking × feedback × stopping rule → documents read, recall, reliability, cost

A topic is read in batches (1 document, then a tenth more each time) until every relevant document is found and every
rule has stopped. After each batch the rules are asked; active learning re-ranks what is unread.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.arrays import finite_or_none
from antecede.comparison.effect_sizes import bootstrap
from antecede.comparison.significance import t as t_test
from antecede.comparison.significance import wilcoxon
from antecede.errors import UsageError, shown
from antecede.measures.effort import required_count
from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.batches import batch_end
from antecede.review.reading import Reading
from antecede.review.stopping import DEFAULT_TARGET, StoppingRule, parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.review.active_learning import ActiveLearner

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

LEVELS = (80, 95, 100)
"""Percentages of recall for which the effort is reported."""
FIRST_PAGE = 10
"""Documents that are read before one-shot feedback."""
STATIC, ONE_SHOT, ACTIVE = "static", "one-shot", "active"


@dataclass(frozen=True, eq=False)
class ReviewTopic:
    """A judged topic to be read."""

    __repr__ = concise_repr

    topic_id: str
    order: Ints
    """The documents that can be read, as rows of a collection, in the order of the first ranking."""
    relevant: Bools
    """Which of them are relevant, in the same order."""
    missing: int = 0
    """Relevant documents that cannot be read, since the ranking does not have them."""
    scores: Floats | None = None
    """The scores of the first ranking."""
    learner: Callable[[], ActiveLearner] | None = None
    """Makes the learner for active learning; None where there are no vectors."""
    rerank: Callable[[Ints, Ints], Ints] | None = None
    """The rows of another ranking, given those that are relevant and those that are not; for one-shot feedback."""

    @property
    def total(self) -> int:
        """The number of relevant documents."""
        return int(self.relevant.sum()) + self.missing


Batch = tuple["Ints", "Floats"]
"""The positions in `order` of the documents of a batch, and their scores."""


def read_static(topic: ReviewTopic) -> Iterator[Batch]:
    """Read in the order of the first ranking."""
    yield from in_batches(np.arange(len(topic.order)), topic.scores)


def read_one_shot(topic: ReviewTopic) -> Iterator[Batch]:
    """Read the first page, change the query once by Rocchio's feedback, and read on in the new order.

    Where nothing on the first page is relevant, the order does not change.
    """
    if topic.rerank is None:
        raise UsageError("one-shot feedback searches again; give an index")
    whole = np.arange(len(topic.order))
    first = whole[:FIRST_PAGE]
    good, bad = first[topic.relevant[first]], first[~topic.relevant[first]]
    if len(good):
        places = np.full(int(topic.order.max(initial=-1)) + 1, -1)
        places[topic.order] = whole
        found = topic.rerank(topic.order[good], topic.order[bad])
        then = places[found[found < len(places)]]
        then = then[then >= FIRST_PAGE]
        left = np.ones(len(whole), np.bool_)
        left[first] = left[then] = False
        whole = np.concatenate((first, then, whole[left]))
    yield from in_batches(whole, None)


def read_active(topic: ReviewTopic) -> Iterator[Batch]:
    """Read batches that active learning chooses."""
    if topic.learner is None:
        raise UsageError("active learning compares documents by their vectors; give an index")
    learner = topic.learner()
    places = np.full(int(topic.order.max(initial=-1)) + 1, -1)
    places[topic.order] = np.arange(len(topic.order))
    good, bad = np.zeros(0, np.int64), np.zeros(0, np.int64)
    read = 0
    while read < len(topic.order):
        order, scores = learner.rank_rows(good, bad)
        size = batch_end(read) - read
        batch = places[order[:size]]
        yield batch, scores[:size]
        read += len(batch)
        hit = topic.relevant[batch]
        good = np.concatenate((good, topic.order[batch[hit]]))
        bad = np.concatenate((bad, topic.order[batch[~hit]]))


FEEDBACK: dict[str, Callable[[ReviewTopic], Iterator[Batch]]] = {
    STATIC: read_static,
    ONE_SHOT: read_one_shot,
    ACTIVE: read_active,
}
"""How the order of reading depends on what was found."""


def in_batches(order: Ints, scores: Floats | None) -> Iterator[Batch]:
    """An order that is known beforehand, in batches."""
    read = 0
    while read < len(order):
        batch = order[read : batch_end(read)]
        yield batch, np.full(len(batch), np.nan) if scores is None else scores[batch]
        read += len(batch)


@dataclass(frozen=True)
class Stop:
    """Where a rule stopped on a topic."""

    read: int
    found: int
    reason: str


@dataclass(frozen=True, eq=False)
class TopicReading:
    """One topic, read with one kind of feedback."""

    finds: Ints
    """The positions in reading order of the relevant documents, from 1; those that cannot be read are left out."""
    stops: Mapping[str, Stop]
    """Where each rule stopped."""


def read_topic(
    topic: ReviewTopic,
    feedback: str,
    rules: Mapping[str, StoppingRule],
    target: float = DEFAULT_TARGET,
    audit: Ints | None = None,
) -> TopicReading:
    """Read a topic until every relevant document is found and every rule has stopped.

    Args:
        topic: The topic.
        feedback: One of `FEEDBACK`.
        rules: The stopping rules by name.
        target: The recall that the rules aim at.
        audit: The positions of a random sample that is read before the ranking, for rules that need one.
    """
    size = len(topic.order)
    log = ReadingLog(topic, np.zeros(0, np.int64) if audit is None else audit)
    stops: dict[str, Stop] = {}
    wanted = int(topic.relevant.sum())
    for batch, scores in FEEDBACK[feedback](topic):
        log.add(batch, scores)
        for name, rule in rules.items():
            if name not in stops:
                reading = log.reading(with_audit=rule.definition.needs == "audited")
                decision = rule.decide(reading, target)
                if decision.stop:
                    stops[name] = Stop(reading.read, reading.found, decision.reason)
        if log.found >= wanted and len(stops) == len(rules):
            break
    for name in rules:  # the ranking ends before a rule is content
        stops.setdefault(name, Stop(size, wanted, "the ranking is read to its end"))
    return TopicReading(np.flatnonzero(np.concatenate([np.zeros(0, np.bool_), *log.flags])) + 1, stops)


class ReadingLog:
    """What was read of a topic so far, as the estimators and rules see it."""

    def __init__(self, topic: ReviewTopic, audit: Ints) -> None:
        self.topic, self.audit = topic, audit
        self.positions: list[Ints] = []
        self.flags: list[Bools] = []
        self.scores: list[Floats] = []
        self.found = 0

    def add(self, batch: Ints, scores: Floats) -> None:
        """Append a batch."""
        self.positions.append(batch)
        self.flags.append(self.topic.relevant[batch])
        self.scores.append(scores)
        self.found += int(self.flags[-1].sum())

    def reading(self, *, with_audit: bool) -> Reading:
        """The reading so far; with the random sample, documents of it count once."""
        flags, scores = np.concatenate(self.flags), np.concatenate(self.scores)
        if not with_audit:
            return Reading(flags, len(self.topic.order), scores=scores)
        positions = np.concatenate(self.positions)
        reached = np.zeros(len(self.topic.order), np.int64)
        reached[positions] = np.arange(1, len(positions) + 1)
        new = ~np.isin(positions, self.audit)
        return Reading(
            np.concatenate((self.topic.relevant[self.audit], flags[new])),
            len(self.topic.order),
            scores=np.concatenate((np.full(len(self.audit), np.nan), scores[new])),
            audited=np.concatenate((np.ones(len(self.audit), np.bool_), np.zeros(int(new.sum()), np.bool_))),
            ranks=np.concatenate((reached[self.audit], reached[positions[new]])),
        )


# Results


@dataclass(frozen=True, eq=False)
class ReviewSimulation(PlotMixin, Tabled):
    """Simulated reviews of many topics: how much was read with each kind of feedback and each stopping rule."""

    __repr__ = concise_repr

    ranking: str
    """The name of the first ranking."""
    topics: tuple[str, ...]
    documents: Ints
    """The number of documents that could be read, per topic."""
    relevant: Ints
    """The number of relevant documents, per topic, including those that cannot be read."""
    feedback: tuple[str, ...]
    rules: tuple[str, ...]
    target: float
    readings: Mapping[str, tuple[TopicReading, ...]] = field(repr=False)
    """Feedback → one reading per topic."""
    skipped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Topics that were left out, by reason."""

    def __len__(self) -> int:
        return len(self.topics)

    def effort(self, feedback: str, percent: int) -> Floats:
        """The documents read until a percentage of the relevant ones was found; all where that is never reached."""
        needed = required_count(self.relevant.astype(np.float64), percent).astype(np.int64)
        return np.array(
            [
                each.finds[count - 1] if len(each.finds) >= count else size
                for each, count, size in zip(self.readings[feedback], needed, self.documents, strict=True)
            ],
            np.float64,
        )

    def reached(self, feedback: str, percent: int) -> Bools:
        """The topics on which that percentage can be found at all."""
        needed = required_count(self.relevant.astype(np.float64), percent)
        return np.array([len(each.finds) for each in self.readings[feedback]]) >= needed

    def recall_curve(self, feedback: str, shares: Floats) -> Floats:
        """The mean recall over topics after each share of the documents was read."""
        curves = [
            np.searchsorted(each.finds, np.floor(shares * size + 1e-9), side="right") / total
            for each, size, total in zip(self.readings[feedback], self.documents, self.relevant, strict=True)
        ]
        return np.asarray(np.mean(curves, axis=0))

    def effort_rows(self) -> list[dict[str, Any]]:
        """For each percentage and feedback: the mean effort with its interval, and the comparison with the first."""
        rows = []
        for percent in LEVELS:
            efforts = {name: self.effort(name, percent) for name in self.feedback}
            first = efforts[self.feedback[0]]
            for name, values in efforts.items():
                spread = bootstrap(values[None])
                saved = bootstrap((first - values)[None])
                rows.append(
                    {
                        "recall": percent,
                        "feedback": name,
                        "mean": float(values.mean()),
                        "low": float(spread.low[0]),
                        "high": float(spread.high[0]),
                        "median": float(np.median(values)),
                        "never": int((~self.reached(name, percent)).sum()),
                        **({} if name == self.feedback[0] else compare_effort(first, values, saved)),
                    }
                )
        return rows

    def rule_rows(self) -> list[dict[str, Any]]:
        """For each feedback and rule: what was read, what was found, and what it cost, as means over topics."""
        rows = []
        for name in self.feedback:
            ideal = self.effort(name, round(100 * self.target)) / self.documents
            for rule in self.rules:
                stops = [each.stops[rule] for each in self.readings[name]]
                read = np.array([each.read for each in stops], np.float64)
                recall = np.array([each.found for each in stops]) / self.relevant
                rows.append(
                    {
                        "feedback": name,
                        "rule": rule,
                        "read": float(read.mean()),
                        "effort": float((read / self.documents).mean()),
                        "ideal": float(ideal.mean()),
                        "recall": float(recall.mean()),
                        "reliability": float(self.reliable(recall).mean()),
                        "wss": float(((self.documents - read) / self.documents - (1 - recall)).mean()),
                        "loss_er": float(loss_er(read, recall, self.documents, self.relevant).mean()),
                    }
                )
        return rows

    def reliable(self, recall: Floats) -> Bools:
        """The topics whose recall reaches the target."""
        return np.asarray(recall >= self.target - 1e-9)

    def tables(self) -> tuple[Table, ...]:
        """The effort to reach each percentage of recall; and what each rule reads and finds."""
        found = (effort_table(self),)
        return (*found, rule_table(self)) if self.rules else found

    def to_dict(self) -> dict[str, Any]:
        """The results in a JSON-compatible form, per topic and as means."""
        per_topic = [
            {
                "topic_id": topic,
                "documents": int(self.documents[at]),
                "relevant": int(self.relevant[at]),
                "found_at": {name: self.readings[name][at].finds.tolist() for name in self.feedback},
                "stops": {
                    name: {
                        rule: {"read": each.read, "found": each.found, "reason": each.reason}
                        for rule, each in self.readings[name][at].stops.items()
                    }
                    for name in self.feedback
                },
            }
            for at, topic in enumerate(self.topics)
        ]
        rows = [{key: none_if_not_finite(value) for key, value in row.items()} for row in self.effort_rows()]
        return {
            "ranking": self.ranking,
            "target": self.target,
            "effort": rows,
            "rules": self.rule_rows(),
            "topics": per_topic,
            "skipped": {reason: list(topics) for reason, topics in self.skipped.items()},
        }


def compare_effort(first: Floats, values: Floats, saved: Any) -> dict[str, Any]:
    """What a kind of feedback saves, with its interval, and paired tests."""
    differences = (first - values)[None]
    whole = max(float(first.mean()), 1.0)
    return {
        "saved": float(differences.mean()) / whole,
        "saved_low": float(saved.low[0]) / whole,
        "saved_high": float(saved.high[0]) / whole,
        "better": int((differences > 0).sum()),
        "worse": int((differences < 0).sum()),
        "p_t": float(t_test(differences).p[0]),
        "p_wilcoxon": float(wilcoxon(differences).p[0]),
    }


def loss_er(read: Floats, recall: Floats, documents: Ints, relevant: Ints) -> Floats:
    """The loss of tar_eval (Cormack & Grossman, TREC total recall): (1 − R)² + (100 / D)² · (n / (r + 100))².

    R is the recall, n the documents read, D those that could be read, r the relevant ones.
    """
    return np.asarray((1 - recall) ** 2 + (100 / documents) ** 2 * (read / (relevant + 100)) ** 2)


def none_if_not_finite(value: Any) -> Any:
    return finite_or_none(value) if isinstance(value, float) else value


def effort_table(found: ReviewSimulation) -> Table:
    """The documents read until 80, 95 and 100 % recall, by feedback."""
    columns = (
        "recall", "feedback", "read", "low", "high", "median", "saved %", "low %", "high %", "better", "worse",
        "p (t)", "p (Wilcoxon)",
    )  # fmt: skip
    rows = []
    for row in found.effort_rows():
        saved = [row.get(name) for name in ("saved", "saved_low", "saved_high")]
        rows.append(
            (
                f"{row['recall']} %",
                row["feedback"],
                *(round(row[name], 1) for name in ("mean", "low", "high", "median")),
                *(None if each is None else round(100 * each, 1) for each in saved),
                *(row.get(name) for name in ("better", "worse")),
                *(None if row.get(name) is None else f"{row[name]:.2g}" for name in ("p_t", "p_wilcoxon")),
            )
        )
    never = {f"{row['recall']} % with {row['feedback']}": row["never"] for row in found.effort_rows() if row["never"]}
    notes = [
        describe_topics(found),
        *(f"never reached, counted as reading everything: {what} on {count} topics" for what, count in never.items()),
        *(f"{len(topics)} topics are left out: {reason}" for reason, topics in found.skipped.items()),
    ]
    return Table(columns, tuple(rows), "Documents read", tuple(notes), digits=1)


def describe_topics(found: ReviewSimulation) -> str:
    """What was read, in one line."""
    how = f"means with 95 % bootstrap intervals over topics, compared with {found.feedback[0]}"
    return f"{len(found)} topics, {found.ranking}; {how}; {documents_text(found)}"


def documents_text(found: ReviewSimulation) -> str:
    """How many documents could be read, in words."""
    low, high = int(found.documents.min()), int(found.documents.max())
    return f"{low} documents each" if low == high else f"{low} to {high} documents"


def rule_table(found: ReviewSimulation) -> Table:
    """What each stopping rule reads and finds."""
    names = ("feedback", "rule", "read", "effort", "ideal", "recall", "reliability", "wss", "loss_er")
    rows = tuple(
        tuple(round(row[name], 1) if name == "read" else row[name] for name in names) for row in found.rule_rows()
    )
    note = (
        f"target: {100 * found.target:g} % recall; reliability is the share of topics that reach it, effort the share "
        "of the documents read, ideal that of a reader who knows when the target is reached"
    )
    return Table(names, rows, "Stopping rules", (note,), digits=3)


def simulate_reviews(
    topics: Iterable[ReviewTopic | None],
    *,
    ranking: str = "ranking",
    feedback: Sequence[str] = (STATIC,),
    rules: Sequence[str | StoppingRule] = (),
    target: float = DEFAULT_TARGET,
    audit: int = 0,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ReviewSimulation:
    """Read judged topics with each kind of feedback, and ask each stopping rule after every batch.

    Args:
        topics: The topics, from `topics_from_index` or `topics_from_run`; None for one that is left out.
        ranking: The name of the first ranking, for tables.
        feedback: One or more of `FEEDBACK`; the others are compared with the first.
        rules: Stopping rules, as in `knee` or `misses(n=50)`.
        target: The recall that the rules aim at.
        audit: The size of the random sample that is read before the ranking, for rules that need one.
        seed: Random seed of that sample; the same seed gives the same results.
        progress: Called with (done, total).
    """
    for name in feedback:
        if name not in FEEDBACK:
            raise UsageError(f"unknown feedback {shown(name)!r}; available: {', '.join(FEEDBACK)}")
    parsed = {str(each): each if isinstance(each, StoppingRule) else parse_rule(each) for each in rules}
    parsed = {str(rule): rule for rule in parsed.values()}
    read: dict[str, list[TopicReading]] = {name: [] for name in feedback}
    every: list[tuple[str, int, int]] = []
    total = len(topics) if isinstance(topics, Sized) else 0
    for done, topic in enumerate(topics, 1):
        if topic is not None:
            sample = np.random.default_rng([seed, done]).permutation(len(topic.order))[:audit]
            every.append((topic.topic_id, len(topic.order), topic.total))
            for name in feedback:
                read[name].append(read_topic(topic, name, parsed, target, sample))
        if progress is not None:
            progress(done, max(total, done))
    skipped = {reason: tuple(names) for reason, names in getattr(topics, "skipped", {}).items()}
    if not every:
        why = next(iter(skipped), "no topic is given")
        raise UsageError(f"there is no topic to be read: {why}")
    names, documents, relevant = zip(*every, strict=True)
    return ReviewSimulation(
        ranking,
        names,
        np.array(documents),
        np.array(relevant),
        tuple(feedback),
        tuple(parsed),
        target,
        {name: tuple(each) for name, each in read.items()},
        skipped,
    )
