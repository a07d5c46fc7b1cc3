"""Decisions of a screening that a record carries: ASReview, Rayyan and tables with a column of labels."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from antecede.corpus.columns import COLUMN_NAMES, fold

if TYPE_CHECKING:
    from collections.abc import Mapping

RELEVANT, IRRELEVANT, MAYBE = "relevant", "irrelevant", "maybe"
_INCLUDED = (
    "1|1.0|yes|y|true|include|included|relevant|in|x|ja|oui|si|sí|sim|eingeschlossen|inclus|incluido|incluído|incluir"
)
_EXCLUDED = (
    "0|0.0|no|n|false|exclude|excluded|irrelevant|not|not relevant|nein|non|não|nao|ausgeschlossen|exclu|excluido"
    "|excluído|excluir"
)
_UNSURE = "maybe|undecided|unsure|unclear|unklar|vielleicht|peut-être|duda"
_WORDS = {
    **dict.fromkeys(_INCLUDED.split("|"), RELEVANT),
    **dict.fromkeys(_EXCLUDED.split("|"), IRRELEVANT),
    **dict.fromkeys(_UNSURE.split("|"), MAYBE),
}
_ASREVIEW = re.compile(r"ASReview_(relevant|irrelevant|not_seen|prior)\b")
_RAYYAN = re.compile(r"(?:RAYYAN-INCLUSION:\s*|\A)\{([^}]*=>[^}]*)\}")
_RAYYAN_DECISION = re.compile(r'=>\s*"(\w+)"')
_NOTES = ("N1", "Z")
"""The tags of notes in RIS and in EndNote's format."""


class Decision(NamedTuple):
    """What was decided on a record; `prior` if it was known before the screening began."""

    relevance: str
    prior: bool = False


def read_decision(original: Mapping[str, str]) -> Decision | None:
    """The decision in the columns, or in the notes, of a record as its source wrote it; None if there is none."""
    cells = {"label": "", "prior": "", "notes": ""}
    for name, cell in original.items():
        ours = kind_of_column(name)
        if ours and (ours == "notes" or not cells[ours]):
            cells[ours] = f"{cells[ours]} {cell}".strip()
    marks = {*_ASREVIEW.findall(cells["notes"])}
    relevance = _WORDS.get(cells["label"].casefold())
    relevance = relevance or next((mark for mark in (RELEVANT, IRRELEVANT) if mark in marks), None)
    decisions = _RAYYAN.search(cells["label"]) or _RAYYAN.search(cells["notes"])
    if relevance is None and decisions is not None:
        given = {_WORDS.get(word.casefold(), MAYBE) for word in _RAYYAN_DECISION.findall(decisions[1])}
        relevance = given.pop() if len(given) == 1 else MAYBE  # screeners who disagree
    prior = "prior" in marks or _WORDS.get(cells["prior"].casefold()) == RELEVANT
    return Decision(relevance, prior) if relevance is not None else None


@lru_cache(maxsize=4096)
def kind_of_column(name: str) -> str:
    """What a column says of a decision: `label`, `prior` or `notes`; empty for any other."""
    if name in _NOTES:
        return "notes"
    folded = fold(name)
    return next(
        (ours for ours in ("label", "prior", "notes") if folded in map(fold, COLUMN_NAMES[ours].split("|"))), ""
    )
