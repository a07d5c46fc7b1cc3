"""Simulated screenings: finished systematic reviews, read again as active learning would have ordered them.

Of each review some records are known at the start, by default one that is relevant and one that is not, drawn by the
seed; all others are read in batches (`find_batch`). The known records are left out of all figures. What is counted is
what ASReview counts: work saved over sampling at 95 % recall and the recall after 10, 20 and 50 % of the records are
read; beside it, what every stopping rule would have done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from antecede.errors import UsageError, printable, spell
from antecede.operations import Help
from antecede.plots import PlotMixin
from antecede.ranges import Range
from antecede.results import concise_repr
from antecede.review.active_learning import ActiveLearner
from antecede.review.judged_topics import JudgedReading
from antecede.review.labelled_records import LabelledRecords, read_labelled
from antecede.review.reading import DEFAULT_TARGET, Reading, Target, find_batch, required
from antecede.review.simulation import simulate
from antecede.review.stopping import Rules, StoppingRule, parse_rule
from antecede.review.vectors import vectors_of_texts
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from antecede.review.reading import Bools, Floats, Ints
    from antecede.review.vectors import DocumentVectors

SEEDS = Range(1, 10_000, whole=True)
KNOWN = Range(0, 10**6, whole=True)
SCREENING_RULES = (
    "quasi_sampling",
    "quasi_sampling(confidence=0.9)",
    "share_without_find",
    "misses(n=50)",
    "misses(n=100)",
    "misses(n=200)",
    "knee",
)
"""The rules that a simulated screening asks unless others are given."""
SHARES = (10, 20, 50)
"""Percentages of the records after which recall is reported."""
MEASURES = ("wss@95", *(f"recall@{share}%" for share in SHARES), "documents_to_95")


class Known(NamedTuple):
    """How many records are known before a screening begins."""

    relevant: int = 1
    irrelevant: int = 1


ONE_EACH = Known()


def parse_known(text: str) -> Known:
    """The numbers of known records that `1,1` denotes."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
        raise UsageError(
            f"{spell('prior')} {printable(text)!r} is not two numbers, relevant and other records, as in 1,1"
        )
    return Known(*map(int, parts))


class Replay(NamedTuple):
    """One screening: the decisions in the order of reading, without the records that were known."""

    seed: int
    relevant: Bools

    @property
    def measures(self) -> dict[str, float]:
        return {
            "wss@95": work_saved(self.relevant),
            **{f"recall@{share}%": recall_after(self.relevant, share) for share in SHARES},
            "documents_to_95": int(np.flatnonzero(self.relevant)[required(int(self.relevant.sum()), 0.95) - 1]) + 1,
        }


def work_saved(relevant: Bools) -> float:
    """WSS@95 as ASReview counts it.

    The share of all records that are read fewer than at an even pace, when the last relevant record within 95 % is
    found. The even pace finds the k-th of P at the first n where round((n − 1)/(N − 1) · P) = k.

    >>> work_saved(np.arange(100) < 20)
    0.74
    """
    size, total = len(relevant), int(relevant.sum())
    counts = np.arange(1, total + 1)
    even = np.searchsorted(np.round(np.linspace(0, total, size)), counts)
    last = max(int(np.searchsorted(counts / total, 0.95, side="right")) - 1, 0)
    return float(even[last] - np.flatnonzero(relevant)[last]) / size


def recall_after(relevant: Bools, percent: int) -> float:
    """The share of the relevant records among the first `percent` % of all.

    >>> recall_after(np.arange(100) % 10 == 0, 20)
    0.2
    """
    return float(relevant[: percent * len(relevant) // 100].sum() / relevant.sum())


@dataclass(frozen=True, eq=False)
class ScreenedReview:
    """The simulated screenings of one review."""

    __repr__ = concise_repr

    name: str
    records: int
    """Those with a decision."""
    relevant: int
    replays: tuple[Replay, ...] = field(repr=False)
    rules: Mapping[str, Sequence[tuple[int, float, bool]]] = field(repr=False)
    """Rule → per seed: the records read, the recall, and whether the target was reached."""
    target: float = DEFAULT_TARGET
    known: Known = ONE_EACH
    notes: tuple[str, ...] = ()
    unlabelled: int = 0

    def means(self) -> dict[str, float]:
        """The mean of each measure over the seeds."""
        runs = [replay.measures for replay in self.replays]
        return {name: float(np.mean([run[name] for run in runs])) for name in MEASURES}

    def rule_means(self) -> dict[str, dict[str, float]]:
        """For each rule the mean recall and number of records read, and the share of seeds that reach the target."""
        means = {}
        for rule, stops in self.rules.items():
            read, recall, reached = (float(np.mean(values)) for values in zip(*stops, strict=True))
            means[rule] = {"recall": recall, "read": read, "reached": reached}
        return means

    def recall_curve(self, shares: Floats) -> Floats:
        """The mean recall over seeds after each share of the records was read."""
        curves = [_recall_curve(replay.relevant, shares) for replay in self.replays]
        return np.asarray(np.mean(curves, axis=0))

    def to_dict(self) -> dict[str, Any]:
        """The results in a JSON-compatible form."""
        runs = [
            {
                "seed": replay.seed,
                **replay.measures,
                "rules": {
                    rule: dict(zip(("read", "recall", "reached"), stops[at], strict=True))
                    for rule, stops in self.rules.items()
                },
            }
            for at, replay in enumerate(self.replays)
        ]
        return {
            "name": self.name,
            "records": self.records,
            "relevant": self.relevant,
            "unlabelled": self.unlabelled,
            "known": [*self.known],
            "target": self.target,
            "seeds": len(self.replays),
            **self.means(),
            "rules": self.rule_means(),
            "runs": runs,
        }


def _recall_curve(relevant: Bools, shares: Floats) -> Floats:
    read = np.floor(shares * len(relevant) + 1e-9).astype(np.int64)
    curve: Floats = np.concatenate(([0], np.cumsum(relevant)))[read] / relevant.sum()
    return curve


@dataclass(frozen=True, eq=False)
class ScreeningSimulation(PlotMixin, Tabled):
    """The simulated screenings of several reviews."""

    __repr__ = concise_repr

    reviews: tuple[ScreenedReview, ...]

    def means(self) -> dict[str, float]:
        """The mean of each measure over the reviews, each as its mean over the seeds."""
        every = [review.means() for review in self.reviews]
        return {name: float(np.mean([each[name] for each in every])) for name in MEASURES}

    def rule_rows(self) -> list[dict[str, Any]]:
        """For each rule the means over the reviews: reliability, effort as the share that is read, and recall."""
        rows = []
        for rule in self.reviews[0].rules:
            stops = [(review, review.rule_means()[rule]) for review in self.reviews]
            runs = [recall for review in self.reviews for _, recall, _ in review.rules[rule]]
            row = {
                "rule": rule,
                "reliability": float(np.mean([each["reached"] for _, each in stops])),
                "effort": float(np.mean([each["read"] / _unknown(review) for review, each in stops])),
                "recall": float(np.mean([each["recall"] for _, each in stops])),
                "lowest": min(runs),
            }
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The results in a JSON-compatible form: of the one review; of several, each of them and the means."""
        if len(self.reviews) == 1:
            return self.reviews[0].to_dict()
        rules = {row.pop("rule"): row for row in self.rule_rows()}
        reviews = [review.to_dict() for review in self.reviews]
        return {"reviews": reviews, "mean": self.means(), "rules": rules}

    def tables(self) -> tuple[Table, ...]:
        """One row per review with the mean; and what each stopping rule would have done."""
        first = self.reviews[0]
        columns = ("review", "records", "relevant", "WSS@95", *(f"recall @{share} %" for share in SHARES), "to 95 %")
        rows: list[tuple[Any, ...]] = [
            (review.name, review.records, review.relevant, *_round_measures(review.means())) for review in self.reviews
        ]
        if len(rows) > 1:
            rows.append(("mean", None, None, *_round_measures(self.means())))
        seeds = f"{len(first.replays)} seeds" if len(first.replays) > 1 else "1 seed"
        protocol = (
            f"means over {seeds}; known at the start: {first.known.relevant} relevant and {first.known.irrelevant} not "
            "relevant, left out of all figures; to 95 %: records read until 95 % of the relevant ones are found"
        )
        notes = (protocol, *(note for review in self.reviews for note in review.notes))
        figures = Table(columns, tuple(rows), "Simulated screening", notes, digits=3)
        stops = self.rule_rows()
        if not stops:
            return (figures,)
        ideal = np.mean([review.means()["documents_to_95"] / _unknown(review) for review in self.reviews])
        note = (
            f"target: {100 * first.target:g} % recall; reliability: share of screenings that reach it; effort: share "
            f"of the records read, {ideal:.3f} if one knew when 95 % are found; lowest: the lowest recall"
        )
        return figures, Table(
            (*stops[0],), tuple(tuple(row.values()) for row in stops), "Stopping rules", (note,), digits=3
        )


def _unknown(review: ScreenedReview) -> int:
    """The records that are not known at the start."""
    return review.records - sum(review.known)


def _round_measures(means: Mapping[str, float]) -> tuple[float | int, ...]:
    return *(means[name] for name in MEASURES[:-1]), round(means[MEASURES[-1]])


# Screening


def draw_known(relevant: Bools, known: Known, seed: int) -> Ints:
    """The records that are known at the start, drawn at random."""
    random = np.random.default_rng(seed)
    kinds = zip((relevant, ~relevant), known, strict=True)
    return np.concatenate([random.choice(np.flatnonzero(kind), number, replace=False) for kind, number in kinds])


def read_screening(vectors: DocumentVectors, relevant: Bools, known: Ints, seed: int = 0) -> Iterator[Ints]:
    """The batches in which all other records are read, until nothing relevant is left; then the rest, in one batch."""
    learner = ActiveLearner(vectors, seed=seed)
    read = known
    while relevant[read].sum() < relevant.sum():
        order, _ = learner.rank_rows(read[relevant[read]], read[~relevant[read]])
        end = find_batch(len(read))[1]
        batch = order[: end - len(read)]
        read = np.concatenate((read, batch))
        yield batch
    rest = np.setdiff1d(np.arange(len(relevant)), read)
    if len(rest):
        yield rest


def simulate_screening(
    *reviews: LabelledRecords | str | Path,
    known: Annotated[
        Known | tuple[int, int],
        Help(
            "Of a screening, how many relevant and other records are known at the start.",
            flags="--prior",
            metavar="R,N",
            default="1,1",
            parse=parse_known,
        ),
    ] = ONE_EACH,
    seeds: Annotated[
        int, SEEDS, Help("Of a screening, how often it is repeated with other known records.", default="5")
    ] = 5,
    rules: Rules = SCREENING_RULES,
    target: Target = DEFAULT_TARGET,
    progress: Callable[[int, int], None] | None = None,
) -> ScreeningSimulation:
    """Screen finished reviews again, from each seed on.

    Args:
        reviews: The reviews, or the tables with their records, as `read_labelled` reads them.
        known: How many relevant and how many other records are known at the start.
        seeds: How many screenings; the seeds 0, 1, 2 … draw the known records.
        progress: Called with (done, total).
    """
    SEEDS.check(seeds, "seeds")
    if not reviews:
        raise UsageError("give one finished review or more")
    for number in known:
        KNOWN.check(number, "known")
    known = Known(*known)
    parsed = [rule if isinstance(rule, StoppingRule) else parse_rule(rule) for rule in rules]
    read = [review if isinstance(review, LabelledRecords) else read_labelled(review) for review in reviews]
    for records in read:
        _check_known(records, known)
    done = []
    for number, records in enumerate(read):
        report = None if progress is None else partial(_report, progress, number * seeds, len(read) * seeds)
        done.append(_screen(records, known, seeds, parsed, target, report))
    return ScreeningSimulation(tuple(done))


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _check_known(records: LabelledRecords, known: Known) -> None:
    """Refuse to know more than there is, or every relevant record."""
    relevant = int(records.relevant.sum())
    if known.relevant >= relevant:
        raise UsageError(f"{records.name}: {relevant} records are relevant; fewer than that can be known")
    if known.irrelevant > len(records) - relevant:
        raise UsageError(f"{records.name}: {len(records) - relevant} records are not relevant; no more can be known")


def _screen(
    records: LabelledRecords,
    known: Known,
    seeds: int,
    rules: Sequence[StoppingRule],
    target: float,
    report: Callable[[int], None] | None,
) -> ScreenedReview:
    """Screen one review from each seed on."""
    vectors = vectors_of_texts({str(number): text for number, text in enumerate(records.texts)})
    labels, replays = records.relevant, []
    stops: dict[str, list[tuple[int, float, bool]]] = {str(rule): [] for rule in rules}
    for seed in range(seeds):
        order = np.concatenate([*read_screening(vectors, labels, draw_known(labels, known, seed), seed)])
        replay = Replay(seed, labels[order])
        judged = JudgedReading(records.name, Reading(replay.relevant, len(order)), int(replay.relevant.sum()))
        for rule in rules:
            outcome = simulate(judged, rule, target=target, seed=seed)
            stops[str(rule)].append((outcome.read, outcome.recall, outcome.reached))
        replays.append(replay)
        if report is not None:
            report(seed + 1)
    about = tuple(records.describe()), records.unlabelled
    return ScreenedReview(records.name, len(records), int(labels.sum()), tuple(replays), stops, target, known, *about)
