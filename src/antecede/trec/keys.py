"""A 64-bit number for each (topic, document): what makes it cheap to look at every line of every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.trec.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.trec.ordering import Topics

TURNED = np.uint64(0xD6E8FEB86659FD93)
"""An odd number, so that a topic and a document of the same text do not cancel out."""


def topic_hashes(topics: Sequence[str]) -> NDArray[np.uint64]:
    """The number of each topic; that of a document of the same text is the same."""
    return Texts.of(topics).hashes


def pair_keys(topics: Topics, docs: Texts) -> NDArray[np.uint64]:
    """The key of each row: equal pairs have equal keys, others almost never.

    Whoever finds two keys equal compares the texts.
    """
    keys = topics.spread(topic_hashes(topics.names) * TURNED)
    keys ^= docs.hashes
    return keys
