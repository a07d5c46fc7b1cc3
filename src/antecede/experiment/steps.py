"""An experiment as steps: judgements, runs, ranks, tables and studies of each part, then tables and report."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, printable
from antecede.evaluation import RankTable, rank_table
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
from antecede.experiment.outcome import (
    COPY,
    RANKS,
    RECORD,
    REPORT,
    ExperimentPart,
    Outcome,
    make_record,
    make_results,
    package_versions,
    summarize_costs,
    summarize_scores,
)
from antecede.experiment.settings import QRELS, read_settings, studies
from antecede.files import cannot_write, input_at, write_whole
from antecede.operations import load_function
from antecede.parallel import process_pool
from antecede.ranges import THREADS
from antecede.report.results import KeptStudy
from antecede.trec import read_qrels, read_run, write_qrels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.experiment.cache import Stamp
    from antecede.experiment.search_steps import SearchData
    from antecede.experiment.settings import Settings
    from antecede.operations import Threads
    from antecede.report.results import MadeStudy
    from antecede.tables import Table
    from antecede.trec import Qrels

    Log = Callable[[StepEvent], None]
    Report = Callable[[str, int, int], None]
    Searches = Mapping[str, Callable[[], Stamp]]

DEMO = "demo.toml"
ALL, UNKNOWN = "all", "unknown"
LANGUAGES = {"en": "English", "fr": "French", "de": "German"}
STYLES = {"csv": "csv", "md": "md", "tex": "latex"}
"""File name extension → style of a table."""


def run_experiment(
    file: str | Path,
    *,
    out: str | Path | None = None,
    threads: Threads = None,
    workers: int = 1,
    log: Log = lambda _: None,
    progress: Report = lambda _what, _done, _total: None,
) -> Outcome:
    """Run an experiment file: collection → index → runs → tables → report, repeating only what changed.

    Args:
        file: The experiment file (TOML).
        out: The folder for the results; by default next to the file, with the same name.
        workers: The number of processes that search and make tables, studies and figures. With more than one, a script
            must call this function below `if __name__ == "__main__":`.
        log: Called with a `StepEvent` for each step.
        progress: Called with (step, done, total) when a step begins and while it runs; the total is 0 if unknown.
    """
    THREADS.check(workers, "workers")
    settings = read_settings(file, out)
    with lock_folder(settings.out), process_pool(workers) as pool:
        runner = StepRunner(settings.out, log, progress, threads=threads, pool=pool)
        begun = _now()
        runner.write_line({"event": "begun", "file": settings.document.file.name, "title": settings.title})
        if input_at(settings.out / COPY, [settings.document.file]) is None:
            write_whole(settings.out / COPY, settings.document.text.encode())
        try:
            parts = _run_steps(settings, runner, begun)
            record = make_record(settings, runner, parts, begun, _now())
        finally:
            runner.digests.save()
        write_whole(settings.out / RECORD, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
        runner.write_line({"event": "ended", "title": settings.title})
    return Outcome(settings.out, tuple(parts), record, tuple(runner.events))


def run_demo(
    folder: str | Path,
    *,
    workers: int = 1,
    log: Log = lambda _: None,
    progress: Report = lambda _what, _done, _total: None,
) -> Outcome:
    """Write the experiment file of the demonstration to a folder, unless it is there, and run it."""
    file = Path(folder) / DEMO
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(file.parent, error, "cannot be created") from None
    if not file.exists():
        write_whole(file, files("antecede.experiment").joinpath(DEMO).read_bytes())
    return run_experiment(file, workers=workers, log=log, progress=progress)


def plan_experiment(file: str | Path, *, out: str | Path | None = None) -> tuple[Settings, list[StepEvent]]:
    """The settings of an experiment, and what would happen to each step, as far as it can be known."""
    settings = read_settings(file, out)
    check_folder(settings.out)
    runner = StepRunner(settings.out, dry=True)
    with suppress(PendingStep):
        _run_steps(settings, runner, _now())
    return settings, runner.events


def _run_steps(settings: Settings, runner: StepRunner, begun: str) -> list[ExperimentPart]:
    """Make all steps of an experiment that began at a time, or as many as a dry run can tell of."""
    if settings.languages is not None:
        runner.total = _count_steps(settings, len(settings.languages))
    data, parts = _prepare_parts(settings, runner)
    runner.total = _count_steps(settings, len(parts))
    searches: list[Searches] = [{} for _ in parts]
    if data is not None:  # all searches, before the first part waits for its own
        from antecede.experiment.search_steps import begin_searches

        searches = [begin_searches(settings, runner, data, part) for part in parts]
    begun_parts = (_begin_part(settings, runner, data, *part) for part in zip(parts, searches, strict=True))
    for end in begun_parts if runner.pool is None else [*begun_parts]:
        end()
    if any(event.state == PENDING for event in runner.events):
        for name in ("tables", "report"):
            runner.report(StepEvent(name, PENDING, "after the steps above"))
        raise PendingStep
    _write_summary(settings, runner, parts, begun)
    return parts


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _count_steps(settings: Settings, parts: int) -> int:
    once = len(("tables", "report"))
    part = len(("part", "ranks", "tables", *settings.study))
    if settings.searches:
        given = (settings.synthetic is None) + (settings.index.path is not None)
        once += len(settings.runs) + len(("collection", "topics", "index")) - given
        part += len(("titles", "words", *settings.searches))
    return once + parts * part


# The parts: one per language of the topics


def _prepare_parts(settings: Settings, runner: StepRunner) -> tuple[SearchData | None, list[ExperimentPart]]:
    """The parts of the experiment, once its topics are known. Without searches, one part has all topics."""
    if not settings.searches:
        return None, [ExperimentPart(settings.out / "parts" / ALL, settings.title, settings.options())]
    from antecede.experiment.search_steps import prepare_search

    policies = settings.policies
    for run in settings.runs:  # a broken file is found before hours of searching

        def check(path: str = str(run.path)) -> StepResult:
            read_run(path, policies)
            return StepResult()

        runner.run(f"check {run.name}", {"run": runner.digests.of_file(run.path), "reading": policies}, check)
    data = prepare_search(settings, runner)
    qrels = read_qrels(str(settings.judgements), policies)
    languages = data.index.languages if data.index_digest is not None else None
    return data, _split_topics(settings, data.topic_facts, qrels, languages)


def _split_topics(
    settings: Settings, known: Mapping[str, Any], qrels: Qrels, index_languages: Sequence[str] | None
) -> list[ExperimentPart]:
    """The judged topics by language. The languages of the index are None if it has not been built."""
    topics: dict[str, dict[str, str]] = known["topics"]
    judged = {*qrels.topics}
    by_language: dict[str, list[str]] = {}
    for name, facts in topics.items():
        if name in judged:
            by_language.setdefault("" if settings.together else facts["language"], []).append(name)
    if not by_language:
        some = printable(", ".join([*topics][:3]), 60)
        what = f"none of the {len(topics)} topics ({some} …) is judged"
        raise InputError(what, source=qrels.source, remedy="check that topics and qrels belong together")
    notes = _describe_topics(topics, known["unread"], qrels)
    counts = {language: len(names) for language, names in by_language.items()}
    chosen = [""] if settings.together else _choose_languages(settings, counts, index_languages)
    if others := {language: count for language, count in counts.items() if language not in chosen}:
        notes.append(f"Topics in other languages, not part of the experiment: {_count_languages(others)}.")
    return [
        ExperimentPart(
            settings.out / "parts" / (ALL if settings.together else language or UNKNOWN),
            "All topics" if settings.together else LANGUAGES.get(language, language or "Language unknown"),
            settings.options(),
            notes=notes,
            language=None if settings.together else language,
            topics=tuple(by_language[language]),
            digest=digest([topics[topic]["digest"] for topic in by_language[language]]),
        )
        for language in chosen
    ]


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
    judged, notes = {*qrels.topics}, []
    if missing := [name for name in qrels.topics if name not in topics and name not in unread]:
        notes.append(f"Judged, but not among the topics, and left out: {len(missing)} ({name_some(missing)}).")
    if unjudged := [name for name in topics if name not in judged]:
        notes.append(f"Not judged, and not searched for: {len(unjudged)} ({name_some(unjudged)}).")
    for reason, number in Counter(unread.values()).items():
        names = [name for name, why in unread.items() if why == reason]
        notes.append(f"{number} topics left out: {printable(reason)} ({number} ({name_some(names)})).")
    return notes


def name_some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and an ellipsis for the others."""
    return ", ".join([*map(printable, names[:most]), *(["…"] if len(names) > most else [])])


def _begin_part(
    settings: Settings, runner: StepRunner, data: SearchData | None, part: ExperimentPart, searches: Searches
) -> Callable[[], None]:
    """All steps of one part, from its judgements to its studies; the function waits for those begun in the pool."""
    judged = _write_judgements(settings, runner, part)
    notes: list[str] = [*judged.facts.get("notes", ())]
    made = {name: end() for name, end in searches.items()}
    if data is not None:
        from antecede.experiment.search_steps import study_searches, write_titles, write_words

        write_titles(runner, data, part)
        write_words(runner, data, part, made.values())
    empty = [name for name, stamp in made.items() if not (stamp.pending or stamp.facts["answered"])]
    notes += [f"Run {name} found nothing: {'; '.join(made.pop(name).facts['notes'])}." for name in empty]
    part.facts = {name: stamp.facts for name, stamp in made.items()}
    part.notes = notes
    ranks = _write_ranks(settings, runner, part, made)
    costs = {name: [facts.get("terms"), facts.get("milliseconds")] for name, facts in part.facts.items()}
    depends = {"ranks": ranks.digest, "evaluation": part.evaluation, "cost": digest(costs)}
    steps = [runner.begin(f"tables {part.name}", depends, partial(_make_tables, part))]
    for name, options in part.options["study"].items():
        study = studies()[name]
        if study.searches and data is not None:
            steps.append(partial(study_searches, settings, runner, data, part, name))
        elif study.files:
            steps.append(partial(_study_files, settings, runner, part, name, ranks, made))
        else:
            depends = {"ranks": ranks.digest, "options": options}
            progress = runner.count(f"study {part.name}/{name}") if runner.pool is None else None
            make = partial(_make_study, part, name, progress)
            steps.append(runner.begin(f"study {part.name}/{name}", depends, make))

    def end() -> None:
        stamps = [ranks, *(step() for step in steps)]
        part.notes = tuple(
            dict.fromkeys([*notes, *(note for stamp in stamps for note in stamp.facts.get("notes", ()))])
        )
        part.figures = [settings.out / name for stamp in stamps for name in stamp.outputs if name.endswith(".svg")]

    return end


# The steps of a part


def save_text(path: Path, text: str) -> Path:
    """Write a text to a file, whose folder is made if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
    return path


def save_json(path: Path, data: Any) -> Path:
    return save_text(path, json.dumps(data, ensure_ascii=False))


def _write_judgements(settings: Settings, runner: StepRunner, part: ExperimentPart) -> Stamp:
    qrels, policies = settings.judgements, settings.policies
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "topics": digest(part.topics),
        "notes": part.notes,
        "reading": policies,
    }

    def make() -> StepResult:
        import polars as pl

        judged = selected = read_qrels(str(qrels), policies)
        notes = [*part.notes]
        if part.topics:
            selected = read_qrels(judged.to_polars().filter(pl.col("topic_id").is_in([*part.topics])))
            notes += [f"{count} {name} lines in the qrels." for name, count in judged.odd.items() if count]
        part.folder.mkdir(parents=True, exist_ok=True)
        write_qrels(selected, part.folder / QRELS)
        return StepResult([part.folder / QRELS], {"notes": notes})

    return runner.run(f"part {part.name}", depends, make)


def _write_ranks(settings: Settings, runner: StepRunner, part: ExperimentPart, made: Mapping[str, Stamp]) -> Stamp:
    """Write the rank table of a part: of the runs that the experiment made, and of external ones."""
    qrels = part.folder / QRELS if part.topics else settings.judgements
    runs, known = _list_runs(settings, runner, made)
    policies = settings.policies
    depends = {
        "qrels": runner.digests.of_existing(qrels),
        "runs": known,
        "order": [name for name in settings.names if name in known],
        "reading": policies,
    }

    def make() -> StepResult:
        ranked: dict[str, object] = {**runs}
        left_out = []
        for run in settings.runs:
            read = read_run(str(run.path), policies, name=run.name) if part.topics else str(run.path)
            if isinstance(read, str) or {*read.topics} & {*part.topics}:
                ranked[run.name] = read
            else:
                left_out.append(f"Run {printable(run.name)} has no topic of this part.")
        if not ranked:
            raise InputError("no run found anything", source=part.title, remedy="; ".join(part.notes) or None)
        progress = runner.count(f"ranks {part.name}")
        rank_table(str(qrels), ranked, progress=progress, **vars(policies)).save(part.folder / RANKS)
        return StepResult([part.folder / RANKS], {"notes": left_out})

    return runner.run(f"ranks {part.name}", depends, make)


def _list_runs(
    settings: Settings, runner: StepRunner, made: Mapping[str, Stamp]
) -> tuple[dict[str, str], dict[str, str | None]]:
    """The files of the runs that the experiment made, and the checksum of every run."""
    files = {name: next(iter(stamp.outputs.items()), ("", None)) for name, stamp in made.items()}
    known = {name: checksum for name, (_, checksum) in files.items()}
    external = {run.name: runner.digests.of_file(run.path) for run in settings.runs}
    return {name: str(settings.out / file) for name, (file, _) in files.items()}, {**known, **external}


def _make_tables(part: ExperimentPart) -> StepResult:
    from antecede.report.figures import FIGURES

    comparison = part.comparison
    outputs = write_tables(
        part.folder / "tables",
        {
            "scores": part.scores.table(),
            "comparison": comparison.table() if comparison is not None else None,
            "differences": comparison.details() if comparison is not None else None,
            "cost": part.cost_table(),
            "audit": part.audit.table(),
        },
    )
    topics = save_text(part.folder / "tables" / "topics.csv", part.scores.per_topic().render("csv"))
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


def _make_study(part: ExperimentPart, name: str, progress: Callable[[int, int], None] | None) -> StepResult:
    study = part.study(name, progress)
    problems = [part.problems[name]] if name in part.problems else []
    if study is None or isinstance(study, KeptStudy):
        return StepResult((), {"notes": problems})
    return write_study(part.folder, name, study, problems)


def _study_files(
    settings: Settings, runner: StepRunner, part: ExperimentPart, name: str, ranks: Stamp, made: Mapping[str, Stamp]
) -> Stamp:
    """Make a study of the judgements and runs of a part together with files of its own."""
    study, given = studies()[name], settings.study[name]
    runs, known = _list_runs(settings, runner, made)
    files = {key: runner.digests.of_file(given[key]) for key in study.files}
    depends = {"ranks": ranks.digest, "runs": known, "options": part.options["study"][name], "files": files}

    def make() -> StepResult:
        every = {**runs, **{run.name: str(run.path) for run in settings.runs}}
        chosen = {run: every[run] for run in RankTable.load(part.folder / RANKS).runs}
        options = {key: str(value) if key in study.files else value for key, value in given.items()}
        try:
            result = load_function(study.path)(
                str(part.folder / QRELS), runs=chosen, **options, **vars(settings.policies)
            )
        except AntecedeError as error:
            return StepResult((), {"notes": [f"{name}: not made: {error}"]})
        return write_study(part.folder, name, result, [])

    return runner.run(f"study {part.name}/{name}", depends, make)


def write_study(folder: Path, name: str, study: MadeStudy, notes: Sequence[str]) -> StepResult:
    """Write the data, tables and figure of a study."""
    from antecede.report.figures.paper import find_figure

    data = json.dumps(study.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"
    paths = [save_text(folder / "studies" / f"{name}.json", data)]
    if studies()[name].kept:
        kept = KeptStudy(find_figure(study).name, tuple(study.tables()))
        paths.append(save_json(folder / "studies" / f"{name}.tables.json", kept.to_dict()))
    tables = write_tables(folder / "tables", studies()[name].tables(study))
    drawn, problems = write_figures(folder / "figures", {name: study.plot})
    return StepResult([*paths, *tables, *drawn], {"notes": [*notes, *problems]})


def write_tables(folder: Path, tables: Mapping[str, Table | None]) -> list[Path]:
    """Write each table as CSV, Markdown and LaTeX."""
    return [
        save_text(folder / f"{name}.{extension}", table.render(style))
        for name, table in tables.items()
        for extension, style in STYLES.items()
        if table is not None
    ]


def write_figures(folder: Path, figures: Mapping[str, Callable[[Path], object]]) -> tuple[list[Path], list[str]]:
    """Draw each figure. Returns the files, and notes on figures that could not be drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    outputs, notes = [], []
    for name, draw in figures.items():
        path = folder / f"{name}.svg"
        try:
            draw(path)
            outputs.append(path)
        except AntecedeError as error:
            notes.append(f"figure {name}: not drawn: {error}")
    return outputs, notes


# Tables and report of the whole


def _write_summary(settings: Settings, runner: StepRunner, parts: Sequence[ExperimentPart], begun: str) -> None:
    def make_tables() -> StepResult:
        tables = {"summary": summarize_scores(parts), "cost": summarize_costs(parts)}
        return StepResult(write_tables(runner.folder / "tables", tables))

    made = {part.name: runner.done[f"tables {part.name}"].digest for part in parts}
    runner.run("tables", {"parts": made, "titles": [part.title for part in parts]}, make_tables)
    depends = {
        "title": settings.title,
        "options": settings.options(),
        "steps": {name: stamp.digest for name, stamp in runner.done.items()},
        "notes": {part.name: part.notes for part in parts},
        "versions": [version("antecede"), package_versions()],
    }

    def make_report() -> StepResult:
        from antecede.report.html import write_report

        write_report(make_results(parts, make_record(settings, runner, parts, begun, _now())), settings.out / REPORT)
        return StepResult([settings.out / REPORT])

    runner.run("report", depends, make_report)
