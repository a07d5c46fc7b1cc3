"""Splitting streams into documents, in bounded memory."""
