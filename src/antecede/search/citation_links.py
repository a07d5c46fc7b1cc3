"""The documents of an index that a patent cites, and those that cite it; and the other members of its family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.index import Index
    from antecede.index.documents import DocumentHeader
    from antecede.patent import Patent

MOST_CITING = 200
"""Citing documents that are described; all are counted."""


@dataclass(frozen=True)
class CitedDocument:
    """A citation of a patent, and the document of the index that it means."""

    number: str
    category: str | None
    phase: str | None
    header: DocumentHeader | None
    """None where the document is not in the index."""


@dataclass(frozen=True)
class CitationLinks:
    """What a patent cites, what cites it, and its family."""

    cites: tuple[CitedDocument, ...]
    cited_by: tuple[DocumentHeader, ...]
    cited_by_count: int
    family: tuple[DocumentHeader, ...]


def find_citation_links(index: Index, patent: Patent) -> CitationLinks:
    """Look up the citations of a patent in both directions, and its family, in an index."""
    citing = sorted(citing_headers(index, patent), key=lambda each: (each.day or "", each.doc_id))
    return CitationLinks(
        tuple(cited_documents(index, patent)), tuple(citing[:MOST_CITING]), len(citing), tuple(family(index, patent))
    )


def cited_documents(index: Index, patent: Patent) -> Iterator[CitedDocument]:
    """Each citation once, with the strongest category first given and all phases."""
    keys = list(dict.fromkeys(each.number.key for each in patent.citations))
    headers: dict[str, DocumentHeader] = {}
    for segment in index.segments:
        found = {key: [number for number in numbers if segment.live[number]]
                 for key, numbers in segment.store.numbers_by_key(keys).items()}  # fmt: skip
        for key, numbers in found.items():
            for header in segment.store.headers(numbers[:1]):
                headers[key] = header
    for key in keys:
        group = [each for each in patent.citations if each.number.key == key]
        categories = ", ".join(dict.fromkeys(each.category for each in group if each.category))
        phases = ", ".join(dict.fromkeys(each.phase for each in group if each.phase))
        yield CitedDocument(str(group[0].number), categories or None, phases or None, headers.get(key))


def citing_headers(index: Index, patent: Patent) -> Iterator[DocumentHeader]:
    """The documents that cite a patent."""
    number = patent.known_number
    if number is None:
        return
    for segment in index.segments:
        found = segment.store.citing([number.key]).get(number.key, [])
        yield from segment.store.headers([each for each in dict.fromkeys(found) if segment.live[each]])


def family(index: Index, patent: Patent) -> Iterator[DocumentHeader]:
    """The other documents of a patent's family."""
    if patent.family_id is None:
        return
    for segment in index.segments:
        numbers = [each for each in segment.store.numbers_of_family(patent.family_id).tolist() if segment.live[each]]
        yield from (each for each in segment.store.headers(numbers) if each.doc_id != patent.doc_id)
