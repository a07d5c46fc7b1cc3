"""Every command and every piece of Python in README and docs is run, in a folder that has the files they name."""

from __future__ import annotations

import doctest
import os
import re
import shutil
from contextlib import chdir, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import matplotlib as mpl
import pytest

import antecede
from antecede.corpus.formats import FORMATS
from antecede.models import MODELS
from antecede.query.methods import METHODS
from docs.site.pages import EXAMPLES
from tests.conftest import ROOT
from tests.documented import SHELL, Block, blocks, pages, run_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.docs
NOT_RUN = {
    r"make\b": "sets up an environment, or runs this very suite",
    r"pip install\b": "changes the environment",
    r"git clone\b": "needs a network",
    r"antecede learn space .*--model\b": "needs a model; tests/index/test_dense.py makes one",
    r"antecede open\b(?!.* --(?:no-page|export)\b)": "the same; tests/cli/test_open.py prepares such cases",
    r"antecede review open\b": "the same; tests/web/browser/test_screening.py opens such a page",
    r"antecede serve\b": "goes on until it is stopped; tests/web has tests of it",
    r"antecede .*opensearchs?://": "needs a cluster; tests/opensearch runs these verbs on one",
    r"antecede demo\b": "a minute of work; it has tests of its own",
}
"""Commands that cannot run here, and why."""
SMALLER = {
    r"--patents \d+": "--patents 100",
    r"--topics \d+": "--topics 25",
    r"--workers \d+": "--workers 1",
    r"--fewest \d+": "--fewest 6",
    r"--sample \d+": "--sample 5",
    r"--samples \d+": "--samples 10",
    r"study published\b": "study published --samples 5",
    r"learn weights (\S+)": r"learn weights \1 --most 5",
    r"(--feedback \S+)( --fewest \d+)?$": r"\1 --fewest 12",
    r"(review simulate qrels\.txt \w\.run) --rule": r"\1 --fewest 12 --rule",
    r"review calibrate\b(?!.* --figure)": "review calibrate --most 10",
    r"review calibrate\b(?=.* --figure)": "review calibrate --most 20",
}
"""Numbers that only cost time."""
CODES = {"antecede audit": (0, 1), "antecede gate": (0, 1), "antecede review stop": (0, 1)}
"""Verbs that tell by exit code 1 what they found, which is not an error."""
SYNOPSIS = re.compile(
    r"\.\.\.|\[[-A-Z]|…|\b(INDEX|CASES|QRELS|RUN|COLLECTION|TABLE|PATH|PATENT|TOPICS|MEASURE|DIR|DOC_ID|FILE\.\w+|DATE|NAME|VERB)\b"
)
"""A line that says how a verb is called, with words to be filled in."""
APART = {
    "docs/extending.md": "tests/test_extending.py puts its code into the packages it is for",
    "README.md": "tests/docs/test_followed.py follows it in an empty folder",
    "docs/tutorials/evaluate.md": "the same",
    "docs/tutorials/search.md": "the same",
}
"""Pages that another test runs."""


@pytest.fixture
def here(documented_folder: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the documented folder, and the machine kept quiet: one core, no windows."""
    mpl.use("agg")
    with chdir(shutil.copytree(documented_folder, tmp_path / "here")), patch.object(os, "cpu_count", lambda: 1):
        yield tmp_path / "here"


def commands(page: Path) -> list[tuple[Block, str]]:
    """What is to be run of a page, line by line."""
    return [
        (block, line)
        for block in blocks(page, *SHELL)
        for line in block.commands
        if not (line.startswith("antecede") and SYNOPSIS.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)))
        and not any(re.match(pattern, line) for pattern in NOT_RUN)
    ]


@pytest.mark.parametrize(
    "page",
    [each for each in pages() if commands(each) and each.relative_to(ROOT).as_posix() not in APART],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_every_command_of_a_page_runs(page: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # tests need not be run from a shell
    for block, line in commands(page):
        for pattern, smaller in SMALLER.items():
            line = re.sub(pattern, smaller, line)
        outcome = run_line(line)
        allowed = next((codes for verb, codes in CODES.items() if line.startswith(verb)), (0,))
        assert outcome.code in allowed, f"{block}: {line}\n{outcome.err}{outcome.out[-500:]}"
        assert "Traceback" not in outcome.err


@pytest.mark.filterwarnings("ignore:.* the rest as not found")  # of a demonstration with few documents
@pytest.mark.parametrize(
    "page",
    [each for each in pages() if blocks(each, "python") and each.relative_to(ROOT).as_posix() not in APART],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_python_of_a_page_runs(page: Path, here: Path) -> None:
    names: dict[str, Any] = {"__name__": "__docs__"}
    public = {name: getattr(antecede, name) for name in dir(antecede)}  # what docstrings take for imported
    for block in blocks(page, "python"):
        if block.text.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block.text, public | names, str(block), None, None)
            assert doctest.DocTestRunner(verbose=False).run(test).failed == 0, block
        else:
            with redirect_stdout(StringIO()):
                exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 - our own pages


def test_every_experiment_file_of_the_docs_is_one(here: Path) -> None:
    (here / "a.run").rename(here / "new/engine.run")
    files = [block for page in pages() for block in blocks(page, "toml") if "[project." not in block.text]
    assert len(files) > 3
    for block in files:
        (here / "one.toml").write_text(block.text)
        outcome = run_line("antecede experiment one.toml --list")
        assert outcome.code == 0, f"{block}\n{outcome.err}"


def test_the_examples_below_methods_models_and_formats_run(here: Path) -> None:
    for kind, things in (("methods", [*METHODS]), ("models", [*MODELS]), ("formats", [*FORMATS])):
        for thing in things:
            for line in re.findall(r"^antecede .+$", EXAMPLES[kind].format(thing=thing), re.MULTILINE):
                outcome = run_line(line)
                assert outcome.code == 0, f"{line}\n{outcome.err}{outcome.out[-500:]}"


def test_a_synopsis_is_not_taken_for_a_command() -> None:
    page = ROOT / "docs/verbs/evaluate.md"
    assert next(line for _, line in commands(page)) == "antecede evaluate qrels.txt runs/*.gz"
