"""Features: each kind of evidence that a ranking adds up is one file here."""

from antecede.ranking.features.registry import (
    FEATURES,
    Absent,
    Feature,
    FeatureDefinition,
    Kind,
    feature,
    parse_feature,
)

__all__ = ["FEATURES", "Absent", "Feature", "FeatureDefinition", "Kind", "feature", "parse_feature"]
