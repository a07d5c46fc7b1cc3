"""How the default weights of rankings by evidence are derived, and what they are worth on topics that were not used.

    python bench/default_weights.py FULLTEXTS.index QRELS ABSTRACTS.index QRELS

The protocol. Of each collection, the topics with a date are sorted by it; the earlier half is learned from, and nothing
else is looked at. Weights start with bm25 at 1 and all others at 0, and coordinate ascent raises R@100 + MAP +
PRES@1000 (`bench/ascent.py`): first those of the features that every index has, then, with these fixed, those
of the spaces, which are 0.1 at least, since a space that somebody has learned also brings documents into the pool. The
weights of short texts come from the abstracts, those of long texts from the full texts; classes and citations, which
the full texts lack, come from the abstracts for both. `same_applicant` stays at 0.1: only the full texts have
applicants, and their judgements are what applicants cite in their own descriptions. The tables show the earlier topics,
the later ones, those without a date, and each collection with the weights of the other.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import ttest_rel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ascent import GRID, Pools, ascend

from antecede.index import open_index
from antecede.learning import collect_topics, gather_examples
from antecede.learning.learned_ranking import score_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.learning import Example, Examples

    Floats = NDArray[np.float64]

APPLICANT = {"same_applicant": 0.1}
SPACES = ("latent_space", "word_vectors")
ELSEWHERE = ("classes", "cited_by_hits", "co_citation")
"""What the full texts lack."""
FEATURES = ("bm25", "jelinek_mercer", "cosine", *SPACES, "title", *ELSEWHERE, *APPLICANT)
BY_HAND_EVERYWHERE = {"classes": 0.7, "cited_by_hits": 1.0, "co_citation": 0.5, **APPLICANT}
BY_HAND: dict[str, dict[str, float]] = {
    "full texts": {
        "bm25": 1,
        "jelinek_mercer": 1,
        "cosine": 1,
        "latent_space": 0.5,
        "word_vectors": 0.5,
        **BY_HAND_EVERYWHERE,
    },
    "abstracts": {
        "bm25": 1,
        "jelinek_mercer": 0.5,
        "cosine": 0.5,
        "latent_space": 0.7,
        "word_vectors": 0.7,
        "title": 0.3,
        **BY_HAND_EVERYWHERE,
    },
}
"""Earlier weights, set by hand when the scores of all topics had been seen."""
MEASURES = ("R@100", "MAP", "PRES@1000")


@dataclass(frozen=True)
class Part:
    """Some topics of a collection, with and without the spaces of its index."""

    name: str
    plain: Examples
    spaced: Examples


def gather(name: str, index: str, qrels: str) -> list[Part]:
    """The earlier and the later half of the topics with a date, and those without."""
    opened = open_index(index)
    topics = collect_topics(opened, qrels, qrels, most=10**6)
    without = [each for each in FEATURES if each not in SPACES]
    plain, spaced = (
        gather_examples(opened, topics.patents, topics.relevant, features=features, threads=1)
        for features in (without, FEATURES)
    )
    print(f"{name}: {len(plain)} topics, features {', '.join(spaced.features)}", flush=True)
    dated = [at for at, each in enumerate(plain.topics) if each.day is not None]  # in the order of their dates
    half = len(dated) // 2
    others = [at for at in range(len(plain)) if at not in {*dated}]
    chosen = {"earlier": dated[:half], "later": dated[half:], "no date": others}
    return [Part(part, plain.take(which), spaced.take(which)) for part, which in chosen.items() if which]


def derive(part: Part) -> dict[str, float]:
    """The weights that topics give: of the features without spaces, then of the spaces."""
    weights: dict[str, float] = {"bm25": 1.0, **APPLICANT}
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
    for name in ("fulltexts", "fulltexts_qrels", "abstracts", "abstracts_qrels"):
        parser.add_argument(name)
    asked = parser.parse_args()
    parts = {
        "full texts": gather("full texts", asked.fulltexts, asked.fulltexts_qrels),
        "abstracts": gather("abstracts", asked.abstracts, asked.abstracts_qrels),
    }
    derived = {name: derive(each[0]) for name, each in parts.items()}
    derived["full texts"] |= {name: derived["abstracts"].get(name, 0.0) for name in ELSEWHERE}
    for name, weights in derived.items():
        print(f"{name}, derived: " + ", ".join(f"{each} {weight:g}" for each, weight in weights.items()))
    print(f"{', '.join(MEASURES)}; p of a paired t test against the classic search, and against the weights by hand")
    for name, each in parts.items():
        other = next(key for key in parts if key != name)
        for part in each:
            print(f"{name}, {part.name}: {len(part.plain)} topics")
            classic = measure_classic(part.plain.topics)
            show("classic", classic)
            for what, examples in (("", part.plain), (", spaces", part.spaced)):
                hand = measure(examples, BY_HAND[name])
                show(f"by hand{what}", hand, classic)
                show(f"derived{what}", measure(examples, derived[name]), classic, hand)
                borrowed = {**derived[name], **derived[other]}
                show(f"those of {other}{what}", measure(examples, borrowed), classic, hand)


if __name__ == "__main__":
    main()
