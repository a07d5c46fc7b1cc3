"""Streams cut into documents, in bounded memory; what is no document is told by its bytes."""
