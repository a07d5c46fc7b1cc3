"""Query methods: a way to weigh the terms of a topic is one file here."""

from antecede.query.methods.registry import Definition, Method, Weighted, methods, parse_method

__all__ = ["Definition", "Method", "Weighted", "methods", "parse_method"]
