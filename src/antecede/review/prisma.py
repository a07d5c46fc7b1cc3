"""The PRISMA 2020 statement of a screening: its counts as a table, the flow diagram, and the methods in words.

Page MJ et al., *The PRISMA 2020 statement*, BMJ 2021;372:n71. The diagram is the one for new reviews that searched
databases and registers. What is not decided yet has lines of its own, so that every count adds up at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.agreement import measure_agreement
from antecede.review.votes import ABSTRACT, FULL_TEXT, NO_REASON, PRIOR, RESOLUTION, STAGES, UNAVAILABLE
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.review.votes import Protocol, Votes


@dataclass(frozen=True, eq=False)
class PrismaFlow(PlotMixin, Tabled):
    """The counts of the PRISMA 2020 flow diagram."""

    __repr__ = concise_repr

    sources: Mapping[str, int]
    """The records identified in each file."""
    duplicates: int
    unreadable: int
    unscreened: int
    """Records that nobody has decided on: the reading has not come to them, or ended before."""
    undecided: int
    """Records with a vote whose title and abstract is not settled: a second vote or a resolution is missing."""
    screened: int
    """Records whose title and abstract is settled."""
    known: int
    """Those of them that were decided before the screening began."""
    excluded: int
    unretrieved: int
    """Reports that could not be retrieved."""
    unassessed: int
    """Reports whose full text is not settled."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """The reports excluded for each reason."""
    included: int = 0

    @property
    def identified(self) -> int:
        return sum(self.sources.values())

    @property
    def sought(self) -> int:
        """Reports sought for retrieval: the records that were not excluded by title and abstract."""
        return self.screened - self.excluded

    @property
    def assessed(self) -> int:
        """Reports whose full text was assessed."""
        return sum(self.reasons.values()) + self.included

    @property
    def complete(self) -> bool:
        """Whether nothing waits for a decision, apart from records that the reading did not come to."""
        return not self.undecided and not self.unassessed

    def check(self) -> list[str]:
        """What does not add up; nothing, unless records were added to or taken from the case."""
        removed = self.duplicates + self.unreadable + self.unscreened + self.undecided
        sums = (
            ("identified", self.identified, removed + self.screened),
            ("sought for retrieval", self.sought, self.unretrieved + self.unassessed + self.assessed),
        )
        return [f"{total} {what}, but {parts} accounted for" for what, total, parts in sums if total != parts]

    def rows(self) -> list[tuple[str, str, int]]:
        """Phase, what is counted, and how many; lines that say what is still open only where there is something."""
        identification, screening, included = "identification", "screening", "included"
        return [
            (identification, "records identified", self.identified),
            *((identification, f"  from {name}", count) for name, count in self.sources.items()),
            (identification, "duplicate records removed", self.duplicates),
            (identification, "records removed that cannot be read", self.unreadable),
            (identification, "records not screened", self.unscreened),
            *([(screening, "records that await a decision", self.undecided)] if self.undecided else []),
            (screening, "records screened", self.screened),
            *([(screening, "  of which known beforehand", self.known)] if self.known else []),
            (screening, "records excluded", self.excluded),
            (screening, "reports sought for retrieval", self.sought),
            (screening, "reports not retrieved", self.unretrieved),
            *([(screening, "reports that await a decision", self.unassessed)] if self.unassessed else []),
            (screening, "reports assessed for eligibility", self.assessed),
            (screening, "reports excluded", sum(self.reasons.values())),
            *((screening, f"  {reason}", count) for reason, count in self.reasons.items()),
            (included, "reports included in the review", self.included),
        ]

    def table(self) -> Table:
        """The counts, in the order of the diagram."""
        problems = tuple(f"the counts do not add up: {problem}" for problem in self.check())
        return Table(("phase", "what", "number"), tuple(self.rows()), "PRISMA 2020", problems, grouped=1)

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        names = ("identified", "duplicates", "unreadable", "unscreened", "undecided", "screened", "known", "excluded",
                 "sought", "unretrieved", "unassessed", "assessed", "included", "complete")  # fmt: skip
        return {
            "sources": dict(self.sources),
            **{name: getattr(self, name) for name in names},
            "reasons": dict(self.reasons),
        }


def count_flow(protocol: Protocol, records: Iterable[str], votes: Votes) -> PrismaFlow:
    """The counts of a screening.

    Args:
        protocol: How it is done.
        records: The records that can be screened.
        votes: All votes.
    """
    names = {*records}
    first, second = votes.outcomes(ABSTRACT), votes.outcomes(FULL_TEXT)
    undecided = votes.undecided(ABSTRACT)
    sought = [doc_id for doc_id, outcome in first.items() if outcome.included]
    reports = {doc_id: second[doc_id] for doc_id in sought if doc_id in second}
    counts = dict.fromkeys(votes.reasons(FULL_TEXT), 0)
    for outcome in reports.values():
        if not outcome.included and outcome.verdict != UNAVAILABLE:
            counts[outcome.reason or NO_REASON] += 1
    return PrismaFlow(
        sources=protocol.sources,
        duplicates=protocol.duplicates,
        unreadable=protocol.unreadable,
        unscreened=len(names.difference(first, undecided)),
        undecided=len(undecided),
        screened=len(first),
        known=sum(outcome.kind == PRIOR for outcome in first.values()),
        excluded=len(first) - len(sought),
        unretrieved=sum(outcome.verdict == UNAVAILABLE for outcome in reports.values()),
        unassessed=len(sought) - len(reports),
        reasons={reason: count for reason, count in counts.items() if count},
        included=sum(outcome.included for outcome in reports.values()),
    )


# Methods

LEARNING = (
    "Records were ranked by active learning on the words and word pairs of titles and abstracts (ridge regression on "
    "tf-idf vectors"
)


def describe_methods(flow: PrismaFlow, protocol: Protocol, votes: Votes, stopping: str = "") -> str:
    """A paragraph for the section on methods of a report.

    Args:
        flow: The counts.
        protocol: How the screening is done.
        votes: All votes.
        stopping: What the stopping rule said, in words.
    """
    files = f"{len(flow.sources)} exports of databases" if len(flow.sources) > 1 else "an export of a database"
    left = [_count(flow.duplicates, "duplicate")] if flow.duplicates else []
    left += [f"{_count(flow.unreadable, 'record')} that could not be read"] if flow.unreadable else []
    records = flow.identified - flow.duplicates - flow.unreadable
    removed = f" {' and '.join(left)} were removed." if left else ""
    who = f"{len(protocol.team)} reviewers" if len(protocol.team) > 2 else "two reviewers"
    how = f"by {who} independently, two for each record," if protocol.required > 1 else "by one reviewer"
    sentences = [
        f"{_count(flow.identified, 'record')} {_was(flow.identified)} read from {files}.{removed}",
        f"{LEARNING}, antecede {version('antecede')}), and the ranking was renewed with the decisions.",
        f"{flow.screened:,} of {_count(records, 'record')} were screened by title and abstract {how}".rstrip(",")
        + (f"; {flow.known:,} of these decisions were known beforehand." if flow.known else "."),
    ]
    if flow.unscreened and stopping:
        sentences.append(f"Stopping rule: {stopping}.")
    if flow.sought and (flow.assessed or flow.unretrieved):
        got = f"; {flow.unretrieved:,} could not be retrieved" if flow.unretrieved else ""
        sentences.append(f"{_count(flow.sought, 'full text')} {_was(flow.sought)} sought{got}.")
        sentences.append(f"{_count(flow.included, 'report')} {_was(flow.included)} included.")
    for pair in measure_agreement(votes).pairs:
        low, high = pair.interval()
        kappa = f"{pair.kappa:.2f}" if pair.kappa is not None else "undefined"
        sentences.append(
            f"Agreement of {' and '.join(pair.screeners)} on {pair.records:,} records by {STAGES[pair.stage]}: Cohen's "
            f"κ {kappa} (95 % interval {low:.2f} to {high:.2f})."
        )
    resolved = [outcome for stage in STAGES for outcome in votes.outcomes(stage).values() if outcome.kind == RESOLUTION]
    if resolved:
        people = sorted({name for outcome in resolved for name in outcome.by if name})
        by = f" by {' and '.join(people)}" if people else ""
        sentences.append(f"{_count(len(resolved), 'conflict')} {_was(len(resolved))} resolved{by}.")
    if not flow.complete:
        waiting = flow.undecided + flow.unassessed
        sentences.append(f"The screening is not complete: {_count(waiting, 'decision')} still to be made.")
    return " ".join(sentences)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
