"""What is not documented fails here; so does a link that leads nowhere, in the pages and on the site made of them."""

from __future__ import annotations

import inspect
import json
import os
import re
from html.parser import HTMLParser
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

import antecede
from antecede.cli.app import MODULES
from antecede.corpus.formats import FORMATS
from antecede.measures import MEASURES
from antecede.models import MODELS
from antecede.names import public_names
from antecede.query.methods import METHODS
from antecede.ranking.features import FEATURES
from antecede.search.settings import search_options
from docs.site.build import build
from docs.site.gallery import GALLERY
from docs.site.markdown import BrokenLinkError, render_page
from docs.site.markdown import Links as SiteLinks
from docs.site.pages import MANUALS, REFERENCES, Page
from docs.site.verbs import SHARED, find_command, write_verbs
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.docs
DOCS = ROOT / "docs"
VERBS = [*MODULES]
THINGS: dict[str, list[str]] = {
    "measures": [*MEASURES],
    "methods": [*METHODS],
    "models": [*MODELS],
    "features": [*FEATURES],
    "formats": [*FORMATS],
    "settings": [each.name for each in search_options()],
}
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), ROOT / "bench/results.md"]
BESIDE = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
"""Pages for people who change the code, which are not part of the site."""


@pytest.mark.parametrize(("page", "manual"), {**MANUALS, **REFERENCES}.items())
def test_a_page_made_from_the_code_is_what_the_code_says(page: str, manual: Callable[[], str]) -> None:
    assert (DOCS / f"{page}.md").read_text() == manual(), "run: make docs"


@pytest.mark.parametrize(
    "path", [DOCS / "experiments.md", *sorted((DOCS / "verbs").glob("*.md"))], ids=lambda path: path.stem
)
def test_the_reference_of_a_verb_is_what_the_code_says(path: Path) -> None:
    assert path.read_text() == write_verbs(path.read_text()), "run: make docs"


@pytest.mark.parametrize("page", THINGS)
def test_everything_that_is_listed_has_a_section_of_its_own(page: str) -> None:
    headings = re.findall(r"^## (.+)$", (DOCS / f"{page}.md").read_text(), re.MULTILINE)
    assert sorted(headings) == sorted(THINGS[page])


def test_a_verb_has_a_page_with_a_generated_reference() -> None:
    for verb in VERBS:
        group = verb.split()[0]  # the verbs of a group share a page
        page = (DOCS / "verbs" / f"{group}.md").read_text()
        assert page.startswith(f"# antecede {group}\n")
        assert group == verb or f"\n## antecede {verb}\n" in page
        assert f"\n<!--{verb}-->\n" in page
    assert {path.stem for path in (DOCS / "verbs").glob("*.md")} <= {verb.split()[0] for verb in VERBS}


def test_a_page_that_explains_shared_options_names_them() -> None:
    for place, (_, names) in SHARED.items():
        target = re.search(r"\((?:\.\./)?([^)#]+)", place)
        assert target is not None
        found = [path for path in (DOCS / target[1], DOCS / "verbs" / target[1]) if path.exists()]
        text = found[0].read_text()
        for name in names:
            option = f"--{name.rstrip('_').replace('_', '-')}"
            argument = f"`{name.upper()}`"
            assert any(each in text for each in (option, option.removesuffix("s"), argument)), f"{target[1]}: {option}"


def test_every_option_that_a_page_names_exists() -> None:
    known = {"--help", "--debug", "--version", "--install-completion", "--show-completion"}
    for verb in VERBS:
        command = find_command(verb)
        known |= {
            name for each in command.get_params(typer.Context(command)) for name in (*each.opts, *each.secondary_opts)
        }
    for page in PAGES:
        for span in re.findall(r"`([^`\n]+)`", page.read_text()):
            if not re.match(r"python|pip|make", span):
                named = {*re.findall(r"(?<![\w-])--[a-z][a-z-]+", span)}
                assert named <= known, f"{page.name}: {span}"


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *BESIDE], ids=lambda page: page.name)
def test_every_page_and_heading_that_is_linked_exists(page: Path) -> None:
    marks = [line for line in page.read_text().splitlines() if "```" in line]
    assert all(re.fullmatch(r"```\w*", line) for line in marks)
    assert len(marks) % 2 == 0, "every block of code begins and ends a line"
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), f"{page.name} links {target}"
        assert not anchor or anchor in headings(linked), f"{page.name} links {target}"


def test_the_readme_leads_to_every_page() -> None:
    """Everything in docs is linked by README, by its folder, or by a page that is."""
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        seen.add(page)
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            linked = Path(os.path.normpath(page.parent / target))
            found = [*linked.glob("*.md")] if linked.is_dir() else [linked]
            waiting += [each for each in found if each.suffix == ".md" and each.exists() and each not in seen]
    assert {*PAGES} <= seen


def test_the_readme_names_what_is_there_and_answers_three_questions() -> None:
    readme = (ROOT / "README.md").read_text()
    for question, page in (
        ("Which N for PRES?", "docs/pres.md#which-n"),
        ("Why is my document not found?", "docs/guides/troubleshooting.md#why-is-my-document-not-found"),
        ("How do I cite this?", "docs/citing.md"),
    ):
        assert f"[{question}]({page})" in readme
    for word in ("docs/verbs", "make docs", "make demo", "make test", *(f"docs/{name}.md" for name in THINGS)):
        assert word in readme
    for line in re.findall(r"^antecede (\w+ ?[\w-]*)", readme, re.MULTILINE):
        assert line in VERBS or line.split()[0] in VERBS


class Links(HTMLParser):
    """The links, anchors and outside addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := given.get(name)) is not None]
        self.anchors |= {value for value in (given.get("id"),) if value}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Links]:
    """The site, each page read as a browser would."""
    folder = tmp_path_factory.mktemp("built") / "site"
    build(folder, draw=place_gallery)
    read = {}
    for path in folder.rglob("*.html"):
        read[path] = Links()
        read[path].feed(path.read_text())
    return read


def place_gallery(folder: Path) -> None:
    """Empty files in place of the figures, which take seconds to draw."""
    for each in GALLERY:
        if each.stored is None:
            (folder / each.image).parent.mkdir(exist_ok=True)
            (folder / each.image).write_text("<svg/>")


def test_every_link_of_the_site_leads_somewhere_without_a_network(site: dict[Path, Links]) -> None:
    for page, found in site.items():
        for link in found.links:
            assert not re.match(r"\w+:|//", link), f"{page.name} needs a network for {link}"
            path, _, anchor = link.partition("#")
            linked = Path(os.path.normpath(page.parent / path)) if path else page
            assert linked.is_file(), f"{page.name} links {link}"
            assert not anchor or anchor in site[linked].anchors, f"{page.name} links {link}"


def test_a_link_that_leads_nowhere_stops_the_build() -> None:
    page = Page("guides/x.html", "Guides", "# X\n\n[gone](../gone.md)\n", DOCS / "guides/x.md")
    with pytest.raises(BrokenLinkError, match=r"docs/guides/x.md: the link to ../gone.md has no target"):
        render_page(page, SiteLinks([page]))
    part = Page("measures/pres.html", "Measures", "# PRES\n", DOCS / "measures.md", "pres")
    there = Page("guides/x.html", "Guides", "[PRES](../measures.md#pres)\n", DOCS / "guides/x.md")
    assert 'href="../measures/pres.html"' in render_page(there, SiteLinks([part, there]))


def test_the_site_has_a_page_for_every_thing(site: dict[Path, Links]) -> None:
    root = next(page for page in site if page.name == "index.html" and (page.parent / "search.js").exists()).parent
    for folder, names in {name: THINGS[name] for name in MANUALS}.items():
        for name in names:
            page = (root / folder / f"{name.lower()}.html").read_text()
            assert f">{name}</h1>" in page
            assert "<pre>" in page, f"{name} has no example"
    for verb in (each.split()[0] for each in VERBS):
        assert (root / "verbs" / f"{'index-verb' if verb == 'index' else verb}.html").exists()
    index = (root / "search-index.js").read_text()
    known = json.loads(index.removeprefix("window.pagesToSearch = ").rstrip().removesuffix(";"))
    assert {each["url"].partition("#")[0] for each in known} == {page.relative_to(root).as_posix() for page in site}
    for each in known:
        url, _, anchor = each["url"].partition("#")
        assert not anchor or anchor in site[root / url].anchors
    titles = {each["title"] for each in known if each["url"].startswith("api/")}
    assert {
        name if inspect.isfunction(attrgetter(name)(antecede)) else f"class {name}" for name in public_names()
    } <= titles
    pres = next(each for each in known if each["title"] == "PRES")
    assert "how early all relevant documents are retrieved" in pres["text"]


def test_a_page_has_contents_a_theme_switch_and_no_script_from_elsewhere(site: dict[Path, Links]) -> None:
    root = next(page for page in site if page.name == "index.html" and (page.parent / "page.js").exists()).parent
    api = (root / "api/evaluating.html").read_text()
    contents = api.split("<aside", 1)[1].split("</aside>")[0]
    assert {f"#{name}" for name in ("evaluate", "class-scores")} <= {*re.findall(r'href="(#[^"]+)"', contents)}
    assert '<select id="theme">' in api
    style = (root / "style.css").read_text()
    assert ':root[data-theme="dark"] .code' in style
    assert "url(" not in style
    pres = (root / "measures/pres.html").read_text()
    assert "<aside" not in pres, "a short page has no contents"
    assert '<math display="block"><mi>PRES</mi><mo>=</mo>' in pres
    assert "r<sub>i</sub>" in pres
    assert '<span class="gp">&gt;&gt;&gt; </span>' in pres
