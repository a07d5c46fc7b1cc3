"""The application: the JSON API and the page on one index and one case store."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from contextlib import asynccontextmanager
from importlib.metadata import version as version_of
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette import routing
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles

from antecede.errors import AntecedeError, InputError, printable
from antecede.files import remedy_for
from antecede.parallel import AbandonedError
from antecede.review.case import Review
from antecede.review.database import StoreError, UnknownCaseError
from antecede.review.queries import NothingToDoError
from antecede.review.screening_case import ClosedError
from antecede.review.store import CaseConflictError, ReadOnlyError
from antecede.review.versions import ChangedMeanwhileError
from antecede.review.workbench import MissingDocumentError, Workbench
from antecede.web import cases, charts, documents, exports, queries, screening, searches
from antecede.web.access import Access, answer_problem
from antecede.web.answers import Problem
from antecede.web.events import Watcher, live
from antecede.web.pages import allowed_methods, get_nothing, pages
from antecede.web.requests import FacetRequest, SearchRequest
from antecede.web.sign_ins import SignIns
from antecede.web.uploads import ChoiceError
from antecede.web.workbench import OverloadError, Route, Site, Workers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from antecede.engine import Engine
    from antecede.review.store import CaseStore

VIEWS = (cases, queries, searches, documents, charts, exports, screening)
"""The modules with views."""
CLIENT_GONE = 499
STATUS: dict[type[AntecedeError], int] = {
    UnknownCaseError: 404,
    MissingDocumentError: 404,
    NothingToDoError: 409,
    ClosedError: 409,
    CaseConflictError: 409,
    ChangedMeanwhileError: 409,
    ReadOnlyError: 403,
    ChoiceError: 300,
    OverloadError: 503,
    StoreError: 507,
}
"""The status of an error; 422 for any other that a user can make."""
ERRORS = (
    AntecedeError, RequestValidationError, ValidationError, HTTPException, OSError, AbandonedError, ClientDisconnect,
)  # fmt: skip
PROBLEMS = (300, 401, 403, 404, 405, 408, 409, 413, 421, 422, 431, 503, 507)
LOG = logging.getLogger("antecede.web")
LONGEST = 2000


def create_api(index: Engine, store: CaseStore, access: Access, calibration: Path | None = None) -> FastAPI:
    """The application without its gate.

    Args:
        index: The index, from `open_index`.
        store: The case store.
        access: Who gets in.
        calibration: A file of `antecede review calibrate`, for estimates and advice.
    """

    @asynccontextmanager
    async def run(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.watcher.close()
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
    app.state.watcher = Watcher(store)
    app.state.workers = Workers()
    app.state.sign_ins = SignIns()
    api = make_router()
    app.include_router(api)
    app.include_router(live)
    app.include_router(pages)
    app.mount("/static", StaticFiles(directory=str(files("antecede.web") / "static")), name="static")
    known = (*api.routes, *live.routes, *pages.routes, *app.routes)
    addresses = [each for each in known if isinstance(each, routing.Route | routing.Mount)]
    app.state.routes = [each for each in addresses if getattr(each, "endpoint", None) is not get_nothing]
    for kind in ERRORS:
        app.add_exception_handler(kind, answer_error)
    return app


CaseId = Annotated[str, PathParameter(max_length=64, description="The id of the case.")]
FILE_BODY: dict[str, Any] = {"requestBody": {"content": {"application/octet-stream": {}}}}


def make_router() -> APIRouter:
    """The routes of all views."""
    router = APIRouter(prefix="/api")
    for module in VIEWS:
        for view in vars(module).values():
            route = getattr(view, "__dict__", {}).get("route")
            if isinstance(route, Route) and view.__module__ == module.__name__:
                endpoint = make_endpoint(view, route)
                signature = inspect.signature(endpoint)
                router.add_api_route(
                    f"/cases/{{case_id}}{route.path}" if "case_id" in signature.parameters else route.path,
                    endpoint,
                    methods=[route.method],
                    tags=[route.tag],
                    status_code=route.status,
                    response_class=Response if signature.return_annotation in (None, Response) else JSONResponse,
                    openapi_extra=FILE_BODY if route.file else None,
                )
    return router


def make_endpoint(view: Callable[..., Any], route: Route) -> Callable[..., Any]:
    """What FastAPI calls for a view: a thread opens the case and does the work, unless the client goes before."""

    async def answer(request: Request, **given: Any) -> Any:
        site = Site(request)
        if "site" in own.parameters:
            given["site"] = site
        if inspect.iscoroutinefunction(view):
            return await view(**given)

        def work() -> Any:
            if "case_id" in given:
                given["case"] = site.case(given.pop("case_id"), changes=route.changes)
            return view(**given)

        return await site.workers.run("search" if route.long else "read", request, work)

    own = inspect.signature(view, eval_str=True)
    parameters = [inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)]
    for parameter in own.parameters.values():
        name, kind = parameter.name, parameter.annotation
        if kind is Review:
            name, kind = "case_id", CaseId
        elif route.method == "GET" and kind in (SearchRequest, FacetRequest):  # the body of other requests
            kind = Annotated[kind, Query()]
        if kind is not Site:
            parameters.append(parameter.replace(name=name, kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind))
    answer.__name__, answer.__doc__ = view.__name__, view.__doc__
    vars(answer)["__signature__"] = own.replace(parameters=parameters)
    return answer


async def answer_error(request: Request, error: Exception) -> Response:
    """The answer to a request that led to an error: one line."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        error = refuse_method(request)
    more: dict[str, Any] = {"choices": error.choices} if isinstance(error, ChoiceError) else {}
    if isinstance(error, ChangedMeanwhileError):
        change = {name: getattr(error.change, name) for name in ("version", "user", "time")}
        more = {"current": jsonable_encoder(error.current), "fields": error.fields, **change}
    if isinstance(error, RequestValidationError):
        more = {"field": ".".join(str(part) for part in error.errors()[0]["loc"] if part != "body")}
    status, detail = describe_error(error)
    answer = answer_problem(request.headers, status, printable(" ".join(detail.split()), LONGEST), **more)
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})
    if isinstance(error, OverloadError):
        answer.headers["Retry-After"] = "5"
    return answer


def refuse_method(request: Request) -> HTTPException:
    """What is wrong with a request whose method its address does not have: the method, or the address."""
    methods = ", ".join(allowed_methods(request))
    if not methods:
        return HTTPException(404)
    return HTTPException(405, f"{request.method} is not possible here, but {methods}", {"Allow": methods})


FIELD_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "string_too_long": "has more than {max_length} characters",
    "string_too_short": "must not be empty",
    "too_long": "has more than {max_length} entries",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "literal_error": "must be {expected}",
}
"""What is wrong with a field of a request, by the names that pydantic gives it; others are in pydantic's own words."""


def describe_field(problem: Mapping[str, Any]) -> str:
    """What is wrong with a field of a request, in words for a person: its name, without where it is in the request."""
    names = [part for part in problem["loc"][1:] if isinstance(part, str)]
    what = FIELD_PROBLEMS.get(problem["type"], "").format_map(problem.get("ctx", {}))
    what = what or problem["msg"].removeprefix("Value error, ")
    return f"the field “{names[-1].replace('_', ' ')}” {what}" if names else f"the request {what}"


def describe_error(error: Exception) -> tuple[int, str]:
    """The status of an error, and what is wrong."""
    match error:
        case AntecedeError():
            text = str(error)
            if isinstance(error, InputError) and error.source is not None and "/" in error.source:
                # Where an index is, is the server's own business.
                text = f"{error.what}; {error.remedy}" if error.remedy else error.what
            return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422), text
        case RequestValidationError():
            return 422, describe_field(error.errors()[0])
        case ValidationError():
            # Requests and imported cases are checked: what does not fit an answer was changed in the file of the store.
            LOG.error("what the case store holds does not fit %s", error.title)
            return 507, "the case store is damaged: a value in it is not valid; restore a copy"
        case HTTPException():
            return error.status_code, str(error.detail)
        case OSError():
            LOG.error("%s", error)
            return 507, f"the server cannot go on ({error.strerror}); {remedy_for(error)}"
    return CLIENT_GONE, "the client has gone"
