"""A regression gate: is a run worse than the baseline?

The scores per topic of a run can be saved to a small file of JSON, so that a later gate does not need the old run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.comparison.effect_sizes import bootstrap
from antecede.comparison.significance import CORRECTIONS, FEW_TOPICS, TESTS, GivenPlan, SignificancePlan
from antecede.errors import InputError, MeasureError, UsageError, advise, printable, spell
from antecede.evaluation import RankTable, evaluate, rank_table
from antecede.evaluation.audit import SCORED_ZERO, list_caveats
from antecede.evaluation.scores import require_scores
from antecede.files import write_whole
from antecede.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures
from antecede.measures.definition import mean
from antecede.operations import Bundle, Help, operation
from antecede.ranges import DROP, LOST_TOPICS, MARGIN
from antecede.results import concise_repr, to_json
from antecede.tables import PValue, Table, Tabled, Value
from antecede.trec.content import read_file
from antecede.trec.reader import GivenPolicies, Policies
from antecede.trec.run_names import name_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack

    from antecede.comparison.inputs import Floats


# Scores per topic, and the file that holds them


FORMAT = "antecede topic scores"
_VERSION = 1
_REMEDY = "make it again with `antecede gate QRELS RUN --save FILE`"
_LARGEST_HEAD = 4096
_ROUNDING = 1e-9
"""How far a score may lie outside the bounds of its measure."""


@dataclass(frozen=True, eq=False)
class TopicScores:
    """The scores of one run, by measure and topic."""

    __repr__ = concise_repr

    name: str
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    """Measure → topic → score."""
    unanswered: tuple[str, ...] = ()
    """Topics for which the run has no document."""
    qrels: str = ""
    """A checksum of what was judged."""
    warnings: tuple[str, ...] = ()
    """What was odd when the run was read, such as lines left out or an order in doubt. Not saved."""

    def of(self, measure: str, topics: Sequence[str]) -> Floats:
        """float64[topics]; NaN where there is no score."""
        return np.array([self.scores[measure].get(topic, np.nan) for topic in topics])

    def to_dict(self) -> dict[str, Any]:
        """As the file has it."""
        from importlib.metadata import version

        return {
            "format": FORMAT,
            "version": _VERSION,
            "antecede": version("antecede"),
            "run": self.name,
            "qrels": self.qrels,
            "measures": [*self.measures],
            "unanswered": [*self.unanswered],
            "scores": to_json(self.scores),
        }

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, (json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n").encode())


def scores_of(qrels: object, run: object, measures: str | Sequence[str] | None = None, **reading: Any) -> TopicScores:
    """Score one run, topic by topic. A topic that it does not answer scores as if nothing had been retrieved."""
    chosen = parse_measures(measures or DEFAULT_MEASURES)
    whole = next((measure for measure in chosen if measure.definition.aggregate_only), None)
    if whole is not None:
        raise UsageError(f"{whole}: is defined for a set of topics only, so it cannot be tested; leave it out")
    table = rank_table(qrels, run, **reading)
    if len(table.runs) > 1:
        raise UsageError(f"a gate compares one run with a baseline, but got {len(table.runs)} runs; give one")
    scores = evaluate(table, chosen)
    require_scores(chosen, scores.values, table)
    endless = np.argwhere(np.isinf(scores.values))
    if len(endless):
        measure, topic = chosen[endless[0][0]], printable(table.topics[endless[0][2]])
        raise UsageError(f"{measure}: topic {topic} never gets there; set docs=, or choose another measure")
    silent = (table.missing[0] & ~table.without_relevant).tolist()
    return TopicScores(
        table.runs[0],
        tuple(map(str, chosen)),
        scores.topics,
        {
            str(measure): {
                topic: float(value)
                for topic, value in zip(scores.topics, scores.of(str(measure))[0], strict=True)
                if not np.isnan(value)
            }
            for measure in chosen
        },
        tuple(topic for topic, missing in zip(table.topics, silent, strict=True) if missing),
        _hash_judgements(table),
        (*list_caveats(table, missing=None, measures=scores.measures), *scores.order_conflicts()),
    )


def _hash_judgements(table: RankTable) -> str:
    ranks = table.ranks
    checksum = hashlib.sha256("\0".join(table.topics).encode())
    for part in (ranks.offsets.tobytes(), ranks.relevance.tobytes(), "\0".join(table.docs).encode()):
        checksum.update(part)
    return checksum.hexdigest()[:16]


def _is_saved(path: Path) -> bool:
    try:
        if not path.is_file():  # opening a pipe to look at it would lose what is in it
            return False
        with path.open("rb") as file:
            return file.read(_LARGEST_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    except (OSError, ValueError):
        return False


def read_saved(path: Path) -> TopicScores:
    """Scores that `save` wrote; a file that holds anything else is refused with the reason."""
    source = str(path)
    data = read_file(path, source)
    try:
        whole = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as JSON ({printable(str(error))})", source=source, remedy=_REMEDY) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or whole.get("version") != _VERSION:
        raise InputError("holds no scores of topics that this antecede can read", source=source, remedy=_REMEDY)
    try:
        return _restore(whole)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, MeasureError) as error:
        raise InputError(f"is damaged ({printable(str(error))})", source=source, remedy=_REMEDY) from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no name occurs twice: else one of its values would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name occurs twice")
    return values


def _restore(whole: dict[str, Any]) -> TopicScores:
    """The scores that a file holds, if they can be scores of these measures."""
    measures = [parse_measure(name) for name in _texts(whole["measures"])]
    if not measures or len({*measures}) < len(measures) or {*whole["scores"]} != {*whole["measures"]}:
        raise ValueError("its measures are not those of its scores")
    scores = {
        str(measure): {topic: _read_score(value, measure) for topic, value in whole["scores"][name].items()}
        for measure, name in zip(measures, whole["measures"], strict=True)
    }
    topics = tuple(dict.fromkeys(topic for of in scores.values() for topic in of))
    unanswered = _texts(whole["unanswered"])
    if len({*unanswered}) < len(unanswered):
        raise ValueError("a topic without documents is named twice")
    run, qrels = _texts([whole["run"], whole["qrels"]])
    return TopicScores(run, tuple(scores), topics, scores, tuple(unanswered), qrels)


def _texts(values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{printable(str(values))} is not a list of texts")
    return values


def _read_score(value: object, measure: Measure) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{printable(str(value))} is not a score")
    low, high = measure.definition.bounds
    if measure.definition.aggregate_only or not low - _ROUNDING <= value <= high + _ROUNDING:
        raise ValueError(f"{measure} cannot be {value} on a topic")
    return float(value)


# The gate


_LISTED_TOPICS = 3
FELL, NOT_EXCLUDED, WITHIN = "fell", "loss not excluded", "fell within drop"
ROSE, OPEN, SAME = "rose", "not significant", "identical"


@dataclass(frozen=True)
class Verdict:
    """One measure, for the baseline and the run, over the topics that both have."""

    measure: str
    baseline: float
    now: float
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    topics: int
    verdict: str
    loss: float = 0.0
    """The largest loss that the interval does not exclude."""

    @property
    def fell(self) -> bool:
        """Whether the measure fell significantly, and by more than the permitted drop."""
        return self.verdict == FELL

    @property
    def passed(self) -> bool:
        """Whether the measure neither fell nor may have lost as much as the margin."""
        return self.verdict not in {FELL, NOT_EXCLUDED}

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        return {**to_json(self), "fell": self.fell, "passed": self.passed}


@dataclass(frozen=True)
class Limits(Bundle):
    """What a gate permits."""

    drop: Annotated[float, DROP, Help("The allowed decrease of the mean, even if it is significant.")] = 0.0
    margin: Annotated[
        float | None,
        MARGIN,
        Help("Fail as well where the interval of the difference does not exclude a loss of N", metavar="N"),
    ] = None
    allow_lost: Annotated[
        int, LOST_TOPICS, Help("How many topics may have no results that the baseline answers.", metavar="N")
    ] = 0

    def __post_init__(self) -> None:
        DROP.check(self.drop, f"{advise('drop', '--drop')}, the permitted decrease of the mean,")
        if self.margin is not None:
            MARGIN.check(self.margin, f"{advise('margin', '--margin')}, the loss that has to be excluded,")
        LOST_TOPICS.check(self.allow_lost, "the number of topics that may be lost")


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Tabled):
    """The result of the gate for one run."""

    run: TopicScores
    baseline: TopicScores
    plan: SignificancePlan
    limits: Limits
    verdicts: tuple[Verdict, ...]
    topics: tuple[str, ...]
    """The topics that both were scored on."""

    @property
    def lost(self) -> tuple[str, ...]:
        """The topics for which the baseline has documents and the run has none."""
        silent, before = {*self.run.unanswered}, {*self.baseline.unanswered}
        return tuple(topic for topic in self.topics if topic in silent - before)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the gate fails; empty if it passes."""
        fell = [verdict.measure for verdict in self.verdicts if verdict.fell]
        open_ = [verdict.measure for verdict in self.verdicts if verdict.verdict == NOT_EXCLUDED]
        reasons = [f"{', '.join(fell)} fell"] if fell else []
        if open_:
            reasons.append(f"a loss of {self.limits.margin:g} is not excluded for {', '.join(open_)}")
        if len(self.lost) > self.limits.allow_lost:
            reasons.append(f"{_list_topics(self.lost)} answered by the baseline only")
        return tuple(reasons)

    @property
    def passed(self) -> bool:
        """Whether no measure fell, no loss of the margin is left open, and no answer is lost."""
        return not self.failures

    @property
    def untested(self) -> tuple[str, ...]:
        """The measures of a saved baseline that were not asked for."""
        return tuple(measure for measure in self.baseline.measures if measure not in self.run.measures)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tested and what not, and what is odd about the topics."""
        return (*self._describe_tests(), *_describe_topics(self.run, self.baseline, self.topics))

    def table(self) -> Table:
        """One row per measure."""
        columns = ("measure", "baseline", "now", "difference", "low", "high", "p", "verdict")
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (v.measure, v.baseline, v.now, v.difference, v.low, v.high, PValue(v.adjusted), v.verdict)
            for v in self.verdicts
        )
        end = f"Gate: failed, {'; '.join(self.failures)}." if self.failures else "Gate: passed."
        return Table(
            columns, rows, title=f"{self.run.name} compared with {self.baseline.name}", notes=(*self.notes, end)
        )

    def _describe_tests(self) -> list[str]:
        """What was tested, and what not."""
        plan, limits, number = self.plan, self.limits, len(self.verdicts)
        family = "each measure alone" if plan.correction == "none" else f"{plan.correction} correction over {number}"
        permitted = f" by more than {limits.drop:g}" if limits.drop else ""
        level = f"{100 * (1 - plan.alpha):g} %"
        tested = [f"whether a measure fell{permitted} (p: {plan.test} test, two-sided, {family}, α = {plan.alpha:g})"]
        if limits.margin is not None:
            tested.append(f"whether the {level} interval excludes a loss of {limits.margin:g}")
        tested.append(f"whether {'more than ' * bool(limits.allow_lost)}{limits.allow_lost or 'any'} answers are lost")
        notes = [f"Tested: {'; '.join(tested)}. Low to high: {level} interval of the difference."]
        untested = []
        worst = max(self.verdicts, key=lambda verdict: verdict.loss)
        if limits.margin is None and worst.loss > 0:
            untested.append(
                f"how large a loss may be; the intervals leave up to {worst.loss:.4f} ({worst.measure}) open "
                f"({spell('margin')})"
            )
        if self.untested:
            untested.append(f"{', '.join(self.untested)}, which the baseline has ({advise('measures=', '--measure')})")
        return notes + ([f"Not tested: {'; '.join(untested)}."] if untested else [])

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        there, here = {*self.baseline.topics}, {*self.run.topics}
        return {
            "passed": self.passed,
            "failures": [*self.failures],
            "run": self.run.name,
            "baseline": self.baseline.name,
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "drop": self.limits.drop,
            "margin": self.limits.margin,
            "allow_lost": self.limits.allow_lost,
            "topics": len(self.topics),
            "only_in_baseline": sorted(there - here),
            "only_in_run": sorted(here - there),
            "unanswered": {"baseline": [*self.baseline.unanswered], "run": [*self.run.unanswered]},
            "lost": [*self.lost],
            "untested": [*self.untested],
            "measures": [verdict.to_dict() for verdict in self.verdicts],
            "notes": [*self.notes],
        }


class GivenGate(GivenPlan, GivenPolicies, total=False):
    """What a gate takes as keyword arguments, for type checkers."""

    drop: float
    margin: float | None
    allow_lost: int


GateMeasures = Annotated[
    str | Sequence[str] | None,
    Help(
        "A measure, such as PRES@1000; may be repeated.",
        flags="--measure -m",
        metavar="MEASURE",
        default="those of a saved baseline, or PRES@1000 AP@1000 R@1000 R@100 nDCG P@10",
    ),
]


@operation
def gate(
    qrels: Annotated[
        object,
        Help(
            "Judgements: TREC qrels, CSV, TSV or Parquet, may be compressed (.gz .bz2 .xz .zst); - for stdin.",
            argument="QRELS",
            path=True,
        ),
    ],
    run: Annotated[object, Help("The run to check.", argument="RUN", path=True)],
    baseline: object,
    measures: GateMeasures = None,
    *,
    plan: SignificancePlan = SignificancePlan(correction="none"),
    limits: Limits = Limits(),
    policies: Policies = Policies(),
    **_given: Unpack[GivenGate],
) -> Gate:
    """Compare a run with a baseline: did a measure fall, or an answer go missing?

    A measure falls if the p of a two-sided paired test is at most `alpha` and its mean over the common topics is lower
    by more than `drop` (higher, for a measure where lower scores are better). Each measure is tested alone, so that
    further measures never let a fall pass. With a `margin`, a measure also fails if the interval of its difference does
    not exclude a loss that large. A topic for which a run has no documents scores 0, as in `evaluate`, and fails the
    gate if the baseline has some; a topic that only one side was scored on, since the qrels differ, is left out.

    Args:
        qrels: The relevance judgements, as for `rank_table`.
        run: The run to check, as for `rank_table`.
        baseline: Another run, or a file written by `TopicScores.save`.
        measures: The measures; by default those of a saved baseline, or else the default measures.
        plan: The test, as one value; its correction is over the measures.
        limits: What is permitted, as one value.
        policies: How files are read, as one value.
    """
    reading = vars(policies)
    if isinstance(baseline, TopicScores):
        before = baseline
    elif isinstance(baseline, str | Path) and _is_saved(Path(baseline)):
        before = read_saved(Path(baseline))
    else:
        before = scores_of(qrels, name_one(baseline, "baseline"), measures, **reading)
    now = scores_of(qrels, name_one(run, "run"), measures or before.measures, **reading)
    return _compare_scores(now, before, plan, limits)


def _compare_scores(now: TopicScores, before: TopicScores, plan: SignificancePlan, limits: Limits) -> Gate:
    lacking = [measure for measure in now.measures if measure not in before.scores]
    if lacking:
        available = ", ".join(before.measures)
        raise UsageError(
            f"{printable(before.name)}: has no {lacking[0]}; it has {available}. Save it again with that measure"
        )
    common = sorted(
        {*now.topics} & {*before.topics}
    )  # resamples, and so verdicts, are the same for any order of topics
    values = {name: np.array([before.of(name, common), now.of(name, common)]) for name in now.measures}
    for name, both in values.items():
        paired = int((~np.isnan(both).any(axis=0)).sum())
        if paired < 2:
            topics = f"{paired} topic{'' if paired == 1 else 's'}"
            measure = f"{name}: " if len(common) > 1 else ""
            raise UsageError(
                f"{measure}{printable(now.name)} and {printable(before.name)} have {topics} in "
                f"common; a paired test needs two"
            )
    differences = np.array([after - earlier for earlier, after in values.values()])
    significance = TESTS[plan.test](differences, plan.samples, plan.seed)
    adjusted = CORRECTIONS[plan.correction](significance.p)
    intervals = bootstrap(differences, confidence=1 - plan.alpha, seed=plan.seed)
    moved = mean(differences)
    verdicts = []
    for at, (name, both) in enumerate(values.items()):
        earlier, after = mean(both).tolist()
        falls = parse_measure(name).definition.better == "lower"
        loss = float(intervals.high[at] if falls else -intervals.low[at])
        advantage = float(-moved[at] if falls else moved[at])
        verdicts.append(
            Verdict(
                name,
                earlier,
                after,
                difference=float(moved[at]),
                low=float(intervals.low[at]),
                high=float(intervals.high[at]),
                p=float(significance.p[at]),
                adjusted=float(adjusted[at]),
                topics=int(significance.topics[at]),
                verdict=_classify(advantage, loss, limits, significant=bool(adjusted[at] <= plan.alpha)),
                loss=max(0.0, loss),
            )
        )
    return Gate(now, before, plan, limits, tuple(verdicts), tuple(common))


def _classify(advantage: float, loss: float, limits: Limits, *, significant: bool) -> str:
    """The verdict on a difference.

    Args:
        advantage: The mean difference; negative where the run is worse.
        loss: The largest loss that the interval of the difference does not exclude.
        limits: What is permitted.
        significant: Whether the difference is significant.
    """
    if significant and advantage < 0 and -advantage > limits.drop:
        return FELL
    if limits.margin is not None and loss >= limits.margin:
        return NOT_EXCLUDED
    if advantage == loss == 0:
        return SAME
    if not significant:
        return OPEN
    return ROSE if advantage > 0 else WITHIN


def _describe_topics(now: TopicScores, before: TopicScores, common: Sequence[str]) -> list[str]:
    notes = [f"{len(common)} topics."]
    for scored, label in ((before, "the baseline"), (now, "this run")):
        only = [topic for topic in scored.topics if topic not in {*common}]
        if only:
            notes.append(f"{_list_topics(only)} scored only for {label}: left out.")
        notes += describe_unanswered(scored, label)
        notes += [note for warning in scored.warnings if (note := f"Note: {warning}.") not in notes]
    if before.qrels and now.qrels and before.qrels != now.qrels:
        notes.append("Note: the baseline was scored with different qrels, which may explain a difference.")
    if len(common) < FEW_TOPICS:
        notes.append(f"Note: only {len(common)} topics: a real decrease may be missed, and no test is reliable.")
    return notes


def describe_unanswered(scores: TopicScores, label: str) -> list[str]:
    """A note on the topics for which a run has no document, if there are any."""
    topics = scores.unanswered
    fate = SCORED_ZERO.rpartition(" results ")[2]
    return [f"{_list_topics(topics)} without results in {label} {fate}."] if topics else []


def _list_topics(topics: Sequence[str]) -> str:
    some = ", ".join(printable(topic) for topic in topics[:_LISTED_TOPICS])
    count = f"{len(topics)} topic{'s' * (len(topics) > 1)}"
    return f"{count} ({some}{', …' if len(topics) > _LISTED_TOPICS else ''})"
