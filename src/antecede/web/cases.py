"""Topics, cases and their marks, and how much of a case was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from antecede.errors import UsageError, printable
from antecede.review import views
from antecede.review.case import Review, describe_unused, shorten
from antecede.review.case_file import add_case
from antecede.review.marks import Mark
from antecede.review.progress import make_progress
from antecede.review.queries import current_state
from antecede.review.records import LONGEST_NAME, AnyName, DocumentName, clean_line, read_patent, title_of
from antecede.review.searches import search_info
from antecede.review.store import OWN, Person, ReadOnlyError
from antecede.review.topics import find_number, read_pasted, understand
from antecede.review.versions import Change
from antecede.web.requests import CaseChange, CaseRequest, MarkRequest, RestoreRequest, SeenRequest, TopicRequest
from antecede.web.uploads import read_case, read_upload
from antecede.web.workbench import Site, route

# Topics


@route("POST", "/topics", "cases")
def post_topic(asked: TopicRequest, site: Site) -> views.Understood:
    """Understand a topic: a patent number in any spelling, or a text."""
    if (asked.number is None) == (asked.text is None):
        raise UsageError("give either a patent number or a text")
    if asked.number is not None:
        return understand(site.workbench, find_number(site.workbench, asked.number), "number")
    return understand(site.workbench, read_pasted(asked.text or "", asked.name), "text")


@route("POST", "/topics/file", "cases", file=True)
async def post_topic_file(
    site: Site,
    name: Annotated[str, Field(max_length=LONGEST_NAME)] = "upload",
    doc_id: AnyName | None = None,
) -> views.Understood:
    """Understand a topic: a file of any patent format, text, PDF or DOCX. The body is the file."""
    record, notes = await read_upload(site, name, doc_id)
    return understand(site.workbench, read_patent(record), "file", notes)


# Cases


@route("GET", "/cases", "cases")
def list_cases(site: Site) -> list[views.CaseEntry]:
    """The cases that the user may open."""
    entries = []
    for case in site.workbench.store.cases(site.owner):
        topic = read_patent(case.topic.record)
        named = {"topic": {"doc_id": topic.doc_id, "title": title_of(topic)}, "screening": "protocol" in case.plan}
        entries.append(views.CaseEntry.model_validate({**vars(case), **named}, from_attributes=True))
    return entries


@route("POST", "/cases", "cases", status=201)
def post_case(asked: CaseRequest, site: Site) -> views.Case:
    """Begin a case."""
    patent = read_patent(asked.patent.model_dump())
    title = title_of(patent)
    described = title if title and asked.source == "text" else f"{patent.doc_id} {title}"
    name = clean_line(asked.name or "") or shorten(clean_line(described))
    store = site.workbench.store
    if asked.source == "text":  # the texts of two cases are two topics in the qrels that they become
        patent = replace(patent, doc_id=store.distinct_topic(patent.doc_id))
    return get_case(site.case(store.create(patent.to_dict(), name=name, user=site.user, source=asked.source)))


@route("POST", "/cases/import", "cases", status=201, file=True)
async def post_import(site: Site) -> views.Case:
    """Import a case. The body is the file."""
    rows = await read_case(site)

    def load() -> views.Case:
        case = site.case(add_case(site.workbench.store, rows, user=site.owner))
        return get_case(case).model_copy(update={"unused": describe_unused(case.case.plan)})

    return await site.workers.run("search", site.request, load)


RECORDS = ("name", "notes", "topic", "people", "chart", "query")
"""What of a case has a version of its own, besides marks, searches and cells of the chart."""


@route("GET", "", "cases")
def get_case(case: Review) -> views.Case:
    """A case."""
    searches, draft = case.searches, case.store.draft(case.id)
    states = {search.index_state for search in searches if search.index_state}
    changes: dict[str, Change] = {change.kind: change for change in case.store.changes(case.id) if not change.key}
    values = {
        **vars(case.case),
        "topic": understand(case.workbench, case.topic, case.case.source),
        "searches": [search_info(search) for search in searches],
        "versions": {kind: changes.get(kind, Change()).version for kind in RECORDS},
        "marks": [*case.marks.current.values()],
        "seen": case.seen,
        "query": current_state(case),
        "undo": draft.undo,
        "redo": draft.redo,
        "index_state": case.index.state,
        "index_changed": bool(states - {case.index.state}),
    }
    return views.Case.model_validate(values, from_attributes=True)


@route("GET", "/topic", "cases")
def get_topic(case: Review) -> views.Understood:
    """The topic of a case with its whole record."""
    return understand(case.workbench, case.topic, case.case.source)


@route("PATCH", "", "cases")
def patch_case(change: CaseChange, case: Review) -> views.Case:
    """Change the name, the notes or the topic of a case, or with whom it is shared; the rest stays as it is."""
    values = change.model_dump(exclude_none=True, exclude={"patent", "people", "version"})
    if change.name is not None:
        values["name"] = clean_line(change.name)
        if not values["name"]:
            raise UsageError("a case needs a name")
    if (change.shared is not None or change.people is not None) and case.case.right != OWN:
        raise ReadOnlyError("only the owner of a case may share it")
    if change.people is not None:
        rights = {person.user: person.right for person in change.people}
        values["people"] = tuple(Person(user, right) for user, right in sorted(rights.items()))
    if change.patent is not None:
        values["topic"] = read_patent(change.patent.model_dump()).to_dict()
    case.store.change_case(case.id, case.user, change.version, **values)
    return get_case(case.again())


@route("DELETE", "", "cases", status=204)
def delete_case(case: Review) -> None:
    """Delete a case."""
    if case.case.right != OWN:
        raise ReadOnlyError("only the owner of a case may delete it")
    case.store.delete(case.id)


# Marks


@route("GET", "/marks", "marks")
def get_marks(case: Review) -> list[Mark]:
    """The marks of a case."""
    return [*case.marks.current.values()]


@route("PATCH", "/marks", "marks")
def patch_mark(asked: MarkRequest, case: Review) -> views.MarkChanged:
    """Mark a document, or change some fields of its mark. The answer is sent when the change is on disk."""
    given = {name: getattr(asked, name) for name in asked.model_fields_set - {"doc_id", "version"}}
    values = {name: value for name, value in given.items() if value is not None or name == "category"}
    change = case.change_mark(asked.doc_id, asked.version, **values)
    fields = [name for name in values if name not in ("search", "rank")]
    marked = f"{change.doc_id} marked {change.mark.relevance}" if change.mark is not None else ""
    said = marked if "relevance" in values else f"{' and '.join(fields)} of {change.doc_id} changed"
    return views.MarkChanged.of(change, said)


@route("DELETE", "/marks", "marks")
def delete_mark(
    id: DocumentName,  # noqa: A002 - as the address has it
    version: Annotated[int, Field(ge=0, le=2**53)],
    case: Review,
) -> views.MarkChanged:
    """Take a mark back."""
    change = case.store.remove_mark(case.id, id, case.user, version)
    return views.MarkChanged.of(change, f"mark of {change.doc_id} taken back")


@route("POST", "/marks/restore", "marks")
def post_restore(asked: RestoreRequest, case: Review) -> views.MarkChanged:
    """Undo or redo: the mark of a document as it was at a version, with the search and rank that it was found by."""
    change = case.store.restore_mark(case.id, asked.doc_id, asked.to, case.user, asked.version)
    now = f"is {change.mark.relevance} again" if change.mark is not None else "has no mark again"
    return views.MarkChanged.of(change, f"{change.doc_id} {now}")


@route("POST", "/seen", "marks", status=204, changes=False)
def post_seen(asked: SeenRequest, case: Review) -> None:
    """Note that a document was opened; those who may only read a case leave no trace in it."""
    header = case.workbench.header(asked.doc_id)
    if header is None:
        raise UsageError(f"document {printable(asked.doc_id)}: is not in the index")
    if case.case.right != "read":
        case.store.see(case.id, header.doc_id, case.user, asked.search, asked.rank)


# How much was found


@route("GET", "/progress", "progress")
def get_progress(case: Review) -> views.Progress:
    """How much has been found."""
    return make_progress(case)
