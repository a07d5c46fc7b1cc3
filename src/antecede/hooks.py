"""The one way up: what a lower package offers, such as `.plot()` of a result, and a higher one does.

Figures are drawn, and indexes searched, in packages above the ones that hold results and indexes, so these cannot
import them. `antecede.__init__` installs functions that load the higher package when they are first called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_installed: dict[str, Callable[..., Any]] = {}


def install(name: str, function: Callable[..., Any]) -> None:
    """Install what a hook calls."""
    _installed[name] = function


def call(name: str, *arguments: Any, **options: Any) -> Any:
    """Call what is installed."""
    return _installed[name](*arguments, **options)
