"""FULL: the whole text of the topic as the query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.errors import InputError
from antecede.query.query import Query, make, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.patent import Patent

FALLBACK = ("description", "claims", "abstract", "title")


def full(topic: Patent, language: str, analyse: Callable[[str], Sequence[str]]) -> Query:
    """Every term of the topic's description, weighted by how often it occurs: n(t).

    A topic without a description gives its claims, else its abstract, else its title.
    Source: Zhou et al., NLPCC 2013, where it is the baseline.
    """
    text = text_of(topic, language)
    counts = weights_of(analyse(text))
    if not counts:
        raise InputError(f"has no text in language {language or 'unknown'!r} to search with", topic_id=topic.doc_id)
    query = make(counts, language, "full", topic=topic.doc_id)
    return replace(query, counts=tuple(map(int, query.weights)))


def text_of(topic: Patent, language: str) -> str:
    """The description, or what stands in for it."""
    for field in FALLBACK:
        text = getattr(topic, field).get(language)
        if text:
            return text if isinstance(text, str) else "\n".join(text)
    return ""
