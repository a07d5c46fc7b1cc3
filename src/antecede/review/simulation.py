"""Simulated reviews: judged topics are read as a reviewer would read them, and every stopping rule is asked.

    ranking × feedback × stopping rule → documents read, recall, reliability, cost

A topic is read in batches (1 document, then a tenth more each time) until every relevant document is found; active
learning re-ranks what is unread after each batch. Rules see nothing but what was read and found.

A rule determines how documents are chosen: most read the ranking from the top; `target` and `qbcb` draw a random sample
first; `autostop` draws with probabilities that fall along the ranking. `simulate` reads until the rule says stop.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.comparison.effect_sizes import bootstrap
from antecede.comparison.significance import t as t_test
from antecede.comparison.significance import wilcoxon
from antecede.errors import UsageError, printable
from antecede.measures.screening import lost_effort, lost_recall, required_count
from antecede.operations import Help, Seed
from antecede.plots import PlotMixin
from antecede.results import concise_repr, to_json
from antecede.review.judged_topics import ReviewTopic, read_whole
from antecede.review.reading import DEFAULT_TARGET, FEEDBACK, STATIC, Reading, Target, required
from antecede.review.stopping import Rules, StoppingRule, fewest_positives, parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.review.judged_topics import JudgedReading
    from antecede.review.reading import Bools, Feedback, Floats, Ints

LEVELS = (80, 95, 100)
"""Percentages of recall for which the effort is reported."""
GROWTH = 1.02
"""How much deeper a reading is from one decision to the next, beyond the first 50 documents."""
BATCH = 1.1
"""The growth of AutoStop's batches."""


@dataclass(frozen=True)
class Outcome:
    """Where a review stopped."""

    judged: JudgedReading
    read: int
    found: int
    reached: bool
    """Whether the target was reached."""
    reason: str

    @property
    def recall(self) -> float:
        """The share of the relevant documents that were found; 1 where there are none."""
        return self.found / self.judged.total if self.judged.total else 1.0

    @property
    def effort(self) -> float:
        return self.read / self.judged.reading.documents


def simulate(judged: JudgedReading, rule: StoppingRule, *, target: float = DEFAULT_TARGET, seed: int = 0) -> Outcome:
    """Read until the rule says stop, or to the end of the list.

    >>> from antecede.review.judged_topics import JudgedReading
    >>> judged = JudgedReading("1", Reading([True, False, False, True], documents=4), total=2)
    >>> outcome = simulate(judged, parse_rule("misses(n=2)"))
    >>> outcome.read, outcome.recall, outcome.reached
    (3, 0.5, False)
    """
    reading, reason = judged.reading, "the list is read to its end"
    for stage in _stages(judged.reading, rule, target=target, seed=seed):
        verdict = rule.decide(stage, target)
        if verdict.stop:
            reading, reason = stage, verdict.reason
            break
    return Outcome(judged, reading.read, reading.found, reading.found >= required(judged.total, target), reason)


def _stages(complete: Reading, rule: StoppingRule, *, target: float, seed: int) -> Iterable[Reading]:
    """The readings at which the rule is asked, each longer than the one before."""
    if rule.definition.needs == "probabilities":
        return draw_by_rank(complete, seed)
    order, first = complete, 1
    if rule.definition.needs == "audited":
        order, first = sample_first(complete, _positives_of(rule, target), seed)
    return map(order.up_to, stage_depths(first, complete.read))


def stage_depths(first: int, last: int) -> list[int]:
    """Every depth up to 50, then about 2 % more each time."""
    depths, depth = [], first
    while depth < last:
        depths.append(depth)
        depth = depth + 1 if depth < 50 else max(depth + 1, int(depth * GROWTH))
    return [*depths, last]


def _positives_of(rule: StoppingRule, target: float) -> int:
    """How many relevant documents the sample of a rule must have."""
    values = {**rule.definition.defaults, **rule.parameters}
    if values.get("n") is not None:
        return int(values["n"])
    return fewest_positives(target, float(values["confidence"])) or 2**62


def sample_first(complete: Reading, positives: int, seed: int) -> tuple[Reading, int]:
    """The whole reading with a random sample first, up to so many relevant documents; and the size of the sample."""
    drawn = np.random.default_rng(seed).permutation(complete.read)
    hits = np.flatnonzero(complete.relevant[drawn])
    size = int(hits[positives - 1]) + 1 if len(hits) >= positives else complete.read
    sample = drawn[:size]
    rest = np.setdiff1d(np.arange(complete.read), sample)
    order = np.concatenate([sample, rest])
    audited = np.arange(complete.read) < size
    return Reading(complete.relevant[order], complete.documents, audited=audited, ranks=order + 1), size


def rank_chances(documents: int) -> Floats:
    """AutoStop's distribution over ranks, the prior of average precision: p_i ∝ ln((D + 1)/i)."""
    chances = np.log((documents + 1) / np.arange(1, documents + 1))
    shares: Floats = chances / chances.sum()
    return shares


def draw_by_rank(complete: Reading, seed: int) -> Iterator[Reading]:
    """Batches drawn with replacement, each 10 % larger than the one before; what was drawn is read."""
    random = np.random.default_rng(seed)
    chances = rank_chances(complete.read)
    misses = np.log1p(-chances) if complete.read > 1 else np.array([-np.inf])
    edges = np.cumsum(chances)
    seen = np.zeros(complete.read, np.bool_)
    order: list[int] = []
    draws, batch = 0, 1
    while len(order) < complete.read:
        picks = np.minimum(np.searchsorted(edges, random.random(batch), side="right"), complete.read - 1)
        fresh = [int(each) for each in dict.fromkeys(picks.tolist()) if not seen[each]]
        seen[fresh] = True
        order += fresh
        draws += batch
        included = -np.expm1(draws * misses[order])
        yield Reading(complete.relevant[order], complete.documents, probabilities=np.maximum(included, 1e-300))
        batch += int(np.ceil(batch / 10)) if batch < 10 else int(batch * (BATCH - 1))


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
    readings: Mapping[str, Sequence[JudgedReading]] = field(repr=False)
    """Feedback → one reading per topic."""
    stops: Mapping[str, Mapping[str, Sequence[Outcome]]] = field(repr=False)
    """Feedback → rule → where it stopped, per topic."""
    skipped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Topics that were left out, by reason."""
    excluded: int = 0
    """Relevant documents that the filters of searches exclude; they do not count as relevant."""

    def __len__(self) -> int:
        return len(self.topics)

    def effort(self, feedback: str, percent: int) -> Floats:
        """The documents read until a percentage of the relevant ones was found; all where that is never reached."""
        needed = required_count(self.relevant.astype(np.float64), percent).astype(np.int64)
        depths = (judged.depth_of(count) for judged, count in zip(self.readings[feedback], needed, strict=True))
        return np.array([*depths], np.float64)

    def reached(self, feedback: str, percent: int) -> Bools:
        """The topics on which that percentage can be found at all."""
        needed = required_count(self.relevant.astype(np.float64), percent)
        return np.array([judged.reading.found for judged in self.readings[feedback]]) >= needed

    def recall_curve(self, feedback: str, shares: Floats) -> Floats:
        """The mean recall over topics after each share of the documents was read."""
        curves = [
            np.searchsorted(judged.reading.finds, np.floor(shares * size + 1e-9), side="right") / total
            for judged, size, total in zip(self.readings[feedback], self.documents, self.relevant, strict=True)
        ]
        return np.asarray(np.mean(curves, axis=0))

    def effort_rows(self) -> list[dict[str, Any]]:
        """For each percentage and feedback: the mean effort with its interval, and the comparison with the first."""
        rows = []
        for percent in LEVELS:
            first = self.effort(self.feedback[0], percent)
            for name in self.feedback:
                values = self.effort(name, percent)
                spread = bootstrap(values[None])
                row: dict[str, Any] = {
                    "recall": percent,
                    "feedback": name,
                    "mean": float(values.mean()),
                    "low": float(spread.low[0]),
                    "high": float(spread.high[0]),
                    "median": float(np.median(values)),
                    "never": int((~self.reached(name, percent)).sum()),
                }
                if name != self.feedback[0]:
                    row |= compare_effort(first, values)
                rows.append(row)
        return rows

    def rule_rows(self) -> list[dict[str, Any]]:
        """For each feedback and rule: what was read, what was found, and what it cost, as means over topics."""
        rows = []
        for name in self.feedback:
            ideal = self.effort(name, round(100 * self.target)) / self.documents
            for rule in self.rules:
                stops = self.stops[name][rule]
                read = np.array([each.read for each in stops], np.float64)
                recall = np.array([each.found for each in stops]) / self.relevant
                lost = lost_recall(recall) + lost_effort(read, self.relevant, self.documents)
                rows.append(
                    {
                        "feedback": name,
                        "rule": rule,
                        "read": float(read.mean()),
                        "effort": float((read / self.documents).mean()),
                        "ideal": float(ideal.mean()),
                        "recall": float(recall.mean()),
                        "reliability": float(np.mean([each.reached for each in stops])),
                        "wss": float(((self.documents - read) / self.documents - (1 - recall)).mean()),
                        "loss_er": float(lost.mean()),
                    }
                )
        return rows

    def tables(self) -> tuple[Table, ...]:
        """The effort to reach each percentage of recall; and what each rule reads and finds."""
        columns = (
            "recall", "feedback", "read", "low", "high", "median", "saved %", "low %", "high %", "better", "worse",
            "p (t)", "p (Wilcoxon)",
        )  # fmt: skip
        low, high = int(self.documents.min()), int(self.documents.max())
        sizes = f"{low} documents each" if low == high else f"{low} to {high} documents"
        how = f"means with 95 % bootstrap intervals over topics, compared with {self.feedback[0]}"
        rows, notes = [], [f"{len(self)} topics, {self.ranking}; {how}; {sizes}"]
        for row in self.effort_rows():
            percent, name = f"{row['recall']} %", row["feedback"]
            read = [round(row[fact], 1) for fact in ("mean", "low", "high", "median")]
            saved: list[Any] = [None] * 5
            tests: list[Any] = [None] * 2
            if "saved" in row:
                saved = [round(100 * row[fact], 1) for fact in ("saved", "saved_low", "saved_high")]
                saved += [row["better"], row["worse"]]
                tests = [f"{row[fact]:.2g}" for fact in ("p_t", "p_wilcoxon")]
            rows.append((percent, name, *read, *saved, *tests))
            if row["never"]:
                what = f"{percent} with {name} on {row['never']} topics"
                notes.append(f"never reached, counted as reading everything: {what}")
        if self.excluded:
            notes.append(f"{self.excluded} relevant documents do not count: the filters exclude them")
        notes += [f"{len(topics)} topics are left out: {reason}" for reason, topics in self.skipped.items()]
        effort = Table(columns, tuple(rows), "Documents read", tuple(notes), digits=1)
        stops = [{**row, "read": round(row["read"])} for row in self.rule_rows()]
        if not stops:
            return (effort,)
        note = (
            f"target: {100 * self.target:g} % recall; reliability is the share of topics that reach it, effort the "
            "share of the documents read, ideal that of a reader who knows when the target is reached"
        )
        facts = tuple(tuple(row.values()) for row in stops)
        return effort, Table((*stops[0],), facts, "Stopping rules", (note,), digits=3)

    def to_dict(self) -> dict[str, Any]:
        """The results in a JSON-compatible form, per topic and as means."""
        per_topic = [
            {
                "topic_id": topic,
                "documents": int(self.documents[at]),
                "relevant": int(self.relevant[at]),
                "found_at": {name: self.readings[name][at].reading.finds.tolist() for name in self.feedback},
                "stops": {
                    name: {
                        rule: {fact: getattr(stops[at], fact) for fact in ("read", "found", "reason")}
                        for rule, stops in self.stops[name].items()
                    }
                    for name in self.feedback
                },
            }
            for at, topic in enumerate(self.topics)
        ]
        return {
            "ranking": self.ranking,
            "target": self.target,
            "effort": to_json(self.effort_rows()),
            "rules": self.rule_rows(),
            "topics": per_topic,
            "skipped": {reason: list(topics) for reason, topics in self.skipped.items()},
            "excluded": self.excluded,
        }


def compare_effort(first: Floats, values: Floats) -> dict[str, Any]:
    """What a kind of feedback saves, with its interval, and paired tests."""
    differences = (first - values)[None]
    saved = bootstrap(differences)
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


def simulate_reviews(
    topics: Iterable[ReviewTopic],
    *,
    ranking: str = "ranking",
    feedback: Annotated[
        Feedback | Sequence[Feedback],
        Help("The kinds of feedback; all are compared with the first.", default="static, and active with an index"),
    ] = (STATIC,),
    rules: Rules = (),
    target: Target = DEFAULT_TARGET,
    seed: Seed = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ReviewSimulation:
    """Read judged topics with each kind of feedback, and ask each stopping rule after every batch.

    Args:
        topics: The topics, from `topics_from_index` or `topics_from_run`.
        ranking: The name of the first ranking, for tables.
        feedback: One or more of `FEEDBACK`; the others are compared with the first.
        progress: Called with (done, total).
    """
    feedback = (feedback,) if isinstance(feedback, str) else feedback
    for name in feedback:
        if name not in FEEDBACK:
            raise UsageError(f"unknown feedback {printable(name)!r}; available: {', '.join(FEEDBACK)}")
    given = (rule if isinstance(rule, StoppingRule) else parse_rule(rule) for rule in rules)
    parsed = {str(rule): rule for rule in given}
    readings: dict[str, list[JudgedReading]] = {name: [] for name in feedback}
    stops: dict[str, dict[str, list[Outcome]]] = {name: {rule: [] for rule in parsed} for name in feedback}
    every: list[tuple[str, int, int]] = []
    excluded = 0
    total = len(topics) if isinstance(topics, Sized) else 0
    for topic in topics:
        every.append((topic.topic_id, len(topic.order), topic.total))
        excluded += topic.excluded
        for name in feedback:
            judged = read_whole(topic, name)
            readings[name].append(judged)
            for rule, outcomes in stops[name].items():
                outcomes.append(simulate(judged, parsed[rule], target=target, seed=seed))
        if progress is not None:
            progress(len(every), max(total, len(every)))
    skipped = {reason: tuple(names) for reason, names in getattr(topics, "skipped", {}).items()}
    if not every:
        why = next(iter(skipped), "no topic is given")
        raise UsageError(f"there is no topic to be read: {why}")
    names, documents, relevant = zip(*every, strict=True)
    about = (ranking, names, np.array(documents), np.array(relevant), tuple(feedback), tuple(parsed), target)
    return ReviewSimulation(*about, readings, stops, skipped, excluded)
