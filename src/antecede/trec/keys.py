"""A 64-bit number for each (topic, document): what makes it cheap to look at every line of every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def pair_keys(topics: Sequence[str], topic: NDArray[np.int32], doc_ids: pl.Series) -> NDArray[np.uint64]:
    """The key of each row: equal pairs have equal keys, others almost never. `topic` indexes `topics`.

    Whoever finds two keys equal compares the texts.
    """
    of_topic: NDArray[np.uint64] = pl.Series(topics, dtype=pl.String).hash(1).to_numpy()
    of_doc: NDArray[np.uint64] = doc_ids.hash(0).to_numpy()
    return of_doc ^ of_topic[topic]
