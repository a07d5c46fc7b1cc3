"""The screening of a systematic review on the page: records to read, votes, conflicts, and the report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from antecede.errors import UsageError, printable
from antecede.review.case import Review
from antecede.review.records import LONGEST_NAME, LONGEST_NOTE, DocumentName, Model
from antecede.review.screened_records import FORMS, votes_table, write_records
from antecede.review.screening_case import ScreeningCase
from antecede.review.votes import STAGES
from antecede.tables import as_csv, spreadsheet_text
from antecede.web.workbench import Site, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.review.screening_case import ShownRecord

Stage = Literal["abstract", "full-text"]
Verdict = Literal["include", "maybe", "exclude", "unavailable"]
Screener = Annotated[str, Field(default="", max_length=LONGEST_NAME, description="Who screens, where nobody signs in.")]
Postponed = Annotated[list[DocumentName], Field(default=[], max_length=1000)]
MEDIA_TYPES = {
    "ris": "application/x-research-info-systems; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "svg": "image/svg+xml",
}
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


# What is taken


class VoteRequest(Model):
    """A vote of the user."""

    doc_id: DocumentName
    stage: Stage
    verdict: Verdict
    reason: str = Field(default="", max_length=LONGEST_NAME)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    postponed: Postponed
    screener: Screener


class ResolutionRequest(Model):
    """The resolution of a conflict."""

    doc_id: DocumentName
    stage: Stage
    verdict: Verdict
    reason: str = Field(default="", max_length=LONGEST_NAME)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    screener: Screener


class NextRequest(Model):
    """What is read next."""

    stage: Stage = "abstract"
    postponed: Postponed
    screener: Screener


# What is answered


class VoteView(BaseModel):
    """A vote of a screener, or a resolution."""

    user: str
    verdict: str
    reason: str
    note: str
    time: str


class RecordView(BaseModel):
    """A record as a screener reads it."""

    doc_id: str
    stage: str
    title: str
    authors: list[str]
    journal: str
    year: str
    doi: str
    link: str
    abstract: str
    keywords: list[str]
    words: list[str]
    """Words that speak for inclusion, by what was learned."""
    vote: VoteView | None
    """The user's own vote."""


class ProgressView(BaseModel):
    """How far a stage is."""

    stage: str
    name: str
    records: int
    settled: int
    included: int
    excluded: int
    conflicts: int
    mine: int
    waiting: int


class ScreeningView(BaseModel):
    """A screening as a screener sees it."""

    name: str
    user: str
    choose: bool
    """Whether the page asks who screens: there is a team, and nobody signs in."""
    team: list[str]
    reasons: list[str]
    required: int
    stages: list[ProgressView]


class StepView(ScreeningView):
    """The same with the record that is read next; None where everything is decided."""

    record: RecordView | None
    said: str


class ConflictView(BaseModel):
    """A record whose votes differ."""

    record: RecordView
    votes: list[VoteView]


class AgreementView(BaseModel):
    """How far two screeners agree at a stage."""

    stage: str
    screeners: list[str]
    records: int
    agreed: int
    kappa: float | None
    interval: tuple[float, float]


class ReportView(BaseModel):
    """The counts of PRISMA 2020, agreement and methods."""

    rows: list[tuple[str, str, int]]
    problems: list[str]
    agreement: list[AgreementView]
    methods: str


# Views


@route("GET", "/screening", "screening")
def get_screening(case: Review, site: Site, screener: Screener = "") -> ScreeningView:
    """A screening, and how far each of its stages is."""
    return ScreeningView(**_describe(_open(case, site, screener), site))


@route("POST", "/screening/next", "screening", changes=False)
def post_next(asked: NextRequest, case: Review, site: Site) -> StepView:
    """The record that the user reads next. Records that were postponed come last."""
    return _step(_open(case, site, asked.screener), site, asked.stage, asked.postponed)


@route("GET", "/screening/record", "screening")
def get_screened_record(
    id: DocumentName,  # noqa: A002 - as the address has it
    case: Review,
    site: Site,
    stage: Stage = "abstract",
    screener: Screener = "",
) -> RecordView:
    """A record as a screener reads it, with the user's own vote."""
    return _view_record(_open(case, site, screener).show(id, stage))


@route("POST", "/screening/votes", "screening")
def post_vote(asked: VoteRequest, case: Review, site: Site) -> StepView:
    """Vote on a record; the answer has the next one."""
    screening = _open(case, site, asked.screener)
    vote = screening.vote(asked.doc_id, asked.verdict, asked.stage, reason=asked.reason, note=asked.note)
    said = f"{asked.doc_id}: {vote.verdict}{f', {vote.reason}' if vote.reason else ''}"
    return _step(screening, site, asked.stage, asked.postponed, said)


@route("DELETE", "/screening/votes", "screening")
def delete_vote(
    id: DocumentName,  # noqa: A002 - as the address has it
    case: Review,
    site: Site,
    stage: Stage = "abstract",
    screener: Screener = "",
) -> ScreeningView:
    """Take the user's own vote on a record back."""
    screening = _open(case, site, screener)
    screening.withdraw(id, stage)
    return ScreeningView(**_describe(screening, site))


@route("GET", "/screening/conflicts", "screening")
def get_conflicts(case: Review, site: Site, screener: Screener = "") -> list[ConflictView]:
    """The records whose votes differ, with the votes."""
    screening = _open(case, site, screener)
    return [
        ConflictView(
            record=_view_record(screening.show(ballot.doc_id, ballot.stage)),
            votes=[VoteView.model_validate(vote, from_attributes=True) for vote in ballot.votes.values()],
        )
        for ballot in screening.conflicts()
    ]


@route("POST", "/screening/resolutions", "screening")
def post_resolution(asked: ResolutionRequest, case: Review, site: Site) -> ScreeningView:
    """Decide a conflict; who decided is kept."""
    screening = _open(case, site, asked.screener)
    screening.resolve(asked.doc_id, asked.verdict, asked.stage, reason=asked.reason, note=asked.note)
    return ScreeningView(**_describe(screening, site))


@route("GET", "/screening/report", "screening")
def get_screening_report(case: Review, site: Site) -> ReportView:
    """The counts of PRISMA 2020, the agreement of the screeners, and the methods in words."""
    screening = _open(case, site, "")
    flow = screening.flow()
    return ReportView(
        rows=flow.rows(),
        problems=flow.check(),
        agreement=[
            AgreementView(**{**pair, "stage": STAGES[pair["stage"]]}) for pair in screening.agreement().to_dict()
        ],
        methods=screening.methods(),
    )


@route("GET", "/screening/files/{name}", "screening", long=True)
def get_screening_file(name: Annotated[str, Field(max_length=40)], case: Review, site: Site) -> Response:
    """A file of the screening: records.ris, records.csv, records.xlsx, history.csv, prisma.svg."""
    screening = _open(case, site, "")
    form = name.rpartition(".")[2]
    if name == "prisma.svg":
        from antecede.report.figures import FIGURES, render

        data = render(FIGURES["prisma"](screening.flow()), "svg")
    elif name == "history.csv":
        data = as_csv(votes_table(screening), spreadsheet_text).encode("utf-8-sig")
    elif name in {f"records.{each}" for each in FORMS}:
        data = write_records(screening, form)
    else:
        raise UsageError(f"there is no file {printable(name)!r} of a screening")
    stem = NOT_IN_NAMES.sub("-", case.case.name).strip("-.")[:60] or case.id
    headers = {"Content-Disposition": f'attachment; filename="{stem}-{name}"'}
    return Response(data, media_type=MEDIA_TYPES[form], headers=headers)


def _open(case: Review, site: Site, screener: str) -> ScreeningCase:
    """The screening as the user sees it: who signs in, else who says to be of the team."""
    return ScreeningCase(case, site.user or ("" if site.owner is not None else screener))


def _describe(screening: ScreeningCase, site: Site) -> dict[str, Any]:
    protocol = screening.protocol
    return {
        "name": screening.review.case.name,
        "user": screening.user,
        "choose": bool(protocol.team) and site.owner is None,
        "team": [*protocol.team],
        "reasons": [*protocol.reasons],
        "required": protocol.required,
        "stages": [ProgressView(name=name, **vars(screening.progress(stage))) for stage, name in STAGES.items()],
    }


def _step(screening: ScreeningCase, site: Site, stage: Stage, postponed: Sequence[str], said: str = "") -> StepView:
    """The next record, those that were postponed last."""
    records = screening.next(stage=stage, without=postponed) or screening.next(stage=stage)
    record = _view_record(records[0]) if records else None
    return StepView(**_describe(screening, site), record=record, said=said)


def _view_record(record: ShownRecord) -> RecordView:
    vote = None if record.vote is None else VoteView.model_validate(record.vote, from_attributes=True)
    values = {**vars(record), "authors": [*record.authors], "keywords": [*record.keywords], "words": [*record.words]}
    return RecordView(**{**values, "vote": vote})
