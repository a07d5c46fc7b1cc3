"""The register of figures, and drawing and writing them.

A figure is a function that takes a result and its options and returns a `PaperFigure`. The decorator registers it:

    @figure("systems", result="Scores")
    def systems(scores: Scores, *, sort: str | None = None) -> PaperFigure:
        \"""Systems sorted by one measure, with the other measures beside it.\"""

`result` names the classes whose `.plot()` draws this figure. A further figure of the same class leaves it out.
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

from antecede.errors import UsageError
from antecede.files import write_whole
from antecede.registry import Registry
from antecede.report.figures.paper import paper_settings, render, resolve_format

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.report.figures.paper import PaperFigure

P = ParamSpec("P")


@dataclass(frozen=True, eq=False)
class FigureDefinition(Generic[P]):
    """A registered figure. Calling it draws the figure; `write` also saves it."""

    name: str
    function: Callable[P, PaperFigure]
    results: tuple[str, ...]
    """Names of the result classes whose `.plot()` draws this figure."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> PaperFigure:
        """Draw the figure, independently of the user's matplotlib settings."""
        with paper_settings(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            drawn = self.function(*args, **kwargs)
            # Constrained layout shifts a little on each pass: let it converge, then freeze it.
            for _ in range(2):
                drawn.draw_without_rendering()
            drawn.set_layout_engine("none")
        return drawn

    def write(self, path: str | Path, *args: P.args, **kwargs: P.kwargs) -> PaperFigure:
        """Draw the figure and write it atomically; an unknown file format is refused before anything is drawn."""
        file_format = resolve_format(path)
        drawn = self(*args, **kwargs)
        write_whole(path, render(drawn, file_format))
        return drawn

    @property
    def doc(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """What the figure shows, in one line."""
        return self.doc.split("\n", 1)[0]

    @property
    def options(self) -> tuple[str, ...]:
        """The keyword-only parameters of the function."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)


FIGURES: Registry[FigureDefinition[...]] = Registry(
    "figure", package="antecede.report.figures", group="antecede.figures"
)
"""Every figure by name; other distributions add theirs through entry points."""


def figure(
    name: str, *, result: str | tuple[str, ...] = ()
) -> Callable[[Callable[P, PaperFigure]], FigureDefinition[P]]:
    """Register a function as a figure; `result` names the classes whose `.plot()` draws it."""

    def register(function: Callable[P, PaperFigure]) -> FigureDefinition[P]:
        definition = FigureDefinition(name, function, (result,) if isinstance(result, str) else result)
        FIGURES.add(name, definition)
        return definition

    return register


def find_figure(result: object) -> FigureDefinition[...]:
    """The figure that `.plot()` of a result draws: that of its class, or else of the nearest base class."""
    by_class = {name: definition for definition in FIGURES.values() for name in definition.results}
    for each in type(result).__mro__:
        if each.__name__ in by_class:
            return by_class[each.__name__]
    raise UsageError(f"no figure draws a {type(result).__name__}; register one with @figure(…, result=…)")


def plot_result(result: object, path: str | Path | None = None, **options: Any) -> PaperFigure:
    """Draw the figure of a result, and write it if a path is given."""
    definition = find_figure(result)
    return definition(result, **options) if path is None else definition.write(path, result, **options)
