"""The settings of an experiment: the sections of its file as types with defaults, and what follows from them."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from antecede.comparison import agreement, correlate
from antecede.errors import shown
from antecede.evaluation import evaluate
from antecede.evaluation.scores import Missing, NoRelevant
from antecede.experiment.document import (
    Alpha,
    AnyPath,
    Correction,
    Count,
    Day,
    Depth,
    Document,
    ExistingFile,
    ExistingPath,
    FieldNames,
    IndexPlace,
    InvalidValueError,
    MeasureName,
    MethodName,
    RunName,
    Samples,
    Section,
    Seed,
    Several,
    Test,
    Text,
    choose,
    describe_value,
    make_section,
    one_of,
    refusing,
    within,
)
from antecede.opensearch.address import is_address, parse_address
from antecede.ranges import Range
from antecede.study import cutoffs, read_groups, robustness
from antecede.study.cutoffs import CUTOFFS, FAMILIES, parse_family
from antecede.study.judgement_loss import LOSSES, LOST
from antecede.study.term_counts import COUNTS
from antecede.study.term_counts import MEASURES as TERM_MEASURES
from antecede.trec.policies import Duplicates, Malformed, Order, Policies, Ties

if TYPE_CHECKING:
    from antecede.report.results import Study
    from antecede.search.settings import SearchSettings
    from antecede.tables import Table

MEASURES = (
    "PRES@1000", "PRES@100", "AP@1000", "nDCG", "P@10", "P@50", "P@100", "R@10", "R@50", "R@100", "R@1000",
)  # fmt: skip
"""PRES, and the columns of the tables in the papers."""
STUDY_MEASURES = ("PRES@1000", "AP@1000", "R@1000")
"""The measures that the papers compare."""
TOGETHER = "together"
"""The value of `languages` that keeps topics of all languages in one part."""


# The sections of the file


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
        from antecede.index.files import FIELDS
        from antecede.parallel import parse_size
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


class Evaluation(Section):
    """How runs are read, scored and compared."""

    measures: Several[MeasureName] = MEASURES
    baseline: Text | None = None
    test: Test = "t"
    correction: Correction = "holm"
    alpha: Alpha = 0.05
    samples: Samples = 10_000
    seed: Seed = 0
    missing: Missing = "zero"
    no_relevant: NoRelevant = "skip"
    duplicates: Duplicates = "error"
    malformed: Malformed = "error"
    ties: Ties = "docid"
    order: Order = "score"
    depth: Depth | None = None

    @property
    def policies(self) -> Policies:
        """How runs and qrels are read."""
        return Policies(**{policy.name: getattr(self, policy.name) for policy in fields(Policies)})


def _check_languages(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Language codes, each once; or `together` alone."""
    for at, code in enumerate(codes if codes != (TOGETHER,) else ()):
        if not re.fullmatch(r"[a-z]{2}", code):
            what = f"{shown(code)!r} is not a language code"
            raise InvalidValueError(what, f"write a code such as en, de or fr, or {TOGETHER!r}", (at,))
        if code in codes[:at]:
            raise InvalidValueError(f"{code} is given twice", "give it once", (at,))
    return codes


class ExperimentFile(Section):
    """The keys of an experiment file. `search`, `runs` and `studies` have sections that are made from registries."""

    title: Text | None = None
    out: AnyPath | None = None
    collection: CollectionSource | None = None
    index: IndexSource = IndexSource.model_construct()
    topics: TopicSource = TopicSource.model_construct()
    qrels: ExistingFile | None = None
    languages: Annotated[Several[str], AfterValidator(_check_languages)] | None = None
    search: Any = None
    runs: Any = None
    evaluation: Evaluation = Evaluation()
    studies: Any = None


class ExternalRunSection(Section):
    """A run of `[[runs]]` that is read from a file."""

    path: ExistingFile
    name: RunName | None = None


# Studies


def _check_family(name: str) -> str:
    parse_family(name, 10)
    return name


class RobustnessOptions(Section):
    measures: Several[MeasureName] = STUDY_MEASURES
    keep: Several[Annotated[float, within(Range())]] | None = None
    samples: Samples = 100
    seed: Seed | None = None
    remove: Annotated[str, one_of(LOSSES)] | None = None
    treat_as: Annotated[str, one_of(LOST)] | None = None
    groups: Annotated[ExistingFile, AfterValidator(refusing(read_groups))] | None = None
    rel: Count | None = None


class AgreementOptions(Section):
    measures: Several[MeasureName] = STUDY_MEASURES
    test: Test | None = None
    correction: Correction | None = None
    alpha: Alpha | None = None
    samples: Samples | None = None
    seed: Seed | None = None


class CorrelateOptions(Section):
    measures: Several[MeasureName] = STUDY_MEASURES


class CutoffOptions(Section):
    measures: Several[Annotated[Text, AfterValidator(refusing(_check_family))]] = FAMILIES
    at: Several[Count] = CUTOFFS


class TermOptions(Section):
    measures: Several[MeasureName] = TERM_MEASURES
    methods: Several[MethodName] | None = None
    at: Several[Count] = COUNTS


@dataclass(frozen=True)
class StudyDefinition:
    """A study of the runs in a rank table."""

    options: type[Section]
    """The options in the experiment file; None for the default of the study itself."""
    make: Callable[..., "Study"] | None
    """Takes a rank table and the options; None if the study searches and cannot be made from ranks alone."""
    tables: Callable[[Any], Mapping[str, "Table"]]
    default: bool = True
    """Whether it is made unless the file says otherwise."""
    needs_order: bool = False
    """Whether it studies the order of the runs: a measure that scores all runs equally has none."""


STUDIES: dict[str, StudyDefinition] = {
    "robustness": StudyDefinition(
        RobustnessOptions,
        robustness,
        lambda study: {
            "robustness": study.table(),
            **({"robustness-groups": study.groups_table()} if study.sample_names else {}),
        },
        needs_order=True,
    ),
    "agreement": StudyDefinition(
        AgreementOptions,
        lambda ranks, measures, **options: agreement(evaluate(ranks, measures), **options),
        lambda study: {"agreement": study.table(), "contradictions": study.contradictions_table()},
    ),
    "correlate": StudyDefinition(
        CorrelateOptions,
        lambda ranks, measures: correlate(evaluate(ranks, measures)),
        lambda study: {"correlate": study.table()},
    ),
    "cutoffs": StudyDefinition(
        CutoffOptions, cutoffs, lambda study: {"cutoffs": study.table(), "crossings": study.crossings_table()}
    ),
    "terms": StudyDefinition(TermOptions, None, lambda study: {"terms": study.table()}, default=False),
}
"""By the name of the verb. `terms` searches, so it needs the index."""


def _expand_switch(value: Any) -> Any:
    """A study in the file: true, false or a table of options."""
    if not isinstance(value, bool | dict):
        raise InvalidValueError(f"must be true or false, or a table of options, not {describe_value(value)}")
    return ({} if value else None) if isinstance(value, bool) else value


StudySection = make_section(
    "StudySection",
    {name: Annotated[study.options | None, BeforeValidator(_expand_switch)] for name, study in STUDIES.items()},
)
"""The studies of the file: a table of options, or None for a study that is switched off."""


# The settings


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


@dataclass(frozen=True)
class ExternalRun:
    """A run from a file."""

    name: str
    path: Path


@dataclass(frozen=True)
class Settings:
    """The settings of the whole experiment, validated."""

    file: Path
    title: str
    out: Path
    document: Document
    collection: CollectionSource | None
    index: IndexSource
    topics: TopicSource
    qrels: Path | None
    languages: tuple[str, ...] | None
    """One part per language; None for every language that the topics have."""
    together: bool
    """Whether the topics of all languages make one part."""
    searches: tuple[SearchRun, ...]
    runs: tuple[ExternalRun, ...]
    evaluation: Evaluation
    studies: Mapping[str, Mapping[str, Any]]
    """The options of each study, by its name."""

    @property
    def synthetic(self) -> Synthetic | None:
        """The synthetic collection, if there is one."""
        return self.collection.synthetic if self.collection is not None else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all runs, in the order of the tables."""
        return (*(run.name for run in self.searches), *(run.name for run in self.runs))

    @property
    def inputs(self) -> dict[str, tuple[Path, ...]]:
        """The files and folders that are read, by key; of an index, its folder."""
        return {
            "collection": self.collection.paths if self.collection is not None else (),
            "topics": self.topics.paths,
            "runs": tuple(run.path for run in self.runs),
            "qrels": (self.qrels,) if self.qrels is not None else (),
            "index": (self.index.path,) if self.index.path is not None else (),
        }

    def options(self) -> dict[str, Any]:
        """The settings in a JSON-compatible form, including defaults; paths are relative to the file."""
        left_out = ("file", "document", "out")
        chosen = (field.name for field in fields(self) if field.name not in left_out)
        return {name: to_json(getattr(self, name), self.file.parent) for name in chosen}


def to_json(value: Any, folder: Path | None = None) -> Any:
    """A value in a JSON-compatible form; paths are made relative to the folder."""
    if isinstance(value, Section):
        return {name: to_json(item, folder) for name, item in value}
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name), folder) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(item, folder) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item, folder) for item in value]
    if isinstance(value, Path) and is_address(value):
        return str(parse_address(value))
    if isinstance(value, Path) and folder is not None:
        return Path(os.path.relpath(value, folder)).as_posix()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
