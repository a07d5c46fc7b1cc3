"""The screening of a systematic review: which record comes next for whom, votes, and what follows from them.

    with start_screening("review.sqlite", index, "mobile health", Protocol(("ann", "ben"))) as review:
        screening = ScreeningCase(review, "ann")
        [record] = screening.next()
        screening.vote(record.doc_id, INCLUDE)

A screening is a case whose plan has a protocol. What a screener is shown depends on nothing but their own votes and on
records that are settled, so that nobody learns how another voted before both have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from antecede.engine import read_record
from antecede.errors import InputError, UsageError, printable, spell, suggest_names
from antecede.review.case import Review, ReviewPlan, name_text, shorten
from antecede.review.labels import IRRELEVANT, read_decision
from antecede.review.labels import MAYBE as MAYBE_LABEL
from antecede.review.marks import WITHDRAWN, current_time
from antecede.review.reading import ACTIVE, find_batch
from antecede.review.record_vectors import text_of_record, vectors_of_records
from antecede.review.vectors import split_words
from antecede.review.votes import (
    ABSTRACT,
    EXCLUDE,
    FULL_TEXT,
    INCLUDE,
    MAYBE,
    PRIOR,
    RESOLUTION,
    STAGES,
    VOTE,
    Protocol,
    Vote,
    Votes,
)
from antecede.text.profiles import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.agreement import ScreenerAgreement
    from antecede.review.prisma import PrismaFlow
    from antecede.review.votes import Ballot

Stage = Literal["abstract", "full-text"]
LONGEST_NOTE = 2000
MAX_WORDS = 12
"""Learnt words of a record that are marked."""
LEAST_SHARE = 0.2
"""A word is marked whose weight is at least this share of that of the best word of the record."""


class ClosedError(UsageError):
    """Both screeners have decided on the record already."""


@dataclass(frozen=True)
class ShownRecord:
    """A record as a screener reads it."""

    doc_id: str
    stage: str
    title: str
    authors: tuple[str, ...]
    journal: str
    year: str
    doi: str
    link: str
    abstract: str
    keywords: tuple[str, ...]
    words: tuple[str, ...]
    """Words of title and abstract that speak for inclusion, by what was learned so far, the strongest first."""
    vote: Vote | None
    """The screener's own vote, if there is one."""


@dataclass(frozen=True)
class StageProgress:
    """How far a stage is, for one screener."""

    stage: str
    records: int
    """Those that can be decided on at this stage."""
    settled: int
    included: int
    excluded: int
    """Those that do not go on: excluded, or unavailable."""
    conflicts: int
    mine: int
    """Votes of the screener."""
    waiting: int
    """Records that another screener has decided on, and this one has not."""

    @property
    def open(self) -> int:
        """Records on which nothing is settled."""
        return self.records - self.settled


class ScreeningCase:
    """A screening as one screener sees it.

    Args:
        review: The case, which has a protocol.
        user: The screener.
    """

    def __init__(self, review: Review, user: str = "") -> None:
        if review.plan.protocol is None:
            raise UsageError(
                f"case {printable(review.case.name)} is no screening; `antecede review start REFERENCES` begins one"
            )
        self.review, self.user, self.protocol = review, user, review.plan.protocol
        self._votes = Votes(self.protocol.required)

    @property
    def votes(self) -> Votes:
        """The votes as they are in the store now."""
        return self.review.store.votes(self.review.id, self._votes)

    # Reading

    def next(self, number: int = 1, stage: str = ABSTRACT, *, without: Sequence[str] = ()) -> list[ShownRecord]:
        """The records that the screener reads next; none where everything is decided.

        First those that another screener has decided on, so that two who stop early have read the same; then the most
        promising.
        """
        self.protocol.check_screener(self.user)
        chosen: list[str] = []
        postponed = {*without}
        for doc_id in self._queue(stage):
            if len(chosen) == number:
                break
            if doc_id not in postponed:
                postponed.add(doc_id)
                chosen.append(doc_id)
        return [self.show(doc_id, stage) for doc_id in chosen]

    def _queue(self, stage: str) -> Iterator[str]:
        votes = self.votes
        ballots = votes.ballots[stage]
        done = {name for name, ballot in ballots.items() if self.user in ballot.votes or votes.closed(stage, name)}
        yield from votes.waiting(stage, self.user)
        for doc_id in self._order(votes) if stage == ABSTRACT else self._reports(votes):
            if doc_id not in done:
                yield doc_id

    def _reports(self, votes: Votes) -> list[str]:
        """The records whose full text is sought."""
        return [doc_id for doc_id, outcome in votes.outcomes(ABSTRACT).items() if outcome.included]

    def _labels(self, votes: Votes) -> dict[str, bool]:
        """What the learner may know: records that are settled, and the screener's own votes, in their order."""
        labels: dict[str, bool] = {}
        for doc_id, ballot in votes.ballots[ABSTRACT].items():
            if (outcome := ballot.outcome(votes.required)) is not None:
                labels[doc_id] = outcome.included
            elif self.user in ballot.votes:
                labels[doc_id] = ballot.votes[self.user].included
        return labels

    def _order(self, votes: Votes) -> list[str]:
        """The records, the most promising first, by the labels of the last batch."""
        learner, labels = self.review.learner, self._labels(votes)
        known = [doc_id for doc_id in labels if doc_id in learner.vectors.places]
        rows = learner.vectors.rows_of(known[: find_batch(len(known))[0]])
        included = np.array([labels[doc_id] for doc_id in known[: len(rows)]], np.bool_)
        order, _ = learner.rank_rows(rows[included], rows[~included])
        return [learner.vectors.doc_ids[row] for row in order.tolist()]

    def show(self, doc_id: str, stage: str = ABSTRACT) -> ShownRecord:
        """A record with everything that a screener reads."""
        record, ballot = self.record(doc_id), self.votes.ballot(stage, doc_id)
        original = {name.casefold(): text for name, text in record.original.items()}
        links = (original.get(name, "") for name in ("ur", "url", "lk", "link"))
        doi = str(record.doi or "")
        year = record.publication_year or (record.publication_date.year if record.publication_date else "")
        return ShownRecord(
            doc_id,
            stage,
            title=" ".join(record.title.values()),
            authors=tuple(record.authors),
            journal=str(record.journal or ""),
            year=str(year),
            doi=doi,
            link=f"https://doi.org/{doi}" if doi else next((link for link in links if link.startswith("http")), ""),
            abstract="\n\n".join(record.abstract.values()),
            keywords=tuple(record.keywords),
            words=self._learnt_words(record) if stage == ABSTRACT else (),
            vote=ballot.votes.get(self.user),
        )

    def record(self, doc_id: str) -> Patent:
        """A record of the screening; an unknown one is refused."""
        index = self._index
        number = int(index.numbers([doc_id])[0])
        if number < 0:
            near = suggest_names(doc_id, self.review.doc_ids) if len(self.review.doc_ids) < 20_000 else ""
            raise InputError(f"is not a record of the screening{near}", doc_id=doc_id)
        return read_record(index, number)

    @property
    def _index(self) -> Engine:
        index = self.review.opened_index
        if index is None:
            raise UsageError(f"the index of the records is not there; give it with {spell('index')}")
        return index

    @cached_property
    def _columns(self) -> dict[str, int]:
        """The column of each word that can be marked, which no word is that occurs in any text of a language."""
        words, common = (
            self.review.learner.vectors.words,
            {word for each in LANGUAGES.values() for word in each.stop_words},
        )
        return {word: at for word, at in words().items() if word not in common} if words is not None else {}

    def _learnt_words(self, record: Patent) -> tuple[str, ...]:
        learner = self.review.learner
        weights = learner.weights
        if weights is None:
            return ()
        columns = {word: self._columns[word] for word in split_words(text_of_record(record)) if word in self._columns}
        scores = {word: float(weights[at]) for word, at in columns.items() if weights[at] > 0}
        best = sorted(scores, key=lambda word: -scores[word])[:MAX_WORDS]
        return tuple(word for word in best if scores[word] >= LEAST_SHARE * scores[best[0]])

    # Voting

    def vote(self, doc_id: str, verdict: str, stage: str = ABSTRACT, *, reason: str = "", note: str = "") -> Vote:
        """Vote on a record; when this returns, the vote is on disk.

        Args:
            doc_id: The record.
            verdict: `include`, `maybe` or `exclude`; of a full text also `unavailable`.
            stage: `abstract` or `full-text`.
            reason: Why it is excluded: a reason of the team, its number, or how it begins.
            note: A note.
        """
        reason = self.protocol.find_reason(reason)
        return self._save(Vote(doc_id, stage, verdict, VOTE, reason, note[:LONGEST_NOTE], self.user, current_time()))

    def withdraw(self, doc_id: str, stage: str = ABSTRACT) -> Vote:
        """Take the screener's own vote back, as long as nobody else relies on it."""
        if self.user not in self.votes.ballot(stage, doc_id).votes:
            raise UsageError(f"{printable(doc_id)} has no vote of yours by {STAGES[stage]}")
        return self._save(Vote(doc_id, stage, WITHDRAWN, user=self.user, time=current_time()))

    def resolve(self, doc_id: str, verdict: str, stage: str = ABSTRACT, *, reason: str = "", note: str = "") -> Vote:
        """Decide a conflict, or overrule what two agreed on; the votes stay as they are."""
        reason = self.protocol.find_reason(reason)
        return self._save(
            Vote(doc_id, stage, verdict, RESOLUTION, reason, note[:LONGEST_NOTE], self.user, current_time())
        )

    def _save(self, vote: Vote) -> Vote:
        self.record(vote.doc_id)
        self._votes = self.review.store.put_votes(self.review.id, [vote], self.protocol.required, self._check)
        return vote

    def _check(self, votes: Votes, vote: Vote) -> None:
        """Refuse a vote of somebody else, on a report that is not sought, or after both have decided."""
        if vote.kind == VOTE:
            self.protocol.check_screener(vote.user)
        first = votes.outcome(ABSTRACT, vote.doc_id)
        if vote.stage == FULL_TEXT and (first is None or not first.included):
            raise UsageError(f"the full text of {printable(vote.doc_id)} is not sought: its abstract is not included")
        closed = votes.closed(vote.stage, vote.doc_id)
        ballot = votes.ballot(vote.stage, vote.doc_id)
        if vote.kind == RESOLUTION and not closed:
            raise UsageError(f"{printable(vote.doc_id)} is still to be voted on; there is nothing to resolve")
        if vote.kind == VOTE and closed and (votes.required > 1 or ballot.overruling is not None):
            raise ClosedError(f"{printable(vote.doc_id)} is decided; a conflict or an error is resolved instead")

    # How far it is

    def progress(self, stage: str) -> StageProgress:
        votes = self.votes
        outcomes = votes.outcomes(stage)
        records = len(self.review.doc_ids) if stage == ABSTRACT else len(self._reports(votes))
        if stage == FULL_TEXT:
            sought = {*self._reports(votes)}
            outcomes = {doc_id: outcome for doc_id, outcome in outcomes.items() if doc_id in sought}
        included = sum(outcome.included for outcome in outcomes.values())
        return StageProgress(
            stage,
            records=records,
            settled=len(outcomes),
            included=included,
            excluded=len(outcomes) - included,
            conflicts=len(votes.conflicts(stage)),
            mine=sum(self.user in ballot.votes for ballot in votes.ballots[stage].values()),
            waiting=len(votes.waiting(stage, self.user)),
        )

    def conflicts(self, stage: str | None = None) -> list[Ballot]:
        """Records whose votes differ and wait for a resolution."""
        return [ballot for name in STAGES if stage in (None, name) for ballot in self.votes.conflicts(name)]

    def agreement(self) -> ScreenerAgreement:
        """Cohen's κ of each two screeners, per stage."""
        from antecede.review.agreement import measure_agreement

        return measure_agreement(self.votes)

    def flow(self) -> PrismaFlow:
        """The counts of the PRISMA 2020 flow diagram."""
        from antecede.review.prisma import count_flow

        return count_flow(self.protocol, self.review.doc_ids, self.votes)

    def methods(self) -> str:
        """The methods of the screening as a paragraph."""
        from antecede.review.prisma import describe_methods
        from antecede.review.status import decide_stop

        flow = self.flow()
        said = ""
        if flow.unscreened and flow.screened > flow.known:
            (rule, advice) = next(iter(decide_stop(self.review).items()))
            said = f"{rule}, which says {'stop' if advice.stop else 'go on'} ({advice.reason})"
        return describe_methods(flow, self.protocol, self.votes, said)


# The start


def start_screening(
    path: str | Path,
    index: Engine,
    name: str,
    protocol: Protocol,
    *,
    relevant: Sequence[str] = (),
    irrelevant: Sequence[str] = (),
    user: str = "",
    seed: int = 0,
) -> Review:
    """Start a screening of all records of an index. Decisions that came with them are known from the start.

    Args:
        path: The case store that the case is added to; it is created if it does not exist.
        index: The index of the records.
        name: The name of the case.
        protocol: The team, its reasons for exclusion, and the counts of the records.
        relevant: Records that are known to be relevant.
        irrelevant: Records that are known not to be relevant.
        user: Who knows that.
        seed: Of the order in which records are read while nothing is known.
    """
    vectors = vectors_of_records(index)
    prior = _known_votes(index, relevant, irrelevant, user)
    plan = ReviewPlan(
        name_text(name), ACTIVE, title=name, source=f"{', '.join(protocol.sources) or index.name}", seed=seed,
        maybe=True, protocol=protocol,
    )  # fmt: skip
    review = Review.start(path, plan, vectors.doc_ids, source="text", index=index.where, vectors=vectors)
    review.store.change_case(review.id, name=shorten(name))
    if prior:
        review.store.put_votes(review.id, prior, protocol.required, lambda _votes, _vote: None)
    return review.again()


def _known_votes(index: Engine, relevant: Sequence[str], irrelevant: Sequence[str], user: str) -> list[Vote]:
    """What is known beforehand: the decisions that records came with, and what the user says, which holds."""
    now = current_time()
    known: dict[str, Vote] = {}
    for number in range(index.documents):
        record = read_record(index, number)
        if (decision := read_decision(record.original)) is not None:
            label = decision.relevance
            verdict = EXCLUDE if label == IRRELEVANT else MAYBE if label == MAYBE_LABEL else INCLUDE
            known[record.doc_id] = Vote(
                record.doc_id, ABSTRACT, verdict, PRIOR, note="decided in the file", user=user, time=now
            )
    for names, verdict in ((relevant, INCLUDE), (irrelevant, EXCLUDE)):
        for doc_id in names:
            numbers: Any = index.numbers_of(doc_id)
            if len(numbers) != 1:
                raise InputError("is not the id of one record", doc_id=doc_id, remedy="give ids as `review next` does")
            given = index.names(numbers)[0]
            if given in known and known[given].note == "" and known[given].verdict != verdict:
                raise InputError("is given as relevant and as not relevant", doc_id=given)
            known[given] = Vote(given, ABSTRACT, verdict, PRIOR, user=user, time=now)
    return [*known.values()]
