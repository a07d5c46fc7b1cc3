"""Markdown → HTML: links to the pages of the site, headings with anchors, highlighted code, typeset formulas."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from docs.site.gallery import GALLERY
from docs.site.mathml import convert_block
from docs.site.notebook import OUTPUT
from docs.site.pages import DOCS, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

    from docs.site.pages import Page

FOLDERS = {DOCS / "verbs": "verbs/index.html", ROOT / "examples": "examples/index.html"}
COPIED = {
    ROOT / "LICENSE": "LICENSE.txt",
    ROOT / "SECURITY.md": "SECURITY.md",
    ROOT / "CITATION.cff": "CITATION.cff",
    ROOT / ".pre-commit-config.yaml": "pre-commit-config.yaml",
    ROOT / "bench/results.csv": "bench/results.csv",
    **{path: f"studies/{path.name}" for path in (DOCS / "studies").glob("*.csv")},
    ROOT / "examples/notebook.ipynb?download": "examples/notebook.ipynb",
}
"""Linked files that are copied to the site unchanged."""
DRAWN = {DOCS / each.image: each.image for each in GALLERY}
"""Images of the gallery, most of which are drawn when the site is built."""
FORMATTER = HtmlFormatter(cssclass="code", wrapcode=True)


MAX_UNBROKEN = 30
"""Characters of code in running text that is not broken over two lines."""
SUBSCRIPT = re.compile(r"\b([A-Za-z])_(\w)\b")


@dataclass(frozen=True)
class Heading:
    """A heading of a page, for its contents and for the search."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Rendered:
    """A page as HTML, and its headings below the title."""

    body: str
    headings: tuple[Heading, ...]


class BrokenLinkError(ValueError):
    """A link without a target."""


class Links:
    """The URL on the site of every file and heading of the repository."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.urls = {(page.source, page.anchor): page.url for page in pages}

    def resolve(self, page: Page, target: str) -> str:
        """The target of a link on a page, relative to that page."""
        if re.match(r"[a-z]+:", target):
            return target
        path, _, anchor = target.partition("#")
        file = Path(os.path.normpath(page.source.parent / path)) if path else page.source
        part = self.urls.get((file, anchor))
        if part is not None:
            return make_relative(page.url, part)
        url = self.urls.get((file, "")) or FOLDERS.get(file) or COPIED.get(file) or self.find_image(file)
        if url is None:
            raise BrokenLinkError(f"{page.source.relative_to(ROOT)}: the link to {target} has no target")
        return make_relative(page.url, url) + (f"#{anchor}" if anchor else "")

    def find_image(self, file: Path) -> str | None:
        """The URL of an image, if it exists."""
        exists = file.is_relative_to(DOCS / "images") and file.exists()
        return file.relative_to(DOCS).as_posix() if exists else DRAWN.get(file)


def make_relative(url: str, target: str) -> str:
    """A relative link from one page of the site to another, which also works without a server."""
    return os.path.relpath(target, os.path.dirname(url) or ".")  # noqa: PTH120 - URLs, not paths


def make_anchor(text: str, taken: set[str]) -> str:
    """A unique anchor for a heading, as GitHub derives it."""
    plain = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    number = next(at for at in range(len(taken) + 1) if (f"{plain}-{at}" if at else plain) not in taken)
    taken.add(f"{plain}-{number}" if number else plain)
    return f"{plain}-{number}" if number else plain


def highlight_code(code: str, language: str, _attributes: str) -> str:
    """A block of highlighted code; plain text if the language is unknown."""
    session = language == "python" and code.startswith(">>>")
    try:
        lexer = get_lexer_by_name("pycon" if session else language or "text")
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return str(highlight(code, lexer, FORMATTER))


def render_page(page: Page, links: Links) -> str:
    """The page as HTML."""
    return render(page, links).body


def render(page: Page, links: Links) -> Rendered:
    """The page as HTML, with its headings."""
    reader = MarkdownIt("commonmark", {"html": False, "highlight": highlight_code}).enable("table")
    tokens = reader.parse(page.text)
    taken: set[str] = set()
    headings = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = heading_text(tokens[at + 1])
            anchor = make_anchor(text, taken)
            token.attrSet("id", anchor)
            headings.append(Heading(int(token.tag[1]), anchor, text))
        elif token.type == "code_block":
            # Indented blocks are formulas, fenced ones are code.
            token.type, token.content = "html_block", f'<div class="formula">{convert_block(token.content)}</div>\n'
        elif token.type == "fence" and token.info == OUTPUT:
            token.type, token.content = "html_block", f'<div class="output">{token.content}</div>\n'
        for child in token.children or ():
            resolve_link(child, page, links)
            set_subscripts(child)
            if child.type == "code_inline" and len(child.content) <= MAX_UNBROKEN:
                child.attrSet("class", "short")
    body: str = reader.renderer.render(tokens, reader.options, {})
    # The highlighter adds its own <pre>. Wide tables scroll.
    body = re.sub(r"<pre><code[^>]*>(<div class=\"code\">.*?</div>)\s*</code></pre>", r"\1", body, flags=re.DOTALL)
    body = re.sub(r"<table\b", '<div class="wide"><table', body).replace("</table>", "</table></div>")
    body = re.sub(
        r'<(h[23]) id="([^"]+)">',
        r'<\1 id="\2"><a class="anchor" href="#\2" aria-label="Link to this section"></a>',
        body,
    )
    return Rendered(body, tuple(each for each in headings if each.level > 1))


def resolve_link(token: Token, page: Page, links: Links) -> None:
    """Point a link or an image to its URL on the site."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    if name is not None:
        token.attrSet(name, links.resolve(page, str(token.attrGet(name))))


def set_subscripts(token: Token) -> None:
    """Typeset names such as r_i in running text as in formulas."""
    if token.type == "text" and SUBSCRIPT.search(token.content):
        token.type, token.content = "html_inline", SUBSCRIPT.sub(r"\1<sub>\2</sub>", escape(token.content))


def heading_text(token: Token) -> str:
    """The text of a heading."""
    return "".join(child.content for child in token.children or ())


def extract_text(html: str) -> str:
    """The text of a page, for the search."""
    whole = re.sub(r"</?(span|code|sub|strong|em)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<(style|math|svg)\b.*?</\1>|<[^>]+>", " ", whole, flags=re.DOTALL)).split())


def split_sections(rendered: Rendered) -> list[tuple[Heading | None, str]]:
    """The text above the first heading below the title, and that below each heading."""
    parts = re.split(r'<h[123456] id="[^"]+">.*?</h[123456]>', rendered.body, flags=re.DOTALL)
    # What is above the title, if anything, belongs to the page as a whole.
    parts = [" ".join(parts[: len(parts) - len(rendered.headings)]), *parts[len(parts) - len(rendered.headings) :]]
    return list(zip([None, *rendered.headings], map(extract_text, parts), strict=True))
