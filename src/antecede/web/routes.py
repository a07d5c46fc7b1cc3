"""The routes of topics, cases and marks, of the page and sign-in, and of the description of the API."""

from __future__ import annotations

from importlib.metadata import version as version_of
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Response
from fastapi import Path as PathParameter
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Undefined

from antecede.errors import UsageError, shown
from antecede.query.methods import METHODS
from antecede.query.topic import FIELDS
from antecede.ranking.models import MODELS
from antecede.review.case import shorten
from antecede.review.marks import Mark, current_time
from antecede.review.store import FILTERS, SETTINGS, UnknownCaseError
from antecede.search.settings import KINDS, Option, search_options
from antecede.web import answers, exports, requests
from antecede.web.case_file import add_case
from antecede.web.context import Case, OnSite, Site
from antecede.web.gate import LARGEST_UPLOAD, POLICY, put_cookie
from antecede.web.queries import current_state
from antecede.web.searches import search_info
from antecede.web.topics import find_topic, understand
from antecede.web.uploads import read_case, read_upload
from antecede.web.workbench import TITLES, OpenCase, clean_line, environment, read_patent, title_of

cases = APIRouter(prefix="/api", tags=["cases"])
exporting = APIRouter(prefix="/api/cases/{case_id}", tags=["searching", "export"])
pages = APIRouter()

ACCEPTS = [".xml", ".xml.gz", ".zip", ".tar", ".tgz", ".json", ".jsonl", ".csv", ".tsv", ".parquet"]
ACCEPTS += [".txt", ".pdf", ".docx"]
TYPES = {int: "integer", float: "number", str: "text", bool: "boolean"}
assert {*TYPES} == {*KINDS}  # noqa: S101 - each kind of setting has a name here
BODY: dict[str, Any] = {"requestBody": {"content": {"application/octet-stream": {}}}}
"""The description of a request whose body is a file."""


# Topics, cases and marks


@cases.post("/topics")
async def post_topic(asked: requests.TopicRequest, site: OnSite) -> answers.Understood:
    """Understand a topic: a patent number in any spelling, or a text."""
    return await site.workers.run("read", site.request, lambda: find_topic(site.workbench, asked))


@cases.post("/topics/file", openapi_extra=BODY)
async def post_topic_file(
    site: OnSite,
    name: Annotated[str, Query(max_length=requests.LONGEST_NAME)] = "upload",
    doc_id: Annotated[requests.AnyName | None, Query()] = None,
) -> answers.Understood:
    """Understand a topic: a file of any patent format, text, PDF or DOCX. The body is the file."""
    record, notes = await read_upload(site.request.stream(), name, doc_id)
    return understand(site.workbench, read_patent(record), "file", notes)


@cases.get("/cases")
def list_cases(site: OnSite) -> list[answers.CaseEntry]:
    """The cases that the user may open."""
    return [
        answers.CaseEntry.model_validate({**vars(case), "topic": {"doc_id": topic.doc_id, "title": title_of(topic)}})
        for case in site.workbench.store.cases(site.owner)
        for topic in [read_patent(case.topic)]
    ]


@cases.post("/cases", status_code=201)
def post_case(asked: requests.CaseRequest, site: OnSite) -> answers.Case:
    """Begin a case."""
    patent = read_patent(asked.patent.model_dump())
    title = title_of(patent)
    described = title if title and asked.source == "text" else f"{patent.doc_id} {title}"
    name = clean_line(asked.name or "") or shorten(clean_line(described))
    case_id = site.workbench.store.create(patent.to_dict(), name=name, user=site.user, source=asked.source)
    return get_case(OpenCase(site.workbench, site.workbench.store.case(case_id)))


@cases.post("/cases/import", status_code=201, openapi_extra=BODY)
async def post_import(site: OnSite) -> answers.Case:
    """Import a case. The body is the file."""
    rows = await read_case(site.request.stream())

    def load() -> answers.Case:
        case_id = add_case(site.workbench.store, rows, user=site.owner)
        return get_case(OpenCase(site.workbench, site.workbench.store.case(case_id, site.owner)))

    return await site.workers.run("search", site.request, load)


@cases.get("/cases/{case_id}")
def get_case(case: Case) -> answers.Case:
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


@cases.get("/cases/{case_id}/topic")
def get_topic(case: Case) -> answers.Understood:
    """The topic of a case with its whole record."""
    return understand(case.workbench, case.topic, case.row.source)


@cases.patch("/cases/{case_id}")
def patch_case(change: requests.CaseChange, site: OnSite, case: Case) -> answers.Case:
    """Change the name, the notes or the topic of a case, or share it with all users."""
    values = change.model_dump(exclude_none=True, exclude={"patent"})
    if change.name is not None:
        values["name"] = clean_line(change.name)
        if not values["name"]:
            raise UsageError("a case needs a name")
    if change.shared is not None and site.owner not in (None, case.row.user):
        raise UsageError("only the owner of a case may share it")
    if change.patent is not None:
        values["topic"] = read_patent(change.patent.model_dump()).to_dict()
    case.store.change_case(case.id, **values)
    return get_case(case.again())


@cases.delete("/cases/{case_id}", status_code=204)
def delete_case(site: OnSite, case: Case) -> Response:
    """Delete a case."""
    if site.owner not in (None, case.row.user):
        raise UsageError("only the owner of a case may delete it")
    case.store.delete(case.id)
    return Response(status_code=204)


@cases.get("/cases/{case_id}/marks", tags=["marks"])
def get_marks(case: Case) -> list[Mark]:
    """The marks of a case."""
    return [*case.marks.current.values()]


@cases.put("/cases/{case_id}/marks", tags=["marks"])
def put_mark(asked: requests.MarkRequest, case: Case) -> Mark:
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


@cases.delete("/cases/{case_id}/marks", status_code=204, tags=["marks"])
def delete_mark(doc_id: Annotated[requests.DocumentName, Query(alias="id")], case: Case) -> Response:
    """Withdraw a mark."""
    if not case.store.remove_mark(case.id, doc_id, case.user):
        raise UsageError(f"document {shown(doc_id)} has no mark")
    return Response(status_code=204)


@cases.post("/cases/{case_id}/seen", status_code=204, tags=["marks"])
def post_seen(asked: requests.SeenRequest, case: Case) -> Response:
    """Note that a document was opened."""
    header = case.workbench.header(asked.doc_id)
    if header is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    case.store.see(case.id, header.doc_id, case.user, asked.search, asked.rank)
    return Response(status_code=204)


@exporting.get("/export/{kind}", response_class=Response)
async def get_export(
    kind: Annotated[str, PathParameter(max_length=40)],
    site: OnSite,
    case: Case,
    search: requests.SearchNumber = None,
    view: bool = False,
) -> Response:
    """A file of the case: report.html, marks.csv, marks.ris, marks.bib, results.csv, case.xlsx, qrels.txt, run.txt,
    trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of saved.
    """
    data = await site.workers.run("search", site.request, lambda: exports.export(case, kind, search))
    media_type, _ = exports.KINDS[kind]
    page = media_type == exports.HTML
    how = "inline" if view and page else "attachment"
    headers = {
        "Content-Disposition": f'{how}; filename="{exports.file_stem(case)}-{kind}"',
        "Content-Security-Policy": exports.page_policy() if page else POLICY,
    }
    return Response(data, media_type=media_type, headers=headers)


# The page itself, the page to sign in, and the description of the API


def describe_session(site: Site) -> dict[str, Any]:
    access = site.access
    return {
        "csrf": access.csrf_token(site.request.state.cookie),
        "user": site.user,
        "users": access.users is not None,
        "version": version_of("antecede"),
        "index": site.workbench.index.name,
    }


def render(site: Site, name: str, **values: Any) -> HTMLResponse:
    return HTMLResponse(environment("templates").get_template(name).render(**describe_session(site), **values))


@pages.get("/", include_in_schema=False)
@pages.get("/cases", include_in_schema=False)
@pages.get("/cases/{case_id}", include_in_schema=False)
@pages.get("/cases/{case_id}/{view}", include_in_schema=False)
def get_page(site: OnSite, case_id: str = "", view: str = "") -> HTMLResponse:  # noqa: ARG001
    """The page."""
    return render(site, "page.html")


@pages.get("/favicon.ico", include_in_schema=False)
def get_icon() -> RedirectResponse:
    """The icon of the page."""
    return RedirectResponse("/static/icon.svg")


@pages.get("/login", include_in_schema=False)
def get_login(site: OnSite, next: str = "/") -> Response:  # noqa: A002
    """The page to sign in."""
    if site.access.users is None:
        return RedirectResponse("/", 303)
    return render(site, "login.html", error="", next=local_path(next))


@pages.post("/login", include_in_schema=False)
async def post_login(site: OnSite) -> Response:
    """Sign in."""
    access = site.access
    form = parse_qs((await site.request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    user, password, target = (form.get(name, [""])[0] for name in ("user", "password", "next"))
    cookie = await site.workers.run("sign-in", site.request, lambda: access.sign_in(user, password))
    if cookie is None:
        wait = access.must_wait(user)
        error = "Too many attempts; wait a minute." if wait else "The name or the password is wrong."
        page = render(site, "login.html", error=error, next=local_path(target))
        page.status_code = 429 if wait else 401
        return page
    done = RedirectResponse(local_path(target), 303)
    put_cookie(done, access.cookie, cookie)
    return done


@pages.post("/logout", include_in_schema=False)
def post_logout(site: OnSite) -> Response:
    """Sign out."""
    access = site.access
    access.end_session(site.request.state.cookie)
    done = Response(status_code=204)
    put_cookie(done, access.cookie, "", 0)
    return done


def local_path(path: str) -> str:
    """A path on this server; anything else is the start page."""
    plain = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if plain and path.isascii() else "/"


@pages.get("/api/session", tags=["session"])
def get_session(site: OnSite) -> answers.Session:
    """Who is signed in, and the token that every change must carry as `X-CSRF-Token`."""
    return answers.Session(**describe_session(site))


@pages.get("/api/index", tags=["session"])
def get_index(site: OnSite) -> answers.IndexInfo:
    """What the index contains, and what a query may be made of."""
    listed: dict[str, Any] = {
        name: [answers.Listed(name=each.name, usage=each.usage, summary=each.summary) for each in registry.values()]
        for name, registry in (("methods", METHODS), ("models", MODELS))
    }
    return answers.IndexInfo(
        coverage=site.workbench.coverage,
        **listed,
        name=site.workbench.index.name,
        version=version_of("antecede"),
        engine="opensearch" if site.workbench.index.on_cluster else "embedded",
        state=site.workbench.index.state,
        fields=list(FIELDS),
        settings=[describe_option(option) for option in search_options() if option.name in (*SETTINGS, *FILTERS)],
        date="the publication date, else the filing date, else the priority date of a document",
        accepts=ACCEPTS,
        largest_upload=LARGEST_UPLOAD,
    )


def describe_option(option: Option) -> answers.SettingInfo:
    own = {name: getattr(option, name) for name in ("name", "several", "default", "default_text", "help", "choices")}
    if option.range is not None:
        own |= {"minimum": option.range.low, "maximum": option.range.high}
    return answers.SettingInfo(type=TYPES[option.kind], **own)


@pages.get("/api/docs", include_in_schema=False)
def get_docs(site: OnSite) -> HTMLResponse:
    """The description of the API, for people; it needs nothing from another host."""
    described = site.request.app.openapi()
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


@pages.get("/api/docs.css", include_in_schema=False)
def get_docs_style() -> Response:
    """The style of the description of the API."""
    style = (files("antecede.web") / "export_templates" / "export.css").read_bytes()
    return Response(style, media_type="text/css; charset=utf-8")


@pages.api_route(
    "/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False, status_code=404
)
def get_nothing(path: Annotated[str, PathParameter()]) -> Response:
    """There is no such address."""
    raise UnknownCaseError(f"there is nothing at /api/{shown(path)}; see /api/docs")
