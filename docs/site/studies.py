"""The pages of the studies: a figure from real data, what to learn from it, the command and the date.

    python -m docs.site.studies [--data DIR] [--index DIR] [judges] [measures] [retrievability]

Needs the data that are not part of the repository ($ANTECEDE_DATA, or the folder given). It writes the figures and the
figures in the text; the sentences themselves are written here, with the numbers filled in. The page on measures is made
from stored figures: see docs/site/evidence.py.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import antecede as ac
from antecede.search.retrieval_counts import RetrievalCounter, count_retrievals, describe_documents
from antecede.study.retrievability import retrievability
from docs.site.evidence import Figure, write_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from antecede.study.meta_evaluation import MetaEvaluation

DOCS = Path(__file__).resolve().parents[1]
PAGES, IMAGES = DOCS / "studies", DOCS / "images" / "studies"
MISSED, FALSE = 0.2, 0.01
"""The share of relevant documents that the noised judge misses, and of others that it takes for relevant."""
SAMPLES = 200
DEPTH = 100
"""Documents per topic in the runs of patents."""
TREC_8_DOCUMENTS = 528_155


@dataclass(frozen=True)
class Sources:
    """Where the data are: the shared data, and an index of the full texts if there is one."""

    data: Path
    index: Path | None

    @property
    def trec8(self) -> tuple[Path, list[Path]]:
        """The judgements and the 48 runs."""
        return self.data / "trec8/qrels.txt", sorted((self.data / "trec8/runs").glob("*.gz"))

    def open_index(self, folder: Path) -> ac.Index:
        """The index of the full texts, built in a folder if there is none."""
        if self.index is not None:
            return ac.open_index(self.index)
        ac.index.build(ac.Collection(self.data / "patents-fulltext/patents.jsonl.gz"), folder / "index")
        return ac.open_index(folder / "index")


def say(*parts: str) -> str:
    """A paragraph, wrapped."""
    return textwrap.fill(" ".join(parts), 118, break_long_words=False, break_on_hyphens=False)


def write_page(name: str, title: str, parts: list[str]) -> None:
    """Write a page with its date."""
    PAGES.mkdir(exist_ok=True)
    day = datetime.now(UTC).date().isoformat()
    dated = f"Generated from real data on {day} by `python -m docs.site.studies {name}`."
    (PAGES / f"{name}.md").write_text("\n\n".join([f"# {title}", *parts, dated]) + "\n")


def study_judges(sources: Sources) -> None:
    """A judge who misses a fifth of the relevant documents, on TREC-8."""
    qrels, runs = sources.trec8
    frame = ac.read_qrels(qrels).to_polars()
    chance = np.random.default_rng(0).random(len(frame))
    relevant = frame["relevance"].to_numpy() > 0
    noised = np.where(relevant, chance >= MISSED, chance < FALSE).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("assessors", "model")]
        ac.write_qrels(ac.read_qrels(frame), paths[0])
        ac.write_qrels(ac.read_qrels(frame.with_columns(relevance=noised)), paths[1])
        found = ac.study.judges(paths[0], paths[1], runs, "AP@1000,P@10,R@1000,PRES@1000,nDCG@10")
    found.plot(IMAGES / "judges.svg")
    agreement = found.agreement.coefficients()
    first, second, both = found.agreement.overlap()[1]
    tau = {each.measure: each.tau for each in found.changes}
    lowest, highest = min(tau, key=tau.__getitem__), max(tau, key=tau.__getitem__)
    drop = max(found.changes, key=lambda each: int(each.drops.max()))
    falls = max(found.changes, key=lambda each: -each.bias)
    kappa = agreement["Cohen's κ"]
    parts = [
        say(
            f"The judgements of TREC-8 against a copy in which {100 * MISSED:g} % of the relevant documents are",
            "missed and",
            f"{100 * FALSE:g} % of the others are taken for relevant: 50 topics, {len(runs)} runs.",
        ),
        "![Grades of both judges, and Bland–Altman plots of the runs](../images/studies/judges.svg)",
        say(
            f"1. The two agree on {100 * agreement['agreement']:.1f} % of the documents, but κ is only",
            f"{kappa:.2f} and the",
            f"overlap of what they find relevant {both / (first + second - both):.2f}: in a pool where nearly",
            "everything is",
            "not relevant, plain agreement says little.",
        ),
        say(
            f"2. The order of the runs survives: τ is between {tau[lowest]:.3f} ({lowest}) and {tau[highest]:.3f}",
            f"({highest}), {sum(len(each.reversals) for each in found.changes)} significant differences are",
            "reversed, and the",
            f"largest fall is {int(drop.drops.max())} places ({drop.measure}).",
        ),
        say(
            f"3. The scores do not survive: {falls.measure} falls by {-falls.bias:.3f} on average; better runs lose",
            "more. Scores under different judges must never be compared with each other.",
        ),
        "```text\nantecede study judges assessors.txt model.txt runs/*.gz -m AP,PRES@1000 --figure judges.svg\n```",
        "See [antecede study judges](../verbs/study.md#antecede-study-judges).",
    ]
    write_page("judges", "Study: a judge who makes mistakes", parts)


def study_measures(sources: Sources) -> None:
    """Robustness and discriminative power of all measures, on TREC-8 and on real patents."""
    qrels, runs = sources.trec8
    table = ac.rank_table(qrels, runs)
    trec8 = ac.study.measures(table, samples=SAMPLES, docs=TREC_8_DOCUMENTS)
    trec8.plot(IMAGES / "measures-trec8.svg")
    qrels = sources.data / "patents-fulltext/qrels.txt"
    with tempfile.TemporaryDirectory() as folder:
        ranked = rank_topics(sources.open_index(Path(folder)), ac.read_qrels(qrels).topics)
    patents = ac.study.measures(ac.rank_table(qrels, ranked), samples=SAMPLES, docs=5000, at=[10, DEPTH])
    patents.plot(IMAGES / "measures-patents.svg")
    write_figures(
        "measures", [*measure_figures("trec8", len(runs), trec8), *measure_figures("patents", len(ranked), patents)]
    )


def measure_figures(collection: str, runs: int, found: MetaEvaluation) -> Iterator[Figure]:
    """What was measured of each measure, as figures of the study."""
    counts = {"runs": runs, "topics": found.robustness.topics, "relevant": found.robustness.relevant}
    for name, count in counts.items():
        yield Figure(collection, "all", "", name, str(count))
    for name, tau, power in zip(found.measures, found.tau.tolist(), found.power.tolist(), strict=True):
        yield Figure(collection, "all", name, "tau", f"{tau:.4f}")
        yield Figure(collection, "all", name, "told apart", f"{power:.4f}")


def rank_topics(index: ac.Index, topics: tuple[str, ...]) -> dict[str, dict[str, dict[str, float]]]:
    """The first documents of each topic by every method and model, as runs."""
    counter = RetrievalCounter(index, ac.SearchSettings(before="off"), cutoffs=[DEPTH])
    names = describe_documents(index)["doc_id"]
    runs: dict[str, dict[str, dict[str, float]]] = {", ".join(system): {} for system in counter.systems}
    for topic in topics:
        found = counter.search_topic(index.patent(topic)).found
        for name, numbers in zip(runs, found.values(), strict=True):
            runs[name][topic] = {names[number]: float(-rank) for rank, number in enumerate(numbers.tolist())}
    return runs


def study_retrievability(sources: Sources) -> None:
    """Every method and model on full-text patents."""
    with tempfile.TemporaryDirectory() as folder:
        index = sources.open_index(Path(folder))
        counts = count_retrievals(index, sample=None, workers=os.cpu_count() or 1)
    found = retrievability(counts)
    found.plot(IMAGES / "retrievability.png")
    report_retrievability(found.to_dict())


def report_retrievability(found: dict[str, Any]) -> None:
    """The page of a study of retrievability, from what the verb prints with --json."""
    last, documents, topics = str(found["cutoffs"][-1]), int(found["documents"]), int(found["topics"])
    systems = [(each["method"], each["model"]) for each in found["systems"]]
    at_last = [each["cutoffs"][last] for each in found["systems"]]
    gini = np.array([each["gini"] for each in at_last])
    missed = [round(documents * (1 - each["found"])) for each in at_last]
    best, worst = int(gini.argmin()), int(gini.argmax())
    methods, models = (average_by(systems, gini, part) for part in (0, 1))
    broad, narrow = min(methods, key=methods.__getitem__), max(methods, key=methods.__getitem__)
    even, uneven = min(models, key=models.__getitem__), max(models, key=models.__getitem__)
    by_model = models[uneven] - models[even] > methods[narrow] - methods[broad]
    subject = "The ranking model" if by_model else "The query method"
    short, long = relative_by_length(found, at_last)
    searches = sum(int(each["queries"]) for each in found["systems"])
    parts = [
        say(
            f"The full texts of {documents:,} US patents; {topics:,} of them are the queries, as if they were new",
            f"patents, by every query method with every ranking model: {searches:,} searches.",
        ),
        "![Lorenz curves, Gini coefficients and the influence of length](../images/studies/retrievability.png)",
        say(
            f"1. Access is uneven with every system: the Gini coefficient of r(d) within the first {last} is between",
            f"{gini[best]:.2f} ({', '.join(systems[best])}) and {gini[worst]:.2f} ({', '.join(systems[worst])});",
            f"single systems never find between {min(missed):,} and {max(missed):,} documents, and",
            f"{len(found['never']):,} are not found by any of them.",
        ),
        say(
            f"2. {subject} has the larger influence: averaged over methods, the models are between {models[even]:.2f}",
            f"({even}) and {models[uneven]:.2f} ({uneven}); averaged over models, the methods are between",
            f"{methods[broad]:.2f} ({broad}) and {methods[narrow]:.2f} ({narrow}).",
        ),
        say(
            "3. Length matters: averaged over all systems, the shortest fifth of the documents is found",
            f"{short.mean():.2f} times as often as the average document and the longest fifth {long.mean():.2f} times;",
            f"for the longest, single systems range from {long.min():.2f} to {long.max():.2f}.",
        ),
        f"```text\nantecede study retrievability patents.index --sample {topics} --figure retrievability.png\n```",
        "See [antecede study retrievability](../verbs/study.md#antecede-study-retrievability).",
    ]
    write_page("retrievability", "Study: which patents can be found at all", parts)


def average_by(systems: list[tuple[str, str]], gini: NDArray[np.float64], part: int) -> dict[str, float]:
    """The mean Gini coefficient of each query method (part 0), or of each ranking model (part 1)."""
    names = dict.fromkeys(each[part] for each in systems)
    return {name: float(np.mean([gini[at] for at, each in enumerate(systems) if each[part] == name])) for name in names}


def relative_by_length(
    found: dict[str, Any], at_last: list[dict[str, float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each system, r(d) of the shortest and of the longest documents, relative to the mean of all."""
    names = [f"length {each['name']}" for each in found["groups"] if each["attribute"] == "length"]
    first, last = (
        np.array([each["groups"][name] / at["mean"] for each, at in zip(found["systems"], at_last, strict=True)])
        for name in (names[0], names[-1])
    )
    return first, last


STUDIES: dict[str, Callable[[Sources], None]] = {
    "judges": study_judges,
    "measures": study_measures,
    "retrievability": study_retrievability,
}


def main() -> None:
    """Write the pages that are named, or all."""
    parser = argparse.ArgumentParser(description="Write the pages of the studies from real data.")
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ANTECEDE_DATA", DOCS.parents[1] / "shared/data"))
    )
    parser.add_argument("--index", type=Path, help="An index of patents-fulltext, if there is one.")
    parser.add_argument(
        "--retrievability",
        type=Path,
        metavar="FILE.json",
        help="Only that page, from what the verb printed with --json.",
    )
    parser.add_argument("names", nargs="*", metavar="STUDY", help=", ".join(STUDIES))
    given = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    if given.retrievability is not None:
        report_retrievability(json.loads(given.retrievability.read_text()))
        return
    for name in given.names or STUDIES:
        STUDIES[name](Sources(given.data, given.index))


if __name__ == "__main__":
    main()
