"""Stopping rules, side by side: whether to stop reading.

    @stopping_rule("misses", cite="…")
    def misses(reading: Reading, target: float, *, n: Count = 200) -> Decision: …

A rule sees what was read so far and the recall that is to be reached, and returns stop or go on, with its reason. The
keyword parameters are what may be written: `misses(n=50)`. Every rule stops where everything was read, and none stops
where nothing was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
from scipy import special

from antecede.operations import Help
from antecede.ranges import write_number
from antecede.registry import Choice, Count, Definition, Listing, OpenShare, Positive, Registry, parameters_of
from antecede.review.calibration import cached_calibration
from antecede.review.distributions import Rate, expected_left, hypergeometric_cdf, poisson_quantile
from antecede.review.estimators import Needs, check_needs, total_and_deviation
from antecede.review.reading import DEFAULT_TARGET, TARGET, Target, describe_complete, missable
from antecede.review.reading import Decision as Decision  # packages of other authors import it from here
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.review.reading import Reading


@dataclass(frozen=True, eq=False)
class RuleDefinition(Definition):
    """A registered stopping rule, before its parameters are given."""

    needs: Needs = "ranking"

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "needs": self.needs}


@dataclass(frozen=True)
class StoppingRule(Choice[RuleDefinition]):
    """A stopping rule with its parameters."""

    def decide(self, reading: Reading, target: float = DEFAULT_TARGET) -> Decision:
        """Whether to stop reading, if this share of the relevant documents is to be found."""
        TARGET.check(target, "target")
        if reading.complete:
            return Decision(True, describe_complete(reading))
        if not reading.read:
            return Decision(False, "nothing is read yet")
        check_needs(self.definition.needs, reading, f"the stopping rule {self}")
        decision: Decision = self.definition.function(reading, target, **self.keywords)
        return decision


STOPPING_RULES: Registry[RuleDefinition] = Registry("stopping rule", package=__name__, group="antecede.stopping_rules")

_Function = TypeVar("_Function", bound="Callable[..., Decision]")


def stopping_rule(name: str, *, cite: str, needs: Needs = "ranking") -> Callable[[_Function], _Function]:
    """Register a function as the stopping rule `name`."""

    def register(function: _Function) -> _Function:
        STOPPING_RULES.add(name, RuleDefinition(name, function, parameters_of(function), cite, needs))
        return function

    return register


def parse_rule(text: str) -> StoppingRule:
    """The stopping rule that `knee` or `misses(n=50)` denotes."""
    return StoppingRule.parse(text, STOPPING_RULES, "knee or misses(n=50)")


Rules = Annotated[
    Sequence[str | StoppingRule],
    Help("A stopping rule, such as knee or 'misses(n=50)'; may be repeated.", flags="--rule", metavar="RULE"),
]


def decide(text: str, reading: Reading, target: Target = DEFAULT_TARGET) -> Decision:
    """Whether to stop, by the rule that the text denotes.

    Args:
        text: The rule, as in `knee` or `misses(n=50)`.
        reading: What was read so far.

    >>> import antecede as ac
    >>> ac.review.stop("misses(n=2)", ac.Reading([True, False, False], documents=9))
    Decision(stop=True, reason='2 documents in a row are not relevant')
    """
    return parse_rule(text).decide(reading, target)


# A fixed depth, and so many documents in a row that are not relevant


@stopping_rule("depth", cite="common practice")
def depth(reading: Reading, target: float, *, n: Count = 100) -> Decision:
    """A fixed depth: stop after n documents, whatever they were.

    The baseline that any other rule must beat. It does not look at the target.

    >>> decide("depth(n=3)", Reading([True, False, False], documents=9))
    Decision(stop=True, reason='3 documents are read, 3 were planned')
    """
    read = "1 document is" if reading.read == 1 else f"{reading.read} documents are"
    return Decision(reading.read >= n, f"{read} read, {n} {'was' if n == 1 else 'were'} planned")


@stopping_rule("misses", cite="common practice in systematic reviews; Ros, Bjarnason & Runeson, EASE 2017")
def misses(reading: Reading, target: float, *, n: Count = 200) -> Decision:
    """Misses in a row: stop once n documents of the ranking in a row were not relevant.

    Cheap and widely used; how much it misses depends on how thinly the last relevant documents are spread. It does not
    look at the target.

    >>> decide("misses(n=2)", Reading([True, False, True, False], documents=9))
    Decision(stop=False, reason='1 of 2 documents in a row are not relevant')
    """
    since = _since_last_find(reading)
    if since >= n:
        return Decision(True, f"{since} documents in a row are not relevant")
    return Decision(False, f"{since} of {n} documents in a row are not relevant")


@stopping_rule("share_without_find", cite="common practice in systematic reviews; Callaghan & Müller-Hansen 2020")
def share_without_find(reading: Reading, target: float, *, share: OpenShare = 0.1) -> Decision:
    """A share of the list without a find: stop once so large a share of all documents in a row was not relevant.

    Like `misses`, but in proportion to the size of what could be read. It does not look at the target.

    >>> decide("share_without_find(share=0.2)", Reading([True, False, False], documents=10))
    Decision(stop=True, reason='the last 2 documents, 20.0 % of the list, have no find')
    """
    since = _since_last_find(reading)
    stop = since >= share * reading.documents
    return Decision(
        stop,
        f"the last {since} documents, {since / reading.documents:.1%} of the list, have no find".replace("%", " %"),
    )


def _since_last_find(reading: Reading) -> int:
    """How many documents of the ranking were read since the last relevant one."""
    ranked = reading.from_ranking
    return ranked.read - (int(ranked.finds[-1]) if ranked.found else 0)


# The knee of the discovery curve, and the budget that bounds it


_KNEE_CITE = "Cormack & Grossman, SIGIR 2016"


@stopping_rule("knee", cite=_KNEE_CITE)
def knee(reading: Reading, target: float, *, least: Count = 100) -> Decision:
    """Knee: stop where the discovery curve bends so sharply that it has become flat.

        ρ = (k_i / i) / ((1 + k_s − k_i) / (s − i)) ≥ 156 − min(k_s, 150)

    k_s documents were found among the s read; i is the rank at which the curve is farthest above the straight line
    from the start to its end. ρ is the slope before the knee over the slope after it; few finds require a sharper
    knee. At least `least` documents are read. It does not look at the target: it was tuned for about 70–80 % recall.

    >>> decide("knee(least=2)", Reading([True] * 10 + [False] * 300, documents=1000)).reason
    'the slope ratio at the knee, rank 10, is 300.0; 146 is required'
    """
    ranked = reading.from_ranking
    required = 156 - min(ranked.found, 150)
    ratio, at = slope_ratio(ranked)
    if reading.read < least:
        return Decision(False, f"{reading.read} documents are read; at least {least} are")
    return Decision(
        ratio >= required, f"the slope ratio at the knee, rank {at}, is {ratio:.1f}; {required} is required"
    )


@stopping_rule("budget", cite=_KNEE_CITE)
def budget(reading: Reading, target: float, *, ratio: Positive = 6.0, most: OpenShare = 0.75) -> Decision:
    """Budget: stop at a knee once as much was read as a random sample of ten relevant documents would have cost.

        ρ ≥ 6 and s ≥ 10·D / k_s,  or s ≥ 0.75·D

    with the slope ratio ρ of `knee`; 10·D/k_s is about the number of documents that the `target` method would have
    read. In any case it stops at 75 % of the D documents. It does not look at the target.

    >>> decide("budget", Reading([True] * 20 + [False] * 60, documents=100)).reason
    '80 documents are read, 80.0 % of the list'
    """
    ranked = reading.from_ranking
    if reading.read >= most * reading.documents:
        share = f"{100 * reading.read / reading.documents:.1f} %"
        return Decision(True, f"{reading.read} documents are read, {share} of the list")
    slopes, at = slope_ratio(ranked)
    if not ranked.found:
        return Decision(False, "nothing is found yet")
    cost = 10 * reading.documents / ranked.found
    reason = (
        f"the slope ratio at the knee, rank {at}, is {slopes:.1f} ({ratio:g} is required) and "
        f"{reading.read} documents are read ({cost:.0f} are required)"
    )
    return Decision(slopes >= ratio and reading.read >= cost, reason)


def slope_ratio(reading: Reading) -> tuple[float, int]:
    """The slope before the knee over the slope after it, and the rank of the knee; 0 where there is none."""
    if not reading.found or reading.read < 2:
        return 0.0, 0
    # The curve is farthest above its chord right at a find, since it is flat in between.
    ranks = reading.finds[reading.finds < reading.read]
    if not len(ranks):
        return 0.0, 0
    counts = np.arange(1, len(ranks) + 1)
    at = int(np.argmax(counts * reading.read - ranks * reading.found))
    rank, count = int(ranks[at]), int(counts[at])
    after = (1 + reading.found - count) / (reading.read - rank)
    return (count / rank) / after, rank


# Rules that draw a random sample first, and read until the ranking has found it again


@stopping_rule("target", cite="Cormack & Grossman, SIGIR 2016", needs="audited")
def target_set(reading: Reading, target: float, *, n: Count = 10) -> Decision:
    """Target set: draw documents at random until n relevant ones are found; stop when the ranking has found them all.

    With n = 10, recall is at least 70 % with probability .95 or more, whatever the ranking: 1 − 0.7^10 = .97. It does
    not look at the target. Where fewer than n documents are relevant, everything is read.

    >>> sample = dict(audited=[1, 1, 0, 0], ranks=[3, 9, 1, 2])
    >>> decide("target(n=1)", Reading([1, 0, 0, 0], documents=9, **sample)).reason
    'the ranking has found 1 of 1 relevant documents of the sample; 1 are required'
    """
    return _decide_by_sample(reading, n, n)


@stopping_rule("qbcb", cite="Lewis, Yang & Frieder, CIKM 2021", needs="audited")
def qbcb(reading: Reading, target: float, *, n: Count | None = None, confidence: OpenShare = 0.95) -> Decision:
    """QBCB: draw documents at random until n relevant ones are found; stop when the ranking has found j of them.

        j = the smallest with P(B < j) ≥ confidence,  B ~ Binomial(n, target)

    The quantile-based confidence bound: recall reaches the target with at least the given confidence, whatever the
    ranking. By default n is the smallest number with which this is possible, 59 for 95 % and 95 %, and j = n. Where
    fewer documents are relevant, everything is read: the guarantee is expensive where relevant documents are rare.

    >>> required_finds(59, 0.95, 0.95), required_finds(100, 0.95, 0.95), required_finds(10, 0.95, 0.95)
    (59, 99, None)
    """
    least = fewest_positives(target, confidence)
    size = least if n is None else n
    if least is None or size is None:
        return Decision(False, "no sample can guarantee a recall of 100 %; everything must be read")
    needed = required_finds(size, target, confidence)
    if needed is None:
        reason = f"a sample of {size} relevant documents cannot guarantee the target; {least} can"
        return Decision(False, reason)
    return _decide_by_sample(reading, size, needed)


def _decide_by_sample(reading: Reading, size: int, needed: int) -> Decision:
    """Stop once the sample has `size` relevant documents and the ranking has arrived at `needed` of them."""
    sample = np.zeros(reading.read, np.bool_) if reading.audited is None else reading.audited & reading.relevant
    drawn = np.flatnonzero(sample)[:size]
    if len(drawn) < size:
        return Decision(False, f"the sample has {len(drawn)} of {size} relevant documents")
    seen = int(np.count_nonzero(reading.reached[drawn]))
    reason = f"the ranking has found {seen} of {size} relevant documents of the sample; {needed} are required"
    return Decision(seen >= needed, reason)


def fewest_positives(target: float, confidence: float) -> int | None:
    """The smallest sample of relevant documents that can guarantee the target; None for a target of 1."""
    if target >= 1:
        return None
    return max(math.ceil(round(math.log(1 - confidence) / math.log(target), 9)), 1)


def required_finds(size: int, target: float, confidence: float) -> int | None:
    """How many of the sample's relevant documents the ranking must find; None where even all are not enough."""
    finds = np.arange(1, size + 1)
    enough = np.flatnonzero(special.bdtr(finds - 1.0, size, target) >= confidence - 1e-12)
    return int(finds[enough[0]]) if len(enough) else None


# Bounds of an estimate


@stopping_rule("autostop", cite="Li & Kanoulas, TOIS 2020", needs="probabilities")
def autostop(reading: Reading, target: float, *, deviations: float = 1.0) -> Decision:
    """AutoStop: stop where what was found reaches the target of an unbiased estimate plus its standard deviation.

        k ≥ target·(N + c·s)

    N and s are the Horvitz–Thompson estimate and its standard deviation; c is `deviations`, 0 for the paper's loose
    condition. Documents must be drawn with known probabilities, not read from the top.

    >>> sample = Reading([1, 0, 1], documents=20, probabilities=[1.0, 0.5, 1.0])
    >>> decide("autostop", sample).reason
    '2 found; 2.0 are estimated, 2.0 with 1 standard deviation'
    """
    if not reading.found:
        return Decision(False, "nothing is found yet")
    total, deviation = total_and_deviation(reading)
    bound = total + deviations * deviation
    units = "1 standard deviation" if deviations == 1 else f"{write_number(deviations)} standard deviations"
    reason = f"{reading.found} found; {total:.1f} are estimated, {bound:.1f} with {units}"
    return Decision(reading.found >= target * bound - 1e-9, reason)


@stopping_rule("poisson", cite="Sneyd & Stevenson, EMNLP 2019 and SIGIR 2021")
def poisson(
    reading: Reading, target: float, *, rate: Rate = "power", confidence: OpenShare = 0.95, least: Count = 5
) -> Decision:
    """Poisson process: stop where the number of documents left, at the given confidence, still meets the target.

        k ≥ target·(k + q),  q = the quantile of Poisson(Λ) at the confidence

    k documents were found, Λ are expected in the rest by the fitted rate: see the estimator `poisson`. At least
    `least` finds are required for a fit.

    >>> decide("poisson(rate=exponential)", Reading([True] * 20 + [False] * 60, documents=100)).reason
    '20 found; at most 0 left at confidence 0.95, and 1 may be left'
    """
    ranked = reading.from_ranking
    if ranked.found < least:
        return Decision(False, f"{ranked.found} found; a fit requires {least}")
    left = 0.0
    if ranked.unread:
        left = expected_left(ranked.finds.astype(np.float64), ranked.read, ranked.documents, rate)
    most, allowed = poisson_quantile(left, confidence), missable(reading.found, target)
    reason = f"{reading.found} found; at most {most} left at confidence {confidence:g}, and {allowed} may be left"
    return Decision(most <= allowed, reason)


@stopping_rule("quasi_sampling", cite="Callaghan & Müller-Hansen, Systematic Reviews 2020")
def quasi_sampling(reading: Reading, target: float, *, confidence: OpenShare = 0.95) -> Decision:
    """Ranked quasi-sampling: the documents since some earlier find, taken as if they were a random sample.

        p = min over starts s of P(X ≤ x_s),  X ~ Hypergeometric(D − s, x_s + m + 1, T − s)

    x_s documents were found after rank s among the T read; m + 1 more left would miss the target. Stop when p is below
    1 − confidence. Since the ranking puts relevant documents first, the rest is poorer than a random sample would
    suggest, and the rule errs on the safe side; the minimum over starts, which the authors take too, gives some of
    that back. Starts right after a find suffice: any other start has a larger p.

    >>> decide("quasi_sampling", Reading([True] * 20 + [False] * 80, documents=100)).stop
    True
    """
    ranked = reading.from_ranking
    if not ranked.read or not ranked.unread:
        return Decision(not ranked.unread, "the ranking is read to its end" if ranked.read else "nothing is read yet")
    starts = np.concatenate([[0], ranked.finds[ranked.finds < ranked.read]])
    found = ranked.found - np.searchsorted(ranked.finds, starts, side="right")
    hidden = missable(reading.found, target) + 1
    possible = found + hidden <= ranked.documents - starts
    starts, found = starts[possible], found[possible]
    if not len(starts):
        return Decision(True, f"fewer than {hidden} documents remain, too few to miss the target")
    p = hypergeometric_cdf(found, found + hidden, ranked.read - starts, ranked.documents - starts)
    at = int(np.argmin(p))
    start, level = int(starts[at]), 100 * (1 - confidence)
    few, number = f"only {found[at]}" if found[at] else "none", ranked.read - start
    since = f"since rank {start}" if start else "so far"
    among = "in the one document" if number == 1 else f"among the {number} documents"
    left = "1 relevant document or more was" if hidden == 1 else f"{hidden} or more relevant documents were"
    reason = (
        f"if {left} left, finding {few} {among} read {since} would have a probability of {100 * p[at]:.3g} %; "
        f"the rule stops below {level:.3g} %"
    )
    return Decision(bool(p[at] < 1 - confidence), reason)


# Calibration on topics of the same collection


@stopping_rule("calibrated", cite="Vovk, Gammerman & Shafer 2005 (conformal prediction)", needs="calibration")
def calibrated(
    reading: Reading, target: float, *, file: str, left: OpenShare = 0.05, confidence: OpenShare | None = None
) -> Decision:
    """Calibrated: stop once stopping like this would have missed the target on at most 5 % of topics of the collection.

        (1 + #{j: c_j ≥ s}) / (m + 1) ≤ left

    s is the highest score so far, of a logistic regression that predicts from the state of the reading whether the
    target is reached; c_j is the highest score of calibration topic j, predicted without it, before it reached the
    target. m topics can vouch for a risk of 1/(m + 1) at best: 5 % needs 19. `file` is written by
    `antecede review calibrate`.

    The risk is that of topics like the calibration topics on average, with the same ranking method: one calibration may
    be lucky, another one not. With `confidence` the risk is the upper end of an exact binomial interval, P(Binomial(m,
    risk) ≤ #{…}) = 1 − confidence, which holds for so many of all calibrations; .8 needs 32 topics and reads more.

    >>> decide("calibrated(file=absent.json)", Reading([True, False], documents=9))
    Traceback (most recent call last):
        ...
    antecede.errors.InputError: absent.json: cannot be read (No such file or directory); make it with antecede review \
calibrate
    """
    return cached_calibration(file).decide(reading, target, left, confidence)


def _tabulate(entries: Sequence[RuleDefinition]) -> Table:
    rows = tuple((entry.usage, entry.summary, entry.needs) for entry in entries)
    note = "Details of a rule: antecede list rules NAME. Which to trust when: see the page on stopping."
    return Table(("rule", "description", "needs"), rows, notes=(note,))


LISTING = Listing(STOPPING_RULES, _tabulate)
