"""Which patents cite which: mostly patents of the same line, some of the same field, some outside the collection.

The closeness of two patents is the number of parts they share; the closer they are, the likelier is category X, then Y,
then A. Only patents published before the priority date are cited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.synthetic.parameters import PARAMETERS
from antecede.synthetic.plan import FIRST_NUMBER, PARTS, assign_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from antecede.synthetic.plan import Plan
    from antecede.synthetic.random_streams import Draw

    Integers = npt.NDArray[np.integer]

FEWEST, MOST = 3, 20
"""Numbers of relevant documents per topic."""
STOP_ODDS = 4
"""From the fewest relevant documents on, one topic in four stops at each number: a mean of six."""
CITED_COUNTS = (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8)
"""Numbers of patents of the collection that a patent of the collection cites, equally likely."""
LANGUAGE, FAMILY = PARTS, PARTS + 1
"""Columns of `Plan.cards`."""
SAMPLE_SIZE = 12
"""Patents of the field that are drawn as candidates at a time."""
CATEGORIES = ("AAAAAAAA", "AAAAAAAA", "AAAAAAYY", "AAAAYYXX", "AAYYXXXX", "AYYXXXXX")
"""Categories by the number of shared parts, in eighths."""
PHASES = ("SEA",) * 12 + ("EXA",) * 3 + ("OPP",)
OUTSIDE: dict[str, tuple[str, int, int, int]] = {
    "US": ("A", 7, 3_000_000, 3_000_000),
    "DE": ("A1", 7, 2_000_000, 2_400_000),
    "GB": ("A", 7, 1_300_000, 1_000_000),
    "FR": ("A1", 7, 2_200_000, 600_000),
    "EP": ("A1", 7, 1, 999_000),
    "JP": ("A", 8, 53_000_000, 9_000_000),
}
"""Documents outside the collection: kind, digits, smallest number and size of the range. European numbers are lower
than the first number of the collection."""
OFFICES = tuple(OUTSIDE)


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

    @property
    def doc_id(self) -> str:
        return f"{self.country}{self.number.lstrip('0')}"


def draw_relevant_count(draw: Draw) -> int:
    """How many relevant documents a topic has: 3 to 20, 6 on average, most often 3 (Magdy & Jones, CLEF 2010)."""
    while True:
        count = FEWEST
        while draw() % STOP_ODDS:
            count += 1
        if count <= MOST:
            return count


def rank_candidates(plan: Plan, row: int, candidates: Integers, draw: Draw) -> list[tuple[int, int]]:
    """Candidates with their numbers of shared parts, closest first with some noise; the own family is excluded."""
    *parts, mine, family = plan.cards[row].tolist()
    bonus, noise, shares = PARAMETERS.same_language_bonus, PARAMETERS.citation_noise, frozenset(parts).intersection
    order = []
    for other, card in zip(candidates.tolist(), plan.cards.take(candidates, axis=0).tolist(), strict=True):
        if card[FAMILY] != family:
            shared = len(shares(card[:LANGUAGE]))
            near = 2 * shared + draw() % noise + (bonus if card[LANGUAGE] == mine else 0)
            order.append((-near, other, shared))
    order.sort()
    return [(other, shared) for _, other, shared in order]


def choose_cited(plan: Plan, row: int, draw: Draw) -> list[tuple[int, int]]:
    """The patents of the collection that a patent cites, each with the number of parts it shares."""
    count = draw_relevant_count(draw) if row >= plan.patents else CITED_COUNTS[draw() % len(CITED_COUNTS)]
    if not count:
        return []
    line = plan.line[row]
    members = plan.line_members[plan.line_start[line] : plan.line_start[line + 1]]
    mates = rank_candidates(plan, row, members[: members.searchsorted(plan.before[row])], draw)
    from_line = sum([draw() % 100 < PARAMETERS.cited_from_line for _ in range(count)])
    chosen = mates[:from_line]
    if len(chosen) < count:
        chosen += choose_from_field(plan, row, count - len(chosen), {other for other, _ in mates}, draw)
    return chosen + mates[from_line:][: max(count - len(chosen), 0)]


def choose_from_field(plan: Plan, row: int, count: int, taken: set[int], draw: Draw) -> list[tuple[int, int]]:
    """Patents outside the line: the closest few of each sample of the field."""
    chosen: list[tuple[int, int]] = []
    for candidates in sample_field(plan, row, draw):
        near = [each for each in rank_candidates(plan, row, candidates, draw) if each[0] not in taken]
        few = near[: min(count - len(chosen), 1 + count // 3)]
        chosen += few
        taken.update(other for other, _ in few)
        if len(chosen) >= count:
            break
    return chosen


def sample_field(plan: Plan, row: int, draw: Draw) -> Iterator[Integers]:
    """Samples of earlier patents of the same field; for a topic, then samples of the whole collection."""
    field = plan.field[row]
    members = plan.field_members[plan.field_start[field] : plan.field_start[field + 1]]
    reach = int(members.searchsorted(plan.before[row]))
    for _ in range(4):
        if reach:
            yield members[sorted({draw() % reach for _ in range(SAMPLE_SIZE)})]
    if row >= plan.patents:
        yield members[: SAMPLE_SIZE * 4]
        while True:
            yield np.array(sorted({draw() % plan.patents for _ in range(SAMPLE_SIZE)}))


def make_citations(plan: Plan, row: int, draw: Draw) -> tuple[SyntheticCitation, ...]:
    """All citations of a patent, inside and outside the collection; the description repeats some of the former."""
    found = []
    for other, shared in choose_cited(plan, row, draw):
        chance = draw()
        category = CATEGORIES[min(shared, 5)][chance & 7]
        in_text = "D" if (chance >> 3) % 5 == 0 else ""
        phase, number = PHASES[(chance >> 8) & 15], str(FIRST_NUMBER + other)
        found.append(SyntheticCitation("EP", number, assign_kind(other), category + in_text, phase, other))
    found += [make_outside_citation(draw) for _ in range(draw() % 4)]
    return tuple(found)


def make_outside_citation(draw: Draw) -> SyntheticCitation:
    """An invented document that is not in the collection."""
    country = OFFICES[draw() % len(OFFICES)]
    kind, digits, smallest, span = OUTSIDE[country]
    number = f"{smallest + draw() % span:0{digits}d}"
    chance = draw()
    if chance % 4 == 0:
        return SyntheticCitation(country, number, kind, "", "APP")
    return SyntheticCitation(country, number, kind, "AAAXY"[(chance >> 4) % 5], "SEA")


def format_citation(citation: SyntheticCitation, style: int) -> str:
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
