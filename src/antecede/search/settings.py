"""The settings of a search, each declared once: type, default, allowed values and help text.

The options of the command line, the keys of an experiment file, the keyword arguments of the Python API and the
reference in the documentation all derive from `SearchSettings`. A new setting is one field here and the stage of the
pipeline that uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypedDict, TypeVar, get_args, get_origin, get_type_hints

from antecede.conditions.fields import SETTINGS as FACTS
from antecede.conditions.filters import AUTO, KEEP, OFF, UNDATED, day_before
from antecede.conditions.parser import parse_expression, phrase_of
from antecede.errors import UsageError, advise, printable
from antecede.fusion import FUSIONS
from antecede.models import parse_model
from antecede.operations import make_keyword, take_keywords
from antecede.patent import parse_date
from antecede.patent.texts import FIELDS
from antecede.query.methods import Method, parse_method
from antecede.query.query_maker import DEFAULT_METHOD, TERM_WEIGHTS
from antecede.query.topic import DESCRIPTION, parse_field
from antecede.ranges import Range, write_number
from antecede.ranking.weights import AUTO as AUTO_RANKING
from antecede.ranking.weights import CLASSIC, parse_ranking
from antecede.registry import split_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from antecede.conditions.filters import Undated
    from antecede.fusion import FusionName
    from antecede.models import Model
    from antecede.query.query_maker import WeightEdits

Given = ParamSpec("Given")
Result = TypeVar("Result")
Texts: TypeAlias = str | list[str] | tuple[str, ...]

ALL_LANGUAGES = "all"
"""The language setting that searches every language the topic has text in."""
BY_EVIDENCE = "ranking"
"""How a run that is ranked by evidence is named."""
MAX_DOCUMENTS = 1_000_000
MAX_TERMS = 1_000_000
MAX_CLAIMS = 10_000
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
MANUAL_HEAD = """# Search settings

Generated from `src/antecede/search/settings.py`.

A setting has the same name and meaning everywhere: an option of the verbs that search, such as
[search](verbs/search.md) and [run](verbs/run.md) (`from_claim` is `--from-claim`); a key of `[search]` and `[[runs]]`
in an [experiment file](experiments.md); a keyword argument of `index.search`, `search_index`, `rank`, `run_topics` and
`make_query` in Python, or a field of `SearchSettings`, which all of them accept. A setting that may be repeated is a
list in files and in Python.
"""


@dataclass(frozen=True)
class Option:
    """The declaration of one setting."""

    name: str
    annotation: Any
    """The type of the field."""
    kind: type
    """The type of one value."""
    default: Any
    several: bool
    """Whether it takes several values: repeated on the command line, a list elsewhere."""
    optional: bool
    """Whether None is allowed, which selects the default."""
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    range: Range | None = None
    default_text: str | None = None
    """The default in words, where its value is not informative."""
    flags: tuple[str, ...] = ()
    """Its spellings on the command line."""
    commas: bool = False
    """Whether several values may be written as one text, separated by commas."""
    parse: Callable[[str], str] | None = None
    """Brings one value into its normal form, or raises `UsageError`."""
    may_be_file: bool = False
    """Whether a value may name a file that is read."""

    def normalize(self, value: Any) -> Any:
        """A value given by a user in its normal form; one that is not allowed is refused."""
        if value is None and self.optional:
            return None
        if not self.several:
            return self.check(value)
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list | tuple):
            raise UsageError(f"must be a list, not {printable(repr(value))}")
        if self.commas:
            values = [
                part
                for each in values
                for part in (split_list(each) if isinstance(each, str) and not isinstance(each, Implied) else [each])
            ]
        return tuple(dict.fromkeys(map(self.check, values)))

    def check(self, value: Any) -> Any:
        allowed: Any = (int, float) if self.kind is float else self.kind
        if not isinstance(value, allowed) or (isinstance(value, bool) and self.kind is not bool):
            raise UsageError(f"must be {KINDS[self.kind]}, not {printable(repr(value))}")
        if isinstance(value, Implied):
            return value
        if self.choices and value not in self.choices:
            near = get_close_matches(value, self.choices, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise UsageError(f"{printable(str(value))!r} is not one of {', '.join(self.choices)}{hint}")
        if self.range is not None and value not in self.range:
            raise UsageError(f"must be {self.range}, not {printable(str(value))}")
        return self.kind(value) if self.parse is None else self.parse(value)


class Implied(str):
    """The default of a setting that the user did not give: `--model bm25` selects that model and no other."""

    __slots__ = ()


def option(default: Any, help: str, **declared: Any) -> Any:  # noqa: A002 - as command-line libraries call it
    """Declare a setting: `declared` are further fields of `Option`."""
    return field(default=default, metadata={"help": help, **declared})


def _check_bound(text: str) -> str:
    if text != AUTO:
        day_before(text)
    return text


def _check_day(text: str) -> str:
    if parse_date(text) is None:
        raise UsageError(f"{printable(text)!r} is not a day; write it as 2001-12-31")
    return text


_FactSettings: Any = make_dataclass(
    "_FactSettings",
    [
        (name, "tuple[str, ...]", option((), field.help, metavar=field.metavar, parse=field.check))
        for name, field in FACTS.items()
    ],
    kw_only=True,
    frozen=True,
)
"""The settings that limit a search to values of fields, one per field that declares one."""


@dataclass(frozen=True)
class SearchSettings(_FactSettings):  # type: ignore[misc]
    """The settings of a search: how a topic is converted to a query and ranked."""

    method: tuple[str, ...] = option(
        (Implied(DEFAULT_METHOD),),
        "The query method, which turns a patent into weighted terms; may be repeated. All: antecede list methods.",
        metavar="METHOD",
        commas=True,
        parse=lambda text: str(parse_method(text)),
    )
    terms: int | None = option(
        None,
        "The number of terms of a query, heaviest first.",
        range=Range(1, MAX_TERMS),
        default_text="75, in French 45; all terms for methods that use all terms",
    )
    fields: tuple[str, ...] = option(
        tuple(map(Implied, DESCRIPTION)),
        f"The fields of a patent that make up the query text: {', '.join(FIELDS)}.",
        metavar="FIELD,…",
        commas=True,
        default_text="description; all of a draft, whose description is short, in a ranking by evidence",
        parse=parse_field,
    )
    from_claim: int | None = option(
        None,
        "The claim that makes up the query text, with those it refers to.",
        range=Range(1, MAX_CLAIMS),
        metavar="NUMBER",
        default_text="none",
    )
    weights: str | None = option(
        None,
        "The weights of the query terms: those of the method, n(t), √n(t), √n(t)·√log(1 + cf/df), or all equal.",
        choices=tuple(TERM_WEIGHTS),
        default_text="depends on the method",
    )
    add_words: str | None = option(
        None,
        "Additional query words; each has at least the weight of the heaviest term.",
        metavar="WORDS",
        default_text="none",
    )
    language: str | None = option(
        None,
        "The language to search: en, de, fr; all: every one of the index that the topic has text in or can be "
        "translated into.",
        metavar="CODE",
        default_text="that of the topic; where no document is in it, those that it can be translated into",
        flags=("--language", "--languages"),
    )
    translation: str | None = option(
        None,
        "A table of translations, for --language all and for topics in a language that no document is in.",
        metavar="TABLE",
        default_text="the one stored with the index",
        may_be_file=True,
    )
    dictionary: str | None = option(
        None,
        "Translations of your own, which take the place of those of the table: a CSV file with the columns from, to, "
        "word, translation.",
        metavar="CSV",
        default_text="none",
        may_be_file=True,
    )
    ranking: str = option(
        Implied(AUTO_RANKING),
        "auto, the evidence that suits the collection; classic, a query method and model alone; weights of features; "
        "or a file of weights. All features: antecede list features.",
        metavar="auto|classic|FEATURE=WEIGHT,…|FILE.json",
        default_text="auto; classic where a method, model, terms, weights or fusion is given",
        parse=parse_ranking,
        may_be_file=True,
    )
    model: str = option(
        Implied("bm25"),
        "The ranking model. All: antecede list models.",
        parse=lambda text: str(parse_model(text)),
    )
    approximate: bool = option(
        False,
        "On a cluster: if a model without a script cannot be exact, rank the best candidates of bm25 by it instead of "
        "refusing the search.",
    )
    k: int = option(
        1000,
        "The number of documents to retrieve. The verb `search`, whose result a person reads, has a default of 100.",
        range=Range(1, MAX_DOCUMENTS),
        flags=("-k", "--k"),
    )
    before: str = option(
        AUTO,
        "Only documents published before this date; auto: before the priority date of the topic; off: no limit.",
        metavar="auto|off|DATE",
        parse=_check_bound,
    )
    after: str | None = option(
        None,
        "Only documents published on this date or later.",
        metavar="DATE",
        default_text="no limit",
        parse=_check_day,
    )
    undated: str = option(
        KEEP,
        "With a date limit: keep documents of unknown date, since they may be prior art, or drop them. The year in a "
        "number such as US2004… is used first.",
        choices=tuple(UNDATED),
    )
    where: str | None = option(
        None,
        'Only documents that meet a Boolean expression, such as (radar OR sonar) AND ti:"live migration" NOT pressur*.',
        metavar="EXPRESSION",
        default_text="no condition",
    )
    sets: tuple[str, ...] = option(
        (),
        "An expression that --where names S1; the next is S2; may be repeated.",
        metavar="EXPRESSION",
        flags=("--set",),
    )
    must: tuple[str, ...] = option(
        (),
        "Only documents with this word in any form, or with this phrase; may be repeated.",
        metavar="WORDS",
        parse=lambda text: str(phrase_of(text)),
    )
    must_not: tuple[str, ...] = option(
        (),
        "Exclude documents with this word or phrase; may be repeated.",
        metavar="WORDS",
        parse=lambda text: str(phrase_of(text)),
    )
    time_limit: float | None = option(
        None,
        "The seconds after which a search whose --where, --must or --must-not is still evaluated ends, with the part "
        "of it that is too wide.",
        range=Range(0, 1_000_000, open_low=True),
        metavar="SECONDS",
        default_text="no limit; 10 on the page",
    )
    ipc_boost: float = option(
        0.0,
        "The boost for documents that share an IPC class with the topic; 0.3 is strong.",
        range=Range(0, 1000),
    )
    cited: bool = option(
        False,
        "Rank documents first that the text of the topic cites; unfair if citations are the judgements.",
    )
    fusion: str | None = option(
        None,
        "The fusion of the rankings of several methods.",
        choices=tuple(FUSIONS),
        default_text="rrf; if not given, `run` writes one run per method",
    )
    relevant: tuple[str, ...] = option(
        (), "A relevant document, for relevance feedback; may be repeated.", metavar="DOC_ID"
    )
    irrelevant: tuple[str, ...] = option((), "A document that is not relevant; may be repeated.", metavar="DOC_ID")

    def __post_init__(self) -> None:
        """Bring every value into its normal form; what is not allowed is refused before any work is done."""
        # The objects that the texts denote are accepted, too: a Method, a Model, a date or None for no bound.
        methods: Any = (self.method,) if isinstance(self.method, str | Method) else self.method
        if isinstance(methods, list | tuple):
            methods = tuple(str(declared) if isinstance(declared, Method) else declared for declared in methods)
        object.__setattr__(self, "method", methods)
        object.__setattr__(self, "model", self.model if isinstance(self.model, str) else str(self.model))
        object.__setattr__(self, "before", OFF if self.before is None else str(self.before))
        object.__setattr__(self, "after", None if self.after is None else str(self.after))
        for declared in search_options():
            try:
                object.__setattr__(self, declared.name, declared.normalize(getattr(self, declared.name)))
            except UsageError as error:
                raise UsageError(f"{declared.name}: {error}") from None
        if self.where is not None:
            parse_expression(self.where, self.sets)
        elif self.sets:
            raise UsageError("sets: S1, S2 … are parts of `where`, which is not given")
        if isinstance(self.ranking, Implied):
            object.__setattr__(self, "ranking", Implied(CLASSIC if self.describes_search else AUTO_RANKING))
        if not self.method:
            listed = advise("antecede.query.methods.METHODS", "`antecede list methods`")
            raise UsageError(f"no query method is given; {listed} lists them")
        if not self.fields:
            raise UsageError(f"no field is given to make a query of; there are {', '.join(FIELDS)}")

    @property
    def name(self) -> str:
        """The name of a run with these settings, fit for a file name: its methods, or that it is ranked by evidence."""
        methods = [] if self.evidence is not None and not self.describes_search else [*self.method]
        joined = "+".join([*methods, *([BY_EVIDENCE] if self.evidence is not None else [])])
        return "".join(char if char.isalnum() or char in "+-_.=" else "-" for char in joined).strip("-")

    @property
    def describes_search(self) -> bool:
        """Whether a query method, a model, terms, weights or a fusion was given."""
        given = (self.terms, self.weights, self.fusion)
        return any(each is not None for each in given) or not all(
            isinstance(each, Implied) for each in (*self.method, self.model)
        )

    @property
    def evidence(self) -> str | None:
        """The ranking by evidence that is used, `auto` or weights; None for the classic search.

        Settings that describe a search mean that search, unless a ranking is given with them.
        """
        return None if self.ranking == CLASSIC else str(self.ranking)

    def to_dict(self) -> dict[str, Any]:
        """The settings in a JSON-compatible form."""
        values = {each.name: getattr(self, each.name) for each in search_options()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


class GivenSettings(TypedDict, total=False):
    """Search settings as keyword arguments, for type checkers: the fields of `SearchSettings` as a user gives them."""

    method: str | Method | list[str] | list[Method] | tuple[str | Method, ...]
    terms: int | None
    fields: Texts
    from_claim: int | None
    weights: WeightEdits | None
    add_words: str | None
    language: str | None
    translation: str | None
    dictionary: str | None
    ranking: str
    model: str | Model
    approximate: bool
    k: int
    before: str | date | None
    after: str | date | None
    undated: Undated
    ipc: Texts
    cpc: Texts
    country: Texts
    applicant: Texts
    inventor: Texts
    document_language: Texts
    where: str | None
    sets: Texts
    must: Texts
    must_not: Texts
    time_limit: float | None
    ipc_boost: float
    cited: bool
    fusion: FusionName | None
    relevant: Texts
    irrelevant: Texts


@cache
def search_options() -> tuple[Option, ...]:
    """The declarations of all settings, in their order."""
    hints = get_type_hints(SearchSettings)
    options = []
    declared = {setting.name: setting for setting in fields(SearchSettings)}
    others = [name for name in declared if name not in FACTS]
    place = others.index("undated") + 1  # where limits of dates end
    for setting in map(declared.__getitem__, (*others[:place], *FACTS, *others[place:])):
        hint, parts = hints[setting.name], get_args(hints[setting.name])
        kind, several = parts[0] if parts else hint, get_origin(hint) is tuple
        options.append(
            Option(setting.name, hint, kind, setting.default, several, type(None) in parts, **setting.metadata)
        )
    return tuple(options)


def accept_settings(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function that takes `settings: SearchSettings | None` take each setting as a keyword argument, too.

    Its signature, as `help()` and notebooks show it, lists them all. Type checkers know them by its last parameter,
    `**_given: Unpack[GivenSettings]`, which nothing else uses.
    """
    keywords = [make_keyword(each.name, each.default, each.annotation) for each in search_options()]
    return take_keywords(function, {"settings": keywords}, lambda _, given, values: merge_settings(given, values))


def merge_settings(settings: SearchSettings | None, changes: Mapping[str, Any]) -> SearchSettings:
    """Settings with some changed; the defaults where none are given."""
    if settings is None and all(type(value) in PLAIN for value in changes.values()):
        return _merge_once(tuple((name, type(value), value) for name, value in changes.items()))
    return _merge(settings, changes)


PLAIN = (str, int, float, bool, type(None))
"""Types of values that are what they equal, once their type is the same."""


@lru_cache(maxsize=256)
def _merge_once(given: tuple[tuple[str, type, Any], ...]) -> SearchSettings:
    """The settings that a user gives with each of many searches."""
    return _merge(None, {name: value for name, _, value in given})


def _merge(settings: SearchSettings | None, changes: Mapping[str, Any]) -> SearchSettings:
    values = {each.name: getattr(settings, each.name) for each in search_options()} if settings is not None else {}
    return SearchSettings(**{**values, **changes})


def settings_manual() -> str:
    return "\n\n".join([MANUAL_HEAD.rstrip(), *map(_write_section, search_options())]) + "\n"


def _write_section(option: Option) -> str:
    """One setting: what it does, its default and range, and its option where that is not its name."""
    facts = [
        *([f"Option: {', '.join(f'`{flag}`' for flag in option.flags)}."] if option.flags else []),
        *([f"Default: {default}."] if (default := default_text(option)) != "none" else []),
        *([f"One of {', '.join(f'`{each}`' for each in option.choices)}."] if option.choices else []),
        *([f"Range: `{option.range.as_inequality(option.name)}`."] if option.range is not None else []),
    ]
    return f"## {option.name}\n\n{' '.join([option.help, *facts])}"


def default_text(option: Option) -> str:
    if option.default_text is not None:
        return option.default_text
    if option.several:
        return ", ".join(f"`{each}`" for each in option.default) or "none"
    return f"`{write_number(option.default)}`".replace("`False`", "off")
