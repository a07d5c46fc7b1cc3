"""Build the documentation site into a folder, without network access: `python -m docs.site.build [DIR]`.

Pages generated from the code, such as `docs/measures.md`, are regenerated first.
"""

from __future__ import annotations

import argparse
import json
import shutil
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from docs.site.evidence import write_studies
from docs.site.gallery import draw_gallery
from docs.site.markdown import COPIED, Links, Rendered, make_relative, render, split_sections
from docs.site.pages import DOCS, MANUALS, REFERENCES, ROOT, list_pages
from docs.site.verbs import write_verbs

if TYPE_CHECKING:
    from collections.abc import Callable

    from docs.site.pages import Page

HERE = Path(__file__).parent
SCRIPTS = ("search.js", "page.js")
MIN_HEADINGS = 3
"""A page with fewer headings has no list of contents."""


def write_manuals() -> None:
    """Write the pages generated from the code."""
    for name, manual in {**MANUALS, **REFERENCES}.items():
        path = DOCS / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(manual())
    for path in [DOCS / "experiments.md", *(DOCS / "verbs").glob("*.md")]:
        path.write_text(write_verbs(path.read_text()))
    write_studies()


def build(out: Path, *, draw: Callable[[Path], None] = draw_gallery) -> list[Page]:
    """Build the site in a folder, which is emptied first; `draw` draws the gallery into it. Returns the pages."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    every = list_pages()
    links = Links(every)
    rendered = {page.url: render(page, links) for page in every}
    template = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True).get_template(
        "page.html"
    )
    for at, page in enumerate(every):
        path = out / page.url
        path.parent.mkdir(parents=True, exist_ok=True)
        around = {"before": every[at - 1] if at else None, "after": every[at + 1] if at + 1 < len(every) else None}
        headings = [each for each in rendered[page.url].headings if each.level <= 3]
        path.write_text(
            template.render(
                page=page,
                body=Markup(rendered[page.url].body),  # noqa: S704 - rendered above from our own pages
                headings=headings if len(headings) >= MIN_HEADINGS else [],
                sections=group_sections(every),
                to=lambda url, page=page: make_relative(page.url, url),
                **around,
            )
        )
    write_assets(out)
    draw(out)
    write_search_index(out, every, rendered)
    return every


def group_sections(every: list[Page]) -> list[tuple[str, list[Page]]]:
    """The pages by section, for the navigation."""
    return [(name, list(found)) for name, found in groupby(every, key=lambda page: page.section)]


def write_assets(out: Path) -> None:
    """Images, style sheet, scripts, and linked files."""
    shutil.copytree(DOCS / "images", out / "images")
    light = HtmlFormatter(style="default").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark")
    system = dark.get_style_defs(':root:not([data-theme="light"]) .code')
    chosen = dark.get_style_defs(':root[data-theme="dark"] .code')
    style = (HERE / "templates/style.css").read_text()
    highlighting = f"{light}\n@media (prefers-color-scheme: dark) {{\n{system}\n}}\n{chosen}\n"
    (out / "style.css").write_text(highlighting + style)
    for script in SCRIPTS:
        shutil.copy(HERE / "templates" / script, out / script)
    for source, url in COPIED.items():
        shutil.copy(str(source).partition("?")[0], out / url)


def write_search_index(out: Path, every: list[Page], rendered: dict[str, Rendered]) -> None:
    """An entry for each page and each section of one; a name of the API is a section."""
    known = []
    for page in every:
        for heading, text in split_sections(rendered[page.url]):
            entry = {"url": page.url, "title": page.title, "page": page.section, "text": text}
            if heading is not None:
                entry |= {"url": f"{page.url}#{heading.anchor}", "title": heading.text, "page": page.title}
            known.append(entry)
    # A script rather than JSON: a page opened from disk cannot fetch a file, but it can load a script.
    (out / "search-index.js").write_text(f"window.pagesToSearch = {json.dumps(known, ensure_ascii=False)};\n")


def main() -> None:
    """Write the generated pages, and build the site."""
    parser = argparse.ArgumentParser(description="Write the generated pages, and build the site into a folder.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site", help="Emptied first. Default: site.")
    folder = parser.parse_args().folder
    write_manuals()
    print(f"{len(build(folder))} pages in {folder}")


if __name__ == "__main__":
    main()
