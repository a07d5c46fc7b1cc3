"""How the query methods, their weights and latent spaces compare on real patents.

    python bench/methods_study.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. The figures are written to docs/studies/queries.csv, from
which `python -m docs.site.evidence` makes the page.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import Collection

METHODS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
WEIGHTS = ("root", "none")
SPACES = {"lsa": "latent_space", "words": "word_vectors"}
FIGURES = Path(__file__).resolve().parent.parent / "docs/studies/queries.csv"


def systems(each: Collection) -> dict[str, tuple[str, ...]]:
    """The systems that are compared: their names, and the options that make them."""
    chosen: dict[str, tuple[str, ...]] = {"classic": ("--ranking", "classic")}
    chosen |= {name: ("--method", name) for name in METHODS}
    chosen |= {f"{name}, {weights}": ("--method", name, "--weights", weights) for name in METHODS for weights in WEIGHTS}
    chosen |= {f"classic, {weights}": ("--method", "logtfidf", "--weights", weights) for weights in ("method", "none")}
    chosen |= {f"{name} alone": ("--ranking", f"{feature}=1") for name, feature in SPACES.items()}
    chosen |= {f"classic + ½ {name}": ("--ranking", f"classic=1,{feature}=0.5") for name, feature in SPACES.items()}
    if each.name == "abstracts":
        chosen |= {f"classic, boost {boost}": ("--ranking", "classic", "--ipc-boost", boost) for boost in ("0.3", "1")}
    return chosen


def main() -> None:
    folder, rows = Path(sys.argv[1]), []
    for each in (Collection("fulltexts", folder, "patents-fulltext"), Collection("abstracts", folder, "patents-abstract")):
        each.provide()
        runs = {name: each.run(name, *options) for name, options in systems(each).items()}
        topics, found = each.compare(list(runs.values()), "")
        for name in runs:
            for measure, value in found[name]["scores"].items():
                significant = found[name]["significant"].get(measure) and found[name]["difference"][measure]
                mark = "" if not significant else "better" if significant > 0 else "worse"
                rows.append((each.name, "all", topics, name, measure, f"{value:.4f}", mark))
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("collection", "part", "topics", "system", "measure", "value", "mark"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
