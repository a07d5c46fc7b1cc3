"""The figure gallery: every registered figure, drawn when the site is built, with the command that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import antecede as ac
from antecede.evaluation import RankTable
from antecede.measures.ranks import Ranks
from antecede.report.figures import FIGURES
from antecede.review.assessment import (
    EstimatorAssessment,
    Reliability,
    RuleAssessment,
    assess_estimators,
    assess_reliability,
    assess_rules,
    split_halves,
)
from antecede.review.estimators import parse_estimator
from antecede.review.judged_topics import JudgedReading, ReviewTopic
from antecede.review.labelled_records import LabelledRecords
from antecede.review.prisma import PrismaFlow, count_flow
from antecede.review.reading import Reading
from antecede.review.screening import simulate_screening
from antecede.review.status import ReviewStatus
from antecede.review.votes import ABSTRACT, EXCLUDE, FULL_TEXT, INCLUDE, REASONS, Protocol, Vote, Votes
from antecede.search.retrieval_counts import RetrievalCounts
from antecede.study.retrievability import retrievability

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.review.screening import ScreeningSimulation
    from antecede.review.simulation import ReviewSimulation
    from antecede.study import Robustness, Simulation
    from antecede.study.judgement_loss import LossName

HEAD = """# Figure gallery

Every figure that antecede draws, with the command that makes it. The option `--figure` accepts `.svg`, `.png` and
`.pdf` files. In Python, call `.plot()` on a result, or use a figure by name, as in
`antecede.report.figures.FIGURES["systems"].write("systems.svg", scores)`.

Unless stated otherwise, the data are simulated: 16 runs on 60 topics whose scores follow those of CLEF-IP 2009
([study.simulate](api/studying-measures.md#studysimulate)).
"""
FOLDER = "images/gallery"


@dataclass(frozen=True)
class GalleryFigure:
    """A figure of the gallery."""

    figure: str
    """Its name in the registry."""
    command: str
    """A command of the documentation that draws it; a test runs it."""
    make: Callable[[], Any] | None = None
    """Makes the result that is drawn; None for a figure that needs none."""
    stored: str | None = None
    """An image that is stored with the pages and shown instead, where drawing takes long or needs real data."""
    variant: str = ""
    """Set apart from another example of the same figure."""
    note: str = ""

    @property
    def image(self) -> str:
        """The path of the image in the folder of the pages."""
        return self.stored or f"{FOLDER}/{'_'.join(filter(None, (self.figure, self.variant)))}.svg"

    @property
    def title(self) -> str:
        """The heading of its section."""
        return f"{self.figure} ({self.variant})" if self.variant else self.figure


@cache
def simulate_runs() -> Simulation:
    """The simulated runs."""
    return ac.study.simulate(runs=16, topics=60)


@cache
def simulated_table() -> RankTable:
    """The rank table of the simulated runs."""
    drawn = simulate_runs()
    ranks = Ranks(drawn.ranks, np.ones(len(drawn.doc_ids), np.int32), drawn.offsets, drawn.retrieved)
    return RankTable(drawn.runs, drawn.topic_ids, tuple(drawn.doc_ids), ranks)


@cache
def simulated_scores() -> ac.Scores:
    """Three measures of the simulated runs."""
    return ac.evaluate(simulated_table(), "PRES@1000,AP@1000,R@1000")


def few_runs(number: int) -> RankTable:
    """The table of some of the runs."""
    table = simulated_table()
    return table.select(table.runs[:: len(table.runs) // number][:number])


def compare_few(number: int, *, baseline: bool = False) -> ac.Comparison:
    """A comparison of some of the runs, with the median run as the baseline or without one."""
    scores = ac.evaluate(few_runs(number), "PRES@1000,AP@1000")
    median = scores.runs[np.argsort(scores.totals[0])[number // 2]]
    return ac.compare(scores, baseline=median if baseline else None)


def lose_judgements(remove: LossName) -> Robustness:
    """A robustness study of the simulated runs."""
    drawn = simulate_runs()
    groups = dict(zip(drawn.runs, drawn.groups, strict=True))
    measures = "AP@100,R@100,PRES@100,AP@1000,R@1000,PRES@1000"
    return ac.study.robustness(
        simulated_table(), measures, samples=20, remove=remove, groups=groups if remove == "group" else None
    )


def simulate_retrievals() -> RetrievalCounts:
    """Counts of 400 made-up documents, of which long ones are found more often, under 12 systems."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(200, 4000, 400)
    systems = tuple((method, model) for method in ("full", "lm", "tf", "tfidf") for model in ("bm25", "pl2", "tfidf"))
    rates = [rng.gamma(0.5 + at / 6, size=400) * lengths ** (0.1 * (at % 3)) for at in range(len(systems))]
    weights = np.stack([rng.poisson(100 * rate / rate.sum() * 40)[None] for rate in rates]).astype(np.float64)
    return RetrievalCounts(
        systems=systems,
        cutoffs=(100,),
        weights=weights,
        doc_ids=tuple(f"EP{1000000 + number}" for number in range(400)),
        attributes={"language": ("en",) * 400},
        lengths=lengths,
        queries=np.full(len(systems), 40),
        topics=40,
    )


def simulate_reading() -> ReviewSimulation:
    """The first of the simulated runs, read from the top."""
    table = few_runs(1)
    topics = []
    for at, topic_id in enumerate(table.topics):
        ranks = table.ranks.ranks[0, table.ranks.offsets[at] : table.ranks.offsets[at + 1]]
        relevant = np.zeros(1000, np.bool_)
        relevant[ranks[(ranks > 0) & (ranks <= 1000)] - 1] = True
        if relevant.any():
            topics.append(ReviewTopic(topic_id, np.arange(1000), relevant))
    return ac.review.simulate(topics, ranking="simulated run", rules=["knee", "misses(n=50)"])


def simulate_screenings() -> ScreeningSimulation:
    """Three made-up reviews of 200 records, in which relevant records share more or fewer of their words."""
    rng, words = np.random.default_rng(0), np.array([f"word{at}" for at in range(60)])
    reviews = []
    for number, common in enumerate((12, 20, 32), 1):
        relevant = np.arange(200) % 10 == 0
        texts = tuple(" ".join(rng.choice(words[:common] if flag else words, 12)) for flag in relevant)
        reviews.append(LabelledRecords(f"review {number}", texts, relevant))
    return simulate_screening(*reviews, seeds=2, rules=())


def make_flow() -> PrismaFlow:
    """A made-up screening of 1,400 records by two people."""
    votes = Votes(2)
    for number in range(600):
        kept = number % 10 == 0
        for user in ("ann", "ben"):
            votes.add(Vote(f"r{number}", ABSTRACT, INCLUDE if kept else EXCLUDE, user=user))
            reason = REASONS[number // 10 % 3] if number % 20 else ""
            if kept:
                votes.add(Vote(f"r{number}", FULL_TEXT, EXCLUDE if reason else INCLUDE, reason=reason, user=user))
    protocol = Protocol(("ann", "ben"), sources={"embase.ris": 1010, "pubmed.nbib": 504}, duplicates=114)
    return count_flow(protocol, [f"r{number}" for number in range(1400)], votes)


@cache
def read_judged_topics() -> list[JudgedReading]:
    """Forty topics whose relevant documents become rarer along a list of 300."""
    rng = np.random.default_rng(1)
    topics = []
    for at in range(40):
        relevant = np.zeros(300, np.bool_)
        relevant[np.minimum(rng.exponential(rng.uniform(5, 40), rng.integers(2, 40)).astype(int), 299)] = True
        topics.append(JudgedReading(str(at + 1), Reading(relevant, 300), int(relevant.sum())))
    return topics


def simulate_calibration() -> Reliability:
    """How reliable the calibrated rule is on them."""
    return assess_reliability(split_halves(read_judged_topics()))


def compare_rules() -> RuleAssessment:
    """All rules on them."""
    topics = read_judged_topics()
    return assess_rules(topics, halves=split_halves(topics), seeds=1)


def compare_estimators() -> EstimatorAssessment:
    """All estimators on them."""
    topics = read_judged_topics()
    return assess_estimators(topics, halves=split_halves(topics))


def read_half() -> ReviewStatus:
    """A review whose finds become rarer."""
    relevant = np.zeros(120, np.bool_)
    relevant[[0, 1, 2, 4, 6, 9, 13, 18, 26, 37, 55, 90]] = True
    reading = Reading(relevant, 1000)
    estimates = {"poisson": parse_estimator("poisson").estimate(reading)}
    counts = {"relevant": reading.found, "maybe": 0, "not": 120 - reading.found}
    return ReviewStatus("case1", "EP1234567", "", "a.run", "static", 1000, 1000, counts, 0, reading, estimates)


GALLERY = (
    GalleryFigure("systems", "antecede evaluate ranks.npz --sort PRES@1000 --figure systems.svg", simulated_scores),
    GalleryFigure(
        "rank_changes",
        "antecede evaluate ranks.npz -m PRES@1000,AP@1000,R@1000 --figure ranks.svg --draw rank-changes",
        simulated_scores,
    ),
    GalleryFigure(
        "compare",
        "antecede compare qrels.txt a.run b.run c.run --baseline a.run --figure baseline.svg",
        lambda: compare_few(8, baseline=True),
        variant="baseline",
    ),
    GalleryFigure(
        "compare",
        "antecede compare ranks.npz -m AP@1000 --details --figure differences.svg",
        lambda: compare_few(8),
        variant="pairs",
    ),
    GalleryFigure(
        "topic_differences",
        "antecede compare qrels.txt a.run b.run --baseline a.run -m AP --figure topics.svg --draw topics",
        lambda: ac.evaluate(few_runs(4), "PRES@1000"),
    ),
    GalleryFigure(
        "precision_recall",
        "antecede evaluate qrels.txt a.run b.run --figure curves.svg --draw precision-recall",
        lambda: ac.evaluate(few_runs(5), "AP@1000"),
    ),
    GalleryFigure(
        "correlation",
        "antecede study correlation qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --figure correlation.svg",
        lambda: ac.study.correlation(simulated_scores()),
    ),
    GalleryFigure(
        "agreement",
        "antecede study agreement ranks.npz -m AP@1000,R@1000,PRES@1000 --figure agreement.svg",
        lambda: ac.study.agreement(simulated_scores()),
    ),
    GalleryFigure(
        "cutoffs",
        "antecede study cutoffs qrels.txt a.run b.run -m PRES -m nDCG --at 10,20,50,100 --figure curves.svg",
        lambda: ac.study.cutoffs(few_runs(5), ["R", "PRES"], at=[10, 20, 50, 100, 200, 500]),
    ),
    GalleryFigure(
        "robustness",
        "antecede study robustness qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --samples 100 "
        "--figure robustness.svg",
        lambda: lose_judgements("random"),
    ),
    GalleryFigure(
        "robustness",
        "antecede study robustness qrels.txt runs/*.gz --remove group --groups groups.txt --figure groups.svg",
        lambda: lose_judgements("group"),
        variant="groups",
    ),
    GalleryFigure(
        "judges",
        "antecede study judges qrels.txt other-qrels.txt runs/*.gz -m AP@1000,PRES@1000 --figure judges.svg",
        stored="images/studies/judges.svg",
        note="TREC-8, against a judge who makes mistakes: see [the study](studies/judges.md).",
    ),
    GalleryFigure(
        "meta",
        "antecede study measures qrels.txt runs/*.gz -m AP@100,PRES@100,GMAP,nDCG@10,RR --samples 20 --figure meta.svg",
        stored="images/studies/measures-trec8.svg",
        note="Every measure on 48 runs of TREC-8: see [the study](studies/measures.md).",
    ),
    GalleryFigure(
        "retrievability",
        "antecede study retrievability clefip.index --sample 100 --figure retrievability.svg",
        lambda: retrievability(simulate_retrievals()),
        note="Made-up counts: 400 documents, of which long ones are found more often.",
    ),
    GalleryFigure("relevant_per_topic", "antecede audit qrels.txt a.run --figure relevant.svg", simulated_table),
    GalleryFigure(
        "term_counts",
        "antecede study query-length clefip.index topics.jsonl qrels.txt --method tf,lm --at 10,50,200 --figure m.svg",
        stored="images/term_counts.svg",
        note="The full texts of 5,000 US patents: see [query methods compared](studies/queries.md#number-of-terms).",
    ),
    GalleryFigure(
        "published",
        "antecede study published --figure published.svg",
        stored="images/published.svg",
        note="The figures of the papers, and the robustness study on 48 simulated runs.",
    ),
    GalleryFigure(
        "recall_read",
        "antecede review simulate qrels.txt a.run --rule knee --rule 'misses(n=50)' --figure recall.svg",
        simulate_reading,
        note="One of the simulated runs, read from the top.",
    ),
    GalleryFigure(
        "screening_recall",
        "antecede review simulate labelled.csv other.csv --prior 1,1 --figure screening.svg",
        simulate_screenings,
        note="Three simulated reviews.",
    ),
    GalleryFigure(
        "prisma",
        "antecede review prisma review.sqlite --figure prisma.svg",
        make_flow,
        note="A made-up screening of two exports.",
    ),
    GalleryFigure(
        "reliability",
        "antecede review calibrate qrels.txt a.run --out a.calibration.json --figure reliability.svg",
        simulate_calibration,
        note="Forty simulated topics.",
    ),
    GalleryFigure(
        "reliability_cost",
        "antecede review calibrate qrels.txt a.run --out a.calibration.json --rules-figure rules.svg",
        compare_rules,
        note="The same topics.",
    ),
    GalleryFigure(
        "estimates_truth",
        "antecede review calibrate qrels.txt a.run --out a.calibration.json --estimates-figure estimates.svg",
        compare_estimators,
        note="The same topics.",
    ),
    GalleryFigure(
        "discovery",
        "antecede review status case1.sqlite --qrels case1.qrels --figure case1.svg",
        read_half,
        note="A simulated review of 120 documents.",
    ),
    GalleryFigure(
        "pres_recall", "antecede study published --figure pres-recall.svg --draw pres-recall", note="No data needed."
    ),
    GalleryFigure("pres_rr", "antecede study published --figure pres-rr.svg --draw pres-rr", note="No data needed."),
)
"""The gallery, in its order."""


def write_gallery() -> str:
    """The page in Markdown."""
    return "\n\n".join([HEAD.rstrip(), *map(write_section, GALLERY)]) + "\n"


def write_section(each: GalleryFigure) -> str:
    """Heading, image, command and description of a figure."""
    definition = FIGURES[each.figure]
    parts = [
        f"## {each.title}",
        definition.doc,
        f"![{definition.summary}]({each.image})",
        f"```sh\n{each.command}\n```",
        each.note,
    ]
    return "\n\n".join(filter(None, parts))


def draw_gallery(folder: Path) -> None:
    """Draw the figures that are not stored, into the folder of a site."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for each in GALLERY:
        if each.stored is None:
            results = () if each.make is None else (each.make(),)
            FIGURES[each.figure].write(folder / each.image, *results)
