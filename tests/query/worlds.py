"""Small made-up collections of patents, as plain data and as indexes on disk; each is built once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.patent import Patent, PatentNumber
from antecede.query.query_maker import QueryMaker
from tests.search.worlds import Shelf, retrieve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.embedded.engine import EmbeddedEngine

PARTS = ("gear", "hub", "lever", "rotor", "shaft", "valve", "the", "of", "comprising", "device", "toothed")
WORDS = (*PARTS, *(f"{one}{other}" for one in PARTS[:6] for other in PARTS[:6] if one != other))
CODES = ("F16H 1/06", "F16H 1/28", "F16H 57/04", "F16D 3/00", "B60K 17/02", "B60K 6/00")
EPOCH = date(2000, 1, 1)


@dataclass(frozen=True)
class World:
    """A collection, in the parts that were added one after the other."""

    parts: tuple[tuple[Patent, ...], ...]

    @cached_property
    def patents(self) -> list[Patent]:
        """The patents that count: a later one replaces an earlier one of its name."""
        return list({patent.doc_id: patent for part in self.parts for patent in part}.values())


def sentence(rng: np.random.Generator, words: Sequence[str]) -> str:
    """Some words, those in front more often than those behind."""
    places = np.minimum(rng.geometric(0.12, rng.integers(3, 12)) - 1, len(words) - 1)
    return " ".join(words[place] for place in places).capitalize() + "."


def patent(rng: np.random.Generator, number: int, **fixed: Any) -> Patent:
    """A made-up patent."""
    words = list(rng.permutation(np.array(WORDS)))
    text = " ".join(sentence(rng, words) for _ in range(rng.integers(1, 7)))
    found: dict[str, Any] = {
        "doc_id": f"EP{number:07d}",
        "number": PatentNumber.parse(f"EP{number:07d}"),
        "language": "en",
        "title": {"en": sentence(rng, words)},
        "abstract": {"en": sentence(rng, words)} if rng.random() < 0.7 else {},
        "description": {"en": text} if rng.random() < 0.9 else {},
        "ipc": tuple(dict.fromkeys(rng.choice(np.array(CODES), rng.integers(0, 3)).tolist())),
        "publication_date": EPOCH + timedelta(int(rng.integers(0, 1000))) if rng.random() < 0.9 else None,
        "family_id": f"F{rng.integers(0, 12)}" if rng.random() < 0.5 else None,
    }
    return Patent(**{**found, **fixed})


@cache
def world(seed: int) -> World:
    """A collection of some thirty patents in one to three parts; some of the later ones replace earlier ones."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(1 + seed % 3):
        numbers = rng.choice(60, 12 + 24 // (1 + seed % 3), replace=False) + 1000000
        parts.append(tuple(patent(rng, int(number)) for number in sorted(numbers.tolist())))
    return World(tuple(parts))


def make_maker(index: EmbeddedEngine) -> QueryMaker:
    """A maker whose first searches use BM25."""
    return QueryMaker(index, partial(retrieve, index))


@dataclass
class Worlds(Shelf):
    """The indexes of worlds, each built when it is first asked for."""

    makers: dict[int, QueryMaker] = field(default_factory=dict)

    def maker(self, seed: int) -> QueryMaker:
        """What makes queries for the world of a seed."""
        if seed not in self.makers:
            self.makers[seed] = make_maker(self.of(f"w{seed}", world(seed)))
        return self.makers[seed]

    def of(self, name: str, made: World) -> EmbeddedEngine:
        """The index of a world."""
        return self.index(name, *([each.to_dict() for each in part] for part in made.parts))
