"""Who cites whom: most citations go to the patent's own line of inventions, some to its field, some nowhere.

How close two patents are is the number of parts they share; the closer, the likelier X, then Y, then A. Nothing is
cited that was not published before the priority date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.synthetic.dials import DIALS
from antecede.synthetic.document import Citation
from antecede.synthetic.plan import FIRST_NUMBER, PARTS, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from antecede.synthetic.plan import Plan

    Integers = npt.NDArray[np.integer]

FEWEST, MOST = 3, 20
"""Relevant documents of a topic."""
MEAN_BEYOND = 4
"""One topic in so many has the fewest relevant documents, and so on with what is left: a mean of six."""
USUAL = (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8)
"""How many patents of the collection a patent of the collection cites."""
LANGUAGE, FAMILY = PARTS, PARTS + 1
"""Where `Plan.cards` has them."""
LOOKED_AT = 12
"""Patents of the field that are looked at for one that shares parts."""
CATEGORIES = ("AAAAAAAA", "AAAAAAAA", "AAAAAAYY", "AAAAYYXX", "AAYYXXXX", "AYYXXXXX")
"""By the number of shared parts, one letter in eight."""
PHASES = ("SEA",) * 12 + ("EXA",) * 3 + ("OPP",)
OUTSIDE: dict[str, tuple[str, int, int, int]] = {
    "US": ("A", 7, 3_000_000, 3_000_000),
    "DE": ("A1", 7, 2_000_000, 2_400_000),
    "GB": ("A", 7, 1_300_000, 1_000_000),
    "FR": ("A1", 7, 2_200_000, 600_000),
    "EP": ("A1", 7, 1, 999_000),
    "JP": ("A", 8, 53_000_000, 9_000_000),
}
"""Documents outside the collection: kind, digits, smallest number and how many there are. European ones are below the
first number of the collection."""
OFFICES = tuple(OUTSIDE)


def wanted(draw: Callable[[], int]) -> int:
    """How many relevant documents a topic has: 3 to 20, 6 on average, most often 3 (Magdy & Jones, CLEF 2010)."""
    while True:
        count = FEWEST
        while draw() % MEAN_BEYOND:
            count += 1
        if count <= MOST:
            return count


def closest(plan: Plan, row: int, candidates: Integers, draw: Callable[[], int]) -> list[tuple[int, int]]:
    """Candidates with the number of parts they share, closest first; chance decides among nearly equal ones.

    The patent's own family is left out.
    """
    *parts, mine, family = plan.cards[row].tolist()
    bonus, carelessness, shares = DIALS.same_language, DIALS.carelessness, frozenset(parts).intersection
    order = []
    for other, card in zip(candidates.tolist(), plan.cards.take(candidates, axis=0).tolist(), strict=True):
        if card[FAMILY] != family:
            shared = len(shares(card[:LANGUAGE]))
            near = 2 * shared + draw() % carelessness + (bonus if card[LANGUAGE] == mine else 0)
            order.append((-near, other, shared))
    order.sort()
    return [(other, shared) for _, other, shared in order]


def resolved(plan: Plan, row: int, draw: Callable[[], int]) -> list[tuple[int, int]]:
    """The patents of the collection that a patent cites, each with the number of parts it shares."""
    count = wanted(draw) if row >= plan.patents else USUAL[draw() % len(USUAL)]
    if not count:
        return []
    line = plan.line[row]
    members = plan.line_members[plan.line_start[line] : plan.line_start[line + 1]]
    mates = closest(plan, row, members[: members.searchsorted(plan.before[row])], draw)
    from_line = sum([draw() % 100 < DIALS.cited_from_line for _ in range(count)])
    chosen = mates[:from_line]
    if len(chosen) < count:
        chosen += close_by(plan, row, count - len(chosen), {other for other, _ in mates}, draw)
    return chosen + mates[from_line:][: max(count - len(chosen), 0)]


def close_by(plan: Plan, row: int, count: int, taken: set[int], draw: Callable[[], int]) -> list[tuple[int, int]]:
    """Patents from outside the line, a few from each handful that is looked at."""
    chosen: list[tuple[int, int]] = []
    for candidates in neighbours(plan, row, draw):
        near = [each for each in closest(plan, row, candidates, draw) if each[0] not in taken]
        few = near[: min(count - len(chosen), 1 + count // 3)]
        chosen += few
        taken.update(other for other, _ in few)
        if len(chosen) >= count:
            break
    return chosen


def neighbours(plan: Plan, row: int, draw: Callable[[], int]) -> Iterator[Integers]:
    """A few handfuls of earlier patents of the same field; for a topic of a small field then any at all."""
    field = plan.field[row]
    members = plan.field_members[plan.field_start[field] : plan.field_start[field + 1]]
    reach = int(members.searchsorted(plan.before[row]))
    for _ in range(4):
        if reach:
            yield members[sorted({draw() % reach for _ in range(LOOKED_AT)})]
    if row >= plan.patents:
        yield members[: LOOKED_AT * 4]
        while True:
            yield np.array(sorted({draw() % plan.patents for _ in range(LOOKED_AT)}))


def citations(plan: Plan, row: int, draw: Callable[[], int]) -> tuple[Citation, ...]:
    """All that a patent cites, in the collection and outside it; the text cites some of the first."""
    found = []
    for other, shared in resolved(plan, row, draw):
        chance = draw()
        category = CATEGORIES[min(shared, 5)][chance & 7]
        in_text = "D" if (chance >> 3) % 5 == 0 else ""
        phase = PHASES[(chance >> 8) & 15]
        found.append(Citation("EP", str(FIRST_NUMBER + other), kind_of(other), category + in_text, phase, other))
    found += [outside(draw) for _ in range(draw() % 4)]
    return tuple(found)


def outside(draw: Callable[[], int]) -> Citation:
    """A made-up document that is not in the collection."""
    country = OFFICES[draw() % len(OFFICES)]
    kind, digits, smallest, span = OUTSIDE[country]
    number = f"{smallest + draw() % span:0{digits}d}"
    chance = draw()
    if chance % 4 == 0:
        return Citation(country, number, kind, "", "APP")
    return Citation(country, number, kind, "AAAXY"[(chance >> 4) % 5], "SEA")


def in_running_text(citation: Citation, style: int) -> str:
    """A document number as descriptions write it."""
    number = citation.number.lstrip("0")
    thousands = f"{int(number):,}"
    if citation.country == "US":
        return (f"US {thousands}", f"US-A-{number}", f"US {number} A", f"US-A-{thousands}")[style % 4]
    if citation.country == "JP":
        return f"JP {number[:2]}-{number[2:]} A"
    if citation.country == "DE" and style & 1:
        return f"DE {number[:2]} {number[2:4]} {number[4:]} {citation.kind}"
    spaced = thousands.replace(",", " ")
    return (
        f"{citation.country} {spaced} {citation.kind}",
        f"{citation.country}-A-{citation.number}",
        f"{citation.country}-{citation.kind}-{spaced}",
        f"{citation.country} {number} {citation.kind}",
    )[(style >> 1) % 4]
