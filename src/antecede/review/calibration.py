"""Calibration on the user's own collection: how much is left, learned from topics whose answers are known.

Topics with known answers (the collection's own citations, or any run with qrels) are read from the top, and each state
of each reading (depth, finds, time since the last find, continued discovery curves) is known to have so many
relevant documents left. From that are fitted

- for each target, the probability that the target is reached. Its value is not believed as it is: stopping at the first
  moment at which a fluctuating number is high picks moments at which it is too high. Instead, for each topic is noted
  the highest value *before* its target was reached, as predicted without that topic. A review that stops above the
  95 % quantile of these critical values reaches its target on 95 % of topics like those (conformal prediction with
  cross-validation, and the finite-sample correction (m + 1)): this is what `left` means. It is right on average over
  calibrations; with a confidence, an exact binomial bound holds for so many of them.
- the number of relevant documents left: a negative binomial distribution, whose quantiles are moved so that intervals
  contain the truth as often as they claim on topics that were not fitted.

The guarantee is that of exchangeable topics: it holds on average over topics like the calibration topics, for the same
ranking method on the same collection. It does not hold topic by topic, and not for another kind of topic.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import special

from antecede.errors import InputError, UsageError, printable, spell
from antecede.files import write_whole
from antecede.ranges import write_number
from antecede.results import concise_repr
from antecede.review.distributions import (
    FEATURES,
    checkpoint_states,
    describe_states,
    fit_logistic,
    fit_poisson,
)
from antecede.review.reading import (
    DEFAULT_TARGET,
    FEEDBACK,
    STATIC,
    TARGET,
    Bounds,
    Decision,
    describe_complete,
    required,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from antecede.review.judged_topics import JudgedReading
    from antecede.review.reading import Bools, Floats, Ints, Reading


FORMAT, VERSION = "antecede calibration", 1
REMEDY = "make it with antecede review calibrate"
TARGETS = (0.8, 0.9, 0.95, 1.0)
FOLDS = 5
"""Critical values and intervals come from predictions for topics that were not fitted, in so many folds."""
RIDGE = 1.0
FEWEST = 10
"""Topics below which nothing is calibrated: the smallest risk that m topics can vouch for is 1/(m + 1)."""
QUIET = 0.01
"""The risk, of all, that is spent on topics of which nothing is found."""
QUANTILES = 1000
MOST_TOPICS, LARGEST_NUMBER, SMALLEST_SCALE = 50_000_000, 1e100, 1e-9
DISPERSION = (1e-3, 1e3)


# States of readings


class States(NamedTuple):
    """The states of all readings, one row each, sorted by topic."""

    values: Floats
    """float64[S, F]: the features, standardised."""
    topic: Ints
    found: Ints
    left: Floats
    weight: Floats
    """float64[S]: 1 over the number of states of the topic, so that each topic counts as one."""

    def predict(self, fit: Callable[..., Floats], labels: Floats) -> tuple[Floats, Floats]:
        """The weights of a regression on all states, and its linear predictor of each without the fold of its topic."""
        predictor = np.empty(len(labels))
        folds = self.topic % FOLDS
        for fold in np.unique(folds):
            inside = folds == fold
            weights = fit(self.values[~inside], labels[~inside], self.weight[~inside], RIDGE)
            predictor[inside] = weights[0] + self.values[inside] @ weights[1:]
        return fit(self.values, labels, self.weight, RIDGE), predictor


# The calibration


def highest_risk(missed: Ints, topics: int, confidence: float | None) -> Floats:
    """The risk if so many of the topics are missed: (n + 1)/(m + 1), which is right on average over calibrations.

    With a confidence, the risk that is exceeded with a probability of 1 − confidence at most, whatever topics the
    calibration happens to have: P(Binomial(m, risk) ≤ n) = 1 − confidence.

    >>> highest_risk(np.array([0, 4]), 99, None).tolist(), highest_risk(np.array([0, 4]), 99, 0.8).round(4).tolist()
    ([0.01, 0.05], [0.0161, 0.067])
    """
    if confidence is None:
        return np.asarray((missed + 1) / (topics + 1), np.float64)
    known = special.betaincinv(missed + 1.0, np.maximum(topics - missed, 1).astype(np.float64), confidence)
    return np.where(missed < topics, known, 1.0)


@dataclass(frozen=True, eq=False)
class TargetModel:
    """When one target is reached."""

    weights: Floats
    critical: Floats
    """float64[m], ascending: of each calibration topic, the highest score before its target was reached."""

    def risks(self, scores: Floats, confidence: float | None = None) -> Floats:
        """The probability that a review that stops at each score misses its target: see `highest_risk`."""
        topics = len(self.critical)
        missed = topics - np.searchsorted(self.critical, scores, side="left")
        return highest_risk(missed, topics, confidence)


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a collection and a ranking method taught: risks of stopping, and how much is left."""

    __repr__ = concise_repr

    method: str
    """The ranking that was read, in words."""
    topics: int
    documents: int
    """The median size of what could be read."""
    means: Floats
    scales: Floats
    targets: dict[float, TargetModel]
    left_weights: Floats
    dispersion: float
    pit_low: Floats
    """float64[QUANTILES + 1]: quantiles of P(X ≤ left) under the fitted distribution."""
    pit_high: Floats
    """The same of P(X < left)."""
    quiet: float
    """The share of the list without any find after which nothing is expected; above 1, never."""

    @property
    def feedback(self) -> str:
        """The kind of feedback that the calibration topics were read with: the last part of the method."""
        known = self.method.rpartition(", ")[2]
        return known if known in FEEDBACK else STATIC

    @property
    def ranking(self) -> str | None:
        """The search settings by name; None where a run was read."""
        name, comma, feedback = self.method.rpartition(", ")
        return name if comma and feedback in FEEDBACK else None

    def smallest_risk(self, confidence: float | None = None) -> float:
        """The smallest risk that so many topics can vouch for."""
        return float(highest_risk(np.array([0]), self.topics, confidence)[0])

    def model_for(self, target: float) -> TargetModel:
        """The model of a target; one that was not calibrated is refused."""
        for known, model in self.targets.items():
            if math.isclose(known, target):
                return model
        known_targets, wanted = ", ".join(map(write_number, sorted(self.targets))), write_number(float(target))
        remedy = f"calibrate again with {spell('target', target)}"
        raise UsageError(f"the calibration has the targets {known_targets}, not {wanted}; {remedy}")

    def risks(self, reading: Reading, target: float, confidence: float | None = None) -> tuple[Ints, Floats]:
        """The depths at which a risk is known, and the probability that stopping there misses the target.

        Those are the checkpoints passed so far; and where nothing is found for long, from when on nothing is expected
        until something is found.
        """
        ranked, model = reading.from_ranking, self.model_for(target)
        depths, states = checkpoint_states(ranked)
        values = (states - self.means) / self.scales
        risks = model.risks(np.maximum.accumulate(model.weights[0] + values @ model.weights[1:]), confidence)
        first = int(ranked.finds[0]) if ranked.found else ranked.read + 1
        quiet = max(math.ceil(round(self.quiet * ranked.documents, 9)), 1) if self.quiet < 1 else first
        if quiet < first and len(depths):
            known, depths = depths, np.union1d(depths, [quiet, min(first, ranked.read)])
            risks = risks[np.searchsorted(known, depths, side="right") - 1]
            risks[(depths >= quiet) & (depths < first)] = QUIET
        return depths, risks

    def risk(self, reading: Reading, target: float = DEFAULT_TARGET, confidence: float | None = None) -> float:
        """The probability that stopping now misses the target: 1 before anything is known, 0 when all is read."""
        if reading.complete:
            return 0.0
        _, risks = self.risks(reading, target, confidence)
        return float(risks[-1]) if len(risks) else 1.0

    def decide(
        self, reading: Reading, target: float = DEFAULT_TARGET, left: float = 0.05, confidence: float | None = None
    ) -> Decision:
        """Stop once the risk of missing the target is at most `left`, or as small as so few topics can vouch for."""
        if reading.complete:
            return Decision(True, describe_complete(reading))
        allowed = max(left, self.smallest_risk(confidence))
        risk = self.risk(reading, target, confidence)
        if not reading.found and risk <= allowed:
            reason = f"nothing is found in {reading.read} documents: of 100 topics, 99 have a find by then"
            return Decision(True, reason)
        bound = "" if confidence is None else f"at most, with confidence {confidence:g}, "
        reason = f"the risk that recall is below {target:g} is {bound}{risk:.3f} on {self.topics} calibration topics"
        if allowed > left:
            least = fewest_topics(left, confidence)
            reason += f"; they can vouch for {allowed:.3f} at best, {least} or more for {left:g}"
        return Decision(risk <= allowed + 1e-12, reason)

    def estimate(self, reading: Reading, level: float = 0.95) -> Bounds:
        """How many relevant documents there are: the median of the distribution, and the ends of its interval."""
        ranked = reading.from_ranking
        if reading.complete or not ranked.read:
            return Bounds(reading.found, reading.found, reading.found + reading.unread)
        states = describe_states(ranked, np.array([min(ranked.read, ranked.documents - 1)]))
        values = (states - self.means) / self.scales
        mean = float(_exponential(self.left_weights[0] + values @ self.left_weights[1:])[0])
        tail = (1 - level) / 2
        low, high = (
            negative_binomial_quantile(mean, self.dispersion, place, reading.unread)
            for place in (self.place(self.pit_low, tail), self.place(self.pit_high, 1 - tail))
        )
        if not reading.found:  # all topics that were learned from have relevant documents; this one may have none
            low = 0
        return Bounds(reading.found + min(max(mean, low), high), reading.found + low, reading.found + high)

    def place(self, quantiles: Floats, level: float) -> float:
        """The level of the fitted distribution that corresponds to one of the observed frequency, with (m + 1).

        Fewer than 39 topics cannot vouch for 2.5 % at either end: the most extreme level that was observed is taken.
        """
        outward = level * (1 + 1 / self.topics) - (level < 0.5) / self.topics
        at = min(max(outward, 0.0), 1.0) * (len(quantiles) - 1)
        return float(quantiles[math.ceil(at) if level > 0.5 else math.floor(at)])


def fewest_topics(left: float, confidence: float | None = None) -> int:
    """How many calibration topics can vouch for a risk.

    >>> fewest_topics(0.05), fewest_topics(0.05, 0.8), fewest_topics(0.05, 0.95)
    (19, 32, 59)
    """
    if confidence is None:
        return math.ceil(round(1 / left, 9)) - 1
    return math.ceil(round(math.log(1 - confidence) / math.log(1 - left), 9))


# Fitting


def fit_calibration(
    judged: Sequence[JudgedReading], *, method: str = "", targets: Iterable[float] = TARGETS
) -> Calibration:
    """Learn from readings whose answers are known; the topics should be like those of the reviews to come.

    Topics without a relevant document teach nothing and are left out. `method` is the ranking that was read, for the
    record; stopping is calibrated for the targets.
    """
    used = [each for each in judged if each.total > 0 and each.reading.read > 0]
    if len(used) < FEWEST:
        raise UsageError(f"{len(used)} topics with a relevant document are too few to calibrate; give {FEWEST} or more")
    wanted = sorted({float(each) for each in targets})
    for target in wanted:
        TARGET.check(target, "target")
    states, means, scales = _gather_states(used)
    readings = [each.reading for each in used]
    firsts = [reading.finds[0] / reading.documents if reading.found else math.inf for reading in readings]
    # The share of the list by which 99 % of topics have a find, with (m + 1); ∞ where too few topics can say so.
    place = math.ceil((len(firsts) + 1) * (1 - QUIET))
    quiet = sorted(firsts)[place - 1] if place <= len(firsts) else math.inf
    models = {}
    for target in wanted:
        needed = np.array([required(each.total, target) for each in used], np.int64)
        reached = states.found >= needed[states.topic]
        weights, scores = states.predict(fit_logistic, reached.astype(np.float64))
        given_up = np.array([first > quiet for first in firsts])
        given_up |= np.array([reading.found for reading in readings]) < needed
        models[target] = TargetModel(weights, np.sort(critical_values(scores, states.topic, ~reached, given_up)))
    size = int(np.median([reading.documents for reading in readings]))
    return Calibration(method, len(used), size, means, scales, models, *_fit_left(states), quiet)


def _gather_states(judged: Sequence[JudgedReading]) -> tuple[States, Floats, Floats]:
    """The states of all readings, and the means and scales by which their features are standardised."""
    columns: list[tuple[Any, ...]] = []
    for at, each in enumerate(judged):
        depths, values = checkpoint_states(each.reading)
        found = np.concatenate([[0], np.cumsum(each.reading.relevant)])[depths]
        share = np.full(len(depths), 1 / max(len(depths), 1))
        columns.append((values, np.full(len(depths), at), found, each.total - found, share))
    values, topic, found, left, weight = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    if not len(topic):
        raise UsageError("every list has a single document; there is nothing to calibrate")
    means, spread = values.mean(axis=0), values.std(axis=0)
    scales = np.where(spread > SMALLEST_SCALE, spread, 1.0)
    return States((values - means) / scales, topic, found, left.astype(np.float64), weight), means, scales


def critical_values(scores: Floats, topic: Ints, missed: Bools, given_up: Bools) -> Floats:
    """Of each topic, the highest score in a state where the target is missed: above it, stopping is right.

    −∞ where the target is reached from the first state on; ∞ where the list never reaches it, or where the review is
    given up with nothing found.
    """
    critical = np.where(given_up, np.inf, -np.inf)
    np.maximum.at(critical, topic[missed], scores[missed])
    return critical


def _fit_left(states: States) -> tuple[Floats, float, Floats, Floats]:
    """The distribution of how many are left, and how its quantiles compare with what was observed."""
    weights, predictor = states.predict(fit_poisson, states.left)
    means = _exponential(predictor)
    excess = states.weight @ ((states.left - means) ** 2 - means)
    dispersion = float(np.clip(excess / (states.weight @ means**2), *DISPERSION))
    pits = (negative_binomial_cdf(each, means, dispersion) for each in (states.left, states.left - 1))
    low, high = (weighted_quantiles(each, states.weight) for each in pits)
    return weights, dispersion, low, high


def _exponential(predictor: Floats) -> Floats:
    return np.asarray(np.exp(np.clip(predictor, -30, 30)))


def weighted_quantiles(values: Floats, weights: Floats) -> Floats:
    """The quantiles 0, 1/1000 … 1 of weighted values."""
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order])
    places = np.searchsorted(cumulative, np.linspace(0, 1, QUANTILES + 1) * cumulative[-1] * (1 - 1e-12))
    return np.asarray(values[order][np.minimum(places, len(values) - 1)])


def negative_binomial_cdf(counts: Floats, means: Floats, dispersion: float) -> Floats:
    """P(X ≤ count) of the negative binomial with variance μ + φμ²; 0 below 0."""
    size = 1 / dispersion
    below: Floats = special.betainc(size, np.maximum(counts, 0) + 1, size / (size + means))
    return np.where(counts < 0, 0.0, below)


def negative_binomial_quantile(mean: float, dispersion: float, probability: float, most: int) -> int:
    """The smallest count with P(X ≤ count) above the probability, at most `most`."""
    if probability >= 1:
        return most

    def is_above(count: int) -> bool:
        return bool(negative_binomial_cdf(np.array([count]), np.array([mean]), dispersion)[0] > probability)

    return bisect_left(range(most), True, key=is_above)


# Files


def write_calibration(calibration: Calibration, path: str | Path) -> None:
    """Write a calibration, as in `calibrate(...).calibration`, as JSON with a checksum."""

    def numbers(values: Floats) -> list[float | str]:  # infinite ones as texts
        return [each if math.isfinite(each) else str(each) for each in values.tolist()]

    content = {
        "format": FORMAT,
        "version": VERSION,
        "method": calibration.method,
        "topics": calibration.topics,
        "documents": calibration.documents,
        "features": [*FEATURES],
        "means": numbers(calibration.means),
        "scales": numbers(calibration.scales),
        "targets": {
            write_number(target): {"weights": numbers(model.weights), "critical": numbers(model.critical)}
            for target, model in calibration.targets.items()
        },
        "left": {
            "weights": numbers(calibration.left_weights),
            "dispersion": calibration.dispersion,
            "low": numbers(calibration.pit_low),
            "high": numbers(calibration.pit_high),
        },
        "quiet": numbers(np.array([calibration.quiet]))[0],
    }
    whole = {**content, "checksum": _checksum(content)}
    write_whole(path, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read_calibration(path: str | Path) -> Calibration:
    """The calibration of a file; one that is damaged, of another version or not a calibration is refused."""
    refuse = partial(InputError, source=printable(str(path), 1000), remedy=REMEDY)
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - any text
        raise refuse("is not a regular file")
    try:
        whole = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise refuse(f"cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise refuse("is not JSON") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise refuse("is not a calibration")
    if whole.get("version") != VERSION or whole.get("features") != [*FEATURES]:
        what = (
            f"has version {printable(str(whole.get('version')))} or other features, this program "
            f"reads version {VERSION}"
        )
        raise refuse(what, remedy="calibrate again with antecede review calibrate")
    checksum = whole.pop("checksum", None)
    try:
        if checksum != _checksum(whole):
            raise refuse("is damaged: its checksum does not agree")
        return _from_json(whole)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, UsageError):
        # The checksum shows that the file is unchanged, not who wrote it.
        raise refuse("is not what a calibration gives") from None


def _from_json(whole: dict[str, Any]) -> Calibration:
    """The calibration that `write_calibration` wrote; raises an error for values that no calibration has."""
    topics, documents, left, features = whole["topics"], whole["documents"], whole["left"], len(FEATURES)
    if not (isinstance(whole["method"], str) and type(topics) is type(documents) is int):
        raise TypeError("the method is a text, the numbers of topics and documents are integers")
    if not (FEWEST <= topics <= MOST_TOPICS and 0 < documents < 2**53 and whole["targets"]):
        raise ValueError("a number is beyond its range")
    targets = {}
    for written, model in whole["targets"].items():
        TARGET.check(float(written), "target")
        critical = _numbers(model["critical"], topics, -math.inf, math.inf, ascending=True)
        targets[float(written)] = TargetModel(_numbers(model["weights"], features + 1), critical)
    return Calibration(
        whole["method"],
        topics,
        documents,
        _numbers(whole["means"], features),
        _numbers(whole["scales"], features, SMALLEST_SCALE),
        targets,
        _numbers(left["weights"], features + 1),
        float(_numbers([left["dispersion"]], 1, *DISPERSION)[0]),
        _numbers(left["low"], QUANTILES + 1, 0.0, 1.0, ascending=True),
        _numbers(left["high"], QUANTILES + 1, 0.0, 1.0, ascending=True),
        float(_numbers([whole["quiet"]], 1, 0.0, math.inf)[0]),
    )


def _numbers(
    values: list[float | str],
    size: int,
    low: float = -LARGEST_NUMBER,
    high: float = LARGEST_NUMBER,
    ascending: bool = False,
) -> Floats:
    """So many numbers of a range; by default those of which no sum of products overflows."""
    numbers = np.array([float(value) for value in values])
    if numbers.shape != (size,) or not ((low <= numbers) & (numbers <= high)).all():
        raise ValueError("there are more or fewer numbers, or one is beyond its range")
    if ascending and (numbers[1:] < numbers[:-1]).any():
        raise ValueError("the numbers do not ascend")
    return numbers


def read_suitable(path: str | Path, feedback: str, ranking: str | None = None) -> Calibration:
    """The calibration of a file, if it was made as the documents are read; the risks of another one would be wrong.

    `ranking` is the name of the search settings of the review; None where they are not known, as of a run.
    """
    found, source = read_calibration(path), str(path)
    if found.feedback != feedback:
        what = f"was made with {found.feedback} feedback, but the review has {feedback}"
        raise InputError(what, source=source, remedy=f"calibrate with {spell('feedback', feedback)}")
    if ranking is not None and found.ranking is not None and found.ranking != ranking:
        what = f"was made with the ranking {printable(found.ranking)}, but the review has {ranking}"
        raise InputError(what, source=source, remedy="calibrate with the same search settings")
    return found


@lru_cache(maxsize=8)
def _read_once(path: str, _stamp: tuple[int, int] | None) -> Calibration:
    return read_calibration(path)


def cached_calibration(path: str) -> Calibration:
    """The calibration of a file that is asked many times; it is read again when its time or its size changes."""
    facts = os.stat(path) if os.path.isfile(path) else None  # noqa: PTH113, PTH116 - any text
    return _read_once(path, None if facts is None else (facts.st_mtime_ns, facts.st_size))
