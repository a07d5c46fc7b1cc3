"""Run a notebook and store its outputs, and show it as a page: `python -m docs.site.notebook` runs the example.

The cells are run as Jupyter runs them, in one namespace and in a temporary folder; the value of the last line is shown.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples/notebook.ipynb"
OUTPUT = "output"
"""The language of a fenced block whose content is an HTML output of a notebook of this repository."""
BEST_FIRST = ("image/svg+xml", "text/html", "text/plain")
REPRESENTATIONS = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}


def run_notebook(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells."""
    notebook: dict[str, Any] = json.loads(path.read_text())
    names: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for count, cell in enumerate(code, 1):
            cell["execution_count"] = count
            cell["outputs"] = list(run_cell("".join(cell["source"]), names, count))
    return notebook


def run_cell(code: str, names: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """Run a cell; what it prints, and the value of its last line."""
    *steps, last = ast.parse(code).body
    value = None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(ast.Module(steps, []), "cell", "exec"), names)  # noqa: S102 - our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
        else:
            exec(compile(ast.Module([last], []), "cell", "exec"), names)  # noqa: S102
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": split_lines(printed.getvalue())}
    if value is not None:
        data = {kind: getattr(value, name)() for kind, name in REPRESENTATIONS.items() if hasattr(value, name)}
        shown = {kind: split_lines(text) for kind, text in data.items() if text}
        shown["text/plain"] = split_lines(str(value))
        yield {"data": shown, "execution_count": count, "metadata": {}, "output_type": "execute_result"}


def split_lines(text: str) -> list[str]:
    """A text as notebooks store it."""
    return text.splitlines(keepends=True)


def write_notebook(path: Path) -> str:
    """The notebook as a page in Markdown."""
    head, *cells = json.loads(path.read_text())["cells"]
    link = f"[Download this notebook]({path.name}?download)"
    return "\n\n".join([*write_cell(head), link, *(block for cell in cells for block in write_cell(cell))]) + "\n"


def write_cell(cell: dict[str, Any]) -> Iterator[str]:
    """A cell, followed by its outputs."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text
        return
    yield f"```python\n{text}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", [])})
        kind = next(each for each in BEST_FIRST if each in data)
        content = "".join(data[kind]).strip()
        if kind == "text/plain":
            yield f"````text\n{content}\n````"
        else:
            # The style of the page is used, and no XML prologue belongs inside a page.
            content = re.sub(r"<style.*?</style>|<\?xml.*?\?>|<!DOCTYPE.*?>", "", content, flags=re.DOTALL)
            yield f"````{OUTPUT}\n{content.strip()}\n````"


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else NOTEBOOK
    chosen.write_text(json.dumps(run_notebook(chosen), indent=1, ensure_ascii=False) + "\n")
