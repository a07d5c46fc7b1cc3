"""What each step from the classic search to the default ranking is worth, on real patents and on drafts of them.

    python bench/candidates_study.py FOLDER

FOLDER is that of bench/ranking_study.py, which describes it. Every step is a run file of `antecede run`, compared with
the classic search by `antecede compare` (paired t test, Holm's correction). The steps were chosen on the earlier topics
of the large collection; its later topics and the other collections confirm them. The figures go to
docs/studies/ranking.csv, and the page beside it is written again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import PLAIN, Collection, collections, figures_of

from docs.site.evidence import KEPT_APART, Figure, read_figures, write_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASSIC = {"classic": ("--ranking", "classic")}
DEFAULT = {
    "the default": ("--ranking", PLAIN),
    "without same_applicant": ("--ranking", f"{PLAIN},same_applicant=0"),
}


def likelihood(terms: int, weights: str, smoothing: float) -> tuple[str, ...]:
    """The options of a search by likelihood alone."""
    return "--model", f"lm_jelinek_mercer(lambda={smoothing})", "--terms", str(terms), "--weights", weights


LONG = {
    **CLASSIC,
    "likelihood, 75 terms": likelihood(75, "root", 0.8),
    "300 terms": likelihood(300, "root", 0.8),
    "topical weights": likelihood(300, "topical", 0.8),
    **DEFAULT,
    "with feedback": ("--ranking", f"{PLAIN},jelinek_mercer=0,feedback(lambda=0.8)=1"),
}
SHORT = {
    **CLASSIC,
    "abstract without title": ("--fields", "abstract", "--ranking", "classic"),
    "likelihood": likelihood(300, "root", 0.7),
    "topical weights": likelihood(300, "topical", 0.7),
    "feedback": ("--ranking", "feedback=1"),
    **DEFAULT,
    "without feedback": ("--ranking", f"{PLAIN},feedback=0,jelinek_mercer=1"),
}


def study(each: Collection) -> Iterator[Figure]:
    """The figures of every step, for all topics, and for the earlier and the later ones."""
    steps = SHORT if each.drafts or each.source == "patents-abstract" else LONG
    runs = [each.run(name, *options) for name, options in steps.items()]
    for part in ("", "earlier", "later"):
        topics, found = each.compare(runs, part)
        yield from figures_of(each.name, part or "all", topics, steps, found)


def main() -> None:
    folder = Path(sys.argv[1])
    kept = [figure for figure in read_figures("ranking") if figure.collection == KEPT_APART]
    write_figures("ranking", [*(figure for each in collections(folder) for figure in study(each)), *kept])


if __name__ == "__main__":
    main()
