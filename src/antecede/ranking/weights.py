"""The weights of a ranking: which features are added up, and how much each counts.

bm25=1,jelinek_mercer(lambda=0.5)=1,cosine=.5          as an option
auto,classes=0                                         the default for the collection, with changes
{"format": "antecede ranking", "version": 1,           as a file
 "weights": {"bm25": 1, "jelinek_mercer(lambda=0.5)": 1, "cosine": 0.5}}
{"format": "antecede ranking", "version": 1,           as a file of trees, which take the place of weights
 "features": ["bm25", "cosine"], "trees": "…"}
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.files import write_whole
from antecede.ranges import Range, write_number
from antecede.ranking.features import Feature, parse_feature
from antecede.ranking.trees import LARGEST_MODEL, TreeModel
from antecede.registry import split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AUTO, CLASSIC = "auto", "classic"
"""The default for the kind of collection, and the search by one query method and model alone."""
FORMAT, VERSION = "antecede ranking", 1
WEIGHT = Range(0, 1e6)
TREES = "trees:"
"""How the normal form of a ranking by trees begins; the digest of the trees and their file follow."""
LONGEST_PATH = 1000
"""Characters of a path in a message."""
ENTRY = re.compile(r"(?P<feature>[^=()]+(\([^()]*\))?)\s*=\s*(?P<weight>[^=()]+)")


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
            WEIGHT.check(weight, f"the weight of {feature}")
        names = [each.definition.name for each, _ in self.features]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"the feature {name} is given two weights; keep one")
        if not self.from_auto and not any(weight for _, weight in self.features):
            raise UsageError("a ranking needs a feature with a weight above 0")

    def __str__(self) -> str:
        if self.trees is not None:
            return f"{TREES}{self.trees.digest}:{self.trees.path}"
        parts = [f"{feature}={write_number(float(weight))}" for feature, weight in self.features]
        return ",".join([*([AUTO] if self.from_auto else []), *parts])

    @property
    def used(self) -> tuple[tuple[Feature, float], ...]:
        """Those with a weight above 0."""
        return tuple((feature, weight) for feature, weight in self.features if weight > 0)

    def change(self, changes: Weights) -> Weights:
        """These weights with some replaced or added."""
        new = {feature.definition.name: (feature, weight) for feature, weight in changes.features}
        kept = tuple(new.pop(feature.definition.name, (feature, weight)) for feature, weight in self.features)
        return Weights((*kept, *new.values()))

    def to_dict(self) -> dict[str, Any]:
        """The weights as a file has them."""
        if self.trees is not None:
            features = [str(feature) for feature, _ in self.features]
            return {"format": FORMAT, "version": VERSION, "features": features, "trees": self.trees.text}
        weights = {str(feature): weight for feature, weight in self.features}
        return {"format": FORMAT, "version": VERSION, "weights": weights}


def weigh(weights: Mapping[str, float]) -> Weights:
    """Weights by the names of features."""
    return Weights(tuple((parse_feature(name), float(weight)) for name, weight in weights.items()))


def parse_weights(text: str) -> Weights:
    """The weights that `bm25=1,cosine=.5` or `auto,classes=0` denotes; a feature without a number has weight 1."""
    if text.startswith(TREES):
        digest, _, path = text.removeprefix(TREES).partition(":")
        return read_trees(path, digest)
    parts = split_list(text)
    from_auto = parts[:1] == [AUTO]
    found = [parse_entry(part, text) for part in parts[from_auto:]]
    if not found and not from_auto:
        raise UsageError("no feature is given; `antecede features` lists them")
    return Weights(tuple(found), from_auto)


def parse_entry(part: str, text: str) -> tuple[Feature, float]:
    """One feature with its weight."""
    if "=" not in re.sub(r"\([^()]*\)", "", part):
        return parse_feature(part), 1.0
    entry = ENTRY.fullmatch(part)
    if entry is None:
        raise UsageError(f"{shown(text)}: {shown(part)!r} is not a weight; write it as cosine=0.5")
    try:
        weight = float(entry["weight"])
    except ValueError:
        raise UsageError(f"{shown(text)}: the weight {shown(entry['weight'])!r} is not a number") from None
    return parse_feature(entry["feature"].strip()), weight


def read_weights(path: str | Path) -> Weights:
    """The weights of a file; one that is damaged, of a later version, or with unknown features is refused."""
    name = str(path)
    try:
        if Path(path).exists() and not is_file(name):
            raise InputError("is not a file", source=name)
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_MODEL + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read ({getattr(error, 'strerror', error)})", source=shown(name, LONGEST_PATH)
        ) from None
    remedy = "write it as `--ranking` weights or learn it again"
    try:
        whole = (
            json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique_keys) if len(data) <= LARGEST_MODEL else {}
        )
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({shown(str(error))})", source=name, remedy=remedy) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise InputError("is not a file of ranking weights", source=name, remedy=remedy)
    if whole.get("version") != VERSION:
        what = f"has version {shown(str(whole.get('version')))}, this program reads version {VERSION}"
        raise InputError(what, source=name, remedy="use the version of antecede that wrote it")
    if "trees" in whole:
        return trees_from(whole, name)
    return weights_from(whole.get("weights"), name)


def trees_from(whole: Mapping[str, Any], source: str) -> Weights:
    """The ranking of a file that has trees."""
    features, text = whole.get("features"), whole["trees"]
    if (
        not isinstance(text, str)
        or not isinstance(features, list)
        or not all(isinstance(each, str) for each in features)
    ):
        raise InputError("has trees without features", source=source, remedy="learn it again")
    trees = TreeModel(source, text)
    try:
        found = Weights(tuple((parse_feature(each), 1.0) for each in features), trees=trees)
    except UsageError as error:
        raise InputError(str(error), source=source, remedy="`antecede features` lists them") from None
    trees.check_features([str(feature) for feature, _ in found.features])
    return found


@lru_cache(maxsize=4)
def read_trees(path: str, digest: str) -> Weights:
    """The ranking by trees that settings refer to; a file that has changed since is refused."""
    found = read_weights(path)
    if found.trees is None or found.trees.digest != digest:
        raise InputError("has changed since the ranking was chosen", source=path, remedy="name it again")
    return found


def unique_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no key comes twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r} is given twice")
        found[key] = value
    return found


def weights_from(weights: Any, source: str) -> Weights:
    """The weights that a file has under `weights`."""
    if not isinstance(weights, dict) or not weights:
        raise InputError("has no weights", source=source)
    for feature, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight not in WEIGHT:
            what = f"{shown(feature)}: the weight {shown(str(weight))} is not a number from 0 to 1,000,000"
            raise InputError(what, source=source)
    try:
        return weigh(weights)
    except UsageError as error:
        raise InputError(str(error), source=source, remedy="`antecede features` lists them") from None


def write_weights(weights: Weights, path: Path, **about: Any) -> None:
    """Write weights to a file, with what else should be known of them; a reader ignores the latter."""
    whole = {**weights.to_dict(), **about}
    write_whole(path, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())


def is_file(name: str) -> bool:
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
    if "=" not in written and (written.endswith(".json") or is_file(written)):
        return str(read_weights(written))
    return str(parse_weights(written))
