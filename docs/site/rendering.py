"""Markdown → HTML: links led to the pages of the site, headings with anchors, code in colours."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from docs.site.pages import DOCS, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

    from docs.site.pages import Page

FOLDERS = {DOCS / "verbs": "verbs/index.html", DOCS / "guides": "index.html", ROOT / "examples": "examples/index.html"}
COPIED = {ROOT / "LICENSE": "LICENSE.txt", ROOT / "examples/notebook.ipynb": "examples/notebook.ipynb"}
"""Files that are linked and go along as they are."""
FORMATTER = HtmlFormatter(cssclass="code", wrapcode=True)


class BrokenLinkError(ValueError):
    """A link that leads nowhere."""


class Links:
    """Knows where every file and heading of the repository went on the site."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.urls = {(page.source, page.anchor): page.url for page in pages}

    def lead(self, page: Page, target: str) -> str:
        """Where a link on a page leads, seen from that page."""
        if re.match(r"[a-z]+:", target):
            return target
        path, _, anchor = target.partition("#")
        file = Path(os.path.normpath(page.source.parent / path)) if path else page.source
        part = self.urls.get((file, anchor))
        if part is not None:
            return seen_from(page.url, part)
        url = self.urls.get((file, "")) or FOLDERS.get(file) or COPIED.get(file) or self.image(file)
        if url is None:
            raise BrokenLinkError(f"{page.source.relative_to(ROOT)}: the link to {target} leads nowhere")
        return seen_from(page.url, url) + (f"#{anchor}" if anchor else "")

    def image(self, file: Path) -> str | None:
        """Where an image went."""
        here = file.is_relative_to(DOCS / "images") and file.exists()
        return f"images/{file.name}" if here else None


def seen_from(url: str, target: str) -> str:
    """A link from one page of the site to another, which also works from a disk."""
    return os.path.relpath(target, os.path.dirname(url) or ".")  # noqa: PTH120 - these are parts of links


def slug(text: str, taken: set[str]) -> str:
    """The anchor of a heading, as GitHub makes it."""
    plain = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    number = next(at for at in range(len(taken) + 1) if (f"{plain}-{at}" if at else plain) not in taken)
    taken.add(f"{plain}-{number}" if number else plain)
    return f"{plain}-{number}" if number else plain


def coloured(code: str, language: str, _attributes: str) -> str:
    """A block of code; one in no language that is known stays plain."""
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return str(highlight(code, lexer, FORMATTER))


def rendered(page: Page, links: Links) -> str:
    """A page as HTML."""
    reader = MarkdownIt("commonmark", {"html": False, "highlight": coloured}).enable("table")
    tokens = reader.parse(page.text)
    taken: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(words_of(tokens[at + 1]), taken))
        for child in token.children or ():
            redirect(child, page, links)
    body: str = reader.renderer.render(tokens, reader.options, {})
    # The highlighter brings its own <pre>; a table may be wider than the page.
    body = re.sub(r"<pre><code[^>]*>(<div class=\"code\">.*?</div>)\s*</code></pre>", r"\1", body, flags=re.DOTALL)
    return body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def redirect(token: Token, page: Page, links: Links) -> None:
    """Lead a link or an image to where it is on the site."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    if name is not None:
        token.attrSet(name, links.lead(page, str(token.attrGet(name))))


def words_of(token: Token) -> str:
    """The words of a heading."""
    return "".join(child.content for child in token.children or ())


def plain(html: str) -> str:
    """The words of a page, for the search."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
