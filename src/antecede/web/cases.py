"""Topics and cases: what prior art is wanted of and what was understood of it, cases, marks, and how much was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from antecede.corpus.applications import recognise_parts
from antecede.engine import read_record
from antecede.errors import InputError, UsageError, shown
from antecede.patent import Patent, PatentNumber
from antecede.query.topic import join_languages, languages_of
from antecede.review.case import Review, describe_unused, shorten
from antecede.review.estimators import ESTIMATORS
from antecede.review.marks import Mark, current_time
from antecede.review.reading import DEFAULT_TARGET
from antecede.review.status import MAKE_CALIBRATION, OTHER_ESTIMATES, decide_stop, review_status
from antecede.review.stopping import STOPPING_RULES
from antecede.web import answers
from antecede.web.case_file import add_case
from antecede.web.queries import current_state
from antecede.web.requests import (
    LONGEST_NAME,
    AnyName,
    CaseChange,
    CaseRequest,
    DocumentName,
    MarkRequest,
    SeenRequest,
    TopicRequest,
)
from antecede.web.searches import search_info
from antecede.web.uploads import read_case, read_upload
from antecede.web.workbench import TITLES, OpenCase, Site, clean_line, day_text, read_patent, route, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from antecede.registry import Definition
    from antecede.review.estimators import Estimate
    from antecede.web.workbench import Workbench

HEAD = 600
SHORT_TEXT = 200
"""Characters of a text below which little can be said of it."""
MOST_NAMED = 5
NAMES = {
    "calibrated": "Calibrated on this index",
    "general": "Calibrated on other collections",
    "audit": "Random sample",
    "quasi_sampling": "ranked quasi-sampling",
}
"""Names of estimators and rules for searchers; one that is not here is named by its own description."""


# Topics


@route("POST", "/topics", "cases")
def post_topic(asked: TopicRequest, site: Site) -> answers.Understood:
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
) -> answers.Understood:
    """Understand a topic: a file of any patent format, text, PDF or DOCX. The body is the file."""
    record, notes = await read_upload(site, name, doc_id)
    return understand(site.workbench, read_patent(record), "file", notes)


def find_number(workbench: Workbench, number: str) -> Patent:
    """The patent of the index that a number in any customary spelling means."""
    index, name = workbench.index, number.strip()
    numbers = index.numbers_of(name).tolist() if name else []
    if not numbers:
        parsed = PatentNumber.parse_name(number)
        what = f"{parsed} is not in this index" if parsed is not None else f"{shown(number)!r} is not a patent number"
        raise InputError(what, remedy="paste the text of the application, or drop its file")
    if len(numbers) > 1:
        names = ", ".join(map(shown, index.names(np.array(numbers[:MOST_NAMED]))))
        raise InputError(
            f"{shown(number)} is the number of {len(numbers)} documents: {names}", remedy="name one of them"
        )
    return read_record(index, numbers[0])


def read_pasted(text: str, name: str | None) -> Patent:
    """A pasted text as a patent to search with; its parts are those that its headings name."""
    if not any(map(str.isalpha, text)):
        raise UsageError("there is no word in the text; paste a claim, an abstract or a whole application")
    lines = text.replace("\x00", " ").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    doc_id = "".join((name or "").split("\x00")).strip() or "pasted-text"
    return recognise_parts(lines, "_".join(doc_id.split()))


def understand(workbench: Workbench, patent: Patent, source: str, notes: Iterable[str] = ()) -> answers.Understood:
    """What was understood of a patent, with its whole record, and doubts, which are shown loudly."""
    languages = languages_of(patent)
    main = patent.language if patent.language in languages else next(iter(languages), "")
    description = patent.description.get(main, "") or next(iter(patent.description.values()), "")
    claims = patent.claims.get(main, ()) or next(iter(patent.claims.values()), ())
    return answers.Understood(
        source=source,
        in_index=bool(len(workbench.index.numbers_of(patent.doc_id))),
        **{name: getattr(patent, name) for name in ("doc_id", "language", "ipc", "cpc", "applicants")},
        title=title_of(patent, main),
        date=day_text(patent.date),
        date_is=date_kind(patent),
        languages=list(languages),
        claims=list(claims),
        abstract=patent.abstract.get(main, "") or next(iter(patent.abstract.values()), ""),
        description_characters=len(description),
        description_head=description[:HEAD],
        doubts=[*notes, *find_doubts(workbench, patent, languages)],
        patent=patent.to_dict(),
    )


def date_kind(patent: Patent) -> str:
    """Which date decides what counts as prior art."""
    for name in ("priority", "filing", "publication"):
        if getattr(patent, f"{name}_date") is not None:
            return name
    return "none"


def find_doubts(workbench: Workbench, patent: Patent, languages: tuple[str, ...]) -> list[str]:
    """What may be wrong or is missing, one line each."""
    found: list[str] = []
    kind = date_kind(patent)
    if kind == "none":
        found.append("No date is known: documents of any date are found. Enter the priority date.")
    elif kind != "priority":
        found.append(f"The priority date is not known: the {kind} date decides what is prior art. Correct it if wrong.")
    if not patent.language:
        found.append("The language is not known; it is decided by the words. Enter it.")
    available = workbench.index.languages
    if languages and not {*languages} & {*available, ""}:
        found.append(
            f"The text is in {join_languages(languages)}, the index has documents in {join_languages(available)}: "
            "nothing can be found without a translation."
        )
    if not patent.claims:
        found.append("No claims were recognised: there is no claim chart until claims are entered.")
    if not patent.ipc and not patent.cpc:
        found.append("No class is known: classes do not count in the ranking.")
    characters = sum(len(text) for texts in (patent.description, patent.abstract) for text in texts.values())
    characters += sum(len(claim) for claims in patent.claims.values() for claim in claims)
    if characters < SHORT_TEXT:
        found.append(f"The text is short ({characters} characters): add the description if there is one.")
    return found


# Cases


@route("GET", "/cases", "cases")
def list_cases(site: Site) -> list[answers.CaseEntry]:
    """The cases that the user may open."""
    return [
        answers.CaseEntry.model_validate({**vars(case), "topic": {"doc_id": topic.doc_id, "title": title_of(topic)}})
        for case in site.workbench.store.cases(site.owner)
        for topic in [read_patent(case.topic)]
    ]


@route("POST", "/cases", "cases", status=201)
def post_case(asked: CaseRequest, site: Site) -> answers.Case:
    """Begin a case."""
    patent = read_patent(asked.patent.model_dump())
    title = title_of(patent)
    described = title if title and asked.source == "text" else f"{patent.doc_id} {title}"
    name = clean_line(asked.name or "") or shorten(clean_line(described))
    store = site.workbench.store
    return get_case(site.case(store.create(patent.to_dict(), name=name, user=site.user, source=asked.source)))


@route("POST", "/cases/import", "cases", status=201, file=True)
async def post_import(site: Site) -> answers.Case:
    """Import a case. The body is the file."""
    rows = await read_case(site)

    def load() -> answers.Case:
        case = site.case(add_case(site.workbench.store, rows, user=site.owner))
        return get_case(case).model_copy(update={"unused": describe_unused(case.row.plan)})

    return await site.workers.run("search", site.request, load)


@route("GET", "", "cases")
def get_case(case: OpenCase) -> answers.Case:
    """A case."""
    searches = case.searches()
    _, undo, redo = case.store.draft(case.id)
    states = {search.index_state for search in searches if search.index_state}
    values = {
        **vars(case.row),
        "topic": understand(case.workbench, case.topic, case.row.source),
        "searches": [search_info(search) for search in searches],
        "marks": [*case.marks.current.values()],
        "seen": case.seen,
        "query": current_state(case),
        "undo": undo,
        "redo": redo,
        "index_state": case.index.state,
        "index_changed": bool(states - {case.index.state}),
    }
    return answers.Case.model_validate(values)


@route("GET", "/topic", "cases")
def get_topic(case: OpenCase) -> answers.Understood:
    """The topic of a case with its whole record."""
    return understand(case.workbench, case.topic, case.row.source)


@route("PATCH", "", "cases")
def patch_case(change: CaseChange, case: OpenCase) -> answers.Case:
    """Change the name, the notes or the topic of a case, or share it with all users."""
    values = change.model_dump(exclude_none=True, exclude={"patent"})
    if change.name is not None:
        values["name"] = clean_line(change.name)
        if not values["name"]:
            raise UsageError("a case needs a name")
    if change.shared is not None and not case.owned:
        raise UsageError("only the owner of a case may share it")
    if change.patent is not None:
        values["topic"] = read_patent(change.patent.model_dump()).to_dict()
    case.store.change_case(case.id, **values)
    return get_case(case.again())


@route("DELETE", "", "cases", status=204)
def delete_case(case: OpenCase) -> None:
    """Delete a case."""
    if not case.owned:
        raise UsageError("only the owner of a case may delete it")
    case.store.delete(case.id)


@route("GET", "/marks", "marks")
def get_marks(case: OpenCase) -> list[Mark]:
    """The marks of a case."""
    return [*case.marks.current.values()]


@route("PUT", "/marks", "marks")
def put_mark(asked: MarkRequest, case: OpenCase) -> Mark:
    """Mark a document. The answer is sent when the mark is on disk."""
    header = case.workbench.header(asked.doc_id)
    before = case.store.mark(case.id, header.doc_id if header is not None else asked.doc_id)
    if header is None and before is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    values = {**asked.model_dump(), "user": case.user, "time": current_time(), "claims": clean_line(asked.claims)}
    if header is not None:
        values |= {"doc_id": header.doc_id, "title": header.title[:TITLES]}
    if before is not None and before.relevance == asked.relevance:  # what the terminal alone has stays
        values |= {"grade": before.grade, "query": before.query}
    mark = Mark(**values)
    case.store.put_marks(case.id, [mark])
    return mark


@route("DELETE", "/marks", "marks", status=204)
def delete_mark(id: DocumentName, case: OpenCase) -> None:  # noqa: A002 - as the address has it
    """Withdraw a mark."""
    if not case.store.remove_mark(case.id, id, case.user):
        raise UsageError(f"document {shown(id)} has no mark")


@route("POST", "/seen", "marks", status=204)
def post_seen(asked: SeenRequest, case: OpenCase) -> None:
    """Note that a document was opened."""
    header = case.workbench.header(asked.doc_id)
    if header is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    case.store.see(case.id, header.doc_id, case.user, asked.search, asked.rank)


# How much was found


@route("GET", "/progress", "progress")
def get_progress(case: OpenCase) -> answers.Progress:
    """How much has been found."""
    review = Review(case.store, case.row)
    given = str(case.workbench.calibration) if case.workbench.calibration is not None else None
    status = review_status(review, calibration=given)
    opened = len({*case.seen} - review.marks.current.keys())
    notes = [note for note in status.notes if not note.startswith(OTHER_ESTIMATES)]
    if case.workbench.calibration_note:  # instead of how to make one
        notes = [case.workbench.calibration_note if MAKE_CALIBRATION in note else note for note in notes]
    return answers.Progress(
        read=sum(status.counts.values()),
        **status.counts,
        opened_unmarked=opened,
        curve=[*enumerate(status.discovery().tolist())],
        estimates=list(view_estimates(status.estimates)),
        others=list(view_estimates(status.evidence.others)),
        advice=give_advice(review, given),
        notes=[*notes, *describe_reading(review, opened, case.index.state)],
    )


def view_estimates(estimates: Mapping[str, Estimate]) -> Iterator[answers.EstimateView]:
    for name, estimate in estimates.items():
        definition = ESTIMATORS[name.partition("(")[0]]
        yield answers.EstimateView(**{**estimate.as_dict(), "name": definition.name, "title": name_of(definition)})


def give_advice(review: Review, calibration: str | None) -> answers.Advice:
    """Whether to go on reading, by one rule with its reason, and about how much further."""
    ((name, decision),) = decide_stop(review, calibration=calibration).items()
    definition = STOPPING_RULES[name.partition("(")[0]]
    rule = f"rule: {name_of(definition)}, {definition.cite}; target: {100 * DEFAULT_TARGET:g} % recall"
    rule += f"; it {decision.record}" if decision.record else ""
    reason = decision.reason if review.marks.current else "nothing is marked yet"
    return answers.Advice(stop=decision.stop, rule=rule, reason=reason, more=decision.more)


def name_of(definition: Definition) -> str:
    """What an estimator or a rule is called: in a searcher's words, else the beginning of its description."""
    return NAMES.get(definition.name) or definition.summary.partition(":")[0]


def count_documents(count: int, one: str, many: str) -> str:
    return f"1 document {one}" if count == 1 else f"{count} documents {many}"


def describe_reading(review: Review, opened: int, state: str) -> Iterator[str]:
    if maybe := review.marks.counts["maybe"]:
        how = "relevant for the estimates" if review.plan.maybe else "read, but not relevant for the estimates"
        yield f"{count_documents(maybe, 'is', 'are')} marked maybe: {how}"
    if opened:
        yield f"{count_documents(opened, 'was', 'were')} opened and not marked, and not counted as read"
    if any(search.index_state not in ("", state) for search in review.searches):
        yield "some searches ran against another state of the index"
