"""An experiment as steps, in order: judgements, runs, ranks, tables and studies of each part, then tables and report.

Each step is a function that takes what it depends on and returns its stamp; None in a dry run if it would be made.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import InputError, UsageError, shown
from antecede.evaluation import rank_table
from antecede.experiment.cache import (
    PENDING,
    PendingStep,
    StepEvent,
    StepResult,
    StepRunner,
    check_folder,
    digest,
    lock_folder,
)
from antecede.experiment.experiment_file import read_settings
from antecede.experiment.outcome import COPY, RECORD, REPORT, Outcome, make_record, make_results, package_versions
from antecede.experiment.parts import (
    ALL,
    QRELS,
    RANKS,
    EvaluatedPart,
    PartPlan,
    make_folder,
    make_study,
    make_tables,
    plan_parts,
    summarize_costs,
    summarize_scores,
    write_json,
    write_tables,
)
from antecede.files import cannot_write, input_at, write_whole
from antecede.parallel import process_pool
from antecede.ranges import THREADS
from antecede.trec import read_qrels, read_run, write_qrels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.experiment.cache import Stamp
    from antecede.experiment.search_steps import SearchData
    from antecede.experiment.settings import ExternalRun, Settings

    Log = Callable[[StepEvent], None]
    Report = Callable[[str, int, int], None]
    Searches = Mapping[str, Callable[[], Stamp | None]]

PART, DEMO = "part.json", "demo.toml"


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
        runner = StepRunner(settings.out, log, progress, threads=threads, pool=pool)
        runner.write_line({"event": "begun", "file": settings.file.name, "title": settings.title})
        return _run_steps(settings, runner)


def run_demo(
    folder: str | Path,
    *,
    workers: int = 1,
    log: Log = lambda _: None,
    progress: Report = lambda _what, _done, _total: None,
) -> Outcome:
    """Write the experiment file of the demonstration to a folder, unless it is there, and run it."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    file = folder / DEMO
    if not file.exists():
        write_whole(file, files("antecede.experiment").joinpath(DEMO).read_bytes())
    return run_experiment(file, workers=workers, log=log, progress=progress)


def plan_experiment(file: str | Path, *, out: str | Path | None = None) -> tuple[Settings, list[StepEvent]]:
    """The settings of an experiment, and what would happen to each step, as far as it can be known."""
    settings = read_settings(file, out)
    check_folder(settings.out)
    runner = StepRunner(settings.out, dry=True)
    with suppress(PendingStep):
        _run_steps(settings, runner)
    return settings, runner.events


def _run_steps(settings: Settings, runner: StepRunner) -> Outcome:
    begun = _now()
    if settings.languages is not None:
        runner.total = _count_steps(settings, len(settings.languages))
    if not runner.dry and input_at(settings.out / COPY, [settings.file]) is None:
        write_whole(settings.out / COPY, settings.document.text.encode())
    data, plans = _prepare_parts(settings, runner)
    runner.total = _count_steps(settings, len(plans))
    searches: dict[str, Searches] = {}
    if data is not None and runner.pool is not None:  # all searches, before the first part waits for its own
        from antecede.experiment.search_steps import begin_searches

        searches = {plan.name: begin_searches(settings, runner, data, plan) for plan in plans}
    ends = [_begin_part(settings, runner, plan, data, searches.get(plan.name)) for plan in plans]
    parts = [end() for end in ends]
    if any(event.state == PENDING for event in runner.events):
        for name in ("tables", "report"):
            runner.report(StepEvent(name, PENDING, "after the steps above"))
        raise PendingStep
    _write_summary(runner, parts)
    _write_report(settings, runner, parts, begun)
    if runner.dry:
        raise PendingStep
    record = make_record(settings, runner, parts, begun, _now())
    write_whole(settings.out / RECORD, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
    runner.write_line({"event": "ended", "title": settings.title})
    return Outcome(settings.out, tuple(parts), record, tuple(runner.events))


def _count_steps(settings: Settings, parts: int) -> int:
    once = len(("tables", "report"))
    part = len(("part", "ranks", "tables", *settings.studies))
    if settings.searches:
        given = (settings.synthetic is None) + (settings.index.path is not None)
        once += len(settings.runs) + len(("collection", "topics", "index")) - given
        part += len(("titles", "words", *settings.searches))
    return once + parts * part


def _prepare_parts(settings: Settings, runner: StepRunner) -> tuple[SearchData | None, Sequence[PartPlan]]:
    """The parts of the experiment, once its topics are known."""
    if not settings.searches:
        return None, [PartPlan(ALL, settings.title, settings.out / "parts" / ALL)]
    from antecede.experiment.search_steps import prepare_search

    for run in settings.runs:  # a broken file is found before hours of searching
        _check_run(settings, runner, run)
    data = prepare_search(settings, runner)
    qrels = read_qrels(str(data.qrels), settings.evaluation.policies)
    languages = data.index.languages if data.index_digest is not None else None
    return data, plan_parts(settings, data.topic_facts, qrels, languages)


def _check_run(settings: Settings, runner: StepRunner, run: ExternalRun) -> None:
    """Read an external run, to find errors in it."""
    policies = settings.evaluation.policies

    def make(_: bool) -> StepResult:
        read_run(str(run.path), policies, name=run.name)
        return StepResult()

    runner.run(f"check {run.name}", {"run": runner.digests.of_file(run.path), "reading": policies}, make)


def _begin_part(
    settings: Settings, runner: StepRunner, plan: PartPlan, data: SearchData | None, searches: Searches | None
) -> Callable[[], EvaluatedPart]:
    """All steps of one part, from its judgements to its studies; the result waits for those begun in the pool.

    `searches` are the runs, if they are begun already.
    """
    qrels = data.qrels if data is not None else settings.qrels
    if qrels is None:
        raise UsageError("there are no judgements")
    judged = _write_judgements(settings, runner, plan, qrels)
    notes: list[str] = [*(judged.facts["notes"] if judged is not None else ())]
    made: dict[str, Stamp] = {}
    if data is not None:
        from antecede.experiment.search_steps import begin_searches, write_titles, write_words

        ends = searches or begin_searches(settings, runner, data, plan)
        made = {name: stamp for name, end in ends.items() if (stamp := end()) is not None}
        write_titles(runner, data, plan)
        write_words(runner, data, plan, made.values())
    for name, stamp in made.items():
        if not stamp.facts["answered"]:
            notes.append(f"Run {name} found nothing: {'; '.join(stamp.facts['notes'])}.")
    answered = {name: stamp for name, stamp in made.items() if stamp.facts["answered"]}
    runs = {name: settings.out / next(iter(stamp.outputs)) for name, stamp in answered.items()}
    pending = judged is None or len(made) < len(settings.searches)
    ranks = _write_ranks(settings, runner, plan, plan.folder / QRELS if plan.topics else qrels, runs, notes, pending)
    facts = {name: stamp.facts for name, stamp in answered.items()}
    part = EvaluatedPart(plan.folder, plan.title, settings.options(), facts)
    steps = [_begin_tables(runner, part, ranks)]
    for name in settings.studies:
        if name == "terms" and data is not None:
            from antecede.experiment.search_steps import sweep_terms

            steps.append(partial(lambda stamp: stamp, sweep_terms(settings, runner, data, plan)))
        else:
            depends = {"ranks": ranks and ranks.digest, "options": part.study_options[name]}
            steps.append(runner.begin(f"study {part.name}/{name}", depends, partial(make_study, part, name)))

    def end() -> EvaluatedPart:
        stamps = [stamp for stamp in (ranks, *(step() for step in steps)) if stamp is not None]
        part.notes = tuple(dict.fromkeys([*notes, *(note for stamp in stamps for note in stamp.facts["notes"])]))
        part.figures = [settings.out / name for stamp in stamps for name in stamp.outputs if name.endswith(".svg")]
        return part

    return end


def _write_judgements(settings: Settings, runner: StepRunner, plan: PartPlan, qrels: Path) -> Stamp | None:
    policies = settings.evaluation.policies
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "topics": digest(plan.topics),
        "title": plan.title,
        "notes": plan.notes,
        "reading": policies,
    }

    def make(_: bool) -> StepResult:
        import polars as pl

        judged = read_qrels(str(qrels), policies)
        notes = [*plan.notes]
        selected = judged
        if plan.topics:
            selected = read_qrels(judged.to_polars().filter(pl.col("topic_id").is_in([*plan.topics])))
            notes += [f"{count} {name} lines in the qrels." for name, count in judged.odd.items() if count]
        write_qrels(selected, make_folder(plan.folder) / QRELS)
        facts = {"name": plan.name, "title": plan.title, "topics": len(plan.topics or judged.topics), "notes": notes}
        return StepResult([plan.folder / QRELS, write_json(plan.folder / PART, facts)], facts)

    return runner.run(f"part {plan.name}", depends, make)


def _write_ranks(
    settings: Settings,
    runner: StepRunner,
    plan: PartPlan,
    qrels: Path,
    runs: Mapping[str, Path],
    notes: Sequence[str],
    pending: bool,
) -> Stamp | None:
    """Write the rank table of a part: of the runs that the experiment made, and of external ones."""
    known = {name: runner.digests.of_file(file) for name, file in runs.items()}
    known |= {run.name: runner.digests.of_file(run.path) for run in settings.runs}
    policies = settings.evaluation.policies
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "runs": {**known, **({"runs to be made": None} if pending else {})},
        "order": [name for name in settings.names if name in known or pending],
        "reading": policies,
    }

    def make(_: bool) -> StepResult:
        ranked: dict[str, object] = {name: str(file) for name, file in runs.items()}
        left_out = []
        for run in settings.runs:
            read = read_run(str(run.path), policies, name=run.name) if plan.topics else str(run.path)
            if isinstance(read, str) or {*read.topics} & {*plan.topics}:
                ranked[run.name] = read
            else:
                left_out.append(f"Run {shown(run.name)} has no topic of this part.")
        if not ranked:
            raise InputError("no run found anything", source=plan.title, remedy="; ".join(notes) or None)
        rank_table(str(qrels), ranked, **vars(policies)).save(plan.folder / RANKS)
        return StepResult([plan.folder / RANKS], {"notes": left_out})

    return runner.run(f"ranks {plan.name}", depends, make)


def _begin_tables(runner: StepRunner, part: EvaluatedPart, ranks: Stamp | None) -> Callable[[], Stamp | None]:
    depends = {
        "ranks": ranks and ranks.digest,
        "evaluation": part.evaluation,
        "cost": digest({name: [facts["terms"], facts["milliseconds"]] for name, facts in part.facts.items()}),
    }
    return runner.begin(f"tables {part.name}", depends, partial(make_tables, part))


def _write_summary(runner: StepRunner, parts: Sequence[EvaluatedPart]) -> None:
    depends = {
        "parts": {part.name: runner.done[f"tables {part.name}"].digest for part in parts},
        "titles": [part.title for part in parts],
    }

    def make(_: bool) -> StepResult:
        tables = {"summary": summarize_scores(parts), "cost": summarize_costs(parts)}
        return StepResult(write_tables(runner.folder / "tables", tables))

    runner.run("tables", depends, make)


def _write_report(settings: Settings, runner: StepRunner, parts: Sequence[EvaluatedPart], begun: str) -> None:
    depends = {
        "title": settings.title,
        "options": settings.options(),
        "steps": {name: stamp.digest for name, stamp in runner.done.items()},
        "notes": {part.name: part.notes for part in parts},
        "versions": [version("antecede"), package_versions()],
    }

    def make(_: bool) -> StepResult:
        from antecede.report.html import write_report

        write_report(make_results(parts, make_record(settings, runner, parts, begun, _now())), settings.out / REPORT)
        return StepResult([settings.out / REPORT])

    runner.run("report", depends, make)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
