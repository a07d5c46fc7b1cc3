"""What each step from the classic search to the default ranking is worth, on real patents and on drafts of them.

    python bench/candidates_study.py FOLDER [docs/studies/ranking.md]

FOLDER is that of bench/ranking_study.py, which describes it. Every step is a run file of `antecede run`, compared with
the classic search by `antecede compare` (paired t test, Holm's correction). The steps were chosen on the earlier topics
of the large collection; its later topics and the other collections confirm them.
"""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ranking_study import PLAIN, WHOLE, Collection, collections, score, show

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


def study(each: Collection) -> None:
    """Print the steps for all topics, and for the earlier and the later ones."""
    steps = SHORT if each.drafts or each.source == "patents-abstract" else LONG
    runs = [each.run(name, *options) for name, options in steps.items()]
    for part in ("", "earlier", "later"):
        topics, found = each.compare(runs, part)
        rows = [(name, *(score(found[name], measure) for measure in WHOLE)) for name in steps]
        show(f"{each.name}, {part or 'all'}, {topics} topics; † better than classic, ‡ worse", ("", *WHOLE), rows)


PAGE = """# Study: from the classic search to the default ranking

What each step from BM25 with 75 terms to the [default ranking](../ranking.md) is worth on real patents. The judgements
are the patents that a topic cites. *Large*: 16,000 US patents; *full texts*: 5,000 others; *abstracts*: 17,887 patents
with title and abstract only; *homogeneous*: 4,675 of these that all have a title, a date, classes and a family.
*Drafts* are the same topics with nothing but title and abstract. 1,000 documents per topic, only documents before the
topic's date, without its family; numbers in the text of a topic are masked.

- *likelihood*: `--model 'lm_jelinek_mercer(lambda=…)' --weights root`, λ .8 for long topics and .7 for short ones;
- *topical weights*: `--weights topical`, √n·√log(1 + cf/df);
- *feedback*: `--ranking feedback=1`;
- *the default*: `--ranking auto` without spaces, and the same without the feature `same_applicant`.

The steps, λ and the weights were chosen on the earlier half of the topics of the large collection, those of classes
and citations on the earlier half of the abstracts (`bench/default_weights.py`). Later topics, full texts and the
homogeneous part confirm them. Paired t test against `classic` with Holm's correction, p < .05: † better, ‡ worse.
"""


def main() -> None:
    printed = StringIO()
    with redirect_stdout(printed):
        for each in collections(Path(sys.argv[1])):
            study(each)
    tables = re.sub(r"^(\w.*?); †.*$", r"## \1", printed.getvalue(), flags=re.MULTILINE)
    print(tables)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(PAGE + tables, encoding="utf-8")


if __name__ == "__main__":
    main()
