"""Classes: the tree that codes lie in, and the levels at which those of a topic and of a document agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.engine import Selection

TREE = ("section", "class", "subclass", "group", "subgroup")
LEVELS = ("group", "main", "subclass")
"""How far two IPC codes agree, from narrow to wide: `H04L 12/56`, `H04L 12/`, `H04L`."""


def beginning_of(code: str, level: str) -> str:
    """What the codes begin with that agree with a code at a level; the code itself for a group."""
    if level == "group":
        return code
    group, slash, _ = code.partition("/")
    return code[:4] if level == "subclass" else group + slash


@dataclass(frozen=True)
class ClassQuestion:
    """Which documents are sought: those that share codes, have text in a language, and are selected."""

    codes: tuple[str, ...]
    language: str
    selection: Selection
    level: str = "group"
    fewest: int = 50
    """The level is widened until so many are found."""
    most: int = 2000
    """Of more than that, those that share most codes are taken, then the latest, then the first of the index."""

    @property
    def levels(self) -> list[str]:
        """The levels from the one given to the widest."""
        return [*LEVELS[LEVELS.index(self.level) :]]


# The tree of codes


def nodes_of(code: str) -> tuple[str, ...]:
    """The nodes above a code, and the code itself: `H`, `H04`, `H04L`, `H04L 12`, `H04L 12/56`."""
    subclass, _, rest = code.partition(" ")
    group = f"{subclass} {rest.partition('/')[0]}" if rest else ""
    nodes = (code[:1], code[:3], subclass, group, code)
    return tuple(dict.fromkeys(node for node in nodes if node))


def level_of(node: str) -> str:
    if "/" in node:
        return TREE[4]
    return TREE[3] if " " in node else {1: TREE[0], 3: TREE[1]}.get(len(node), TREE[2])


def child_of(node: str, code: str) -> str | None:
    """The child of a node that a code lies in; None where it does not lie in the node."""
    above = ("", *nodes_of(code))
    if node not in above:
        return None
    at = above.index(node) + 1
    return above[at] if at < len(above) else None
