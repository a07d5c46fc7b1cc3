"""An experiment as steps, in order: judgements, runs, ranks, tables and studies of each part, then tables and report.

Each step is a function that takes what it depends on and returns its stamp; None in a dry run if it would be made.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.evaluation import rank_table
from antecede.experiment.digests import digest
from antecede.experiment.experiment_file import read_settings
from antecede.experiment.folder import (
    COPY,
    QRELS,
    RANKS,
    RECORD,
    REPORT,
    check_folder,
    lock_folder,
    make_folder,
    make_record,
    package_versions,
    write_json,
)
from antecede.experiment.outcome import Outcome, make_results
from antecede.experiment.parts import (
    EvaluatedPart,
    plan_parts,
    plan_single_part,
    write_part,
    write_study,
    write_summary_tables,
)
from antecede.experiment.step_runner import PENDING, PendingStep, StepEvent, StepResult, StepRunner
from antecede.files import input_at, write_whole
from antecede.parallel import process_pool
from antecede.ranges import THREADS
from antecede.trec import read_qrels, read_run, write_qrels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from antecede.experiment.parts import PartPlan
    from antecede.experiment.search_steps import SearchData
    from antecede.experiment.settings import ExternalRun, Settings
    from antecede.experiment.step_runner import Stamp
    from antecede.trec import Qrels

    Log = Callable[[StepEvent], None]
    Report = Callable[[str, int, int], None]
    Searches = Mapping[str, Callable[[], Stamp | None]]

PART = "part.json"


def run_experiment(
    file: str | Path,
    *,
    out: str | Path | None = None,
    threads: int | None = None,
    workers: int = 1,
    log: Log = lambda _: None,
    progress: Report = lambda _what, _done, _total: None,
) -> Outcome:
    """Run an experiment file: collection → index → runs → tables → report, repeating only what changed.

    Args:
        file: The experiment file (TOML).
        out: The folder for the results; by default next to the file, with the same name.
        threads: The number of topics searched at the same time; one per core by default.
        workers: The number of processes that search and make tables, studies and figures. With more than one, a script
            must call this function below `if __name__ == "__main__":`.
        log: Called with a `StepEvent` for each step.
        progress: Called with (step, done, total).
    """
    THREADS.check(workers, "workers")
    settings = read_settings(file, out)
    with lock_folder(settings.out), process_pool(workers) as pool:
        runner = StepRunner(settings.out, log)
        runner.write_line({"event": "begun", "file": settings.file.name, "title": settings.title})
        return run_steps(settings, runner, threads, progress, pool)


def plan_experiment(file: str | Path, *, out: str | Path | None = None) -> tuple[Settings, list[StepEvent]]:
    """The settings of an experiment, and what would happen to each step, as far as it can be known."""
    settings = read_settings(file, out)
    check_folder(settings.out)
    runner = StepRunner(settings.out, lambda _: None, dry=True)
    with suppress(PendingStep):
        run_steps(settings, runner, None, lambda _what, _done, _total: None)
    return settings, runner.events


def run_steps(
    settings: Settings, runner: StepRunner, threads: int | None, report: Report, pool: Executor | None = None
) -> Outcome:
    """Make all steps, and write the record."""
    begun = now()
    if settings.languages is not None:
        runner.total = count_steps(settings, len(settings.languages))
    if not runner.dry and input_at(settings.out / COPY, [settings.file]) is None:
        write_whole(settings.out / COPY, settings.text.encode())
    data, plans = prepare_parts(settings, runner, report)
    runner.total = count_steps(settings, len(plans))
    searches: dict[str, Searches] = {}
    if data is not None and pool is not None:
        from antecede.experiment.search_steps import begin_searches

        searches = {p.name: begin_searches(data, runner, p, settings, threads, report, pool) for p in plans}
    ends = [begin_part(settings, runner, plan, data, threads, report, pool, searches.get(plan.name)) for plan in plans]
    parts = [end() for end in ends]
    if any(event.state == PENDING for event in runner.events):
        for name in ("tables", "report"):
            runner.report(StepEvent(name, PENDING, "after the steps above"))
        raise PendingStep
    write_summary(runner, parts)
    write_report(settings, runner, parts, begun)
    if runner.dry:
        raise PendingStep
    record = make_record(settings, runner, [part.to_record() for part in parts], begun, now())
    write_whole(settings.out / RECORD, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
    runner.write_line({"event": "ended", "title": settings.title})
    return Outcome(settings.out, tuple(parts), record, tuple(runner.events))


def count_steps(settings: Settings, parts: int) -> int:
    """The number of steps of an experiment with so many parts."""
    once = len(("tables", "report"))
    part = len(("part", "ranks", "tables", *settings.studies))
    if settings.searching:
        given = (settings.synthetic is None) + (settings.index.path is not None)
        once += len(settings.runs) + len(("collection", "topics", "index")) - given
        part += len(("titles", "words", *settings.searches))
    return once + parts * part


def prepare_parts(
    settings: Settings, runner: StepRunner, report: Report
) -> tuple[SearchData | None, Sequence[PartPlan]]:
    """The parts of the experiment, once its topics are known."""
    if not settings.searching:
        return None, [plan_single_part(settings)]
    from antecede.experiment.search_steps import prepare_search

    for run in settings.runs:  # a broken file is found before hours of searching
        check_run(settings, runner, run)
    data = prepare_search(settings, runner, report)
    qrels = read_qrels(str(data.qrels), settings.evaluation.policies)
    languages = data.index.languages if data.index_digest is not None else None
    return data, plan_parts(settings, data.topic_facts, qrels, languages)


def check_run(settings: Settings, runner: StepRunner, run: ExternalRun) -> Stamp | None:
    """Read an external run, to find errors in it."""
    policies = settings.evaluation.policies
    depends = {"run": runner.digests.of_file(run.path), "reading": policies}

    def make(_: bool) -> StepResult:
        read_run(str(run.path), policies, name=run.name)
        return StepResult()

    return runner.run(f"check {run.name}", depends, make)


def begin_part(
    settings: Settings,
    runner: StepRunner,
    plan: PartPlan,
    data: SearchData | None,
    threads: int | None,
    report: Report,
    pool: Executor | None,
    searches: Searches | None,
) -> Callable[[], EvaluatedPart]:
    """All steps of one part, from its judgements to its studies; the result waits for those begun in the pool.

    `searches` are the runs, if they are begun already.
    """
    qrels = data.qrels if data is not None else settings.qrels
    if qrels is None:
        raise UsageError("there are no judgements")
    judged = write_judgements(settings, runner, plan, qrels)
    notes: list[str] = [*(judged.facts["notes"] if judged is not None else ())]
    stamps: dict[str, Stamp | None] = {}
    if data is not None:
        from antecede.experiment.search_steps import begin_searches, write_titles, write_words

        searches = searches or begin_searches(data, runner, plan, settings, threads, report, None)
        stamps = {name: end() for name, end in searches.items()}
        write_titles(data, runner, plan)
        write_words(data, runner, plan, stamps)
    made = {name: stamp for name, stamp in stamps.items() if stamp is not None}
    for name, stamp in made.items():
        if not stamp.facts["answered"]:
            notes.append(f"Run {name} found nothing: {'; '.join(stamp.facts['notes'])}.")
    answered = {name: stamp for name, stamp in made.items() if stamp.facts["answered"]}
    files = {name: settings.out / next(iter(stamp.outputs)) for name, stamp in answered.items()}
    pending = judged is None or len(made) < len(stamps)
    ranks = write_ranks(settings, runner, plan, plan.folder / QRELS if plan.topics else qrels, files, notes, pending)
    facts = {name: stamp.facts for name, stamp in answered.items()}
    part = EvaluatedPart(plan.folder, plan.title, settings.options(), facts)
    steps = [begin_tables(runner, part, ranks, pool)]
    for name in settings.studies:
        if name == "terms" and data is not None:
            from antecede.experiment.search_steps import sweep_terms

            swept = sweep_terms(data, runner, plan, settings, threads, report)
            steps.append(partial(lambda stamp: stamp, swept))
        else:
            steps.append(begin_study(runner, part, name, ranks, pool))

    def end() -> EvaluatedPart:
        made = [stamp for stamp in (ranks, *(step() for step in steps)) if stamp is not None]
        part.notes = tuple(dict.fromkeys([*notes, *(note for stamp in made for note in stamp.facts["notes"])]))
        part.figures = [settings.out / name for stamp in made for name in stamp.outputs if name.endswith(".svg")]
        return part

    return end


def write_judgements(settings: Settings, runner: StepRunner, plan: PartPlan, qrels: Path) -> Stamp | None:
    """Write the judgements of a part."""
    policies = settings.evaluation.policies
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "topics": digest(plan.topics),
        "title": plan.title,
        "notes": plan.notes,
        "reading": policies,
    }

    def make(_: bool) -> StepResult:
        found = read_qrels(str(qrels), policies)
        make_folder(plan.folder)
        write_qrels(select_topics(found, plan.topics) if plan.topics else found, plan.folder / QRELS)
        odd = tuple(f"{count} {name} lines in the qrels." for name, count in found.odd.items() if count)
        notes = [*plan.notes, *(odd if plan.topics else ())]
        facts = {"name": plan.name, "title": plan.title, "topics": len(plan.topics or found.topics), "notes": notes}
        return StepResult([plan.folder / QRELS, write_json(plan.folder / PART, facts)], facts)

    return runner.run(f"part {plan.name}", depends, make)


def select_topics(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgements of some topics."""
    import polars as pl

    return read_qrels(qrels.to_polars().filter(pl.col("topic_id").is_in([*topics])))


def write_ranks(
    settings: Settings,
    runner: StepRunner,
    plan: PartPlan,
    qrels: Path,
    files: Mapping[str, Path],
    notes: Sequence[str],
    pending: bool,
) -> Stamp | None:
    """Write the rank table of a part. `files` are the runs that the experiment made."""
    known = {name: runner.digests.of_file(file) for name, file in files.items()}
    known |= {run.name: runner.digests.of_file(run.path) for run in settings.runs}
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "runs": {**known, **({"runs to be made": None} if pending else {})},
        "order": [name for name in settings.names if name in known or pending],
        "reading": settings.evaluation.policies,
    }

    def make(_: bool) -> StepResult:
        external, left_out = read_external_runs(settings, plan)
        runs = {**{name: str(file) for name, file in files.items()}, **external}
        if not runs:
            raise InputError("no run found anything", source=plan.title, remedy="; ".join(notes) or None)
        rank_table(str(qrels), runs, **vars(settings.evaluation.policies)).save(plan.folder / RANKS)
        return StepResult([plan.folder / RANKS], {"notes": left_out})

    return runner.run(f"ranks {plan.name}", depends, make)


def read_external_runs(settings: Settings, plan: PartPlan) -> tuple[dict[str, object], list[str]]:
    """The external runs of a part, and notes on those without any of its topics."""
    if not plan.topics:
        return {run.name: str(run.path) for run in settings.runs}, []
    found: dict[str, object] = {}
    notes = []
    for run in settings.runs:
        read = read_run(str(run.path), settings.evaluation.policies, name=run.name)
        if {*read.topics} & {*plan.topics}:
            found[run.name] = read
        else:
            notes.append(f"Run {shown(run.name)} has no topic of this part.")
    return found, notes


def begin_tables(
    runner: StepRunner, part: EvaluatedPart, ranks: Stamp | None, pool: Executor | None
) -> Callable[[], Stamp | None]:
    """Write the tables and figures of a part."""
    depends = {
        "ranks": ranks.digest if ranks is not None else None,
        "evaluation": part.evaluation,
        "cost": digest({name: [facts["terms"], facts["milliseconds"]] for name, facts in part.facts.items()}),
    }
    return runner.begin(f"tables {part.name}", depends, partial(make_tables, part), pool=pool)


def make_tables(part: EvaluatedPart, _: bool) -> StepResult:
    outputs, problems = write_part(part)
    return StepResult(outputs, {"notes": [*part.problems.values(), *problems.values()]})


def begin_study(
    runner: StepRunner, part: EvaluatedPart, name: str, ranks: Stamp | None, pool: Executor | None
) -> Callable[[], Stamp | None]:
    """Make and write a study of the ranks of a part."""
    depends = {"ranks": ranks.digest if ranks is not None else None, "options": part.study_options[name]}
    step = f"study {part.name}/{name}"
    return runner.begin(step, depends, partial(make_study, part, name), pool=pool)


def make_study(part: EvaluatedPart, name: str, _: bool) -> StepResult:
    study = part.study(name)
    outputs, problems = write_study(part.folder, name, study) if study is not None else ([], {})
    reasons = [part.problems[name]] if name in part.problems else []
    return StepResult(outputs, {"notes": [*reasons, *problems.values()]})


def write_summary(runner: StepRunner, parts: Sequence[EvaluatedPart]) -> Stamp | None:
    """Write the tables of all parts."""
    depends = {
        "parts": {part.name: runner.done[f"tables {part.name}"].digest for part in parts},
        "titles": [part.title for part in parts],
    }

    folder = runner.folder / "tables"
    return runner.run("tables", depends, lambda _: StepResult(write_summary_tables(folder, parts)))


def write_report(settings: Settings, runner: StepRunner, parts: Sequence[EvaluatedPart], begun: str) -> Stamp | None:
    """Write the report."""
    depends = {
        "title": settings.title,
        "options": settings.options(),
        "steps": {name: stamp.digest for name, stamp in runner.done.items()},
        "notes": {part.name: part.notes for part in parts},
        "versions": [version("antecede"), package_versions()],
    }

    def make(_: bool) -> StepResult:
        from antecede.report.html import write_report

        record: dict[str, Any] = make_record(settings, runner, [part.to_record() for part in parts], begun, now())
        write_report(make_results(parts, record), settings.out / REPORT)
        return StepResult([settings.out / REPORT])

    return runner.run("report", depends, make)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
