"""Robustness: does a measure still put the systems in the same order when judgements are missing?

The study of Magdy & Jones (CLEF 2010): remove judgements, score the systems again, and correlate their order with the
one under all judgements (Kendall's τ-b). How judgements are removed is one of the losses in `judgement_loss`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from antecede.comparison.correlation import kendall_many
from antecede.comparison.inputs import Flags, Floats, Ints, check_totals
from antecede.errors import UsageError, advise, spell
from antecede.evaluation.audit import list_caveats
from antecede.evaluation.scores import require_scores
from antecede.measures.definition import mean, round_totals
from antecede.measures.names import DEFAULT_MEASURES, parse_measures
from antecede.operations import operation
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE
from antecede.results import by_name, to_json
from antecede.study.judgement_loss import (
    DEFAULT_SAMPLES,
    LOSSES,
    LOST,
    GivenLoss,
    JudgementLoss,
    Judgements,
    JudgementSamples,
    LossPlan,
    assign_groups,
    rescore,
)
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import Unpack

    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.definition import Measure
    from antecede.measures.names import Measures
    from antecede.operations import Level, Progress
    from antecede.study.judgement_loss import LossName, Lost
    from antecede.tables import Value

MOST_FLAGS = 100_000_000
"""Judgements × samples held in memory at a time."""
FEW_RUNS = 10
"""Below so many runs, one swap changes τ so much that its figures say little."""
BAND = 0.95
"""The share of the samples between `low` and `high`."""


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Tabled, PlotMixin):
    """Rank correlations under lost judgements: M measures, L levels of loss, S samples per level, R runs."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    remove: LossName
    """How judgements are lost: random, judgements, group, depth or late."""
    keep: tuple[float, ...]
    """One number per level: the share of relevant documents kept (random, late), the depth of the pool (depth), or the
    mean share that remains (group)."""
    levels: tuple[str, ...]
    """The label of each level: 0.2, 0.4, …; 10, 20, …; `all but one group`."""
    tau: Floats
    """float64[M, L, S]: Kendall's τ-b of the totals against those under all judgements; NaN where all runs tie."""
    full: Floats
    """float64[M, R]: the totals under all judgements."""
    totals: Floats
    """float64[M, L, S, R]: the totals under each sample of the judgements."""
    kept: Ints
    """int64[L, S]: how many of the `relevant` documents remain."""
    relevant: int
    topics: int
    """Topics with a relevant document under all judgements."""
    topics_lost: Ints
    """int64[L, S]: topics that lost their last relevant document and are left out of the totals."""
    sample_names: tuple[str, ...] = ()
    """group: the group left out of each sample. Empty for the other losses."""
    groups: tuple[str, ...] = ()
    """group: the group of each run. Empty for the other losses."""
    better: tuple[str | None, ...] = ()
    """For each measure, which totals are better: higher, lower, or neither."""
    seed: int = 0
    treat_as: Lost = "dropped"
    """What becomes of a document whose judgement is lost: dropped, or unjudged."""
    advice: tuple[str, ...] = ()
    """What the runs or the qrels lack, and how it is scored."""

    @property
    def samples(self) -> int:
        return int(self.tau.shape[2])

    @property
    def share(self) -> Floats:
        """float64[L]: the mean share of all relevant documents that remains; the x axis of the figure."""
        return np.asarray(self.kept.mean(axis=1) / self.relevant)

    @property
    def mean(self) -> Floats:
        """float64[M, L]: the mean τ over the samples."""
        return mean(self.tau)

    @property
    def worst(self) -> Floats:
        """float64[M, L]: the lowest τ of any sample, as in figures 3 and 4 of the paper."""
        return self._over_samples(np.nanmin)

    @property
    def low(self) -> Floats:
        """float64[M, L]: the lower end of the band that contains 95 % of the samples (their 2.5 % quantile)."""
        return self._over_samples(np.nanquantile, q=(1 - BAND) / 2)

    @property
    def high(self) -> Floats:
        """float64[M, L]: the upper end of the band (their 97.5 % quantile)."""
        return self._over_samples(np.nanquantile, q=(1 + BAND) / 2)

    def _over_samples(self, statistic: Callable[..., Any], **parameters: float) -> Floats:
        """A statistic over the samples for which τ is defined; NaN where it is defined for none."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy warns where no sample remains, and returns NaN
            return np.asarray(statistic(self.tau, axis=2, **parameters))

    @property
    def falls(self) -> Ints:
        """int64[M, S], group: how many places the most affected run of the left-out group loses among all runs."""
        sign = np.array([-1.0 if better == "lower" else 1.0 for better in self.better])
        member = np.array([[group == name for group in self.groups] for name in self.sample_names])
        moved = rank_runs(sign[:, None, None] * self.totals[:, 0]) - rank_runs(sign[:, None] * self.full)[:, None, :]
        return np.asarray(np.where(member, moved, -len(self.runs)).max(axis=2))

    def tables(self) -> tuple[Table, ...]:
        """The correlations, and where groups are left out one by one, those of each group."""
        return (self.table(), *([self.groups_table()] if self.sample_names else []))

    def table(self) -> Table:
        """τ for each level and measure: mean, worst and band over the samples; the most robust measure is marked."""
        rows: list[tuple[Value, ...]] = []
        best: set[tuple[int, int]] = set()
        mean, worst, low, high = self.mean, self.worst, self.low, self.high
        for at, level in enumerate(self.levels):
            for name, values in (("mean", mean), ("worst", worst))[: min(2, self.samples)]:
                best |= {(len(rows), 2 + m) for m in _find_highest(values[:, at])}
                rows.append((level, name, *map(float, values[:, at])))
            if self.samples > 2:
                ends = zip(low[:, at], high[:, at], strict=True)
                rows.append((level, f"{100 * BAND:g} %", *(f"{lowest:.3f}–{highest:.3f}" for lowest, highest in ends)))
        return Table(
            ("depth" if self.remove == "depth" else "kept", "τ", *self.measures),
            tuple(rows),
            title="Robustness: Kendall's τ against the order under all judgements",
            notes=self.notes(),
            best=frozenset(best),
            digits=3,
            grouped=1,
        )

    def groups_table(self) -> Table:
        """group: one row per group left out, with the documents lost, τ, and how far the group's own runs fall."""
        falls = self.falls
        rows: list[tuple[Value, ...]] = []
        for at, name in enumerate(self.sample_names):
            lost = self.relevant - int(self.kept[0, at])
            rows.append((name, self.groups.count(name), lost, *self.tau[:, 0, at].tolist(), *falls[:, at].tolist()))
        heads = [*(f"τ {measure}" for measure in self.measures), *(f"fall {measure}" for measure in self.measures)]
        return Table(
            ("without", "runs", "relevant lost", *heads),
            tuple(rows),
            title="Without the documents found only by one group",
            notes=("fall: how many places among all runs the group's most affected run loses.",),
            digits=3,
        )

    def notes(self) -> tuple[str, ...]:
        """Notes for the table: the size of the study and what was lost."""
        drawn = f"{self.samples} sample{'s' * (self.samples > 1)} per level"
        seed = f", seed {self.seed}" if self.remove in {"random", "judgements", "late"} else ""
        notes = [f"{len(self.runs)} runs, {self.topics} topics, {self.relevant:,} relevant documents; {drawn}{seed}."]
        if len(self.runs) < FEW_RUNS:
            swap = 4 / (len(self.runs) * (len(self.runs) - 1))
            few = f"τ over {len(self.runs)} runs says little: one swap of neighbours changes it by {swap:.2f}"
            notes.append(f"Note: {few}.")
        left = ", ".join(f"{level}: {100 * share:.1f} %" for level, share in zip(self.levels, self.share, strict=True))
        what = f"{LOSSES[self.remove].summary} {LOST[self.treat_as]}"
        notes.append(f"{self.remove}: {what} Relevant documents remaining: {left}.")
        if self.topics_lost.any():
            most = zip(self.levels, self.topics_lost.max(axis=1), strict=True)
            lost = ", ".join(f"{level}: {int(topics)}" for level, topics in most)
            notes.append(f"Topics left out because no relevant document remains: {lost}.")
        if self.samples > 2:
            notes.append(f"{100 * BAND:g} %: the range that contains this share of the samples.")
        return (*notes, *(f"Note: {text}" for text in self.advice))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`; None where τ is undefined because all runs tie."""
        statistics = {"mean": self.mean, "worst": self.worst, "low": self.low, "high": self.high, "values": self.tau}
        document: dict[str, Any] = {
            "remove": self.remove,
            "treat_as": self.treat_as,
            "keep": self.keep,
            "samples": self.samples,
            "seed": self.seed,
            "runs": len(self.runs),
            "topics": self.topics,
            "relevant": self.relevant,
            "relevant_left": by_name(self.kept, self.levels),
            "topics_lost": by_name(self.topics_lost, self.levels),
            "measures": self.measures,
            "full": by_name(self.full, self.measures, self.runs),
            "tau": {
                measure: {
                    level: {name: values[m, at] for name, values in statistics.items()}
                    for at, level in enumerate(self.levels)
                }
                for m, measure in enumerate(self.measures)
            },
        }
        if self.sample_names:
            document |= {"groups": self.sample_names, "falls": by_name(self.falls, self.measures)}
        return dict(to_json(document | ({"advice": self.advice} if self.advice else {})))


@operation
def robustness(
    table: RankTable,
    measures: Measures = DEFAULT_MEASURES,
    *,
    rel: Level = 1,
    infinite: Literal["refuse", "leave out"] = "refuse",
    progress: Progress | None = None,
    loss: JudgementLoss = JudgementLoss(),
    **_given: Unpack[GivenLoss],
) -> Robustness:
    """Show which measures still order the runs alike when judgements are missing: Kendall's τ, mean and worst.

    Lost judgements are drawn; the order of the runs in each sample is correlated with that under all judgements (Magdy
    & Jones, CLEF 2010).

    Args:
        table: The rank table, from `rank_table`.
        measures: The measures to study.
        infinite: A measure that is infinite in some sample: `refuse`, or `leave out`.
        progress: Called with (done, total).
        loss: Which judgements are lost, as one value.

    Shell:
        antecede study robustness qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --samples 100 --figure robustness.svg
        antecede study robustness qrels.txt runs/*.gz --remove depth --keep 10,20,50,100
        antecede study robustness qrels.txt runs/*.gz --remove group --groups groups.txt --figure groups.svg
        antecede study robustness qrels.txt runs/*.gz -m AP,Bpref,infAP --remove judgements --treat-as unjudged
    """
    RELEVANCE.check(rel, "rel")
    chosen = list(parse_measures(measures, rel=None if rel == 1 else rel))
    kind, groups, seed = LOSSES[loss.remove], loss.groups, loss.seed
    drawn = DEFAULT_SAMPLES if loss.samples is None else loss.samples
    if len(table.runs) < 2:
        raise UsageError("robustness needs at least two runs to order, but got 1; add another run")
    if loss.remove == "group" and groups is None:
        raise UsageError(
            f"losing a group requires the group of each run; give {advise('groups=', 'groups (--groups FILE)')}"
        )
    members = assign_groups(table.runs, groups or {}) if loss.remove == "group" else ()
    judged = Judgements.of(table.ranks, rel=rel, groups=members)
    if not judged.relevant.any():
        raise UsageError(f"no document has relevance {rel} or more, so none can be lost; choose another level")
    losable = np.ones_like(judged.relevant) if kind.all_judged else judged.relevant
    levels = kind.keep if loss.keep is None else loss.keep
    plan = kind.plan(judged.select(losable), levels, drawn, np.random.default_rng(seed))

    fresh = replace(table.ranks, _selections={})
    full = np.array([measure.aggregate(measure.score(fresh)) for measure in chosen])
    check_totals(full, chosen, table.runs)
    require_scores(chosen, full, table)
    for measure, of_runs in zip(chosen, full, strict=True):
        if (of_runs == of_runs[0]).all():
            raise UsageError(f"{measure}: all runs have the same total, so they have no order; leave the measure out")
    # Only the pairs that some measure looks at. Further copies of a document are kept or lost with it.
    seen = np.flatnonzero(fresh.used_pairs)
    document = np.arange(len(fresh.relevance)) if fresh.copies is None else np.cumsum(~fresh.copies) - 1
    places = np.where(losable, np.cumsum(losable) - 1, -1)[document[seen]]
    sampler = partial(JudgementSamples, fresh.select(seen), places, pooled=loss.treat_as == "unjudged")
    totals, left = _score_samples(plan, sampler, chosen, (judged, losable), progress)
    if infinite == "leave out":
        finite = np.flatnonzero(~np.isinf(totals).any(axis=(1, 2, 3)))
        chosen, full, totals = [chosen[at] for at in finite.tolist()], full[finite], totals[finite]
    check_totals(totals, chosen, table.runs)
    topics = len(np.unique(judged.topic[judged.relevant]))
    return Robustness(
        measures=tuple(map(str, chosen)),
        runs=table.runs,
        remove=loss.remove,
        keep=plan.keep,
        levels=plan.levels,
        tau=correlate_orders(full, totals),
        full=full,
        totals=totals,
        kept=left[0],
        relevant=int(judged.relevant.sum()),
        topics=topics,
        topics_lost=topics - left[1],
        sample_names=plan.sample_names,
        groups=members,
        better=tuple(measure.definition.better for measure in chosen),
        seed=seed,
        treat_as=loss.treat_as,
        advice=(*_list_doubts(table, chosen, loss), *list_caveats(table, measures=chosen)),
    )


def _list_doubts(table: RankTable, measures: Sequence[Measure], loss: JudgementLoss) -> Iterator[str]:
    """What was requested and has no effect."""
    if loss.samples is not None and not LOSSES[loss.remove].random:
        number = "sample a group" if loss.remove == "group" else "sample per level"
        same = f"{loss.remove} loses the same judgements every time"
        yield f"{same}: there is one {number}, not the {loss.samples} asked for"
    pooled = [str(measure) for measure in measures if measure.definition.name == "infAP"]
    if pooled and loss.treat_as == "dropped" and not (table.ranks.relevance < 0).any():
        yield (
            f"{pooled[0]} differs from AP only by documents of the pool that are not judged, and lost ones are dropped "
            f"from the pool: its figures are those of AP; choose {spell('treat_as', 'unjudged')}"
        )


def _score_samples(
    plan: LossPlan,
    sampler: Callable[[Flags], JudgementSamples],
    measures: Sequence[Measure],
    pairs: tuple[Judgements, Flags],
    progress: Callable[[int, int], None] | None,
) -> tuple[Floats, Ints]:
    """float64[M, L, S, R], the totals under each sample; int64[2, L, S], how many documents and topics remain."""
    judged, losable = pairs
    relevant, topic = judged.relevant[losable], judged.topic[judged.relevant]
    first_of_topic = np.unique(topic, return_index=True)[1]
    at_once = max(1, MOST_FLAGS // (int(losable.sum()) * len(plan.levels)))
    parts: list[Floats] = []
    counts: list[Ints] = []
    masks = plan.masks()
    while several := list(islice(masks, at_once)):
        kept = np.concatenate(several)

        def report(done: int, total: int, before: int = len(parts)) -> None:
            if progress is not None:
                progress(before * total + done, -(-plan.samples // at_once) * total)

        parts.append(rescore(sampler(kept), measures, report))
        left = kept[:, relevant]
        topics = np.logical_or.reduceat(left, first_of_topic, axis=1)
        counts.append(np.stack((left.sum(axis=1), topics.sum(axis=1))))
    shape = (plan.samples, len(plan.levels))
    totals = np.concatenate(parts, axis=1).reshape(len(measures), *shape, -1).swapaxes(1, 2)
    return totals, np.concatenate(counts, axis=1).reshape(2, *shape).swapaxes(1, 2)


def correlate_orders(full: Floats, totals: Floats) -> Floats:
    """float64[M, L, S]: Kendall's τ-b of each sample with all judgements."""
    measures, levels, samples, runs = totals.shape
    pairs = zip(full, totals.reshape(measures, levels * samples, runs), strict=True)
    tau = np.array([kendall_many(reference, sampled) for reference, sampled in pairs])
    return round_totals(tau).reshape(measures, levels, samples)


def rank_runs(totals: Floats) -> Ints:
    """The place of each run on the last axis: one more than the number of runs ahead of it."""
    ahead = totals[..., None, :] > totals[..., :, None]
    return np.asarray(1 + ahead.sum(axis=-1))


def _find_highest(values: Floats) -> list[int]:
    """The positions of the highest value; empty if all values are equal."""
    known = values[~np.isnan(values)]
    return np.flatnonzero(values == known.max()).tolist() if len({*known.tolist()}) > 1 else []
