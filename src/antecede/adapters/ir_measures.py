"""Our measures inside ir_measures, and so inside PyTerrier: PRES and its kin beside those that it has.

    import ir_measures
    from antecede.adapters.ir_measures import PRES
    ir_measures.calc_aggregate([PRES @ 100, ir_measures.nDCG @ 10], qrels, run)
    ir_measures.parse_measure("PRES@100")

Importing this file registers every measure that ir_measures lacks, and puts our provider behind its own ones. A name
that both have (AP, nDCG …) is their object; our provider computes it too, for whoever asks it: `provider.calc(…)`.

Topics count as they do there: every topic of the qrels, 0 where it has no relevant document. A document twice in a
topic is refused, where others take one of the two without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.errors import MeasureError
from antecede.evaluation import evaluate, rank_table
from antecede.measures import MEASURES, parse_measure
from antecede.trec import read_qrels

try:
    import ir_measures as theirs
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; this adapter needs it: pip install ir-measures", name=error.name) from None
from ir_measures.measures.base import Agg
from ir_measures.util import QrelsConverter, RunConverter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.measures import Measure, MeasureDefinition
    from antecede.registry import Parameter

NOT_GIVEN = theirs.measures.base._NOT_PROVIDED
SHARED = (
    "AP", "Bpref", "ERR", "infAP", "Judged", "nDCG", "NumRel", "NumRet", "P", "R", "RBP", "Rprec", "RR", "SetAP",
    "Success",
)  # fmt: skip
"""Measures that both have under the same name and with the same meaning: the tests compare them. (IPrec is not among
them, since versions of trec_eval round differently there.)"""
DCG = {"log2": "linear", "exp-log2": "exp"}
"""What they call the discount and gain of nDCG, and what we call the gain."""


class Ours(theirs.Measure):  # type: ignore[misc]
    """A measure of ours, written as ir_measures writes measures."""

    def aggregator(self) -> Agg:
        """What makes one number of the topics: most often their mean."""
        return Aggregator(translated(self))


class Aggregator(Agg):  # type: ignore[misc]
    """Collects the values of topics, and aggregates them as the measure says."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Take in a topic."""
        self.values.append(value)

    def result(self) -> float:
        """The number for all topics."""
        return float(self.measure.aggregate(np.array([self.values]))[0])


def measure_class(definition: MeasureDefinition) -> type[Ours]:
    """The class that stands for one of our measures there."""
    body = {
        "__name__": definition.name,
        "__doc__": definition.doc,
        "NAME": definition.name,
        "PRETTY_NAME": definition.summary.partition(":")[0].rstrip("."),
        "SHORT_DESC": definition.summary,
        "AT_PARAM": definition.at or "cutoff",
        "SUPPORTED_PARAMS": {each.name: parameter_info(each) for each in definition.parameters},
        "DEFAULT": float("inf") if definition.better == "lower" and np.isinf(definition.bounds[1]) else 0.0,
    }
    return type(f"_{definition.name}", (Ours,), body)


def parameter_info(parameter: Parameter) -> Any:
    """A parameter as ir_measures knows it."""
    kind = (int, float) if parameter.kind is float else parameter.kind
    rest: dict[str, Any] = {"choices": parameter.choices} if parameter.choices else {}
    if not parameter.required and parameter.default is not None:
        rest["default"] = parameter.default
    return theirs.ParamInfo(dtype=kind, required=parameter.required, **rest)


def translated(measure: Any) -> Measure:
    """The measure of ours that one of theirs stands for; MeasureError where there is none."""
    name, given = measure.NAME, dict(measure.params)
    if not isinstance(measure, Ours):
        if name not in SHARED:
            raise MeasureError(f"{measure}: antecede has no such measure")
        given = shared_parameters(name, given, measure)
    at = MEASURES[name].at
    behind = f"@{given.pop(at)}" if at in given else ""
    inner = ",".join(f"{key}={value}" for key, value in given.items())
    return parse_measure(f"{name}({inner}){behind}" if inner else f"{name}{behind}")


def shared_parameters(name: str, given: dict[str, Any], measure: Any) -> dict[str, Any]:
    """Parameters of a measure of theirs as ours has them; what ours cannot do is refused."""
    graded = name == "RBP" and given.get("rel") is None  # theirs then weighs by grade
    counting = name == "NumRet" and given.get("rel") is not None  # theirs then is NumRelRet
    if given.pop("judged_only", False) or given.pop("gains", None) or graded or counting:
        raise MeasureError(f"{measure}: antecede has no such parameter")
    if "dcg" in given:
        given["gain"] = DCG[given.pop("dcg")]
    return {key: value for key, value in given.items() if value is not NOT_GIVEN and value is not None}


class Evaluator(theirs.Evaluator):  # type: ignore[misc]
    """Scores runs against qrels that were read once."""

    def __init__(self, measures: Iterable[Any], qrels: object) -> None:
        self.ours = {each: translated(each) for each in measures}
        rows = [(each.query_id, each.doc_id, each.relevance) for each in QrelsConverter(qrels).as_namedtuple_iter()]
        self.qrels = read_qrels(frame_of(rows, "relevance"))
        super().__init__(list(self.ours), set(self.qrels.topics))

    def _iter_calc(self, run: object) -> Iterator[Any]:
        rows = [(each.query_id, each.doc_id, each.score) for each in RunConverter(run).as_namedtuple_iter()]
        if not rows:
            return
        table = rank_table(self.qrels, {"run": frame_of(rows, "score")})
        chosen = list(dict.fromkeys(self.ours.values()))
        scores = evaluate(table, chosen, no_relevant="zero")
        for measure, ours in self.ours.items():
            for topic, value in zip(table.topics, scores.values[chosen.index(ours), 0].tolist(), strict=True):
                yield theirs.Metric(query_id=topic, measure=measure, value=value)


def frame_of(rows: list[tuple[Any, Any, Any]], value: str) -> pl.DataFrame:
    """Rows of theirs as a frame that we read."""
    topics, docs, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return pl.DataFrame({"topic_id": list(map(str, topics)), "doc_id": list(map(str, docs)), value: list(numbers)})


class Antecede(theirs.Provider):  # type: ignore[misc]
    """What computes our measures there, and those of theirs that we have too."""

    NAME = "antecede"
    SUPPORTED_MEASURES: list[Any] = []  # noqa: RUF012 - declared so by the class above

    def supports(self, measure: Any) -> bool:
        """Whether this measure with these parameters is one of ours."""
        measure.validate_params()
        try:
            translated(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: object) -> Evaluator:
        return Evaluator(measures, qrels)


def register() -> dict[str, Any]:
    """Make our measures known there; every measure of ours by its name, where both have one that of theirs."""
    known: dict[str, Any] = {}
    for name, definition in MEASURES.items():
        if name not in theirs.measures.registry:
            theirs.measures.register(measure_class(definition)())
        known[name] = theirs.measures.registry[name]
    theirs.providers.register(provider)
    theirs.DefaultPipeline.providers.append(provider)
    return known


provider = Antecede()
measures = register()
"""Every measure of ours by name, ready for ir_measures."""


def __getattr__(name: str) -> Any:
    if name in measures:
        return measures[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
