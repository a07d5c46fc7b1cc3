"""The settings of an experiment: the sections of its file, declared as types with defaults, and what follows from them.

Numbers have the ranges of the verbs. Packages that read patents are imported only by experiments that use them.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from antecede.comparison import CORRECTIONS, TESTS
from antecede.errors import shown, suggest_names
from antecede.evaluation.scores import Missing, NoRelevant
from antecede.experiment.toml_document import (
    InvalidValueError,
    Key,
    Location,
    Section,
    describe_value,
    refusing,
)
from antecede.measures import parse_measure
from antecede.opensearch.address import is_address, parse_address
from antecede.ranges import ALPHA, COUNT, DOCUMENTS, SAMPLES, SEED, Range, write_number
from antecede.trec.policies import Duplicates, Malformed, Order, Policies, Ties

if TYPE_CHECKING:
    from antecede.search.settings import SearchSettings

MEASURES = (
    "PRES@1000", "PRES@100", "AP@1000", "nDCG", "P@10", "P@50", "P@100", "R@10", "R@50", "R@100", "R@1000",
)  # fmt: skip
"""PRES, and the columns of the tables in the papers."""
TOGETHER = "together"
"""The value of `languages` that keeps topics of all languages in one part."""
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=-]{0,99}")
"""A run is also a file."""


def check_text(value: str) -> str:
    """Refuse a blank string."""
    if not value.strip():
        raise InvalidValueError("is empty", "give a value, or leave the key out")
    return value


def resolve_path(value: Any, info: ValidationInfo) -> Path:
    """A path relative to the experiment file, whether it exists or not."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidValueError(f"must be a path, not {describe_value(value)}")
    folder: Any = info.context
    try:
        found: Path = folder / Path(value).expanduser()
        found.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, RuntimeError, ValueError) as error:  # too long, an unknown home folder, a null character
        reason = getattr(error, "strerror", None) or error
        raise InvalidValueError(f"{shown(value)!r} cannot be used ({reason})", "give another path") from None
    return found


def check_existence(path: Path, info: ValidationInfo) -> Path:
    """Refuse a path that does not exist, and what is read more than once but may be endless: devices and pipes."""
    folder: Any = info.context
    if not path.exists():
        close = get_close_matches(path.name, sorted(each.name for each in path.parent.glob("*")), 1)
        hint = f"did you mean {shown(close[0])}?" if close else f"paths are relative to {shown(str(folder))}"
        written = path.relative_to(folder) if path.is_relative_to(folder) else path
        raise InvalidValueError(f"{shown(str(written))!r} does not exist", hint)
    if not (path.is_file() or path.is_dir()):
        raise InvalidValueError(f"{shown(str(path))!r} is a device or a pipe, not a file", "name a file")
    return path


def check_file(path: Path) -> Path:
    """Refuse a folder."""
    if path.is_dir():
        raise InvalidValueError(f"{shown(str(path))!r} is a folder", "name a file")
    return path


def parse_date(value: Any) -> date:
    """A date, as TOML writes it or as a string."""
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidValueError(f"must be a date, not {describe_value(value)}", "write it as 2001-12-31") from None


def check_run_name(value: str) -> str:
    """Refuse a name that is not fit for a file."""
    if not RUN_NAME.fullmatch(value):
        raise InvalidValueError(f"{shown(value)!r} cannot be a file name", "use letters, digits and _ . + = -")
    return value


def check_field_names(value: Any) -> Any:
    """The fields of a patent with their names in a JSON source or a table; `preset` names the export that it is."""
    from antecede.corpus.formats.field_names import FIELD_NAMES, PRESET, choose_preset

    if not isinstance(value, dict):
        raise InvalidValueError(f"must be a table, not {describe_value(value)}", "the keys are the fields of a patent")
    for name in value:
        choose(name, (*FIELD_NAMES, PRESET), key=(name,))
    if isinstance(value.get(PRESET), str):
        refusing(choose_preset, key=(PRESET,))(value[PRESET])
    return value


def choose(value: str, choices: Mapping[str, Any] | tuple[str, ...], key: Key = ()) -> str:
    """Refuse a name that is not among the choices."""
    if value not in choices:
        what = f"unknown name {shown(value)!r}{suggest_names(value, choices)}"
        raise InvalidValueError(what, f"choose one of {', '.join(choices)}", key)
    return value


def one_of(choices: Mapping[str, Any] | tuple[str, ...]) -> AfterValidator:
    """A validator for one of some names."""
    return AfterValidator(lambda value: choose(value, choices))


def within(allowed: Range) -> AfterValidator:
    """A validator for the numbers of a range."""

    def check(value: float) -> float:
        if value not in allowed:
            raise InvalidValueError(f"must be {allowed.describe(value)}, not {write_number(value)}")
        return value

    return AfterValidator(check)


def resolve_place(value: Any, info: ValidationInfo) -> Path:
    """The folder of an index relative to the experiment file, or its address on a cluster."""
    return Path(value) if isinstance(value, str) and is_address(value) else resolve_path(value, info)


def check_place(path: Path, info: ValidationInfo) -> Path:
    """Refuse a folder that does not exist; what is wrong with an address is found when it is opened."""
    return path if is_address(path) else check_existence(path, info)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """One value or a list of values."""
    return tuple(value) if isinstance(value, list) else (value,)


def parse_method(text: str) -> str:
    """A query method in its normal form."""
    from antecede.query.methods import parse_method

    return str(parse_method(text))


Item = TypeVar("Item")
Several = Annotated[tuple[Item, ...], BeforeValidator(as_tuple), Field(min_length=1)]
Text = Annotated[str, AfterValidator(check_text)]
RunName = Annotated[str, AfterValidator(check_run_name)]
AnyPath = Annotated[Path, BeforeValidator(resolve_path)]
ExistingPath = Annotated[AnyPath, AfterValidator(check_existence)]
IndexPlace = Annotated[Path, BeforeValidator(resolve_place), AfterValidator(check_place)]
ExistingFile = Annotated[ExistingPath, AfterValidator(check_file)]
FieldNames = Annotated[Mapping[str, Text], BeforeValidator(check_field_names)]
Day = Annotated[date, BeforeValidator(parse_date)]
Count = Annotated[int, within(COUNT)]
Depth = Annotated[int, within(DOCUMENTS)]
Seed = Annotated[int, within(SEED)]
Samples = Annotated[int, within(SAMPLES)]
Alpha = Annotated[float, within(ALPHA)]
Test = Annotated[str, one_of(TESTS)]
Correction = Annotated[str, one_of(CORRECTIONS)]
MeasureName = Annotated[Text, AfterValidator(refusing(lambda text: str(parse_measure(text))))]
MethodName = Annotated[Text, AfterValidator(refusing(parse_method))]


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
        from antecede.index.resources import parse_size
        from antecede.text.profiles import PROFILES

        if self.path is not None and len(self.model_fields_set) > 1:
            raise InvalidValueError("says how to build an index that exists already", "give its path alone")
        if self.path is not None:
            refusing(open_index, key=("path",))(self.path)
        choose(self.profile, PROFILES, ("profile",))
        for at, each in enumerate(self.fields):
            choose(each, FIELDS, ("fields", at))
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
        return Policies(**{each.name: getattr(self, each.name) for each in fields(Policies)})


def check_languages(codes: tuple[str, ...]) -> tuple[str, ...]:
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
    languages: (
        Annotated[tuple[str, ...], BeforeValidator(as_tuple), Field(min_length=1), AfterValidator(check_languages)]
        | None
    ) = None
    search: Any = None
    runs: Any = None
    evaluation: Evaluation = Evaluation()
    studies: Any = None


class ExternalRunSection(Section):
    """A run of `[[runs]]` that is read from a file."""

    path: ExistingFile
    name: RunName | None = None


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
    text: str
    """The contents of the file."""
    title: str
    out: Path
    top: Location
    """The location of the whole file, for errors."""
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
    def searching(self) -> bool:
        """Whether the experiment searches, or only evaluates external runs."""
        return bool(self.searches)

    @property
    def synthetic(self) -> Synthetic | None:
        """The synthetic collection, if there is one."""
        return self.collection.synthetic if self.collection is not None else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all runs, in the order of the tables."""
        return (*(each.name for each in self.searches), *(each.name for each in self.runs))

    @property
    def inputs(self) -> dict[str, tuple[Path, ...]]:
        """The files and folders that are read, by key; of an index, its folder."""
        return {
            "collection": self.collection.paths if self.collection is not None else (),
            "topics": self.topics.paths,
            "runs": tuple(each.path for each in self.runs),
            "qrels": (self.qrels,) if self.qrels is not None else (),
            "index": (self.index.path,) if self.index.path is not None else (),
        }

    def options(self) -> dict[str, Any]:
        """The settings in a JSON-compatible form, including defaults; paths are relative to the file."""
        left_out = ("file", "text", "top", "out")
        chosen = (each.name for each in fields(self) if each.name not in left_out)
        return {name: to_json(getattr(self, name), self.file.parent) for name in chosen}


def to_json(value: Any, folder: Path | None = None) -> Any:
    """A value in a JSON-compatible form; paths are made relative to the folder."""
    if isinstance(value, Section):
        return {name: to_json(each, folder) for name, each in value}
    if is_dataclass(value):
        return {each.name: to_json(getattr(value, each.name), folder) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(each, folder) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(each, folder) for each in value]
    if isinstance(value, Path) and is_address(value):
        return str(parse_address(value))
    if isinstance(value, Path) and folder is not None:
        return Path(os.path.relpath(value, folder)).as_posix()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
