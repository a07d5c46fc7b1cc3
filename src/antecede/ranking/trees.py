"""Rankings by gradient-boosted trees, as `antecede learn --kind trees` writes them; LightGBM computes them.

The score of a document is the sum of what each feature contributes (the Shapley values of Lundberg et al., 2020), so
that an explanation adds up here as it does for weights. The constant part, the same for all documents, is left out.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from antecede.errors import InputError, UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST_MODEL = 64 << 20
"""Bytes of the largest model that is read."""
DIGEST = 16
"""Characters by which a model is recognised."""
LOCK = threading.Lock()
NAMES = "feature_names="
"""What the line of LightGBM's text form begins with that names the features in their order."""


def encode_name(feature: str) -> str:
    """The name of a feature as LightGBM can write it: without brackets, commas and other special characters."""
    return quote(feature, safe="")


def load_lightgbm() -> Any:
    """The library, or how to install it."""
    try:
        import lightgbm
    except ImportError:
        raise UsageError("trees need LightGBM: pip install 'antecede[learn]'") from None
    return lightgbm


@dataclass(frozen=True)
class TreeModel:
    """Trees in LightGBM's text form, and the file that they are in."""

    path: str
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """What recognises the model."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:DIGEST]

    def check_features(self, features: Sequence[str]) -> None:
        """Refuse features that are not those the trees were learned from, in the same order."""
        line = next((line for line in self.text.splitlines() if line.startswith(NAMES)), NAMES)
        known = line.removeprefix(NAMES).split()
        if known != [encode_name(each) for each in features]:
            what = "its trees were not learned from the features it names, in this order"
            raise InputError(what, source=self.path, remedy="learn it again")

    def score(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The score of each candidate, from float32[candidates, features]."""
        return self.predict(values)

    def shares(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32[features, candidates]: what each feature contributes."""
        return np.ascontiguousarray(self.predict(values, pred_contrib=True)[:, :-1].T)

    def predict(self, values: NDArray[np.float32], **how: bool) -> NDArray[np.float32]:
        booster = load_booster(self)
        if booster.num_feature() != values.shape[1]:
            what = f"its trees know {booster.num_feature()} features, it names {values.shape[1]}"
            raise InputError(what, source=self.path, remedy="learn it again")
        return np.asarray(booster.predict(values, num_threads=1, **how), np.float32)


@lru_cache(maxsize=4)
def load_booster(model: TreeModel) -> Any:
    """The trees, ready to be used."""
    lightgbm = load_lightgbm()
    with LOCK:
        try:
            return lightgbm.Booster(model_str=model.text)
        except (lightgbm.basic.LightGBMError, ValueError) as error:
            raise InputError(f"its trees cannot be read ({shown(str(error))})", source=model.path) from None
