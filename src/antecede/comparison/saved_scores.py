"""What one run scored on each topic, as a small file of JSON: the baseline that a gate holds later runs against."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.arrays import finite_or_none
from antecede.errors import InputError, MeasureError, UsageError, shown
from antecede.evaluation import evaluate, rank_table
from antecede.evaluation.audit import list_caveats
from antecede.files import write_whole
from antecede.measures import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.results import concise_repr
from antecede.trec.content import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.arrays import Floats
    from antecede.evaluation import RankTable
    from antecede.measures import Measure

FORMAT = "antecede topic scores"
VERSION = 1
REMEDY = "make it again with `antecede gate QRELS RUN --save FILE`"
LARGEST_HEAD = 4096
ROUNDING = 1e-9
"""How far a score may lie outside the bounds of its measure."""


@dataclass(frozen=True, eq=False)
class TopicScores:
    """The scores of one run, by measure and topic."""

    __repr__ = concise_repr

    name: str
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    """Measure → topic → score."""
    unanswered: tuple[str, ...] = ()
    """Topics for which the run has no document."""
    qrels: str = ""
    """A checksum of what was judged."""
    warnings: tuple[str, ...] = ()
    """What was odd when the run was read, such as lines left out or an order in doubt. Not saved."""

    def of(self, measure: str, topics: Sequence[str]) -> Floats:
        """float64[topics]; NaN where there is no score."""
        return np.array([self.scores[measure].get(topic, np.nan) for topic in topics])

    def sign(self, measure: str) -> int:
        """−1 for a measure where less is better."""
        return -1 if parse_measure(measure).definition.better == "lower" else 1

    def to_dict(self) -> dict[str, Any]:
        """As the file has it."""
        from importlib.metadata import version

        return {
            "format": FORMAT,
            "version": VERSION,
            "antecede": version("antecede"),
            "run": self.name,
            "qrels": self.qrels,
            "measures": [*self.measures],
            "unanswered": [*self.unanswered],
            "scores": {
                name: {topic: finite_or_none(each) for topic, each in of.items()} for name, of in self.scores.items()
            },
        }

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, (json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n").encode())


def scores_of(qrels: object, run: object, measures: str | Sequence[str] | None = None, **reading: Any) -> TopicScores:
    """Score one run, topic by topic. A topic that it does not answer scores as if nothing had been retrieved."""
    chosen = parse_measures(measures or DEFAULT_MEASURES)
    whole = next((measure for measure in chosen if measure.definition.aggregate_only), None)
    if whole is not None:
        raise UsageError(f"{whole}: is defined for a set of topics only, so it cannot be tested; leave it out")
    table = rank_table(qrels, [run], **reading)
    scores = evaluate(table, chosen)
    endless = np.argwhere(np.isinf(scores.values))
    if len(endless):
        measure, topic = chosen[endless[0][0]], shown(table.topics[endless[0][2]])
        raise UsageError(f"{measure}: topic {topic} never gets there; set docs=, or choose another measure")
    silent = (table.missing[0] & ~table.without_relevant).tolist()
    return TopicScores(
        table.runs[0],
        tuple(map(str, chosen)),
        scores.topics,
        {
            str(measure): {
                topic: float(value)
                for topic, value in zip(scores.topics, scores.of(str(measure))[0], strict=True)
                if not np.isnan(value)
            }
            for measure in chosen
        },
        tuple(topic for topic, missing in zip(table.topics, silent, strict=True) if missing),
        judged(table),
        (*list_caveats(table, missing=None), *scores.order_conflicts()),
    )


def judged(table: RankTable) -> str:
    """A checksum of the judgements."""
    ranks = table.ranks
    found = hashlib.sha256("\0".join(table.topics).encode())
    for part in (ranks.offsets.tobytes(), ranks.relevance.tobytes(), "\0".join(table.docs.to_list()).encode()):
        found.update(part)
    return found.hexdigest()[:16]


def read_baseline(
    given: object, qrels: object, measures: str | Sequence[str] | None = None, **reading: Any
) -> TopicScores:
    """The baseline that a user names: scores that were saved, or a run, which is scored now."""
    if isinstance(given, TopicScores):
        return given
    if isinstance(given, str | Path) and is_saved(Path(given)):
        return read_saved(Path(given))
    return scores_of(qrels, given, measures, **reading)


def is_saved(path: Path) -> bool:
    """Whether a file is JSON, as no run is."""
    try:
        if not path.is_file():  # opening a pipe to look at it would lose what is in it
            return False
        with path.open("rb") as file:
            return file.read(LARGEST_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    except (OSError, ValueError):
        return False


def read_saved(path: Path) -> TopicScores:
    """Scores that `save` wrote; a file that holds anything else is refused with the reason."""
    source = str(path)
    data = read_file(path, source)
    try:
        whole = json.loads(data.decode("utf-8-sig"), object_pairs_hook=without_repetition)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as JSON ({shown(str(error))})", source=source, remedy=REMEDY) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or whole.get("version") != VERSION:
        raise InputError("holds no scores of topics that this antecede can read", source=source, remedy=REMEDY)
    try:
        return restore(whole)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, MeasureError) as error:
        raise InputError(f"is damaged ({shown(str(error))})", source=source, remedy=REMEDY) from None


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no name occurs twice: else one of its values would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def restore(whole: dict[str, Any]) -> TopicScores:
    """The scores that a file holds, if they can be scores of these measures."""
    measures = [parse_measure(name) for name in texts(whole["measures"])]
    if not measures or len({*measures}) < len(measures) or {*whole["scores"]} != {*whole["measures"]}:
        raise ValueError("its measures are not those of its scores")
    scores = {
        str(measure): {topic: score(value, measure) for topic, value in whole["scores"][name].items()}
        for measure, name in zip(measures, whole["measures"], strict=True)
    }
    topics = tuple(dict.fromkeys(topic for of in scores.values() for topic in of))
    unanswered = texts(whole["unanswered"])
    if len({*unanswered}) < len(unanswered):
        raise ValueError("a topic without documents is named twice")
    run, qrels = texts([whole["run"], whole["qrels"]])
    return TopicScores(run, tuple(scores), topics, scores, tuple(unanswered), qrels)


def texts(values: object) -> list[str]:
    """A list of texts; anything else is damage."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{shown(str(values))} is not a list of texts")
    return values


def score(value: object, measure: Measure) -> float:
    """A score that the measure can have; anything else is damage."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{shown(str(value))} is not a score")
    low, high = measure.definition.bounds
    if measure.definition.aggregate_only or not low - ROUNDING <= value <= high + ROUNDING:
        raise ValueError(f"{measure} cannot be {value} on a topic")
    return float(value)
