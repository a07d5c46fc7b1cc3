"""Applications as their authors have them, to search with: text, PDF and DOCX files."""

from antecede.corpus.applications.application import is_application, read_application, read_text

__all__ = ["is_application", "read_application", "read_text"]
