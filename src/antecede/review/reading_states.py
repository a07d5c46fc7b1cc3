"""What a reading looks like at some depth, as numbers: the features from which calibration predicts what is left.

Scores of the ranking are not among them: ratios to the first score and to that of the last find saved no reading on any
collection that was tried, and a calibration without them also holds for readings whose scores are not comparable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.review.distributions import exponential_left, power_left

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.review.reading import Reading

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

STEP = 1.05
"""The growth of the depth from one checkpoint to the next."""
FEATURES = (
    "depth",
    "share of the list",
    "found",
    "nothing found",
    "since the last find",
    "since the last find / depth",
    "found in the second half",
    "left by a power law",
    "left by exponential decline",
    "found × since the last find",
)


def checkpoints(documents: int) -> Ints:
    """The depths at which a reading is looked at: 1, 2, 3 … at first, then about 5 % more each time, before the end.

    >>> checkpoints(30).tolist()[-5:]
    [24, 26, 27, 28, 29]
    """
    steps = np.ceil(STEP ** np.arange(0, np.log(max(documents, 2)) / np.log(STEP) + 1)).astype(np.int64)
    depths = np.unique(steps)
    return depths[depths < documents]


def checkpoint_states(reading: Reading) -> tuple[Ints, Floats]:
    """The checkpoints that a reading has passed, and its state at each."""
    # Complete readings are calibrated on and tested on again and again.
    return _keep_states(reading) if reading.complete else _keep_states.__wrapped__(reading)


@lru_cache(maxsize=1024)
def _keep_states(reading: Reading) -> tuple[Ints, Floats]:
    depths = checkpoints(reading.documents)
    depths = depths[depths <= reading.read]
    return depths, describe_states(reading, depths)


def describe_states(reading: Reading, depths: Ints) -> Floats:
    """float64[depths, features]: the reading after each of the depths, counted along the ranking."""
    relevant, documents = reading.relevant, reading.documents
    positions = np.arange(1, reading.read + 1)
    counts = np.concatenate([[0], np.cumsum(relevant)])
    found = counts[depths].astype(np.float64)
    last = np.concatenate([[0], np.maximum.accumulate(np.where(relevant, positions, 0))])[depths]
    logs = np.concatenate([[0.0], np.cumsum(np.where(relevant, np.log(positions), 0.0))])[depths]
    sums = np.concatenate([[0.0], np.cumsum(np.where(relevant, positions, 0.0))])[depths]
    depth = depths.astype(np.float64)
    since = depth - last
    some = found > 0
    power = np.where(some, power_left(np.maximum(found, 1), logs, depth, documents), 0.0)
    mean = np.where(some, sums / np.maximum(found, 1), depth / 2)
    exponential = np.where(some, exponential_left(np.maximum(found, 1), mean, depth, documents), 0.0)
    unread = documents - depth
    values = [
        np.log(depth),
        np.log(depth / documents),
        np.log1p(found),
        (~some).astype(np.float64),
        np.log1p(since),
        since / depth,
        np.log1p(found - counts[depths // 2]),
        np.log1p(np.minimum(power, unread)),
        np.log1p(np.minimum(exponential, unread)),
        np.log1p(found) * np.log1p(since),
    ]
    return np.column_stack(values)
