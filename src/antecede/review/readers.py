"""Simulated readers: the reading of a ranking whose answers are known, as far as a stopping rule lets it go.

A rule determines how documents are chosen: most read the ranking from the top; `target` and `qbcb` draw a random sample
first; `autostop` draws with probabilities that fall along the ranking. `simulate` reads until the rule says stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.review.reading import DEFAULT_TARGET, Decision, Reading, required
from antecede.review.stopping import StoppingRule, fewest_positives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.review.judged_topics import JudgedReading

GROWTH = 1.02
"""How much deeper a reading is from one decision to the next, beyond the first 50 documents."""
BATCH = 1.1
"""The growth of AutoStop's batches."""


@dataclass(frozen=True)
class Outcome:
    """Where a review stopped."""

    topic_id: str
    rule: str
    read: int
    documents: int
    found: int
    total: int
    reached: bool
    """Whether the target was reached."""
    reason: str

    @property
    def recall(self) -> float:
        """The share of the relevant documents that were found; 1 where there are none."""
        return self.found / self.total if self.total else 1.0

    @property
    def effort(self) -> float:
        """The share of the documents that were read."""
        return self.read / self.documents


def simulate(judged: JudgedReading, rule: StoppingRule, *, target: float = DEFAULT_TARGET, seed: int = 0) -> Outcome:
    """Read until the rule says stop, or to the end of the list.

    >>> from antecede.review.judged_topics import JudgedReading
    >>> from antecede.review.stopping import parse_rule
    >>> judged = JudgedReading("1", Reading([True, False, False, True], documents=4), total=2)
    >>> outcome = simulate(judged, parse_rule("misses(n=2)"))
    >>> outcome.read, outcome.recall, outcome.reached
    (3, 0.5, False)
    """
    if judged.reading.audited is not None or judged.reading.probabilities is not None:
        raise UsageError("a simulation reads a ranking; audited documents and probabilities are its own")
    reading, decision = judged.reading, Decision(True, "the list is read to its end")
    for stage in stages(judged.reading, rule, target=target, seed=seed):
        verdict = rule.decide(stage, target)
        if verdict.stop:
            reading, decision = stage, verdict
            break
    found = reading.found
    reached = found >= required(judged.total, target)
    return Outcome(
        judged.topic_id, str(rule), reading.read, reading.documents, found, judged.total, reached, decision.reason
    )


def stages(complete: Reading, rule: StoppingRule, *, target: float, seed: int) -> Iterator[Reading]:
    """The readings at which the rule is asked, each longer than the one before."""
    if rule.definition.needs == "probabilities":
        yield from draw_by_rank(complete, seed)
        return
    order = complete
    first = 1
    if rule.definition.needs == "audited":
        order, first = sample_first(complete, positives_of(rule, target), seed)
    for depth in stage_depths(first, complete.read):
        yield order.up_to(depth)


def stage_depths(first: int, last: int) -> list[int]:
    """Every depth up to 50, then about 2 % more each time."""
    depths, depth = [], first
    while depth < last:
        depths.append(depth)
        depth = depth + 1 if depth < 50 else max(depth + 1, int(depth * GROWTH))
    return [*depths, last]


def positives_of(rule: StoppingRule, target: float) -> int:
    """How many relevant documents the sample of a rule must have."""
    given = rule.parameters.get("n", rule.definition.defaults.get("n"))
    if given is not None:
        return int(given)
    confidence = float(rule.parameters.get("confidence", rule.definition.defaults["confidence"]))
    return fewest_positives(target, confidence) or 2**62


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


def rank_chances(documents: int) -> NDArray[np.float64]:
    """AutoStop's distribution over ranks, the prior of average precision: p_i ∝ ln((D + 1)/i)."""
    chances = np.log((documents + 1) / np.arange(1, documents + 1))
    shares: NDArray[np.float64] = chances / chances.sum()
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
