"""One format a file; each registers itself."""

from antecede.corpus.formats.registry import Format, by_root, containers, formats

__all__ = ["Format", "by_root", "containers", "formats"]
