"""What the views share: the index and the case store, the threads that do the work, a case that is open, templates.

A view is a function with the decorator `route`, which takes an `OpenCase`, or a `Site` where no case is concerned. The
server makes requests call it; everything else may call it as it is.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined

from antecede.engine import find_patent, read_headers, read_record
from antecede.errors import InputError, UsageError, shown
from antecede.parallel import AbandonedError, abandonable, check_wanted
from antecede.patent import Patent, PatentNumber, parse_date
from antecede.patent.fields import DAY
from antecede.patent.record import CITATIONS, EVENTS, PATENT_FIELDS
from antecede.patent.texts import FIELDS
from antecede.search.facets import CollectionCoverage, cover_collection

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    from starlette.requests import Request

    from antecede.engine import DocumentHeader, Engine
    from antecede.review.marks import Marks
    from antecede.review.store import CaseRow, CaseStore, SearchRow
    from antecede.search.results import SearchResult
    from antecede.web.access import Access

Result = TypeVar("Result")
View = TypeVar("View", bound=Callable[..., Any])
Kind = Literal["search", "read", "file", "sign-in"]
POLL_SECONDS, CLOSE_SECONDS = 0.25, 1.0
SLOW_SECONDS, MOST_SLOW = 0.25, 30
"""The time after which work that goes on keeps nobody else from beginning, and how many threads there are for such."""
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""
FILES = 2
"""Uploaded files that are read at a time, each by another process."""
SIGN_INS = 1
"""Passwords that are hashed at a time, since a hash takes 64 MB and four threads."""
KEPT_RANKINGS = 64
TITLES = 500
"""Characters of a title that lists show."""


class MissingDocumentError(UsageError):
    """A document is not in the index."""


@dataclass(eq=False)
class Workbench:
    """An index and a case store, with the rankings of recent searches."""

    index: Engine
    store: CaseStore
    calibration: Path | None = None
    """A file that `antecede review calibrate` wrote for this index, for estimates and advice."""
    calibration_note: str = ""
    """What is said of a calibration that is being made in the background, or could not be made."""
    rankings: dict[str, SearchResult] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def coverage(self) -> CollectionCoverage:
        """What the index contains; counted once, since a server has one state of the index."""
        return cover_collection(self.index)

    def ranking(self, key: str, make: Callable[[], SearchResult]) -> SearchResult:
        """A ranking from memory, or made again."""
        with self.lock:
            known = self.rankings.pop(key, None)
        ranking = known if known is not None else make()
        with self.lock:
            self.rankings[key] = ranking  # as the latest
            if len(self.rankings) > KEPT_RANKINGS:
                del self.rankings[next(iter(self.rankings))]
        return ranking

    def patent(self, doc_id: str) -> Patent:
        try:
            return find_patent(self.index, doc_id)
        except InputError as error:
            raise MissingDocumentError(f"document {shown(doc_id)}: {error.what}") from None

    def header(self, doc_id: str) -> DocumentHeader | None:
        """What a list shows of a document of exactly this name; None where it is not in the index."""
        numbers = self.index.numbers_of(doc_id)[:1]
        return read_headers(self.index, numbers)[0] if len(numbers) else None

    def record(self, doc_id: str) -> Patent | None:
        numbers = self.index.numbers_of(doc_id)
        return read_record(self.index, int(numbers[0])) if len(numbers) else None

    def name_document(self, doc_id: str) -> dict[str, Any]:
        """A document as lists name it, also one that is not in the index any more."""
        header = self.header(doc_id)
        return (
            name_header(header) if header is not None else {"doc_id": doc_id, "title": "", "date": None, "language": ""}
        )


def name_header(header: DocumentHeader) -> dict[str, Any]:
    return {"doc_id": header.doc_id, "title": header.title, "date": header.day, "language": header.language}


class OverloadError(UsageError):
    """Too many requests are waiting."""

    def __init__(self) -> None:
        super().__init__("too many requests are waiting; try again")


class Turn:
    """The turn of some work among that of its kind: from its beginning until it has ended, or has become slow."""

    def __init__(self, turns: threading.Semaphore) -> None:
        self._turns, self._lock, self._taken = turns, threading.Lock(), False
        self._begun = math.inf

    def __enter__(self) -> None:
        self._turns.acquire()
        self._taken, self._begun = True, time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._end()

    def end_if_slow(self) -> None:
        if time.monotonic() - self._begun > SLOW_SECONDS:
            self._end()

    def _end(self) -> None:
        with self._lock:
            if self._taken:
                self._taken = False
                self._turns.release()


class Workers:
    """Threads for searches, and as many for reading: a document, the query, how much was found.

    There are more of both for work that takes long, so that a few expressions that are hard to evaluate keep nobody
    else waiting.
    """

    def __init__(self, number: int = max(2, os.cpu_count() or 2)) -> None:
        sizes = {"search": number, "read": number, "file": FILES, "sign-in": SIGN_INS}
        threads = sizes | {"search": number + MOST_SLOW, "read": number + MOST_SLOW}
        self.pools = {kind: ThreadPoolExecutor(size, f"antecede-{kind}") for kind, size in threads.items()}
        self.turns = {kind: threading.Semaphore(size) for kind, size in sizes.items()}
        self.waiting: Counter[str] = Counter()
        self.running: dict[Future[Any], threading.Event] = {}
        """What is not done yet, and what is set to end it."""

    async def run(self, kind: Kind, request: Request, work: Callable[[], Result]) -> Result:
        """The result of work: a search or what takes as long, short work, the reading of a file, a check of a password.

        Searches never block the page, nor do they keep a reader waiting. What nobody waits for any more is not begun;
        what has begun ends at its next check, and nothing of it is stored.
        """
        if self.waiting[kind] >= MOST_WAITING:
            raise OverloadError
        abandoned = threading.Event()

        turn = Turn(self.turns[kind])

        def begin() -> Result:
            with abandonable(abandoned), turn:
                check_wanted()
                return work()

        self.waiting[kind] += 1
        submitted = self.pools[kind].submit(begin)
        self.running[submitted] = abandoned
        submitted.add_done_callback(self.running.pop)
        future = asyncio.wrap_future(submitted)
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=POLL_SECONDS)
                if done:
                    return future.result()
                if abandoned.is_set() or await request.is_disconnected():
                    raise AbandonedError
                if kind in ("search", "read"):
                    turn.end_if_slow()
        finally:
            self.waiting[kind] -= 1
            if not future.done():
                abandoned.set()
                future.cancel()

    def abandon(self) -> None:
        """Answer what runs or waits that it is abandoned; what runs ends at its next check."""
        for abandoned in [*self.running.values()]:
            abandoned.set()

    def close(self) -> None:
        """Begin nothing more, and give what runs a moment to end."""
        self.abandon()
        for pool in self.pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        wait([*self.running], timeout=CLOSE_SECONDS)


class Site:
    """A request, and what it takes to answer it: the index and the store, threads, who gets in, and the user."""

    def __init__(self, request: Request) -> None:
        state = request.app.state
        self.request = request
        self.access: Access = state.access
        self.workbench: Workbench = state.workbench
        self.workers: Workers = state.workers
        self.user: str = request.state.user or ""
        """The user; empty where there are no named users."""
        self.owner = self.user if self.access.users is not None else None
        """The user whose cases may be opened; None where there are no named users, and everybody may open all."""

    def case(self, case_id: str) -> OpenCase:
        """A case that the user must be allowed to open."""
        case = OpenCase(self.workbench, self.workbench.store.case(case_id, self.owner), self.user)
        case.owned = self.owner in (None, case.row.user)
        return case


class OpenCase:
    """A case, with the index that it is searched in, and the user who has it open.

    What is read from the store is read once: a change of the case is seen in a new one.
    """

    def __init__(self, workbench: Workbench, row: CaseRow, user: str = "") -> None:
        self.workbench, self.row, self.user = workbench, row, user
        self.index, self.store, self.id = workbench.index, workbench.store, row.id
        self.owned = True
        """Whether the user may share and delete it."""

    @cached_property
    def topic(self) -> Patent:
        """The application that prior art is wanted of."""
        return read_patent(self.row.topic)

    @cached_property
    def marks(self) -> Marks:
        return self.store.marks(self.row)

    @cached_property
    def seen(self) -> list[str]:
        return self.store.seen(self.id)

    def searches(self) -> list[SearchRow]:
        return self.store.searches(self.id)

    def search(self, number: int) -> SearchRow:
        return self.store.search(self.id, number)

    def again(self) -> OpenCase:
        """The case as it is in the store now."""
        return OpenCase(self.workbench, self.store.case(self.id), self.user)


class Route(NamedTuple):
    """Which requests a view answers: under the address of its case, or of the API."""

    method: str
    path: str
    tag: str
    long: bool
    """Whether it may take as long as a search."""
    status: int
    file: bool
    """Whether the body is a file."""


def route(
    method: str, path: str, tag: str = "searching", *, long: bool = False, status: int = 200, file: bool = False
) -> Callable[[View], View]:
    """Decorator: a function is a view."""

    def mark(view: View) -> View:
        vars(view)["route"] = Route(method, path, tag, long, status, file)
        return view

    return mark


def read_patent(record: Mapping[str, Any]) -> Patent:
    """A patent from a record that a user sent; what is wrong is said in one line."""
    whole = {name: value for name, value in record.items() if value not in (None, "", {}, [])}
    for name in (declared.name for declared in PATENT_FIELDS if declared.codec is DAY):
        if name in whole:
            day = parse_date(str(whole[name]))
            if day is None:
                raise UsageError(f"{name}: {shown(str(whole[name]))!r} is not a day; write it as 2001-12-31")
            whole[name] = day.isoformat()
    if "number" in whole and PatentNumber.parse(str(whole["number"])) is None:
        raise UsageError(f"number: {shown(str(whole['number']))!r} is not a patent number")
    for name in (declared.name for declared in PATENT_FIELDS if declared.codec in (CITATIONS, EVENTS)):
        whole[name] = [{key: value for key, value in entry.items() if value} for entry in whole.get(name, ())]
    try:
        patent = Patent.from_dict(whole)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"the record of the patent is not valid: {shown(str(error), 200)}") from None
    texts = (" ".join(text) for name in FIELDS for text in getattr(patent, name).values())  # claims, or letters
    if not any(any(map(str.isalpha, text)) for text in texts):
        raise UsageError("there is no word to search with: title, abstract, claims and description have none")
    for text in (patent.doc_id, *patent.title.values()):
        if "\x00" in text:
            raise UsageError("a text of the patent has a NUL character")
    return patent


def title_of(patent: Patent, language: str = "") -> str:
    """The title of a patent, in a language if it has one."""
    found = patent.title.get(language) or patent.title.get(patent.language) or next(iter(patent.title.values()), "")
    return found[:TITLES]


def clean_line(text: str) -> str:
    """A text in one line without control characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def day_text(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None


@cache
def environment(folder: str, undefined: type[Undefined] = StrictUndefined) -> Environment:
    """Templates that escape every value, and unless specified otherwise fail on undefined names."""
    loader = PackageLoader("antecede.web", folder)
    return Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)
