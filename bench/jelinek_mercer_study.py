"""Jelinek–Mercer smoothing by itself beside BM25, over λ, the number of terms and their weights.

    python bench/jelinek_mercer_study.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. Every setting is a run file of `antecede run --model
'lm_jelinek_mercer(lambda=λ)' --terms N --weights W` (all terms: `--method full`), and all of them are compared with the
classic search, BM25 with 75 terms, by `antecede compare` (paired t test, Holm's correction over all settings).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import collections, score, show

if TYPE_CHECKING:
    from bench.ranking_study import Collection

TERMS = {"fulltexts": ("75", "150", "300", "all"), "abstracts": ("75", "150", "300")}
"""Numbers of terms by collection; hardly an abstract has more than 300 different ones."""
SMOOTHING = {"root": (0.1, 0.3, 0.5, 0.7, 0.8, 0.9), "tf": (0.7,), "none": (0.7,)}
"""λ by the weights of terms: the root of the number of occurrences, the number itself, all equal."""
MEASURES = ("AP", "R@100", "PRES@1000")


def name_of(weights: str, smoothing: float, terms: str) -> str:
    """What a setting is called."""
    return f"jm {smoothing} {terms} {weights}"


def run(each: Collection, weights: str, smoothing: float, terms: str) -> str:
    """Rank all topics by one setting."""
    many = ("--method", "full") if terms == "all" else ("--terms", terms)
    model = ("--model", f"lm_jelinek_mercer(lambda={smoothing})")
    return each.run(name_of(weights, smoothing, terms), *model, *many, "--weights", weights)


def study(each: Collection) -> None:
    """Print a table for each kind of weights."""
    numbers = TERMS[each.name]
    settings = [(weights, value, terms) for weights, every in SMOOTHING.items() for value in every for terms in numbers]
    runs = [each.run("classic", "--ranking", "classic"), *(run(each, *setting) for setting in settings)]
    topics, found = each.compare(runs, "")

    def cell(name: str) -> str:
        return " ".join(score(found[name], measure) for measure in MEASURES)

    for weights, every in SMOOTHING.items():
        rows = [(f"λ {value}", *(cell(name_of(weights, value, terms)) for terms in numbers)) for value in every]
        show(f"{each.name}, {topics} topics, weights {weights}: {', '.join(MEASURES)}", ("", *numbers), rows)
    print(f"\nclassic: {cell('classic')}", flush=True)


def main() -> None:
    for each in collections(Path(sys.argv[1])):
        if each.name in TERMS:
            study(each)


if __name__ == "__main__":
    main()
