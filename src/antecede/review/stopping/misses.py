"""So many documents in a row that are not relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import Count, OpenShare
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("misses", cite="common practice in systematic reviews; Ros, Bjarnason & Runeson, EASE 2017")
def misses(reading: Reading, target: float, *, n: Count = 200) -> Decision:
    """Misses in a row: stop once n documents of the ranking in a row were not relevant.

    Cheap and widely used; how much it misses depends on how thinly the last relevant documents are spread. It does not
    look at the target.

    >>> decide("misses(n=2)", Reading([True, False, True, False], documents=9))
    Decision(stop=False, reason='1 of 2 documents in a row are not relevant')
    """
    since = since_last_find(reading)
    if since >= n:
        return Decision(True, f"{since} documents in a row are not relevant")
    return Decision(False, f"{since} of {n} documents in a row are not relevant")


@stopping_rule("share_without_find", cite="common practice in systematic reviews; Callaghan & Müller-Hansen 2020")
def share_without_find(reading: Reading, target: float, *, share: OpenShare = 0.1) -> Decision:
    """A share of the list without a find: stop once so large a share of all documents in a row was not relevant.

    Like `misses`, but in proportion to the size of what could be read. It does not look at the target.

    >>> decide("share_without_find(share=0.2)", Reading([True, False, False], documents=10))
    Decision(stop=True, reason='the last 2 documents, 20.0 % of the list, have no find')
    """
    since = since_last_find(reading)
    stop = since >= share * reading.documents
    return Decision(
        stop,
        f"the last {since} documents, {since / reading.documents:.1%} of the list, have no find".replace("%", " %"),
    )


def since_last_find(reading: Reading) -> int:
    """How many documents of the ranking were read since the last relevant one."""
    ranked = reading.from_ranking
    return ranked.read - (int(ranked.finds[-1]) if ranked.found else 0)
