"""Learned weights beside fixed ones on the later topics of collections, as whole runs.

    python bench/fixed_weights.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. Topics with a date are sorted by it; `learn weights` has
the earlier 60 %, and every ranking is a run file of `antecede run --ranking FILE.json` for the later 40 %. Beside the
classic search and the default, whose weights were derived from earlier topics of the same collections, there are two
rankings that were not derived from topics: the weights of prototypes, set by hand, and all features equal. `antecede
compare` tests the learned weights against each of the others: paired t test, Holm's correction.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.learned_rankings import FEATURES, LEARNED_FROM
from bench.ranking_study import antecede, collections, show, sort_by_date

if TYPE_CHECKING:
    from bench.ranking_study import Collection

SUMMED = {"bm25": 1.0, "jelinek_mercer": 1.0, "cosine": 1.0, "latent_space": 1.0, "word_vectors": 1.0}
"""Scores of texts, normalised and added up."""
BY_HAND = {
    "fulltexts": SUMMED,
    "abstracts": {**SUMMED, "classes": 0.5, "cited_by_hits": 0.3},
    "homogeneous": {
        "bm25": 1.0,
        "latent_space": 1.0,
        "word_vectors": 1.0,
        "classes": 0.8,
        "cited_by_hits": 0.3,
        "citing_hits": 0.3,
    },
}
"""Those of prototypes, fixed before these runs: text scores 1, classes .5, or .8 with CPC codes, citations .3."""
EQUAL = dict.fromkeys(FEATURES, 1.0)
MEASURES = ("R@100", "AP", "PRES@1000")
LEARNED = "learned"


def split(each: Collection) -> tuple[Path, Path]:
    """The judgements of the earlier and of the later topics."""
    from antecede.index import open_index

    lines = each.qrels.read_text(encoding="utf-8").splitlines(keepends=True)
    names = sort_by_date(open_index(each.index), {line.split()[0] for line in lines})
    cut = round(LEARNED_FROM * len(names))
    files = []
    for part, topics in (("learned-from", {*names[:cut]}), ("tested", {*names[cut:]})):
        files.append(each.judgements(part))
        files[-1].write_text("".join(line for line in lines if line.split()[0] in topics), encoding="utf-8")
    return files[0], files[1]


def write(each: Collection, name: str, weights: dict[str, float]) -> Path:
    """A file of weights."""
    path = each.folder / f"{each.name}.{name}.json"
    whole = {"format": "antecede ranking", "version": 1, "weights": weights}
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return path


def rank(each: Collection, tested: Path, name: str, ranking: str | Path) -> str:
    """Rank the later topics, once; the argument of `compare` for it."""
    out = each.folder / f"{each.name}.tested.{name}.run"
    if not out.exists():
        antecede("run", each.index, tested, "--ranking", ranking, "--out", out, "--threads", 1)
    return f"{name}={out}"


def study(each: Collection) -> None:
    """Print the rankings, and what the learned weights gain over each of the others."""
    earlier, tested = split(each)
    learned = each.folder / f"{each.name}.{LEARNED}.json"
    if not learned.exists():
        antecede("learn", "weights", each.index, earlier, earlier, "--out", learned, "--threads", 1)
    rankings: dict[str, str | Path] = {
        "classic": "classic",
        "equal": write(each, "equal", EQUAL),
        "by-hand": write(each, "by-hand", BY_HAND[each.name]),
        "default": "auto",
        LEARNED: learned,
    }
    runs = [rank(each, tested, name, ranking) for name, ranking in rankings.items()]
    found = antecede("compare", tested, *runs, "--baseline", LEARNED, "-m", ",".join(MEASURES))
    rows = [(of["name"], *(cell(of, measure) for measure in MEASURES)) for of in found["runs"]]
    title = f"{each.name}, {found['topics']} later topics; in brackets what the learned weights gain, and p"
    show(title, ("", *MEASURES), rows)
    print(json.dumps(json.loads(learned.read_text(encoding="utf-8"))["weights"]), flush=True)


def cell(of: dict[str, Any], measure: str) -> str:
    """A mean, and what the learned weights gain over it, with * where that is significant."""
    mean = f"{of['scores'][measure]:.3f}".removeprefix("0")
    if of["name"] == LEARNED:
        return mean
    mark = "*" if of["significant"][measure] else ""
    return f"{mean} ({-of['difference'][measure]:+.3f}{mark}, p {of['p_adjusted'][measure]:.3g})"


def main() -> None:
    for each in collections(Path(sys.argv[1])):
        study(each)


if __name__ == "__main__":
    main()
