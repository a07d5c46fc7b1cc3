"""Runs compared over the topics of several collections together: a mixed model.

A score is the effect of the run, which is sought, and random effects of the collection, of the topic, and of the run on
the collection, as systems that suit one collection need not suit another, plus an error. Topics of one collection are
then not independent evidence on how runs compare elsewhere: tests over all topics pooled claim too much.

With every run on every topic, differences between runs contain neither the effect of the topic nor of the collection,
so that two variances remain, and their restricted likelihood (REML) is a function of one number, their ratio. It equals
that of the whole model wherever the variances of topics and collections are estimated as positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from antecede.comparison.inputs import Floats, Ints, check_level, find_entry
from antecede.comparison.pair_table import PairTable, read_pairs
from antecede.comparison.significance import CORRECTIONS
from antecede.errors import InputError, UsageError, printable
from antecede.operations import Help
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.comparison.equivalence import Baseline
    from antecede.comparison.significance import Correction
    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha

_FEW = 5
"""Below so many collections, the variance between them is hardly known."""
_LOWEST, _HIGHEST = -18.0, 12.0
"""The natural logarithms of the ratios of variances that are searched; below, the ratio is 0."""


def read_collections(path: str) -> dict[str, str]:
    """The collection of each topic: a file with a topic and a collection on each line."""
    chosen: dict[str, str] = {}
    for number, line in enumerate(read_content(path).data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0] in chosen:
            what = "names a topic again" if len(words) == 2 else f"has {len(words)} columns"
            raise InputError(what, source=path, line=number, remedy="write one topic and its collection on each line")
        chosen[words[0]] = words[1]
    return chosen


def mixed(
    scores: Scores,
    *,
    collections: Annotated[
        Mapping[str, str], Help("The collection of each topic; a file with both on each line.", read=read_collections)
    ],
    baseline: Baseline = None,
    alpha: Alpha = 0.05,
    correction: Annotated[Correction, Help("The correction of p-values for many pairs of runs.")] = "holm",
) -> PairTable:
    """Compare runs over the topics of several collections by a mixed model (REML; Carterette, 2012; Robertson, 2012).

    The difference of two runs has a variance between collections and one between topics; collections are weighted by
    what each can tell of it. p is that of t with (collections − 1) · (runs − 1) degrees of freedom, which is exact
    where collections have equally many topics and cautious otherwise. Use it to claim that a run is better in general,
    not only on these collections.

    Args:
        scores: The evaluation of the pooled topics, whose names must differ. Topics that not every run has are left
            out.
        collections: The collection of each topic.

    Shell:
        antecede study mixed qrels.txt a.run b.run c.run -m AP --collections collections.txt
    """
    from scipy.special import stdtr, stdtrit

    check_level(alpha)
    correct, given = find_entry(CORRECTIONS, correction, "correction"), read_pairs(scores, baseline)
    names = [name for name in scores.topics if name not in collections]
    if names:
        few = ", ".join(map(printable, names[:3]))
        raise UsageError(f"collections: {len(names)} topics have no collection ({few}); name one for each topic")
    labels = np.array([collections[name] for name in scores.topics])
    by_measure, notes, left_out = {}, [], 0
    for measure, values in given.by_measure.items():
        complete = ~np.isnan(values).any(axis=0)
        left_out = max(left_out, int((~complete).sum()))
        known, group = np.unique(labels[complete], return_inverse=True)
        if len(known) < 2:
            raise UsageError(f"{measure}: the topics are of {len(known)} collection; a mixed model needs two or more")
        model = fit(values[:, complete], group)
        freedom = (len(known) - 1) * (len(given.runs) - 1)
        difference = given.pairs.differences(model.effects[:, None])[:, 0]
        statistic = np.divide(difference, model.error, out=np.copysign(np.inf, difference), where=model.error > 0)
        p = np.where(difference == 0, 1.0, 2 * stdtr(freedom, -np.abs(statistic)))
        reach = float(stdtrit(freedom, 1 - alpha / 2)) * model.error
        adjusted = correct(p)
        by_measure[measure] = {
            "difference": difference,
            "error": np.full(len(difference), model.error),
            "low": difference - reach,
            "high": difference + reach,
            "t": statistic,
            "p": p,
            "adjusted p": adjusted,
            "differs": adjusted <= alpha,
        }
        notes.append(
            f"{measure}: variance of a run's effect between collections {model.between:.3g}, between topics "
            f"{model.within:.3g}; {len(known)} collections, {int(complete.sum())} topics."
        )
        if len(known) < _FEW:
            notes.append(f"Note: {len(known)} collections tell little of how runs differ between collections.")
    notes += [f"{left_out} topics that not every run has are left out."] if left_out else []
    settings = {"alpha": alpha, "correction": correction, "collections": sorted({*labels.tolist()})}
    every = (f"Differs: adjusted p ≤ {alpha:g} ({correction} correction).", *dict.fromkeys(notes), *given.notes())
    return PairTable("Mixed model", given.runs, given.baseline, given.pairs, by_measure, settings, every)


@dataclass(frozen=True)
class MixedModel:
    """The estimates of a mixed model."""

    effects: Floats
    """float64[runs]: the effect of each run; only differences mean anything."""
    error: float
    """The standard error of the difference of two runs."""
    between: float
    """The variance of a run's effect between collections."""
    within: float
    """The variance of the error, of a run on a topic."""
    likelihood: float
    """The restricted log-likelihood of the differences between runs."""


def fit(values: Floats, group: Ints) -> MixedModel:
    """Fit the model by REML to float64[runs, topics] and the collection of each topic, 0 … C − 1."""
    from scipy.optimize import minimize_scalar

    sizes = np.bincount(group).astype(np.float64)
    centred = values - values.mean(axis=0)
    means = np.array([np.bincount(group, weights=row) for row in centred]) / sizes
    spread = float(((centred - means[:, group]) ** 2).sum())
    runs, topics = values.shape
    freedom = (topics - 1) * (runs - 1)

    def estimate(ratio: float) -> tuple[float, Floats, float, float]:
        weights = 1 / (ratio + 1 / sizes)
        effects = means @ weights / weights.sum()
        within = (spread + float((weights * (means - effects[:, None]) ** 2).sum())) / freedom
        determinant = (runs - 1) * float(np.log1p(sizes * ratio).sum() + np.log(weights.sum()))
        likelihood = -0.5 * (freedom * (np.log(2 * np.pi * within) + 1) + determinant) if within > 0 else np.inf
        return likelihood, effects, within, 2 * within / float(weights.sum())

    options = {"xatol": 1e-12, "maxiter": 1000}
    best = minimize_scalar(
        lambda log: -estimate(float(np.exp(log)))[0], bounds=(_LOWEST, _HIGHEST), method="bounded", options=options
    )
    ratio = float(np.exp(best.x))
    if estimate(0.0)[0] >= estimate(ratio)[0]:
        ratio = 0.0
    likelihood, effects, within, squared = estimate(ratio)
    return MixedModel(effects, float(np.sqrt(squared)), ratio * within, within, likelihood)
