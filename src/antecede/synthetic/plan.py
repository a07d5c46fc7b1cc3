"""The plan of a collection: for each patent some seventy bytes that say what it is about, before any text is written.

Each text follows from the plan and from the patent's own stream of chance, so patents can be written in any order and
by any number of workers. Collection patents come first, in the order of their publication; topics follow.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.synthetic.days import day_of
from antecede.synthetic.dials import DIALS, FIELD_EVENNESS, LANGUAGE_SHARES, LINE_WEIGHTS
from antecede.synthetic.draws import below, integers
from antecede.synthetic.lexicon import KINDS, lexicon

if TYPE_CHECKING:
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

FIRST_NUMBER = 1_000_000
CORE, PARTS = 5, 8
"""Parts that a line has, and that a patent has."""
FIRST_WEDNESDAY = day_of("1985-01-02")
"""European patents are published on Wednesdays; days are counted from 1970-01-01."""
LAST_WEDNESDAY = day_of("2000-12-27")
TOPICS_FROM = day_of("2001-01-02")
TOPICS_DAYS = 1400
TO_PUBLICATION = 546
"""Eighteen months from priority to publication."""
CHUNK = 1 << 16
PER_FIELD, FEWEST_FIELDS = 25, 4
PER_APPLICANT, FEWEST_APPLICANTS = 30, 30
SPREADING = 37
"""A step that goes through a hundred numbers evenly, so that few lines have the languages that many have."""
LATEST_SIBLING = 900
"""Days between the two members of a family, at most."""
STREAMS = 1 << 48
"""Streams of chance beyond this number belong to the plan, those below to patents."""


class Plan(NamedTuple):
    """What every patent is about. Arrays have one row a patent, topics behind the collection."""

    seed: int
    patents: int
    topics: int
    line: npt.NDArray[np.int32]
    field: npt.NDArray[np.uint8]
    applicant: npt.NDArray[np.int32]
    priority: npt.NDArray[np.int32]
    published: npt.NDArray[np.int32]
    granted: npt.NDArray[np.int32]
    """Day of the B1 document, 0 where there is none."""
    cards: npt.NDArray[np.int32]
    """Parts, language and family side by side: what who cites looks at."""
    before: npt.NDArray[np.int32]
    """How many patents of the collection were published before the priority date: what can be cited."""
    line_start: npt.NDArray[np.int32]
    line_members: npt.NDArray[np.int32]
    """Patents of the collection by line, in order: those of line i from `line_start[i]` to `line_start[i + 1]`."""
    field_start: npt.NDArray[np.int32]
    field_members: npt.NDArray[np.int32]

    @property
    def parts(self) -> npt.NDArray[np.int32]:
        """Eight parts a patent, each a modifier (from 256 on) and a head (below 256)."""
        return self.cards[:, :PARTS]

    @property
    def language(self) -> npt.NDArray[np.int32]:
        return self.cards[:, PARTS]

    @property
    def family(self) -> npt.NDArray[np.int32]:
        """The first member of the family, as a row number."""
        return self.cards[:, PARTS + 1]


class Lines(NamedTuple):
    """The strands of inventions."""

    field: Integers
    language: Integers
    parts: npt.NDArray[np.uint16]
    slots: Integers
    """Lines, each as often as it is busy: a patent picks one of these."""


def make_plan(patents: int, topics: int, seed: int) -> Plan:
    """Lay out a collection of so many patents and topics."""
    total = patents + topics
    lines = make_lines(patents, seed)
    line = np.empty(total, dtype=np.int32)
    language = np.empty(total, dtype=np.uint8)
    applicant = np.empty(total, dtype=np.int32)
    parts = np.empty((total, PARTS), dtype=np.uint16)
    lag = np.empty(total, dtype=np.int64)
    granted = np.empty(total, dtype=np.int32)
    sibling = np.empty(total, dtype=np.bool_)
    published = publication_days(patents, topics)
    for number, start in enumerate(range(0, total, CHUNK)):
        rows = slice(start, min(start + CHUNK, total))
        chance = integers(seed, STREAMS + 16 + number, (28, rows.stop - start))
        line[rows] = lines.slots[below(chance[0], len(lines.slots))]
        language[rows] = languages(chance[1:3], lines.language[line[rows]])
        applicant[rows] = applicants(chance[3], language[rows], lines.field[line[rows]], patents)
        parts[rows] = parts_of(chance[4:24], lines.parts[line[rows]], lines.field[line[rows]])
        lag[rows] = TO_PUBLICATION + below(chance[24], 21)
        granted[rows] = grant_days(chance[25:27], published[rows])
        sibling[rows] = below(chance[27], 100) < DIALS.family
    granted[patents:] = 0
    field = lines.field[line].astype(np.uint8)
    priority = published - lag
    line_start, line_members = grouped(line[:patents], len(lines.field))
    family = families(line_start, line_members, sibling, published, total)
    for array in (parts, applicant, language, priority):
        array[:] = array[family]
    cards = np.column_stack((parts, language, family)).astype(np.int32)
    field_start, field_members = grouped(field[:patents], len(lexicon().fields))
    before = np.searchsorted(published[:patents], priority).astype(np.int32)
    return Plan(
        *(seed, patents, topics, line, field, applicant),
        *(priority.astype(np.int32), published.astype(np.int32), granted, cards, before),
        *(line_start, line_members, field_start, field_members),
    )


def kind_of(row: int) -> str:
    """The kind of a patent's first document: one in ten was published without its search report."""
    return "A2" if row % 10 == 7 else "A1"


def make_lines(patents: int, seed: int) -> Lines:
    """Draw the lines: more of them for a larger collection, and more fields, up to all."""
    words = lexicon()
    count = max(patents // DIALS.line_size, FEWEST_FIELDS)
    used = min(max(patents // PER_FIELD, FEWEST_FIELDS), len(words.fields))
    order = np.argsort(integers(seed, STREAMS, (len(words.fields),)), kind="stable")[:used]
    weights = np.array([1000 // (rank + FIELD_EVENNESS) for rank in range(used)])
    chance = integers(seed, STREAMS + 1, (5 + 4 * CORE, count))
    field = np.repeat(order, weights)[below(chance[0], int(weights.sum()))]
    language = np.repeat(np.arange(3), LANGUAGE_SHARES)[np.arange(count) * SPREADING % sum(LANGUAGE_SHARES)]
    busy = np.array(LINE_WEIGHTS)[below(chance[2], len(LINE_WEIGHTS))]
    modifiers, heads = tables_of_parts()
    parts = np.empty((count, CORE), dtype=np.uint16)
    for at in range(CORE):
        draws = chance[5 + 4 * at : 9 + 4 * at]
        own = modifiers[field, below(draws[0], modifiers.shape[1])]
        strange = np.where(below(draws[1], 100) < DIALS.strange, stranger(draws[2], field), own)
        parts[:, at] = sounding(strange, heads[field, below(draws[3], heads.shape[1])], field)
    return Lines(field.astype(np.int64), language, distinct(parts, field), np.repeat(np.arange(count), busy))


def tables_of_parts() -> tuple[Integers, Integers]:
    """The modifiers and the heads of each field, one row a field."""
    fields = lexicon().fields
    return np.array([each.modifiers for each in fields]), np.array([each.heads for each in fields])


def stranger(chance: npt.NDArray[np.uint64], field: Integers) -> Integers:
    """A modifier that any field of the same kind might use, as at least two fields do."""
    fields = lexicon().fields
    uses = [Counter(m for each in fields if each.kind == kind for m in each.modifiers) for kind in KINDS]
    pools = [sorted(m for m, count in each.items() if count > 1) for each in uses]
    sizes = np.array([len(pool) for pool in pools], dtype=np.uint64)
    table = np.zeros((len(pools), int(sizes.max())), dtype=np.int64)
    for at, pool in enumerate(pools):
        table[at, : len(pool)] = pool
    kind = np.array([KINDS.index(each.kind) for each in fields])[field]
    picked: Integers = table[kind, below(chance, sizes[kind])]
    return picked


def sounding(modifier: Integers, head: Integers, field: Integers) -> npt.NDArray[np.uint16]:
    """Parts as numbers; where modifier and head would repeat a word, the next head of the field is taken."""
    sounds, (_, heads) = lexicon().sounds, tables_of_parts()
    place = np.argmax(heads[field] == head[:, None], axis=1)
    for _ in range(heads.shape[1]):
        wrong = ~sounds[modifier, head]
        if not wrong.any():
            break
        place = np.where(wrong, (place + 1) % heads.shape[1], place)
        head = np.where(wrong, heads[field, place], head)
    return ((modifier << 8) | head).astype(np.uint16)


def distinct(parts: npt.NDArray[np.uint16], field: Integers) -> npt.NDArray[np.uint16]:
    """The same parts, none twice in a row: one that is already there is taken with another head."""
    _, heads = tables_of_parts()
    for at in range(1, parts.shape[1]):
        for step in range(1, heads.shape[1]):
            twice = (parts[:, :at] == parts[:, at : at + 1]).any(axis=1)
            if not twice.any():
                break
            place = np.argmax(heads[field] == (parts[:, at] & 0xFF)[:, None], axis=1)
            head = heads[field, (place + step) % heads.shape[1]]
            changed = sounding(parts[:, at].astype(np.int64) >> 8, head, field)
            parts[:, at] = np.where(twice, changed, parts[:, at])
    return parts


def parts_of(chance: npt.NDArray[np.uint64], core: npt.NDArray[np.uint16], field: Integers) -> npt.NDArray[np.uint16]:
    """The parts of patents: most of those of their lines, the others any of the field."""
    modifiers, heads = tables_of_parts()
    parts = np.empty((len(field), PARTS), dtype=np.uint16)
    for at in range(PARTS):
        m, h = below(chance[2 * at], modifiers.shape[1]), below(chance[2 * at + 1], heads.shape[1])
        parts[:, at] = sounding(modifiers[field, m], heads[field, h], field)
        if at < CORE:
            # One number decides three parts: its digits in base 100 are three shares.
            share = below(chance[16 + at // 3], 100**3) // 100 ** (at % 3) % 100
            parts[:, at] = np.where(share < DIALS.kept, core[:, at], parts[:, at])
    return distinct(parts, field)


def spread(chance: npt.NDArray[np.uint64]) -> Integers:
    """Languages as the whole collection has them."""
    return np.repeat(np.arange(3), LANGUAGE_SHARES)[below(chance, sum(LANGUAGE_SHARES))]


def languages(chance: npt.NDArray[np.uint64], home: Integers) -> Integers:
    """The languages of patents: that of the line, or any."""
    return np.where(below(chance[0], 100) < DIALS.home, home, spread(chance[1]))


def applicant_pools(patents: int) -> Integers:
    """Where the applicants of each language begin; the last number is how many there are."""
    count = max(patents // PER_APPLICANT, FEWEST_APPLICANTS)
    return np.concatenate(([0], np.cumsum([max(count * share // 100, 4) for share in LANGUAGE_SHARES])))


def applicants(
    chance: npt.NDArray[np.uint64], language: npt.NDArray[np.uint8], field: Integers, patents: int
) -> Integers:
    """Who applies: few file much and many little (rank as the square of chance), and other ones in each field."""
    starts = applicant_pools(patents)
    sizes = np.diff(starts)[language]
    squared = (chance * chance) >> np.uint64(32)
    rank = below(squared, sizes.astype(np.uint64))
    return starts[language] + (rank + field * 37) % sizes


def publication_days(patents: int, topics: int) -> Integers:
    """Wednesdays, evenly over the years; topics get theirs from a priority date after the collection's end."""
    weeks = (LAST_WEDNESDAY - FIRST_WEDNESDAY) // 7 + 1
    collection = FIRST_WEDNESDAY + 7 * (np.arange(patents) * weeks // patents)
    later = TOPICS_FROM + TO_PUBLICATION + 21 + np.arange(topics) * TOPICS_DAYS // max(topics, 1)
    return np.concatenate((collection, later + (FIRST_WEDNESDAY - later) % 7))


def grant_days(chance: npt.NDArray[np.uint64], published: Integers) -> Integers:
    """The day of the grant, two to five years on, if there is one before the collection ends."""
    day = published + 7 * (104 + below(chance[0], 157))
    return np.where((below(chance[1], 100) < DIALS.granted) & (day <= LAST_WEDNESDAY), day, 0)


def grouped(group: npt.NDArray[np.integer], groups: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Rows by group, in order, and where each group begins."""
    start = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))
    return start.astype(np.int32), np.argsort(group, kind="stable").astype(np.int32)


def families(
    line_start: npt.NDArray[np.int32],
    members: npt.NDArray[np.int32],
    sibling: npt.NDArray[np.bool_],
    published: Integers,
    total: int,
) -> npt.NDArray[np.int32]:
    """First members of families: a few patents are the younger sibling of the one before them in their line."""
    family = np.arange(total, dtype=np.int32)
    younger = sibling[members]
    younger[line_start[:-1][line_start[:-1] < len(members)]] = False  # the first of a line has none before it
    younger[1:] &= ~younger[:-1]  # families of two
    younger[1:] &= np.diff(published[members]) <= LATEST_SIBLING
    at = np.flatnonzero(younger)
    family[members[at]] = members[at - 1]
    return family
