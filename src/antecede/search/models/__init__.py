"""One ranking model a file; each registers itself."""

from antecede.search.models.registry import CollectionFacts, Definition, Model, Postings, models, parse_model

__all__ = ["CollectionFacts", "Definition", "Model", "Postings", "models", "parse_model"]
