"""Query methods: each way of weighting the terms of a topic is one file here."""

from antecede.query.methods.registry import METHODS, Method, MethodDefinition, WeightedTerms, method, parse_method

__all__ = ["METHODS", "Method", "MethodDefinition", "WeightedTerms", "method", "parse_method"]
