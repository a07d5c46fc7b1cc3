"""How the query methods, their weights and numbers of terms, fusion and latent spaces compare on real patents.

    python bench/methods_study.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. The figures go to docs/studies/queries.csv, and the page
beside it is written again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import Collection, figures_of

from docs.site.evidence import Figure, write_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
SELECTING = ("logtfidf", "tf", "tfidf", "bm25", "lm")
FUSED = ("lmipc", "full")
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


def fuse_methods(each: Collection) -> Iterator[Figure]:
    """The figures of fused methods, beside the classic search."""
    fused = {f"logtfidf + {name}": ("--method", f"logtfidf,{name}", "--fusion", "rrf") for name in FUSED}
    runs = [each.run(name, *options) for name, options in {"classic": ("--ranking", "classic"), **fused}.items()]
    topics, found = each.compare(runs, "")
    yield from figures_of(each.name, "fused", topics, fused, found)


def vary_terms(each: Collection) -> Iterator[Figure]:
    """The figures of the methods that select terms, with several numbers of them, each beside its own default."""
    for method in SELECTING:
        names = {f"{method}, {count} terms": count for count in (75, 45, 150, 300)}
        runs = [each.run(name, "--method", method, "--terms", str(count)) for name, count in names.items()]
        topics, found = each.compare(runs, "", baseline=f"{method}, 75 terms")
        yield from figures_of(each.name, "terms", topics, names, found)


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
        figures += fuse_methods(each)
        if each.name == "fulltexts":
            figures += dict.fromkeys(vary_terms(each))  # the number of topics once
    write_figures("queries", figures)


if __name__ == "__main__":
    main()
