"""Build the documentation site into a folder, without network access: `python -m docs.site.build [DIR]`.

Pages generated from the code, such as `docs/measures.md`, are regenerated first.
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

from docs.site.markdown import COPIED, Links, extract_text, make_relative, render_page
from docs.site.pages import DOCS, MANUALS, REFERENCES, ROOT, list_pages

if TYPE_CHECKING:
    from docs.site.pages import Page

HERE = Path(__file__).parent
MAX_SEARCHED = 6000
"""Characters of a page that the search covers."""


def write_manuals() -> None:
    """Write the pages generated from the code."""
    for name, manual in {**MANUALS, **REFERENCES}.items():
        (DOCS / f"{name}.md").write_text(manual())


def build(out: Path) -> list[Page]:
    """Build the site in a folder, which is emptied first; returns the pages."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    every = list_pages()
    links = Links(every)
    bodies = {page.url: render_page(page, links) for page in every}
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
                body=Markup(bodies[page.url]),  # noqa: S704 - rendered above from our own pages
                sections=group_sections(every),
                to=lambda url, page=page: make_relative(page.url, url),
                **around,
            )
        )
    write_assets(out, every, bodies)
    return every


def group_sections(every: list[Page]) -> list[tuple[str, list[Page]]]:
    """The pages by section, for the navigation."""
    return [(name, list(found)) for name, found in groupby(every, key=lambda page: page.section)]


def write_assets(out: Path, every: list[Page], bodies: dict[str, str]) -> None:
    """Images, style sheet, search script and index, and linked files."""
    shutil.copytree(DOCS / "images", out / "images")
    light = HtmlFormatter(style="default").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    style = (HERE / "templates/style.css").read_text()
    (out / "style.css").write_text(f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{style}")
    shutil.copy(HERE / "templates/search.js", out / "search.js")
    texts = {url: extract_text(body) for url, body in bodies.items()}
    known = [
        {"url": page.url, "title": page.title, "section": page.section, "text": texts[page.url][:MAX_SEARCHED]}
        for page in every
    ]
    # A script rather than JSON: a page opened from disk cannot fetch a file, but it can load a script.
    (out / "search-index.js").write_text(f"window.pagesToSearch = {json.dumps(known, ensure_ascii=False)};\n")
    for source, url in COPIED.items():
        if source.exists():
            shutil.copy(source, out / url)


if __name__ == "__main__":
    write_manuals()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    print(f"{len(build(folder))} pages in {folder}")
