"""The weights of a ranking: which features are added up, and how much each counts.

bm25=1,jelinek_mercer(lambda=0.5)=1,cosine=.5          as an option
auto,classes=0                                         the default for the collection, with changes
{"format": "antecede ranking", "version": 1,           as a file
 "weights": {"bm25": 1, "jelinek_mercer(lambda=0.5)": 1, "cosine": 0.5}}
{"format": "antecede ranking", "version": 1,           as a file of trees, which take the place of weights
 "features": ["bm25", "cosine"], "trees": "…"}
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from antecede.errors import InputError, UsageError, advise, printable, spell
from antecede.files import write_whole
from antecede.query.topic import LONG_TEXT
from antecede.ranges import Range, write_number
from antecede.ranking.features import Feature, parse_feature
from antecede.registry import split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.arrays import F32
    from antecede.engine import Engine

AUTO, CLASSIC = "auto", "classic"
"""The default for the kind of collection, and the search by one query method and model alone."""
_FORMAT, _VERSION = "antecede ranking", 1
_WEIGHT = Range(0, 1e6)
_TREES = "trees:"
"""How the normal form of a ranking by trees begins; the digest of the trees and their file follow."""
_MAX_MODEL_BYTES = 64 << 20
"""Bytes of the largest model that is read."""
_MAX_PATH_LENGTH = 1000
"""Characters of a path in a message."""
_ENTRY = re.compile(r"(?P<feature>[^=()]++(\([^()]*+\))?)\s*+=\s*+(?P<weight>[^=()]++)")


@dataclass(frozen=True)
class Weights:
    """Features with their weights, in the order in which they are added up."""

    features: tuple[tuple[Feature, float], ...]
    from_auto: bool = False
    """Whether these change the default for the collection, which the others come from."""
    trees: TreeModel | None = None
    """What ranks by the features in place of a weighted sum; each has weight 1 then."""

    def __post_init__(self) -> None:
        for feature, weight in self.features:
            _WEIGHT.check(weight, f"the weight of {feature}")
        names = [feature.definition.name for feature, _ in self.features]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"the feature {name} is given two weights; keep one")
        if not self.from_auto and not any(weight for _, weight in self.features):
            raise UsageError("a ranking needs a feature with a weight above 0")

    def __str__(self) -> str:
        if self.trees is not None:
            return f"{_TREES}{self.trees.digest}:{self.trees.path}"
        parts = [f"{feature}={write_number(float(weight))}" for feature, weight in self.features]
        return ",".join([*([AUTO] if self.from_auto else []), *parts])

    @property
    def used(self) -> tuple[tuple[Feature, float], ...]:
        return tuple((feature, weight) for feature, weight in self.features if weight > 0)

    def change(self, changes: Weights) -> Weights:
        """These weights with some replaced or added."""
        new = {feature.definition.name: (feature, weight) for feature, weight in changes.features}
        kept = tuple(new.pop(feature.definition.name, (feature, weight)) for feature, weight in self.features)
        return Weights((*kept, *new.values()))

    def to_dict(self) -> dict[str, Any]:
        if self.trees is not None:
            features = [str(feature) for feature, _ in self.features]
            return {"format": _FORMAT, "version": _VERSION, "features": features, "trees": self.trees.text}
        weights = {str(feature): weight for feature, weight in self.features}
        return {"format": _FORMAT, "version": _VERSION, "weights": weights}


def weigh(weights: Mapping[str, float]) -> Weights:
    return Weights(tuple((parse_feature(name), float(weight)) for name, weight in weights.items()))


def parse_weights(text: str) -> Weights:
    """The weights that `bm25=1,cosine=.5` or `auto,classes=0` denotes; a feature without a number has weight 1."""
    if text.startswith(_TREES):
        digest, _, path = text.removeprefix(_TREES).partition(":")
        return read_trees(path, digest)
    parts = split_list(text)
    from_auto = parts[:1] == [AUTO]
    entries = [_parse_entry(part, text) for part in parts[from_auto:]]
    if not entries and not from_auto:
        raise UsageError(f"no feature is given; {_listed()} lists them")
    return Weights(tuple(entries), from_auto)


def _parse_entry(part: str, text: str) -> tuple[Feature, float]:
    if "=" not in re.sub(r"\([^()]*\)", "", part):
        return parse_feature(part), 1.0
    entry = _ENTRY.fullmatch(part)
    if entry is None:
        raise UsageError(f"{printable(text)}: {printable(part)!r} is not a weight; write it as cosine=0.5")
    try:
        weight = float(entry["weight"])
    except ValueError:
        raise UsageError(f"{printable(text)}: the weight {printable(entry['weight'])!r} is not a number") from None
    return parse_feature(entry["feature"].strip()), weight


def read_weights(path: str | Path) -> Weights:
    """The weights of a file; one that is damaged, of a later version, or with unknown features is refused."""
    name = str(path)
    try:
        if Path(path).exists() and not _is_file(name):
            raise InputError("is not a file", source=name)
        with Path(path).open("rb") as file:
            data = file.read(_MAX_MODEL_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read ({getattr(error, 'strerror', error)})", source=printable(name, _MAX_PATH_LENGTH)
        ) from None
    remedy = f"write it as {spell('ranking')} weights or learn it again"
    text = data if len(data) <= _MAX_MODEL_BYTES else b"{}"
    try:
        content = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({printable(str(error))})", source=name, remedy=remedy) from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InputError("is not a file of ranking weights", source=name, remedy=remedy)
    if content.get("version") != _VERSION:
        what = f"has version {printable(str(content.get('version')))}, this program reads version {_VERSION}"
        raise InputError(what, source=name, remedy="use the version of antecede that wrote it")
    try:
        return _trees_from(content, name) if "trees" in content else _weights_from(content.get("weights"), name)
    except UsageError as error:
        raise InputError(str(error), source=name, remedy=f"{_listed()} lists them") from None


def _trees_from(content: Mapping[str, Any], source: str) -> Weights:
    names, text = content.get("features"), content["trees"]
    if not isinstance(text, str) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("has trees without features", source=source, remedy="learn it again")
    weights = Weights(tuple((parse_feature(name), 1.0) for name in names), trees=TreeModel(source, text))
    line = next((line for line in text.splitlines() if line.startswith(_NAMES)), _NAMES)
    if line.removeprefix(_NAMES).split() != [encode_name(str(feature)) for feature, _ in weights.features]:
        what = "its trees were not learned from the features it names, in this order"
        raise InputError(what, source=source, remedy="learn it again")
    return weights


@lru_cache(maxsize=4)
def read_trees(path: str, digest: str) -> Weights:
    """The ranking by trees that settings refer to; a file that has changed since is refused."""
    weights = read_weights(path)
    if weights.trees is None or weights.trees.digest != digest:
        raise InputError("has changed since the ranking was chosen", source=path, remedy="name it again")
    return weights


def _unique_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"{key!r} is given twice")
        content[key] = value
    return content


def _weights_from(weights: Any, source: str) -> Weights:
    if not isinstance(weights, dict) or not weights:
        raise InputError("has no weights", source=source)
    for feature, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight not in _WEIGHT:
            what = f"{printable(feature)}: the weight {printable(str(weight))} is not a number from 0 to 1,000,000"
            raise InputError(what, source=source)
    return weigh(weights)


def write_weights(weights: Weights, path: Path, **about: Any) -> None:
    """Write weights to a file, with what else should be known of them; a reader ignores the latter."""
    content = {**weights.to_dict(), **about}
    write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def _is_file(name: str) -> bool:
    """Whether a text names a file; one that cannot be the name of any does not."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def parse_ranking(text: str) -> str:
    """The normal form of a ranking as a user writes it: `auto`, `classic`, or the weights of a file or of a text.

    A file is read at once, and what it says becomes part of the settings: a run that goes on later, or an experiment
    that is repeated, notices that other weights were given.
    """
    written = text.strip()
    if written in (AUTO, CLASSIC):
        return written
    if "=" not in written and (written.endswith(".json") or _is_file(written)):
        return str(read_weights(written))
    return str(parse_weights(written))


# The default by kind of collection; docs/studies/ranking.md describes how it was chosen

_EVERYWHERE = {
    "same_applicant": 0.1,
    "classes": 0.5,
    "cited_by_hits": 0.7,
    "co_citation": 0.3,
}
"""What topics or documents may lack: a feature that cannot be computed counts nothing."""
LONG_TEXTS = {
    "jelinek_mercer(lambda=0.8)": 1.0,
    "cosine": 0.1,
    "latent_space": 0.02,
    "word_vectors": 0.02,
    **_EVERYWHERE,
}
DRAFTS = {
    "feedback": 1.0,
    "latent_space": 0.02,
    "word_vectors": 0.02,
    **_EVERYWHERE,
}
SHORT_TEXTS = {
    "feedback": 1.0,
    "cosine": 0.3,
    "latent_space": 0.1,
    "word_vectors": 0.7,
    "title": 0.2,
    **_EVERYWHERE,
}
DEFAULTS = {"long texts": LONG_TEXTS, "drafts": DRAFTS, "short texts": SHORT_TEXTS}
"""Documents and topics of many words; documents of many words and topics of few; documents of few words.

bench/default_weights.py derives these from the earlier topics of two collections."""


def resolve_weights(
    text: str, index: Engine, language: str, *, length: int = LONG_TEXT, search_given: bool = False
) -> Weights:
    """The weights that a setting denotes for the collection of a language and a topic of some length in tokens.

    `search_given` says that the settings describe a search of their own: it takes the place of the first feature of the
    default.
    """
    default = "short texts"
    if index.statistics(language).average_length >= LONG_TEXT:
        default = "long texts" if length >= LONG_TEXT else "drafts"
    return _resolve(text, default, search_given)


@lru_cache(maxsize=64)
def _resolve(text: str, default: str, search_given: bool) -> Weights:
    weights = Weights((), from_auto=True) if text == AUTO else parse_weights(text)
    if not weights.from_auto:
        return weights
    chosen = DEFAULTS[default]
    first = next(iter(chosen))
    names = {name: CLASSIC if search_given and name == first else name for name in chosen}
    return weigh({names[name]: weight for name, weight in chosen.items()}).change(weights)


# Gradient-boosted trees, as `antecede learn weights --kind trees` writes them; LightGBM computes them
#
# The score of a document is the sum of what each feature contributes (the Shapley values of Lundberg et al., 2020), so
# that an explanation adds up here as it does for weights. The constant part, the same for all documents, is left out.

_DIGEST = 16
"""Characters by which a model is recognised."""
_LOCK = threading.Lock()
_NAMES = "feature_names="
"""What the line of LightGBM's text form begins with that names the features in their order."""


def encode_name(feature: str) -> str:
    """The name of a feature as LightGBM can write it: without brackets, commas and other special characters."""
    return quote(feature, safe="")


def load_lightgbm() -> Any:
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
        return hashlib.sha256(self.text.encode()).hexdigest()[:_DIGEST]

    def score(self, values: F32) -> F32:
        """The score of each candidate, from float32[candidates, features]."""
        return self._predict(values)

    def shares(self, values: F32) -> F32:
        """float32[features, candidates]: what each feature contributes."""
        return np.ascontiguousarray(self._predict(values, pred_contrib=True)[:, :-1].T)

    def _predict(self, values: F32, **how: bool) -> F32:
        booster = _load_booster(self)
        if booster.num_feature() != values.shape[1]:
            what = f"its trees know {booster.num_feature()} features, it names {values.shape[1]}"
            raise InputError(what, source=self.path, remedy="learn it again")
        return np.asarray(booster.predict(values, num_threads=1, **how), np.float32)


@lru_cache(maxsize=4)
def _load_booster(model: TreeModel) -> Any:
    lightgbm = load_lightgbm()
    with _LOCK:
        try:
            return lightgbm.Booster(model_str=model.text)
        except (lightgbm.basic.LightGBMError, ValueError) as error:
            raise InputError(f"its trees cannot be read ({printable(str(error))})", source=model.path) from None


def _listed() -> str:
    """Where features are listed."""
    return advise("antecede.ranking.features.FEATURES", "`antecede list features`")
