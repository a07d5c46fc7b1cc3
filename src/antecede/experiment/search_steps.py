"""The steps that read and search patents: collection, index, topics, runs, titles, words, the studies that search.

Only an experiment that searches imports this module.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.address import is_address
from antecede.corpus import Collection, make_topics
from antecede.corpus.files import label
from antecede.engine import Capability, explain_no_document, open_index, read_record
from antecede.errors import AntecedeError, InputError, printable
from antecede.experiment.cache import PREFIX, PendingStep, StepResult, digest, files_in
from antecede.experiment.outcome import TITLES, WORDS
from antecede.experiment.settings import QRELS, QUERY_LENGTH, studies
from antecede.experiment.steps import name_some, save_json, save_text, write_study
from antecede.files import write_whole
from antecede.index import build_index
from antecede.index.build import Work, plan_of
from antecede.index.files import SEGMENTS
from antecede.index.maintain import settings_for
from antecede.index.manifest import NAME as MANIFEST
from antecede.operations import load_function
from antecede.parallel import parse_size
from antecede.patent import Patent
from antecede.query.methods import parse_method
from antecede.query.query import frequent_forms
from antecede.query.topic import languages_of, patent_text
from antecede.search.batch import run_topics
from antecede.search.results import title_of
from antecede.search.topics import is_list, names_in
from antecede.synthetic import synthesize
from antecede.synthetic.collection import DEFAULT_LENGTH
from antecede.text.profiles import load_profile
from antecede.trec import read_qrels, read_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from antecede.corpus.document import Rejected
    from antecede.engine import Engine
    from antecede.experiment.cache import Stamp, StepRunner
    from antecede.experiment.outcome import ExperimentPart
    from antecede.experiment.settings import SearchRun, Settings, Synthetic
    from antecede.index import BuildProgress
    from antecede.search.batch import Batch

TOPICS, TOPIC_FACTS = "topics.jsonl", "topics.json"
LARGE = 200_000
"""Lines above which a run is compressed."""


# Collection, index and topics


@dataclass(frozen=True)
class SearchData:
    """What the searches of an experiment share: the index and the topics."""

    index_folder: Path
    index_digest: str | None
    """None if the index has not been built."""
    topic_folder: Path
    topics_digest: str

    @cached_property
    def index(self) -> Engine:
        return open_index(self.index_folder)

    @cached_property
    def topic_facts(self) -> dict[str, Any]:
        """Language, title and checksum of each topic, and why others could not be read."""
        facts: dict[str, Any] = json.loads((self.topic_folder / TOPIC_FACTS).read_bytes())
        return facts

    @cached_property
    def topics(self) -> dict[str, Patent]:
        with (self.topic_folder / TOPICS).open(encoding="utf-8") as lines:
            return {patent.doc_id: patent for patent in (Patent.from_dict(json.loads(line)) for line in lines)}


def prepare_search(settings: Settings, runner: StepRunner) -> SearchData:
    """Make the collection, the index and the topics; what can fail early is made before what takes long."""
    synthetic = settings.synthetic
    if synthetic is None:
        collection = runner.digests.of_paths(_collection_paths(settings))
    else:
        write = partial(_write_collection, synthetic, runner)
        collection = runner.run("collection", {"synthetic": synthetic}, write).digest
    named = _needs_index(settings)
    index_digest = _make_index(settings, runner, collection) if named else None
    topics = _write_topics(settings, runner, collection, index_digest)
    if not named:
        index_digest = _make_index(settings, runner, collection)
    if topics.pending:
        raise PendingStep
    data = SearchData(_index_folder(settings), index_digest, settings.out / "topics", topics.digest)
    return _keep_open(data, Path.cwd())


def _needs_index(settings: Settings) -> bool:
    """Whether topics are named, and have to be looked up in the index."""
    given = settings.topics
    named = not given.paths and given.citations is None and settings.synthetic is None
    return named or any(is_list(path) for path in given.paths)


def _index_folder(settings: Settings) -> Path:
    return settings.index.path or settings.out / "index"


def _field_names(settings: Settings) -> Mapping[str, str]:
    return settings.collection.names if settings.collection is not None else {}


def _collection_paths(settings: Settings) -> tuple[Path, ...]:
    if settings.collection is None:
        return ()
    return settings.collection.paths or (settings.out / "collection" / "collection",)


def _open_collection(settings: Settings, **options: Any) -> Collection:
    return Collection(*map(str, _collection_paths(settings)), names=dict(_field_names(settings)), **options)


def _write_collection(synthetic: Synthetic, runner: StepRunner) -> StepResult:
    """Write a synthetic collection, replacing one that this experiment wrote before.

    A folder with anything else is refused, also one whose stamp is lost.
    """
    folder = runner.folder / "collection"
    stamp = runner.read_stamp("collection")
    if stamp is not None and not folder.is_symlink():
        for name in stamp.outputs:
            (runner.folder / name).unlink(missing_ok=True)
        for inner in sorted(filter(Path.is_dir, folder.rglob("*")), reverse=True):
            with suppress(OSError):  # it has other contents
                inner.rmdir()
    for left in folder.parent.glob(".collection-????????.partial"):  # of a killed process
        shutil.rmtree(left, ignore_errors=True)
    synthesize(
        *(folder, synthetic.patents, synthetic.seed),
        topics=synthetic.topics,
        form="jsonl",
        length=synthetic.length or DEFAULT_LENGTH,
        progress=runner.count("writing patents"),
    )
    return StepResult([file for _, file in files_in(folder)])


def _make_index(settings: Settings, runner: StepRunner, collection: str) -> str | None:
    """The checksum of the index, after it is built if necessary; None in a dry run if it would be."""
    given = settings.index
    if given.path is not None and is_address(given.path):
        return open_index(given.path).state
    if given.path is not None:
        return runner.digests.of_file(given.path / MANIFEST)

    names = _field_names(settings)
    depends = {"collection": collection, "names": names, "profile": given.profile, "fields": given.fields}
    stamp = runner.run("index", depends, partial(_write_index, settings, runner))
    return stamp.digest if not stamp.pending else None


def _write_index(settings: Settings, runner: StepRunner) -> StepResult:
    """Build the index, resuming an interrupted build of the same index."""
    given, folder = settings.index, _index_folder(settings)
    collection = _open_collection(settings)
    plan = plan_of(collection, settings_for(given.profile, given.fields, collection), "index")
    resume = Work(folder, plan).left_over() == plan

    def show(progress: BuildProgress) -> None:
        runner.progress(f"index: {progress.step}", progress.done, progress.total)

    built = build_index(
        collection,
        folder,
        profile=load_profile(given.profile),
        fields=given.fields,
        memory=parse_size(given.memory),
        workers=given.workers,
        resume=resume,
        overwrite=True,
        progress=show,
    )
    if not built.indexed:
        raise InputError("holds no patent that can be read", source=", ".join(map(str, _collection_paths(settings))))
    files = [folder / MANIFEST, *(file for _, file in files_in(folder / SEGMENTS))]
    return StepResult(files, resumed="resumes an unfinished build" if resume else "")


def _write_topics(settings: Settings, runner: StepRunner, collection: str, index_digest: str | None) -> Stamp:
    """Write the topics as patents to a file, with the facts that later steps need."""
    given = settings.topics
    depends: dict[str, Any] = {"from": {name: value for name, value in given if name != "paths"}}
    if given.citations is not None or (settings.synthetic is not None and not given.paths):
        depends |= {"collection": collection, "names": _field_names(settings)}
    elif given.paths:
        depends |= {"topics": runner.digests.of_paths(given.paths)}
    else:
        depends |= {"qrels": runner.digests.of_file(settings.judgements)}
    if _needs_index(settings):
        depends |= {"index": index_digest}

    def make() -> StepResult:
        folder = settings.out / "topics"
        outputs, unread = [folder / TOPICS, folder / TOPIC_FACTS], dict[str, str]()
        if given.citations is None:
            _save_topics(settings, _read_topics(settings, runner, unread), unread)
            return StepResult(outputs)
        made = make_topics(
            _open_collection(settings, progress=runner.count("reading citations")),
            after=given.after,
            grading=given.grades,
            citations=given.citations,
            fewest=given.fewest,
            most=given.most,
        )
        save_text(folder / QRELS, made.qrels())
        _save_topics(settings, (made.records[topic] for topic in made.relevant), unread)
        return StepResult([*outputs, folder / QRELS])

    return runner.run("topics", depends, make)


def _read_topics(settings: Settings, runner: StepRunner, unread: dict[str, str]) -> Iterator[Patent]:
    """The topics in files, and those that lists or qrels name, from the index. Collects why others are not read."""
    paths = settings.topics.paths
    if not paths and settings.synthetic is not None:
        paths = (settings.out / "collection" / "topics",)
    lists = [path for path in paths if is_list(path)]
    if not paths or lists:
        names: Iterable[str] = dict.fromkeys(name for path in lists for name in names_in(path))
        if not lists:
            names = read_qrels(str(settings.judgements), settings.policies).topics
        index = open_index(_index_folder(settings))
        for name in names:
            numbers = index.numbers_of(name)
            if len(numbers) == 1:
                yield read_record(index, int(numbers[0]))
            else:
                unread[name] = explain_no_document(index, numbers)
    files = [str(path) for path in paths if path not in lists]
    if files:

        def reject(rejected: Rejected) -> None:
            unread[rejected.doc_id or f"{label(Path(rejected.file))}#{rejected.number}"] = rejected.reason

        field_names, progress = settings.topics.names or _field_names(settings), runner.count("reading topics")
        yield from Collection(*files, names=dict(field_names), on_reject=reject, progress=progress).patents()


def _save_topics(settings: Settings, patents: Iterable[Patent], unread: dict[str, str]) -> None:
    folder = settings.out / "topics"
    lines: list[str] = []
    known: dict[str, dict[str, str]] = {}
    for patent in patents:
        if patent.doc_id in known:
            what = f"two topics are named {printable(patent.doc_id)}"
            raise InputError(what, source="topics", remedy="leave one of them out")
        lines.append(json.dumps(patent.to_dict(), ensure_ascii=False) + "\n")
        known[patent.doc_id] = {
            "language": patent.language,
            "title": title_of(patent, patent.language),
            "digest": digest(lines[-1]).removeprefix(PREFIX)[:32],
        }
    if not known:
        why = next(iter(unread.values()), "they hold no patent")
        raise settings.document.error(("topics",), f"no topic could be read: {why}")
    save_text(folder / TOPICS, "".join(lines))
    save_json(folder / TOPIC_FACTS, {"topics": known, "unread": unread})


# The runs of a part


def begin_searches(
    settings: Settings, runner: StepRunner, data: SearchData, part: ExperimentPart
) -> dict[str, Callable[[], Stamp]]:
    """Begin all runs of a part: each searches for its topics, and writes the run and its queries."""
    parallel = runner.pool is not None and Capability.PROCESSES in data.index.capabilities
    ends: dict[str, Callable[[], Stamp]] = {}
    for run in settings.searches:
        search = run.settings_for(part.language)
        depends = {**search.to_dict(), "index": data.index_digest, "topics": part.digest}
        relevant: dict[str, list[str]] = {}
        if search.evidence is not None:  # how many relevant documents are among the candidates of its ranking
            depends["qrels"] = runner.digests.of_existing(settings.judgements)
            relevant = read_qrels(str(settings.judgements), settings.policies).relevant_documents()
        progress = None if parallel else runner.count(f"searching, {part.name}, {run.name}")
        threads = runner.threads or (1 if parallel else None)
        make = partial(_search, replace(data), part, run, relevant, threads, progress)  # without the open index
        step = f"run {part.name}/{run.name}"
        ends[run.name] = runner.begin(step, depends, make) if parallel else partial(runner.run, step, depends, make)
    return ends


@lru_cache(maxsize=1)
def _keep_open(data: SearchData, here: Path) -> SearchData:  # noqa: ARG001 - from elsewhere, relative paths are others
    """The first of equal data: what it has opened is used again, also in a worker process that makes several runs."""
    return data


def _search(
    data: SearchData,
    part: ExperimentPart,
    run: SearchRun,
    relevant: Mapping[str, list[str]],
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> StepResult:
    data = _keep_open(data, Path.cwd())
    queries = part.folder / "queries" / f"{run.name}.jsonl"
    for folder in (part.folder / "runs", queries.parent):
        folder.mkdir(parents=True, exist_ok=True)
    batch = run_topics(
        data.index,
        [data.topics[name] for name in part.topics],
        settings=run.settings_for(part.language),
        judged=relevant,
        threads=threads,
        keep=part.folder / "runs" / f"{run.name}.run.partial",
        resume=True,
        progress=progress,
    )
    answers = ({"topic": answer.topic_id, "queries": answer.queries} for answer in batch.answers if answer.queries)
    write_whole(queries, "".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers).encode())
    outputs = [queries]
    lines = sum(len(answer.doc_ids) for answer in batch.answers)
    if lines:
        file = part.folder / "runs" / f"{run.name}.run{'.gz' if lines > LARGE else ''}"
        write_run(read_run(batch.rankings, name=run.name), file)
        outputs.insert(0, file)
    resumed = f"resumes after {batch.resumed} of {len(batch.answers)} topics" if batch.resumed else ""
    return StepResult(outputs, _describe_batch(batch), resumed)


def _describe_batch(batch: Batch) -> dict[str, Any]:
    """The facts about a run that tables and the report show."""
    data = batch.to_dict()
    failed = [
        f"{len(topics)} found nothing: {printable(why)} ({name_some(topics, 3)})"
        for why, topics in data["failed"].items()
    ]
    notes = [f"{count} topics: {note}" for note, count in data["notes"].items()]
    times = data["milliseconds"]
    return {
        "method": "+".join(batch.settings.method),
        "model": batch.settings.model,
        "settings": {name: value for name, value in data["settings"].items() if name not in ("method", "model")},
        "terms": data["terms"],
        "milliseconds": times["making"] + times["searching"],
        "making": times["making"],
        "topics": data["topics"],
        "answered": data["answered"],
        "unmatched": data["unmatched"] / max(data["answered"], 1),
        "pool_recall": data.get("pool_recall"),
        "notes": [*failed, *notes],
    }


def study_searches(settings: Settings, runner: StepRunner, data: SearchData, part: ExperimentPart, name: str) -> Stamp:
    """Make a study that searches for the topics of a part, by default with the methods and models of the runs.

    That of the number of terms takes the methods that select terms, or all if none does.
    """
    study, options = studies()[name], dict(settings.study[name])
    names = dict.fromkeys(method for search in settings.searches for method in search.settings.method)
    selecting = [method for method in names if parse_method(method).definition.cut]
    sweeps = name == QUERY_LENGTH
    methods = options.pop("methods", None) or (sweeps and selecting) or [*names]
    search = replace(settings.searches[0].settings_for(part.language), method=tuple(methods), terms=None)
    chosen: dict[str, Any] = {"threads": runner.threads}
    if not sweeps:
        models = [*dict.fromkeys(run.settings.model for run in settings.searches)]
        own = (run for run in settings.searches if {*run.settings.method} & {*methods})
        search = next(own, settings.searches[0]).settings_for(part.language)
        chosen = {"methods": methods, "models": options.pop("models", models), "workers": 1}
    qrels = part.folder / QRELS
    depends = {
        "options": {**options, "methods": methods},
        **search.to_dict(),
        "index": data.index_digest,
        "topics": part.digest,
        "qrels": runner.digests.of_existing(qrels),
    } | ({} if sweeps else {"models": chosen["models"]})

    def make() -> StepResult:
        topics = [data.topics[topic] for topic in part.topics]
        progress = runner.count(f"study {name}, {part.name}")
        try:
            result = load_function(study.path)(
                data.index, topics, qrels=str(qrels), settings=search, **options, **chosen, progress=progress
            )
        except AntecedeError as error:  # no topic has a result, for example: the experiment continues without
            return StepResult((), {"notes": [f"{name}: not made: {error}"]})
        failed = result.failed.items() if sweeps else ()
        notes = [f"{name}: topic {printable(topic)} is left out: {printable(why)}" for topic, why in failed]
        return write_study(part.folder, name, result, notes)

    return runner.run(f"study {part.name}/{name}", depends, make)


def write_titles(runner: StepRunner, data: SearchData, part: ExperimentPart) -> None:
    """Write the titles of the topics and judged documents of a part."""
    qrels = part.folder / QRELS
    depends = {"index": data.index_digest, "topics": part.digest, "qrels": runner.digests.of_existing(qrels)}

    def make() -> StepResult:
        titles = {name: data.topic_facts["topics"][name]["title"] for name in part.topics}
        for name in dict.fromkeys(read_qrels(str(qrels)).doc_ids.to_list()):
            numbers = data.index.numbers_of(name)
            if len(numbers) == 1 and name not in titles:
                title = read_record(data.index, int(numbers[0])).title
                titles[name] = title.get(part.language or "") or next(iter(title.values()), "")
        titles = {name: title for name, title in titles.items() if title}
        return StepResult([save_json(part.folder / TITLES, titles)])

    runner.run(f"titles {part.name}", depends, make)


def write_words(runner: StepRunner, data: SearchData, part: ExperimentPart, runs: Iterable[Stamp]) -> None:
    """Write the word for each term of the queries of a part: topic → term → its most frequent form."""
    files = {name: known for run in runs for name, known in run.outputs.items() if name.endswith(".jsonl")}
    depends = {"index": data.index_digest, "topics": part.digest, "queries": files}

    def make() -> StepResult:
        terms: dict[str, set[str]] = {name: set() for name in part.topics}
        for name in files:
            with (runner.folder / name).open(encoding="utf-8") as lines:
                for queried in map(json.loads, lines):
                    terms[queried["topic"]].update(*queried["queries"].values())
        words = {name: _words_for(data.index, data.topics[name], queried) for name, queried in terms.items() if queried}
        return StepResult([save_json(part.folder / WORDS, words)])

    runner.run(f"words {part.name}", depends, make)


def _words_for(index: Engine, patent: Patent, terms: set[str]) -> dict[str, str]:
    """The most frequent form of each term in the text of a topic, where the term is not a word itself."""
    words: dict[str, str] = {}
    for language in languages_of(patent):
        words = {**frequent_forms(index.analyzer(language), patent_text(patent, language), terms), **words}
    return {term: word for term, word in sorted(words.items()) if term != word}
