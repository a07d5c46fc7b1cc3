"""The steps that read and search patents: collection, index, topics, runs, titles, words, the sweep over terms.

Only an experiment that searches imports this module.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus import Collection, make_topics
from antecede.corpus.files import label
from antecede.errors import AntecedeError, InputError, UsageError, shown
from antecede.experiment.digests import PREFIX, digest, files_in
from antecede.experiment.folder import (
    QRELS,
    TITLES,
    WORDS,
    find_index_state,
    make_folder,
    open_existing_index,
    write_json,
)
from antecede.experiment.parts import write_study
from antecede.experiment.step_runner import PendingStep, StepResult
from antecede.files import write_whole
from antecede.index import build_index
from antecede.index.files import SEGMENTS
from antecede.index.index import not_one_document
from antecede.index.maintain import settings_for
from antecede.index.manifest import NAME as MANIFEST
from antecede.index.resources import parse_size
from antecede.index.work_folder import Work, plan_of
from antecede.patent import Patent
from antecede.query.methods import parse_method
from antecede.query.query import frequent_forms
from antecede.query.topic import languages_of, patent_text
from antecede.search.batch import TermSweep, run_topics
from antecede.search.results import title_of
from antecede.search.topics import is_list, names_in
from antecede.study.term_counts import term_counts
from antecede.synthetic import synthesize
from antecede.synthetic.collection import DEFAULT_LENGTH
from antecede.trec import read_qrels, read_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Executor

    from antecede.corpus.document import Rejected
    from antecede.experiment.parts import PartPlan
    from antecede.experiment.settings import SearchRun, Settings, Synthetic
    from antecede.experiment.step_runner import Stamp, StepRunner
    from antecede.index import Index, Progress
    from antecede.search.batch import Batch

    Report = Callable[[str, int, int], None]

TOPICS, TOPIC_FACTS = "topics.jsonl", "topics.json"
UNFINISHED = re.compile(r"\.collection-[0-9a-f]{8}\.partial")
"""The name of a synthetic collection until it is complete."""
LARGE = 200_000
"""Lines above which a run is compressed."""
MOST_NAMES = 3
"""Topics that a note names."""


@dataclass(frozen=True)
class SearchData:
    """What the searches of an experiment share: the index, the topics and their judgements."""

    index_folder: Path
    index_digest: str | None
    """None if the index has not been built."""
    topic_folder: Path
    qrels: Path

    @cached_property
    def index(self) -> Index:
        return open_existing_index(self.index_folder)

    @cached_property
    def topic_facts(self) -> dict[str, Any]:
        """Language, title and checksum of each topic, and why others could not be read."""
        found: dict[str, Any] = json.loads((self.topic_folder / TOPIC_FACTS).read_bytes())
        return found

    @cached_property
    def topics(self) -> dict[str, Patent]:
        with (self.topic_folder / TOPICS).open(encoding="utf-8") as lines:
            return {each.doc_id: each for each in (Patent.from_dict(json.loads(line)) for line in lines)}


def prepare_search(settings: Settings, runner: StepRunner, report: Report) -> SearchData:
    """Make the collection, the index and the topics; what can fail early is made before what takes long."""
    collection = generate_collection(settings, runner, report)
    if needs_index(settings):
        index_digest = make_index(settings, runner, report, collection)
        topics = write_topics(settings, runner, report, collection, index_digest)
    else:
        topics = write_topics(settings, runner, report, collection, None)
        index_digest = make_index(settings, runner, report, collection)
    if topics is None:
        raise PendingStep
    return SearchData(index_folder(settings), index_digest, settings.out / "topics", judgements(settings))


def needs_index(settings: Settings) -> bool:
    """Whether topics are named, and have to be looked up in the index."""
    given = settings.topics
    named = not given.paths and given.citations is None and settings.synthetic is None
    return named or any(is_list(path) for path in given.paths)


def judgements(settings: Settings) -> Path:
    """The qrels: those of the file, from citations, or of the synthetic collection."""
    if settings.qrels is not None:
        return settings.qrels
    return settings.out / ("topics" if settings.topics.citations is not None else "collection") / QRELS


def index_folder(settings: Settings) -> Path:
    return settings.index.path or settings.out / "index"


def field_names(settings: Settings) -> Mapping[str, str]:
    """The field names of a JSON collection."""
    return settings.collection.names if settings.collection is not None else {}


def open_collection(settings: Settings, **options: Any) -> Collection:
    """The patents of the experiment."""
    return Collection(*map(str, collection_paths(settings)), names=dict(field_names(settings)), **options)


def collection_paths(settings: Settings) -> tuple[Path, ...]:
    if settings.collection is None:
        return ()
    return settings.collection.paths or (settings.out / "collection" / "collection",)


def count_progress(report: Report, what: str) -> Callable[[int, int], None]:
    return lambda done, total: report(what, done, total)


def generate_collection(settings: Settings, runner: StepRunner, report: Report) -> str | None:
    """The checksum of the collection, after a synthetic one is generated; None if it has not been."""
    synthetic = settings.synthetic
    if synthetic is None:
        return runner.digests.of_paths(collection_paths(settings))
    progress = count_progress(report, "writing patents")
    stamp = runner.run(
        "collection",
        {"synthetic": synthetic},
        lambda _: write_collection(synthetic, runner, progress),
    )
    return stamp.digest if stamp is not None else None


def write_collection(synthetic: Synthetic, runner: StepRunner, progress: Callable[[int, int], None]) -> StepResult:
    """Write a synthetic collection, replacing one that this experiment wrote before."""
    folder = runner.folder / "collection"
    remove_collection(folder, runner)
    for left in folder.parent.iterdir():
        if UNFINISHED.fullmatch(left.name) and left.is_dir() and not left.is_symlink():  # of a killed process
            shutil.rmtree(left)
    done = synthesize(
        *(folder, synthetic.patents, synthetic.seed),
        topics=synthetic.topics,
        form="jsonl",
        length=synthetic.length or DEFAULT_LENGTH,
        progress=progress,
    )
    facts = {name: each for name, each in done.to_dict().items() if name not in ("folder", "seconds")}
    return StepResult([file for _, file in files_in(folder)], facts)


def remove_collection(folder: Path, runner: StepRunner) -> None:
    """Remove a collection that this experiment wrote; one with any other contents is refused."""
    if not folder.exists():
        return
    stamp = runner.read_stamp("collection")
    known = dict(stamp.outputs) if stamp is not None else {}
    contents = sorted(folder.rglob("*"), reverse=True) if folder.is_dir() and not folder.is_symlink() else [folder]
    for each in contents:
        name = each.relative_to(folder.parent).as_posix()
        own = each.is_file() and not each.is_symlink() and runner.digests.of_file(each) == known.get(name)
        if not own and not (each.is_dir() and not each.is_symlink() and any(each.iterdir())):
            raise UsageError(f"{folder}: {shown(name)} was not made by this experiment; move it, then run again")
    for each in contents:
        each.rmdir() if each.is_dir() else each.unlink()
    folder.rmdir()


def make_index(settings: Settings, runner: StepRunner, report: Report, collection: str | None) -> str | None:
    """The checksum of the index, after it is built if necessary; None if it has not been."""
    given = settings.index
    if given.path is not None:
        return find_index_state(given.path, runner.digests)
    depends = {
        "collection": collection,
        "names": field_names(settings),
        "profile": given.profile,
        "fields": given.fields,
    }
    stamp = runner.run(
        "index",
        depends,
        lambda interrupted: write_index(settings, report, interrupted=interrupted),
        is_intact=lambda: is_readable(index_folder(settings)),
    )
    return stamp.digest if stamp is not None else None


def is_readable(folder: Path) -> bool:
    """Whether an index can be opened and has contents."""
    try:
        return bool(open_existing_index(folder).segments)
    except AntecedeError:
        return False


def write_index(settings: Settings, report: Report, *, interrupted: bool) -> StepResult:
    """Build the index, resuming an interrupted build of the same index."""
    given, folder = settings.index, index_folder(settings)
    collection = open_collection(settings)
    plan = plan_of(collection, settings_for(given.profile, given.fields, collection), "index")
    resume = interrupted and Work(folder, plan).left_over() == plan

    def show(progress: Progress) -> None:
        report(f"index: {progress.step}", progress.done, progress.total)

    built = build_index(
        collection,
        folder,
        profile=given.profile,
        fields=given.fields,
        memory=parse_size(given.memory),
        workers=given.workers,
        resume=resume,
        overwrite=True,
        progress=show,
    )
    if not built.indexed:
        raise InputError("holds no patent that can be read", source=", ".join(map(str, collection_paths(settings))))
    facts = {name: each for name, each in built.to_dict().items() if name != "seconds"}
    files = [folder / MANIFEST, *(file for _, file in files_in(folder / SEGMENTS))]
    return StepResult(files, facts, "resumes an unfinished build" if resume else "")


def write_topics(
    settings: Settings, runner: StepRunner, report: Report, collection: str | None, index_digest: str | None
) -> Stamp | None:
    """Write the topics as patents to a file, with the facts that later steps need."""
    given = settings.topics
    options = {name: each for name, each in given if name != "paths"}
    depends: dict[str, Any] = {"from": options}
    if given.citations is not None or (settings.synthetic is not None and not given.paths):
        depends |= {"collection": collection, "names": field_names(settings)}
    elif given.paths:
        depends |= {"topics": runner.digests.of_paths(given.paths)}
    else:
        depends |= {"qrels": runner.digests.of_file(judgements(settings))}
    if needs_index(settings):
        depends |= {"index": index_digest}

    def make(_: bool) -> StepResult:
        folder = make_folder(settings.out / "topics")
        outputs, unread, facts = [folder / TOPICS, folder / TOPIC_FACTS], dict[str, str](), dict[str, Any]()
        if given.citations is not None:
            patents, facts = topics_from_citations(settings, report, folder / QRELS)
            outputs.append(folder / QRELS)
        else:
            patents = read_topics(settings, report, unread)
        return StepResult(outputs, {**save_topics(settings, patents, unread), **facts})

    return runner.run("topics", depends, make)


def topics_from_citations(settings: Settings, report: Report, qrels: Path) -> tuple[Iterable[Patent], dict[str, Any]]:
    """Topics from the citations of the collection; writes their qrels."""
    given = settings.topics
    found = make_topics(
        open_collection(settings, progress=count_progress(report, "reading citations")),
        after=given.after,
        grading=given.grades,
        citations=given.citations or "fields",
        fewest=given.fewest,
        most=given.most,
    )
    write_whole(qrels, found.qrels().encode())
    return (found.records[topic] for topic in found.relevant), {"citations": found.to_dict()}


def read_topics(settings: Settings, report: Report, unread: dict[str, str]) -> Iterator[Patent]:
    """The topics in files, and those that lists or qrels name, from the index. Collects why others are not read."""
    paths = settings.topics.paths
    if not paths and settings.synthetic is not None:
        paths = (settings.out / "collection" / "topics",)
    lists = [path for path in paths if is_list(path)]
    if not paths or lists:
        listed = dict.fromkeys(name for path in lists for name in names_in(path))
        yield from find_topics(
            open_existing_index(index_folder(settings)), listed if lists else judged_topics(settings), unread
        )
    files = [str(path) for path in paths if path not in lists]
    if files:

        def reject(each: Rejected) -> None:
            unread[each.doc_id or f"{label(Path(each.file))}#{each.number}"] = each.reason

        names = settings.topics.names or field_names(settings)
        progress = count_progress(report, "reading topics")
        yield from Collection(*files, names=dict(names), on_reject=reject, progress=progress).patents()


def judged_topics(settings: Settings) -> tuple[str, ...]:
    """The topics of the qrels."""
    return read_qrels(str(judgements(settings)), settings.evaluation.policies).topics


def find_topics(index: Index, names: Iterable[str], unread: dict[str, str]) -> Iterator[Patent]:
    """Patents of the index, by name."""
    for name in names:
        found = index.find_all(name)
        if len(found) != 1:
            unread[name] = not_one_document(found)
        else:
            yield found[0][0].store.record(found[0][1])


def save_topics(settings: Settings, patents: Iterable[Patent], unread: dict[str, str]) -> dict[str, Any]:
    """Write the topics and their facts."""
    folder = settings.out / "topics"
    lines: list[str] = []
    known: dict[str, dict[str, str]] = {}
    for patent in patents:
        if patent.doc_id in known:
            what = f"two topics are named {shown(patent.doc_id)}"
            raise InputError(what, source="topics", remedy="leave one of them out")
        lines.append(json.dumps(patent.to_dict(), ensure_ascii=False) + "\n")
        known[patent.doc_id] = {
            "language": patent.language,
            "title": title_of(patent, patent.language),
            "digest": digest(lines[-1]).removeprefix(PREFIX)[:32],
        }
    if not known:
        why = next(iter(unread.values()), "they hold no patent")
        raise (settings.top / "topics").existing.error(f"no topic could be read: {why}")
    write_whole(folder / TOPICS, "".join(lines).encode())
    write_json(folder / TOPIC_FACTS, {"topics": known, "unread": unread})
    languages = Counter(each["language"] for each in known.values())
    return {"topics": len(known), "unread": len(unread), "languages": dict(languages.most_common())}


def begin_search(
    data: SearchData,
    runner: StepRunner,
    part: PartPlan,
    run: SearchRun,
    threads: int | None,
    report: Report,
    pool: Executor | None,
) -> Callable[[], Stamp | None]:
    """Search for the topics of a part, and write the run and its queries. A cluster needs no pool."""
    depends = {**run.settings_for(part.language).to_dict(), "index": data.index_digest, "topics": part.digest}
    if pool is None or data.index.on_cluster:
        pool, progress = None, count_progress(report, f"searching, {part.name}, {run.name}")
        make = partial(make_run, data, part, run, threads, progress)
    else:  # `replace` leaves the open index behind
        make = partial(run_in_worker, replace(data), part, run, threads or 1)
    return runner.begin(f"run {part.name}/{run.name}", depends, make, pool=pool)


def begin_searches(
    data: SearchData,
    runner: StepRunner,
    part: PartPlan,
    settings: Settings,
    threads: int | None,
    report: Report,
    pool: Executor | None,
) -> dict[str, Callable[[], Stamp | None]]:
    """Begin all runs of a part."""
    return {run.name: begin_search(data, runner, part, run, threads, report, pool) for run in settings.searches}


def run_in_worker(data: SearchData, part: PartPlan, run: SearchRun, threads: int, interrupted: bool) -> StepResult:
    """Make a run in a worker process, which opens the index and reads the topics once."""
    return make_run(keep_open(data), part, run, threads, None, interrupted)


@cache
def keep_open(data: SearchData) -> SearchData:
    """The first of equal data: what it has opened is used again."""
    return data


def make_run(
    data: SearchData,
    part: PartPlan,
    run: SearchRun,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
    interrupted: bool,
) -> StepResult:
    folder = make_folder(part.folder / "runs")
    batch = run_topics(
        data.index,
        [data.topics[name] for name in part.topics],
        settings=run.settings_for(part.language),
        threads=threads,
        keep=folder / f"{run.name}.run.partial",
        resume=interrupted,  # the marker of the step guarantees the same settings, index, topics and code
        progress=progress,
    )
    outputs = [write_queries(batch, make_folder(part.folder / "queries") / f"{run.name}.jsonl")]
    lines = sum(len(each.doc_ids) for each in batch.answers)
    if lines:
        file = folder / f"{run.name}.run{'.gz' if lines > LARGE else ''}"
        write_run(read_run(batch.rankings, name=run.name), file)
        outputs.insert(0, file)
    resumed = f"resumes after {batch.resumed} of {len(batch.answers)} topics" if batch.resumed else ""
    return StepResult(outputs, describe_batch(batch), resumed)


def write_queries(batch: Batch, path: Path) -> Path:
    """Write the queries of a run, one line per topic."""
    lines = ({"topic": each.topic_id, "queries": each.queries} for each in batch.answers if each.queries)
    write_whole(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())
    return path


def describe_batch(batch: Batch) -> dict[str, Any]:
    """The facts about a run that tables and the report show."""
    data = batch.to_dict()
    failed = [
        f"{len(topics)} found nothing: {shown(why)} ({', '.join(map(shown, topics[:MOST_NAMES]))}"
        f"{', …' if len(topics) > MOST_NAMES else ''})"
        for why, topics in data["failed"].items()
    ]
    notes = [f"{count} topics: {note}" for note, count in data["notes"].items()]
    times = data["milliseconds"]
    return {
        "method": "+".join(batch.settings.method),
        "model": batch.settings.model,
        "settings": {name: each for name, each in data["settings"].items() if name not in ("method", "model")},
        "terms": data["terms"],
        "milliseconds": times["making"] + times["searching"],
        "making": times["making"],
        "topics": data["topics"],
        "answered": data["answered"],
        "unmatched": data["unmatched"] / max(data["answered"], 1),
        "notes": [*failed, *notes],
    }


def sweep_terms(
    data: SearchData, runner: StepRunner, part: PartPlan, settings: Settings, threads: int | None, report: Report
) -> Stamp | None:
    """Make the study of the number of query terms."""
    options = settings.studies["terms"]
    methods = options.get("methods") or selecting_methods(settings.searches)
    search = replace(settings.searches[0].settings_for(part.language), method=tuple(methods), terms=None)
    qrels = part.folder / QRELS
    depends = {
        "options": {**options, "methods": methods},
        **search.to_dict(),
        "index": data.index_digest,
        "topics": part.digest,
        "qrels": runner.digests.of_existing(qrels),
    }

    def make(_: bool) -> StepResult:
        topics = [data.topics[name] for name in part.topics]
        sweep = TermSweep(data.index, topics, search, max(options["at"]), threads=threads or os.cpu_count() or 1)
        try:
            found = term_counts(
                *(str(qrels), sweep.rankings, methods),
                at=options["at"],
                measures=options["measures"],
                progress=count_progress(report, f"sweeping terms, {part.name}"),
            )
        except AntecedeError as error:  # no topic has a result, for example: the experiment continues without
            return StepResult((), {"notes": [f"terms: not made: {error}"]})
        outputs, problems = write_study(part.folder, "terms", found)
        failed = [f"terms: topic {shown(name)} is left out: {shown(why)}" for name, why in sweep.failed.items()]
        return StepResult(outputs, {"notes": [*failed, *problems.values()]})

    return runner.run(f"study {part.name}/terms", depends, make)


def selecting_methods(searches: tuple[SearchRun, ...]) -> list[str]:
    """The methods of the experiment that select terms; all methods if none does."""
    names = dict.fromkeys(method for search in searches for method in search.settings.method)
    return [name for name in names if parse_method(name).definition.cut] or [*names]


def write_titles(data: SearchData, runner: StepRunner, part: PartPlan) -> Stamp | None:
    """Write the titles of the topics and judged documents of a part."""
    qrels = part.folder / QRELS
    depends = {"index": data.index_digest, "topics": part.digest, "qrels": runner.digests.of_existing(qrels)}

    def make(_: bool) -> StepResult:
        titles = {name: data.topic_facts["topics"][name]["title"] for name in part.topics}
        for name in dict.fromkeys(read_qrels(str(qrels)).doc_ids.to_list()):
            found = data.index.find_all(name)
            if len(found) == 1 and name not in titles:
                title = found[0][0].store.record(found[0][1]).title
                titles[name] = title.get(part.language or "") or next(iter(title.values()), "")
        return StepResult([write_json(part.folder / TITLES, {name: each for name, each in titles.items() if each})])

    return runner.run(f"titles {part.name}", depends, make)


def write_words(data: SearchData, runner: StepRunner, part: PartPlan, runs: Mapping[str, Stamp | None]) -> Stamp | None:
    """Write the word for each term of the queries of a part: topic → term → its most frequent form."""
    made = [stamp for stamp in runs.values() if stamp is not None]
    files = {name: found for stamp in made for name, found in stamp.outputs.items() if name.endswith(".jsonl")}
    depends = {
        "index": data.index_digest,
        "topics": part.digest,
        "queries": files,
    }

    def make(_: bool) -> StepResult:
        terms: dict[str, set[str]] = {name: set() for name in part.topics}
        for name in files:
            with (runner.folder / name).open(encoding="utf-8") as lines:
                for queried in map(json.loads, lines):
                    terms[queried["topic"]].update(*queried["queries"].values())
        words = {name: words_for(data.index, data.topics[name], found) for name, found in terms.items() if found}
        return StepResult([write_json(part.folder / WORDS, words)])

    return runner.run(f"words {part.name}", depends, make)


def words_for(index: Index, patent: Patent, terms: set[str]) -> dict[str, str]:
    """The most frequent form of each term in the text of a topic, where the term is not a word itself."""
    words: dict[str, str] = {}
    for language in languages_of(patent):
        analyzer, text = index.analyzer(language), patent_text(patent, language)
        words = {**frequent_forms(analyzer, text, terms), **words}
    return {term: word for term, word in sorted(words.items()) if term != word}
