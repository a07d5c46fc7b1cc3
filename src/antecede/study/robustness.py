"""Robustness: does a measure still put the systems in the same order when judgements are missing?

The study of Magdy & Jones (CLEF 2010): take judgements away, score the systems again, and correlate their order with
the one under all judgements (Kendall's τ-b). How judgements are taken away is one of the ways in `losses`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.correlation import kendall_many
from antecede.comparison.scored import DIGITS
from antecede.comparison.validation import check_seed
from antecede.errors import UsageError, shown
from antecede.measures.parse import parse_measures
from antecede.measures.ranks import Ranks
from antecede.study.groups import groups_of
from antecede.study.losses import Judgements, way_called
from antecede.study.rescoring import Sampled, rescored
from antecede.study.robustness_result import Robustness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.registry import Measure
    from antecede.study.losses import Plan

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["Robustness", "robustness"]

MOST_FLAGS = 100_000_000
"""Judgements × samples that are held at a time."""


def robustness(
    table: RankTable,
    measures: str | Measure | Iterable[str | Measure],
    *,
    keep: Sequence[float] | None = None,
    samples: int = 3,
    seed: int = 0,
    lose: str = "random",
    groups: Mapping[str, str] | None = None,
    rel: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Robustness:
    """How well each measure keeps the order of the runs when judgements are lost in the way `lose`.

    `keep` are the shares of relevant documents to keep (0.2, 0.4, 0.6 and 0.8), or with lose="depth" the depths of the
    pool. `groups` says which group made which run, for lose="group". Relevant is what has the relevance `rel` or more.
    The same seed loses the same judgements whatever is measured, and more samples begin with the same ones.
    """
    chosen = parse_measures(measures)
    way = way_called(lose)
    check_seed(seed)
    if len(table.runs) < 2:
        raise UsageError("robustness is about the order of runs, and there is only one; name another run")
    judged = Judgements.of(table.ranks, rel=rel, groups=members(table, groups) if lose == "group" else ())
    if not judged.relevant.any():
        raise UsageError(f"no document has the relevance {rel} or more, so none can be lost; choose another level")
    losable = np.ones_like(judged.relevant) if way.all_judged else judged.relevant
    levels = way.keep if keep is None else keep
    plan = way.plan(judged.only(losable), levels, samples, np.random.default_rng(seed))

    full, seen = all_judgements(table.ranks, chosen)
    check_order(full, chosen, table.runs)
    totals, left = scored_samples(plan, table.ranks, chosen, (judged, losable, seen), progress)
    check_ends(totals, chosen, table.runs)
    topics = len(np.unique(judged.topic[judged.relevant]))
    return Robustness(
        measures=tuple(map(str, chosen)),
        runs=table.runs,
        lose=lose,
        keep=plan.keep,
        levels=plan.levels,
        tau=taus(full, totals),
        full=full,
        totals=totals,
        kept=left[0],
        relevant=int(judged.relevant.sum()),
        topics=topics,
        topics_lost=topics - left[1],
        sample_names=plan.sample_names,
        groups=judged.groups,
        better=tuple(measure.definition.better for measure in chosen),
        seed=seed,
    )


def scored_samples(
    plan: Plan,
    ranks: Ranks,
    measures: Sequence[Measure],
    pairs: tuple[Judgements, Flags, Ints],
    progress: Callable[[int, int], None] | None,
) -> tuple[Floats, Ints]:
    """float64[M, L, S, R], the totals under each sample; int64[2, L, S], how many documents and topics are left."""
    judged, losable, seen = pairs
    at_once = max(1, MOST_FLAGS // (int(losable.sum()) * len(plan.levels)))
    parts: list[Floats] = []
    counts: list[Ints] = []
    masks = plan.masks()
    while several := list(islice(masks, at_once)):
        kept = np.concatenate(several)

        def report(done: int, total: int, before: int = len(parts)) -> None:
            if progress is not None:
                progress(before * total + done, -(-plan.samples // at_once) * total)

        parts.append(rescored(sampled(ranks, seen, losable, kept), measures, report))
        counts.append(count_left(kept[:, judged.relevant[losable]], judged.topic[judged.relevant]))
    shape = (plan.samples, len(plan.levels))
    totals = np.concatenate(parts, axis=1).reshape(len(measures), *shape, -1).swapaxes(1, 2)
    return totals, np.concatenate(counts, axis=1).reshape(2, *shape).swapaxes(1, 2)


def members(table: RankTable, groups: Mapping[str, str] | None) -> tuple[str, ...]:
    """The group of each run."""
    if groups is None:
        raise UsageError("losing a group's finds needs to know which group made which run; give groups (--groups FILE)")
    return groups_of(table.runs, groups)


def all_judgements(ranks: Ranks, measures: Sequence[Measure]) -> tuple[Floats, Ints]:
    """float64[M, R], the totals under all judgements; and the pairs that these measures look at."""
    fresh = Ranks(ranks.ranks, ranks.relevance, ranks.offsets, ranks.retrieved, ranks.copies)
    totals = np.array([measure.aggregate(measure.score(fresh)) for measure in measures])
    return totals, np.flatnonzero(fresh.looked_at)


def check_order(totals: Floats, measures: Sequence[Measure], runs: Sequence[str]) -> None:
    """Totals[M, R] must put runs in some order."""
    check_ends(totals, measures, runs)
    for measure, each in zip(measures, np.round(totals, DIGITS), strict=True):
        if (each == each[0]).all():
            raise UsageError(f"{measure}: all runs have the same total, so there is no order to keep; leave it out")


def check_ends(totals: Floats, measures: Sequence[Measure], runs: Sequence[str]) -> None:
    """A total that is infinite stands for a level of recall that some topic never reaches."""
    endless = np.argwhere(np.isinf(totals))
    if len(endless):
        measure, run = measures[endless[0][0]], shown(runs[endless[0][-1]])
        raise UsageError(f"{measure}: run {run} never gets there in some topic; give docs=, or choose another measure")


def sampled(ranks: Ranks, seen: Ints, losable: Flags, kept: Flags) -> Sampled:
    """The samples as `rescored` takes them: over the pairs `seen` alone, a further copy going with its document.

    `losable` is over the documents, each once; `kept` over those that are losable.
    """
    document = np.arange(len(ranks.relevance)) if ranks.copies is None else np.cumsum(~ranks.copies) - 1
    place = np.where(losable, np.cumsum(losable) - 1, -1)[document[seen]]
    table = Ranks(
        ranks.ranks[:, seen],
        ranks.relevance[seen],
        np.searchsorted(seen, ranks.offsets),
        ranks.retrieved,
        None if ranks.copies is None else ranks.copies[seen],
    )
    pairs = np.flatnonzero(place >= 0)
    return Sampled(table, pairs, kept[:, place[pairs]])


def count_left(kept: Flags, topic: Ints) -> Ints:
    """int64[2, samples]: how many relevant documents each sample has, and how many topics still have one."""
    some = np.logical_or.reduceat(kept, np.unique(topic, return_index=True)[1], axis=1)
    return np.stack((kept.sum(axis=1), some.sum(axis=1)))


def taus(full: Floats, totals: Floats) -> Floats:
    """float64[M, L, S]: the order of the runs under each sample against that under all judgements."""
    measures, levels, samples, runs = totals.shape
    reference, rounded = np.round(full, DIGITS), np.round(totals, DIGITS).reshape(measures, levels * samples, runs)
    found = np.array([kendall_many(one, many) for one, many in zip(reference, rounded, strict=True)])
    return np.round(found, DIGITS).reshape(measures, levels, samples)
