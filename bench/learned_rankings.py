"""Learned rankings on the later topics of collections, beside the classic search and the default.

    python bench/learned_rankings.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. Topics with a date are sorted by it; rankings are learned
from the earlier 60 % and tested on the later 40 %: linear weights (`learn weights`), coordinate ascent, trees; as a
bound for linear weights, those that coordinate ascent finds on the later topics themselves are shown too. Then weights
are learned with the default of the other kind of text as the start, and from fewer topics; groups of features are left
out of the default over all topics; and weights learned from all topics of one collection are used on the other. Scores
are R@100, MAP and PRES@1000 over the candidates of the default with both spaces, p those of a paired t test with Holm's
correction.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ascent import ascend
from bench.ranking_study import collections

from antecede import comparison
from antecede.comparison import TopicValues
from antecede.index import open_index
from antecede.learning import collect_topics, gather_examples
from antecede.learning.learned_ranking import (
    MEASURES,
    fit_linear,
    fit_trees,
    relevant_ranks,
    score_ranks,
    weigh_candidates,
)
from antecede.ranking.weights import LONG_TEXTS, SHORT_TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.ranking_study import Collection
    from numpy.typing import NDArray

    from antecede.learning import Example, Examples
    from antecede.learning.learned_ranking import Scorer

GROUPS = {
    "jelinek_mercer, cosine": ("jelinek_mercer", "cosine"),
    "latent_space, word_vectors": ("latent_space", "word_vectors"),
    "title": ("title",),
    "classes": ("classes",),
    "cited_by_hits, co_citation": ("cited_by_hits", "co_citation"),
    "same_applicant": ("same_applicant",),
}
FEATURES = ("bm25", *(name for group in GROUPS.values() for name in group))
LEARNED_FROM = 0.6
SIZES, DRAWS = (10, 25, 50, 100, 200, 400), 3


def gather(collection: Collection) -> Examples:
    """The topics of a collection with the features of their candidates."""
    opened = open_index(collection.index)
    judged = collect_topics(opened, str(collection.qrels), str(collection.qrels), most=10**6)
    return gather_examples(opened, judged.patents, judged.relevant, features=FEATURES, threads=1)


def ranks_of(topics: Sequence[Example], scorer: Scorer) -> list[NDArray[np.int32]]:
    """The ranks of the relevant documents of each topic."""
    return [relevant_ranks(each, scorer(each.values)) for each in topics]


def compare(
    title: str, topics: Sequence[Example], systems: dict[str, list[NDArray[np.int32]]], baselines: Sequence[str]
) -> None:
    """Print the scores of systems, tested against each of the baselines."""
    scores = dict(zip(MEASURES, score_ranks(topics, [*systems.values()]), strict=True))
    for baseline in baselines:
        print(f"\n{title}, {len(topics)} topics")
        for table in comparison.compare(TopicValues(scores, (*systems,)), baseline=baseline).tables():
            print(table, flush=True)


def compare_learned(name: str, earlier: Examples, later: Sequence[Example]) -> None:
    """What is learned from earlier topics, on later ones, and as a bound what is learned from the later ones."""
    held = (earlier.features.index("bm25"),)
    systems = {
        "classic": [each.classic for each in later],
        "default": ranks_of(later, partial(weigh_candidates, weights=earlier.fixed)),
        "linear": ranks_of(later, partial(weigh_candidates, weights=fit_linear(earlier)[0])),
        "trees": ranks_of(later, fit_trees(earlier).score),
    }
    for least in (0.002, 0.005):
        found = ascend(earlier, earlier.fixed, least=least, fixed=held)
        systems[f"ascent, {least}"] = ranks_of(later, partial(weigh_candidates, weights=found))
    bound = ascend(replace(earlier, topics=tuple(later)), earlier.fixed, fixed=held)
    systems["fitted to the later topics"] = ranks_of(later, partial(weigh_candidates, weights=bound))
    compare(f"{name}, learned from {len(earlier)} earlier topics", later, systems, ("classic", "default"))
    only = {each: systems[each] for each in ("default", "linear")}
    compare(f"{name}, one comparison only", later, only, ("default",))


def compare_foreign(name: str, earlier: Examples, later: Sequence[Example]) -> None:
    """What is learned from earlier topics with the default of the other kind of text as the start, and that default.

    The default of a kind was derived from earlier topics of the same collection; a collection of a user's own was not.
    """
    weights = SHORT_TEXTS if earlier.fixed[earlier.features.index("word_vectors")] < 1 else LONG_TEXTS
    start = replace(earlier, fixed=np.array([weights.get(each, 0.0) for each in earlier.features]))
    systems = {
        "the other default": ranks_of(later, partial(weigh_candidates, weights=start.fixed)),
        "linear": ranks_of(later, partial(weigh_candidates, weights=fit_linear(start)[0])),
    }
    compare(f"{name}, started from the default of the other kind", later, systems, ("the other default",))


def compare_groups(name: str, examples: Examples) -> None:
    """The default without each group of features."""
    systems = {"default": ranks_of(examples.topics, partial(weigh_candidates, weights=examples.fixed))}
    for group, features in GROUPS.items():
        without = np.where([each in features for each in examples.features], 0.0, examples.fixed)
        systems[f"without {group}"] = ranks_of(examples.topics, partial(weigh_candidates, weights=without))
    compare(f"{name}, groups left out", examples.topics, systems, ("default",))


def show_curve(name: str, earlier: Examples, later: Sequence[Example]) -> None:
    """Linear weights learned from fewer topics."""
    print(f"\n{name}, weights learned from fewer topics")
    for size in [*(each for each in SIZES if each < len(earlier)), len(earlier)]:
        means = []
        for draw in range(DRAWS if size < len(earlier) else 1):
            chosen = np.sort(np.random.default_rng(draw).permutation(len(earlier))[:size])
            weights, _ = fit_linear(earlier.take(chosen.tolist()))
            means.append(
                score_ranks(later, [ranks_of(later, partial(weigh_candidates, weights=weights))])[:, 0].mean(axis=1)
            )
        print(f"{size} topics: " + " ".join(f"{each:.3f}" for each in np.mean(means, axis=0)), flush=True)


def compare_borrowed(names: Sequence[str], one: Examples, other: Examples) -> None:
    """Weights learned from all topics of one collection, used on the other."""
    learned = dict(zip(one.features, fit_linear(one)[0].tolist(), strict=True))
    borrowed = np.array([learned.get(each, 0.0) for each in other.features])
    systems = {
        "default": ranks_of(other.topics, partial(weigh_candidates, weights=other.fixed)),
        "learned elsewhere": ranks_of(other.topics, partial(weigh_candidates, weights=borrowed)),
    }
    print("\n" + ", ".join(f"{each} {weight:.2f}" for each, weight in learned.items()))
    compare(f"learned from {names[0]}, used on {names[1]}", other.topics, systems, ("default",))


def main() -> None:
    gathered: dict[str, Examples] = {}
    for each in collections(Path(sys.argv[1])):
        examples = gathered[each.name] = gather(each)
        dated = examples.take(at for at, topic in enumerate(examples.topics) if topic.day is not None)
        cut = round(LEARNED_FROM * len(dated))
        earlier, later = dated.take(range(cut)), dated.take(range(cut, len(dated))).topics
        compare_learned(each.name, earlier, later)
        compare_foreign(each.name, earlier, later)
        compare_groups(each.name, examples)
        show_curve(each.name, earlier, later)
    for names in (("fulltexts", "abstracts"), ("abstracts", "fulltexts")):
        compare_borrowed(names, *(gathered[name] for name in names))


if __name__ == "__main__":
    main()
