"""How the default weights of rankings by evidence are derived, and what they are worth on topics that were not used.

    python bench/default_weights.py LARGE.index QRELS FULLTEXTS.index QRELS ABSTRACTS.index QRELS

The protocol. Of each collection, the topics with a date are sorted by it; the earlier half is learned from, and nothing
else is looked at. One search has the weight 1, all other features 0, and coordinate ascent raises R@100 + MAP +
PRES@1000 (`bench/ascent.py`): first the weights of the features that every index has, then, with these fixed, those of
the spaces, which are 0.02 at least, since a space that somebody has learned also brings documents into the pool. The
weights for long texts come from the topics of the large collection, those for drafts from the same topics with title
and abstract only, those for short texts from the abstracts; classes and citations, which the others lack, come from the
abstracts for all. `same_applicant` stays at 0.1: judgements of full texts are what applicants cite in descriptions. The
tables show the earlier topics, the later ones, and those without a date; the full texts are not learned from.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import ttest_rel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ascent import GRID, Pools, ascend

from antecede.engine import open_index
from antecede.learning import collect_topics, gather_examples
from antecede.learning.learned_ranking import score_ranks
from antecede.ranking.weights import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.learning import Example, Examples

    Floats = NDArray[np.float64]

APPLICANT = {"same_applicant": 0.1}
SPACES = ("latent_space", "word_vectors")
ELSEWHERE = ("classes", "cited_by_hits", "co_citation")
"""What the full texts lack."""
SEARCHES = {
    "long texts": ("jelinek_mercer(lambda=0.8)", "bm25"),
    "drafts": ("feedback", "bm25"),
    "short texts": ("feedback", "bm25"),
}
"""The features that search, the one with the weight 1 first."""
MEASURES = ("R@100", "MAP", "PRES@1000")


@dataclass(frozen=True)
class Part:
    """Some topics of a collection, with and without the spaces of its index."""

    name: str
    plain: Examples
    spaced: Examples


def gather(kind: str, index: str, qrels: str) -> list[Part]:
    """The earlier and the later half of the topics with a date, and those without."""
    opened = open_index(index)
    topics = collect_topics(opened, qrels, qrels, most=10**6)
    patents = topics.patents
    if kind == "drafts":
        patents = [replace(each, description={}, claims={}) for each in patents]
    others = ("cosine", "title", *ELSEWHERE, *APPLICANT)
    plain, spaced = (
        gather_examples(opened, patents, topics.relevant, features=[*SEARCHES[kind], *others, *spaces], threads=2)
        for spaces in ((), SPACES)
    )
    print(f"{kind} of {index}: {len(plain)} topics, features {', '.join(spaced.features)}", flush=True)
    dated = [at for at, each in enumerate(plain.topics) if each.day is not None]  # in the order of their dates
    half = len(dated) // 2
    undated = [at for at in range(len(plain)) if at not in {*dated}]
    chosen = {"earlier": dated[:half], "later": dated[half:], "no date": undated}
    return [Part(part, plain.take(which), spaced.take(which)) for part, which in chosen.items() if which]


def derive(kind: str, part: Part) -> dict[str, float]:
    """The weights that topics give: of the features without spaces, then of the spaces."""
    weights: dict[str, float] = {SEARCHES[kind][0]: 1.0, **APPLICANT}
    fixed = {*weights}
    for examples, grid in ((part.plain, GRID), (part.spaced, GRID[1:])):
        names = examples.features
        held = [at for at, name in enumerate(names) if name in fixed]
        start = {**weights, **dict.fromkeys(SPACES, grid[0])}
        found = ascend(examples, vector(examples, start), grid=grid, fixed=held)
        weights |= dict(zip(names, found.tolist(), strict=True))
        fixed |= {*names}
    return weights


def vector(examples: Examples, weights: dict[str, float]) -> Floats:
    """The weights of the features of examples."""
    return np.array([weights.get(name, 0.0) for name in examples.features])


def measure(examples: Examples, weights: dict[str, float]) -> Floats:
    """float64[measures, topics] of weights."""
    pools = Pools(examples)
    found: Floats = pools.measure([pools.scores(vector(examples, weights))])[:, 0]
    return found


def measure_classic(topics: Sequence[Example]) -> Floats:
    """float64[measures, topics] of the classic search."""
    found: Floats = score_ranks(topics, [[each.classic for each in topics]])[:, 0]
    return found


def show(name: str, scores: Floats, *others: Floats) -> None:
    """One row: the means, and the p values against others."""
    means = " ".join(f"{each:.3f}" for each in scores.mean(axis=1))
    tests = []
    for other in others:
        with np.errstate(all="ignore"):
            p = [float(ttest_rel(a, b).pvalue) for a, b in zip(scores, other, strict=True)]
        tests.append(" ".join("  =  " if np.isnan(each) else f"{each:.3f}" for each in p))
    print(f"  {name:28} {means}" + "".join(f"   p {each}" for each in tests), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Derive the default weights of rankings by evidence.")
    for name in ("large", "fulltexts", "abstracts"):
        parser.add_argument(name)
        parser.add_argument(f"{name}_qrels")
    asked = parser.parse_args()
    large, full = (asked.large, asked.large_qrels), (asked.fulltexts, asked.fulltexts_qrels)
    abstracts = gather("short texts", asked.abstracts, asked.abstracts_qrels)
    parts = {
        "long texts": [gather("long texts", *large), gather("long texts", *full)],
        "drafts": [gather("drafts", *large), gather("drafts", *full)],
        "short texts": [abstracts],
    }
    derived = {kind: derive(kind, collections[0][0]) for kind, collections in parts.items()}
    for weights in derived.values():
        weights |= {name: derived["short texts"].get(name, 0.0) for name in ELSEWHERE}
    for kind, weights in derived.items():
        print(f"{kind}, derived: " + ", ".join(f"{each} {weight:g}" for each, weight in weights.items()))
    print(f"{', '.join(MEASURES)}; p of a paired t test against the classic search, and against the weights in use")
    for kind, collections in parts.items():
        for number, collection in enumerate(collections):
            for part in collection:
                print(f"{kind}, collection {number + 1}, {part.name}: {len(part.plain)} topics")
                classic = measure_classic(part.plain.topics)
                show("classic", classic)
                for what, examples in (("", part.plain), (", spaces", part.spaced)):
                    used = measure(examples, DEFAULTS[kind])
                    show(f"in use{what}", used, classic)
                    show(f"derived{what}", measure(examples, derived[kind]), classic, used)


if __name__ == "__main__":
    main()
