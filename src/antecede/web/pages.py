"""Pages from templates: those of the program, and that of a problem."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined
from starlette.responses import HTMLResponse, JSONResponse, Response

if TYPE_CHECKING:
    from starlette.datastructures import Headers

TITLES = {401: "This page needs its key", 404: "There is nothing here", 403: "This is not allowed"}


@cache
def environment(folder: str, undefined: type[Undefined] = StrictUndefined) -> Environment:
    """Templates that escape every value, and unless specified otherwise fail on undefined names."""
    loader = PackageLoader("antecede.web", folder)
    return Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)


def answer_problem(asked: Headers, status: int, detail: str, **more: Any) -> Response:
    """What is wrong, in one line: as a page for a person in a browser, as JSON for a program.

    Args:
        asked: The headers of the request.
        status: The status of the answer.
        detail: What is wrong.
        more: Other members of the JSON.
    """
    if status < 400 or "text/html" not in asked.get("accept", ""):
        return JSONResponse({"detail": detail, **more}, status)
    title = TITLES.get(status, "This did not work")
    if status == 404 and detail == "Not Found":
        detail = "there is no page at this address"
    template = environment("templates").get_template("problem.html")
    text = template.render(title=title, detail=detail[:1].upper() + detail[1:], start=status != 401)
    return HTMLResponse(text, status)
