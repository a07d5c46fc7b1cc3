"""Experiment files: everything that can be checked is checked here, before any work begins."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, shown, suggest_names
from antecede.evaluation.build import choose_names
from antecede.experiment.settings import TOGETHER, ExperimentFile, ExternalRun, ExternalRunSection, Settings
from antecede.experiment.studies import StudySection, choose_studies
from antecede.experiment.toml_document import Location, read_document, validate
from antecede.files import input_at
from antecede.trec import read_qrels
from antecede.trec.named_collections import is_collection_name
from antecede.trec.qrels import store_named_qrels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antecede.errors import InputError
    from antecede.experiment.settings import Evaluation, SearchRun

MOST_NAMES = 20
"""Run names that a message lists."""
FEWEST_TO_COMPARE, FEWEST_TO_STUDY = 2, 3
"""Runs that a comparison needs, and from how many on the default studies are made."""
SYNTHETIC_LANGUAGES = ("en", "de", "fr")


def read_settings(file: str | Path, out: str | Path | None = None) -> Settings:
    """Read an experiment file. An error is one line with the position in the file."""
    file = Path(file)
    document = read_document(file)
    top = Location(document)
    given = validate(ExperimentFile, store_judgements(document.data, top), top)
    searches, runs = read_runs(given, top)
    names = [*(each.name for each in searches), *(each.name for each in runs)]
    studies = validate(StudySection, given.studies if given.studies is not None else {}, top / "studies")
    together = given.languages == (TOGETHER,)
    settings = Settings(
        file=file,
        text=document.text,
        title=given.title or file.stem,
        out=Path(out) if out is not None else given.out or file.with_suffix(""),
        top=top,
        collection=given.collection,
        index=given.index,
        topics=given.topics,
        qrels=given.qrels,
        languages=None if together else given.languages,
        together=together,
        searches=searches,
        runs=runs,
        evaluation=choose_baseline(given.evaluation, names, top / "evaluation" / "baseline"),
        studies=choose_studies(studies, enough_runs=len(names) >= FEWEST_TO_STUDY),
    )
    for rule in RULES:
        for error in rule(settings, given):
            raise error
    return settings


def store_judgements(data: Mapping[str, Any], top: Location) -> Mapping[str, Any]:
    """The file with the path of its judgements, where they are given by the name of a collection in ir_datasets."""
    if not is_collection_name(data.get("qrels")):
        return data
    try:
        return {**data, "qrels": str(store_named_qrels(data["qrels"]))}
    except AntecedeError as error:
        raise (top / "qrels").error(str(error)) from None


def read_runs(given: ExperimentFile, top: Location) -> tuple[tuple[SearchRun, ...], tuple[ExternalRun, ...]]:
    """The runs to make, and those to read."""
    searches: list[SearchRun] = []
    external: list[tuple[str | None, Path, Location]] = []
    entries = given.runs if isinstance(given.runs, list) else [given.runs] if given.runs is not None else []
    for at, entry in enumerate(entries):
        location = (top / "runs" / at).existing
        if isinstance(entry, dict) and "path" not in entry:
            from antecede.experiment.search_section import read_run

            searches.append(read_run(entry, location))
        else:
            external += find_runs(entry, location)
    source = given.collection is not None or "index" in given.model_fields_set
    if given.search is not None or (not searches and source):
        from antecede.experiment.search_section import combine

        searches = [*combine(given.search if given.search is not None else {}, top / "search"), *searches]
    defaults = iter(choose_names([str(path) for name, path, _ in external if name is None]))
    named = [(ExternalRun(name or next(defaults), path), location) for name, path, location in external]
    names = [*(each.name for each in searches), *(run.name for run, _ in named)]
    for name in names:
        if names.count(name) > 1:
            location = next((location for run, location in named if run.name == name), top / "runs")
            raise location.error(f"two runs are named {shown(name)}", "give one of them another name")
    return tuple(searches), tuple(run for run, _ in named)


def find_runs(entry: Any, location: Location) -> list[tuple[str | None, Path, Location]]:
    """The files that an entry of `runs` names, with the run name if it gives one."""
    if isinstance(entry, str) and re.search(r"[*?\[]", entry):
        folder = location.document.folder
        try:
            absolute = Path(entry).is_absolute()
            found = sorted(Path("/").glob(entry[1:]) if absolute else folder.glob(entry))
        except (OSError, ValueError, NotImplementedError) as error:
            raise location.error(f"{shown(entry)!r} is not a pattern of file names ({error})") from None
        if not found:
            raise location.error(f"no file matches {shown(entry)!r}", f"paths are relative to {shown(str(folder))}")
        return [(None, each, location) for each in found if each.is_file()]
    section = validate(ExternalRunSection, entry if isinstance(entry, dict) else {"path": entry}, location)
    return [(section.name, section.path, location)]


def choose_baseline(given: Evaluation, runs: list[str], location: Location) -> Evaluation:
    """The evaluation with its baseline: by default the full text, or else the first run."""
    baseline = given.baseline or ("full" if "full" in runs else runs[0] if runs else None)
    if runs and baseline not in runs:
        names = ", ".join(map(shown, runs)) if len(runs) <= MOST_NAMES else f"{len(runs)} others"
        what = f"there is no run {shown(str(baseline))!r}{suggest_names(str(baseline), runs)}"
        raise location.error(what, f"the runs are {names}")
    return given.model_copy(update={"baseline": baseline})


def check_source(settings: Settings, given: ExperimentFile) -> Iterator[InputError]:
    """An experiment that searches has exactly one source."""
    at = settings.top / "index"
    if settings.collection is not None and settings.index.path is not None:
        yield at.error("an index and a collection are given", "leave one of them out")
    if "index" in given.model_fields_set and settings.collection is None and settings.index.path is None:
        yield at.error("says how to build an index, but there is no collection", "give a collection, or a path")


def check_runs(settings: Settings, given: ExperimentFile) -> Iterator[InputError]:
    """There is something to evaluate, and to search if there are searches."""
    source = settings.collection is not None or settings.index.path is not None
    if settings.searches and not source:
        key = "search" if given.search is not None else "runs"
        yield (settings.top / key).error("there is nothing to search", "give a collection or an index")
    if not settings.names:
        yield settings.top.error("there is nothing to evaluate", "give a collection or an index, or runs")
    for key in ("topics", "languages"):
        if key in given.model_fields_set and not source:
            yield (settings.top / key).error("has no effect where only runs are evaluated", "leave it out")


def check_judgements(settings: Settings, given: ExperimentFile) -> Iterator[InputError]:
    """There is exactly one source of judgements."""
    cited = settings.topics.citations is not None
    if settings.qrels is not None and cited:
        what = "topics from citations have their own judgements"
        yield (settings.top / "qrels").error(what, "leave out either qrels or the topics")
    if settings.qrels is None and settings.synthetic is not None and settings.topics.paths:
        yield (settings.top / "topics").error("your own topics need their own judgements", "give qrels = PATH")
    if settings.qrels is None and not cited and settings.synthetic is None:
        remedy = "give qrels = PATH, or make topics from citations: topics = { after = DATE }"
        yield settings.top.error("there are no judgements", remedy)
    if cited and settings.collection is None and "topics" in given.model_fields_set:
        yield (settings.top / "topics").error("topics from citations need a collection", "give one")


def check_collection_languages(settings: Settings, _given: ExperimentFile) -> Iterator[InputError]:
    """The collection has text in every language, as far as this is known before it is read."""
    known: tuple[str, ...] | None = SYNTHETIC_LANGUAGES if settings.synthetic is not None else None
    if settings.index.path is not None:
        from antecede.engine import open_index

        known = open_index(settings.index.path).languages
    for at, language in enumerate(settings.languages or ()):
        if known is not None and language not in known:
            what = f"the collection has no text in {language!r}"
            yield (settings.top / "languages" / at).existing.error(what, f"it has {', '.join(known)}")


def check_folders(settings: Settings, _given: ExperimentFile) -> Iterator[InputError]:
    """Inputs and results are apart. The experiment file itself may be in the folder: its copy can be run again."""
    out, remedy = settings.out, "choose another folder with --out"
    for folder in settings.inputs["collection"]:
        if folder.is_dir() and out.resolve().is_relative_to(folder.resolve()):
            what = f"the results would be written to {shown(str(out))}, inside {shown(str(folder))}, which is read"
            yield (settings.top / "collection").error(what, remedy)
    for key, paths in settings.inputs.items():
        for path in paths if out.is_dir() else ():
            if input_at(path, [out]) is not None:
                what = f"{shown(str(path))} is in {shown(str(out))}, where the results are written"
                yield (settings.top / key).error(what, remedy)


def check_qrels(settings: Settings, _given: ExperimentFile) -> Iterator[InputError]:
    """The qrels can be read."""
    if settings.qrels is not None:
        try:
            read_qrels(str(settings.qrels), settings.evaluation.policies)
        except AntecedeError as error:
            yield (settings.top / "qrels").error(str(error))


def check_studies(settings: Settings, given: ExperimentFile) -> Iterator[InputError]:
    """The studies in the file can be made."""
    at = settings.top / "studies"
    if "terms" in settings.studies and not settings.searches:
        yield (at / "terms").error("varies the number of query terms, but nothing is searched", "leave it out")
    for name in sorted({*(given.studies or ())} & {*settings.studies} - {"terms"}):
        if len(settings.names) < FEWEST_TO_COMPARE:
            yield (at / name).error("compares runs, but there is only one", "give another run, or leave it out")
    robustness = settings.studies.get("robustness", {})
    if robustness.get("lose") == "group" and "groups" not in robustness:
        yield (at / "robustness").error("lose = 'group' needs the group of each run", "give groups = PATH")


RULES = (
    check_source,
    check_runs,
    check_judgements,
    check_collection_languages,
    check_folders,
    check_qrels,
    check_studies,
)
"""What is valid by itself, but not together."""
