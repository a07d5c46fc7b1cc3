"""The settings of an experiment: the keys of its file as types with defaults, and what follows from them.

Everything that can be checked is checked here, before any work begins.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationInfo, model_validator

from antecede.address import is_address, parse_address
from antecede.errors import AntecedeError, printable, spell, suggest_names, warn_caller
from antecede.evaluation import RankTable, evaluate
from antecede.evaluation.rank_table import Reading
from antecede.experiment.document import (
    AnyPath,
    Count,
    Day,
    Document,
    ExistingFile,
    ExistingPath,
    FieldNames,
    IndexPlace,
    InvalidValueError,
    Key,
    MethodName,
    RunName,
    Section,
    Several,
    Text,
    choose,
    describe_value,
    make_section,
    read_document,
    refusing,
    type_of_key,
)
from antecede.files import input_at
from antecede.names import added_operations
from antecede.operations import Argument, Progress, arguments_of, load_function, sources_of
from antecede.trec import read_qrels
from antecede.trec.qrels import store_named_qrels
from antecede.trec.reader import Policies, is_collection_name
from antecede.trec.run_names import choose_names

if TYPE_CHECKING:
    from antecede.report.results import Study
    from antecede.search.settings import SearchSettings
    from antecede.tables import Table

MEASURES = (
    "PRES@1000", "PRES@100", "AP@1000", "nDCG", "P@10", "P@50", "P@100", "R@10", "R@50", "R@100", "R@1000",
)  # fmt: skip
"""PRES, and the columns of the tables in the papers."""
SEARCH_STUDIES = "antecede.experiment.search_studies"
QUERY_LENGTH = "query_length"
QRELS = "qrels.txt"
"""The file name of judgements that an experiment makes."""
TOGETHER = "together"
"""The value of `languages` that keeps topics of all languages in one part."""
SYNTHETIC_LANGUAGES = ("en", "de", "fr")
MOST_NAMES = 20
"""Run names that a message lists."""
RECORDED = (
    "title", "collection", "index", "topics", "qrels", "languages", "together", "searches", "runs", "evaluation",
    "study",
)  # fmt: skip
"""The settings in the record."""
FEWEST_TO_COMPARE, FEWEST_TO_STUDY = 2, 3
"""Runs that a comparison needs, and from how many on the default studies are made."""


# What is searched, and what for


class Synthetic(Section):
    """A synthetic collection."""

    patents: int = 2000
    seed: int = 1
    topics: Count | None = None
    length: Count | None = None

    @model_validator(mode="after")
    def check_request(self) -> "Synthetic":
        from antecede.synthetic.collection import DEFAULT_LENGTH, check_request, choose_topic_count

        topics, length = self.topics or choose_topic_count(self.patents), self.length or DEFAULT_LENGTH
        refusing(lambda seed: check_request(self.patents, topics, seed, "marec", length, 1))(self.seed)
        return self


class CollectionSource(Section):
    """The source of the patents: files and folders, or a synthetic collection."""

    paths: Several[ExistingPath] = ()
    synthetic: Synthetic | None = None
    names: FieldNames = Field(default_factory=dict)

    @classmethod
    def expand(cls, given: Any) -> Any:
        return given if isinstance(given, dict) else {"paths": given}

    @model_validator(mode="after")
    def check_source(self) -> "CollectionSource":
        if bool(self.paths) == (self.synthetic is not None):
            raise InvalidValueError("needs either paths or synthetic" + (", not both" if self.paths else ""))
        return self


class IndexSource(Section):
    """An existing index, or how to build one."""

    path: IndexPlace | None = None
    profile: str = "default"
    fields: Several[str] = ("title", "abstract", "claims", "description")
    memory: str = "2GB"
    workers: Count | None = None

    @classmethod
    def expand(cls, given: Any) -> Any:
        return {"path": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def check_values(self) -> "IndexSource":
        from antecede.engine import open_index
        from antecede.parallel import parse_size
        from antecede.patent.texts import FIELDS
        from antecede.text.profiles import PROFILES

        if self.path is not None and len(self.model_fields_set) > 1:
            raise InvalidValueError("says how to build an index that exists already", "give its path alone")
        if self.path is not None:
            refusing(open_index, key=("path",))(self.path)
        choose(self.profile, PROFILES, ("profile",))
        for at, name in enumerate(self.fields):
            choose(name, FIELDS, ("fields", at))
        refusing(parse_size, key=("memory",))(self.memory)
        return self


class TopicSource(Section):
    """The source of the topics: patents in files, lists of patents in the index, or patents chosen by their citations.

    `citations` is None unless topics are made from citations.
    """

    paths: Several[ExistingPath] = ()
    citations: Literal["fields", "text", "both"] | None = None
    after: Day | None = None
    grades: Literal["category", "one"] = "category"
    fewest: Count = 1
    most: Count | None = None
    names: FieldNames = Field(default_factory=dict)

    @classmethod
    def expand(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return {"paths": given}
        return given if "paths" in given else {"citations": "fields", **given}

    @model_validator(mode="after")
    def check_source(self) -> "TopicSource":
        made = [name for name in type(self).model_fields if name in self.model_fields_set - {"paths", "names"}]
        if self.paths and made:
            what = "makes topics from citations, but paths names existing topics"
            raise InvalidValueError(what, "leave one of them out", key=(made[0],))
        return self


def _check_languages(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Language codes, each once; or `together` alone."""
    for at, code in enumerate(codes if codes != (TOGETHER,) else ()):
        if not re.fullmatch(r"[a-z]{2}", code):
            what = f"{printable(code)!r} is not a language code"
            raise InvalidValueError(what, f"write a code such as en, de or fr, or {TOGETHER!r}", (at,))
        if code in codes[:at]:
            raise InvalidValueError(f"{code} is given twice", "give it once", (at,))
    return codes


def _find_qrels(value: Any) -> Any:
    """The path of qrels; the judgements of a collection in ir_datasets are stored in a file."""
    return str(refusing(store_named_qrels)(value)) if is_collection_name(value) else value


# Runs


@dataclass(frozen=True)
class SearchRun:
    """A run that the experiment makes: a name and the settings of the search."""

    name: str
    settings: "SearchSettings"
    terms_by_language: Mapping[str, int] | None = None
    """The number of query terms per language, if the file gives it per language."""

    def settings_for(self, language: str | None) -> "SearchSettings":
        """The settings for the topics of a language; None for topics of several languages."""
        if self.terms_by_language is None:
            return self.settings
        return replace(self.settings, terms=self.terms_by_language.get(language or ""))


class ExternalRun(Section):
    """A run from a file. Its name is empty until those of all runs are known."""

    name: RunName = ""
    path: ExistingFile


def _combine_runs(given: Any) -> tuple[SearchRun, ...]:
    from antecede.experiment.searches import combine_runs

    return combine_runs(given)


def _read_run(entry: Any, info: ValidationInfo) -> SearchRun | list[ExternalRun]:
    """The run to make that an entry of `runs` describes, or the files that it names."""
    folder: Any = info.context
    if isinstance(entry, dict) and "path" not in entry:
        from antecede.experiment.searches import describe_run

        return describe_run(entry)
    if not (isinstance(entry, str) and re.search(r"[*?\[]", entry)):
        given = entry if isinstance(entry, dict) else {"path": entry}
        return [ExternalRun.model_validate(given, context=folder)]
    try:
        paths = sorted(Path("/").glob(entry[1:]) if Path(entry).is_absolute() else folder.glob(entry))
    except (OSError, ValueError, NotImplementedError) as error:
        raise InvalidValueError(f"{printable(entry)!r} is not a pattern of file names ({error})") from None
    if not paths:
        raise InvalidValueError(
            f"no file matches {printable(entry)!r}", f"paths are relative to {printable(str(folder))}"
        )
    return [ExternalRun.model_construct(path=path) for path in paths if path.is_file()]


# Evaluation and studies


def list_keys(functions: Sequence[str], without: Sequence[str] = ()) -> dict[str, Argument]:
    """The arguments of operations that are keys of a file: options, but for files that the experiment itself has."""
    every = {key: declared for path in functions for key, declared in arguments_of(load_function(path)).items()}
    return {
        key: declared
        for key, declared in every.items()
        if key not in without and declared.help.argument is None and not declared.help.parse and not declared.help.path
    }


def _section_of(
    name: str, declared: Mapping[str, Argument], extra: Mapping[str, Any], **defaults: Any
) -> type[Section]:
    """The section of operations: a key for each argument, with its default."""
    kinds = {key: type_of_key(each) for key, each in declared.items()}
    own = {key: each.default for key, each in declared.items()}
    return make_section(name, {**kinds, **extra}, {**own, **defaults})


EVALUATION = ("antecede.evaluation:evaluate", "antecede.comparison:compare", "antecede.trec.reader:Policies")
"""The operations whose arguments are the keys of `[evaluation]`."""
Evaluation: Any = _section_of("Evaluation", list_keys(EVALUATION), {}, measures=MEASURES)
"""How runs are read, scored and compared."""


def _read_evaluation(given: Any, info: ValidationInfo) -> Any:
    return Evaluation.model_validate(given, context=info.context)


@dataclass(frozen=True)
class StudyDefinition:
    """A study: of the runs in a rank table, of what searches find, or of what is in its own files."""

    name: str
    path: str
    by_default: bool = True
    more: Mapping[str, str] = field(default_factory=dict)
    """Tables besides the first: the name, and the method that makes it."""
    searches: bool = False
    files: tuple[str, ...] = ()
    """Keys that name files which it needs besides the runs."""
    without: tuple[str, ...] = ()
    """Arguments of its function that an experiment chooses itself."""

    @property
    def sources(self) -> tuple[str, ...]:
        """What is made for it of the ranks: a `RankTable`, `Scores`, or nothing."""
        return tuple(sources_of(load_function(self.path)).values())

    @property
    def kept(self) -> bool:
        """Whether its tables are kept, since it cannot be made again from the ranks or from its JSON document."""
        return bool(self.files) or (self.searches and self.name != QUERY_LENGTH)

    @cached_property
    def keys(self) -> dict[str, Argument]:
        """Its keys, as its function declares them."""
        measures = {"measures": arguments_of(evaluate)["measures"]} if "Scores" in self.sources else {}
        return {**measures, **list_keys([self.path], self.without)}

    @cached_property
    def section(self) -> type[Section]:
        """Its keys as types; those of a study that searches include methods."""
        methods = {"methods": Several[MethodName]} if self.searches else {}
        return _section_of(self.name, self.keys, {**dict.fromkeys(self.files, ExistingFile), **methods})

    def make(self, ranks: RankTable, options: Mapping[str, Any], progress: Progress | None) -> "Study":
        function = load_function(self.path)
        report = {"progress": progress} if "progress" in signature(function).parameters else {}
        own = {key: value for key, value in options.items() if not ("Scores" in self.sources and key == "measures")}
        table = evaluate(ranks, options["measures"]) if "Scores" in self.sources else ranks
        made: Study = function(*([table] if self.sources else []), **own, **report)
        return made

    def tables(self, study: Any) -> dict[str, "Table"]:
        """The tables of a result by the names of their files."""
        more = {name: getattr(study, method)() for name, method in self.more.items() if _has_table(study, method)}
        return {self.name: study.table(), **more}


def _has_table(study: Any, method: str) -> bool:
    return method != "groups_table" or bool(getattr(study, "sample_names", True))


STUDIES = {
    study.name: study
    for study in (
        StudyDefinition("robustness", "antecede.study:robustness", more={"robustness-groups": "groups_table"}),
        StudyDefinition("agreement", "antecede.comparison:agreement", more={"contradictions": "contradictions_table"}),
        StudyDefinition("correlation", "antecede.comparison:correlation"),
        StudyDefinition("cutoffs", "antecede.study:cutoffs", more={"crossings": "crossings_table"}),
        StudyDefinition("measures", "antecede.study:measures", by_default=False),
        StudyDefinition(QUERY_LENGTH, f"{SEARCH_STUDIES}:query_length", by_default=False, searches=True),
        StudyDefinition(
            "retrievability",
            f"{SEARCH_STUDIES}:retrievability",
            by_default=False,
            more={"retrievability-groups": "groups_table"},
            searches=True,
            without=("sample", "words", "seed", "workers"),
        ),
        StudyDefinition(
            "judges",
            "antecede.study:judges",
            by_default=False,
            more={f"judges-{name}": f"{name}_table" for name in ("grades", "overlap", "changes", "runs")},
            files=("second",),
            without=tuple(field.name for field in fields(Reading)),
        ),
        StudyDefinition(
            "published", "antecede.study:published", False, more={"published-robustness": "robustness_table"}
        ),
    )
}
"""By the name of the verb and of the function in `antecede.study`."""


@cache
def studies() -> Mapping[str, StudyDefinition]:
    """Every study: those above, and those that other packages bring as `study.NAME`."""
    added = {name.partition(".")[2]: path for name, path in added_operations().items() if name.startswith("study.")}
    return STUDIES | {name: StudyDefinition(name, path, by_default=False) for name, path in added.items()}


def _read_switch(study: StudyDefinition) -> Callable[[Any, ValidationInfo], Any]:
    """A validator of a study in the file: true, false or a table of options."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool):
            value = {} if value else None
        elif not isinstance(value, dict):
            raise InvalidValueError(f"must be true or false, or a table of options, not {describe_value(value)}")
        if value is None:
            return None
        section = study.section.model_validate(value, context=info.context)
        for name in study.files:
            if getattr(section, name) is None:
                raise InvalidValueError(f"needs the key {name}, the path of a file", f"give {name} = PATH")
        return section

    return check


def _read_studies(given: Any, info: ValidationInfo) -> dict[str, Section | None]:
    """The studies in the file: a table of options, or None for a study that is switched off."""
    kinds = {name: Annotated[Any, BeforeValidator(_read_switch(study))] for name, study in studies().items()}
    section = make_section("StudySection", kinds).model_validate(given, context=info.context)
    return {name: options for name, options in section if name in section.model_fields_set}


# The whole


class Settings(Section):
    """The keys of an experiment file; once it is read, every setting of the experiment."""

    title: Text = ""
    out: AnyPath = Path()
    collection: CollectionSource | None = None
    index: IndexSource = IndexSource.model_construct()
    topics: TopicSource = TopicSource.model_construct()
    qrels: Annotated[ExistingFile, BeforeValidator(_find_qrels)] | None = None
    languages: Annotated[Several[str], AfterValidator(_check_languages)] | None = None
    """One part per language, or `together`; None for every language that the topics have."""
    search: Annotated[Any, BeforeValidator(_combine_runs)] = ()
    """All runs to make; in the file, the values to be combined."""
    runs: Annotated[
        tuple[Annotated[Any, BeforeValidator(_read_run)], ...],
        BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else (given,)),
    ] = ()
    """The external runs; in the file, also runs to make that are described one by one."""
    evaluation: Annotated[Any, BeforeValidator(_read_evaluation)] = Evaluation()
    study: Annotated[Any, BeforeValidator(_read_studies)] = Field(default_factory=dict)
    """The options of each study, by its name."""
    _document: Document = PrivateAttr()

    @property
    def document(self) -> Document:
        return self._document

    @property
    def policies(self) -> Policies:
        """How runs and qrels are read."""
        return Policies(**{policy.name: getattr(self.evaluation, policy.name) for policy in fields(Policies)})

    @property
    def searches(self) -> tuple[SearchRun, ...]:
        """The runs that the experiment makes."""
        return tuple(self.search)

    @property
    def together(self) -> bool:
        """Whether the topics of all languages make one part."""
        return self.languages == (TOGETHER,)

    @property
    def synthetic(self) -> Synthetic | None:
        return self.collection.synthetic if self.collection is not None else None

    @property
    def judgements(self) -> Path:
        """The qrels: those of the file, from citations, or of the synthetic collection."""
        made = self.out / ("topics" if self.topics.citations is not None else "collection") / QRELS
        return self.qrels or made

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all runs, in the order of the tables."""
        return tuple(run.name for run in (*self.search, *self.runs))

    @property
    def inputs(self) -> dict[str, tuple[Path, ...]]:
        """The files and folders that are read, by key; of an index, its folder."""
        return {
            "collection": self.collection.paths if self.collection is not None else (),
            "topics": self.topics.paths,
            "runs": tuple(run.path for run in self.runs),
            "qrels": (self.qrels,) if self.qrels is not None else (),
            "index": (self.index.path,) if self.index.path is not None else (),
            "study": tuple(options[key] for name, options in self.study.items() for key in studies()[name].files),
        }

    def options(self) -> dict[str, Any]:
        """The settings in a JSON-compatible form, including defaults; paths are relative to the file."""
        options = {name: to_json(getattr(self, name), self.document.folder) for name in RECORDED}
        return options | ({"languages": None} if self.together else {})


def to_json(value: Any, folder: Path | None = None) -> Any:
    """A value in a JSON-compatible form; paths are made relative to the folder."""

    def convert(item: Any) -> Any:
        if isinstance(item, Section | Mapping):
            return dict(item)
        if is_dataclass(item):
            return {field.name: getattr(item, field.name) for field in fields(item)}
        if isinstance(item, Path) and is_address(item):
            return str(parse_address(item))
        if isinstance(item, Path) and folder is not None:
            return Path(os.path.relpath(item, folder)).as_posix()
        return str(item)

    return json.loads(json.dumps(value, default=convert))


def read_settings(file: str | Path, out: str | Path | None = None) -> Settings:
    """Read an experiment file. An error is one line with the file and the key."""
    document = _rename_keys(read_document(Path(file)))
    given = document.validate(Settings)
    keys = given.model_fields_set
    described = [run for run in given.runs if isinstance(run, SearchRun)]
    searches = given.search
    if not (searches or described) and (given.collection is not None or "index" in keys):
        searches = _combine_runs({})
    searches = (*searches, *described)
    runs = _name_runs(given, [run.name for run in searches], document)
    names = [run.name for run in (*searches, *runs)]
    settings = given.model_copy(
        update={
            "title": given.title or document.file.stem,
            "out": Path(out) if out is not None else given.out if "out" in keys else document.file.with_suffix(""),
            "search": searches,
            "runs": runs,
            "evaluation": _choose_baseline(given.evaluation, names, document),
            "study": _choose_studies(given.study, enough_runs=len(names) >= FEWEST_TO_STUDY),
        }
    )
    settings._document = document
    for wrong, key, what, remedy in _list_conflicts(settings, given):
        if wrong:
            raise document.error(key, what, remedy)
    return settings


OLD_STUDIES = {"correlate": "correlation", "terms": QUERY_LENGTH}
"""Studies by their names of the release before."""


def rename_studies(data: Mapping[str, Any]) -> dict[str, Any]:
    """The studies of a file or record, also of the release before, by their present names."""
    given: Mapping[str, Any] = data.get("study", data.get("studies", {}))
    return {OLD_STUDIES.get(name, name): options for name, options in given.items()}


def _rename_keys(document: Document) -> Document:
    """The document with present names for those of the release before, each of which is warned of."""
    data = dict(document.data)
    old = data.pop("studies", None)
    if not isinstance(old, dict) or "study" in data:
        return document
    for name in ("", *(name for name in old if name in OLD_STUDIES)):
        before, now = f"studies.{name}".rstrip("."), f"study.{OLD_STUDIES.get(name, '')}".rstrip(".")
        warn_caller(f"{document.file}: {before} is now {now}; the old name goes with the next release", FutureWarning)
    return replace(document, data=data | {"study": rename_studies({"studies": old})})


def _name_runs(given: Settings, searches: list[str], document: Document) -> tuple[ExternalRun, ...]:
    """The external runs, each with a name; those without one are named after their files."""
    external = [(("runs", at), run) for at, entry in enumerate(given.runs) if isinstance(entry, list) for run in entry]
    defaults = iter(choose_names([str(run.path) for _, run in external if not run.name]))
    runs = tuple(run if run.name else run.model_copy(update={"name": next(defaults)}) for _, run in external)
    names = [*searches, *(run.name for run in runs)]
    for name in names:
        if names.count(name) > 1:
            keys = (key for (key, _), run in zip(external, runs, strict=True) if run.name == name)
            what = f"two runs are named {printable(name)}"
            raise document.error(next(keys, ("runs",)), what, "give one of them another name")
    return runs


def _choose_baseline(given: Any, runs: list[str], document: Document) -> Any:
    """The evaluation with its baseline: by default the full text, or else the first run."""
    baseline = given.baseline or ("full" if "full" in runs else runs[0] if runs else None)
    if runs and baseline not in runs:
        names = ", ".join(map(printable, runs)) if len(runs) <= MOST_NAMES else f"{len(runs)} others"
        what = f"there is no run {printable(str(baseline))!r}{suggest_names(str(baseline), runs)}"
        raise document.error(("evaluation", "baseline"), what, f"the runs are {names}")
    return given.model_copy(update={"baseline": baseline})


def _choose_studies(given: Mapping[str, Section | None], *, enough_runs: bool) -> dict[str, dict[str, Any]]:
    """The studies to make, with their options: the default ones if there are enough runs, and those in the file."""
    defaults = {name: study.section() for name, study in STUDIES.items() if study.by_default and enough_runs}
    return {
        name: {option: value for option, value in options if value is not None}
        for name, options in {**defaults, **given}.items()
        if options is not None
    }


def _list_conflicts(settings: Settings, given: Settings) -> Iterator[tuple[bool, Key, str, str | None]]:
    """What may be wrong with keys whose values are valid one by one: whether it is, the key, the error, the remedy."""
    keys, index, searches = given.model_fields_set, settings.index.path, settings.searches
    patents = settings.collection is not None
    source, cited = patents or index is not None, settings.topics.citations is not None
    out, synthetic = settings.out, settings.synthetic is not None
    yield patents and index is not None, ("index",), "an index and a collection are given", "leave one of them out"
    what = "says how to build an index, but there is no collection"
    yield "index" in keys and not source, ("index",), what, "give a collection, or a path"
    key = "search" if "search" in keys else "runs"
    yield bool(searches) and not source, (key,), "there is nothing to search", "give a collection or an index"
    yield not settings.names, (), "there is nothing to evaluate", "give a collection or an index, or runs"
    for key in ("topics", "languages"):
        yield key in keys and not source, (key,), "has no effect where only runs are evaluated", "leave it out"
    judged = settings.qrels is not None
    what = "topics from citations have their own judgements"
    yield judged and cited, ("qrels",), what, "leave out either qrels or the topics"
    what = "your own topics need their own judgements"
    yield not judged and synthetic and bool(settings.topics.paths), ("topics",), what, "give qrels = PATH"
    remedy = "give qrels = PATH, or make topics from citations: topics = { after = DATE }"
    yield not (judged or cited or synthetic), (), "there are no judgements", remedy
    yield cited and not patents and "topics" in keys, ("topics",), "topics from citations need a collection", "give one"
    for at, language in enumerate(settings.languages or () if synthetic and not settings.together else ()):
        what, remedy = f"the collection has no text in {language!r}", f"it has {', '.join(SYNTHETIC_LANGUAGES)}"
        yield language not in SYNTHETIC_LANGUAGES, ("languages", at), what, remedy
    remedy = f"choose another folder with {spell('out')}"
    for folder in settings.inputs["collection"]:
        what = f"the results would be written to {printable(str(out))}, inside {printable(str(folder))}, which is read"
        inside = folder.is_dir() and out.resolve().is_relative_to(folder.resolve())
        yield inside, ("collection",), what, remedy
    # The experiment file itself may be in the folder: its copy can be run again.
    for key, paths in settings.inputs.items() if out.is_dir() else ():
        for path in paths:
            what = f"{printable(str(path))} is in {printable(str(out))}, where the results are written"
            yield input_at(path, [out]) is not None, (key,), what, remedy
    if settings.qrels is not None:
        try:
            read_qrels(str(settings.qrels), settings.policies)
        except AntecedeError as error:
            yield True, ("qrels",), str(error), None
    for name in sorted({*given.study} & {*settings.study}):
        study = studies()[name]
        what, remedy = "searches, but nothing is searched", "leave it out"
        yield study.searches and not searches, ("study", name), what, remedy
        what, remedy = "compares runs, but there is only one", "give another run, or leave it out"
        alone = len(settings.names) < FEWEST_TO_COMPARE and bool(study.sources or study.files)
        yield alone, ("study", name), what, remedy
    lost = settings.study.get("robustness", {})
    what = "remove = 'group' needs the group of each run"
    yield lost.get("remove") == "group" and "groups" not in lost, ("study", "robustness"), what, "give groups = PATH"
