"""ReportContents for reports, and the page as a tree of elements."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import lxml.html
import numpy as np

from antecede.comparison import TopicValues, compare
from antecede.evaluation import RankTable, audit, evaluate
from antecede.measures.ranks import Ranks
from antecede.report.figures import render
from antecede.report.html import render_report
from antecede.report.results import ReportContents, ReportPart, RunFacts
from tests.report.sample_results import (
    MEASURES,
    draw_sample,
    make_agreement,
    make_correlations,
    make_cutoffs,
    make_ranks,
    make_robustness,
    make_term_counts,
    split_by_measure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

ATTACK = "</script><img src=x onerror=alert(1)>"
TITLES = {"T0": "Valve with\u00a0a  spring", "T1": "Ventil & Feder", "d0": "A <b>seal</b>"}
RECORD = {
    "ended": "2026-11-15T08:02:00+00:00",
    "versions": {"antecede": "0.2.0"},
    "plan": "[queries]\nterms = 75\n",
    "steps": [{"step": "index", "seconds": 1.5}],
    "seed": 0,
}


def queries(run: str) -> Mapping[str, Mapping[str, float]]:
    """Runs of an even number share their queries; T3 has none."""
    weights = {"valve": 3.14159, "spring": 2.0, "seal": -0.5} if run[-1] in "02468" else {"valve": 1.0}
    return {f"T{number}": weights for number in range(12) if number != 3}


def part(
    name: str = "en",
    runs: int | tuple[str, ...] = 4,
    measures: str = MEASURES,
    *,
    baseline: int | None = 1,
    ranks: RankTable | None = None,
    **more: Any,
) -> ReportPart:
    """A part over synthetic runs, compared with one of them."""
    found = make_ranks(runs) if ranks is None else ranks
    scores = evaluate(found, measures)
    compared = None
    if len(found.runs) > 1:
        finite = {measure: values for measure, values in split_by_measure(scores).items() if np.isfinite(values).all()}
        base = None if baseline is None else found.runs[baseline]
        better = {str(m): m.definition.better for m in scores.measures if str(m) in finite}
        compared = compare(TopicValues(finite, found.runs, better), baseline=base, resamples=20)
    return ReportPart(name, name.upper(), found, scores, audit(found), compared, **more)


def without_relevant() -> RankTable:
    """Four runs, two of whose topics have no relevant document; the last run lacks the topic T5."""
    whole = make_ranks(4)
    relevance, retrieved = whole.ranks.relevance.copy(), whole.ranks.retrieved.copy()
    relevance[: whole.ranks.offsets[2]] = 0
    ranks = whole.ranks.ranks.copy()
    ranks[3, whole.ranks.offsets[5] : whole.ranks.offsets[6]], retrieved[3, 5] = 0, 0
    return RankTable(whole.runs, whole.topics, whole.docs, Ranks(ranks, relevance, whole.ranks.offsets, retrieved))


@cache
def whole() -> ReportContents:
    """Two parts: one with everything, one with runs alone."""
    facts = {
        run: RunFacts(
            f"m{at}",
            "bm25",
            {"terms": 75, "stem": at % 2 == 0},
            terms=12.25 + at,
            milliseconds=3.0,
            making=1.0,
            notes=("T3: nothing left",),
        )
        for at, run in enumerate(make_ranks(4).runs)
    }
    studies = {
        "terms": make_term_counts(),
        "cutoffs": replace(make_cutoffs(), better=("higher",) * 3),
        "correlate": make_correlations(),
        "agreement": make_agreement(),
        "robustness": make_robustness(),
    }
    english = replace(part(studies=studies, queries=queries, titles=TITLES), runs=facts)
    return ReportContents("A report", (english, part("de", studies={"robustness": make_robustness()})), RECORD)


@cache
def stand_ins() -> Mapping[str, bytes]:
    """A small figure in place of each that a part without studies has, for tests that look at tables and data alone."""
    return dict.fromkeys(("systems", "means", "relevant_per_topic", "compare"), render(draw_sample("pres_rr"), "svg"))


@cache
def written(results: ReportContents) -> str:
    return render_report(results)


def tree(text: str) -> Any:
    return lxml.html.document_fromstring(text)


def unpacked(root: Any, anchor: str) -> Any:
    """What a block of data holds, as a browser unpacks it."""
    (block,) = root.xpath("//script[@id=$anchor]", anchor=anchor)
    return json.loads(zlib.decompress(base64.b64decode(block.text), -zlib.MAX_WBITS))
