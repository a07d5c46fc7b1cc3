"""Estimators, side by side: how many relevant documents there are in all.

    @estimator("chapman", cite="Chapman 1951", assumption="…", needs="found_by")
    def chapman(reading: Reading, *, level: OpenShare = 0.95) -> Bounds: …

An estimator returns `(total, low, high)`: how many relevant documents there are, and the ends of an interval that
contains the true number with probability `level` if the assumption holds. The keyword parameters are what may be
written: `poisson(rate=power,level=0.9)`. Whatever a formula returns is brought between what was found and what remains
possible; a reading that is complete needs no estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Listing, OpenShare, Registry, parameters_of
from antecede.review.calibration import cached_calibration, read_calibration
from antecede.review.distributions import (
    Rate,
    clopper_pearson,
    expected_left,
    largest_unseen,
    normal_quantile,
    poisson_quantile,
)
from antecede.review.reading import Bounds as Bounds  # packages of other authors import it from here
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.review.calibration import Calibration
    from antecede.review.reading import Reading

Needs = Literal["ranking", "found_by", "audited", "probabilities", "calibration"]
"""What an estimator or a rule requires of the reading, beyond which documents are relevant."""


@dataclass(frozen=True)
class Estimate:
    """How many relevant documents there are, with an interval and what it assumes."""

    total: float
    """The middle of the estimate, for studies: it is not shown, as it lies below the truth nearly always."""
    low: float
    high: float
    level: float
    """The nominal probability that the interval contains the true number."""
    assumption: str
    found: int

    @property
    def recall_low(self) -> float:
        """The lower end of the interval of recall."""
        return self.found / self.high if self.high > 0 else 1.0

    def __str__(self) -> str:
        """`4 to 10 relevant documents, recall at least 40 %`; the total is left out, since it promises nothing."""
        low, high = math.floor(self.low + 1e-9), math.ceil(self.high - 1e-9)
        if high <= self.found:
            return f"{self.found} relevant documents, no more are expected"
        return f"{low} to {high} relevant documents, recall at least {percent_at_least(self.recall_low)}"

    def as_dict(self) -> dict[str, Any]:
        """What the estimate promises, in a JSON-compatible form."""
        names = ("low", "high", "level", "found", "recall_low", "assumption")
        return {**{name: getattr(self, name) for name in names}, "statement": str(self)}


def percent_at_least(share: float) -> str:
    """A share as a percentage that it reaches: rounded down, and never all, since an estimate cannot know that.

    >>> percent_at_least(0.999), percent_at_least(0.0761), percent_at_least(1.0)
    ('99 %', '7 %', '99 %')
    """
    return f"{min(math.floor(100 * share + 1e-9), 99)} %"


@dataclass(frozen=True, eq=False)
class EstimatorDefinition(Definition):
    """A registered estimator, before its parameters are given."""

    assumption: str
    """What must hold for the interval to be right, in one sentence."""
    needs: Needs = "ranking"

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "assumption": self.assumption, "needs": self.needs}


@dataclass(frozen=True)
class Estimator(Choice[EstimatorDefinition]):
    """An estimator with its parameters."""

    @property
    def level(self) -> float:
        return float(self.parameters.get("level", self.definition.defaults["level"]))

    def estimate(self, reading: Reading) -> Estimate:
        check_needs(self.definition.needs, reading, f"the estimator {self}")
        found, most = reading.found, reading.found + reading.unread
        if reading.complete:
            total = low = high = float(found)
        else:
            total, low, high = self.definition.function(reading, **self.keywords)
            if not (low <= high):  # also refuses NaN
                raise UsageError(f"the estimator {self} gives an interval from {low} to {high}")
            low, high = (min(max(float(end), found), most) for end in (low, high))
            total = min(max(float(total), low), high)
        return Estimate(total, low, high, self.level, self.definition.assumption, found)


def check_needs(needs: Needs, reading: Reading, who: str) -> None:
    """Refuse a reading that lacks what an estimator or a rule requires."""
    missing = {
        "found_by": "documents that two or more queries retrieved; record which query found which document",
        "audited": "documents drawn at random; audit a sample first",
        "probabilities": "the inclusion probabilities of a sampling reader",
    }
    if needs in missing and getattr(reading, needs) is None:
        raise UsageError(f"{who} needs {missing[needs]}")


ESTIMATORS: Registry[EstimatorDefinition] = Registry("estimator", package=__name__, group="antecede.estimators")

_Function = TypeVar("_Function", bound="Callable[..., Bounds]")


def estimator(name: str, *, cite: str, assumption: str, needs: Needs = "ranking") -> Callable[[_Function], _Function]:
    """Register a function as the estimator `name`."""

    def register(function: _Function) -> _Function:
        ESTIMATORS.add(name, EstimatorDefinition(name, function, parameters_of(function), cite, assumption, needs))
        return function

    return register


def parse_estimator(text: str) -> Estimator:
    """The estimator that `chapman` or `poisson(rate=power,level=0.9)` denotes."""
    return Estimator.parse(text, ESTIMATORS, "chapman or poisson(rate=power)")


def estimate(text: str, reading: Reading) -> Estimate:
    """How many relevant documents there are, by the estimator that the text denotes.

    Args:
        text: The estimator, as in `audit` or `poisson(rate=power,level=0.9)`.
        reading: What was read so far.

    >>> import antecede as ac
    >>> print(ac.review.estimate("poisson", ac.Reading([True, True, False, True], documents=4)))
    3 relevant documents, no more are expected
    """
    return parse_estimator(text).estimate(reading)


# A random audit sample of what the ranking did not show


@estimator(
    "audit",
    cite="Clopper & Pearson 1934",
    assumption="the audited documents are a uniform random sample of those that the ranking has not shown",
    needs="audited",
)
def audit(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """A random audit sample: the share of relevant documents in it, times the size of what it was drawn from.

        N = f + U·x / m

    x of m audited documents are relevant, U is the number of documents that the ranking has not shown, f the relevant
    ones that it has. The interval is the exact binomial one (Clopper & Pearson), which is conservative for a sample
    without replacement.

    The only assumption is that the sample is random, so that this interval can be trusted anywhere; but it is wide
    where relevant documents are rare: after 59 misses of 59, up to 6.1 % of the rest may be relevant. A sample that
    was drawn before the ranking was read counts as far as the ranking has not arrived at it; where that is not known,
    as with active learning, which shows no document of the sample again, it is a sample of all documents: N = D·x / m.

    >>> audited = [0, 0] + [1] * 10
    >>> print(estimate("audit", Reading([1, 0] + [1] + [0] * 9, documents=102, audited=audited)))
    2 to 46 relevant documents, recall at least 4 %
    """
    sample = reading.audited
    if sample is not None and reading.ranks is None and sample.any() and sample[: int(sample.sum())].all():
        hits, drawn = int(np.count_nonzero(reading.relevant & sample)), int(sample.sum())
        low, high = clopper_pearson(hits, drawn, level)
        return Bounds(*(reading.documents * share for share in (hits / drawn, low, high)))
    reached = reading.reached
    drawn = int(np.count_nonzero(~reached))
    found = int(np.count_nonzero(reading.relevant & reached))
    population = reading.documents - int(np.count_nonzero(reached))
    if not drawn:
        return Bounds(reading.found, reading.found, reading.found + reading.unread)
    hits = reading.found - found
    low, high = clopper_pearson(hits, drawn, level)
    return Bounds(found + population * hits / drawn, found + population * low, found + population * high)


# Capture–recapture between independent queries


@estimator(
    "chapman",
    cite="Chapman 1951; variance of Seber 1970; interval of Chao 1987",
    assumption="the queries find relevant documents independently of each other, each document as easily as any other",
    needs="found_by",
)
def chapman(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """Capture–recapture: how many relevant documents two queries would find if they had missed the same share.

        N = (a + 1)(b + 1) / (m + 1) − 1

    a and b are the relevant documents that either query found, m those that both found. Of more than two queries,
    those at odd and those at even places form the two groups. The interval is log-normal for the number of documents
    that neither found, with Seber's variance (a+1)(b+1)(a−m)(b−m) / ((m+1)²(m+2)).

    Queries on the same topic share words and miss the same documents, so that the estimate tends to be too low; with
    no document in common it is little more than a guess, and its interval says so.

    >>> found_by = [[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0]]
    >>> print(estimate("chapman", Reading([1, 1, 1, 1, 1, 1], documents=100, found_by=found_by)))
    6 to 12 relevant documents, recall at least 50 %
    """
    captures = reading.found_by
    if captures is None or len(captures) < 2:
        raise UsageError("the estimator chapman needs documents that two or more queries retrieved")
    first, second = captures[0::2].any(axis=0) & reading.relevant, captures[1::2].any(axis=0) & reading.relevant
    a, b, m = (int(np.count_nonzero(group)) for group in (first, second, first & second))
    total = (a + 1) * (b + 1) / (m + 1) - 1
    variance = (a + 1) * (b + 1) * (a - m) * (b - m) / ((m + 1) ** 2 * (m + 2))
    captured = a + b - m
    missed = total - captured
    elsewhere = reading.found - captured
    if missed <= 0 or variance == 0:
        return Bounds(total + elsewhere, total + elsewhere, total + elsewhere)
    factor = math.exp(normal_quantile(level) * math.sqrt(math.log1p(variance / missed**2)))
    known = captured + elsewhere
    return Bounds(total + elsewhere, known + missed / factor, known + missed * factor)


# A sample with known inclusion probabilities, as in AutoStop


@estimator(
    "horvitz_thompson",
    cite="Horvitz & Thompson 1952; Li & Kanoulas, TOIS 2020 (AutoStop)",
    assumption="documents were drawn with the given inclusion probabilities, and every document could be drawn",
    needs="probabilities",
)
def horvitz_thompson(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """Horvitz–Thompson: each relevant document counts for the inverse of its probability of being in the sample.

        N = Σ 1/π_i,  Var N = Σ (1 − π_i)/π_i²

    over the relevant documents read, π_i the probability with which document i is in a sample like this one. Draws
    with replacement exclude each other slightly (π_ij ≤ π_i π_j), so that this variance errs on the safe side. The
    interval is normal. With nothing found, the upper end is the number of documents that would all stay unseen with
    probability (1 − level)/2 at the mean inclusion probability.

    Unbiased, but a relevant document at the end of a ranking has a small π and stays unseen in most samples: the
    estimate is then too low, and too high by 1/π when it is seen.

    >>> print(estimate("horvitz_thompson", Reading([1, 0, 1], documents=20, probabilities=[0.5, 0.5, 0.25])))
    2 to 14 relevant documents, recall at least 14 %
    """
    if not reading.found:
        return Bounds(0.0, 0.0, largest_unseen(reading.read / reading.documents, level))
    total, deviation = total_and_deviation(reading)
    reach = normal_quantile(level) * deviation
    return Bounds(total, total - reach, total + reach)


def total_and_deviation(reading: Reading) -> tuple[float, float]:
    """The estimated number of relevant documents, and its standard deviation."""
    if reading.probabilities is None:
        raise UsageError("a sample without inclusion probabilities cannot be weighted")
    chances = reading.probabilities[reading.relevant]
    return float((1 / chances).sum()), math.sqrt(float(((1 - chances) / chances**2).sum()))


# A Poisson process fitted to the discovery curve


@estimator(
    "poisson",
    cite="Sneyd & Stevenson, EMNLP 2019 and SIGIR 2021",
    assumption="relevant documents occur along the ranking as a Poisson process whose rate keeps falling as fitted",
)
def poisson(reading: Reading, *, rate: Rate = "power", level: OpenShare = 0.95) -> Bounds:
    """A Poisson process along the ranking: its rate is fitted to where documents were found, and continued to the end.

        N = k + Λ,  Λ = ∫ λ(x) dx from T to D

    k documents were found among the first T of D. The rate λ is `power` (a·x^(c−1), c ≤ 1), `hyperbolic`
    (a/(1 + bx)^c, c ≥ 1) or `exponential` (a·e^(−bx)), each fitted by maximum likelihood. The interval contains Λ's
    Poisson variation, not the uncertainty of the fit, as published: it is too narrow where little was found.

    A power law has a heavy tail and tends to read too much, an exponential decline forgets it and tends to stop too
    early. Documents of an audit sample are set aside for the fit. With nothing found, the rest is assumed to be no
    richer than what was read.

    >>> print(estimate("poisson(rate=power)", Reading([1, 1, 0, 1, 0, 0, 0, 1, 0, 0], documents=20)))
    4 to 11 relevant documents, recall at least 36 %
    """
    ranked = reading.from_ranking
    if not ranked.read or not ranked.unread:
        return Bounds(reading.found, reading.found, reading.found + ranked.unread)
    if not ranked.found:
        _, high = clopper_pearson(0, ranked.read, level)
        return Bounds(reading.found, reading.found, reading.found + high * ranked.unread)
    left = expected_left(ranked.finds.astype(np.float64), ranked.read, ranked.documents, rate)
    tail = (1 - level) / 2
    low, high = poisson_quantile(left, tail), poisson_quantile(left, 1 - tail)
    return Bounds(reading.found + left, reading.found + low, reading.found + high)


# Calibration on topics of the same collection


@estimator(
    "calibrated",
    cite="Vovk, Gammerman & Shafer 2005 (conformal prediction)",
    assumption="the topic is like the calibration topics, and the ranking is made by the same method",
    needs="calibration",
)
def calibrated(reading: Reading, *, file: str, level: OpenShare = 0.95) -> Bounds:
    """Calibrated: how many were left on topics of the same collection that had been read as far and found as much.

        N = k + μ(x)

    k documents were found; μ is a Poisson regression on the state x of the reading: its depth, its finds, how long ago
    the last one was and two continued discovery curves. The interval takes the quantiles of a negative
    binomial distribution around μ at levels at which it contained the truth as often as it claims on topics that were
    not fitted. `file` is written by `antecede review calibrate`.

    It holds on average over topics like the calibration topics; a topic of another kind is not covered.

    >>> estimate("calibrated(file=absent.json)", Reading([True, False], documents=9))
    Traceback (most recent call last):
        ...
    antecede.errors.InputError: absent.json: cannot be read (No such file or directory); make it with antecede review \
calibrate
    """
    return cached_calibration(file).estimate(reading, level)


@estimator(
    "general",
    cite="Vovk, Gammerman & Shafer 2005 (conformal prediction)",
    assumption="the topic is like those of one of several collections: patents and what they cite, or TREC-8",
)
def general(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """General: how many were left on topics of several collections, for cases without a calibration of their own.

        N = k + median of μ_c(x),  from the lowest to the highest interval of all c

    One calibration per collection c is shipped; each is asked as `calibrated` is. The interval spans all of theirs, so
    that it is wide: with `antecede review calibrate`, a collection of your own says much more.

    It holds on topics like those of any of these collections; a collection of another kind is not covered.

    >>> estimate("general", Reading([True, False] * 2, documents=4)).total
    2.0
    """
    return combine_estimates([calibration.estimate(reading, level) for calibration in _shipped_calibrations()])


SHIPPED = Path(__file__).parent / "calibrations"


@cache
def _shipped_calibrations() -> list[Calibration]:
    return [read_calibration(path) for path in sorted(SHIPPED.glob("*.json"))]


def combine_estimates(bounds: Sequence[Bounds]) -> Bounds:
    """The median of some estimates, and an interval that spans all of theirs."""
    totals, lows, highs = zip(*bounds, strict=True)
    return Bounds(float(np.median(totals)), min(lows), max(highs))


def _tabulate(entries: Sequence[EstimatorDefinition]) -> Table:
    rows = tuple((entry.usage, entry.summary, entry.assumption) for entry in entries)
    note = "Details of an estimator: antecede list estimators NAME. Which to trust when: see the page on stopping."
    return Table(("estimator", "description", "assumption"), rows, notes=(note,))


LISTING = Listing(ESTIMATORS, _tabulate)
