"""From the files that a person has in hand to the page, in one command."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.cli import options
from antecede.cli.bundles import Patents, verb
from antecede.cli.inputs import rejects_file
from antecede.cli.options import option
from antecede.cli.output import show_build_progress, show_note, show_text
from antecede.cli.outputs import Input, Output
from antecede.cli.verbs.search import Address, serve
from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.engine import Engine
    from antecede.index.workspace import Workspace


@verb(
    "antecede open hits.csv --application draft.docx",
    "antecede open references.ris --text 'sensors of moisture in bricks'",
    "antecede open hits.xlsx scopus.csv --folder case1",
    "antecede open references.ris --export screened.ris",
)
def open_(
    *,
    patents: Patents,
    application: str | None = option(
        "The patent or application that the search is about: a file, or the number of one in the list.",
        metavar="FILE",
        path=Input(),
    ),
    text: str | None = option("The subject in words, in place of an application.", metavar="WORDS"),
    folder: Path | None = option(
        "Where the index and the cases are kept.",
        metavar="DIR",
        path=Output(folder=True),
        show_default="a folder of its own for these files, in the user's data folder",
    ),
    port: options.Port = None,
    export: Path | None = option(
        "Write the list with ranks and marks, in its own columns, and stop there: .csv, .xlsx or .ris.",
        metavar="FILE",
        path=Output(),
    ),
    no_page: bool = option("Prepare index and case, and stop there.", False),
) -> None:
    """Open hit lists, references or patents: index them, start a case or continue it, and show the page.

    The index is made once and found again; it is made anew when a file has changed, and the marks stay. Decisions in an
    export of ASReview, Rayyan or Covidence become marks of the new case.
    """
    from antecede.engine import open_index
    from antecede.index.workspace import open_workspace
    from antecede.search.explain import count_titles_alone

    if application is not None and text is not None:
        raise UsageError("say what is sought once: --application or --text")
    with rejects_file(patents.rejects) as on_reject, show_build_progress(quiet=patents.quiet) as report:
        workspace = open_workspace(patents.collection(None, on_reject), folder, progress=report)
    if workspace.built is not None and not patents.quiet:
        built = workspace.built
        show_note(f"{built.read} records = {built.indexed} kept + {built.merged} merged + {built.rejected} rejected")
        for reason, count in [*built.reasons.items()][:5]:
            show_note(f"rejected: {count}, {reason}")
    engine = open_index(str(workspace.index))
    if workspace.built is not None and not patents.quiet and (alone := count_titles_alone(engine)):
        have = f"{alone} of {engine.documents} records {'has' if alone == 1 else 'have'} a title alone"
        show_note(f"{have}: ranked by it until a file with more of the text is opened with them")
    case = _prepare_case(workspace, engine, application, text, note=None if patents.quiet else show_note)
    if not patents.quiet:
        show_note(f"index and cases are in {workspace.folder}")
    if export is not None:
        from antecede.review.case import Review
        from antecede.review.lists import write_list

        with nullcontext() if case is None else Review.open(workspace.cases, case) as review:
            count = write_list(review, engine, export)
        show_text(f"{export}: {count} records")
        return
    if no_page:
        show_text(str(workspace.folder))
        return
    serve(
        index=str(workspace.index),
        cases=workspace.cases,
        address=Address(port=port, open_=True),
        users=None,
        calibration=None,
        no_calibrate=True,
        log=False,
    )


def _prepare_case(
    workspace: Workspace,
    engine: Engine,
    application: str | None,
    text: str | None,
    note: Callable[[str], None] | None,
) -> str | None:
    """The case of what is sought, else the one changed last; one is started, with decisions as marks, if needed."""
    from antecede.conditions.filters import OFF
    from antecede.review.case import Review
    from antecede.review.decisions import import_decisions, topic_of_decisions
    from antecede.review.sources import extend_review, start_review
    from antecede.review.store import CaseStore
    from antecede.search.engine import find_topic
    from antecede.search.settings import SearchSettings

    topic = text if application is None else find_topic(engine, application, on_note=note)
    cases = CaseStore(workspace.cases).cases() if workspace.cases.exists() else []
    if topic is None and (cases or (topic := topic_of_decisions(engine)) is None):
        return cases[0].id if cases else None
    name = topic if isinstance(topic, str) else topic.doc_id
    known = next((case for case in cases if name in (case.topic_id, (case.plan or {}).get("title"))), None)
    # A list is what its owner chose to read: a record is not left out for its date.
    everything = SearchSettings(before=OFF)
    if known is not None and workspace.built is not None:
        with Review.open(workspace.cases, known.id) as review:
            new = extend_review(review, engine, topic, everything)
        if new and note is not None:
            note(f"{new} {'record is' if new == 1 else 'records are'} new in the case")
    if known is not None:
        return known.id
    with start_review(workspace.cases, engine, topic, everything, depth=max(1, engine.documents)) as review:
        marks = import_decisions(engine, review)
        started = review.case.id
        left_out = engine.documents - len(review.doc_ids)
    if left_out and note is not None:
        verb = "is" if left_out == 1 else "are"
        note(f"{left_out} of {engine.documents} records {verb} not in the case: {name} itself, or of its family")
    if marks and note is not None:
        note(f"{marks} decisions in the files are marks of the case")
    return started
