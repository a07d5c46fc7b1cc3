"""Pages from templates: those of the program, and that of a problem."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined

TITLES = {401: "This page needs its key", 404: "There is nothing here", 403: "This is not allowed"}


@cache
def environment(folder: str, undefined: type[Undefined] = StrictUndefined) -> Environment:
    """Templates that escape every value, and unless specified otherwise fail on undefined names."""
    loader = PackageLoader("antecede.web", folder)
    return Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)


def problem_page(status: int, detail: str) -> str:
    """What is wrong, for a person."""
    title = TITLES.get(status, "This did not work")
    if status == 404 and detail == "Not Found":
        detail = "there is no page at this address"
    return (
        environment("templates")
        .get_template("problem.html")
        .render(title=title, detail=detail[:1].upper() + detail[1:], start=status != 401)
    )
