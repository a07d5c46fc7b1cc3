"""Weights learned from the citations of an index, in one call: topics, their features, and the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

from antecede.learning.examples import collect_topics, gather_examples
from antecede.learning.learned_ranking import Learned, learn_ranking, learning_curve
from antecede.operations import Bundle, Help, Seed, Threads, operation, parse_day
from antecede.ranges import COUNT

if TYPE_CHECKING:
    from typing import TypedDict

    from typing_extensions import Unpack

    from antecede.engine import Engine
    from antecede.operations import Progress

    class GivenLessons(TypedDict, total=False):
        """The topics as keyword arguments, for type checkers."""

        citations: Literal["fields", "text", "both"]
        before: date | None
        most: int
        seed: int
        threads: int | None


@dataclass(frozen=True)
class Lessons(Bundle):
    """The topics that weights are learned from."""

    citations: Annotated[
        Literal["fields", "text", "both"], Help("Citations from the fields, numbers in the description, or both.")
    ] = "fields"
    before: Annotated[date | None, Help("Learn only from topics before this day.", metavar="DATE", parse=parse_day)] = (
        None
    )
    most: Annotated[int, COUNT, Help("The maximum number of topics, drawn at random.")] = 500
    seed: Seed = 0
    threads: Threads = None


@operation
def weights(
    index: Engine,
    topics: str | None = None,
    qrels: str | None = None,
    *,
    kind: Annotated[
        Literal["linear", "trees"], Help("Linear weights, or gradient-boosted trees (needs antecede[learn]).")
    ] = "linear",
    features: Annotated[
        Sequence[str] | None,
        Help(
            "A feature to weigh; may be repeated. All features: antecede list features.",
            flags="--feature",
            metavar="FEATURE",
            default="all that the index has",
        ),
    ] = None,
    curve: Annotated[bool, Help("Also show weights learned from fewer topics.")] = False,
    lessons: Lessons = Lessons(),
    progress: Progress | None = None,
    **_given: Unpack[GivenLessons],
) -> Learned:
    """Learn the weights of a ranking from citations, and show what each feature is worth.

    Every verb that searches uses the weights with --ranking FILE.json.

    Args:
        index: The index, from `open_index`.
        topics: Patents to learn from, as for `run`; by default, patents of the index that cite others of it.
        qrels: Which documents are relevant to the topics.
        progress: Called with (done, total) of each step.
        lessons: The topics, as one value.
    """
    chosen = None if features is None else [*features]
    choice = {name: value for name, value in vars(lessons).items() if name != "threads"}
    judged = collect_topics(index, topics, qrels, **choice, progress=progress)
    examples = gather_examples(
        index, judged.patents, judged.relevant, features=chosen, threads=lessons.threads, progress=progress
    )
    learned = learn_ranking(examples, kind=kind, progress=progress)
    return replace(learned, curve=learning_curve(examples)) if curve else learned
