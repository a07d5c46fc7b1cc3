"""Screen the records of a systematic review: resolve conflicts, measure agreement, and report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, TableOptions, verb
from antecede.cli.options import argument, option
from antecede.cli.output import show_json, show_note, show_page, show_tables, show_text
from antecede.cli.outputs import Input
from antecede.cli.review_loop import current_user
from antecede.cli.screening_loop import describe_progress, parse_verdict, render_record, screen_records
from antecede.errors import UsageError
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.review.case import Review
    from antecede.review.screening_case import ScreeningCase, Stage


def is_screening(sources: Sequence[str]) -> bool:
    """Whether all that is named are exports of references or tables of records."""
    from antecede.index.workspace import is_export

    return all(is_export(source) for source in sources)


@dataclass(frozen=True)
class Beginning:
    """What is said of a screening when it starts."""

    team: Annotated[
        str | None,
        option("Of references, who screens them; of two or more, two decide each.", metavar="NAME,NAME…"),
    ] = None
    reasons: Annotated[
        str | None,
        option(
            "Of references, the reasons for exclusion: a list, or a file with one a line.",
            metavar="FILE|REASON,…",
            path=Input(),
        ),
    ] = None
    prior: Annotated[str | None, option("Of references, records that are known to be relevant.", metavar="ID,ID…")] = (
        None
    )
    prior_irrelevant: Annotated[
        str | None, option("Of references, records that are known not to be relevant.", metavar="ID,ID…")
    ] = None

    def refuse(self, out: Path | None, more: Sequence[str] | None) -> Path:
        """Refuse what only a screening has, for another case, which needs the name of its file."""
        if more or any((self.team, self.reasons, self.prior, self.prior_irrelevant)):
            raise UsageError("further files, --team, --reasons and --prior are of references; not all files are such")
        if out is None:
            raise UsageError("name the file of the case with --out")
        return out


def begin_screening(
    files: Sequence[str], out: Path | None, given: Beginning, name: str | None, seed: int, *, json: bool
) -> None:
    """Read records, and start their screening in a file of its own."""
    from antecede.corpus import Collection
    from antecede.engine import open_index
    from antecede.index.workspace import open_workspace
    from antecede.review.screening_case import ScreeningCase, start_screening
    from antecede.review.store import WRITE, Person
    from antecede.review.votes import ABSTRACT, REASONS, Protocol

    name = name or Path(files[0]).name.split(".")[0]
    out = out or Path(f"{'-'.join(name.split())}.sqlite")
    folder = out.with_name(f"{out.stem}.records")
    for place in (out, folder):
        if place.exists():
            raise UsageError(f"{place}: exists already; name another file with --out")
    people, reasons = _split(given.team), _read_reasons(given.reasons) or REASONS
    Protocol(people, reasons)  # what is wrong with them is said before anything is read
    workspace = open_workspace(Collection(*files, on_note=show_note), folder)
    built = workspace.built
    protocol = Protocol(
        people, reasons, _count_records(files, built.read if built else 0),
        built.merged if built else 0, built.rejected if built else 0,
    )  # fmt: skip
    review = start_screening(
        out, open_index(str(workspace.index)), name, protocol, relevant=_split(given.prior),
        irrelevant=_split(given.prior_irrelevant), user=current_user(None), seed=seed,
    )  # fmt: skip
    with review:
        if people:
            review.store.change_case(review.id, people=[Person(person, WRITE) for person in people])
        screening = ScreeningCase(review.again(), people[0] if people else "")
        flow = screening.flow()
        if json:
            show_json({"file": str(out), "id": review.id, "name": review.case.name, **flow.to_dict()})
            return
        show_tables([flow.table()], "text")
        if flow.known:
            progress = screening.progress(ABSTRACT)
            show_note(f"known beforehand: {progress.included} included, {progress.excluded} not")
        else:
            show_note("nothing is known beforehand: --prior names relevant records, from which the order is learned")
    chosen = f" --user {people[0]}" if people else ""
    show_text(f"next: antecede review next {out}{chosen}")


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _read_reasons(text: str | None) -> tuple[str, ...]:
    """Reasons from a file, one a line, or from a list with commas or semicolons between them."""
    if text is None:
        return ()
    path = Path(text)
    if path.is_file():
        text = path.read_text("utf-8-sig", "replace").replace("\n", ";")
    lines = re.split("[;,]" if not path.is_file() else ";", text)
    return tuple(line.strip() for line in lines if line.strip())


def _count_records(files: Sequence[str], read: int) -> dict[str, int]:
    """The records of each file, by its name; together they are all that were read."""
    from antecede.corpus import Collection

    counts: dict[str, int] = {}
    for file in files:
        name = Path(file).name
        counts[file if name in counts else name] = sum(1 for _ in Collection(file).raw())
    return counts if sum(counts.values()) == read else {"the files": read}


def open_screening(cases: Path, case: str | None, index: str | None, user: str | None) -> ScreeningCase:
    """A screening as a screener sees it."""
    from antecede.review.case import Review

    return screening_of(Review.open(cases, case, index=index), user)


def screening_of(review: Review, user: str | None) -> ScreeningCase:
    """The screening of a case; the screener is named, or the login name if there is a team."""
    from antecede.review.screening_case import ScreeningCase

    screening = ScreeningCase(review, user or "")
    if user is None:
        screening.user = current_user(None)
    return screening


def show_next(screening: ScreeningCase, stage: Stage, number: int | None, *, json: bool) -> None:
    """Show the next records, or ask about one after the other."""
    if number is None and not json:
        screen_records(screening, stage)
        return
    records = screening.next(number or 1, stage)
    if json:
        described = [
            {**vars(record), "vote": None if record.vote is None else record.vote.to_dict()} for record in records
        ]
        show_json({"stage": stage, "progress": vars(screening.progress(stage)), "records": described})
        return
    for record in records:
        show_page(render_record(record, width=100, bold=False))
    if not records:
        show_text(f"nothing is left to be decided; {describe_progress(screening, stage)}")


def put_vote(
    screening: ScreeningCase, doc_id: str, verdict: str, stage: Stage, reason: str, note: str, *, json: bool
) -> None:
    """Save a decision that was given on the command line."""
    vote = screening.vote(doc_id, parse_verdict(verdict, stage), stage, reason=reason, note=note)
    if json:
        show_json({"saved": vote.to_dict(), "progress": vars(screening.progress(stage))})
        return
    show_text(f"saved: {vote.doc_id} {vote.verdict}; {describe_progress(screening, stage)}")


def progress_table(screening: ScreeningCase) -> Table:
    """How far each stage is."""
    from antecede.review.votes import STAGES

    rows = []
    for stage, name in STAGES.items():
        progress = screening.progress(stage)
        rows.append(
            (name, progress.records, progress.settled, progress.included, progress.excluded, progress.conflicts)
        )
    return Table(("stage", "records", "decided", "included", "excluded", "conflicts"), tuple(rows), "Screening")


@verb(
    "antecede review conflicts review.sqlite",
    "antecede review conflicts review.sqlite --json",
)
def conflicts(*, cases: options.CaseFile, case: options.ChosenCase = None, showing: TableOptions) -> None:
    """List the records of a screening whose two votes differ, with both votes."""
    from antecede.review.votes import STAGES

    with (screening := open_screening(cases, case, None, None)).review:
        ballots = screening.conflicts()
        rows, document = [], []
        for ballot in ballots:
            votes = [*ballot.votes.values()]
            title = " ".join(screening.record(ballot.doc_id).title.values())
            said = "; ".join(
                f"{vote.user}: {vote.verdict}{f' ({vote.reason})' if vote.reason else ''}" for vote in votes
            )
            rows.append((ballot.doc_id, STAGES[ballot.stage], title[:80], said))
            document.append(
                {"doc_id": ballot.doc_id, "stage": ballot.stage, "title": title, "votes": [v.to_dict() for v in votes]}
            )
        note = "`antecede review resolve` decides them" if rows else "there is no conflict"
    showing.show(document, Table(("record", "stage", "title", "votes"), tuple(rows), "Conflicts", (note,)))


@dataclass(frozen=True)
class GivenDecision:
    """What is decided of a record, as it is given in the shell."""

    doc_id: Annotated[str, argument("RECORD", "The record.")]
    decision: Annotated[str, argument("include|exclude|maybe", "What is decided; r, n and m will do.")]
    stage: options.Stage = "abstract"
    reason: Annotated[str, option("Why it is excluded: a reason of the team, or its number.", metavar="REASON")] = ""
    note: Annotated[str, option("A note.", metavar="WORDS")] = ""
    user: options.User = None


@verb(
    "antecede review resolve review.sqlite W2104 include --user cleo",
    "antecede review resolve review.sqlite W3007 exclude --reason 'wrong outcome' --stage full-text",
)
def resolve(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    given: GivenDecision,
    json: options.Json = False,
) -> None:
    """Decide a conflict, or correct what two agreed on; the votes stay, and it is kept who decided."""
    with (screening := open_screening(cases, case, None, given.user)).review:
        verdict = parse_verdict(given.decision, given.stage)
        vote = screening.resolve(given.doc_id, verdict, given.stage, reason=given.reason, note=given.note)
        left = len(screening.conflicts())
    if json:
        show_json({"saved": vote.to_dict(), "conflicts": left})
        return
    show_text(f"saved: {vote.doc_id} {vote.verdict}, resolved by {vote.user or 'nobody named'}; {left} conflicts left")


@verb("antecede review agreement review.sqlite")
def agreement(*, cases: options.CaseFile, case: options.ChosenCase = None, showing: TableOptions) -> None:
    """Show how far two screeners agree: Cohen's κ with its interval, per stage, on votes given blind."""
    with (screening := open_screening(cases, case, None, None)).review:
        result = screening.agreement()
    showing.show(result.to_dict(), *result.tables())


@verb(
    "antecede review prisma review.sqlite --figure prisma.svg",
    "antecede review prisma review.sqlite --json",
)
def prisma(*, cases: options.CaseFile, case: options.ChosenCase = None, showing: DisplayOptions) -> None:
    """Show the counts of the PRISMA 2020 flow diagram and a paragraph on methods; --figure draws the diagram."""
    with (screening := open_screening(cases, case, None, None)).review:
        flow, methods = screening.flow(), screening.methods()
    showing.show({**flow.to_dict(), "methods": methods}, flow.table(), draw=flow.plot)
    if showing.format_ == "text" and not showing.json:
        show_text(f"\n{methods}")


@verb("antecede review history review.sqlite --format csv")
def history(*, cases: options.CaseFile, case: options.ChosenCase = None, showing: TableOptions) -> None:
    """Show the audit trail of a screening: every decision in order, also those that were replaced or taken back."""
    from antecede.review.screened_records import votes_table

    with (screening := open_screening(cases, case, None, None)).review:
        table, log = votes_table(screening), [vote.to_dict() for vote in screening.votes.log]
    showing.show(log, table)


@verb(
    "antecede review open review.sqlite",
    "antecede review open review.sqlite --users users.json",
)
def open_(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    users: Path | None = option("The users who may sign in, made by `review user`.", metavar="FILE", path=Input()),
    host: str = option("The address to listen on.", "127.0.0.1", metavar="ADDRESS"),
    port: int | None = option(
        "The port of the page; 0 for any free one.", min=0, max=65535, show_default="the first free one from 8765 on"
    ),
    no_browser: bool = option("Do not open a browser.", False),
) -> None:
    """Open a case on the page, with the index that it was begun with: a screening for one person or for a team."""
    from antecede.cli.verbs.search import serve
    from antecede.review.case import Review

    with Review.open(cases, case) as review:
        place: Any = review.place
    if place is None:
        raise UsageError(f"{cases}: the case has no index; `antecede serve INDEX --cases {cases}` opens it")
    serve(
        index=place, cases=cases, host=host, port=port, open_=not no_browser, users=users, calibration=None,
        no_calibrate=True, allow_host=None, log=False,
    )  # fmt: skip
