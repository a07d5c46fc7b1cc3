"""Hardened XML: no DTD, no entities other than characters, no network."""
