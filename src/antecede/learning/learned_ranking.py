"""Learn the weights of a ranking from topics, and say what they are worth: `antecede learn`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from antecede.comparison import compare_values
from antecede.errors import InputError, UsageError
from antecede.learning.linear import DEFAULT_STRENGTH, STRENGTHS, draw_sample, fit_weights, weigh_candidates
from antecede.learning.trees import fit_trees
from antecede.learning.validation import MEASURES, blocks_by_date, relevant_ranks, score_ranks, validate
from antecede.ranking.weights import Weights, weigh, write_weights
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.comparison import Comparison
    from antecede.learning.examples import Examples
    from antecede.learning.validation import Learner, Scorer
    from antecede.ranking.weights import TreeModel

    Floats = NDArray[np.float64]

CLASSIC, FIXED, LINEAR, TREES = "classic", "fixed weights", "learned weights", "learned trees"
FEWEST_TO_CHOOSE = 20
"""Topics that it takes to choose the penalty."""
FEWEST = 5
"""Topics that it takes to learn at all."""
DECIMALS = 4
"""Of a weight in a file."""


@dataclass(frozen=True, eq=False)
class Learned(Tabled):
    """Weights learned from topics, and how they rank topics that they were not learned from."""

    weights: Weights
    strength: float
    """The penalty on large weights that was chosen."""
    topics: int
    failed: Mapping[str, int]
    """Topics that could not be used, by reason."""
    days: tuple[str | None, str | None]
    """The dates of the earliest and of the latest topic."""
    pool_recall: float
    """The share of relevant documents among the candidates: no weights can find more."""
    comparison: Comparison | None
    """The classic search, the default weights and the learned ones on later topics; None where there are too few."""
    worth: Mapping[str, Floats] = field(default_factory=dict)
    """Feature → what each measure loses when weights are learned without it."""
    trees: TreeModel | None = None
    """Trees learned from the same topics, where they were asked for."""

    @property
    def ranking(self) -> Weights:
        """What is written: the trees if there are any, else the weights."""
        if self.trees is None:
            return self.weights
        return Weights(tuple((feature, 1.0) for feature, _ in self.weights.features), trees=self.trees)

    def table(self) -> Table:
        """The weights, and what each feature is worth."""
        rows = [
            (str(feature), round(weight, DECIMALS), *([*self.worth[str(feature)]] if self.worth else []))
            for feature, weight in self.weights.features
        ]
        worth = tuple(f"worth, {measure}" for measure in MEASURES) if self.worth else ()
        first, last = self.days
        title = f"Weights learned from {self.topics} topics" + (f", {first} to {last}" if first and last else "")
        notes = [f"the candidates include {self.pool_recall:.1%} of the relevant documents"]
        if self.worth:
            notes.append("worth: what a measure loses on later topics if weights are learned without the feature")
        notes += [f"{count} topics not used: {why}" for why, count in self.failed.items()]
        return Table(("feature", "weight", *worth), tuple(rows), title=title, notes=tuple(notes))

    def tables(self) -> tuple[Table, ...]:
        """The weights, and the comparison on later topics."""
        return (self.table(), *(self.comparison.tables() if self.comparison is not None else ()))

    def to_dict(self) -> dict[str, Any]:
        """The result in a JSON-compatible form."""
        worth = {name: dict(zip(MEASURES, values.tolist(), strict=True)) for name, values in self.worth.items()}
        return {
            "weights": {str(feature): weight for feature, weight in self.weights.features},
            "strength": self.strength,
            "topics": self.topics,
            "failed": dict(self.failed),
            "days": list(self.days),
            "pool_recall": self.pool_recall,
            "worth": worth,
            "comparison": self.comparison.to_dict() if self.comparison is not None else None,
        }

    def write(self, path: Path) -> None:
        """Write the ranking to a file for `--ranking`, with what they were learned from."""
        about = {"topics": self.topics, "days": list(self.days), "strength": self.strength}
        if self.comparison is not None:
            about["scores"] = {
                measure: dict(zip(self.comparison.runs, map(float, values), strict=True))
                for measure, values in self.comparison.scores.items()
            }
        write_weights(self.ranking, path, learned=about)


def learn_ranking(
    examples: Examples,
    *,
    kind: Literal["linear", "trees"] = "linear",
    worth: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Learned:
    """Learn a ranking from examples, and validate it by date.

    `kind` is `linear` for weights, none below 0, or `trees` for gradient-boosted trees. `worth` says whether to learn
    weights again without each feature, to see what it is worth.
    """
    if len(examples) < FEWEST:
        raise InputError(f"{len(examples)} topics are too few to learn from; at least {FEWEST} are needed")
    steps = 2 + (len(examples.features) if worth else 0)

    def report(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    weights, strength = fit_linear(examples)
    if not weights.any():
        raise InputError("no feature tells relevant documents from others, so there is no ranking to learn")
    report(1)
    learners: dict[str, Learner] = {LINEAR: linear_scorer, **({TREES: tree_scorer} if kind == "trees" else {})}
    comparison = compare_on_later(examples, learners)
    report(2)
    losses: dict[str, Floats] = {}
    if worth and comparison is not None:
        scores = validated_means(examples, strength)
        for number, name in enumerate(examples.features, 3):
            others = examples.choose_features(each for each in examples.features if each != name)
            losses[name] = scores - validated_means(others, strength)
            report(number)
    days = [str(each.day) for each in examples.topics if each.day is not None]
    return Learned(
        weigh({name: round(float(each), DECIMALS) for name, each in zip(examples.features, weights, strict=True)}),
        strength,
        len(examples),
        examples.failed,
        (days[0], days[-1]) if days else (None, None),
        examples.pool_recall,
        comparison,
        losses,
        fit_trees(examples) if kind == "trees" else None,
    )


def compare_on_later(examples: Examples, learners: Mapping[str, Learner]) -> Comparison | None:
    """Compare the classic search, the default and what learners learn on topics later than those learned from."""
    tested = [at for _, block in blocks_by_date(examples) for at in block]
    if len(tested) < FEWEST:
        return None
    later = examples.take(tested).topics
    fixed = [relevant_ranks(each, weigh_candidates(each.values, examples.fixed)) for each in later]
    learned = [validate(examples, learner)[1] for learner in learners.values()]
    scores = score_ranks(later, [[each.classic for each in later], fixed, *learned])
    by_measure = dict(zip(MEASURES, scores, strict=True))
    return compare_values(by_measure, (CLASSIC, FIXED, *learners))


def validated_means(examples: Examples, strength: float) -> Floats:
    """The mean of each measure on later topics, by weights learned with a penalty."""
    tested, ranks = validate(examples, lambda earlier: weigh_values(fit(earlier, strength)))
    means: Floats = score_ranks(examples.take(tested).topics, [ranks])[:, 0].mean(axis=1)
    return means


def tree_scorer(examples: Examples) -> Scorer:
    """Scores by trees learned from examples."""
    return fit_trees(examples).score


def linear_scorer(examples: Examples) -> Scorer:
    """Scores by linear weights learned from examples."""
    return weigh_values(fit_linear(examples)[0])


def weigh_values(weights: Floats) -> Scorer:
    """Scores by weights."""
    return lambda values: weigh_candidates(values, weights)


def fit_linear(examples: Examples) -> tuple[Floats, float]:
    """Linear weights, and the penalty that ranks the latest quarter of the topics best when learned from the others."""
    strength = DEFAULT_STRENGTH
    folds = blocks_by_date(examples, 4)
    if len(examples) >= FEWEST_TO_CHOOSE and folds:
        earlier, later = (examples.take(which) for which in folds[-1])
        found = {each: mean_recall(later, fit(earlier, each)) for each in STRENGTHS}
        strength = max(STRENGTHS, key=lambda each: (found[each], each))
    return fit(examples, strength), strength


def fit(examples: Examples, strength: float) -> Floats:
    """Linear weights with a penalty."""
    topics = examples.topics
    sample = draw_sample([each.values for each in topics], [each.relevant for each in topics], examples.fixed)
    return fit_weights(sample, examples.fixed, strength)


def mean_recall(examples: Examples, weights: Floats) -> float:
    """The mean of R@100."""
    ranks = [relevant_ranks(each, weigh_candidates(each.values, weights)) for each in examples.topics]
    return float(score_ranks(examples.topics, [ranks])[0].mean())


def learning_curve(
    examples: Examples, sizes: Sequence[int] = (10, 25, 50, 100, 200, 400), *, later: float = 0.4, draws: int = 5
) -> Table:
    """How good weights learned from so many of the earlier topics are on the later ones, mean over several draws."""
    if not 0 < later < 1:
        raise UsageError("the share of later topics must be between 0 and 1")
    cut = round(len(examples) * (1 - later))
    earlier, test = range(cut), examples.take(range(cut, len(examples))).topics
    rows: list[tuple[str | float, ...]] = []
    fixed = [relevant_ranks(each, weigh_candidates(each.values, examples.fixed)) for each in test]
    base = score_ranks(test, [[each.classic for each in test], fixed]).mean(axis=2)
    rows += [(CLASSIC, *base[:, 0]), (FIXED, *base[:, 1])]
    for size in [*(each for each in sizes if each < cut), cut]:
        means = []
        for draw in range(draws if size < cut else 1):
            chosen = np.sort(np.random.default_rng(draw).permutation(cut)[:size])
            weights, _ = fit_linear(examples.take([earlier[at] for at in chosen]))
            ranks = [relevant_ranks(each, weigh_candidates(each.values, weights)) for each in test]
            means.append(score_ranks(test, [ranks])[:, 0].mean(axis=1))
        rows.append((f"{size} topics", *np.mean(means, axis=0)))
    return Table(("learned from", *MEASURES), tuple(rows), title=f"Learning curve, tested on {len(test)} later topics")
