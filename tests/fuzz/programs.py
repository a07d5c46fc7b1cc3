"""The program called many times in one process: each verb put together once, its output captured."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import typer

from antecede.cli.app import choose_verb, program
from tests.conftest import Outcome, call_program

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

TRACEBACK = -1
"""The exit code of a call that would have ended in a traceback."""


def caller(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """A function that calls the program with words and gives what it printed."""
    build = typer.main.get_command
    commands = cache(lambda verb: build(program(verb.split())))
    monkeypatch.setattr("antecede.cli.app.program", lambda words: choose_verb(words) or "")
    monkeypatch.setattr("typer.main.get_command", commands)

    def call(*words: str) -> Outcome:
        try:
            return call_program(*words)
        except Exception as error:  # noqa: BLE001 - a user would see a traceback
            return Outcome(
                TRACEBACK, "", f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
            )

    return call
