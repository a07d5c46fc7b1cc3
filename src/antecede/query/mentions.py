"""What a patent names in its own text: the numbers in it, looked up in the index.

The trick behind the best runs of CLEF-IP 2010. It is no retrieval: nothing of it enters a query, and a list that has
such documents in front must say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.citations import numbers_in
from antecede.query.topic import FIELDS, languages_of, text_of

if TYPE_CHECKING:
    from antecede.index import Index
    from antecede.index.segment import Segment
    from antecede.patent import Patent


def mentioned_documents(patent: Patent, index: Index) -> list[tuple[Segment, int]]:
    """The documents of an index that a patent names in its text, in the order of their first mention; not itself."""
    found: dict[tuple[str, int], tuple[Segment, int]] = {}
    own = patent.known_number
    for language in languages_of(patent):
        for mention in numbers_in(text_of(patent, FIELDS, language), language=language):
            if own is None or mention.number.key != own.key:
                found.update({(place[0].name, place[1]): place for place in index.find_all(mention.number.key)})
    return list(found.values())
