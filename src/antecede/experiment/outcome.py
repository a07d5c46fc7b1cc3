"""The parts of an experiment, its outcome and its record, and its results loaded from its folder.

record.json  experiment.toml  log.jsonl  report.html
collection/  index/  topics/  tables/
parts/en/    qrels.txt  ranks.npz  titles.json  words.json  runs/  queries/  tables/  figures/  studies/
steps/       the stamps of completed steps
"""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.address import is_address, parse_address
from antecede.comparison import compare
from antecede.errors import AntecedeError, InputError, printable
from antecede.evaluation import RankTable, audit, evaluate
from antecede.experiment.cache import files_in, hash_file, is_experiment, sign, verify_signed
from antecede.experiment.settings import QUERY_LENGTH, rename_studies, studies
from antecede.operations import arguments_of
from antecede.report.results import KeptStudy, ReportContents, ReportPart, RunFacts
from antecede.results import concise_repr
from antecede.study.term_counts import TermCounts
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from antecede.comparison import Comparison
    from antecede.evaluation import Audit, Scores
    from antecede.experiment.cache import Digests, StepEvent, StepRunner
    from antecede.experiment.settings import Settings
    from antecede.report.results import Queries, Study
    from antecede.tables import Value

RECORD, COPY, REPORT = "record.json", "experiment.toml", "report.html"
RANKS, TITLES, WORDS = "ranks.npz", "titles.json", "words.json"
FORMAT = {"format": "antecede experiment", "version": 2}
AGAIN = "run `antecede experiment` again"
PACKAGES = ("numpy", "scipy", "polars", "numba", "lxml", "PyStemmer", "matplotlib")
MOST_FILES = 1000
"""Files of an input that are recorded one by one; of more files, one checksum is recorded."""
COSTS = ("terms", "unmatched", "ms to build", "ms to search", "ms per topic")
COST_NOTES = (
    "Terms: query terms, mean over topics. Unmatched: terms of the topic that no other document has.",
    "Milliseconds of processor time, median over topics.",
)
POOL_NOTE = "Pool recall: the share of relevant documents among the candidates that are ranked, mean over topics."


@dataclass(eq=False)
class ExperimentPart:
    """The topics of one language, or all topics, in a folder of their own.

    Scores, comparison and studies are computed from the ranks on demand, so that they are the same whether the
    experiment has just been run or is loaded from its folder.
    """

    folder: Path
    title: str
    options: Mapping[str, Any]
    """Those of the record."""
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the record says about the runs that the experiment made."""
    notes: Sequence[str] = ()
    figures: Sequence[Path] = ()
    """The figures that the experiment has just written or verified, for the report."""
    language: str | None = None
    """None for topics of several languages."""
    topics: tuple[str, ...] = ()
    """The topics to search for, all judged; none if only external runs are evaluated."""
    digest: str = ""
    """The checksum of the topics."""
    problems: dict[str, str] = field(default_factory=dict)
    """What could not be computed, and why."""
    studies: dict[str, Study | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def evaluation(self) -> Mapping[str, Any]:
        options: Mapping[str, Any] = self.options["evaluation"]
        return options

    def _evaluate(self, measures: Sequence[Any]) -> Scores:
        given = self.evaluation
        how = {name: given[name] for name in arguments_of(evaluate) if name in given and name != "measures"}
        return evaluate(self.ranks, measures, **how)

    @cached_property
    def ranks(self) -> RankTable:
        return RankTable.load(self.folder / RANKS)

    @cached_property
    def scores(self) -> Scores:
        return self._evaluate(self.evaluation["measures"])

    @cached_property
    def audit(self) -> Audit:
        return audit(self.ranks)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every run compared with the baseline, without the measures that cannot be tested.

        The baseline is the first run if the chosen one found nothing here.
        """
        runs, baseline = self.ranks.runs, self.evaluation["baseline"]
        if len(runs) < 2:
            return None
        if baseline not in runs:
            self.problems["baseline"] = f"baseline: {printable(baseline)} found nothing here"
        untested = [
            measure
            for measure in self.scores.measures
            if measure.definition.aggregate_only or np.isinf(self.scores.of(str(measure))).any()
        ]
        if untested:
            names = ", ".join(map(str, untested))
            self.problems["comparison"] = f"comparison: {names} cannot be tested topic by topic"
        known = [name for name in arguments_of(compare) if name in self.evaluation and name != "baseline"]
        options = {name: self.evaluation[name] for name in known}
        measures = [measure for measure in self.scores.measures if measure not in untested]
        try:
            return compare(self._evaluate(measures), baseline=baseline if baseline in runs else runs[0], **options)
        except AntecedeError as error:
            self.problems["comparison"] = f"comparison: not made: {error}"
            return None

    def study(self, name: str, progress: Callable[[int, int], None] | None = None) -> Study | None:
        """A study; None if it cannot be made, and `problems` has the reason."""
        if name in self.studies:
            return self.studies[name]
        self.studies[name] = None
        if name == QUERY_LENGTH:  # it cannot be made again without the index
            saved = self._load(f"studies/{name}.json") or self._load("studies/terms.json")
            self.studies[name] = TermCounts.from_dict(saved) if saved else None
            return self.studies[name]
        if studies()[name].kept:
            saved = self._load(f"studies/{name}.tables.json")
            self.studies[name] = KeptStudy.from_dict(saved) if saved else None
            return self.studies[name]
        try:
            self.studies[name] = studies()[name].make(self.ranks, self._usable_options(name), progress)
        except AntecedeError as error:
            self.problems[name] = f"{name}: not made: {error}"
        return self.studies[name]

    def _usable_options(self, name: str) -> Mapping[str, Any]:
        """The options of a study. Robustness of the order of runs leaves out measures that score all runs equally."""
        options: Mapping[str, Any] = self.options["study"][name]
        if name != "robustness" or len(self.ranks.runs) < 2:
            return options
        totals = evaluate(self.ranks, options["measures"]).totals
        level = [m for m, total in zip(options["measures"], totals, strict=True) if (total == total[0]).all()]
        if not level or len(level) == len(totals):
            return options
        self.problems[name] = f"{name}: {', '.join(level)} is left out, since all runs have the same total"
        return {**options, "measures": [m for m in options["measures"] if m not in level]}

    def _load(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        return dict(json.loads(path.read_bytes())) if path.exists() else {}

    def cost_table(self) -> Table | None:
        """The cost of each method: terms per query, and the time to build it and to search with it."""
        rows: list[tuple[Value, ...]] = []
        for name in self.ranks.runs:
            if (facts := self.facts.get(name)) is not None:
                making, total, recall = facts["making"], facts["milliseconds"], facts["pool_recall"]
                costs = (facts["terms"], facts["unmatched"], making, total - making, total)
                rows.append((name, *costs, None if recall is None else f"{recall:.3f}"))
        if not rows:
            return None
        pooled = any(row[-1] is not None for row in rows)  # some run is ranked by evidence
        return Table(
            ("run", *COSTS, *(["pool recall"] if pooled else [])),
            tuple(rows if pooled else (row[:-1] for row in rows)),
            title="Cost of the methods",
            notes=(*COST_NOTES, *([POOL_NOTE] if pooled else [])),
            digits=1,
        )

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """Topic → term → its most frequent form, where the term is a stem."""
        return self._load(WORDS)

    def queries(self, run: str) -> Queries:
        """The queries of a run, in words; if it fuses several methods, each word is prefixed with its method."""
        queries: dict[str, dict[str, float]] = {}
        if run not in self.facts:
            return queries
        with (self.folder / "queries" / f"{run}.jsonl").open(encoding="utf-8") as lines:
            for data in map(json.loads, lines):
                words = self.words.get(data["topic"], {})
                several = len(data["queries"]) > 1
                queries[data["topic"]] = {
                    f"{method}: {words.get(term, term)}" if several else words.get(term, term): weight
                    for method, terms in data["queries"].items()
                    for term, weight in terms.items()
                }
        return queries

    def to_report(self) -> ReportPart:
        """The part as the report shows it."""
        studies = {name: study for name in self.options["study"] if (study := self.study(name)) is not None}
        comparison = self.comparison  # before the notes, like the studies: both may add problems
        kept = [self.folder / "figures" / f"{name}.svg" for name in studies if isinstance(studies[name], KeptStudy)]
        shown_facts = [known.name for known in fields(RunFacts)]
        return ReportPart(
            name=self.name,
            title=self.title,
            ranks=self.ranks,
            scores=self.scores,
            audit=self.audit,
            comparison=comparison,
            studies=studies,
            runs={
                run: RunFacts(**{name: self.facts[run][name] for name in shown_facts})
                for run in self.ranks.runs
                if run in self.facts
            },
            queries=self.queries,
            titles=self._load(TITLES),
            figures={path.stem: path.read_bytes() for path in (*kept, *self.figures) if path.exists()},
            notes=tuple(dict.fromkeys((*self.notes, *self.problems.values()))),
        )


def summarize_scores(parts: Sequence[ExperimentPart]) -> Table:
    """The scores of all parts in one table, with the significance marks of each part."""
    rows: list[tuple[Value, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    notes: list[str] = []
    measures = [str(measure) for measure in parts[0].scores.measures]
    for part in parts:
        scores = part.scores.table()
        first = len(rows)
        rows += [(part.title, *row) for row in scores.rows]
        best |= {(first + row, 1 + column) for row, column in scores.best}
        if part.comparison is not None:
            compared = part.comparison.table()
            for (row, column), mark in compared.marks.items():
                marks[first + row, 2 + measures.index(part.comparison.measures[column - 1])] = mark
            notes += [f"{part.title}: {note}" for note in compared.notes]
    return Table(
        ("part", "run", *measures), tuple(rows), "Scores", tuple(notes), frozenset(best), marks=marks, grouped=1
    )


def summarize_costs(parts: Sequence[ExperimentPart]) -> Table | None:
    """The cost tables of all parts in one."""
    costs = [(part.title, table) for part in parts if (table := part.cost_table()) is not None]
    if not costs:
        return None
    rows = [(title, *row) for title, table in costs for row in table.rows]
    first = costs[0][1]
    return Table(("part", *first.columns), tuple(rows), first.title, first.notes, digits=first.digits, grouped=1)


@dataclass(frozen=True, eq=False)
class Outcome(Tabled):
    """The outcome of an experiment that was run."""

    __repr__ = concise_repr

    folder: Path
    parts: tuple[ExperimentPart, ...]
    record: Mapping[str, Any]
    events: tuple[StepEvent, ...]
    """What happened to each step."""

    @cached_property
    def results(self) -> ReportContents:
        """The contents of the report."""
        return make_results(self.parts, self.record)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / REPORT

    def tables(self) -> tuple[Table, ...]:
        """Scores with significance marks, and costs, for all parts."""
        tables = (summarize_scores(self.parts), summarize_costs(self.parts))
        return tuple(table for table in tables if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The outcome in a JSON-compatible form."""
        return {
            "title": self.record["title"],
            "folder": str(self.folder),
            "report": str(self.report),
            "steps": self.record["steps"],
            "parts": [
                {
                    "name": part.name,
                    "title": part.title,
                    **part.scores.to_dict(),
                    "comparison": part.comparison.to_dict() if part.comparison is not None else None,
                    "facts": part.facts,
                    "notes": [*part.notes],
                }
                for part in self.parts
            ],
        }


def make_results(parts: Iterable[ExperimentPart], record: Mapping[str, Any]) -> ReportContents:
    """The contents of the report."""
    return ReportContents(record["title"], tuple(part.to_report() for part in parts), record)


# Loading


def load_experiment(folder: str | Path) -> ReportContents:
    """Load the results that an experiment saved: the ranks are read, and everything else is computed from them.

    Args:
        folder: The output folder of the experiment.
    """
    folder = Path(folder)
    record = _read_record(folder)
    _check_outputs(folder, record["outputs"])
    options = {**record["options"], "study": rename_studies(record["options"])}
    parts = [
        ExperimentPart(folder / "parts" / part["name"], part["title"], options, part["runs"], part["notes"])
        for part in record["parts"]
    ]
    return make_results(parts, record)


def _check_outputs(folder: Path, outputs: Mapping[str, str]) -> None:
    """Refuse files that are read here and are not those that the experiment wrote."""
    for name, known in outputs.items():
        if not name.startswith("parts/") or not name.endswith((".npz", ".json", ".jsonl")):
            continue
        try:
            wrong = "was modified or is damaged" if hash_file(folder / name) != known else ""
        except OSError as error:
            wrong = f"cannot be read ({error.strerror or error})"
        if wrong:
            raise InputError(f"{name} {wrong}", source=str(folder), remedy=AGAIN)


def _read_record(folder: Path) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_bytes())
    except FileNotFoundError:
        begun = is_experiment(folder)
        what = "this experiment was never finished" if begun else "is not an experiment folder"
        remedy = f"{AGAIN}: it resumes" if begun else "name the folder that `antecede experiment` wrote"
        raise InputError(what, source=str(folder), remedy=remedy) from None
    except (OSError, ValueError) as error:
        what = f"cannot be read ({getattr(error, 'strerror', None) or 'it is not JSON'})"
        raise InputError(f"{RECORD} {what}", source=str(folder), remedy=AGAIN) from None
    verified = verify_signed(record)
    if verified is None or any(verified.get(key) != value for key, value in FORMAT.items()):
        what = f"{RECORD} was modified or is damaged, or is of another version"
        raise InputError(what, source=str(folder), remedy=AGAIN)
    return record


# The record


def make_record(
    settings: Settings, runner: StepRunner, parts: Iterable[ExperimentPart], begun: str, ended: str
) -> dict[str, Any]:
    """The record: everything needed to repeat the experiment and to verify the results."""
    random = {name: int(options["seed"]) for name, options in settings.study.items() if "seed" in options}
    synthetic = {"collection": settings.synthetic.seed} if settings.synthetic is not None else {}
    return sign(
        {
            **FORMAT,
            "title": settings.title,
            "antecede": version("antecede"),
            "python": platform.python_version(),
            "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
            "packages": package_versions(),
            "begun": begun,
            "ended": ended,
            "file": settings.document.file.name,
            "options": settings.options(),
            "seeds": {**synthetic, "evaluation": settings.evaluation.seed, **random},
            "inputs": _hash_inputs(settings, runner.digests),
            "outputs": {name: known for stamp in runner.done.values() for name, known in stamp.outputs.items()},
            "parts": [
                {"name": part.name, "title": part.title, "runs": part.facts, "notes": [*part.notes]} for part in parts
            ],
            "steps": [event.to_dict() for event in runner.events],
        }
    )


def package_versions() -> dict[str, str]:
    """The versions of the packages that results may depend on."""
    versions = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def _hash_inputs(settings: Settings, digests: Digests) -> dict[str, Any]:
    """The checksum of every input file; names are relative to the experiment file."""
    inputs = [path for key, paths in settings.inputs.items() if key != "index" for path in paths]
    checksums: dict[str, Any] = {}
    for index in settings.inputs["index"]:
        if is_address(index):
            from antecede.engine import open_index

            checksums[str(parse_address(index))] = open_index(index).state
        else:
            inputs.append(index / "manifest.json")

    def relative(path: Path) -> str:
        return Path(os.path.relpath(path, settings.document.folder)).as_posix()

    for path in dict.fromkeys([settings.document.file, *inputs]):
        files = files_in(path)
        if len(files) > MOST_FILES:
            checksums[relative(path)] = {"files": len(files), "sha256": digests.of_paths([path])}
        else:
            checksums |= {relative(file): digests.of_file(file) for _, file in files}
    return checksums
