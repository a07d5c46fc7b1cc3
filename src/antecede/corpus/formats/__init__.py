"""Formats of patent files, one file each; each registers itself."""

from antecede.corpus.formats.registry import FORMATS, Format, by_root, containers, xml_format

__all__ = ["FORMATS", "Format", "by_root", "containers", "xml_format"]
