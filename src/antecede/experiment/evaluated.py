"""One part evaluated: scores, comparison and studies, each computed from the ranks when it is first asked for.

The same numbers come out whether the experiment has just been run or is loaded from its folder.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison import compare
from antecede.comparison.arrays import TIE_DECIMALS
from antecede.errors import AntecedeError, shown
from antecede.evaluation import RankTable, audit, evaluate
from antecede.experiment.studies import STUDIES
from antecede.report.results import Part, RunFacts
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antecede.comparison import Comparison
    from antecede.evaluation import Audit, Scores
    from antecede.report.results import Queries, Study
    from antecede.study.term_counts import TermCounts
    from antecede.tables import Value

FACTS = ("method", "model", "settings", "terms", "milliseconds", "making", "notes")
RANKS, TITLES = "ranks.npz", "titles.json"


class EvaluatedPart:
    """A part of an experiment, in its folder."""

    def __init__(
        self,
        folder: Path,
        title: str,
        options: Mapping[str, Any],
        facts: Mapping[str, Mapping[str, Any]],
        notes: Sequence[str] = (),
    ) -> None:
        """`options` are those of the record: `evaluation` and `studies`. `facts` are those of the runs made here."""
        self.folder, self.name, self.title = folder, folder.name, title
        self.evaluation: Mapping[str, Any] = options["evaluation"]
        self.wanted: Mapping[str, Mapping[str, Any]] = options["studies"]
        self.facts, self.given_notes = facts, tuple(notes)
        self.said: dict[str, str] = {}
        """What could not be made, and why."""
        self.studied: dict[str, Study | None] = {}

    @cached_property
    def ranks(self) -> RankTable:
        return RankTable.load(self.folder / RANKS)

    @cached_property
    def scores(self) -> Scores:
        how = {name: self.evaluation[name] for name in ("missing", "no_relevant")}
        return evaluate(self.ranks, self.evaluation["measures"], **how)

    @cached_property
    def audit(self) -> Audit:
        return audit(self.ranks)

    @property
    def baseline(self) -> str:
        """The run that others are held against; the first where the one asked for found nothing here."""
        asked = self.evaluation["baseline"]
        return asked if asked in self.ranks.runs else self.ranks.runs[0]

    @cached_property
    def comparison(self) -> Comparison | None:
        """Each run beside the baseline; measures that cannot be tested are left out, and it is said."""
        if len(self.ranks.runs) < 2:
            return None
        if self.baseline != self.evaluation["baseline"]:
            self.said["baseline"] = f"baseline: {shown(self.evaluation['baseline'])} found nothing here"
        fit = [each for each in self.scores.measures if not each.definition.aggregate_only and self.ends(str(each))]
        unfit = [str(each) for each in self.scores.measures if each not in fit]
        if unfit:
            self.said["comparison"] = f"comparison: {', '.join(unfit)} cannot be tested topic by topic"
        how = {name: self.evaluation[name] for name in ("test", "correction", "alpha", "samples", "seed")}
        kept = {name: self.evaluation[name] for name in ("missing", "no_relevant")}
        try:
            return compare(evaluate(self.ranks, fit, **kept), baseline=self.baseline, **how)
        except AntecedeError as error:
            self.said["comparison"] = f"comparison: not made: {error}"
            return None

    def ends(self, measure: str) -> bool:
        """Whether a measure is finite for all runs and topics."""
        return not bool(np.isinf(self.scores.of(measure)).any())

    def study(self, name: str) -> Study | None:
        """A study; None where it could not be made, and the notes say why."""
        if name not in self.studied:
            try:
                make = STUDIES[name].make
                self.studied[name] = make(self.ranks, self.fitting(name)) if make is not None else self.saved_sweep()
            except AntecedeError as error:
                self.said[name] = f"{name}: not made: {error}"
                self.studied[name] = None
        return self.studied[name]

    def fitting(self, name: str) -> Mapping[str, Any]:
        """The options of a study, without measures that put no run before another where it looks at their order."""
        options = self.wanted[name]
        if not STUDIES[name].orders or len(self.ranks.runs) < 2:
            return options
        totals = np.round(evaluate(self.ranks, options["measures"]).totals, TIE_DECIMALS)
        level = [m for m, each in zip(options["measures"], totals, strict=True) if (each == each[0]).all()]
        if not level or len(level) == len(totals):
            return options
        self.said[name] = f"{name}: {', '.join(level)} is left out, since all runs have the same total"
        return {**options, "measures": [m for m in options["measures"] if m not in level]}

    def saved_sweep(self) -> TermCounts | None:
        """The sweep over numbers of terms, as it was saved: it cannot be made again without the index."""
        from antecede.study.term_counts import TermCounts

        try:
            whole = json.loads((self.folder / "studies" / "terms.json").read_bytes())
        except OSError:
            return None
        measures, at = whole["measures"], whole["at"]
        scores = [[[number(method["scores"][m][str(n)]) for n in at] for method in whole["methods"]] for m in measures]
        names = tuple(method["name"] for method in whole["methods"])
        return TermCounts(tuple(measures), names, tuple(at), np.array(scores, np.float64), whole["topics"])

    def cost(self) -> Table | None:
        """What each method costs: terms a query, and the time to make it and to search with it."""
        rows: list[tuple[Value, ...]] = []
        for name in self.ranks.runs:
            if (facts := self.facts.get(name)) is not None:
                making, whole = facts["making"], facts["milliseconds"]
                rows.append((name, facts["terms"], facts["unmatched"], making, whole - making, whole))
        if not rows:
            return None
        columns = ("run", "terms", "unmatched", "ms to make", "ms to search", "ms a topic")
        notes = (
            "Terms: searched with, the mean over topics. Unmatched: terms of the topic that no other document has.",
            "Milliseconds of processor time, the median over topics.",
        )
        return Table(columns, tuple(rows), title="Cost of the methods", notes=notes, digits=1)

    def queries(self, run: str) -> Queries:
        """The queries of a run; of several methods each term carries its method's name."""
        if run not in self.facts:
            return {}
        path = self.folder / "queries" / f"{run}.jsonl"
        found: dict[str, dict[str, float]] = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                whole = json.loads(line)
                several = len(whole["queries"]) > 1
                found[whole["topic"]] = {
                    f"{method}: {term}" if several else term: weight
                    for method, terms in whole["queries"].items()
                    for term, weight in terms.items()
                }
        return found

    def titles(self) -> Mapping[str, str]:
        path = self.folder / TITLES
        return dict(json.loads(path.read_bytes())) if path.exists() else {}

    def part(self) -> Part:
        """All of it, as a report takes it."""
        studies = {name: found for name in self.wanted if (found := self.study(name)) is not None}
        comparison = self.comparison
        runs = {name: RunFacts(**facts_for(self.facts[name])) for name in self.ranks.runs if name in self.facts}
        return Part(
            name=self.name,
            title=self.title,
            ranks=self.ranks,
            scores=self.scores,
            audit=self.audit,
            comparison=comparison,
            studies=studies,
            runs=runs,
            queries=self.queries,
            titles=self.titles(),
            notes=tuple(dict.fromkeys((*self.given_notes, *self.said.values()))),
        )


def facts_for(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What `RunFacts` takes."""
    return {name: tuple(facts[name]) if name == "notes" else facts[name] for name in FACTS if name in facts}


def number(value: float | None) -> float:
    """A number that JSON could not hold was none."""
    return float("nan") if value is None else float(value)
