"""Ranking models, one file each; each registers itself."""

from antecede.search.models.registry import (
    MODELS,
    CollectionFacts,
    Model,
    ModelDefinition,
    Postings,
    model,
    parse_model,
)

__all__ = ["MODELS", "CollectionFacts", "Model", "ModelDefinition", "Postings", "model", "parse_model"]
