"""Experiment files: everything that can be checked is checked here, before any work begins."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, shown, suggest_names
from antecede.evaluation.rank_table import choose_names
from antecede.experiment.document import read_document
from antecede.experiment.settings import (
    STUDIES,
    TOGETHER,
    ExperimentFile,
    ExternalRun,
    ExternalRunSection,
    Settings,
    StudySection,
)
from antecede.files import input_at
from antecede.trec import read_qrels
from antecede.trec.qrels import store_named_qrels
from antecede.trec.reader import is_collection_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.experiment.document import Document, Key, Section
    from antecede.experiment.settings import Evaluation, SearchRun

    Conflicts = Iterator[tuple[Key, str, str | None]]
    """Keys whose values are valid, but not together; what is wrong, and the remedy."""

SYNTHETIC_LANGUAGES = ("en", "de", "fr")
MOST_NAMES = 20
"""Run names that a message lists."""
FEWEST_TO_COMPARE, FEWEST_TO_STUDY = 2, 3
"""Runs that a comparison needs, and from how many on the default studies are made."""


def read_settings(file: str | Path, out: str | Path | None = None) -> Settings:
    """Read an experiment file. An error is one line with the position in the file."""
    file = Path(file)
    document = read_document(file)
    data = dict(document.data)
    if is_collection_name(data.get("qrels")):  # a collection in ir_datasets: its judgements are stored in a file
        try:
            data["qrels"] = str(store_named_qrels(data["qrels"]))
        except AntecedeError as error:
            raise document.error(("qrels",), str(error)) from None
    given = document.validate(ExperimentFile, data)
    searches, runs = _read_runs(given, document)
    names = [*(run.name for run in searches), *(run.name for run in runs)]
    studies = document.validate(StudySection, given.studies if given.studies is not None else {}, ("studies",))
    together = given.languages == (TOGETHER,)
    settings = Settings(
        file=file,
        document=document,
        title=given.title or file.stem,
        out=Path(out) if out is not None else given.out or file.with_suffix(""),
        collection=given.collection,
        index=given.index,
        topics=given.topics,
        qrels=given.qrels,
        languages=None if together else given.languages,
        together=together,
        searches=searches,
        runs=runs,
        evaluation=_choose_baseline(given.evaluation, names, document),
        studies=_choose_studies(studies, enough_runs=len(names) >= FEWEST_TO_STUDY),
    )
    for conflicts in RULES:
        for key, what, remedy in conflicts(settings, given):
            raise document.error(key, what, remedy)
    return settings


def _read_runs(given: ExperimentFile, document: Document) -> tuple[tuple[SearchRun, ...], tuple[ExternalRun, ...]]:
    searches: list[SearchRun] = []
    external: list[tuple[str | None, Path, Key]] = []
    entries = given.runs if isinstance(given.runs, list) else [given.runs] if given.runs is not None else []
    for at, entry in enumerate(entries):
        key: Key = ("runs", at)
        if isinstance(entry, dict) and "path" not in entry:
            from antecede.experiment.searches import describe_run

            searches.append(describe_run(entry, document, key))
        else:
            external += [(name, path, key) for name, path in _find_runs(entry, document, key)]
    source = given.collection is not None or "index" in given.model_fields_set
    if given.search is not None or (not searches and source):
        from antecede.experiment.searches import combine_runs

        searches = [*combine_runs(given.search if given.search is not None else {}, document), *searches]
    defaults = iter(choose_names([str(path) for name, path, _ in external if name is None]))
    runs = [ExternalRun(name or next(defaults), path) for name, path, _ in external]
    names = [*(run.name for run in searches), *(run.name for run in runs)]
    for name in names:
        if names.count(name) > 1:
            keys = (key for run, (_, _, key) in zip(runs, external, strict=True) if run.name == name)
            what = f"two runs are named {shown(name)}"
            raise document.error(next(keys, ("runs",)), what, "give one of them another name")
    return tuple(searches), tuple(runs)


def _find_runs(entry: Any, document: Document, key: Key) -> list[tuple[str | None, Path]]:
    """The files that an entry of `runs` names, with the run name if it gives one."""
    if isinstance(entry, str) and re.search(r"[*?\[]", entry):
        try:
            absolute = Path(entry).is_absolute()
            paths = sorted(Path("/").glob(entry[1:]) if absolute else document.folder.glob(entry))
        except (OSError, ValueError, NotImplementedError) as error:
            raise document.error(key, f"{shown(entry)!r} is not a pattern of file names ({error})") from None
        if not paths:
            remedy = f"paths are relative to {shown(str(document.folder))}"
            raise document.error(key, f"no file matches {shown(entry)!r}", remedy)
        return [(None, path) for path in paths if path.is_file()]
    section = document.validate(ExternalRunSection, entry if isinstance(entry, dict) else {"path": entry}, key)
    return [(section.name, section.path)]


def _choose_baseline(given: Evaluation, runs: list[str], document: Document) -> Evaluation:
    """The evaluation with its baseline: by default the full text, or else the first run."""
    baseline = given.baseline or ("full" if "full" in runs else runs[0] if runs else None)
    if runs and baseline not in runs:
        names = ", ".join(map(shown, runs)) if len(runs) <= MOST_NAMES else f"{len(runs)} others"
        what = f"there is no run {shown(str(baseline))!r}{suggest_names(str(baseline), runs)}"
        raise document.error(("evaluation", "baseline"), what, f"the runs are {names}")
    return given.model_copy(update={"baseline": baseline})


def _choose_studies(given: Section, *, enough_runs: bool) -> dict[str, dict[str, Any]]:
    """The studies to make, with their options: the default ones if there are enough runs, and those in the file."""
    defaults = {name: study.options() for name, study in STUDIES.items() if study.default and enough_runs}
    chosen = {**defaults, **{name: options for name, options in given if name in given.model_fields_set}}
    return {
        name: {option: value for option, value in options if value is not None}
        for name, options in chosen.items()
        if options is not None
    }


def _check_source(settings: Settings, given: ExperimentFile) -> Conflicts:
    """An experiment that searches has exactly one source."""
    if settings.collection is not None and settings.index.path is not None:
        yield ("index",), "an index and a collection are given", "leave one of them out"
    if "index" in given.model_fields_set and settings.collection is None and settings.index.path is None:
        what = "says how to build an index, but there is no collection"
        yield ("index",), what, "give a collection, or a path"


def _check_runs(settings: Settings, given: ExperimentFile) -> Conflicts:
    """There is something to evaluate, and to search if there are searches."""
    source = settings.collection is not None or settings.index.path is not None
    if settings.searches and not source:
        key = "search" if given.search is not None else "runs"
        yield (key,), "there is nothing to search", "give a collection or an index"
    if not settings.names:
        yield (), "there is nothing to evaluate", "give a collection or an index, or runs"
    for key in ("topics", "languages"):
        if key in given.model_fields_set and not source:
            yield (key,), "has no effect where only runs are evaluated", "leave it out"


def _check_judgements(settings: Settings, given: ExperimentFile) -> Conflicts:
    """There is exactly one source of judgements."""
    cited = settings.topics.citations is not None
    if settings.qrels is not None and cited:
        what = "topics from citations have their own judgements"
        yield ("qrels",), what, "leave out either qrels or the topics"
    if settings.qrels is None and settings.synthetic is not None and settings.topics.paths:
        yield ("topics",), "your own topics need their own judgements", "give qrels = PATH"
    if settings.qrels is None and not cited and settings.synthetic is None:
        remedy = "give qrels = PATH, or make topics from citations: topics = { after = DATE }"
        yield (), "there are no judgements", remedy
    if cited and settings.collection is None and "topics" in given.model_fields_set:
        yield ("topics",), "topics from citations need a collection", "give one"


def _check_collection_languages(settings: Settings, _given: ExperimentFile) -> Conflicts:
    """The collection has text in every language, as far as this is known before it is read."""
    known: tuple[str, ...] | None = SYNTHETIC_LANGUAGES if settings.synthetic is not None else None
    if settings.index.path is not None:
        from antecede.engine import open_index

        known = open_index(settings.index.path).languages
    for at, language in enumerate(settings.languages or ()):
        if known is not None and language not in known:
            yield ("languages", at), f"the collection has no text in {language!r}", f"it has {', '.join(known)}"


def _check_folders(settings: Settings, _given: ExperimentFile) -> Conflicts:
    """Inputs and results are apart. The experiment file itself may be in the folder: its copy can be run again."""
    out, remedy = settings.out, "choose another folder with --out"
    for folder in settings.inputs["collection"]:
        if folder.is_dir() and out.resolve().is_relative_to(folder.resolve()):
            what = f"the results would be written to {shown(str(out))}, inside {shown(str(folder))}, which is read"
            yield ("collection",), what, remedy
    for key, paths in settings.inputs.items():
        for path in paths if out.is_dir() else ():
            if input_at(path, [out]) is not None:
                yield (key,), f"{shown(str(path))} is in {shown(str(out))}, where the results are written", remedy


def _check_qrels(settings: Settings, _given: ExperimentFile) -> Conflicts:
    """The qrels can be read."""
    if settings.qrels is not None:
        try:
            read_qrels(str(settings.qrels), settings.evaluation.policies)
        except AntecedeError as error:
            yield ("qrels",), str(error), None


def _check_studies(settings: Settings, given: ExperimentFile) -> Conflicts:
    """The studies in the file can be made."""
    if "terms" in settings.studies and not settings.searches:
        what = "varies the number of query terms, but nothing is searched"
        yield ("studies", "terms"), what, "leave it out"
    for name in sorted({*(given.studies or ())} & {*settings.studies} - {"terms"}):
        if len(settings.names) < FEWEST_TO_COMPARE:
            what = "compares runs, but there is only one"
            yield ("studies", name), what, "give another run, or leave it out"
    robustness = settings.studies.get("robustness", {})
    if robustness.get("remove") == "group" and "groups" not in robustness:
        what = "remove = 'group' needs the group of each run"
        yield ("studies", "robustness"), what, "give groups = PATH"


RULES = (
    _check_source,
    _check_runs,
    _check_judgements,
    _check_collection_languages,
    _check_folders,
    _check_qrels,
    _check_studies,
)
