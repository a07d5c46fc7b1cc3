"""Learned rankings on the later topics of a collection, beside the classic search and the default.

    python bench/learned_rankings.py INDEX QRELS

Topics with a date are sorted by it; rankings are learned from the earlier 60 % and tested on the later 40 %: linear
weights (`antecede learn`), coordinate ascent, trees. Then groups of features are left out of the default over all
topics, and weights are learned from fewer topics. Scores are R@100, MAP and PRES@1000 over the candidates of the
default, p those of a paired t test with Holm's correction.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison import compare_values
from antecede.index import open_index
from antecede.learning import collect_topics, gather_examples
from antecede.learning.ascent import ascend
from antecede.learning.learned_ranking import fit_linear, tree_scorer, weigh_values
from antecede.learning.validation import MEASURES, relevant_ranks, score_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.learning import Example, Examples
    from antecede.learning.validation import Scorer

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
        for table in compare_values(scores, (*systems,), baseline=baseline).tables():
            print(table, flush=True)


def compare_learned(earlier: Examples, later: Sequence[Example]) -> None:
    """What is learned from earlier topics, on later ones."""
    held = (earlier.features.index("bm25"),)
    systems = {
        "classic": [each.classic for each in later],
        "default": ranks_of(later, weigh_values(earlier.fixed)),
        "linear": ranks_of(later, weigh_values(fit_linear(earlier)[0])),
        "trees": ranks_of(later, tree_scorer(earlier)),
    }
    for least in (0.002, 0.005):
        found = ascend(earlier, earlier.fixed, least=least, fixed=held)
        systems[f"ascent, {least}"] = ranks_of(later, weigh_values(found))
    compare(f"learned from {len(earlier)} earlier topics", later, systems, ("classic", "default"))


def compare_groups(examples: Examples) -> None:
    """The default without each group of features."""
    systems = {"default": ranks_of(examples.topics, weigh_values(examples.fixed))}
    for name, group in GROUPS.items():
        without = np.where([each in group for each in examples.features], 0.0, examples.fixed)
        systems[f"without {name}"] = ranks_of(examples.topics, weigh_values(without))
    compare("groups left out", examples.topics, systems, ("default",))


def show_curve(earlier: Examples, later: Sequence[Example]) -> None:
    """Linear weights learned from fewer topics."""
    for size in [*(each for each in SIZES if each < len(earlier)), len(earlier)]:
        means = []
        for draw in range(DRAWS if size < len(earlier) else 1):
            chosen = np.sort(np.random.default_rng(draw).permutation(len(earlier))[:size])
            weights, _ = fit_linear(earlier.take(chosen.tolist()))
            means.append(score_ranks(later, [ranks_of(later, weigh_values(weights))])[:, 0].mean(axis=1))
        print(f"{size} topics: " + " ".join(f"{each:.3f}" for each in np.mean(means, axis=0)), flush=True)


def main() -> None:
    opened = open_index(sys.argv[1])
    judged = collect_topics(opened, sys.argv[2], sys.argv[2], most=10**6)
    examples = gather_examples(opened, judged.patents, judged.relevant, features=FEATURES, threads=1)
    dated = examples.take(at for at, each in enumerate(examples.topics) if each.day is not None)
    cut = round(LEARNED_FROM * len(dated))
    earlier, later = dated.take(range(cut)), dated.take(range(cut, len(dated))).topics
    compare_learned(earlier, later)
    compare_groups(examples)
    show_curve(earlier, later)


if __name__ == "__main__":
    main()
