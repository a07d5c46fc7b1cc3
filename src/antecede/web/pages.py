"""What is not part of a case: the page itself, signing in, the session, the index, and the description of the API."""

from __future__ import annotations

import asyncio
from importlib.metadata import version as version_of
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Undefined
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount, Route

from antecede.conditions.fields import FACETS, WORDS, Field
from antecede.conditions.fields import SETTINGS as FACTS
from antecede.errors import printable
from antecede.models import MODELS
from antecede.parallel import AbandonedError
from antecede.patent.texts import FIELDS
from antecede.query.methods import METHODS
from antecede.review.database import UnknownCaseError
from antecede.review.search_history import FILTERS, SETTINGS
from antecede.review.workbench import Workbench
from antecede.search.settings import KINDS, Option, search_options
from antecede.web import answers
from antecede.web.access import LARGEST_UPLOAD, LONGEST_USER, Access, put_cookie
from antecede.web.sign_ins import SignIns
from antecede.web.workbench import Site, environment

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")
pages = APIRouter()

ACCEPTS = [".xml", ".xml.gz", ".zip", ".tar", ".tgz", ".json", ".jsonl", ".csv", ".tsv", ".parquet"]
ACCEPTS += [".txt", ".pdf", ".docx"]
TYPES = {int: "integer", float: "number", str: "text", bool: "boolean"}
assert {*TYPES} == {*KINDS}  # noqa: S101 - each kind of setting has a name here


def describe_session(site: Site) -> dict[str, Any]:
    access = site.access
    return {
        "csrf": access.csrf_token(site.request.state.cookie),
        "user": site.user,
        "users": access.users is not None,
        "people": sorted(access.users or ()),
        "version": version_of("antecede"),
        "index": site.workbench.index.name,
    }


def render(site: Site, name: str, **values: Any) -> HTMLResponse:
    return HTMLResponse(environment("templates").get_template(name).render(**describe_session(site), **values))


@pages.get("/", include_in_schema=False)
def get_start(request: Request) -> Response:
    """The page; where the only case is a screening, its own page."""
    site = Site(request)
    cases = site.workbench.store.cases(site.owner)
    if len(cases) == 1 and "protocol" in cases[0].plan:
        return RedirectResponse(f"/cases/{cases[0].id}/screening", 303)
    return get_page(request)


@pages.get("/cases/{case_id}/screening", include_in_schema=False)
def get_screening_page(request: Request) -> HTMLResponse:
    """The page of a screening."""
    return render(Site(request), "screening.html")


@pages.get("/cases", include_in_schema=False)
@pages.get("/cases/{case_id}", include_in_schema=False)
@pages.get("/cases/{case_id}/{view}", include_in_schema=False)
def get_page(request: Request) -> HTMLResponse:
    """The page."""
    return render(Site(request), "page.html")


@pages.get("/favicon.ico", include_in_schema=False)
def get_icon() -> RedirectResponse:
    """The icon of the page."""
    return RedirectResponse("/static/icon.svg")


@pages.get("/login", include_in_schema=False)
def get_login(request: Request, next: str = "/") -> Response:  # noqa: A002
    """The page to sign in."""
    site = Site(request)
    if site.access.users is None:
        return RedirectResponse("/", 303)
    return render(site, "login.html", error="", next=local_path(next))


@pages.post("/login", include_in_schema=False)
async def post_login(request: Request) -> Response:
    """Sign in."""
    site = Site(request)
    access = site.access
    form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    user, password, target = (form.get(name, [""])[0] for name in ("user", "password", "next"))

    async def check() -> str | None:
        return await site.workers.run("sign-in", request, lambda: access.sign_in(user, password))

    sign_ins: SignIns = request.app.state.sign_ins
    address = request.client.host if request.client is not None else ""
    cookie = await unless_client_goes(request, sign_ins.run(address, user[: LONGEST_USER + 1], check))
    if cookie is None:
        page = render(site, "login.html", error="The name or the password is wrong.", next=local_path(target))
        page.status_code = 401
        return page
    done = RedirectResponse(local_path(target), 303)
    put_cookie(done, access.cookie, cookie)
    return done


async def unless_client_goes(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of work, which is cancelled when its client goes."""

    async def wait_until_gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(wait_until_gone())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise AbandonedError
    finally:
        working.cancel()
        gone.cancel()


@pages.post("/logout", include_in_schema=False)
def post_logout(request: Request) -> Response:
    """Sign out."""
    access: Access = request.app.state.access
    access.end_session(request.state.cookie)
    done = Response(status_code=204)
    put_cookie(done, access.cookie, "", 0)
    return done


def local_path(path: str) -> str:
    """A path on this server; anything else is the start page."""
    plain = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if plain and path.isascii() else "/"


@pages.get("/api/session", tags=["session"])
def get_session(request: Request) -> answers.Session:
    """Who is signed in, and the token that every change must carry as `X-CSRF-Token`."""
    return answers.Session(**describe_session(Site(request)))


@pages.get("/api/index", tags=["session"])
def get_index(request: Request) -> answers.IndexInfo:
    """What the index contains, and what a query may be made of."""
    workbench: Workbench = request.app.state.workbench
    index = workbench.index
    methods, models = ([answers.Listed.model_validate(each) for each in known.values()] for known in (METHODS, MODELS))
    return answers.IndexInfo(
        coverage=workbench.coverage,
        methods=methods,
        models=models,
        name=index.name,
        version=version_of("antecede"),
        engine=index.kind,
        state=index.state,
        fields=list(FIELDS),
        settings=[describe_option(option) for option in search_options() if option.name in (*SETTINGS, *FILTERS)],
        limits=[
            answers.LimitInfo(name=field.name, setting=name, chosen=field.chosen or field.reason)
            for name, field in FACTS.items()
        ],
        facets=[describe_facet(field) for field in FACETS.values() if field.setting],
        date="the publication date, else the filing date, else the priority date of a document",
        accepts=ACCEPTS,
        largest_upload=LARGEST_UPLOAD,
    )


def describe_facet(field: Field) -> answers.FacetInfo:
    return answers.FacetInfo(
        facet=field.facet, setting=field.setting, title=field.title, tree=field.tree, names=field.match == WORDS
    )


def describe_option(option: Option) -> answers.SettingInfo:
    own = {name: getattr(option, name) for name in ("name", "several", "default", "default_text", "help", "choices")}
    if option.range is not None:
        own |= {"minimum": option.range.low, "maximum": option.range.high}
    return answers.SettingInfo(type=TYPES[option.kind], **own)


@pages.get("/api/docs", include_in_schema=False)
def get_docs(request: Request) -> HTMLResponse:
    """The description of the API, for people; it needs nothing from another host."""
    described = request.app.openapi()
    operations = [
        {"path": path, "method": method.upper(), **operation}
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    template = environment("export_templates", Undefined).get_template("api.html")  # what does not apply is left out
    schemas = described["components"]["schemas"]
    page = template.render(describe=describe_schema, info=described["info"], operations=operations, schemas=schemas)
    return HTMLResponse(page)


def describe_schema(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(describe_schema, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    return f"list of {describe_schema(schema.get('items', {}))}" if kind == "array" else kind


@pages.api_route(
    "/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False, status_code=404
)
def get_nothing(request: Request, path: Annotated[str, PathParameter()]) -> Response:
    """There is no such address, or it does not have the method."""
    if allowed_methods(request):
        raise HTTPException(405)
    raise UnknownCaseError(f"there is nothing at /api/{printable(path)}; see /api/docs")


def allowed_methods(request: Request) -> list[str]:
    """The methods of an address; none where there is no such address."""
    routes: list[Route | Mount] = request.app.state.routes
    scope = {**request.scope, "root_path": request.scope.get("app_root_path", "")}  # not that of a mounted part
    matching = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
    methods = [route.methods or () if isinstance(route, Route) else ("GET", "HEAD") for route in matching]
    return sorted({*chain.from_iterable(methods)})
