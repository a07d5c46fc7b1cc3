"""The pages of the site: README, the pages of docs, and one per measure, method, model, feature, format and example."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.corpus.formats import LISTING as FORMATS
from antecede.models import LISTING as MODELS
from antecede.query.methods import LISTING as METHODS
from antecede.ranking.features import LISTING as FEATURES
from antecede.search.settings import settings_manual
from docs.site.api import api_manual, group_names, page_of, topic_manual
from docs.site.gallery import write_gallery
from docs.site.measures import measures_manual
from docs.site.notebook import write_notebook
from docs.site.verbs import strip_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MANUALS: dict[str, Callable[[], str]] = {
    "measures": measures_manual,
    "methods": METHODS.as_manual,
    "models": MODELS.as_manual,
    "features": FEATURES.as_manual,
    "formats": FORMATS.as_manual,
}
"""Pages generated from the code, with a page for each entry."""
REFERENCES: dict[str, Callable[[], str]] = {
    "settings": settings_manual,
    "api": api_manual,
    **{f"api/{page_of(topic)}": partial(topic_manual, topic) for topic in group_names()},
}
"""Pages generated from the code, each a single page."""
EXAMPLES = {
    "measures": "The symbols are explained under [measures](measures.md).\n",
    "methods": "```sh\nantecede query clefip.index EP1234567 --method {thing}\n"
    "antecede run clefip.index topics/ --method {thing} --out {thing}.run\n```\n\n"
    "The symbols are explained under [query methods](methods.md).\n",
    "models": "```sh\nantecede search clefip.index EP1234567 --model {thing}\n"
    "antecede run clefip.index topics/ --model {thing} --out {thing}.run\n```\n\n"
    "The symbols are explained under [ranking models](models.md).\n",
    "features": "```sh\nantecede search clefip.index EP1234567 --ranking bm25=1,{thing}=0.5\n```\n\n"
    "The symbols are explained under [features](features.md).\n",
    "formats": "```sh\nantecede list formats {thing}\n```\n\n"
    "See also [all formats](formats.md) and [reading patents](patents.md).\n",
}
"""What follows the description of each entry on its page; a test runs the commands."""
VERB_WORDS = "`antecede VERB --help` prints a summary of each."
VERB_ARGUMENTS = """## Arguments

These mean the same everywhere.

| | |
|---|---|
| `QRELS`, `RUN` | judgements and rankings in any form that can be [read](../reading.md); `-` for standard input |
| `COLLECTION` | patents: files, folders and archives of any [format](../formats.md) |
| `INDEX` | the folder that [index](index.md) made, or the address of an index on a [cluster](../cluster.md) |
| `CASES`, `CASE` | a file of cases, made by [review start](review.md) or [serve](serve.md); the name of one |
"""
TUTORIALS = ("tutorials/evaluate", "tutorials/search", "tutorials/hit-list", "tutorials/references")
HOW_TO = (
    *("guides/researcher", "guides/engineer", "guides/searcher", "guides/page", "guides/reviews"),
    "guides/which-test",
    *("guides/troubleshooting", "cluster", "experiments", "adapters", "extending"),
)
EXPLANATION = ("pres", "ranking", "queries", "spaces", "stopping", "matrix", "design")
REFERENCE = ("settings", "expressions", "reading", "patents", "glossary", "security", "api")
EVIDENCE = (
    *("studies/ranking", "studies/queries", "studies/stopping", "studies/screening", "studies/estimators"),
    *("studies/measures", "studies/judges", "studies/retrievability", "studies/languages"),
)
PROJECT = ("other-tools", "stability", "citing")
SHORT = {
    "index.html": "Overview",
    "cluster.html": "Clusters",
    "experiments.html": "Experiments",
    "guides/researcher.html": "Researchers",
    "guides/engineer.html": "Search engineers",
    "guides/searcher.html": "Patent searchers",
    "guides/page.html": "The searcher's page",
    "guides/reviews.html": "Systematic reviews",
    "tutorials/evaluate.html": "Evaluate your first runs",
    "tutorials/search.html": "Search with your first patent",
    "tutorials/hit-list.html": "From an Espacenet list to a search report",
    "tutorials/references.html": "Screen the references of a review",
    "api.html": "Python API",
}
"""Short titles for the navigation."""


@dataclass(frozen=True)
class Page:
    """A page of the site."""

    url: str
    section: str
    text: str
    """Markdown."""
    source: Path
    """The file that its links are relative to."""
    anchor: str = ""
    """The heading in `source` that this page consists of, if it is not the whole file."""

    @property
    def title(self) -> str:
        """Its first heading, without markup."""
        found = re.search(r"^# (.+)$", self.text, re.MULTILINE)
        return re.sub(r"[*`]", "", found[1]) if found else self.source.stem

    @property
    def short(self) -> str:
        """Its title in the navigation."""
        return SHORT.get(self.url, self.title.removeprefix("antecede ") if self.section == "Verbs" else self.title)


def list_pages() -> list[Page]:
    """Every page, in the order of the navigation."""
    return [
        Page("index.html", "Start", (ROOT / "README.md").read_text(), ROOT / "README.md"),
        *read_files(TUTORIALS, "Tutorials"),
        *read_files(HOW_TO, "How-to"),
        *read_files(EXPLANATION, "Explanation"),
        *read_files(REFERENCE, "Reference"),
        Page("gallery.html", "Reference", write_gallery(), DOCS / "gallery.md"),
        *read_listed_folder("verbs", "Verbs", "Verbs", VERB_WORDS, VERB_ARGUMENTS),
        *read_folder("api", "Python API"),
        *(page for name in MANUALS for page in split_manual(name)),
        *read_examples(),
        *read_files(EVIDENCE, "Evidence"),
        Page("bench/results.html", "Evidence", (ROOT / "bench/results.md").read_text(), ROOT / "bench/results.md"),
        *read_files(PROJECT, "Project"),
        Page("changes.html", "Project", (ROOT / "CHANGELOG.md").read_text(), ROOT / "CHANGELOG.md"),
        Page("contributing.html", "Project", (ROOT / "CONTRIBUTING.md").read_text(), ROOT / "CONTRIBUTING.md"),
    ]


def read_files(names: tuple[str, ...], section: str) -> Iterator[Page]:
    """The pages of these names that exist, in this order."""
    for name in names:
        path = DOCS / f"{name}.md"
        if path.exists():
            yield Page(f"{name}.html", section, path.read_text(), path)


def read_folder(folder: str, section: str) -> list[Page]:
    """The pages of a folder of docs."""
    return [
        Page(f"{folder}/{path.stem if path.stem != 'index' else 'index-verb'}.html", section, strip_marks(path), path)
        for path in sorted((DOCS / folder).glob("*.md"))
    ]


def read_listed_folder(folder: str, section: str, title: str, words: str, more: str) -> list[Page]:
    """The pages of a folder, preceded by one that lists them between some words."""
    found = read_folder(folder, section)
    rows = "\n".join(f"| [{page.short}]({page.source.name}) | {first_sentence(page.text)} |" for page in found)
    listed = f"# {title}\n\n{words}\n\n| | |\n|---|---|\n{rows}\n\n{more}"
    return [Page(f"{folder}/index.html", section, listed, DOCS / folder / "contents"), *found]


def split_manual(name: str) -> Iterator[Page]:
    """A generated page as one page per entry, preceded by one that lists them."""
    head, *parts = re.split(r"^## ", MANUALS[name](), flags=re.MULTILINE)
    section = name.capitalize()
    things = [(part.split("\n", 1)[0].strip(), "\n" + part.split("\n", 1)[1]) for part in parts]
    rows = "\n".join(f"| [{thing}]({name}.md#{thing.lower()}) | {summarize(text)} |" for thing, text in things)
    yield Page(f"{name}/index.html", section, f"{head}\n| | |\n|---|---|\n{rows}\n", DOCS / f"{name}.md")
    for thing, text in things:
        whole = f"# {thing}\n{text.rstrip()}\n\n{EXAMPLES[name].format(thing=thing)}"
        yield Page(f"{name}/{thing.lower()}.html", section, whole, DOCS / f"{name}.md", thing.lower())


def summarize(text: str) -> str:
    """One line about an entry: the first sentence of its first paragraph that is not its usage."""
    paragraphs = [each.strip() for each in text.split("\n\n") if each.strip()]
    written = next((each for each in paragraphs if not each.startswith("`")), "")
    return written.split("\n\n")[0].replace("\n", " ").replace("|", "\\|").split(". ")[0]


def first_sentence(text: str) -> str:
    """The first sentence below the heading."""
    body = text.split("\n\n", 2)
    return re.split(r"(?<=\.)\s", body[1].replace("\n", " "))[0] if len(body) > 1 else ""


def read_examples() -> Iterator[Page]:
    """One page per example, with its code, and the notebook with its outputs."""
    folder = ROOT / "examples"
    files = sorted(folder.glob("*.py"))
    rows = [f"- [{path.name}]({path.name}): {first_doc_line(path)}" for path in files]
    rows.append("- [Notebook](notebook.ipynb): evaluation and search in Jupyter, with outputs")
    words = "Short programs to start from. A test runs each of them."
    listed = "\n".join(rows)
    yield Page("examples/index.html", "Examples", f"# Examples\n\n{words}\n\n{listed}\n", folder / "contents")
    for path in files:
        code = path.read_text()
        yield Page(
            f"examples/{path.stem}.html", "Examples", f"# {path.name}\n\n```python\n{code.rstrip()}\n```\n", path
        )
    notebook = folder / "notebook.ipynb"
    yield Page("examples/notebook.html", "Examples", write_notebook(notebook), notebook)


def first_doc_line(path: Path) -> str:
    """The first line of a script's docstring."""
    return path.read_text().split('"""')[1].strip().split("\n")[0]
