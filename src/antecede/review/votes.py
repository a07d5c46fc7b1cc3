"""Votes: what each screener decided on a record at a stage, and the outcome that follows from the votes.

The votes of a screening are a log: a later vote of a screener on the same record replaces an earlier one, and both are
kept. One screener settles a record alone. In a team, a record needs the votes of two, and nobody sees the vote of
another before both have decided. Votes that differ are a conflict, which anybody of the team resolves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.errors import InputError, UsageError, printable, suggest_names
from antecede.review.marks import MAYBE as MAYBE_RELEVANT
from antecede.review.marks import NOT, RELEVANT, WITHDRAWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ABSTRACT, FULL_TEXT = "abstract", "full-text"
STAGES = {ABSTRACT: "title and abstract", FULL_TEXT: "full text"}
"""The stages of a screening in their order, with their names in sentences."""
INCLUDE, MAYBE, EXCLUDE, UNAVAILABLE = "include", "maybe", "exclude", "unavailable"
VERDICTS = {ABSTRACT: (INCLUDE, MAYBE, EXCLUDE), FULL_TEXT: (INCLUDE, EXCLUDE, UNAVAILABLE)}
"""What may be decided at a stage. A record that is `maybe` goes on to the full text; `unavailable` is a report that
could not be retrieved."""
VOTE, RESOLUTION, PRIOR = "vote", "resolution", "prior"
KINDS = (VOTE, RESOLUTION, PRIOR)
"""A screener's own vote; the resolution of a conflict; a decision that was known before the screening."""
RELEVANCE = {INCLUDE: RELEVANT, MAYBE: MAYBE_RELEVANT, EXCLUDE: NOT}
"""The mark of a record by its outcome at the first stage."""
REASONS = (
    "wrong population", "wrong intervention", "wrong comparator", "wrong outcome", "wrong study design",
    "wrong publication type",
)  # fmt: skip
"""Reasons for exclusion unless the team has its own."""
NO_REASON = "no reason given"
MAX_REASONS, MAX_TEAM, MAX_TEXT = 40, 40, 200


@dataclass(frozen=True)
class Protocol:
    """How a screening is done: by whom, with which reasons for exclusion, and which records it begins with."""

    team: tuple[str, ...] = ()
    """The screeners; empty where one person, whoever that is, screens alone."""
    reasons: tuple[str, ...] = REASONS
    sources: Mapping[str, int] = field(default_factory=dict)
    """The records of each file."""
    duplicates: int = 0
    """Records that were merged into another one."""
    unreadable: int = 0
    """Records that could not be read."""

    def __post_init__(self) -> None:
        for name, most in (("team", MAX_TEAM), ("reasons", MAX_REASONS)):
            texts = tuple(" ".join(text.split()) for text in getattr(self, name))
            object.__setattr__(self, name, texts)
            if len({*texts}) < len(texts) or "" in texts:
                raise UsageError(f"the {name} must have distinct names: {printable(', '.join(texts))}")
            if len(texts) > most or any(len(text) > MAX_TEXT for text in texts):
                raise UsageError(f"the {name} may have {most} names of {MAX_TEXT} characters at most")

    @property
    def required(self) -> int:
        """How many screeners decide on a record."""
        return 2 if len(self.team) > 1 else 1

    def check_screener(self, user: str) -> None:
        """Refuse somebody who is not of the team."""
        if self.team and user not in self.team:
            near = suggest_names(user, list(self.team))
            raise UsageError(f"{printable(user) or 'nobody'} is not of the team ({', '.join(self.team)}){near}")

    def find_reason(self, given: str) -> str:
        """The reason that a number or the beginning of a text denotes; empty for an empty one."""
        given = " ".join(given.split())
        if not given:
            return ""
        if given.isdecimal() and 0 < int(given) <= len(self.reasons):
            return self.reasons[int(given) - 1]
        matches = [reason for reason in self.reasons if reason.casefold().startswith(given.casefold())]
        exact = [reason for reason in matches if reason.casefold() == given.casefold()]
        if len(exact or matches) == 1:
            return (exact or matches)[0]
        known = ", ".join(f"{number} {reason}" for number, reason in enumerate(self.reasons, 1))
        raise UsageError(f"{printable(given)!r} is not one reason of the team; give the number of one of: {known}")

    def to_dict(self) -> dict[str, Any]:
        """The protocol as `from_dict` takes it."""
        return {
            "team": [*self.team],
            "reasons": [*self.reasons],
            "sources": dict(self.sources),
            "duplicates": self.duplicates,
            "unreadable": self.unreadable,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Protocol:
        """The protocol with these fields, from JSON; anything else is a `TypeError` or a `UsageError`."""
        texts = [*list.copy(values["team"]), *list.copy(values["reasons"]), *dict.keys(values["sources"])]
        counts = [*values["sources"].values(), values["duplicates"], values["unreadable"]]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a name is something else")
        if not all(type(count) is int and count >= 0 for count in counts):
            raise TypeError("a count is something else")
        return cls(**{**values, "team": tuple(values["team"]), "reasons": tuple(values["reasons"])})


@dataclass(frozen=True)
class Vote:
    """What one person decided on one record at one stage: a row of the store."""

    doc_id: str
    stage: str
    verdict: str
    """One of `VERDICTS` of its stage; `withdrawn` where an earlier vote is taken back."""
    kind: str = VOTE
    reason: str = ""
    """Why it is excluded."""
    note: str = ""
    user: str = ""
    time: str = ""
    """When: a date and time in ISO form."""

    def __post_init__(self) -> None:
        if self.stage not in STAGES or self.kind not in KINDS:
            raise InputError(
                f"{printable(self.stage)!r} is not a stage", doc_id=self.doc_id, remedy=" or ".join(STAGES)
            )
        if self.verdict not in (*VERDICTS[self.stage], WITHDRAWN):
            what = f"{printable(self.verdict)!r} is not a decision on a {STAGES[self.stage]}"
            raise InputError(what, doc_id=self.doc_id, remedy=f"decide {', '.join(VERDICTS[self.stage])}")
        if self.reason and self.verdict != EXCLUDE:
            raise InputError("has a reason for exclusion, but is not excluded", doc_id=self.doc_id)

    @property
    def included(self) -> bool:
        """Whether the record goes on."""
        return self.verdict in (INCLUDE, MAYBE)

    def to_dict(self) -> dict[str, Any]:
        """The vote in a JSON-compatible form."""
        return {name: getattr(self, name) for name in VOTE_FIELDS}


VOTE_FIELDS = tuple(each.name for each in fields(Vote))


class Outcome(NamedTuple):
    """What was decided on a record at a stage, once it is settled."""

    verdict: str
    reason: str
    by: tuple[str, ...]
    """Who decided: both screeners, or whoever resolved the conflict."""
    kind: str
    time: str

    @property
    def included(self) -> bool:
        return self.verdict in (INCLUDE, MAYBE)


class Ballot:
    """The votes on one record at one stage."""

    def __init__(self, doc_id: str, stage: str) -> None:
        self.doc_id, self.stage = doc_id, stage
        self.votes: dict[str, Vote] = {}
        """The vote of each screener that holds, in the order in which they first voted."""
        self.overruling: Vote | None = None
        """The resolution or the prior decision, which holds whatever the votes are."""
        self.blind: tuple[Vote, ...] = ()
        """The votes when as many as required had been given: nobody had seen those of others."""

    def add(self, vote: Vote, required: int) -> None:
        if vote.kind != VOTE:
            self.overruling = vote if vote.verdict != WITHDRAWN else None
        elif vote.verdict == WITHDRAWN:
            self.votes.pop(vote.user, None)
        else:
            self.votes[vote.user] = vote
        if not self.blind and len(self.votes) >= required:
            self.blind = tuple(self.votes.values())

    def outcome(self, required: int) -> Outcome | None:
        """What is decided; None where votes are missing or differ."""
        if self.overruling is not None:
            vote = self.overruling
            return Outcome(vote.verdict, vote.reason, (vote.user,), vote.kind, vote.time)
        votes = [*self.votes.values()]
        if len(votes) < required or self._differs:
            return None
        verdicts, reasons = {vote.verdict for vote in votes}, {vote.reason for vote in votes}
        verdict = verdicts.pop() if len(verdicts) == 1 else MAYBE  # include and maybe
        reason = reasons.pop() if len(reasons) == 1 else ""
        return Outcome(verdict, reason, tuple(self.votes), VOTE, max(vote.time for vote in votes))

    def in_conflict(self, required: int) -> bool:
        return self.overruling is None and len(self.votes) >= required and self._differs

    @property
    def _differs(self) -> bool:
        """Whether the votes lead to different outcomes; of full texts the reasons count, since reports tell them."""
        votes = self.votes.values()
        if self.stage == ABSTRACT:
            return len({vote.included for vote in votes}) > 1
        return len({(vote.verdict, vote.reason) for vote in votes}) > 1


class Votes:
    """The votes of a screening, in the order in which they were given.

    Args:
        required: How many screeners decide on a record.
        votes: The votes.
    """

    def __init__(self, required: int = 1, votes: Iterable[Vote] = ()) -> None:
        self.required = required
        self.log: list[Vote] = []
        self.ballots: dict[str, dict[str, Ballot]] = {stage: {} for stage in STAGES}
        """Stage → record → the votes on it."""
        for vote in votes:
            self.add(vote)

    def add(self, vote: Vote) -> None:
        self.log.append(vote)
        ballots = self.ballots[vote.stage]
        ballots.setdefault(vote.doc_id, Ballot(vote.doc_id, vote.stage)).add(vote, self.required)

    def __len__(self) -> int:
        return len(self.log)

    def ballot(self, stage: str, doc_id: str) -> Ballot:
        """The votes on a record; none yet where nobody has decided."""
        return self.ballots[stage].get(doc_id) or Ballot(doc_id, stage)

    def outcome(self, stage: str, doc_id: str) -> Outcome | None:
        return self.ballot(stage, doc_id).outcome(self.required)

    def outcomes(self, stage: str) -> dict[str, Outcome]:
        """The outcome of each record that is settled, in the order in which they were first voted on."""
        made = ((doc_id, ballot.outcome(self.required)) for doc_id, ballot in self.ballots[stage].items())
        return {doc_id: outcome for doc_id, outcome in made if outcome is not None}

    def conflicts(self, stage: str) -> list[Ballot]:
        """The records whose votes differ, in the order in which they were first voted on."""
        return [ballot for ballot in self.ballots[stage].values() if ballot.in_conflict(self.required)]

    def closed(self, stage: str, doc_id: str) -> bool:
        """Whether as many as required have decided: from then on the votes are shown, and only resolved."""
        ballot = self.ballot(stage, doc_id)
        return ballot.overruling is not None or len(ballot.votes) >= self.required

    def waiting(self, stage: str, user: str) -> list[str]:
        """Records that others have voted on and that wait for the vote of a user."""
        return [
            doc_id
            for doc_id, ballot in self.ballots[stage].items()
            if ballot.votes and user not in ballot.votes and not self.closed(stage, doc_id)
        ]

    def undecided(self, stage: str) -> list[str]:
        """Records with a vote that are not settled: another vote is missing, or there is a conflict."""
        return [
            doc_id
            for doc_id, ballot in self.ballots[stage].items()
            if ballot.votes and ballot.outcome(self.required) is None
        ]

    def pairs(self, stage: str) -> Iterator[tuple[Vote, Vote]]:
        """The votes of each two screeners on the same record, as they were before either saw the other's."""
        for ballot in self.ballots[stage].values():
            if len(ballot.blind) > 1:
                first, second = sorted(ballot.blind[:2], key=lambda vote: vote.user)
                yield first, second

    def reasons(self, stage: str) -> dict[str, int]:
        """How many records were excluded for each reason, the most frequent first."""
        outcomes = self.outcomes(stage).values()
        counts = Counter(outcome.reason or NO_REASON for outcome in outcomes if outcome.verdict == EXCLUDE)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
