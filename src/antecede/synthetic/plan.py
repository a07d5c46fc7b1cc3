"""The plan of a collection: about seventy bytes per patent that say what it is about, before any text is written.

The text of a patent follows from its row of the plan and from the patent's own random stream, so patents can be written
in any order and by any number of workers. The patents of the collection come first, in order of publication; the topics
follow.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.synthetic.lexicon import KINDS, load_lexicon
from antecede.synthetic.parameters import FIELD_EVENNESS, LANGUAGE_SHARES, LINE_WEIGHTS, PARAMETERS
from antecede.synthetic.random_streams import draw_integers, scale_below

if TYPE_CHECKING:
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

EPOCH = date(1970, 1, 1)
"""Days are counted from here."""


def count_days(text: str) -> int:
    """The number of the day written as 1999-11-08."""
    return (date.fromisoformat(text) - EPOCH).days


FIRST_NUMBER = 1_000_000
CORE, PARTS = 5, 8
"""Number of parts that characterise a line, and number of parts of a patent."""
FIRST_WEDNESDAY = count_days("1985-01-02")
"""European patents are published on Wednesdays."""
LAST_WEDNESDAY = count_days("2000-12-27")
TOPICS_FROM = count_days("2001-01-02")
TOPICS_DAYS = 1400
TO_PUBLICATION = 546
"""Days from priority to publication: eighteen months."""
CHUNK = 1 << 16
PER_FIELD, FEWEST_FIELDS = 25, 4
PER_APPLICANT, FEWEST_APPLICANTS = 30, 30
LANGUAGE_STRIDE = 37
"""Coprime to 100: steps of this size visit all percentages evenly, so even a few lines have the intended languages."""
LATEST_SIBLING = 900
"""Most days between the two members of a family."""
PLAN_STREAMS = 1 << 48
"""Random streams from this number on belong to the plan; lower numbers belong to the patents."""


class Plan(NamedTuple):
    """What each patent is about. Arrays have one row per patent; the topics follow the collection."""

    seed: int
    patents: int
    topics: int
    line: npt.NDArray[np.int32]
    field: npt.NDArray[np.uint8]
    applicant: npt.NDArray[np.int32]
    priority: npt.NDArray[np.int32]
    published: npt.NDArray[np.int32]
    granted: npt.NDArray[np.int32]
    """Day of the B1 document, or 0 if there is none."""
    cards: npt.NDArray[np.int32]
    """Parts, language and family in adjacent columns: the data by which citations are chosen."""
    before: npt.NDArray[np.int32]
    """Number of patents in the collection that were published before the priority date and so can be cited."""
    line_start: npt.NDArray[np.int32]
    line_members: npt.NDArray[np.int32]
    """Patents of the collection by line, in order: line i has those from `line_start[i]` to `line_start[i + 1]`."""
    field_start: npt.NDArray[np.int32]
    field_members: npt.NDArray[np.int32]

    @property
    def parts(self) -> npt.NDArray[np.int32]:
        """Eight parts per patent, each encoded as 256 × modifier + head."""
        return self.cards[:, :PARTS]

    @property
    def language(self) -> npt.NDArray[np.int32]:
        return self.cards[:, PARTS]

    @property
    def family(self) -> npt.NDArray[np.int32]:
        """The row of the family's first member."""
        return self.cards[:, PARTS + 1]


class Lines(NamedTuple):
    """The lines of inventions."""

    field: Integers
    language: Integers
    parts: npt.NDArray[np.uint16]
    slots: Integers
    """Line numbers, each repeated by its weight; a patent draws one of them."""


def make_plan(patents: int, topics: int, seed: int) -> Plan:
    """Plan a collection with the given numbers of patents and topics."""
    total = patents + topics
    lines = make_lines(patents, seed)
    line = np.empty(total, dtype=np.int32)
    language = np.empty(total, dtype=np.uint8)
    applicant = np.empty(total, dtype=np.int32)
    parts = np.empty((total, PARTS), dtype=np.uint16)
    lag = np.empty(total, dtype=np.int64)
    granted = np.empty(total, dtype=np.int32)
    sibling = np.empty(total, dtype=np.bool_)
    published = assign_publication_days(patents, topics)
    for number, start in enumerate(range(0, total, CHUNK)):
        rows = slice(start, min(start + CHUNK, total))
        chance = draw_integers(seed, PLAN_STREAMS + 16 + number, (28, rows.stop - start))
        line[rows] = lines.slots[scale_below(chance[0], len(lines.slots))]
        language[rows] = draw_languages(chance[1:3], lines.language[line[rows]])
        applicant[rows] = draw_applicants(chance[3], language[rows], lines.field[line[rows]], patents)
        parts[rows] = draw_parts(chance[4:24], lines.parts[line[rows]], lines.field[line[rows]])
        lag[rows] = TO_PUBLICATION + scale_below(chance[24], 21)
        granted[rows] = draw_grant_days(chance[25:27], published[rows])
        sibling[rows] = scale_below(chance[27], 100) < PARAMETERS.family
    granted[patents:] = 0
    field = lines.field[line].astype(np.uint8)
    priority = published - lag
    line_start, line_members = group_rows(line[:patents], len(lines.field))
    family = assign_families(line_start, line_members, sibling, published, total)
    for array in (parts, applicant, language, priority):
        array[:] = array[family]
    cards = np.column_stack((parts, language, family)).astype(np.int32)
    field_start, field_members = group_rows(field[:patents], len(load_lexicon().fields))
    before = np.searchsorted(published[:patents], priority).astype(np.int32)
    return Plan(
        *(seed, patents, topics, line, field, applicant),
        *(priority.astype(np.int32), published.astype(np.int32), granted, cards, before),
        *(line_start, line_members, field_start, field_members),
    )


def assign_kind(row: int) -> str:
    """The kind of a patent's first document. One patent in ten is published without its search report."""
    return "A2" if row % 10 == 7 else "A1"


def make_lines(patents: int, seed: int) -> Lines:
    """Draw the lines. A larger collection has more lines and more fields, up to all fields there are."""
    words = load_lexicon()
    count = max(patents // PARAMETERS.line_size, FEWEST_FIELDS)
    used = min(max(patents // PER_FIELD, FEWEST_FIELDS), len(words.fields))
    order = np.argsort(draw_integers(seed, PLAN_STREAMS, (len(words.fields),)), kind="stable")[:used]
    weights = np.array([1000 // (rank + FIELD_EVENNESS) for rank in range(used)])
    chance = draw_integers(seed, PLAN_STREAMS + 1, (5 + 4 * CORE, count))
    field = np.repeat(order, weights)[scale_below(chance[0], int(weights.sum()))]
    language = np.repeat(np.arange(3), LANGUAGE_SHARES)[np.arange(count) * LANGUAGE_STRIDE % sum(LANGUAGE_SHARES)]
    weight = np.array(LINE_WEIGHTS)[scale_below(chance[2], len(LINE_WEIGHTS))]
    modifiers, heads = tabulate_parts()
    parts = np.empty((count, CORE), dtype=np.uint16)
    for at in range(CORE):
        draws = chance[5 + 4 * at : 9 + 4 * at]
        own = modifiers[field, scale_below(draws[0], modifiers.shape[1])]
        is_foreign = scale_below(draws[1], 100) < PARAMETERS.foreign_modifiers
        modifier = np.where(is_foreign, draw_foreign_modifiers(draws[2], field), own)
        parts[:, at] = combine_parts(modifier, heads[field, scale_below(draws[3], heads.shape[1])], field)
    return Lines(field.astype(np.int64), language, replace_repeats(parts, field), np.repeat(np.arange(count), weight))


def tabulate_parts() -> tuple[Integers, Integers]:
    """The modifiers and the heads of each field, one row per field."""
    fields = load_lexicon().fields
    return np.array([each.modifiers for each in fields]), np.array([each.heads for each in fields])


def draw_foreign_modifiers(chance: npt.NDArray[np.uint64], field: Integers) -> Integers:
    """Draw modifiers that at least two fields of the same kind use."""
    fields = load_lexicon().fields
    uses = [Counter(m for each in fields if each.kind == kind for m in each.modifiers) for kind in KINDS]
    pools = [sorted(m for m, count in each.items() if count > 1) for each in uses]
    sizes = np.array([len(pool) for pool in pools], dtype=np.uint64)
    table = np.zeros((len(pools), int(sizes.max())), dtype=np.int64)
    for at, pool in enumerate(pools):
        table[at, : len(pool)] = pool
    kind = np.array([KINDS.index(each.kind) for each in fields])[field]
    picked: Integers = table[kind, scale_below(chance, sizes[kind])]
    return picked


def combine_parts(modifier: Integers, head: Integers, field: Integers) -> npt.NDArray[np.uint16]:
    """Encode parts as numbers. If modifier and head would repeat a word, the next head of the field is used."""
    compatible, (_, heads) = load_lexicon().compatible, tabulate_parts()
    place = np.argmax(heads[field] == head[:, None], axis=1)
    for _ in range(heads.shape[1]):
        wrong = ~compatible[modifier, head]
        if not wrong.any():
            break
        place = np.where(wrong, (place + 1) % heads.shape[1], place)
        head = np.where(wrong, heads[field, place], head)
    return ((modifier << 8) | head).astype(np.uint16)


def replace_repeats(parts: npt.NDArray[np.uint16], field: Integers) -> npt.NDArray[np.uint16]:
    """Make the parts of each row distinct: a repeated one gets another head."""
    _, heads = tabulate_parts()
    for at in range(1, parts.shape[1]):
        for step in range(1, heads.shape[1]):
            twice = (parts[:, :at] == parts[:, at : at + 1]).any(axis=1)
            if not twice.any():
                break
            place = np.argmax(heads[field] == (parts[:, at] & 0xFF)[:, None], axis=1)
            head = heads[field, (place + step) % heads.shape[1]]
            changed = combine_parts(parts[:, at].astype(np.int64) >> 8, head, field)
            parts[:, at] = np.where(twice, changed, parts[:, at])
    return parts


def draw_parts(chance: npt.NDArray[np.uint64], core: npt.NDArray[np.uint16], field: Integers) -> npt.NDArray[np.uint16]:
    """Draw the parts of patents: most of those of the line, the others from the field."""
    modifiers, heads = tabulate_parts()
    parts = np.empty((len(field), PARTS), dtype=np.uint16)
    for at in range(PARTS):
        m, h = scale_below(chance[2 * at], modifiers.shape[1]), scale_below(chance[2 * at + 1], heads.shape[1])
        parts[:, at] = combine_parts(modifiers[field, m], heads[field, h], field)
        if at < CORE:
            # One number decides three parts: its digits in base 100 are three percentages.
            share = scale_below(chance[16 + at // 3], 100**3) // 100 ** (at % 3) % 100
            parts[:, at] = np.where(share < PARAMETERS.kept_parts, core[:, at], parts[:, at])
    return replace_repeats(parts, field)


def draw_languages(chance: npt.NDArray[np.uint64], of_line: Integers) -> Integers:
    """Draw the languages of patents: that of the line, or any with the shares of the whole collection."""
    any_language = np.repeat(np.arange(3), LANGUAGE_SHARES)[scale_below(chance[1], sum(LANGUAGE_SHARES))]
    return np.where(scale_below(chance[0], 100) < PARAMETERS.line_language, of_line, any_language)


def divide_applicants(patents: int) -> Integers:
    """The number of the first applicant of each language, and at the end the number of applicants."""
    count = max(patents // PER_APPLICANT, FEWEST_APPLICANTS)
    return np.concatenate(([0], np.cumsum([max(count * share // 100, 4) for share in LANGUAGE_SHARES])))


def draw_applicants(
    chance: npt.NDArray[np.uint64], language: npt.NDArray[np.uint8], field: Integers, patents: int
) -> Integers:
    """Draw applicants. The rank is quadratic in a uniform number, so few applicants file much; fields differ."""
    starts = divide_applicants(patents)
    sizes = np.diff(starts)[language]
    squared = (chance * chance) >> np.uint64(32)
    rank = scale_below(squared, sizes.astype(np.uint64))
    return starts[language] + (rank + field * 37) % sizes


def assign_publication_days(patents: int, topics: int) -> Integers:
    """Wednesdays, spread evenly over the years. The priority dates of topics are later than the collection."""
    weeks = (LAST_WEDNESDAY - FIRST_WEDNESDAY) // 7 + 1
    collection = FIRST_WEDNESDAY + 7 * (np.arange(patents) * weeks // patents)
    later = TOPICS_FROM + TO_PUBLICATION + 21 + np.arange(topics) * TOPICS_DAYS // max(topics, 1)
    return np.concatenate((collection, later + (FIRST_WEDNESDAY - later) % 7))


def draw_grant_days(chance: npt.NDArray[np.uint64], published: Integers) -> Integers:
    """The day of the grant, two to five years after publication; 0 without a grant before the collection ends."""
    day = published + 7 * (104 + scale_below(chance[0], 157))
    return np.where((scale_below(chance[1], 100) < PARAMETERS.granted) & (day <= LAST_WEDNESDAY), day, 0)


def group_rows(group: npt.NDArray[np.integer], groups: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The start of each group, and the rows ordered by group."""
    start = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))
    return start.astype(np.int32), np.argsort(group, kind="stable").astype(np.int32)


def assign_families(
    line_start: npt.NDArray[np.int32],
    members: npt.NDArray[np.int32],
    sibling: npt.NDArray[np.bool_],
    published: Integers,
    total: int,
) -> npt.NDArray[np.int32]:
    """The first family member of each patent: a few patents join the family of their predecessor in the line."""
    family = np.arange(total, dtype=np.int32)
    younger = sibling[members]
    younger[line_start[:-1][line_start[:-1] < len(members)]] = False  # the first of a line has no predecessor
    younger[1:] &= ~younger[:-1]  # families have two members at most
    younger[1:] &= np.diff(published[members]) <= LATEST_SIBLING
    at = np.flatnonzero(younger)
    family[members[at]] = members[at - 1]
    return family
