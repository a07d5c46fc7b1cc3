"""The plan of a collection: about seventy bytes per patent that say what it is about and which patents it can cite.

A *line* is a series of inventions that address the same problem, as real patents follow one another. Patents of a line
share most of its parts and cite each other, but each applicant uses its own words for them. The text of a patent
follows from its row of the plan and from the patent's own random stream, so patents can be written in any order and by
any number of workers. The patents of the collection come first, in order of publication; the topics follow.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from antecede.synthetic.lexicon import KINDS, load_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Column = npt.NDArray[np.int32]
    Chance = npt.NDArray[np.uint64]

# Numbers that decide how hard the collection is; shares are percentages

LINE_SIZE = 14
"""Mean number of patents per line."""
LINE_WEIGHTS = (1, 1, 1, 1, 1, 2, 2, 2, 4, 4)
"""Relative numbers of patents per line."""
KEPT_PARTS = 87
"""Share of the line's parts that a patent keeps; the others get another modifier."""
FOREIGN_MODIFIERS = 60
"""Share of a line's parts whose modifier is any of its kind of field; the others are of the field's own modifiers."""
OWN_MODIFIERS = 12
"""Number of a field's own modifiers."""
LANGUAGE_SHARES = (70, 23, 7)
"""English, German, French, as in CLEF-IP."""
LINE_LANGUAGE = 80
"""Share of patents in the language of their line; the others are distributed like the whole collection."""
CITED_FROM_LINE = 70
"""Share of citations to the patent's own line, if it has enough members; the others go to the field."""
SAME_LANGUAGE_BONUS = 2
"""How much closer a citing patent ranks candidates in its own language; one shared part counts 2."""
CITATION_NOISE = 4
"""Range of the random number added to the closeness of a candidate, on the same scale."""
GRANTED = 55
"""Share of patents with a B1 document, among those old enough to be granted."""
SECOND_OF_FAMILY = 4
"""Share of patents that are the second member of a family."""
FIELD_EVENNESS = 12
"""The number of lines in a field is proportional to 1 / (rank of the field + this number)."""
PER_FIELD, MIN_FIELDS = 25, 4
PER_APPLICANT, MIN_APPLICANTS = 30, 30

FIRST_NUMBER = 1_000_000
CORE, PARTS = 5, 8
"""Number of parts that characterise a line, and number of parts of a patent."""
LANGUAGE, FAMILY = PARTS, PARTS + 1
"""Columns of `Plan.cards`."""
LANGUAGE_STRIDE = 37
"""Coprime to 100: steps of this size visit all percentages evenly, so even a few lines have the intended languages."""
EPOCH = date(1970, 1, 1)
"""Days are counted from here."""
FIRST_WEDNESDAY, LAST_WEDNESDAY = ((day - EPOCH).days for day in (date(1985, 1, 2), date(2000, 12, 27)))
"""European patents are published on Wednesdays."""
TOPICS_FROM, TOPICS_DAYS = (date(2001, 1, 2) - EPOCH).days, 1400
TO_PUBLICATION = 546
"""Days from priority to publication: eighteen months."""
LATEST_SIBLING = 900
"""Most days between the two members of a family."""
CHUNK = 1 << 16
PLAN_STREAMS = 1 << 48
"""Random streams from this number on belong to the plan; lower numbers belong to the patents."""


# Random integers that are the same on every machine
#
# Only the raw bits of Philox are used (Salmon et al., SC 2011), whose stream numpy guarantees. The distributions of
# numpy may change between versions and floating-point functions may differ between machines, so neither is used.

Draw: TypeAlias = Callable[[], int]
"""Returns the next 32-bit integer of a stream."""
BLOCK = 192
"""64-bit numbers generated at a time: about half of what a document needs."""
HIGH = np.uint64(32)


class RandomStreams:
    """The numbered random streams of a seed. What a stream yields does not depend on draws from other streams."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
        self._state = self._generator.state

    def open_stream(self, number: int) -> Draw:
        """Return a function that draws from a stream. The stream opened before must not be used any more."""
        self._state["state"]["key"][1] = number
        self._generator.state = self._state
        return chain.from_iterable(self._generate_blocks()).__next__

    def _generate_blocks(self) -> Iterator[list[int]]:
        while True:
            yield self._generator.random_raw(BLOCK).astype("<u8").view("<u4").tolist()


def draw_integers(seed: int, stream: int, shape: tuple[int, ...]) -> Chance:
    """Draw an array of 32-bit integers, stored as 64-bit numbers so that products do not overflow."""
    generator = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
    raw: Chance = generator.random_raw(int(np.prod(shape))).reshape(shape)
    return raw >> HIGH


def scale_below(values: Chance, limit: int | Integers) -> Integers:
    """Map 32-bit integers to the range from 0 to `limit`, which is excluded."""
    return ((values * np.asarray(limit, dtype=np.uint64)) >> HIGH).astype(np.int64)


def mix(*numbers: int) -> int:
    """Hash several integers into one of 25 bits, for a choice that is determined by a combination of things."""
    value = 0x9E3779B9
    for number in numbers:
        value = ((value ^ number) * 0x85EBCA6B + 0x165667B1) & 0xFFFFFFFF
        value ^= value >> 15
    return ((value * 0xC2B2AE35) & 0xFFFFFFFF) >> 7


# What each patent is about


class Plan(NamedTuple):
    """What each patent is about. Arrays have one row per patent; the topics follow the collection."""

    seed: int
    patents: int
    topics: int
    line: Column
    field: npt.NDArray[np.uint8]
    applicant: Column
    priority: Column
    published: Column
    granted: Column
    """Day of the B1 document, or 0 if there is none."""
    cards: Column
    """Parts, language and family in adjacent columns: the data by which citations are chosen."""
    before: Column
    """Number of patents in the collection that were published before the priority date and so can be cited."""
    line_start: Column
    line_members: Column
    """Patents of the collection by line, in order: line i has those from `line_start[i]` to `line_start[i + 1]`."""
    field_start: Column
    field_members: Column

    @property
    def parts(self) -> Column:
        """Eight parts per patent, each encoded as 256 × modifier + head."""
        return self.cards[:, :PARTS]

    @property
    def language(self) -> Column:
        return self.cards[:, LANGUAGE]

    @property
    def family(self) -> Column:
        """The row of the family's first member."""
        return self.cards[:, FAMILY]


class _Lines(NamedTuple):
    field: Integers
    language: Integers
    start: Integers
    step: Integers
    """The heads of the field that a line uses, in order: every `step`th, from `start` on."""
    parts: npt.NDArray[np.uint16]
    slots: Integers
    """Line numbers, each repeated by its weight; a patent draws one of them."""


def make_plan(patents: int, topics: int, seed: int) -> Plan:
    """Plan a collection with the given numbers of patents and topics."""
    total = patents + topics
    lines = _make_lines(patents, seed)
    published = _assign_publication_days(patents, topics)
    line, applicant, granted, lag = (np.empty(total, dtype=np.int32) for _ in range(4))
    language, sibling = np.empty(total, dtype=np.uint8), np.empty(total, dtype=np.bool_)
    parts = np.empty((total, PARTS), dtype=np.uint16)
    for number, start in enumerate(range(0, total, CHUNK)):
        rows = slice(start, min(start + CHUNK, total))
        chance = draw_integers(seed, PLAN_STREAMS + 16 + number, (8 + PARTS + CORE + 1, rows.stop - start))
        mine = line[rows] = lines.slots[scale_below(chance[0], len(lines.slots))]
        any_language = _assign_languages(scale_below(chance[2], 100))
        language[rows] = np.where(scale_below(chance[1], 100) < LINE_LANGUAGE, lines.language[mine], any_language)
        applicant[rows] = _draw_applicants(chance[3], language[rows], lines.field[mine], patents)
        lag[rows] = TO_PUBLICATION + scale_below(chance[4], 21)
        grant = published[rows] + 7 * (104 + scale_below(chance[5], 157))
        is_granted = (scale_below(chance[6], 100) < GRANTED) & (grant <= LAST_WEDNESDAY)
        granted[rows] = np.where(is_granted, grant, 0)
        sibling[rows] = scale_below(chance[7], 100) < SECOND_OF_FAMILY
        parts[rows] = _draw_patent_parts(chance[8:], lines, mine)
    granted[patents:] = 0
    field = lines.field[line].astype(np.uint8)
    priority = (published - lag).astype(np.int32)
    line_start, line_members = _group_rows(line[:patents], len(lines.field))
    family = _assign_families(line_start, line_members, sibling, published, total)
    for array in (parts, applicant, language, priority):
        array[:] = array[family]
    cards = np.column_stack((parts, language, family)).astype(np.int32)
    before = np.searchsorted(published[:patents], priority).astype(np.int32)
    groups = (line_start, line_members, *_group_rows(field[:patents], len(load_vocabulary().fields)))
    days = (priority, published.astype(np.int32), granted)
    return Plan(seed, patents, topics, line, field, applicant, *days, cards, before, *groups)


def assign_kind(row: int) -> str:
    """The kind of a patent's first document. One patent in ten is published without its search report."""
    return "A2" if row % 10 == 7 else "A1"


def _make_lines(patents: int, seed: int) -> _Lines:
    """Draw the lines. A larger collection has more lines and more fields, up to all fields there are."""
    fields = load_vocabulary().fields
    heads = np.array([field.heads for field in fields])
    count = max(patents // LINE_SIZE, MIN_FIELDS)
    used = min(max(patents // PER_FIELD, MIN_FIELDS), len(fields))
    order = np.argsort(draw_integers(seed, PLAN_STREAMS, (len(fields),)), kind="stable")[:used]
    weights = np.array([1000 // (rank + FIELD_EVENNESS) for rank in range(used)])
    chance = draw_integers(seed, PLAN_STREAMS + 1, (4 + 2 * CORE, count))
    field = np.repeat(order, weights)[scale_below(chance[0], int(weights.sum()))]
    weight = np.array(LINE_WEIGHTS)[scale_below(chance[1], len(LINE_WEIGHTS))]
    start, step = scale_below(chance[2], heads.shape[1]), 1 + scale_below(chance[3], heads.shape[1] - 1)
    parts = np.empty((count, CORE), dtype=np.uint16)
    for at in range(CORE):
        head = heads[field, (start + step * at) % heads.shape[1]]
        is_foreign = scale_below(chance[4 + at], 100) < FOREIGN_MODIFIERS
        parts[:, at] = _add_modifiers(chance[4 + CORE + at], field, head, is_foreign)
    language = _assign_languages(np.arange(count) * LANGUAGE_STRIDE % 100)
    return _Lines(field, language, start, step, parts, np.repeat(np.arange(count), weight))


def _assign_languages(percentage: Integers) -> Integers:
    return np.repeat(np.arange(len(LANGUAGE_SHARES)), LANGUAGE_SHARES)[percentage]


def _add_modifiers(chance: Chance, field: Integers, head: Integers, is_foreign: npt.NDArray[np.bool_]) -> Integers:
    """Parts with the given heads and random modifiers, encoded as numbers."""
    vocabulary = load_vocabulary()
    kind = np.array([KINDS.index(each.kind) for each in vocabulary.fields])[field]
    count = vocabulary.modifier_counts[kind, head]
    own = (field * OWN_MODIFIERS + scale_below(chance, OWN_MODIFIERS)) % count
    modifier = vocabulary.modifiers_of[kind, head, np.where(is_foreign, scale_below(chance, count), own)]
    parts: Integers = (modifier << 8) | head
    return parts


def _draw_patent_parts(chance: Chance, lines: _Lines, line: Integers) -> npt.NDArray[np.uint16]:
    """Draw the parts of patents: most of those of the line, and some of the field. No head occurs twice in a patent."""
    heads = np.array([field.heads for field in load_vocabulary().fields])
    field, count = lines.field[line], heads.shape[1]
    parts = np.empty((len(line), PARTS), dtype=np.uint16)
    turn = scale_below(chance[PARTS + CORE], count - CORE)
    for at in range(PARTS):
        place = at if at < CORE else CORE + (turn + at) % (count - CORE)
        head = heads[field, (lines.start[line] + lines.step[line] * place) % count]
        parts[:, at] = _add_modifiers(chance[at], field, head, np.zeros(len(line), dtype=np.bool_))
        if at < CORE:
            is_kept = scale_below(chance[PARTS + at], 100) < KEPT_PARTS
            parts[:, at] = np.where(is_kept, lines.parts[line, at], parts[:, at])
    return parts


def _draw_applicants(chance: Chance, language: npt.NDArray[np.uint8], field: Integers, patents: int) -> Integers:
    """Draw applicants. The rank is quadratic in a uniform number, so few applicants file much; fields differ."""
    count = max(patents // PER_APPLICANT, MIN_APPLICANTS)
    sizes = np.array([max(count * share // 100, 4) for share in LANGUAGE_SHARES])
    first = np.cumsum(sizes) - sizes
    rank = scale_below((chance * chance) >> HIGH, sizes[language])
    applicants: Integers = first[language] + (rank + field * 37) % sizes[language]
    return applicants


def _assign_publication_days(patents: int, topics: int) -> Integers:
    """Wednesdays, spread evenly over the years. The priority dates of topics are later than the collection."""
    weeks = (LAST_WEDNESDAY - FIRST_WEDNESDAY) // 7 + 1
    collection = FIRST_WEDNESDAY + 7 * (np.arange(patents) * weeks // patents)
    later = TOPICS_FROM + TO_PUBLICATION + 21 + np.arange(topics) * TOPICS_DAYS // max(topics, 1)
    return np.concatenate((collection, later + (FIRST_WEDNESDAY - later) % 7))


def _group_rows(group: npt.NDArray[np.integer], groups: int) -> tuple[Column, Column]:
    start = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))
    return start.astype(np.int32), np.argsort(group, kind="stable").astype(np.int32)


def _assign_families(
    line_start: Column, members: Column, sibling: npt.NDArray[np.bool_], published: Integers, total: int
) -> Column:
    """The first family member of each patent: a few patents join the family of their predecessor in the line."""
    family = np.arange(total, dtype=np.int32)
    younger = sibling[members]
    younger[line_start[:-1][line_start[:-1] < len(members)]] = False  # the first of a line has no predecessor
    younger[1:] &= ~younger[:-1]  # families have two members at most
    younger[1:] &= np.diff(published[members]) <= LATEST_SIBLING
    at = np.flatnonzero(younger)
    family[members[at]] = members[at - 1]
    return family


# Which patents cite which: mostly patents of the same line, some of the same field, some outside the collection
#
# The closeness of two patents is the number of parts they share; the closer they are, the likelier is category X, then
# Y, then A. Only patents published before the priority date are cited.

MIN_COUNT, MAX_COUNT = 3, 20
"""Numbers of relevant documents per topic."""
STOP_ODDS = 4
"""From the fewest relevant documents on, one topic in four stops at each number: a mean of six."""
CITED_COUNTS = (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8)
"""Numbers of patents of the collection that a patent of the collection cites, equally likely."""
SAMPLE_SIZE = 12
"""Patents of the field that are drawn as candidates at a time."""
CATEGORIES = ("AAAAAAAA", "AAAAAAAA", "AAAAAAYY", "AAAAYYXX", "AAYYXXXX", "AYYXXXXX")
"""Categories by the number of shared parts, in eighths."""
PHASES = ("SEA",) * 12 + ("EXA",) * 3 + ("OPP",)
OUTSIDE = {"US": 4_000_000, "DE": 3_000_000, "GB": 1_300_000, "FR": 2_200_000, "EP": 1, "JP": 55_000_000}
"""The smallest numbers of documents outside the collection; European ones are lower than the collection's."""
OUTSIDE_COUNT = 900_000


class SyntheticCitation(NamedTuple):
    """A cited document, either of the collection or invented."""

    country: str
    number: str
    kind: str
    category: str
    """X, Y or A, followed by D if the description cites it too; empty if the applicant cites it."""
    phase: str
    row: int = -1
    """Its row in the plan, or -1 if it is outside the collection."""


def make_citations(plan: Plan, row: int, draw: Draw) -> tuple[SyntheticCitation, ...]:
    """All citations of a patent, inside and outside the collection; the description repeats some of the former."""
    citations = []
    for other, shared in _choose_cited(plan, row, draw):
        chance = draw()
        category = CATEGORIES[min(shared, 5)][chance & 7] + ("D" if (chance >> 3) % 5 == 0 else "")
        document = ("EP", str(FIRST_NUMBER + other), assign_kind(other))
        citations.append(SyntheticCitation(*document, category, PHASES[(chance >> 8) & 15], other))
    for _ in range(draw() % 4):
        country, chance = tuple(OUTSIDE)[draw() % len(OUTSIDE)], draw()
        document = (
            country,
            f"{OUTSIDE[country] + draw() % OUTSIDE_COUNT:07d}",
            "A1" if country in ("DE", "EP", "FR") else "A",
        )
        cited_by = ("AAAXY"[(chance >> 4) % 5], "SEA") if chance % 4 else ("", "APP")
        citations.append(SyntheticCitation(*document, *cited_by))
    return tuple(citations)


def draw_relevant_count(draw: Draw) -> int:
    """How many relevant documents a topic has: 3 to 20, 6 on average, most often 3 (Magdy & Jones, CLEF 2010)."""
    while True:
        count = MIN_COUNT
        while draw() % STOP_ODDS:
            count += 1
        if count <= MAX_COUNT:
            return count


def _choose_cited(plan: Plan, row: int, draw: Draw) -> list[tuple[int, int]]:
    count = draw_relevant_count(draw) if row >= plan.patents else CITED_COUNTS[draw() % len(CITED_COUNTS)]
    if not count:
        return []
    line = plan.line[row]
    members = plan.line_members[plan.line_start[line] : plan.line_start[line + 1]]
    mates = _rank_candidates(plan, row, members[: members.searchsorted(plan.before[row])], draw)
    from_line = sum([draw() % 100 < CITED_FROM_LINE for _ in range(count)])
    chosen, taken = mates[:from_line], {other for other, _ in mates}
    samples = _sample_field(plan, row, draw)
    while len(chosen) < count and (candidates := next(samples, None)) is not None:
        near = [candidate for candidate in _rank_candidates(plan, row, candidates, draw) if candidate[0] not in taken]
        few = near[: min(count - len(chosen), 1 + count // 3)]  # the closest few of each sample
        chosen += few
        taken.update(other for other, _ in few)
    return chosen + mates[from_line:][: max(count - len(chosen), 0)]


def _rank_candidates(plan: Plan, row: int, candidates: npt.NDArray[np.integer], draw: Draw) -> list[tuple[int, int]]:
    """Candidates with their numbers of shared parts, closest first with some noise; the own family is excluded."""
    *parts, mine, family = plan.cards[row].tolist()
    shares, order = frozenset(parts).intersection, []
    for other, card in zip(candidates.tolist(), plan.cards.take(candidates, axis=0).tolist(), strict=True):
        if card[FAMILY] != family:
            shared = len(shares(card[:LANGUAGE]))
            near = 2 * shared + draw() % CITATION_NOISE + (SAME_LANGUAGE_BONUS if card[LANGUAGE] == mine else 0)
            order.append((-near, other, shared))
    order.sort()
    return [(other, shared) for _, other, shared in order]


def _sample_field(plan: Plan, row: int, draw: Draw) -> Iterator[npt.NDArray[np.integer]]:
    """Samples of earlier patents of the same field; for a topic, then samples of the whole collection."""
    field = plan.field[row]
    members = plan.field_members[plan.field_start[field] : plan.field_start[field + 1]]
    reach = int(members.searchsorted(plan.before[row]))
    for _ in range(4 if reach else 0):
        yield members[sorted({draw() % reach for _ in range(SAMPLE_SIZE)})]
    if row >= plan.patents:
        yield members[: SAMPLE_SIZE * 4]
        while True:
            yield np.array(sorted({draw() % plan.patents for _ in range(SAMPLE_SIZE)}))


def format_citation(citation: SyntheticCitation, style: int) -> str:
    """A document number as descriptions write it."""
    country, number, kind = citation.country, citation.number.lstrip("0"), citation.kind
    if country == "JP":
        return f"JP {number[:2]}-{number[2:]} {kind}"
    grouped = f"{int(number):,}" if country == "US" else f"{int(number):,}".replace(",", " ") + f" {kind}"
    return (f"{country} {grouped}", f"{country}-A-{citation.number}", f"{country} {number} {kind}")[style % 3]
