"""One TOML file → all of it, in order; what was done before and still holds is kept."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.evaluation import rank_table
from antecede.experiment.digests import code, digest
from antecede.experiment.evaluated import RANKS, EvaluatedPart
from antecede.experiment.folder import COPY, RECORD, REPORT, check_folder, claimed
from antecede.experiment.loading import results_of
from antecede.experiment.outcome import Outcome
from antecede.experiment.parts import QRELS, only_part, part_made, parts_of
from antecede.experiment.reading import read_settings
from antecede.experiment.record import packages, record_of
from antecede.experiment.steps import AHEAD, Event, NotYet, Steps, Written
from antecede.experiment.written import costs, summary, write_part, write_study, write_tables
from antecede.files import input_at, write_whole
from antecede.trec import Policies, read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from antecede.experiment.gathering import Gathered
    from antecede.experiment.parts import PartPlan
    from antecede.experiment.settings import GivenRun, Settings
    from antecede.experiment.steps import Stamp

    Log = Callable[[Event], None]
    Report = Callable[[str, int, int], None]

SCORING = ("trec", "measures", "evaluation")
OURS = ("experiment/evaluated", "experiment/written", "experiment/studies")
COMPARING = (*SCORING, "comparison", "tables", "report/figures", "report/display_text", *OURS)
STUDYING = (*COMPARING, "study")


def experiment(
    file: str | Path,
    *,
    out: str | Path | None = None,
    threads: int | None = None,
    log: Log = lambda _: None,
    progress: Report = lambda _what, _done, _total: None,
) -> Outcome:
    """Run an experiment file: collection → index → runs → tables → report, repeating only what changed.

    Args:
        file: The experiment file (TOML).
        out: The folder for the results; by default next to the file, with the same name.
        threads: The number of topics searched at the same time; one per core by default.
        log: Called with an `Event` for each step.
        progress: Called with (step, done, total).
    """
    settings = read_settings(file, out)
    with claimed(settings.out):
        steps = Steps(settings.out, log)
        steps.write_line({"event": "begun", "file": settings.file.name, "title": settings.title})
        return Experiment(settings, steps, threads, progress).run()


def planned(file: str | Path, *, out: str | Path | None = None) -> tuple[Settings, list[Event]]:
    """What an experiment would do: its settings, and each step as far as it can be told."""
    settings = read_settings(file, out)
    check_folder(settings.out)
    steps = Steps(settings.out, lambda _: None, dry=True)
    with suppress(NotYet):
        Experiment(settings, steps, None, lambda _what, _done, _total: None).run()
    return settings, steps.events


class Experiment:
    """The steps of one experiment, in order."""

    def __init__(self, settings: Settings, steps: Steps, threads: int | None, progress: Report) -> None:
        self.settings, self.steps, self.threads, self.progress = settings, steps, threads, progress
        self.folder = settings.out
        self.gathered: Gathered | None = None
        self.options = settings.options()

    def run(self) -> Outcome:
        """All of it."""
        begun = now()
        if not self.steps.dry and input_at(self.folder / COPY, [self.settings.file]) is None:
            write_whole(self.folder / COPY, self.settings.text.encode())
        parts = [self.part(plan) for plan in self.plans()]
        if any(event.state == AHEAD for event in self.steps.events):
            for name in ("tables", "report"):
                self.steps.tell(Event(name, AHEAD, "after the steps above"))
            raise NotYet
        self.joined_tables(parts)
        self.report(parts, begun)
        if self.steps.dry:
            raise NotYet
        record = self.record(parts, begun)
        write_whole(self.folder / RECORD, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
        self.steps.write_line({"event": "ended", "title": self.settings.title})
        return Outcome(self.folder, tuple(parts), record, tuple(self.steps.events))

    def record(self, parts: list[EvaluatedPart], begun: str) -> dict[str, Any]:
        return record_of(self.settings, self.steps, map(told, parts), begun, now())

    def plans(self) -> list[PartPlan]:
        """The parts, once topics and index are there."""
        if not self.settings.searching:
            return [only_part(self.settings)]
        from antecede.experiment.gathering import Gathered

        self.check_given_runs()
        self.gathered = Gathered(self.settings, self.steps, self.progress)
        self.gathered.gather()
        known = self.gathered.known_topics
        qrels = read_qrels(str(self.gathered.qrels), Policies(**self.settings.evaluation.reading))
        there = self.gathered.index.languages if self.gathered.index_digest is not None else None
        self.known = known
        return parts_of(self.settings, known, qrels, there)

    def check_given_runs(self) -> None:
        """Read the runs of others before hours of searching, so that a broken one is found now."""
        for run in self.settings.runs:
            depends = {"run": self.steps.digests.of_file(run.path), "reading": self.settings.evaluation.reading}

            def make(_: bool, run: GivenRun = run) -> Written:
                read_run(str(run.path), Policies(**self.settings.evaluation.reading), name=run.name)
                return Written()

            self.steps.step(f"check {run.name}", depends, make)

    @property
    def qrels(self) -> Path:
        """The judgements of all parts."""
        if self.gathered is not None:
            return self.gathered.qrels
        if self.settings.qrels is None:
            raise UsageError("there are no judgements")
        return self.settings.qrels

    def part(self, plan: PartPlan) -> EvaluatedPart:
        """One part from its judgements to its tables."""
        stamp = part_made(self.steps, self.settings, plan, self.qrels)
        facts: dict[str, Mapping[str, Any]] = {}
        notes: list[str] = [*(stamp.facts["notes"] if stamp is not None else ())]
        files: dict[str, Path] = {}
        unmade = False
        if self.gathered is not None:
            from antecede.experiment.searching import search_made, titles_made

            for search in self.settings.searches:
                made = search_made(self.gathered, plan, search, self.threads)
                unmade |= made is None
                if made is not None and made.facts["answered"]:
                    facts[search.name] = made.facts
                    files[search.name] = self.folder / next(iter(made.outputs))
                elif made is not None:
                    notes.append(f"Run {search.name} found nothing: {'; '.join(made.facts['notes'])}.")
            titles_made(self.gathered, plan, self.known)
        ranks = self.ranks(plan, stamp, files, notes, unmade=unmade or stamp is None)
        evaluated = EvaluatedPart(self.folder / "parts" / plan.name, plan.title, self.options, facts, ())
        notes += self.tables(evaluated, ranks)
        for name in self.settings.studies:
            notes += self.study(plan, evaluated, name, ranks)
        evaluated.given_notes = tuple(dict.fromkeys(notes))
        return evaluated

    def ranks(
        self, plan: PartPlan, part: Stamp | None, files: dict[str, Path], notes: list[str], *, unmade: bool
    ) -> Stamp | None:
        """The rank table of a part."""
        folder = self.folder / "parts" / plan.name
        qrels = folder / QRELS if plan.topics else self.qrels
        known = {name: self.steps.digests.of_file(file) for name, file in files.items()}
        known |= {run.name: self.steps.digests.of_file(run.path) for run in self.settings.runs}
        depends = {
            "qrels": self.steps.digests.of_file(qrels) if qrels.exists() and part is not None else None,
            "runs": {**known, **({"those to be made": None} if unmade else {})},
            "order": [name for name in self.settings.names if name in known or unmade],
            "reading": self.settings.evaluation.reading,
            "code": code(*SCORING),
        }

        def make(_: bool) -> Written:
            given, without = self.given_runs(plan)
            every = {**{name: str(file) for name, file in files.items()}, **given}
            if not every:
                raise InputError("no run found anything", source=plan.title, remedy="; ".join(notes) or None)
            table = rank_table(str(qrels), every, **self.settings.evaluation.reading)
            table.save(folder / RANKS)
            return Written([folder / RANKS], {"notes": without})

        stamp = self.steps.step(f"ranks {plan.name}", depends, make)
        notes += stamp.facts["notes"] if stamp is not None else ()
        return stamp

    def given_runs(self, plan: PartPlan) -> tuple[dict[str, object], list[str]]:
        """The runs of others for a part; one without a topic of it is left out where there are several parts."""
        if not plan.topics:
            return {run.name: str(run.path) for run in self.settings.runs}, []
        found: dict[str, object] = {}
        notes = []
        for run in self.settings.runs:
            read = read_run(str(run.path), Policies(**self.settings.evaluation.reading), name=run.name)
            if {*read.topics} & {*plan.topics}:
                found[run.name] = read
            else:
                notes.append(f"Run {shown(run.name)} has no topic of this part.")
        return found, notes

    def tables(self, part: EvaluatedPart, ranks: Stamp | None) -> list[str]:
        """The tables and figures of a part; what could not be drawn."""
        depends = {
            "ranks": ranks.digest if ranks is not None else None,
            "evaluation": self.options["evaluation"],
            "cost": digest({name: [facts["terms"], facts["milliseconds"]] for name, facts in part.facts.items()}),
            "code": code(*COMPARING),
        }

        def make(_: bool) -> Written:
            said: dict[str, str] = {}
            outputs = write_part(part, said)
            return Written(outputs, {"notes": [*part.said.values(), *said.values()]})

        stamp = self.steps.step(f"tables {part.name}", depends, make)
        return [*stamp.facts["notes"]] if stamp is not None else []

    def study(self, plan: PartPlan, part: EvaluatedPart, name: str, ranks: Stamp | None) -> list[str]:
        """One study of a part; what could not be drawn."""
        said: dict[str, str] = {}
        if name == "terms" and self.gathered is not None:
            from antecede.experiment.searching import sweep_made

            stamp = sweep_made(
                *(self.gathered, plan, self.settings.studies[name], self.settings.searches, self.threads),
                lambda found: write_study(part.folder, name, found, said),
            )
            return [*stamp.facts["notes"]] if stamp is not None else []
        depends = {
            "ranks": ranks.digest if ranks is not None else None,
            "options": self.options["studies"][name],
            "code": code(*STUDYING),
        }

        def make(_: bool) -> Written:
            found = part.study(name)
            outputs = write_study(part.folder, name, found, said) if found is not None else []
            reasons = [part.said[name]] if name in part.said else []
            return Written(outputs, {"notes": [*reasons, *said.values()]})

        stamp = self.steps.step(f"study {part.name}/{name}", depends, make)
        return [*stamp.facts["notes"]] if stamp is not None else []

    def joined_tables(self, parts: list[EvaluatedPart]) -> None:
        """The tables over all parts."""
        depends = {
            "parts": {part.name: self.steps.done[f"tables {part.name}"].digest for part in parts},
            "titles": [part.title for part in parts],
            "code": code(*COMPARING),
        }

        def make(_: bool) -> Written:
            return Written(write_tables(self.folder / "tables", {"summary": summary(parts), "cost": costs(parts)}))

        self.steps.step("tables", depends, make)

    def report(self, parts: list[EvaluatedPart], begun: str) -> None:
        """The page."""
        depends = {
            "title": self.settings.title,
            "options": self.options,
            "steps": {name: stamp.digest for name, stamp in self.steps.done.items()},
            "notes": {part.name: part.given_notes for part in parts},
            "versions": [version("antecede"), packages()],
            "code": code(*STUDYING, "report"),
        }

        def make(_: bool) -> Written:
            from antecede.report.html import write_report

            write_report(results_of(parts, self.record(parts, begun)), self.folder / REPORT)
            return Written([self.folder / REPORT])

        self.steps.step("report", depends, make)


def told(part: EvaluatedPart) -> dict[str, Any]:
    """What the record says of a part."""
    return {
        "name": part.name,
        "title": part.title,
        "runs": {name: dict(facts) for name, facts in part.facts.items()},
        "notes": [*part.given_notes],
    }


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
