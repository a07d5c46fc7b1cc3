"""The parts of an experiment, one per language of the topics: planned, evaluated, and written as tables and figures."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison import compare
from antecede.comparison.inputs import TIE_DECIMALS
from antecede.errors import AntecedeError, InputError, shown
from antecede.evaluation import RankTable, audit, evaluate
from antecede.experiment.cache import StepResult, digest
from antecede.experiment.settings import STUDIES
from antecede.files import write_whole
from antecede.report.results import Part, RunFacts
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from antecede.comparison import Comparison
    from antecede.evaluation import Audit, Scores
    from antecede.experiment.settings import Settings
    from antecede.report.results import Queries, Study
    from antecede.study.term_counts import TermCounts
    from antecede.tables import Value
    from antecede.trec import Qrels

QRELS, RANKS, TITLES, WORDS = "qrels.txt", "ranks.npz", "titles.json", "words.json"
ALL, UNKNOWN = "all", "unknown"
LANGUAGES = {"en": "English", "fr": "French", "de": "German"}
MOST_NAMES = 5
"""Topics that a note names."""
FACTS = ("method", "model", "settings", "terms", "milliseconds", "making", "notes")
STYLES = {"csv": "csv", "md": "md", "tex": "latex"}
"""File name extension → style of a table."""


@dataclass(frozen=True)
class PartPlan:
    """A part before its evaluation. That of an experiment that does not search has all topics of the qrels."""

    name: str
    title: str
    folder: Path
    language: str | None = None
    """None for topics of several languages."""
    topics: tuple[str, ...] = ()
    """The topics to search for, all judged; none if only external runs are evaluated."""
    digest: str = ""
    """The checksum of the topics."""
    notes: tuple[str, ...] = ()


def plan_parts(
    settings: Settings, known: Mapping[str, Any], qrels: Qrels, index_languages: Sequence[str] | None
) -> list[PartPlan]:
    """The parts of an experiment that searches. The languages of the index are None if it has not been built."""
    topics: dict[str, dict[str, str]] = known["topics"]
    judged = {*qrels.topics}
    by_language: dict[str, list[str]] = {}
    for name, facts in topics.items():
        if name in judged:
            by_language.setdefault("" if settings.together else facts["language"], []).append(name)
    if not by_language:
        some = shown(", ".join([*topics][:3]), 60)
        what = f"none of the {len(topics)} topics ({some} …) is judged"
        raise InputError(what, source=qrels.source, remedy="check that topics and qrels belong together")
    notes = _describe_topics(topics, known["unread"], qrels)
    counts = {language: len(names) for language, names in by_language.items()}
    chosen = [""] if settings.together else _choose_languages(settings, counts, index_languages)
    if others := {language: count for language, count in counts.items() if language not in chosen}:
        notes.append(f"Topics in other languages, not part of the experiment: {_count_languages(others)}.")
    plans = []
    for language in chosen:
        names = by_language[language]
        name = ALL if settings.together else language or UNKNOWN
        title = "All topics" if settings.together else LANGUAGES.get(language, language or "Language unknown")
        folder, spoken = settings.out / "parts" / name, None if settings.together else language
        checksum = digest([topics[topic]["digest"] for topic in names])
        plans.append(PartPlan(name, title, folder, spoken, tuple(names), checksum, tuple(notes)))
    return plans


def _count_languages(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{language or UNKNOWN} {count}" for language, count in counts.items())


def _choose_languages(
    settings: Settings, counts: Mapping[str, int], index_languages: Sequence[str] | None
) -> Sequence[str]:
    """The languages of the parts: those of the file, or all that the topics have, most topics first."""
    if settings.languages is None:
        return sorted(counts, key=lambda language: (-counts[language], language))
    for at, language in enumerate(settings.languages):
        key = ("languages", at)
        if index_languages is not None and language not in index_languages:
            remedy = f"it has {', '.join(index_languages)}"
            raise settings.document.error(key, f"the collection has no text in {language!r}", remedy)
        if language not in counts:
            remedy = f"topics are in: {_count_languages(counts)}"
            raise settings.document.error(key, f"no judged topic is in {language!r}", remedy)
    return settings.languages


def _describe_topics(topics: Mapping[str, Any], unread: Mapping[str, str], qrels: Qrels) -> list[str]:
    """Notes on the topics that cannot be used, with the reason."""
    notes = []
    missing = [name for name in qrels.topics if name not in topics and name not in unread]
    if missing:
        notes.append(f"Judged, but not among the topics, and left out: {_count_names(missing)}.")
    judged = {*qrels.topics}
    unjudged = [name for name in topics if name not in judged]
    if unjudged:
        notes.append(f"Not judged, and not searched for: {_count_names(unjudged)}.")
    for reason, count in Counter(unread.values()).items():
        names = [name for name, why in unread.items() if why == reason]
        notes.append(f"{count} topics left out: {shown(reason)} ({_count_names(names)}).")
    return notes


def _count_names(names: Sequence[str]) -> str:
    some = ", ".join(shown(name) for name in names[:MOST_NAMES])
    return f"{len(names)} ({some}{', …' if len(names) > MOST_NAMES else ''})"


def make_folder(folder: Path) -> Path:
    """Create a folder inside that of the experiment, unless it exists."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_json(path: Path, data: Any) -> Path:
    write_whole(path, json.dumps(data, ensure_ascii=False).encode())
    return path


class EvaluatedPart:
    """A part in its folder. Scores, comparison and studies are computed from the ranks on demand.

    The results are the same whether the experiment has just been run or is loaded from its folder.
    """

    def __init__(
        self,
        folder: Path,
        title: str,
        options: Mapping[str, Any],
        facts: Mapping[str, Mapping[str, Any]],
        notes: Sequence[str] = (),
    ) -> None:
        """`options` are those of the record; `facts` describe the runs that the experiment made."""
        self.folder, self.name, self.title = folder, folder.name, title
        self.evaluation: Mapping[str, Any] = options["evaluation"]
        self.study_options: Mapping[str, Mapping[str, Any]] = options["studies"]
        self.facts, self.notes = facts, tuple(notes)
        self.problems: dict[str, str] = {}
        """What could not be computed, and why."""
        self.studies: dict[str, Study | None] = {}
        self.figures: Sequence[Path] = ()
        """The figures that the experiment has just written or verified, for the report."""

    @cached_property
    def ranks(self) -> RankTable:
        return RankTable.load(self.folder / RANKS)

    def _options(self, *names: str) -> dict[str, Any]:
        return {name: self.evaluation[name] for name in names}

    @cached_property
    def scores(self) -> Scores:
        return evaluate(self.ranks, self.evaluation["measures"], **self._options("missing", "no_relevant"))

    @cached_property
    def audit(self) -> Audit:
        return audit(self.ranks)

    @property
    def baseline(self) -> str:
        """The baseline; the first run if the chosen one found nothing here."""
        chosen = self.evaluation["baseline"]
        return chosen if chosen in self.ranks.runs else self.ranks.runs[0]

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every run compared with the baseline, without the measures that cannot be tested."""
        if len(self.ranks.runs) < 2:
            return None
        if self.baseline != self.evaluation["baseline"]:
            self.problems["baseline"] = f"baseline: {shown(self.evaluation['baseline'])} found nothing here"
        measures = [
            measure
            for measure in self.scores.measures
            if not measure.definition.aggregate_only and not np.isinf(self.scores.of(str(measure))).any()
        ]
        untested = [str(measure) for measure in self.scores.measures if measure not in measures]
        if untested:
            self.problems["comparison"] = f"comparison: {', '.join(untested)} cannot be tested topic by topic"
        try:
            scores = evaluate(self.ranks, measures, **self._options("missing", "no_relevant"))
            options = self._options("test", "correction", "alpha", "samples", "seed")
            return compare(scores, baseline=self.baseline, **options)
        except AntecedeError as error:
            self.problems["comparison"] = f"comparison: not made: {error}"
            return None

    def study(self, name: str) -> Study | None:
        """A study; None if it cannot be made, and `problems` has the reason."""
        if name not in self.studies:
            make = STUDIES[name].make
            try:
                self.studies[name] = (
                    make(self.ranks, **self._usable_options(name)) if make is not None else self._load_sweep()
                )
            except AntecedeError as error:
                self.problems[name] = f"{name}: not made: {error}"
                self.studies[name] = None
        return self.studies[name]

    def _usable_options(self, name: str) -> Mapping[str, Any]:
        """The options of a study. One of the order of runs is made without measures that score all runs equally."""
        options = self.study_options[name]
        if not STUDIES[name].needs_order or len(self.ranks.runs) < 2:
            return options
        totals = np.round(evaluate(self.ranks, options["measures"]).totals, TIE_DECIMALS)
        level = [m for m, total in zip(options["measures"], totals, strict=True) if (total == total[0]).all()]
        if not level or len(level) == len(totals):
            return options
        self.problems[name] = f"{name}: {', '.join(level)} is left out, since all runs have the same total"
        return {**options, "measures": [m for m in options["measures"] if m not in level]}

    def _load_sweep(self) -> TermCounts | None:
        """The saved study of the number of terms: it cannot be made again without the index."""
        from antecede.study.term_counts import TermCounts

        try:
            data = json.loads((self.folder / "studies" / "terms.json").read_bytes())
        except OSError:
            return None
        measures, methods, at = data["measures"], data["methods"], data["at"]
        scores = [[[method["scores"][m][str(n)] for n in at] for method in methods] for m in measures]
        names = tuple(method["name"] for method in methods)
        values = np.array(scores, np.float64)  # null, an undefined score, becomes NaN
        return TermCounts(tuple(measures), names, tuple(at), values, data["topics"])

    def cost_table(self) -> Table | None:
        """The cost of each method: terms per query, and the time to build it and to search with it."""
        rows: list[tuple[Value, ...]] = []
        for name in self.ranks.runs:
            if (facts := self.facts.get(name)) is not None:
                making, total = facts["making"], facts["milliseconds"]
                recall = facts["pool_recall"]
                rows.append(
                    (
                        name,
                        facts["terms"],
                        facts["unmatched"],
                        making,
                        total - making,
                        total,
                        None if recall is None else f"{recall:.3f}",
                    )
                )
        if not rows:
            return None
        columns: tuple[str, ...] = (
            "run",
            "terms",
            "unmatched",
            "ms to build",
            "ms to search",
            "ms per topic",
            "pool recall",
        )
        notes = [
            "Terms: query terms, mean over topics. Unmatched: terms of the topic that no other document has.",
            "Milliseconds of processor time, median over topics.",
            "Pool recall: the share of relevant documents among the candidates that are ranked, mean over topics.",
        ]
        if all(row[-1] is None for row in rows):  # no run is ranked by evidence
            columns, rows, notes = columns[:-1], [row[:-1] for row in rows], notes[:-1]
        return Table(columns, tuple(rows), title="Cost of the methods", notes=tuple(notes), digits=1)

    def queries(self, run: str) -> Queries:
        """The queries of a run, in words; if it fuses several methods, each word is prefixed with its method."""
        queries: dict[str, dict[str, float]] = {}
        if run not in self.facts:
            return queries
        with (self.folder / "queries" / f"{run}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                data = json.loads(line)
                words = self.words.get(data["topic"], {})
                several = len(data["queries"]) > 1
                queries[data["topic"]] = {
                    f"{method}: {words.get(term, term)}" if several else words.get(term, term): weight
                    for method, terms in data["queries"].items()
                    for term, weight in terms.items()
                }
        return queries

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """Topic → term → its most frequent form, where the term is a stem."""
        return self._load(WORDS)

    def _load(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        return dict(json.loads(path.read_bytes())) if path.exists() else {}

    def to_report(self) -> Part:
        """The part as the report shows it."""
        studies = {name: study for name in self.study_options if (study := self.study(name)) is not None}
        comparison = self.comparison  # before the notes, like the studies: both may add problems
        return Part(
            name=self.name,
            title=self.title,
            ranks=self.ranks,
            scores=self.scores,
            audit=self.audit,
            comparison=comparison,
            studies=studies,
            runs={name: _describe_run(self.facts[name]) for name in self.ranks.runs if name in self.facts},
            queries=self.queries,
            titles=self._load(TITLES),
            figures={path.stem: path.read_bytes() for path in self.figures if path.exists()},
            notes=tuple(dict.fromkeys((*self.notes, *self.problems.values()))),
        )

    def to_record(self) -> dict[str, Any]:
        """The part in the record."""
        facts = {name: dict(run) for name, run in self.facts.items()}
        return {"name": self.name, "title": self.title, "runs": facts, "notes": [*self.notes]}


def _describe_run(facts: Mapping[str, Any]) -> RunFacts:
    shown_facts: dict[str, Any] = {name: facts[name] for name in FACTS if name in facts}
    return RunFacts(**{**shown_facts, "notes": tuple(facts.get("notes", ()))})


def write_tables(folder: Path, tables: Mapping[str, Table | None]) -> list[Path]:
    """Write each table as CSV, Markdown and LaTeX."""
    make_folder(folder)
    rendered = {
        folder / f"{name}.{extension}": table.render(style)
        for name, table in tables.items()
        for extension, style in STYLES.items()
        if table is not None
    }
    for path, text in rendered.items():
        write_whole(path, text.encode())
    return [*rendered]


def write_figures(folder: Path, figures: Mapping[str, Callable[[Path], object]]) -> tuple[list[Path], list[str]]:
    """Draw each figure. Returns the files, and notes on figures that could not be drawn."""
    make_folder(folder)
    outputs, notes = [], []
    for name, draw in figures.items():
        path = folder / f"{name}.svg"
        try:
            draw(path)
            outputs.append(path)
        except AntecedeError as error:
            notes.append(f"figure {name}: not drawn: {error}")
    return outputs, notes


def make_tables(part: EvaluatedPart, _interrupted: bool) -> StepResult:
    """Write the tables and figures of a part."""
    from antecede.report.figures import FIGURES

    comparison = part.comparison
    tables: dict[str, Table | None] = {
        "scores": part.scores.table(),
        "comparison": comparison.table() if comparison is not None else None,
        "differences": comparison.details() if comparison is not None else None,
        "cost": part.cost_table(),
        "audit": part.audit.table(),
    }
    outputs = write_tables(part.folder / "tables", tables)
    topics = part.folder / "tables" / "topics.csv"
    write_whole(topics, part.scores.per_topic().render("csv").encode())
    figures: dict[str, Callable[[Path], object]] = {
        "relevant_per_topic": part.ranks.plot,
        "systems": part.scores.plot,
    }
    if len(part.ranks.runs) > 1 and len(part.scores.measures) > 1:
        figures["rank_changes"] = lambda path: FIGURES["rank_changes"].write(path, part.scores)
    if comparison is not None:
        figures["compare"] = comparison.plot
    drawn, notes = write_figures(part.folder / "figures", figures)
    return StepResult([*outputs, topics, *drawn], {"notes": [*part.problems.values(), *notes]})


def make_study(part: EvaluatedPart, name: str, _interrupted: bool) -> StepResult:
    """Make a study of the ranks of a part, and write it."""
    study = part.study(name)
    problems = [part.problems[name]] if name in part.problems else []
    return write_study(part.folder, name, study, problems) if study is not None else StepResult((), {"notes": problems})


def write_study(folder: Path, name: str, study: Study, notes: Sequence[str]) -> StepResult:
    """Write the data, tables and figure of a study."""
    path = make_folder(folder / "studies") / f"{name}.json"
    write_whole(path, (json.dumps(study.to_dict(), ensure_ascii=False, allow_nan=False) + "\n").encode())
    tables = write_tables(folder / "tables", STUDIES[name].tables(study))
    drawn, problems = write_figures(folder / "figures", {name: study.plot})
    return StepResult([path, *tables, *drawn], {"notes": [*notes, *problems]})


def summarize_scores(parts: Sequence[EvaluatedPart]) -> Table:
    """The scores of all parts in one table, with the significance marks of each part."""
    rows: list[tuple[Value, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    notes: list[str] = []
    measures = [str(measure) for measure in parts[0].scores.measures]
    for part in parts:
        scores = part.scores.table()
        first = len(rows)
        rows += [("" if at else part.title, *row) for at, row in enumerate(scores.rows)]
        best |= {(first + row, 1 + column) for row, column in scores.best}
        if part.comparison is not None:
            compared = part.comparison.table()
            for (row, column), mark in compared.marks.items():
                marks[first + row, 2 + measures.index(part.comparison.measures[column - 1])] = mark
            notes += [f"{part.title}: {note}" for note in compared.notes]
    return Table(("part", "run", *measures), tuple(rows), "Scores", tuple(notes), frozenset(best), marks=marks)


def summarize_costs(parts: Sequence[EvaluatedPart]) -> Table | None:
    """The cost tables of all parts in one."""
    costs = [(part.title, table) for part in parts if (table := part.cost_table()) is not None]
    if not costs:
        return None
    rows = [("" if at else title, *row) for title, table in costs for at, row in enumerate(table.rows)]
    first = costs[0][1]
    return Table(("part", *first.columns), tuple(rows), first.title, first.notes, digits=first.digits)
