"""What others do to a case, sent to the pages that have it open as it happens: server-sent events.

One connection to the store asks SQLite whether any other has committed (`PRAGMA data_version`, microseconds), and only
while a page listens; so changes of the terminal are noticed as well as those of other pages. Each page is then sent the
records that have changed since the version that it knows.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.encoders import jsonable_encoder
from starlette.responses import StreamingResponse

from antecede.errors import AntecedeError
from antecede.review.searches import search_info
from antecede.review.topics import understand
from antecede.web.workbench import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from antecede.review.case import Review
    from antecede.review.store import CaseStore
    from antecede.review.versions import Change

LOOK_SECONDS = 0.5
"""The time between two looks at the store."""
BEAT_SECONDS = 15.0
"""The time after which a line is sent that means nothing, so that a connection that is gone is noticed."""
RETRY_MILLISECONDS = 2000
MAX_PAGES = 200
"""Pages that listen at a time; a server has twice as many connections."""
live = APIRouter()


class Listener:
    """A page that has a case open."""

    def __init__(self, case_id: str, user: str) -> None:
        self.case_id, self.user = case_id, user
        self.woken = asyncio.Event()
        self.company: Counter[str] | None = None
        """The pages of each user that have the case open, as this page was told."""


class Watcher:
    """Notices the changes of a store, whoever makes them, and wakes the pages that listen."""

    def __init__(self, store: CaseStore) -> None:
        self.store = store
        self.listeners: set[Listener] = set()
        self.closed = False
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def listening(self, case_id: str, user: str) -> Iterator[Listener]:
        """A page that listens; the others that have the case open are told that it came, and that it went."""
        listener = Listener(case_id, user)
        self.listeners.add(listener)
        self.wake(case_id)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield listener
        finally:
            self.listeners.discard(listener)
            self.wake(case_id)

    def company(self, case_id: str) -> Counter[str]:
        """How many pages of each user have a case open."""
        return Counter(listener.user for listener in self.listeners if listener.case_id == case_id)

    def wake(self, case_id: str | None = None) -> None:
        for listener in self.listeners:
            if case_id in (None, listener.case_id):
                listener.woken.set()

    def close(self) -> None:
        """End all streams; the server stops."""
        self.closed = True
        self.wake()

    async def _look(self) -> None:
        known = None
        while self.listeners and not self.closed:
            try:
                version = self.store.data_version()
            except AntecedeError:
                version = None  # the next request of each page says what is wrong with the store
            if version != known:
                self.wake()
            known = version
            await asyncio.sleep(LOOK_SECONDS)


@live.get(
    "/api/cases/{case_id}/events",
    tags=["cases"],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "`change`, `present` and `gone` events."}},
)
async def get_events(
    request: Request,
    case_id: Annotated[str, PathParameter(max_length=64, description="The id of the case.")],
    after: Annotated[int, Query(ge=0, le=2**53, description="The version of the case that the page knows.")] = 0,
) -> StreamingResponse:
    """What others do to a case, as it happens (server-sent events), and who has it open."""
    site = Site(request)
    watcher: Watcher = request.app.state.watcher
    await asyncio.to_thread(site.case, case_id)  # which refuses a case that may not be opened
    last = request.headers.get("last-event-id", "")
    known = int(last) if last.isdecimal() and len(last) < 17 else after
    return StreamingResponse(send_events(site, watcher, case_id, known), media_type="text/event-stream")


async def send_events(site: Site, watcher: Watcher, case_id: str, known: int) -> AsyncIterator[str]:
    """The events of a case after a version, until the page goes, or the case does."""
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    if len(watcher.listeners) >= MAX_PAGES:
        yield frame("gone", {"detail": "too many pages are open; this one is not told what others do"})
        return
    with watcher.listening(case_id, site.user) as listener:
        while not watcher.closed:
            listener.woken.clear()
            company = watcher.company(case_id)
            if company != listener.company:
                listener.company = company
                users = [{"user": user, "pages": pages} for user, pages in sorted(company.items())]
                yield frame("present", {"users": users})
            try:
                changes = await asyncio.to_thread(read_changes, site, case_id, known)
            except AntecedeError as error:
                yield frame("gone", {"detail": str(error)})
                return
            for change in changes:
                known = change["version"]
                yield frame("change", change, known)
            try:
                await asyncio.wait_for(listener.woken.wait(), BEAT_SECONDS)
            except TimeoutError:
                yield ": \n\n"


def frame(kind: str, data: dict[str, Any], number: int | None = None) -> str:
    """An event as it is sent."""
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n"


def read_changes(site: Site, case_id: str, after: int) -> list[dict[str, Any]]:
    """What has changed in a case after a version, with each record as it is now."""
    review = site.case(case_id)
    return [
        {**vars(change), "record": jsonable_encoder(read_record(review, change))}
        for change in review.store.changes(case_id, after)
    ]


def read_record(review: Review, change: Change) -> Any:
    """The record that has changed, as it is now; None where it is gone, or is loaded by the page itself."""
    row, key = review.case, change.key
    match change.kind:
        case "mark":
            return review.store.mark(review.id, key)
        case "name" | "notes":
            return {change.kind: getattr(row, change.kind)}
        case "people":
            return {"shared": row.shared, "people": row.people}
        case "topic":
            return {"topic": understand(review.workbench, review.topic, row.source)}
        case "query":
            return review.store.draft(review.id)
        case "search":
            return search_info(review.store.search(review.id, int(key)))
        case "cell":
            feature, _, doc_id = key.partition(" ")
            text = review.store.cells(review.id).get((int(feature), doc_id))
            return {"text": text} if text is not None else None
    return None
