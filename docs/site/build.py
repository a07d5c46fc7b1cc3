"""Builds the site into a folder, from what is here alone: `python -m docs.site.build [DIR]`.

The pages that are made from the code (`docs/measures.md` and its like) are written anew first.
"""

from __future__ import annotations

import json
import shutil
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from docs.site.pages import DOCS, MANUALS, ROOT, pages
from docs.site.rendering import COPIED, Links, plain, rendered, seen_from

if TYPE_CHECKING:
    from docs.site.pages import Page

HERE = Path(__file__).parent
LONGEST = 6000
"""Letters of a page that the search looks at."""


def write_manuals() -> None:
    """Write the pages that are made from the code."""
    for name, manual in MANUALS.items():
        (DOCS / f"{name}.md").write_text(manual())


def build(out: Path) -> list[Page]:
    """Build the site in a folder, which is emptied first; the pages it has."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    every = pages()
    links = Links(every)
    bodies = {page.url: rendered(page, links) for page in every}
    template = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True).get_template(
        "page.html"
    )
    for at, page in enumerate(every):
        path = out / page.url
        path.parent.mkdir(parents=True, exist_ok=True)
        around = {"before": every[at - 1] if at else None, "after": every[at + 1] if at + 1 < len(every) else None}
        path.write_text(
            template.render(
                page=page,
                body=Markup(bodies[page.url]),  # noqa: S704 - made above, from our own pages
                sections=sections(every),
                to=lambda url, page=page: seen_from(page.url, url),
                **around,
            )
        )
    write_rest(out, every, bodies)
    return every


def sections(every: list[Page]) -> list[tuple[str, list[Page]]]:
    """The pages by section, for the navigation."""
    return [(name, list(found)) for name, found in groupby(every, key=lambda page: page.section)]


def write_rest(out: Path, every: list[Page], bodies: dict[str, str]) -> None:
    """Images, style, the search and what it looks through, and files that are linked."""
    shutil.copytree(DOCS / "images", out / "images")
    colours = HtmlFormatter(style="default").get_style_defs(".code")
    at_night = HtmlFormatter(style="github-dark").get_style_defs(".code")
    style = (HERE / "templates/style.css").read_text()
    (out / "style.css").write_text(f"{colours}\n@media (prefers-color-scheme: dark) {{\n{at_night}\n}}\n{style}")
    shutil.copy(HERE / "templates/search.js", out / "search.js")
    known = [
        {"url": page.url, "title": page.title, "section": page.section, "text": plain(bodies[page.url])[:LONGEST]}
        for page in every
    ]
    # A script rather than JSON: a page on a disk may not fetch a file beside it, but it may load one.
    (out / "search-index.js").write_text(f"window.pagesToSearch = {json.dumps(known, ensure_ascii=False)};\n")
    for source, url in COPIED.items():
        if source.exists():
            shutil.copy(source, out / url)


if __name__ == "__main__":
    write_manuals()
    made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
    print(f"site/index.html and {len(made) - 1} further pages")
