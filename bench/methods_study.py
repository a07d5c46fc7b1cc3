"""How the query methods, their weights and latent spaces compare on real patents.

    python bench/methods_study.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. The figures go to docs/studies/queries.csv, and the page
beside it is written again.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import Collection, figures_of

from docs.site.evidence import Figure, write_figures

METHODS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
WEIGHTS = ("root", "none")
SPACES = {"lsa": "latent_space", "words": "word_vectors"}


def systems(each: Collection) -> dict[str, tuple[str, ...]]:
    """The systems that are compared: their names, and the options that make them."""
    chosen: dict[str, tuple[str, ...]] = {"classic": ("--ranking", "classic")}
    chosen |= {name: ("--method", name) for name in METHODS}
    chosen |= {
        f"{name}, {weights}": ("--method", name, "--weights", weights) for name in METHODS for weights in WEIGHTS
    }
    chosen |= {f"classic, {weights}": ("--method", "logtfidf", "--weights", weights) for weights in ("method", "none")}
    chosen |= {f"{name} alone": ("--ranking", f"{feature}=1") for name, feature in SPACES.items()}
    chosen |= {f"classic + ½ {name}": ("--ranking", f"classic=1,{feature}=0.5") for name, feature in SPACES.items()}
    if each.name == "abstracts":
        chosen |= {f"classic, boost {boost}": ("--ranking", "classic", "--ipc-boost", boost) for boost in ("0.3", "1")}
    return chosen


def main() -> None:
    folder = Path(sys.argv[1])
    figures: list[Figure] = []
    for each in (
        Collection("fulltexts", folder, "patents-fulltext"),
        Collection("abstracts", folder, "patents-abstract"),
    ):
        each.provide()
        runs = {name: each.run(name, *options) for name, options in systems(each).items()}
        topics, found = each.compare(list(runs.values()), "")
        figures += figures_of(each.name, "all", topics, runs, found)
    write_figures("queries", figures)


if __name__ == "__main__":
    main()
