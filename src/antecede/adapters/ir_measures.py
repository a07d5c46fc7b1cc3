"""antecede's measures in ir_measures, and therefore in PyTerrier: PRES and others next to the built-in ones.

    import ir_measures
    from antecede.adapters.ir_measures import PRES
    ir_measures.calc_aggregate([PRES @ 100, ir_measures.nDCG @ 10], qrels, run)
    ir_measures.parse_measure("PRES@100")

Importing this module registers every measure that ir_measures does not have, and appends antecede's provider to the
list of providers. A name that both have (AP, nDCG …) refers to the object of ir_measures; antecede's provider can
compute it as well: `provider.calc(…)`.

Topics are counted as in ir_measures: every topic of the qrels, with 0 if it has no relevant document. A document that
appears twice in a topic is refused, where other providers silently use one of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.errors import MeasureError
from antecede.evaluation import evaluate, rank_table
from antecede.measures import MEASURES, parse_measure
from antecede.measures.collection_size import CollectionSize
from antecede.trec import read_qrels

try:
    import ir_measures as library
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; this adapter requires it: pip install ir-measures", name=error.name) from None
from ir_measures.measures.base import Agg
from ir_measures.util import QrelsConverter, RunConverter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.measures import Measure, MeasureDefinition
    from antecede.registry import Parameter
    from antecede.trec import Qrels

NOT_GIVEN = library.measures.base._NOT_PROVIDED
SHARED = (
    "AP", "Bpref", "ERR", "infAP", "IPrec", "Judged", "nDCG", "NumRel", "NumRet", "P", "R", "RBP", "Rprec", "RR",
    "SetAP", "Success",
)  # fmt: skip
"""Measures that both have under the same name and with the same meaning, as the tests verify. (IPrec is rounded as in
trec_eval 10; ir_measures itself uses version 9, which rounds up.)"""
NDCG_GAINS = {"log2": "linear", "exp-log2": "exp"}
"""The `dcg` parameter of ir_measures, and the corresponding `gain` of nDCG here."""


class AntecedeMeasure(library.Measure):  # type: ignore[misc]
    """A measure of antecede as an ir_measures measure."""

    def aggregator(self) -> Agg:
        """The aggregation over topics: usually the mean."""
        return Aggregator(translate_measure(self))


class Aggregator(Agg):  # type: ignore[misc]
    """Collects the values of topics and aggregates them as the measure defines."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Add the value of a topic."""
        self.values.append(value)

    def result(self) -> float:
        """The aggregate over all topics."""
        return float(self.measure.aggregate(np.array([self.values]))[0])


def make_measure_class(definition: MeasureDefinition) -> type[AntecedeMeasure]:
    """The ir_measures class for one of antecede's measures."""
    body = {
        "__name__": definition.name,
        "__doc__": definition.doc,
        "NAME": definition.name,
        "PRETTY_NAME": definition.summary.partition(":")[0].rstrip("."),
        "SHORT_DESC": definition.summary,
        "AT_PARAM": definition.at or "cutoff",
        "SUPPORTED_PARAMS": {each.name: describe_parameter(each) for each in definition.parameters},
        "DEFAULT": float("inf") if definition.better == "lower" and np.isinf(definition.bounds[1]) else 0.0,
    }
    return type(f"_{definition.name}", (AntecedeMeasure,), body)


def describe_parameter(parameter: Parameter) -> Any:
    """A parameter as declared in ir_measures."""
    kinds: dict[type, Any] = {float: (int, float), CollectionSize: (int, str)}
    kind = kinds.get(parameter.kind, parameter.kind)
    rest: dict[str, Any] = {"choices": parameter.choices} if parameter.choices else {}
    if not parameter.required and parameter.default is not None:
        rest["default"] = parameter.default
    return library.ParamInfo(dtype=kind, required=parameter.required, **rest)


def translate_measure(measure: Any) -> Measure:
    """The measure of antecede that corresponds to one of ir_measures; MeasureError if there is none."""
    name, given = measure.NAME, dict(measure.params)
    if not isinstance(measure, AntecedeMeasure):
        if name not in SHARED:
            raise MeasureError(f"{measure}: antecede has no such measure")
        given = translate_parameters(name, given, measure)
    at = MEASURES[name].at
    suffix = f"@{given.pop(at)}" if at in given else ""
    inner = ",".join(f"{key}={value}" for key, value in given.items())
    return parse_measure(f"{name}({inner}){suffix}" if inner else f"{name}{suffix}")


def translate_parameters(name: str, given: dict[str, Any], measure: Any) -> dict[str, Any]:
    """The parameters of an ir_measures measure as parameters of antecede's; unsupported ones are refused."""
    counting = name == "NumRet" and given.get("rel") is not None  # in ir_measures this is NumRelRet
    if given.pop("judged_only", False) or given.pop("gains", None) or counting:
        raise MeasureError(f"{measure}: antecede has no such parameter")
    if "dcg" in given:
        given["gain"] = NDCG_GAINS[given.pop("dcg")]
    return {key: value for key, value in given.items() if value is not NOT_GIVEN and value is not None}


class Evaluator(library.Evaluator):  # type: ignore[misc]
    """Scores runs against qrels that are read once."""

    def __init__(self, measures: Iterable[Any], qrels: object) -> None:
        self.translations = {measure: translate_measure(measure) for measure in measures}
        rows = [(row.query_id, row.doc_id, row.relevance) for row in QrelsConverter(qrels).as_namedtuple_iter()]
        self.qrels = read_qrels(make_frame(rows, "relevance"))
        refuse_grades(self.translations, self.qrels)
        super().__init__(list(self.translations), set(self.qrels.topics))

    def _iter_calc(self, run: object) -> Iterator[Any]:
        rows = [(row.query_id, row.doc_id, row.score) for row in RunConverter(run).as_namedtuple_iter()]
        if not rows:
            return
        table = rank_table(self.qrels, {"run": make_frame(rows, "score")})
        chosen = list(dict.fromkeys(self.translations.values()))
        scores = evaluate(table, chosen, no_relevant="zero")
        for measure, translation in self.translations.items():
            for topic, value in zip(table.topics, scores.values[chosen.index(translation), 0].tolist(), strict=True):
                yield library.Metric(query_id=topic, measure=measure, value=value)


def refuse_grades(measures: Iterable[Any], qrels: Qrels) -> None:
    """Refuse RBP without `rel` for graded qrels: in ir_measures it then weights by grade, and here it is binary."""
    graded = next((m for m in measures if m.NAME == "RBP" and m.params.get("rel") is None), None)
    if graded is not None and (qrels.relevance > 1).any():
        raise MeasureError(
            f"{graded}: the qrels have grades above 1, by which antecede's RBP does not weight; "
            f"name the lowest relevant one, as in RBP(p={graded['p']}, rel=1)"
        )


def make_frame(rows: list[tuple[Any, Any, Any]], value: str) -> pl.DataFrame:
    """Rows of ir_measures as a frame."""
    topics, docs, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return pl.DataFrame({"topic_id": list(map(str, topics)), "doc_id": list(map(str, docs)), value: list(numbers)})


class AntecedeProvider(library.Provider):  # type: ignore[misc]
    """The provider of antecede's measures, and of those measures of ir_measures that antecede has too."""

    NAME = "antecede"
    SUPPORTED_MEASURES: list[Any] = []  # noqa: RUF012 - declared this way in the base class

    def supports(self, measure: Any) -> bool:
        """Whether antecede can compute this measure with these parameters."""
        measure.validate_params()
        try:
            translate_measure(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: object) -> Evaluator:
        return Evaluator(measures, qrels)


def register_measures() -> dict[str, Any]:
    """Register antecede's measures; returns them by name, the object of ir_measures where both have one."""
    known: dict[str, Any] = {}
    for name, definition in MEASURES.items():
        if name not in library.measures.registry:
            library.measures.register(make_measure_class(definition)())
        known[name] = library.measures.registry[name]
    library.providers.register(provider)
    library.DefaultPipeline.providers.append(provider)
    return known


provider = AntecedeProvider()
measures = register_measures()
"""Every measure of antecede by name, for use with ir_measures."""


def __getattr__(name: str) -> Any:
    if name in measures:
        return measures[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
