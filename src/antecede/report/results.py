"""What a report shows: the results of an experiment, in parts, one for each set of topics (a language, say)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.comparison import Agreement, Comparison, Correlations
    from antecede.evaluation import Audit, RankTable, Scores
    from antecede.study import Cutoffs, Robustness
    from antecede.study.term_counts import TermCounts

    Study = Agreement | Correlations | Cutoffs | Robustness | TermCounts

Queries = Mapping[str, Mapping[str, float]]
"""Topic → term → weight, the heaviest terms first."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run besides its rankings; of somebody else's run, nothing."""

    method: str = ""
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How queries were made and searched, as the plan of the batch says."""
    terms: float | None = None
    """Terms searched with, the mean over topics."""
    milliseconds: float | None = None
    """Time a topic took, from its text to its list."""
    making: float | None = None
    """Of this time, what making the query took."""
    notes: tuple[str, ...] = ()
    """What was said of topics on the way, and those that found nothing, with the reason."""


@dataclass(frozen=True, eq=False)
class Part:
    """Runs over one set of topics: a table of the report, its figures, its topics."""

    name: str
    """Short, of letters and digits; no two parts have the same."""
    title: str
    ranks: RankTable
    scores: Scores
    audit: Audit
    comparison: Comparison | None = None
    """Against the baseline; none where there is but one run."""
    studies: Mapping[str, Study] = field(default_factory=dict)
    """By the name of the verb: agreement, correlate, cutoffs, robustness, terms."""
    runs: Mapping[str, RunFacts] = field(default_factory=dict)
    queries: Callable[[str], Queries] = lambda _: {}
    """The queries of a run, read when they are needed; empty for somebody else's run."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles of topics and of judged documents, as far as they are known."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Results:
    """All that a report shows."""

    title: str
    parts: tuple[Part, ...]
    record: Mapping[str, Any] = field(default_factory=dict)
    """What a stranger needs to run it again: versions, options, seeds, checksums, machine, dates, steps."""
