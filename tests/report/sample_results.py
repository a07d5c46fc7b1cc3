"""Small results for every figure, and hostile names."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison import ScoreTable, TopicValues, agreement, compare, correlation
from antecede.evaluation import RankTable, Scores, evaluate
from antecede.measures.ranks import Ranks
from antecede.report.figures import FIGURES, PaperFigure
from antecede.report.figures.comparisons import means
from antecede.review.assessment import RULES, EstimatorAssessment, Reliability, RuleAssessment
from antecede.review.estimators import parse_estimator
from antecede.review.judged_topics import ReviewTopic
from antecede.review.prisma import PrismaFlow
from antecede.review.reading import Reading
from antecede.review.screening import Replay, ScreenedReview, ScreeningSimulation
from antecede.review.simulation import ReviewSimulation, simulate_reviews
from antecede.review.status import ReviewStatus
from antecede.search.retrieval_counts import RetrievalCounts
from antecede.study.cutoffs import Crossing, Cutoffs
from antecede.study.judges import JudgeComparison, judges
from antecede.study.meta_evaluation import measures
from antecede.study.published import Published
from antecede.study.retrievability import Retrievability, retrievability
from antecede.study.robustness import Robustness, robustness
from antecede.study.term_counts import TermCounts
from tests.study.worlds import graded_world

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.comparison import Agreement, Comparison, Correlations

MEASURES = "AP@100,R@100,PRES@100"
TEN = "PRES@100,AP@100,R@100,P@10,nDCG,RR,Bpref,RBP(p=0.8),Effort@50,NumRelRet"
HOSTILE = (
    "pays$$and$more",
    r"$\frac{1}{0}$",
    "a_b^c%d#e~f",
    "<b>&amp;\"'</b>",
    "x" * 300,
    "x" * 299 + "y",
    "Zürich–Ωμέγα",
    "特許検索の実行",
    "line\nbreak\tand\x00nul",
    "bad\udc80byte",
    "",
    "   ",
)
"""Names that may occur in users' files."""


@cache
def make_ranks(runs: int | tuple[str, ...] = 6, topics: int = 12, *, seed: int = 0) -> RankTable:
    """Synthetic runs, each a bit worse than the one before, with three or more relevant documents per topic."""
    rng = np.random.default_rng(seed)
    names = tuple(f"run{number:02d}" for number in range(runs)) if isinstance(runs, int) else tuple(runs)
    sizes = rng.integers(3, 9, topics)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    ranks = np.zeros((len(names), offsets[-1]), np.int32)
    for run in range(len(names)):
        for start, end in pairwise(offsets):
            ranks[run, start:end] = rng.choice(150 + 20 * run, end - start, replace=False) + 1
    return RankTable(
        names,
        tuple(f"T{number}" for number in range(topics)),
        tuple(f"d{number}" for number in range(offsets[-1])),
        Ranks(ranks, np.ones(offsets[-1], np.int32), offsets, np.full((len(names), topics), 1000, np.int32)),
    )


@cache
def make_scores(runs: int | tuple[str, ...] = 6, measures: str = MEASURES, topics: int = 12) -> Scores:
    return evaluate(make_ranks(runs, topics), measures)


def split_by_measure(of: Scores) -> dict[str, np.ndarray]:
    return {str(measure): of.of(str(measure)) for measure in of.measures}


@cache
def make_agreement(runs: int | tuple[str, ...] = 6, measures: str = MEASURES) -> Agreement:
    of = make_scores(runs, measures)
    return agreement(TopicValues(split_by_measure(of), of.runs))


@cache
def make_comparison(
    runs: int | tuple[str, ...] = 6, measures: str = MEASURES, *, baseline: int | None = 0
) -> Comparison:
    of = make_scores(runs, measures)
    name = None if baseline is None else of.runs[baseline]
    return compare(TopicValues(split_by_measure(of), of.runs), baseline=name, resamples=20)


def make_correlations(runs: int | tuple[str, ...] = 6, measures: str = MEASURES) -> Correlations:
    of = make_scores(runs, measures)
    return correlation(ScoreTable(of.runs, {str(m): of.totals[i] for i, m in enumerate(of.measures)}))


def make_robustness(
    runs: int | tuple[str, ...] = 6, measures: str = f"{MEASURES},AP@10,R@10,nDCG", **how: Any
) -> Robustness:
    return robustness(make_ranks(runs), measures, **how)


def make_cutoffs(
    runs: int | tuple[str, ...] = 3, measures: Sequence[str] = ("AP", "R", "PRES"), at: Sequence[int] = (5, 50, 100)
) -> Cutoffs:
    """Synthetic curves: every run crosses the next one half-way."""
    names = make_ranks(runs).runs
    grid = np.arange(at[0], at[-1] + 1)
    slope = np.linspace(1, 0.5, len(names))[:, None]
    curve = slope * (grid / grid[-1]) ** 0.5 + (1 - slope) * 0.7
    curves = np.stack([curve * (1 - 0.2 * m) for m in range(len(measures))])
    middle = int(grid[len(grid) // 2])
    crossings = tuple(
        Crossing(measure=measure, first=b, second=a, before=middle - 1, at=middle, gap=0.001)
        for measure in measures
        for a, b in pairwise(names)
    )
    places = np.searchsorted(grid, at)
    return Cutoffs(
        measures=tuple(measures),
        runs=names,
        at=tuple(at),
        scores=curves[:, :, places],
        crossings=crossings,
        grid=grid,
        curves=curves,
    )


def make_term_counts(
    methods: Sequence[str] = ("full", "tf", "bm25"), at: Sequence[int] = (5, 20, 75, 200)
) -> TermCounts:
    """Synthetic curves: each rises, each a bit less than the one before."""
    curve = np.sqrt(np.array(at) / at[-1])
    scores = np.stack([[curve * (1 - 0.1 * q - 0.2 * m) for q in range(len(methods))] for m in range(3)])
    return TermCounts(("AP@1000", "R@100", "PRES@1000"), tuple(methods), tuple(at), scores, 12)


@cache
def make_published() -> Published:
    """A result of `published` with synthetic numbers."""
    rng = np.random.default_rng(3)
    study = robustness(make_ranks(8), f"{MEASURES},AP@10,R@10,PRES@10", samples=12)
    return Published(
        sections=(),
        robustness=study,
        printed_tau={measure: rng.uniform(0.5, 1, (4, 3)) for measure in study.measures},
        table_4={name: rng.uniform(0, 0.8, 48) for name in ("MAP", "Recall", "PRES")},
    )


@cache
def make_review_simulation(rules: tuple[str, ...] = ("knee", "misses(n=20)")) -> ReviewSimulation:
    """Three topics of 200 documents, read with two kinds of feedback."""
    rng = np.random.default_rng(5)
    every = []
    for number in range(3):
        relevant = np.zeros(200, np.bool_)
        relevant[np.unique((rng.random(12) ** 2 * 200).astype(int))] = True
        order = np.arange(200)
        better = lambda good, bad, flags=relevant: np.argsort(~flags, kind="stable")  # noqa: E731, ARG005
        every.append(ReviewTopic(f"T{number}", order, relevant, rerank=better))
    return simulate_reviews(every, feedback=("static", "one-shot"), rules=rules)


@cache
def make_screening_simulation(reviews: tuple[str, ...] = ("Donners_2021", "Menon_2022")) -> ScreeningSimulation:
    """Reviews of 100 records, each screened twice."""
    every = []
    for number, name in enumerate(reviews):
        rng = np.random.default_rng(number)
        replays = tuple(Replay(seed, np.sort(rng.random(98))[::-1] > rng.random(98)) for seed in range(2))
        every.append(ScreenedReview(name, 100, int(replays[0].relevant.sum()) + 1, replays, {}))
    return ScreeningSimulation(tuple(every))


def make_flow(lines: int = 4) -> PrismaFlow:
    """A screening with so many files and reasons."""
    files = {f"export {number} of a database.ris": 300 + number for number in range(lines)}
    reasons = {f"wrong population of kind {number}": 4 for number in range(lines)}
    settled = 2 + 5 + 4 * lines + 20
    rest = sum(files.values()) - 12 - 3 - settled - 40
    return PrismaFlow(files, 12, 3, rest, 0, settled + 40, 2, 40, 2, 5, reasons, 20)


def make_reliability() -> Reliability:
    names = ("stated", "observed", "low", "high", "effort", "recall")
    rows = [(0.5, 0.56, 0.41, 0.7, 0.1, 0.9), (0.8, 0.78, 0.6, 0.9, 0.2, 0.95), (0.95, 0.96, 0.86, 1.0, 0.45, 0.99)]
    return Reliability(0.95, 50, tuple(dict(zip(names, row, strict=True)) for row in rows))


def make_rule_assessment(rules: tuple[str, ...] = RULES) -> RuleAssessment:
    rows = tuple(
        {"rule": rule, "recall": 0.9, "reliability": 1 - at / 30, "low": 0.5, "high": 1.0, "effort": 1 / (at + 1)}
        for at, rule in enumerate(rules)
    )
    return RuleAssessment(0.95, 50, 0.17, rows)


def make_estimator_assessment() -> EstimatorAssessment:
    rng = np.random.default_rng(5)
    truths = rng.integers(1, 200, 40).tolist()
    points = {
        name: tuple((truth * rng.uniform(0.3, 3), truth, share) for truth in truths for share in (0.05, 0.2))
        for name in ("poisson(rate=power)", "audit", "calibrated", "horvitz_thompson")
    }
    return EstimatorAssessment(0.95, 40, (), points)


def make_review_status() -> ReviewStatus:
    """A review of 100 documents, 40 of them read."""
    reading = Reading(np.arange(40) % np.arange(1, 41) % 5 == 1, 100)
    estimates = {"poisson": parse_estimator("poisson").estimate(reading)}
    counts = {"relevant": reading.found, "maybe": 0, "not": 40 - reading.found}
    return ReviewStatus("case", "T1", "A title", "run a", "static", 100, 100, counts, 0, reading, estimates)


@cache
def make_judges(runs: int = 5, topics: int = 8) -> JudgeComparison:
    """Two judges who disagree about some documents, and runs that find many of them."""
    first, found = graded_world(runs, topics, 0.5)
    rng = np.random.default_rng(0)
    second = {
        topic: {doc: grade if rng.random() < 0.9 else 1 - min(grade, 1) for doc, grade in judged.items()}
        for topic, judged in first.items()
    }
    return judges(first, second, found, "AP,P@5", samples=20)


METHODS = ("tf", "lm", "bm25", "full", "tfidf", "uft", "qr", "lmipc")
MODELS = ("bm25", "tfidf", "pl2", "lm_dirichlet", "bm25(k1=0.4,b=0.9)")


@cache
def make_retrievability(systems: int = 3) -> Retrievability:
    """Documents that are retrieved by chance, some of them never."""
    rng = np.random.default_rng(0)
    counts = RetrievalCounts(
        systems=tuple(product(METHODS, MODELS))[:systems],
        cutoffs=(10,),
        weights=rng.poisson(rng.gamma(0.5, 2, (systems, 1, 60))).astype(np.float64),
        doc_ids=tuple(f"EP{1000000 + number}" for number in range(60)),
        attributes={"language": ("en",) * 40 + ("de",) * 20},
        lengths=rng.integers(200, 4000, 60),
        queries=np.full(systems, 20),
        topics=20,
    )
    return retrievability(counts)


SAMPLES: dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "systems": lambda: ((make_scores(),), {"sort": "PRES@100"}),
    "rank_changes": lambda: ((make_scores(),), {}),
    "topic_differences": lambda: ((make_scores(),), {}),
    "precision_recall": lambda: ((make_scores(),), {}),
    "agreement": lambda: ((make_agreement(),), {}),
    "cutoffs": lambda: ((make_cutoffs(),), {}),
    "term_counts": lambda: ((make_term_counts(),), {}),
    "pres_recall": lambda: ((), {}),
    "pres_rr": lambda: ((), {}),
    "relevant_per_topic": lambda: ((make_ranks(),), {}),
    "robustness": lambda: ((make_robustness(),), {}),
    "compare": lambda: ((make_comparison(),), {}),
    "correlation": lambda: ((make_correlations(),), {}),
    "published": lambda: ((make_published(),), {}),
    "recall_read": lambda: ((make_review_simulation(),), {}),
    "screening_recall": lambda: ((make_screening_simulation(),), {}),
    "prisma": lambda: ((make_flow(),), {}),
    "reliability": lambda: ((make_reliability(),), {}),
    "reliability_cost": lambda: ((make_rule_assessment(),), {}),
    "estimates_truth": lambda: ((make_estimator_assessment(),), {}),
    "discovery": lambda: ((make_review_status(),), {}),
    "judges": lambda: ((make_judges(),), {}),
    "meta": lambda: ((measures(make_ranks(), "PRES@100,AP@100,R@100,P@10,nDCG,RR", samples=3),), {}),
    "retrievability": lambda: ((make_retrievability(),), {}),
}
"""For every figure a small result, and options."""


@cache
def draw_sample(name: str) -> PaperFigure:
    """A figure of its small result, drawn once."""
    results, options = SAMPLES[name]()
    return FIGURES[name](*results, **options)


TWELVE = "PRES@1000,PRES@100,AP@1000,AP,R@100,R@50,P@10,nDCG,nDCG@10,RR,Bpref,RBP(p=0.95)"


def name_runs(number: int) -> tuple[str, ...]:
    """Names of runs as long as those of TREC."""
    return tuple(f"input.{('CL99SDopt', 'INQ', 'Flab8atd')[at % 3]}{at}" for at in range(number))


def _make_groups(runs: int) -> Robustness:
    table = make_ranks(name_runs(runs))
    groups = {run: f"University {at % max(2, runs // 2)}" for at, run in enumerate(table.runs)}
    return robustness(table, "AP@10,R@10,nDCG,P@10", remove="group", groups=groups)


SIZED: dict[str, Callable[[int], PaperFigure]] = {
    "systems": lambda runs: FIGURES["systems"](make_scores(name_runs(runs), TWELVE)),
    "rank_changes": lambda runs: FIGURES["rank_changes"](make_scores(name_runs(runs), TWELVE)),
    "topic_differences": lambda runs: FIGURES["topic_differences"](make_scores(name_runs(runs))),
    "precision_recall": lambda runs: FIGURES["precision_recall"](make_scores(name_runs(runs))),
    "relevant_per_topic": lambda runs: FIGURES["relevant_per_topic"](make_ranks(name_runs(runs))),
    "agreement": lambda runs: FIGURES["agreement"](make_agreement(name_runs(runs), TWELVE)),
    "correlation": lambda runs: FIGURES["correlation"](make_correlations(name_runs(runs), TWELVE)),
    "compare": lambda runs: FIGURES["compare"](make_comparison(name_runs(runs))),
    "compare (two measures)": lambda runs: FIGURES["compare"](make_comparison(name_runs(runs), "AP@100,Effort@50")),
    "compare (twelve measures)": lambda runs: FIGURES["compare"](make_comparison(name_runs(runs), TWELVE)),
    "compare (pairs, twelve measures)": lambda runs: FIGURES["compare"](
        make_comparison(name_runs(runs), TWELVE, baseline=None)
    ),
    "cutoffs": lambda runs: FIGURES["cutoffs"](
        make_cutoffs(name_runs(runs), ("AP", "R", "PRES", "nDCG"), (10, 20, 50, 100, 1000))
    ),
    "robustness": lambda runs: FIGURES["robustness"](make_robustness(name_runs(runs), samples=5)),
    "robustness (depth)": lambda runs: FIGURES["robustness"](make_robustness(name_runs(runs), remove="depth")),
    "robustness (groups)": lambda runs: FIGURES["robustness"](_make_groups(runs)),
    "judges": lambda runs: FIGURES["judges"](make_judges(runs)),
    "meta": lambda runs: FIGURES["meta"](measures(make_ranks(name_runs(runs)), samples=3, at=(10, 100))),
    "retrievability": lambda systems: FIGURES["retrievability"](make_retrievability(systems)),
    "term_counts": lambda methods: FIGURES["term_counts"](make_term_counts([f"method {at}" for at in range(methods)])),
    "recall_read": lambda rules: FIGURES["recall_read"](
        make_review_simulation(("knee", *(f"misses(n={10 * at})" for at in range(1, min(rules, 14)))))
    ),
    "screening_recall": lambda reviews: FIGURES["screening_recall"](
        make_screening_simulation(tuple(name_runs(reviews)))
    ),
    "prisma": lambda lines: FIGURES["prisma"](make_flow(lines)),
    "means": lambda runs: means(make_scores(name_runs(runs)), 0, 1),
}
"""Figures whose texts depend on the number of runs, or of what stands in their place."""
