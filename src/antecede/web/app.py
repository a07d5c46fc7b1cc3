"""The application: the JSON API and the page on one index and one case store.

from antecede.web import create_app
app = create_app(open_index("clefip.index"), CaseStore("cases.sqlite"))
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from importlib.metadata import version as version_of
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles

from antecede.errors import AntecedeError, InputError, shown
from antecede.files import remedy_for
from antecede.parallel import AbandonedError
from antecede.review.store import CaseConflictError, StoreError, UnknownCaseError
from antecede.web import charts, documents, progress, queries, routes, searches
from antecede.web.access import Access, make_access
from antecede.web.answers import Problem
from antecede.web.context import OverloadError, Workers, make_router
from antecede.web.gate import Gate, answer_problem
from antecede.web.queries import NothingToDoError
from antecede.web.uploads import ChoiceError
from antecede.web.workbench import MissingDocumentError, Workbench

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp

    from antecede.index import Index
    from antecede.review.store import CaseStore

STATUS: dict[type[AntecedeError], int] = {
    UnknownCaseError: 404,
    MissingDocumentError: 404,
    NothingToDoError: 409,
    CaseConflictError: 409,
    ChoiceError: 300,
    StoreError: 507,
}
"""The status of an error; 422 for any other that a user can make."""
PROBLEMS = (300, 401, 403, 404, 408, 409, 413, 421, 422, 431, 503, 507)
LOG = logging.getLogger("antecede.web")
LONGEST = 2000
CLIENT_GONE = 499


def create_app(
    index: Index,
    store: CaseStore,
    access: Access | None = None,
    *,
    threads: int | None = None,
    calibration: Path | None = None,
) -> ASGIApp:
    """The application, behind its gate.

    Args:
        index: The index, from `open_index`.
        store: The case store.
        access: Who gets in; by default whoever has a token that is drawn.
        threads: Threads for searches; by default one per processor.
        calibration: A file of `antecede review calibrate`, for estimates and advice.
    """
    access = access or make_access("127.0.0.1")
    return Gate(create_api(index, store, access, threads=threads, calibration=calibration), access)


def create_api(
    index: Index, store: CaseStore, access: Access, *, threads: int | None = None, calibration: Path | None = None
) -> FastAPI:
    """The application without its gate."""

    @asynccontextmanager
    async def run(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.workers.close()

    app = FastAPI(
        title="antecede",
        version=version_of("antecede"),
        description="Every POST, PUT, PATCH and DELETE must carry the header X-CSRF-Token, from GET /api/session.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=run,
        responses={status: {"model": Problem} for status in PROBLEMS},
    )
    app.state.workbench = Workbench(index, store, calibration)
    app.state.access = access
    app.state.workers = Workers(threads)
    described = (make_router(module) for module in (queries, searches, documents, charts, progress))
    for router in (routes.cases, *described, routes.exporting, routes.pages):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=Path(str(files("antecede.web"))) / "static"), name="static")
    add_handlers(app)
    return app


def add_handlers(app: FastAPI) -> None:
    """Turn errors into answers of one line."""

    @app.exception_handler(AntecedeError)
    async def on_error(request: Request, error: AntecedeError) -> Response:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
        text = str(error)
        if isinstance(error, InputError) and error.source is not None and "/" in error.source:
            # Where an index is, is the server's own business.
            text = f"{error.what}; {error.remedy}" if error.remedy else error.what
        more = {"choices": error.choices} if isinstance(error, ChoiceError) else {}
        return answer_problem(request.headers, status, shown(" ".join(text.split()), LONGEST), **more)

    @app.exception_handler(ValidationError)
    async def on_damage(request: Request, error: ValidationError) -> Response:
        # Requests and imported cases are checked: what does not fit an answer was changed in the file of the store.
        LOG.error("what the case store holds does not fit %s", error.title)
        damage = "the case store is damaged: a value in it is not valid; restore a copy"
        return answer_problem(request.headers, 507, damage)

    @app.exception_handler(OSError)
    async def on_system(request: Request, error: OSError) -> Response:
        LOG.error("%s", error)
        detail = f"the server cannot go on ({error.strerror}); {remedy_for(error)}"
        return answer_problem(request.headers, 507, detail)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        what = first["msg"].removeprefix("Value error, ")
        return answer_problem(request.headers, 422, shown(f"{where}: {what}" if where else what, LONGEST))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        answer = answer_problem(request.headers, error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(OverloadError)
    async def on_overload(request: Request, _: OverloadError) -> Response:
        answer = answer_problem(request.headers, 503, "too many requests are waiting; try again")
        answer.headers["Retry-After"] = "5"
        return answer

    @app.exception_handler(AbandonedError)
    @app.exception_handler(ClientDisconnect)
    async def on_gone(request: Request, _: Exception) -> Response:
        return answer_problem(request.headers, CLIENT_GONE, "the client has gone")
