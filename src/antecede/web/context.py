"""What routes take from a request: the index and the store, the user, a case that the user may open, worker threads.

Searches never block the page, nor do they keep a reader waiting. What nobody waits for any more is not begun; what has
begun ends at its next check, and nothing of it is stored.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request

from antecede.parallel import AbandonedError, abandonable, check_wanted
from antecede.web.requests import SearchRequest
from antecede.web.workbench import OpenCase, Route, Workbench

Result = TypeVar("Result")
Kind = Literal["search", "read", "sign-in"]
POLL_SECONDS = 0.25
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""
SIGN_INS, MOST_SIGN_INS = 1, 20
"""Passwords that are hashed at a time, since a hash takes 64 MB and four threads, and those that may wait for it."""


class OverloadError(Exception):
    """Too many requests are waiting."""


class Workers:
    """Threads for searches, and as many for reading: a document, the query, how much was found.

    Args:
        threads: The number of either; by default one per processor, at least two.
    """

    def __init__(self, threads: int | None = None) -> None:
        number = threads or max(2, os.cpu_count() or 2)
        sizes = {"search": number, "read": number, "sign-in": SIGN_INS}
        self.pools = {kind: ThreadPoolExecutor(size, f"antecede-{kind}") for kind, size in sizes.items()}
        self.waiting: Counter[str] = Counter()

    async def run(self, kind: Kind, request: Request, work: Callable[[], Result]) -> Result:
        """The result of work: a search or what takes as long, short work, or the check of a password.

        It is abandoned when its client has gone.
        """
        if self.waiting[kind] >= (MOST_SIGN_INS if kind == "sign-in" else MOST_WAITING):
            raise OverloadError
        abandoned = threading.Event()

        def begin() -> Result:
            with abandonable(abandoned):
                check_wanted()
                return work()

        self.waiting[kind] += 1
        future = asyncio.wrap_future(self.pools[kind].submit(begin))
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=POLL_SECONDS)
                if done:
                    return future.result()
                if await request.is_disconnected():
                    raise AbandonedError
        finally:
            self.waiting[kind] -= 1
            if not future.done():
                abandoned.set()
                future.cancel()

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        for pool in self.pools.values():
            pool.shutdown(wait=True, cancel_futures=True)


class Site:
    """A request with what it takes to answer it: the index and the store, threads, who gets in, and the user."""

    def __init__(self, request: Request) -> None:
        state = request.app.state
        self.request, self.access = request, state.access
        self.workbench: Workbench = state.workbench
        self.workers: Workers = state.workers
        self.user: str = request.state.user or ""
        """The user; empty where there are no named users."""
        self.owner = self.user if self.access.users is not None else None
        """The user whose cases may be opened; None where there are no named users, and everybody may open all."""


OnSite = Annotated[Site, Depends()]


def open_case(
    request: Request, case_id: Annotated[str, Path(max_length=64, description="The id of the case.")]
) -> OpenCase:
    """The case that an address names, which the user must be allowed to open."""
    site = Site(request)  # not another dependency, which would wait for another thread
    return OpenCase(site.workbench, site.workbench.store.case(case_id, site.owner), site.user)


Case = Annotated[OpenCase, Depends(open_case)]


def make_router(module: ModuleType) -> APIRouter:
    """The routes of a module. Threads do the work, which is abandoned when its client has gone."""
    router = APIRouter(prefix="/api/cases/{case_id}", tags=["searching"])
    for view in vars(module).values():
        route = getattr(view, "__dict__", {}).get("route")
        if isinstance(route, Route) and view.__module__ == module.__name__:
            router.add_api_route(route.path, _in_thread(view, route), methods=[route.method], tags=[*route.tags])
    return router


def _in_thread(view: Callable[..., Any], route: Route) -> Callable[..., Any]:
    async def answer(request: Request, **given: Any) -> Any:
        workers: Workers = request.app.state.workers
        return await workers.run("search" if route.long else "read", request, partial(view, **given))

    own = inspect.signature(view, eval_str=True)
    parameters = [inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)]
    for parameter in own.parameters.values():
        kind = Case if parameter.annotation is OpenCase else parameter.annotation
        if route.method == "GET" and kind is SearchRequest:  # which is the body of other requests
            kind = Annotated[kind, Query()]
        parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind))
    answer.__name__, answer.__doc__ = view.__name__, view.__doc__
    answer.__dict__["__signature__"] = own.replace(parameters=parameters)
    return answer
