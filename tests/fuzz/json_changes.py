"""Changes to JSON data as a stranger might make them: a value of another type, one too many, one less."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

BAD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    3,
    2**31,
    2**63,
    10**400,
    1e308,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\x00",
    "\x1b[31m\nforged",
    "../../outside",
    "/dev/zero",
    "3",
    "nan",
    "a" * 5000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"a": {"b": {"c": [1, 2]}}},
)


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object or list inside a value, with each of its keys."""
    keys = [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places_in(value[key])


def nested(depth: int) -> list[Any]:
    """Lists inside each other."""
    whole: list[Any] = []
    for _ in range(depth):
        whole = [whole]
    return whole


def change_json(whole: Any, draw: random.Random) -> Any:
    """A copy of JSON data with one to three changes."""
    made = {"": copy.deepcopy(whole)}
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = [*places_in(made)]
        inside, key = draw.choice(places)
        way = draw.randrange(8)
        if way == 0 and key != "":
            del inside[key]
        elif way == 1:
            other, at = draw.choice(places)
            inside[key] = copy.deepcopy(other[at])
        elif way == 2 and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[key]))
        elif way == 3 and isinstance(inside, dict):
            inside[draw.choice(("x", "en", "n", "\ud800"))] = copy.deepcopy(inside[key])
        elif way == 4:
            inside[key] = nested(draw.choice((3, 300)))
        else:
            inside[key] = copy.deepcopy(draw.choice(BAD))
        made.setdefault("", None)
    return made[""]
