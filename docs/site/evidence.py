"""The studies: pages made from the figures that are stored beside them, one CSV file each.

    python -m docs.site.evidence

A row of a CSV file is one figure: collection, part, system, measure, value, mark. The scripts that measure write these
files (bench/candidates_study.py, bench/methods_study.py, bench/folding_study.py, docs/site/estimator_study.py,
docs/site/stopping_study.py, docs/site/screening_study.py, docs/site/studies.py). The pages show what readers ask for.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

STUDIES = Path(__file__).resolve().parents[1] / "studies"
MARKS = {"better": "†", "worse": "‡"}
HEAD = ("collection", "part", "system", "measure", "value", "mark")


class Figure(NamedTuple):
    """One figure of a study."""

    collection: str
    part: str
    system: str
    measure: str
    value: str
    mark: str = ""


def read_figures(study: str) -> list[Figure]:
    """The stored figures of a study."""
    with (STUDIES / f"{study}.csv").open(encoding="utf-8", newline="") as file:
        return [Figure(*row) for row in list(csv.reader(file))[1:]]


def write_figures(study: str, figures: Iterable[Figure]) -> None:
    """Store the figures of a study, and write its page."""
    with (STUDIES / f"{study}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(figures)
    (STUDIES / f"{study}.md").write_text(PAGES[study](read_figures(study)))


class Figures:
    """Finds figures by what they are of."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self.by_key = {tuple(each[:4]): each for each in figures}

    def value(self, *key: str) -> float:
        """A figure as a number."""
        return float(self.by_key[key].value)

    def cell(self, *key: str, digits: int = 3) -> str:
        """A figure as it is printed: `.943†`, or a dash where it was not measured."""
        found = self.by_key.get(key)
        if found is None or found.value == "":
            return "–"
        text = f"{float(found.value):.{digits}f}"
        return text.removeprefix("0") + MARKS.get(found.mark, "")


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join([write_row(head), rule, *map(write_row, rows)])


def write_row(cells: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


# Ranking

RANKING = """# What the default ranking finds

What each step from BM25 with 75 terms (`--ranking classic`) to the [default ranking](../ranking.md) is worth on real
patents. The judgements are the patents that a topic cites. Paired t test against `classic` with Holm's correction, p
< .05: † better, ‡ worse. [All figures](ranking.csv), also for PRES@1000, AP, R@1000 and P@10.

- *Large*: 16,000 US patents; *full texts*: 5,000 others; *abstracts*: 17,887 patents with title and abstract only;
  *homogeneous*: 4,675 of these that all have a title, a date, classes and a family. *Drafts* are the same topics with
  title and abstract only.
- *Likelihood*: `--model 'lm_jelinek_mercer(lambda=…)' --weights root`; *topical weights*: `--weights topical`;
  *feedback*: `--ranking feedback=1`; *the default*: `--ranking auto` in an index without spaces.
- Only documents before the topic's date, without its family; numbers in the text of a topic are masked.

## Recall at 100

{recall}

## Earlier and later topics

The steps and weights were chosen on the earlier half of the topics of the large collection, those of classes and
citations on the earlier half of the abstracts (`bench/default_weights.py`). Later topics, the full texts and the
homogeneous part confirm the default as a whole. Words alone are another matter: on full texts no such step gains
R@100 (AP does), and on abstracts only feedback does. R@100:

{halves}

## What is due to the applicant

`same_applicant` gains where judgements come from citations in descriptions, which favour an applicant's own patents.
On full texts nearly all of the gain in R@100 is due to it, and what is left is not significant; on the large
collection it is half. Drafts keep the applicant of the patent, which the draft of a new application may not have.
The abstracts have no applicants. *Kept apart* are 36,000 more full texts on which nothing was chosen; they are not
part of the data of this study, and no test of their differences is stored. R@100:

{applicant}

Topics of one company that cite the same patents are counted as independent by the t test.
"""
KEPT_APART = "kept apart"
"""A collection that was measured once, and of which little is stored."""
STEPS = (
    *("classic", "abstract without title", "likelihood, 75 terms", "300 terms", "likelihood", "topical weights"),
    *("feedback", "the default", "without same_applicant", "with feedback", "without feedback"),
)


def ranking_page(figures: list[Figure]) -> str:
    """The page on the steps to the default ranking."""
    at = Figures(figures)
    known = list(dict.fromkeys(each.collection for each in figures))
    names = [name for name in known if name != KEPT_APART]
    recall = [[step, *(at.cell(name, "all", step, "R@100") for name in names)] for step in STEPS]
    halves = [
        [f"{part}, {step}", *(at.cell(name, part, step, "R@100") for name in names)]
        for part in ("earlier", "later")
        for step in ("classic", "the default")
    ]
    applicant = [
        [step, *(at.cell(name, "all", step, "R@100") for name in known)]
        for step in ("classic", "without same_applicant", "the default")
    ]
    return RANKING.format(
        recall=write_table(["", *names], recall),
        halves=write_table(["", *names], halves),
        applicant=write_table(["", *known], applicant),
    )


# Query methods

QUERIES = """# Query methods, weights and spaces compared

The [query methods](../methods.md) on 5,000 US full texts ({full} topics) and 17,887 abstracts ({abstracts} topics);
the relevant documents are those that a topic cites. BM25, 1,000 documents, only documents before the date of the
topic. `classic` is the default method, `logtfidf`, with its weights √n. Paired t test against it with Holm's
correction, p < .05: † better, ‡ worse. Measured by `bench/methods_study.py`; [all figures](queries.csv).

## Methods, each with its own weights

{methods}

## Weights of the terms

R@100 with the method's own weights, √n (`--weights root`) and equal weights (`--weights none`):

{weights}

## Latent spaces

A [space](../spaces.md) alone, and the classic search plus half of it:

{spaces}

## Classes

On the abstracts, whose documents have IPC codes in part, `--ipc-boost 0.3` has R@100 {boost} where `classic` has
{classic}, and `--method lmipc`, which takes terms from the class, {lmipc}.

## Fusion

Two methods, fused by reciprocal rank (`--fusion rrf`); their weights are their own:

{fused}

## Number of terms

R@100 on full texts, by the methods that select terms; † better, ‡ worse than the same method with 75 terms:

{terms}

`logtfidf`, whose weights are √n, finds about the same with 45 to 150 terms, and less with 300, since incidental rare
terms are included. `tfidf` and `lm` find more with 150 terms or more than with 75. `lmipc` is `lm` here.

![Scores as a function of the number of terms](../images/term_counts.svg)

## How the default was chosen

Six ways to select terms × four numbers of terms × four weights were scored by MAP + R@100 + PRES@1000 in five-fold
cross-validation over the topics of the full texts, repeated twenty times. The combinations chosen were √n·idf with 100
terms (70 %) and log(1 + n)·idf with 75 terms (28 %), always with weights √n. The difference between the two is not
significant, so the one with the 75 terms of the literature is the default. The idea of separating weights from
selection came from the same topics. 55 of the 307 topics belong to one company and cite the same two patents, while the
t test treats them as independent.
"""
METHODS = ("classic", "full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
SELECTING = ("logtfidf", "tf", "tfidf", "bm25", "lm")
TERMS = ("45", "75", "150", "300")
SPACES = ("classic", "lsa alone", "words alone", "classic + ½ lsa", "classic + ½ words")


def queries_page(figures: list[Figure]) -> str:
    """The page on query methods, weights and spaces."""
    at = Figures(figures)
    names = list(dict.fromkeys(each.collection for each in figures))
    measures = ("R@100", "PRES@1000")
    head = ["", *(f"{name}: {measure}" for name in names for measure in measures)]

    def rows(systems: Iterable[str], measures: Sequence[str], part: str = "all") -> list[list[str]]:
        return [
            [system, *(at.cell(name, part, system, measure) for name in names for measure in measures)]
            for system in systems
        ]

    own = {name: {"own": name, "root": f"{name}, root", "none": f"{name}, none"} for name in METHODS}
    own["classic"] = {"own": "classic, method", "root": "classic", "none": "classic, none"}
    weights = [
        [
            {"classic": "logtfidf"}.get(method, method),
            *(at.cell(name, "all", own[method][kind], "R@100") for name in names for kind in ("own", "root", "none")),
        ]
        for method in METHODS
    ]
    topics = {each.collection: each.value for each in figures if each.measure == "topics"}
    return QUERIES.format(
        full=topics["fulltexts"],
        abstracts=topics["abstracts"],
        methods=write_table(head, rows(METHODS, measures)),
        weights=write_table(["", *(f"{name}: {kind}" for name in names for kind in ("own", "√n", "equal"))], weights),
        spaces=write_table(
            ["", *(f"{name}: {measure}" for name in names for measure in ("R@100", "R@1000"))],
            rows(SPACES, ("R@100", "R@1000")),
        ),
        terms=write_table(
            ["", *(f"{count} terms" for count in TERMS)],
            [
                [name, *(at.cell("fulltexts", "terms", f"{name}, {count} terms", "R@100") for count in TERMS)]
                for name in SELECTING
            ],
        ),
        fused=write_table(head, rows(("logtfidf + lmipc", "logtfidf + full"), measures, "fused")),
        boost=at.cell("abstracts", "all", "classic, boost 0.3", "R@100"),
        classic=at.cell("abstracts", "all", "classic", "R@100"),
        lmipc=at.cell("abstracts", "all", "lmipc", "R@100"),
    )


# Stopping

STOPPING = """# When stopping rules stop

Reviews of judged topics, replayed with every stopping rule; [when to stop](../stopping.md) says how to choose.
*Reliability* is the share of topics that reach 95 % recall of the list, *effort* the share of the list that is read.
`calibrated` decides each half of the topics with the calibration of the other half; its figures are means over random
halves.

- *Full texts*: 5,000 US patents, 307 topics with 1.6 relevant documents on average, the default ranking.
- *Abstracts*: 17,887 patents, 754 topics with 1.7 relevant documents.
- *TREC-8, fused*: reciprocal rank fusion of 48 runs, 50 topics with 93 relevant documents in a list of 10,800.
- *TREC-8, single runs*: eight runs drawn at random, up to 1,000 documents per topic.

Measured by `python -m docs.site.stopping_study`, which needs data that are not part of the repository; [all
figures](stopping.csv).

## Rules

Reliability, and in brackets effort. The last row is a reader who knows when the target is reached.

{rules}

## What the calibrated rule states, and what is observed

Observed reliability on topics that were not calibrated on, and in brackets effort.

{stated}

What active learning is worth, and rules on systematic reviews: [screening](screening.md).

The features of the calibration and its ridge were chosen among a few variants on these topics, so that the effort may
be slightly optimistic. Where topics drift the promise weakens: on a synthetic collection split by date, a stated
reliability of .95 was .85.
"""


def stopping_page(figures: list[Figure]) -> str:
    """The page on stopping rules, estimators and feedback."""
    at = Figures(figures)

    def named(part: str) -> tuple[list[str], list[str]]:
        own = [each for each in figures if each.part == part]
        return list(dict.fromkeys(each.system for each in own)), list(dict.fromkeys(each.collection for each in own))

    def pair(first: tuple[str, ...], second: tuple[str, ...], digits: int) -> str:
        return f"{at.cell(*first, digits=digits)} ({at.cell(*second, digits=2)})" if first in at.by_key else "–"

    def pairs(part: str, first: str, second: str, digits: int, without: tuple[str, ...] = ()) -> str:
        systems, names = named(part)
        rows = [
            [
                f"`{system}`" if part == "rule" and "known" not in system else system,
                *(pair((name, part, system, first), (name, part, system, second), digits) for name in names),
            ]
            for system in systems
            if system not in without
        ]
        return write_table([part, *names], rows)

    return STOPPING.format(
        rules=pairs("rule", "reliability", "effort", 2),
        stated=pairs("stated", "observed", "effort", 3, without=(".60", ".70")),
    )


# Screening

SCREENING = """# Screening: how early the learner finds, and when to stop

Finished systematic reviews, screened again: one relevant and one irrelevant record are known at the start, drawn by
five seeds and left out of all figures; after each batch everything unread is ranked again. [When to
stop](../stopping.md) and [the guide](../guides/reviews.md) say what follows for a reviewer.

{reviews}

These four reviews are of SYNERGY. Measured by `python -m docs.site.screening_study`, which needs data that are not part
of the repository; [all figures](screening.csv).

## The learner

Words and pairs of adjacent words of title and abstract, sublinear tf-idf, a linear classifier with C = 0.11 in which
all irrelevant records weigh a 9.8th of the relevant ones, and nothing else: no first ranking and no presumed negatives.
These are the settings of ASReview's `elas_u4`, which were tuned on SYNERGY with these reviews in it; the figures of
both programs are flattered alike. ASReview reads one record after the other, antecede in batches of a fiftieth of what
is read. WSS@95 is the work saved over sampling; the others are recall after so many of the records.

{learner}

## Rules for stopping at 95 % recall

*Reliability* is the share of screenings that reached 95 %, *effort* the share of the records read. *Public reviews* are
27 (these four, 12 of Cohen et al. 2006, 6 others, and 5 of SYNERGY that had no part in any choice), screened with the
same learner 108 times, four seeds each; rules were asked after every half per cent. None of
these rules has a parameter that was fitted to the reviews, but the confidence of .9 was chosen among .95, .9, .8, .7
and .5 with most of them at hand. This is the record that `review stop` shows beside its advice.

{rules}

A review that stopped at the right moment would read {known}. Screenings of one review resemble each other, so that 108
of 108 says less than it would of 108 reviews: of 27 reviews without a failure, up to 11 % may be expected to fail at a
confidence of 95 %. No rule that was tried reached .95 on reviews not used at an effort of .75 or less: what the learner
itself expects among the unread (reliability .93, effort .71 on 22 reviews; 1.00 and .71 on the five others), a logistic
model of 14 features (.95, .91) and boosted trees (.97, .93) were tried.

About how many more documents a rule takes is shown only where it was right within a factor of two in four of five
moments. For `quasi_sampling` it was so in 224 of 224 moments of these reviews, also with a quarter of their relevant
records; for `misses` and `share_without_find` in 50 % and 46 %, and in 90 % and 95 % once as many records in a row had
no find as were still to come.

## Intervals

The share of intervals of 95 % that contain the truth, and in brackets their median width over the truth. `general` was
not made from reviews.

{intervals}

## Where the topic is a patent

A search with a whole patent ranks well, and the learner knows one document at first. Until something relevant is found
the first ranking decides alone; then its standardised score is added to the learner's with a weight of
4 / (1 + n / 400) after n marks. Chosen among eleven ways on *large*, confirmed on *abstracts*. Documents read until all
relevant ones are found, at most 400 per topic:

{joined}

Without the first ranking, the learner reads far more: on abstracts a geometric mean of 83 documents where the ranking
alone has 42.
"""


def screening_page(figures: list[Figure]) -> str:
    """The page on screenings."""
    at = Figures(figures)
    measures = ("wss@95", "recall@10%", "recall@20%", "recall@50%")
    learner = [figure for figure in figures if figure.part == "learner"]
    reviews = list(dict.fromkeys(each.collection for each in figures if each.part == "review"))
    programs = list(dict.fromkeys(each.system for each in learner))
    rules = list(dict.fromkeys(each.system for each in figures if each.part == "rule" and "known" not in each.system))
    groups = ("these reviews", "public reviews")
    parts = [each.part for each in figures if each.measure == "coverage" and each.system == "general"]
    estimators = list(dict.fromkeys(each.system for each in figures if each.measure == "coverage"))
    ranked = [each for each in figures if each.part == "first ranking"]
    joined = [
        [
            name,
            *(
                f"{at.value(name, 'first ranking', system, 'mean'):.0f} "
                f"({at.value(name, 'first ranking', system, 'geometric mean'):.1f})"
                for system in dict.fromkeys(each.system for each in ranked)
            ),
        ]
        for name in dict.fromkeys(each.collection for each in ranked)
    ]

    def pair(group: str, part: str, system: str, first: str, second: str) -> str:
        key = group, part, system
        return f"{at.cell(*key, first, digits=2)} ({at.cell(*key, second, digits=2)})"

    def interval(part: str, system: str) -> str:
        return pair(groups[0], part, system, "coverage", "width")

    return SCREENING.format(
        reviews=write_table(
            ["review", "records", "relevant"],
            [
                [name, *(at.cell(name, "review", "", fact, digits=0) for fact in ("records", "relevant"))]
                for name in reviews
            ],
        ),
        learner=write_table(
            ["review", "program", *("WSS@95", "recall @10 %", "@20 %", "@50 %")],
            [
                [name, program, *(at.cell(name, "learner", program, measure) for measure in measures)]
                for name in (*reviews, "mean")
                for program in programs
            ],
        ).replace("|---|---:|", "|---|---|", 1),
        rules=write_table(
            ["rule: reliability (effort)", *groups],
            [
                [f"`{rule}`", *(pair(group, "rule", rule, "reliability", "effort") for group in groups)]
                for rule in rules
            ],
        ),
        known=at.cell("these reviews", "rule", "known when to stop", "effort", digits=2),
        intervals=write_table(
            ["estimator", *parts], [[f"`{name}`", *(interval(part, name) for part in parts)] for name in estimators]
        ),
        joined=write_table(["topics: mean (geometric mean)", *dict.fromkeys(each.system for each in ranked)], joined),
    )


# Estimators

ESTIMATORS = """# Which estimates can be trusted

An interval of 95 % is a promise. Every estimator was asked, on topics whose answers are known, how many relevant
documents a list has after 20, 50, 100, 300 and 1,000 documents were read, and how often its interval contains the truth
was counted. `antecede` shows an estimate only where it did so in 90 % or more of the readings on every
collection with 20 or more readings of that kind (documents read and found); `antecede/review/coverage.json` has the
rule and the counts.

{collections}

The share of intervals that contain the truth, over all readings, in brackets their width at the median of all kinds of
readings, and in how many of these kinds the estimator may be shown:

{coverage}

`calibrated` uses a calibration made on the other half of the topics; `general`, which is shipped, those of all
collections: its interval spans all of theirs. *Active* is reading with active learning, asked with calibrations of
reading without. *Elsewhere* is `general` without the collection in question: on TREC-8, where a topic has forty
relevant documents instead of one to five, its intervals are far too low. So calibrate on your own collection where you
can.

`audit` is nearly always right and too wide to be of use; `chapman` and `poisson` are narrow and wrong where something
is left. Measured by `python -m docs.site.estimator_study`; [every kind of reading](estimators.csv).
"""


def estimators_page(figures: list[Figure]) -> str:
    """The page on the coverage of estimators."""
    facts = ("topics", "documents of a list, median", "relevant, median", "relevant, most")
    described = list(dict.fromkeys(each.collection for each in figures if each.part == "collection"))
    figures, about = [each for each in figures if each.system], Figures(figures)
    names = list(dict.fromkeys(each.collection for each in figures if each.collection != "all"))
    systems = list(dict.fromkeys(each.system for each in figures))
    by_key = {tuple(each[:4]): each.value for each in figures}

    def pooled(name: str, system: str) -> str:
        own = [each for each in figures if each.collection == name and each.system == system]
        counts = {each.part: float(each.value) for each in own if each.measure == "readings"}
        held = sum(float(each.value) * counts[each.part] for each in own if each.measure == "coverage")
        return f"{held / sum(counts.values()):.2f}".removeprefix("0") if counts else "–"

    def width(name: str, system: str) -> str:
        own = [float(each.value) for each in figures if each[:1] + each[2:4] == (name, system, "width")]
        return f" ({median(own):,.0f})" if own else ""

    def shown(system: str) -> str:
        allowed = [value for key, value in by_key.items() if key[2:] == (system, "shown")]
        return str(allowed.count("yes")) if allowed.count("–") < len(allowed) else "–"

    kinds = len({each.part for each in figures if each.measure == "shown"})
    titles = {"elsewhere": "*elsewhere*"}
    coverage = [
        [titles.get(each, f"`{each}`"), *(pooled(name, each) + width(name, each) for name in names), shown(each)]
        for each in systems
    ]
    collections = [
        [name, *(f"{about.value(name, 'collection', '', fact):,.0f}" for fact in facts)] for name in described
    ]
    return ESTIMATORS.format(
        collections=write_table(["collection", *facts], collections),
        coverage=write_table(["", *names, f"shown, of {kinds}"], coverage),
    )


# Measures

MEASURES = """# Study: which measures are robust and discriminating

Every measure of antecede on {runs} runs of TREC-8: mean τ over 200 samples with 20 % of the relevant documents, and the
share of the pairs of runs that a t test tells apart (α = 0.05). Measured by `python -m docs.site.studies measures`;
[all figures](measures.csv).

![Robustness and discriminative power of every measure on TREC-8](../images/studies/measures-trec8.svg)

{table}

1. The measures of the paper's open question: with few judgements, GMAP@1000 ({gmap}) and nDCG@1000 ({ndcg}) are between
PRES@1000 ({pres}) and AP@1000 ({ap}); P@10 ({p}) and RR ({rr}), which depend on few documents, are less robust still.

2. AP@1000 tells the most pairs of these apart ({ap_power}) but is among the less robust; PRES@1000 tells
{pres_power} apart, and its τ is larger by {gain}. Better in both respects than PRES@1000: {better}.

3. Reciprocal rank, the natural measure for the first X citation, tells {rr_power} apart with one of the least stable
orders: use it beside a recall-oriented measure, not instead of one.

## Patents

{patent_runs} runs of {topics} topics on the full texts of 5,000 patents, by query method and ranking model; {relevant}
relevant documents, {per_topic:.1f} per topic.

![Robustness and discriminative power of every measure on patents](../images/studies/measures-patents.svg)

{patents}

A sample of 20 % keeps one relevant document of nearly every topic. The order is another than on TREC-8, where topics
have 95 relevant documents on average: AP@100 keeps the order of the runs better than PRES@100 and tells more pairs
apart, and R@100 is the least stable.

```text
antecede study measures qrels.txt runs/*.gz --docs 528155 --figure measures.svg
```

See [antecede study measures](../verbs/study.md#antecede-study-measures).
"""
PAPER = {"AP@1000": ".783", "R@1000": ".919", "PRES@1000": ".921"}
"""Mean τ with 20 % of the relevant documents, all 129 runs of TREC-8 (Magdy & Jones, CLEF 2010, table 1)."""
SHOWN = (
    *("PRES@1000", "R@1000", "P@100", "nDCG@1000", "GMAP@1000", "Bpref", "Effort(docs=528155)@80", "AP@1000", "P@10"),
    *("RBP@1000", "ERR@1000", "nDCG@10", "RR@1000"),
)
"""Measures in the table of the page; the image has all."""
PARTS = ("tau", "told apart")
SHOWN_ON_PATENTS = ("AP@100", "nDCG@100", "RR@100", "PRES@100", "R@100")


def measures_page(figures: list[Figure]) -> str:
    """The page on the robustness and the discriminative power of measures."""
    at = Figures(figures)

    def tau(name: str, collection: str = "trec8") -> str:
        return at.cell(collection, "all", name, "tau", digits=3)

    def power(name: str, collection: str = "trec8") -> str:
        return f"{100 * at.value(collection, 'all', name, 'told apart'):.0f} %"

    least = [at.value("trec8", "all", "PRES@1000", part) for part in PARTS]
    better = [
        name
        for name in dict.fromkeys(each.system for each in figures if each.collection == "trec8" and each.system)
        if all(at.value("trec8", "all", name, part) > value for part, value in zip(PARTS, least, strict=True))
    ]
    relevant, topics = (int(at.value("patents", "all", "", name)) for name in ("relevant", "topics"))
    return MEASURES.format(
        runs=f"{at.value('trec8', 'all', '', 'runs'):.0f}",
        table=write_table(
            ["measure", "mean τ, 48 runs", "paper, 129 runs", "told apart"],
            [[name, tau(name), PAPER.get(name, ""), power(name)] for name in SHOWN],
        ),
        gmap=tau("GMAP@1000"),
        ndcg=tau("nDCG@1000"),
        pres=tau("PRES@1000"),
        ap=tau("AP@1000"),
        p=tau("P@10"),
        rr=tau("RR@1000"),
        ap_power=power("AP@1000"),
        pres_power=power("PRES@1000"),
        rr_power=power("RR@1000"),
        gain=f"{float(tau('PRES@1000')) - float(tau('AP@1000')):.2f}".removeprefix("0"),
        better=", ".join(better) or "none",
        patent_runs=f"{at.value('patents', 'all', '', 'runs'):.0f}",
        topics=topics,
        relevant=relevant,
        per_topic=relevant / topics,
        patents=write_table(
            ["measure", "mean τ", "told apart"],
            [[name, tau(name, "patents"), power(name, "patents")] for name in SHOWN_ON_PATENTS],
        ),
    )


# Languages

LANGUAGES = """# Words in French and German

The default profile folds words before it stems them (`src/antecede/text/folding.py`), so that a title in capitals
without accents is found by the word with accents. A stemmer knows some endings by their accents, `-ité`, `-ée`,
`-ière`; those are restored for the stemmer alone. Measured on {patents} real patents with French text, {tokens:,}
occurrences of {words:,} words; [all figures](languages.csv).

| | occurrences separated from the other forms of their word | occurrences merged with another stem |
|---|---:|---:|
| folded, then stemmed | {folded_separated:.2%} | {folded_merged:.2%} |
| folded, endings restored, then stemmed (the default) | {separated:.2%} | {merged:.2%} |

Separated are forms that had one stem with their accents: *caractérisée* from *caractérisé*. Merged are forms that had
two: for the most part spellings of one word (*boîtier*, *boítier*; *œuvre*, *oeuvre*), and
a few words of different meaning (*relais* and *relié*, *gène* and *gêner*; *pêche* and *péché* do not occur). Where the
difference matters, the phrase or class beside the word tells them apart. The profile `published` does not fold.

In German, `ae`, `oe` and `ue` are umlauts except `ue` after a vowel or `q`; the Snowball stemmer treats them in the
same way, so that folding changes words in truncation and phrases, and hardly any term. `aero*` also finds *Aroma*.

## Several languages

A [synthetic collection](../verbs/synthesize.md) of 3,000 patents as the EPO writes them: titles in English, French and
German, claims in three languages where they were granted, the description in one; 150 topics. `--language all`
searches every language of the index; the table was [learned](../verbs/learn.md#antecede-learn-translations) from
10,000 claims of another collection. `cross`: relevant documents in another language than the topic, `same`: in its
own. Paired t test against the default with Holm's correction, p < .05: † better, ‡ worse. Measured by
`python bench/translation_study.py FOLDER as-written`.

{searches}

A document has one score: its rank in each language counts by the share of its words that are in the language, and a
translated query by 0.8 (chosen on this collection, of 0.7, 0.8, 0.9 and 1). Documents in other languages take places
among the first hundred, which is why those in the topic's own lose some.
"""


def languages_page(figures: list[Figure]) -> str:
    """What folding costs."""
    at = Figures(figures)

    def of(system: str, measure: str) -> float:
        return at.value("real", "vocabulary", system, measure)

    columns = [(part, measure) for part in ("cross", "same", "all") for measure in ("R@100", "AP", "PRES@1000")]
    return LANGUAGES.format(
        patents=round(of("", "patents")),
        tokens=round(of("", "tokens")),
        words=round(of("", "words")),
        folded_separated=of("folded", "separated"),
        folded_merged=of("folded", "merged"),
        separated=of("restored", "separated"),
        merged=of("restored", "merged"),
        searches=write_table(
            ["", *(f"{part}: {measure}" for part, measure in columns)],
            [
                [name, *(at.cell("synthetic", part, name, measure) for part, measure in columns)]
                for name in ("default", "all", "all with a table")
            ],
        ),
    )  # fmt: skip


PAGES: dict[str, Callable[[list[Figure]], str]] = {
    "ranking": ranking_page,
    "queries": queries_page,
    "screening": screening_page,
    "stopping": stopping_page,
    "estimators": estimators_page,
    "measures": measures_page,
    "languages": languages_page,
}


def write_studies() -> None:
    """Write every page whose figures are stored."""
    for study, page in PAGES.items():
        (STUDIES / f"{study}.md").write_text(page(read_figures(study)))


if __name__ == "__main__":
    write_studies()
